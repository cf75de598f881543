// A data recorder around the core: pairs of 16-bit samples are recorded, each recording begins on
// the disk where the one before it ended.
//
// The core comes from `sata-recorder verilog --max-command-sectors 256 -o sata_recorder.v`: a stop
// fills the command in flight with zeros, so short commands make it fast. A PHY belongs at the
// ports phy_*. Everything runs with clk, the dword clock of the PHY or a faster one.

module verilog_recorder (
  input  wire        clk,
  input  wire        rst,

  // Samples. They cannot wait: a pair that the core does not take in time is lost, and counted.
  input  wire [15:0] sample,
  input  wire        sample_valid,

  // One clock each. A recording lasts from `record` to `stop`, or to the end of the disk.
  input  wire        record,
  input  wire        stop,

  output wire        ready,         // a drive is there, and no recording runs
  output wire        recording,     // words are being taken, about 40 clocks after `record`
  output reg         complete,      // the last recording is on the disk, from first_sector on
  output wire [3:0]  error,         // 0, or why it ended early; see the error codes
  output reg  [47:0] first_sector,
  output wire [47:0] words,         // its length
  output reg  [47:0] lost_pairs,    // what is missing in it

  output wire [31:0] phy_tx_data,
  output wire [3:0]  phy_tx_k,
  input  wire        phy_tx_ready,
  input  wire [31:0] phy_rx_data,
  input  wire [3:0]  phy_rx_k,
  input  wire        phy_rx_valid,
  input  wire        phy_rx_error,
  input  wire        phy_link_up,
  input  wire [1:0]  phy_generation,
  output wire        phy_reset,
  output wire [1:0]  phy_limit
);
  localparam RECORD_FLUSH = 2'd3;

  wire        busy, done, word_ready;
  wire [47:0] capacity, sectors_done;
  reg  [47:0] next_sector;
  wire        start = record && ready;

  // The first sample of a pair is in the lower bytes of the word, and first on the disk.
  reg  [15:0] first_sample;
  reg         have_first;
  reg  [31:0] word;
  reg         word_valid;
  reg         taking;               // from the first word taken to the end of the operation

  assign recording = busy && taking;

  always @(posedge clk) begin
    if (word_ready) begin
      word_valid <= 0;
      taking <= 1;
    end
    if (sample_valid && (recording || word_ready)) begin
      have_first <= !have_first;
      if (!have_first)
        first_sample <= sample;
      else if (!word_valid || word_ready) begin
        word <= {sample, first_sample};
        word_valid <= 1;
      end else
        lost_pairs <= lost_pairs + 1;
    end

    if (start) begin
      first_sector <= next_sector;
      complete <= 0;
      lost_pairs <= 0;
      have_first <= 0;
      word_valid <= 0;
      taking <= 0;
    end
    if (done) begin
      next_sector <= next_sector + sectors_done;
      complete <= error == 0;
    end
    if (rst) begin
      next_sector <= 0;
      complete <= 0;
    end
  end

  // core:begin (an instance of the core: benchmarks/docs.py adds ports that it lacks)
  sata_recorder core (
    .clk               (clk),                    // input  1 bit
    .rst               (rst),                    // input  1 bit
    .phy_tx_data       (phy_tx_data),            // output [31:0]
    .phy_tx_k          (phy_tx_k),               // output [3:0]
    .phy_tx_ready      (phy_tx_ready),           // input  1 bit
    .phy_rx_data       (phy_rx_data),            // input  [31:0]
    .phy_rx_k          (phy_rx_k),               // input  [3:0]
    .phy_rx_valid      (phy_rx_valid),           // input  1 bit
    .phy_rx_error      (phy_rx_error),           // input  1 bit
    .phy_link_up       (phy_link_up),            // input  1 bit
    .phy_generation    (phy_generation),         // input  [1:0]
    .phy_reset         (phy_reset),              // output 1 bit
    .phy_limit         (phy_limit),              // output [1:0]
    .s_axis_tdata      (word),                   // input  [31:0]
    .s_axis_tvalid     (word_valid),             // input  1 bit
    .s_axis_tready     (word_ready),             // output 1 bit
    .m_axis_tdata      (),                       // output [31:0]
    .m_axis_tvalid     (),                       // output 1 bit
    .m_axis_tlast      (),                       // output 1 bit
    .m_axis_tready     (1'b1),                   // input  1 bit
    .start             (start),                  // input  1 bit
    .operation         (RECORD_FLUSH),           // input  [1:0]
    .lba               (next_sector),            // input  [47:0]
    .sectors           (capacity - next_sector), // input  [47:0]
    .stop              (stop),                   // input  1 bit
    .ready             (ready),                  // output 1 bit
    .busy              (busy),                   // output 1 bit
    .done              (done),                   // output 1 bit
    .error             (error),                  // output [3:0]
    .drive_status      (),                       // output [7:0]
    .drive_error       (),                       // output [7:0]
    .capacity          (capacity),               // output [47:0]
    .lba48             (),                       // output 1 bit
    .identify_address  (7'd0),                   // input  [6:0]
    .identify_data     (),                       // output [31:0]
    .sectors_done      (sectors_done),           // output [47:0]
    .words             (words),                  // output [47:0]
    .high_water        (),                       // output [15:0]
    .held_cycles       (),                       // output [47:0]
    .ledger_address    (5'd0),                   // input  [4:0]
    .ledger_data       (),                       // output [47:0]
    .recovering        (),                       // output 1 bit
    .cause             (),                       // output [3:0]
    .retries           (),                       // output [15:0]
    .error_lba         (),                       // output [47:0]
    .skipped_sectors   (),                       // output [47:0]
    .unflushed         (),                       // output 1 bit
    .unflushed_lba     (),                       // output [47:0]
    .unflushed_sectors (),                       // output [47:0]
    .clear_unflushed   (1'd0),                   // input  1 bit
    .dropped           (),                       // output [47:0]
    .longest_stall     (),                       // output [47:0]
    .journal_address   (7'd0),                   // input  [6:0]
    .journal_data      (),                       // output [47:0]
    .journal_count     ()                        // output [5:0]
  );
  // core:end
endmodule
