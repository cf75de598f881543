"""A memory in Verilog at the AXI4 port of the testbench's core."""

from collections.abc import Mapping

from ..interface.memory import BUS_NAMES
from .netlist import TOP

__all__ = ["MEMORY_PORTS", "memory_instance", "memory_module"]

#: The ports of `m_axi` that the memory has; what it answers otherwise is 0.
MEMORY_PORTS = ("awaddr", "awlen", "awvalid", "awready", "wdata", "wstrb", "wlast", "wvalid", "wready", "bvalid",
                "bready", "araddr", "arlen", "arvalid", "arready", "rdata", "rlast", "rvalid", "rready")
_NAME = f"{TOP}_tb_memory"
#: Bytes that it keeps: no more than the drive of the testbench has are recorded.
_KEPT = 1 << 20


def memory_instance(widths: Mapping[str, int], lane: int) -> str:
    """The memory of a ``lane`` beside the core, whose ports have these ``widths`` in bits."""
    pins = [f".{name}({BUS_NAMES[lane]}_{name})" for name in MEMORY_PORTS]
    rows = [", ".join(pins[n:n + 5]) for n in range(0, len(pins), 5)]
    sizes = f".BYTES({widths['m_axi_wdata'] // 8}), .ADDRESS_BITS({widths['m_axi_awaddr']})"
    return (f"  {_NAME} #({sizes}) memory{lane} (\n"
            "    .clk(clk), .rst(rst),\n    " + ",\n    ".join(rows) + ");\n")


def memory_module() -> str:
    """Its module: Verilog-2005. It takes a burst of writes and a burst of reads at a time, and answers in the next
    clock."""
    return _TEXT


_TEXT = f"""\

// A memory at AXI4: bursts of whole beats, INCR. Of each address it looks at the bits of DEPTH beats alone.
module {_NAME} #(
  parameter integer BYTES = 16, ADDRESS_BITS = 40, DEPTH = {_KEPT} / BYTES
) (
  input                          clk, rst,
  input      [ADDRESS_BITS-1:0]  awaddr,
  input      [7:0]               awlen,
  input                          awvalid,
  output                         awready,
  input      [8 * BYTES-1:0]     wdata,
  input      [BYTES-1:0]         wstrb,
  input                          wlast, wvalid,
  output                         wready,
  output reg                     bvalid,
  input                          bready,
  input      [ADDRESS_BITS-1:0]  araddr,
  input      [7:0]               arlen,
  input                          arvalid,
  output                         arready,
  output     [8 * BYTES-1:0]     rdata,
  output                         rlast, rvalid,
  input                          rready
);
  reg [8 * BYTES-1:0] kept [0:DEPTH - 1];
  reg                 writing, reading;
  reg [7:0]           writes_left, reads_left;
  integer             write_at = 0, read_at = 0;
  integer             beats = 0;        // that were written
  integer             complaints = 0;   // about bursts that AXI4 forbids
  integer             n;

  assign awready = !writing && !bvalid;
  assign wready  = writing;
  assign arready = !reading;
  assign rvalid  = reading;
  assign rlast   = reads_left == 0;
  assign rdata   = kept[read_at];

  always @(posedge clk)
    if (rst) begin
      writing <= 0;
      reading <= 0;
      bvalid <= 0;
    end else begin
      if (awvalid && awready) begin
        writing <= 1;
        write_at <= (awaddr / BYTES) % DEPTH;
        writes_left <= awlen;
        if (awaddr % BYTES != 0 || awaddr % 4096 + BYTES * (awlen + 1) > 4096) complaints <= complaints + 1;
      end
      if (wvalid && wready) begin
        for (n = 0; n < BYTES; n = n + 1)
          if (wstrb[n]) kept[write_at][8 * n +: 8] <= wdata[8 * n +: 8];
        write_at <= (write_at + 1) % DEPTH;
        writes_left <= writes_left - 1;
        beats <= beats + 1;
        if (wlast != (writes_left == 0)) complaints <= complaints + 1;
        if (wlast) begin
          writing <= 0;
          bvalid <= 1;
        end
      end
      if (bvalid && bready) bvalid <= 0;
      if (arvalid && arready) begin
        reading <= 1;
        read_at <= (araddr / BYTES) % DEPTH;
        reads_left <= arlen;
        if (araddr % BYTES != 0 || araddr % 4096 + BYTES * (arlen + 1) > 4096) complaints <= complaints + 1;
      end
      if (rvalid && rready) begin
        read_at <= (read_at + 1) % DEPTH;
        reads_left <= reads_left - 1;
        if (rlast) reading <= 0;
      end
    end
endmodule
"""
