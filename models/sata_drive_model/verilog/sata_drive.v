// A SATA drive at the dword port of a host core, for benches without Python: sata_drive_model's friendly drive.
// SPDX-License-Identifier: BSD-2-Clause
//
// Verilog-2005, for simulation only. It begins where a PHY ends: there is no OOB and no 8b/10b, but a link that is up
// or not, and 32-bit dwords with a mark for the control character in byte 0 (Serial ATA Revision 3.x, link layer):
//
//   link       ALIGN pairs, CONT, X_RDY/R_RDY, SOF, data with CRC and scrambling, HOLD/HOLDA, EOF, WTRM, R_OK/R_ERR
//   transport  Register H2D and D2H, DMA Activate, PIO Setup, Data of at most 2048 dwords
//   commands   IDENTIFY DEVICE; READ and WRITE DMA (EXT); FLUSH CACHE (EXT); SET FEATURES: write cache, look-ahead and
//              transfer mode; STANDBY IMMEDIATE. All others are aborted (ATA8-ACS).
//
// Connect the ports to those of the core that are named phy_ and the same. `disk` holds the sectors, 128 words each,
// bits 7:0 first: a bench may load it with $readmemh and read it as drive.disk[128 * lba + n]. `complaints` counts
// what the host did wrong; each is printed, too. Nothing random happens: the same host sees the same dwords.

