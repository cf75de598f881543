// Stand-ins for the cells of a 7-series device in a SoC of LiteX. Of a cell of the device there are the ports and
// parameters that matter here. The line of GTPE2_CHANNEL ends at the registers line_*, where a drive is: dwords at the
// falling edges of line_clk. The PHY of that drive, with its OOB signals, is in the stand-in, too.
`timescale 1ns/1ps

module IBUFDS(input I, IB, output O);
  assign O = I;
endmodule

module BUFG(input I, output O);
  assign O = I;
endmodule

module FDCE(input C, CE, CLR, D, output reg Q);
  initial Q = 0;
  always @(posedge C or posedge CLR) if (CLR) Q <= 0; else if (CE) Q <= D;
endmodule

module FDPE #(parameter INIT = 1) (input C, CE, PRE, D, output reg Q);
  initial Q = INIT;
  always @(posedge C or posedge PRE) if (PRE) Q <= 1; else if (CE) Q <= D;
endmodule

module PLLE2_ADV #(parameter real CLKIN1_PERIOD = 5.0, parameter CLKFBOUT_MULT = 1, parameter DIVCLK_DIVIDE = 1,
                   parameter CLKOUT0_DIVIDE = 1, parameter CLKOUT1_DIVIDE = 1, parameter CLKOUT2_DIVIDE = 1,
                   parameter CLKOUT3_DIVIDE = 1)
    (input RST, output reg CLKOUT0, output reg CLKOUT1, output reg CLKOUT2, output reg CLKOUT3, output reg LOCKED);
  localparam real VCO = CLKIN1_PERIOD * DIVCLK_DIVIDE / CLKFBOUT_MULT;
  initial begin
    CLKOUT0 = 0; CLKOUT1 = 0; CLKOUT2 = 0; CLKOUT3 = 0; LOCKED = 0;
    #200 LOCKED = 1;
  end
  always #(VCO * CLKOUT0_DIVIDE / 2) CLKOUT0 = ~CLKOUT0;
  always #(VCO * CLKOUT1_DIVIDE / 2) CLKOUT1 = ~CLKOUT1;
  always #(VCO * CLKOUT2_DIVIDE / 2) CLKOUT2 = ~CLKOUT2;
  always #(VCO * CLKOUT3_DIVIDE / 2) CLKOUT3 = ~CLKOUT3;
endmodule

// Nobody is at the JTAG port.
module BSCANE2 #(parameter JTAG_CHAIN = 1)
    (output CAPTURE, DRCK, RESET, RUNTEST, SEL, SHIFT, TCK, TDI, TMS, UPDATE, input TDO);
  assign {CAPTURE, DRCK, RUNTEST, SEL, SHIFT, TCK, TDI, TMS, UPDATE} = 0;
  assign RESET = 1;
endmodule

module GTPE2_COMMON(input GTREFCLK0, PLL0RESET, output reg PLL0LOCK);
  initial PLL0LOCK = 0;
  always @(posedge GTREFCLK0) PLL0LOCK <= ~PLL0RESET;
endmodule

module GTPE2_CHANNEL #(parameter TXOUT_DIV = 1) (
    input GTTXRESET, TXUSERRDY, TXUSRCLK2, TXELECIDLE, TXCOMINIT, TXCOMWAKE,
    input [15:0] TXDATA, input [1:0] TXCHARISK,
    output reg TXOUTCLK, output TXRESETDONE, output reg TXCOMFINISH,
    input GTRXRESET, RXUSERRDY, RXUSRCLK2, RXDLYSRESET, DRPCLK, DRPEN,
    output reg [15:0] RXDATA, output reg [1:0] RXCHARISK, output RXOUTCLK,
    output RXRESETDONE, RXPMARESETDONE, RXSYNCDONE, output reg RXDLYSRESETDONE,
    output [15:0] DRPDO, output reg DRPRDY, output RXCOMINITDET, RXCOMWAKEDET, output [1:0] RXDISPERR, RXNOTINTABLE);
  localparam [31:0] ALIGN = 32'h7b4a4abc, SYNC = 32'hb5b5957c;

  // The clock of the 16-bit words, also the recovered one, and that of the dwords.
  initial TXOUTCLK = 0;
  always #(1000.0 / 600 * TXOUT_DIV) TXOUTCLK = ~TXOUTCLK;
  assign RXOUTCLK = TXOUTCLK;
  reg line_clk = 0;

  // Resets.
  assign TXRESETDONE = TXUSERRDY & ~GTTXRESET;
  reg [5:0] rx_age = 0;
  always @(posedge TXOUTCLK or posedge GTRXRESET)
    if (GTRXRESET) rx_age <= 0; else if (RXUSERRDY & ~&rx_age) rx_age <= rx_age + 1;
  assign RXPMARESETDONE = rx_age < 16 | rx_age >= 32;
  assign RXRESETDONE = rx_age >= 48;
  assign RXSYNCDONE = &rx_age;
  assign DRPDO = 16'h0011;
  initial begin DRPRDY = 0; RXDLYSRESETDONE = 0; end
  always @(posedge DRPCLK) begin DRPRDY <= DRPEN; RXDLYSRESETDONE <= RXDLYSRESET; end
  assign RXDISPERR = 0, RXNOTINTABLE = 0;

  // The drive, at the other end of the line.
  reg [31:0] line_tx_data = SYNC, line_rx_data = 0;
  reg [3:0] line_tx_k = 1, line_rx_k = 0;
  reg line_link_up = 0, line_plugged = 1;
  reg line_reset = 1;             // of the drive, from COMRESET to the first ALIGN of the host
  integer comresets = 0;          // of the host so far
  integer slips = 0;              // of the receiver's alignment, by one word, that are to come

  // OOB: each request is finished 20 words later, and the answer is there from 40 to 60 words after that.
  reg [6:0] init_age = 127, wake_age = 127;
  reg woken = 0, linked = 0;
  initial TXCOMFINISH = 0;
  assign RXCOMINITDET = line_plugged & init_age >= 60 & init_age < 80;
  assign RXCOMWAKEDET = line_plugged & wake_age >= 60 & wake_age < 80;
  always @(posedge TXUSRCLK2) begin
    if (TXCOMINIT) begin init_age <= 0; comresets = comresets + 1; end else if (~&init_age) init_age <= init_age + 1;
    if (TXCOMWAKE) wake_age <= 0; else if (~&wake_age) wake_age <= wake_age + 1;
    TXCOMFINISH <= init_age == 20 | wake_age == 20;
    if (TXCOMINIT | ~line_plugged) begin woken <= 0; linked <= 0; end
    else if (wake_age == 100) woken <= 1;
    else if (woken & ~TXELECIDLE & tx_dword == ALIGN & tx_dword_k == 1) linked <= 1;
    line_reset <= ~linked;
  end

  // Two words are a dword; a control character is in the first one.
  reg second = 0, rx_second = 0;
  reg [15:0] first = 0;
  reg [1:0] first_k = 0;
  reg [31:0] tx_dword = 0;
  reg [3:0] tx_dword_k = 0;
  wire [35:0] rx_dword = ~woken ? 0 : linked & line_link_up ? {line_rx_k, line_rx_data} : {4'd1, ALIGN};
  reg [17:0] rest = 0;
  always @(posedge TXUSRCLK2) begin
    second <= ~(second & ~TXCHARISK[0]);
    if (~second | TXCHARISK[0]) begin first <= TXDATA; first_k <= TXCHARISK; end
    else begin tx_dword <= {TXDATA, first}; tx_dword_k <= {TXCHARISK, first_k}; end
    line_tx_data <= linked ? tx_dword : SYNC;
    line_tx_k <= linked ? tx_dword_k : 4'd1;
    // What the drive sends: nothing, ALIGN, or its dwords. In a slip the first word is there twice.
    if (~rx_second) begin
      {RXCHARISK, RXDATA} <= {rx_dword[33:32], rx_dword[15:0]};
      rest <= {rx_dword[35:34], rx_dword[31:16]};
    end else if (slips == 0) {RXCHARISK, RXDATA} <= rest;
    if (rx_second & slips > 0) slips = slips - 1; else rx_second <= ~rx_second;
  end
  always @(negedge TXUSRCLK2) line_clk <= second;
endmodule