/* verilator lint_save */
// One process has all variables, in the order in which things happen within a dword.
/* verilator lint_off BLKSEQ */
`timescale 1 ns / 1 ps

module sata_drive #(
  parameter integer SECTORS = 2048,             // capacity, 512 bytes each
  parameter [1:0]   GENERATION = 2,             // of the link: 1, 2 or 3
  parameter integer LINE_CLOCKS = 1,            // clocks of a dword on the line
  parameter integer LINK_CLOCKS = 64,           // from the end of a COMRESET to the link
  parameter integer SIGNATURE_DWORDS = 32,      // from the link to the signature
  parameter integer COMMAND_DWORDS = 0,         // from a data command to the first DMA Activate or Data FIS
  parameter integer ALIGN_DWORDS = 254,         // between two pairs of ALIGN
  parameter [0:0]   CONT_SENT = 1,              // repeated primitives become CONT and junk
  parameter integer HOLD_EVERY = 0,             // the drive sends HOLD after so many dwords of a Data FIS; 0: never
  parameter integer HOLD_DWORDS = 64,           // ... for so long
  parameter [319:0] MODEL = "SATA DRIVE IN VERILOG",
  parameter [159:0] SERIAL = "SN0001",
  parameter [63:0]  FIRMWARE = "1.0"
) (
  input  wire        clk,
  input  wire        present,                   // low: unplugged
  input  wire [31:0] tx_data,                   // from the host
  /* verilator lint_off UNUSEDSIGNAL */
  input  wire [3:0]  tx_k,                      // bit 0; no primitive has another control character
  /* verilator lint_on UNUSEDSIGNAL */
  output reg         tx_ready,
  output reg  [31:0] rx_data,                   // to the host
  output reg  [3:0]  rx_k,
  output reg         rx_valid,
  output wire        rx_error,
  output reg         link_up,
  output wire [1:0]  generation,
  input  wire        reset                      // COMRESET
);
  assign generation = GENERATION;
  assign rx_error = 1'b0;

  // Primitives, bits 7:0 first on the line.
  localparam [31:0] ALIGN = 32'h7B4A4ABC, CONT = 32'h9999AA7C, DMAT = 32'h3636B57C, EOF = 32'hD5D5B57C,
    HOLD = 32'hD5D5AA7C, HOLDA = 32'h9595AA7C, R_ERR = 32'h5656B57C, R_IP = 32'h5555B57C, R_OK = 32'h3535B57C,
    R_RDY = 32'h4A4A957C, SOF = 32'h3737B57C, SYNC = 32'hB5B5957C, WTRM = 32'h5858B57C, X_RDY = 32'h5757B57C;
  // States of the link, and the specification's names for them.
  localparam [3:0] IDLE = 0,                    // L_IDLE
    SEND_RDY = 1, SENDING = 2, SEND_WAIT = 3,   // DL_SendChkRdy; L_SendSOF to L_SendEOF; L_Wait
    RECEIVE_RDY = 4, RECEIVING = 5,             // L_RcvChkRdy; L_RcvData, L_RcvHold, L_Hold
    RECEIVE_END = 6;                            // L_RcvEOF, L_GoodEnd, L_BadEnd
  // What the frame that goes out is.
  localparam [2:0] NOTHING = 0, SIGNATURE = 1, STATUS = 2, ACTIVATE = 3, SETUP = 4, PAGE = 5, READ = 6;
  localparam [31:0] CRC_SEED = 32'h52325032;
  localparam [47:0] CAPACITY = {16'h0, SECTORS};
  localparam integer FRAME = 2048 + 40;         // a Data FIS, and what may come after a HOLD

  reg [31:0] disk [0:128 * SECTORS - 1];
  integer    complaints;                        // of the host
  integer    commands;                          // that got their status

  // The link.
  reg [3:0]  state;
  reg        idle_sent;                         // one SYNC at least between two frames
  reg [31:0] last;                              // primitive of the host that is in force; 0: data
  reg        continued;                         // ... by CONT: data dwords are junk
  reg [31:0] told, symbol;                      // tx_data; what it means in this clock
  reg        is_data;
  reg [15:0] key_in, key_out, junk;             // scramblers
  reg [31:0] crc_in, crc_out, key;
  reg [31:0] emitted;                           // dword to the host
  reg        emitted_k;
  reg [31:0] repeated;                          // primitive that is repeated to the host; 0: data
  integer    repeats;
  reg        junked;                            // CONT has gone out for it
  integer    align_left, since_align;
  reg        good;                              // verdict on the host's frame
  reg [31:0] held;                              // the latest dword of it, which may be the CRC
  reg [31:0] taken [0:FRAME - 1];               // the host's FIS
  integer    size;                              // its dwords with the CRC
  integer    next_hold, hold_left;
  reg [31:0] given [0:2048];                    // the drive's FIS
  integer    length, place;                     // its dwords; the next one: 0 SOF, length + 1 CRC, length + 2 EOF

  // The command.
  reg [2:0]  want, sent;                        // frame that waits, frame that goes out
  integer    wait_left;                         // dwords until it may
  reg        busy;
  reg        expecting;                         // a DMA Activate is out
  reg [7:0]  command;
  reg [47:0] lba;
  integer    total, moved, base;                // dwords of the command; its first one in `disk`
  reg [7:0]  status, error;
  reg [47:0] error_lba;
  reg        write_cache, look_ahead;
  reg [7:0]  dma_mode;
  reg [15:0] page [0:255];

  integer    down, divider, n;

  // Arithmetic ---------------------------------------------------------------------------------------------------

  // One dword of the scrambler's sequence and the state after it: G(x) = x^16 + x^15 + x^13 + x^4 + 1, bit 0 first.
  function [47:0] scramble(input [15:0] from);
    integer k;
    reg [31:0] dword;
    reg [15:0] lfsr;
    begin
      lfsr = from;
      for (k = 0; k < 32; k = k + 1) begin
        dword[k] = lfsr[15];
        lfsr = {lfsr[14:0], 1'b0} ^ (lfsr[15] ? 16'hA011 : 16'h0);
      end
      scramble = {lfsr, dword};
    end
  endfunction

  // Polynomial 04C11DB7h over a whole dword, most significant bit first.
  function [31:0] crc(input [31:0] from, input [31:0] dword);
    integer k;
    reg [31:0] sum;
    begin
      sum = from ^ dword;
      for (k = 0; k < 32; k = k + 1)
        sum = {sum[30:0], 1'b0} ^ (sum[31] ? 32'h04C11DB7 : 32'h0);
      crc = sum;
    end
  endfunction

  function continuable(input [31:0] word);
    continuable = word == HOLD || word == HOLDA || word == R_ERR || word == R_IP || word == R_OK || word == R_RDY ||
                  word == SYNC || word == WTRM || word == X_RDY;
  endfunction

  task complain(input [8 * 40 - 1:0] what);
    begin
      complaints = complaints + 1;
      $display("%m: %0t: %0s", $time, what);
    end
  endtask

  // IDENTIFY DEVICE (ATA8-ACS) -----------------------------------------------------------------------------------

  // Text without spaces at its right, as parameters are, with them: the first character in the top byte.
  function [319:0] padded(input [319:0] text, input integer characters);
    integer k;
    begin
      padded = text << (320 - 8 * characters);
      for (k = 0; k < characters; k = k + 1)
        if (padded[319:312] == 0)
          padded = {padded[311:0], 8'h00} | ({312'h0, 8'h20} << (320 - 8 * characters));
    end
  endfunction

  task put_text(input integer from, input integer words, input [319:0] text);
    integer k;
    for (k = 0; k < words; k = k + 1)
      page[from + k] = text[319 - 16 * k -: 16];
  endtask

  task make_page;
    integer k;
    reg [7:0] sum;
    begin
      for (k = 0; k < 256; k = k + 1) page[k] = 16'h0000;
      page[0] = 16'h0040;
      page[1] = 16'd16383;                      // cylinders, heads, sectors: as every large drive
      page[3] = 16'd16;
      page[6] = 16'd63;
      put_text(10, 10, padded({160'h0, SERIAL}, 20));
      put_text(23, 4, padded({256'h0, FIRMWARE}, 8));
      put_text(27, 20, padded(MODEL, 40));
      page[47] = 16'h8010;
      page[49] = 16'h2F00;                      // DMA, LBA
      page[50] = 16'h4000;
      page[53] = 16'h0006;
      {page[61], page[60]} = SECTORS > 32'h0FFFFFFF ? 32'h0FFFFFFF : SECTORS;
      page[63] = 16'h0007 | (dma_mode[7:3] == 5'h04 ? 16'h0100 << dma_mode[2:0] : 16'h0);
      page[64] = 16'h0003;
      for (k = 65; k < 69; k = k + 1) page[k] = 16'd120;
      page[76] = 16'h000E;                      // all three generations
      page[80] = 16'h01F0;                      // ATA/ATAPI-4 to ATA8-ACS
      page[82] = 16'h0068;                      // power management, write cache, look-ahead
      page[83] = 16'h7400;                      // 48-bit, FLUSH CACHE, FLUSH CACHE EXT
      page[84] = 16'h4000;
      page[85] = 16'h0008 | {10'h0, write_cache, 5'h0} | {9'h0, look_ahead, 6'h0};
      page[86] = 16'h3400;
      page[87] = 16'h4000;
      page[88] = 16'h007F | (dma_mode[7:3] == 5'h08 ? 16'h0100 << dma_mode[2:0] : 16'h0);
      {page[101], page[100]} = SECTORS;
      page[106] = 16'h4000;
      page[217] = 16'h0001;                     // no rotation
      page[222] = 16'h103E;
      sum = 8'hA5;
      for (k = 0; k < 255; k = k + 1) sum = sum + page[k][15:8] + page[k][7:0];
      page[255] = {8'h00 - sum, 8'hA5};
    end
  endtask

  // What the drive sends -----------------------------------------------------------------------------------------

  task queue(input [2:0] what, input integer dwords);
    begin
      want = what;
      wait_left = dwords;
    end
  endtask

  task conclude(input [7:0] with_status, input [7:0] with_error, input [47:0] at);
    begin
      status = with_status;
      error = with_error;
      error_lba = at;
      expecting = 0;
      queue(STATUS, 0);
    end
  endtask

  task registers(input [7:0] fis, input [7:0] flags, input [47:0] at, input [7:0] device);
    begin
      given[0] = {error, status, flags, fis};
      given[1] = {device, at[23:0]};
      given[2] = {8'h00, at[47:24]};
      given[3] = 0;
      given[4] = 0;
      length = 5;
    end
  endtask

  // The FIS that waits becomes `given`.
  task build;
    integer k;
    begin
      sent = want;
      want = NOTHING;
      place = 0;
      case (sent)
        SIGNATURE: begin
          status = 8'h50;
          error = 8'h01;
          registers(8'h34, 8'h40, 48'h1, 8'h00);
          given[3] = 1;
        end
        STATUS:
          if (command == 8'h25 || command == 8'h35) registers(8'h34, 8'h40, error_lba, 8'h40);
          else registers(8'h34, 8'h40, {24'h0, error_lba[23:0]}, {4'h4, error_lba[27:24]});
        ACTIVATE: begin
          given[0] = 32'h39;
          length = 1;
        end
        SETUP: begin
          status = 8'h58;
          error = 8'h00;
          registers(8'h5F, 8'h60, 48'h0, 8'h40);
          given[3] = {8'h50, 24'h0};            // status after the data
          given[4] = 512;
        end
        PAGE: begin
          given[0] = 32'h46;
          for (k = 0; k < 128; k = k + 1) given[1 + k] = {page[2 * k + 1], page[2 * k]};
          length = 129;
        end
        default: begin                          // READ
          given[0] = 32'h46;
          length = 1 + (total - moved > 2048 ? 2048 : total - moved);
          for (k = 0; k < length - 1; k = k + 1) given[1 + k] = disk[base + moved + k];
        end
      endcase
    end
  endtask

  // The host has answered the frame with R_OK, or not.
  task finish(input ok);
    begin
      if (sent == READ || sent == PAGE) begin
        moved = moved + length - 1;
        if (!ok) conclude(8'h51, 8'h84, 48'h0); // interface CRC error, aborted
        else if (sent == PAGE) done;
        else if (moved < total) queue(READ, 0);
        else conclude(8'h50, 8'h00, 48'h0);
      end else if (!ok)
        queue(sent, 0);                         // once more
      else case (sent)
        ACTIVATE: expecting = 1;
        SETUP: queue(PAGE, 0);
        STATUS: done;
        default: ;
      endcase
      sent = NOTHING;
    end
  endtask

  task done;
    begin
      busy = 0;
      commands = commands + 1;
    end
  endtask

  // What the host has sent ---------------------------------------------------------------------------------------

  task execute;
    reg [15:0] count;
    reg extended;
    begin
      if (busy) complain("a command while one is in flight");
      busy = 1;
      want = NOTHING;
      command = taken[0][23:16];
      lba = {taken[2][23:0], taken[1][23:0]};
      count = taken[3][15:0];
      extended = command == 8'h25 || command == 8'h35;
      moved = 0;
      total = (count == 0 ? 32'd65536 : {16'h0, count}) * 128;
      if (!extended) begin                      // of 28 bits
        lba = {20'h0, taken[1][27:24], taken[1][23:0]};
        total = (count[7:0] == 0 ? 32'd256 : {24'h0, count[7:0]}) * 128;
      end
      case (command)
        8'hEC: begin
          make_page;
          total = 128;
          queue(SETUP, 0);
        end
        8'hE7, 8'hEA, 8'hE0: conclude(8'h50, 8'h00, 48'h0);
        8'hEF: set_features(taken[0][31:24], count[7:0]);
        8'h25, 8'hC8, 8'h35, 8'hCA:
          if (lba + {16'h0, total / 32'sd128} > CAPACITY)
            conclude(8'h51, 8'h10, lba > CAPACITY ? lba : CAPACITY);    // ID not found
          else begin
            base = 128 * lba[31:0];
            queue(command == 8'h25 || command == 8'hC8 ? READ : ACTIVATE, COMMAND_DWORDS);
          end
        default: conclude(8'h51, 8'h04, 48'h0); // aborted
      endcase
    end
  endtask

  task set_features(input [7:0] feature, input [7:0] count);
    reg known;
    begin
      known = 1;
      case (feature)
        8'h02, 8'h82: write_cache = feature == 8'h02;
        8'hAA, 8'h55: look_ahead = feature == 8'hAA;
        8'h03:
          if (count[7:3] == 5'h04 && count[2:0] <= 2 || count[7:3] == 5'h08 && count[2:0] <= 6) dma_mode = count;
          else known = count <= 1 || count[7:3] == 5'h01 && count[2:0] <= 4;
        default: known = 0;
      endcase
      conclude(known ? 8'h50 : 8'h51, known ? 8'h00 : 8'h04, 48'h0);
    end
  endtask

  // A frame has come, with its CRC in `held`: `good` is the drive's answer.
  task receive;
    integer k, wanted;
    begin
      good = size >= 2 && size <= FRAME && crc_in == held;
      if (!good) complain("a frame with a wrong CRC");
      if (size >= 2 && taken[0][7:0] == 8'h46) begin
        wanted = total - moved > 2048 ? 2048 : total - moved;
        if (good && !expecting) begin
          complain("data that were not requested");
          good = 0;
        end else if (good && size - 2 != wanted) begin
          complain("a Data FIS of another length");
          good = 0;
        end
        if (expecting && !good) conclude(8'h51, 8'h84, 48'h0);
        else if (expecting) begin
          for (k = 0; k < wanted; k = k + 1) disk[base + moved + k] = taken[1 + k];
          expecting = 0;
          moved = moved + wanted;
          if (moved < total) queue(ACTIVATE, 0);
          else conclude(8'h50, 8'h00, 48'h0);
        end
      end else if (good) begin
        if (taken[0][7:0] != 8'h27 || size != 6) begin
          complain("a FIS that no drive expects");
          good = 0;
        end else if (taken[0][15]) execute;     // without that bit it is Device Control
      end
    end
  endtask

  // The link -----------------------------------------------------------------------------------------------------

  // What `told` means: `symbol`, or a data dword.
  task decode(input k);
    begin
      is_data = 0;
      symbol = 0;
      if (k && told == ALIGN)
        ;                                       // nothing, wherever it is
      else if (k && told == CONT) begin
        continued = 1;
        symbol = last;
      end else if (k) begin
        continued = 0;
        last = told;
        symbol = told;
      end else if (continued)
        symbol = last;
      else begin
        last = 0;
        is_data = 1;
      end
    end
  endtask

  task to_idle;
    begin
      state = IDLE;
      idle_sent = 0;
    end
  endtask

  task react;
    case (state)
      IDLE: if (symbol == X_RDY) state = RECEIVE_RDY;
      SEND_RDY: if (symbol == R_RDY) state = SENDING;
      SENDING: if (symbol == SYNC || symbol == DMAT) begin
        complain(symbol == DMAT ? "DMAT, which this drive does not obey" : "SYNC within the drive's frame");
        if (symbol == SYNC) begin
          to_idle;
          finish(0);
        end
      end
      SEND_WAIT: if (symbol == R_OK || symbol == R_ERR || symbol == SYNC) begin
        to_idle;
        finish(symbol == R_OK);
      end
      RECEIVE_RDY: if (symbol == SOF) begin
        state = RECEIVING;
        size = 0;
        key_in = 16'hFFFF;
        crc_in = CRC_SEED;
        next_hold = HOLD_EVERY;
        hold_left = 0;
      end else if (symbol == SYNC)
        to_idle;
      RECEIVING: if (is_data) begin
        if (size > 0) begin
          crc_in = crc(crc_in, held);
          if (size <= FRAME) taken[size - 1] = held;
        end
        {key_in, key} = scramble(key_in);
        held = told ^ key;
        size = size + 1;
      end else if (symbol == EOF) begin
        state = RECEIVE_END;
        receive;
      end else if (symbol == SYNC || symbol == WTRM) begin
        complain("a frame without its end");
        to_idle;
        if (expecting) conclude(8'h51, 8'h84, 48'h0);
      end
      RECEIVE_END: if (symbol == SYNC) to_idle;
      default: to_idle;
    endcase
  endtask

  task say(input [31:0] word);
    begin
      emitted = word;
      emitted_k = 1;
    end
  endtask

  task emit;
    case (state)
      IDLE: begin
        say(SYNC);
        if (want != NOTHING && wait_left == 0 && idle_sent) begin
          build;
          state = SEND_RDY;
          say(X_RDY);
        end
        idle_sent = 1;
      end
      SEND_RDY: say(X_RDY);
      SENDING: emit_frame;
      SEND_WAIT: say(WTRM);
      RECEIVE_RDY: say(R_RDY);
      RECEIVING:
        if (hold_left > 0) begin
          hold_left = hold_left - 1;
          say(HOLD);
        end else if (HOLD_EVERY > 0 && expecting && size >= next_hold) begin
          next_hold = next_hold + HOLD_EVERY;
          hold_left = HOLD_DWORDS - 1;
          say(HOLD);
        end else
          say(last == HOLD ? HOLDA : R_IP);
      default: say(good ? R_OK : R_ERR);        // RECEIVE_END
    endcase
  endtask

  task emit_frame;
    if (last == HOLD && place > 0 && place <= length)
      say(HOLDA);
    else if (junked && place > 0 && place <= length + 1) begin
      junked = 0;                               // junk ends at a primitive: once more before data
      repeats = 0;
      say(repeated);
    end else begin
      if (place == 0) begin
        say(SOF);
        key_out = 16'hFFFF;
        crc_out = CRC_SEED;
      end else if (place <= length + 1) begin
        {key_out, key} = scramble(key_out);
        emitted = key ^ (place <= length ? given[place - 1] : crc_out);
        emitted_k = 0;
        if (place <= length) crc_out = crc(crc_out, given[place - 1]);
      end else begin
        say(EOF);
        state = SEND_WAIT;
      end
      place = place + 1;
    end
  endtask

  // Repeated primitive suppression: a primitive twice, CONT, junk.
  task compress;
    if (!emitted_k || !continuable(emitted)) begin
      repeated = 0;
      junked = 0;
    end else if (emitted != repeated) begin
      repeated = emitted;
      repeats = 1;
      junked = 0;
    end else begin
      repeats = repeats + 1;
      if (CONT_SENT && junked) begin
        {junk, emitted} = scramble(junk);
        emitted_k = 0;
      end else if (CONT_SENT && repeats > 2) begin
        junked = 1;
        say(CONT);
      end
    end
  endtask

  task dword_clock;
    begin
      told = tx_data;
      decode(tx_k[0]);
      if (want != NOTHING && wait_left > 0) wait_left = wait_left - 1;
      react;
      if (align_left == 0 && since_align >= ALIGN_DWORDS) align_left = 2;
      if (align_left > 0) begin
        align_left = align_left - 1;
        since_align = 0;
        if (hold_left > 0) hold_left = hold_left - 1;   // a HOLD is no longer for the ALIGN in it
        say(ALIGN);
      end else begin
        since_align = since_align + 1;
        emit;
        compress;
      end
      rx_data <= emitted;
      rx_k <= {3'b000, emitted_k};
    end
  endtask

  task restart;
    begin
      to_idle;
      last = SYNC;
      continued = 0;
      repeated = 0;
      repeats = 0;
      junked = 0;
      align_left = 2;                           // the host's receiver finds the word boundary
      since_align = 0;
      busy = 0;
      expecting = 0;
      sent = NOTHING;
      write_cache = 1;
      look_ahead = 1;
      dma_mode = 8'h46;
      queue(SIGNATURE, SIGNATURE_DWORDS);
    end
  endtask

  initial begin
    for (n = 0; n < 128 * SECTORS; n = n + 1) disk[n] = 0;
    complaints = 0;
    commands = 0;
    junk = 16'hF0F6;
    down = LINK_CLOCKS;
    divider = 0;
    tx_ready = 0;
    rx_valid = 0;
    rx_data = 0;
    rx_k = 0;
    link_up = 0;
  end

  always @(posedge clk) begin
    rx_valid <= 0;
    if (reset || !present) begin
      down = LINK_CLOCKS;
      link_up <= 0;
      tx_ready <= 0;
    end else if (down > 0) begin
      down = down - 1;
      if (down == 0) begin
        restart;
        divider = 0;
        link_up <= 1;
        tx_ready <= LINE_CLOCKS == 1;
      end
    end else begin
      if (tx_ready) begin
        dword_clock;
        rx_valid <= 1;
      end
      divider = divider + 1 >= LINE_CLOCKS ? 0 : divider + 1;
      tx_ready <= divider == LINE_CLOCKS - 1;
    end
  end
endmodule
/* verilator lint_restore */
