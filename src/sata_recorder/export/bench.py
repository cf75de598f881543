"""A testbench in Verilog for the exported core: with a drive in Verilog it records and plays back."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from .. import __version__
from ..core.drive_port import Operation
from ..interface import registers_with
from ..interface.configuration import Configuration
from ..interface.memory import BUS_NAMES
from .bench_memory import MEMORY_PORTS, memory_instance, memory_module
from .description import description
from .netlist import TOP
from .template import instance

__all__ = ["BENCH", "bench", "bench_obstacle"]

#: The name of the testbench's module, and of its file.
BENCH = f"{TOP}_tb"
#: The ports of the dword port as `sata_drive` has them.
_DRIVE_PORTS = ("tx_data", "tx_k", "tx_ready", "rx_data", "rx_k", "rx_valid", "rx_error", "link_up", "generation",
                "reset")
_SIGNATURE = "// SPDX-License-Identifier: BSD-2-Clause\n"


def bench_obstacle(configuration: Configuration) -> str | None:
    """Why there is no testbench of this ``configuration``, as field and reason; None where there is one."""
    if configuration.files:
        return "files is true, and the drive of the bench is not prepared: the core waits for one that is"
    if configuration.channels > 1:
        return f"channels is {configuration.channels}, and the bench has one stream, at s_axis"
    if configuration.array == "raid1":
        return "array is raid1, and the drives of the bench have no superblocks: the core waits for some that have"
    if configuration.frames and configuration.on_overflow == "drop":
        return "frames is true, and on_overflow is drop: what is played back is not what was recorded"
    return None


def bench(configuration: Configuration) -> str:
    """Text of the testbench for ``configuration``: Verilog-2005, with a line that begins with PASS or FAIL in the end.

    Raises ``ValueError`` where there is an :func:`bench_obstacle`.
    """
    obstacle = bench_obstacle(configuration)
    if obstacle:
        raise ValueError(obstacle)
    ports = description(configuration)["ports"]
    widths = {port["name"]: port["width"] for port in ports}
    nets = _nets(configuration, widths)
    used = [port for port in ports if port["name"] in nets and port["name"] not in _OWN]
    wires = "".join(f"  wire {_range(port['width'])}{port['name']};\n" for port in used if not _driven(port))
    registers = "".join(f"  reg  {_range(port['width'])}{port['name']} = 0;\n" for port in used if _driven(port))
    lanes = "".join(_lane(lane) for lane in range(configuration.drives))
    beside = [f"drive{lane}.complaints" for lane in range(configuration.drives)]
    memories = range(configuration.drives) if configuration.memory else ()
    lanes += "".join(memory_instance(widths, lane) for lane in memories)
    beside += [f"memory{lane}.complaints" for lane in memories]
    in_bits, out_bits = widths["s_axis_tdata"], widths["m_axis_tdata"]
    clocks = configuration.stream_clocks.values()
    clk = 1e9 / configuration.clock_hz
    # A source that does not wait has half of what the core takes.
    slow = 2 * clk * in_bits / 32 if not configuration.source_waits else 0.83 * clk
    extra = "".join(f"  reg {name} = 0;\n  always #({period / 2:.3f}) {name} = !{name};\n"
                    for name, period in (("s_axis_aclk", slow), ("m_axis_aclk", 1.19 * clk)) if name in clocks)
    return _TEXT.format(
        head=f"// {TOP} {__version__}: its testbench.\n{_SIGNATURE}// Configuration: {configuration.summary()}\n",
        half=f"{clk / 2:.3f}", extra=extra, wires=wires, registers=registers,
        core="  " + instance(ports, "core", nets, meanings=False).replace("\n", "\n  ").rstrip(), lanes=lanes,
        complaints=" + ".join(beside), in_bytes=in_bits // 8, out_bytes=out_bits // 8,
        in_clock="s_axis_aclk" if "s_axis_aclk" in clocks else "clk",
        out_clock="m_axis_aclk" if "m_axis_aclk" in clocks else "clk",
        takes="1'b1" if not configuration.source_waits else "s_axis_tready",
        waits=int(configuration.source_waits), bench=BENCH, capacity=2048 if configuration.drives == 1 else 8192,
        control=_PINS if configuration.control == "pins" else _registers(configuration),
        record=int(Operation.RECORD_FLUSH), play=int(Operation.PLAY)) + (
            memory_module() if configuration.memory else "")


#: Ports that the text of the bench declares.
_OWN = ("clk", "rst", "s_axis_aclk", "m_axis_aclk")


def _driven(port: Mapping[str, Any]) -> bool:
    """Whether a process of the bench drives this port; not the drive, and not an assignment."""
    return (port["direction"] == "input" and not re.match(r"(phy|m_axi)\d?_", port["name"])
            and port["name"] not in ("s_axis_tdata", "s_axis_tvalid"))


def _nets(configuration: Configuration, widths: dict[str, int]) -> dict[str, str]:
    """The expressions that the ports of the core get; the other inputs get 0."""
    named = ["clk", "rst", "s_axis_tdata", "s_axis_tvalid", "s_axis_tready", "m_axis_tdata", "m_axis_tvalid",
             "m_axis_tready", *configuration.stream_clocks.values(),
             *[name for name in widths if name.startswith("phy") and name.partition("_")[2] in _DRIVE_PORTS]]
    if configuration.control == "pins":
        named += ["start", "operation", "lba", "sectors", "ready", "done", "error"]
    else:
        named += [name for name in widths if name.startswith("s_axil_") and not name.endswith("prot")]
    if configuration.memory:
        named += [f"{bus}_{name}" for bus in BUS_NAMES[:configuration.drives] for name in MEMORY_PORTS]
    nets = {name: name for name in named}
    if "s_axis_tkeep" in widths:
        nets["s_axis_tkeep"] = f"{{{widths['s_axis_tkeep']}{{1'b1}}}}"
    return nets


def _range(width: int) -> str:
    return f"[{width - 1}:0] " if width > 1 else ""


def _lane(lane: int) -> str:
    """The drive of a lane; lane 0 has the ports of a core with one drive."""
    prefix = f"phy{lane or ''}_"
    pins = ", ".join(f".{name}({prefix}{name})" for name in _DRIVE_PORTS)
    return (f"  sata_drive #(.SECTORS(DRIVE_SECTORS)) drive{lane} (\n"
            f"    .clk(clk), .present(1'b1), {pins});\n")


def _registers(configuration: Configuration) -> str:
    """The control by registers, with the addresses of the table."""
    words = {word.name: word for register in registers_with(*configuration.groups) for word in register.words}

    def bit(word: str, field: str) -> int:
        found, = (one.low for one in words[word].fields if one.name == field)
        return found

    def low_high(name: str) -> Sequence[int]:
        return [words[f"{name}_{half}"].offset for half in ("LOW", "HIGH")]

    values: dict[str, Any] = dict(zip(("lba_low", "lba_high", "sectors_low", "sectors_high"),
                                      (*low_high("LBA"), *low_high("SECTORS"))))
    return _AXIL.format(
        **values, status=words["STATUS"].offset, ready=bit("STATUS", "READY"), done=bit("STATUS", "DONE"),
        control=words["CONTROL"].offset, start=bit("CONTROL", "START"), operation=bit("CONTROL", "OPERATION"),
        error=words["ERROR"].offset)


_PINS = """\
  // One operation, from start to done.
  task operate(input [1:0] what);
    begin
      @(posedge clk);
      operation <= what;
      lba <= FIRST;
      sectors <= COUNT;
      start <= 1;
      @(posedge clk);
      start <= 0;
      @(posedge clk);
      while (!done) @(posedge clk);
      result = error;
    end
  endtask

  task wait_ready;
    while (!ready) @(posedge clk);
  endtask
"""

_AXIL = """\
  reg [31:0] value;
  reg [1:0]  pending;

  task write(input [11:0] address, input [31:0] data);
    begin
      @(posedge clk);
      s_axil_awaddr <= address;
      s_axil_awvalid <= 1;
      s_axil_wdata <= data;
      s_axil_wstrb <= 4'hF;
      s_axil_wvalid <= 1;
      s_axil_bready <= 1;
      pending = 2'b11;
      while (pending != 0) begin
        @(posedge clk);
        if (pending[0] && s_axil_awready) s_axil_awvalid <= 0;
        if (pending[1] && s_axil_wready) s_axil_wvalid <= 0;
        pending = pending & ~{{s_axil_wready, s_axil_awready}};
      end
      while (!s_axil_bvalid) @(posedge clk);
      s_axil_bready <= 0;
    end
  endtask

  task read(input [11:0] address);
    begin
      @(posedge clk);
      s_axil_araddr <= address;
      s_axil_arvalid <= 1;
      s_axil_rready <= 1;
      @(posedge clk);
      while (!s_axil_arready) @(posedge clk);
      s_axil_arvalid <= 0;
      while (!s_axil_rvalid) @(posedge clk);
      value = s_axil_rdata;
      s_axil_rready <= 0;
    end
  endtask

  // One operation, from START to DONE.
  task operate(input [1:0] what);
    begin
      write(12'h{lba_low:03X}, FIRST);
      write(12'h{lba_high:03X}, 0);
      write(12'h{sectors_low:03X}, COUNT);
      write(12'h{sectors_high:03X}, 0);
      write(12'h{control:03X}, {{30'h0, what}} << {operation} | 1 << {start});
      value = 0;
      while (!value[{done}]) read(12'h{status:03X});
      read(12'h{error:03X});
      result = value[3:0];
    end
  endtask

  task wait_ready;
    begin
      value = 0;
      while (!value[{ready}]) read(12'h{status:03X});
    end
  endtask
"""

_TEXT = """\
{head}//
// It records COUNT sectors from FIRST on, plays them back and compares each byte. Its last line begins with PASS or
// FAIL. A source of your own takes the place of `pattern`; inputs that are 0 here are options of the core.

`timescale 1 ns / 1 ps

module {bench};
  parameter integer FIRST = 8, COUNT = 24, DRIVE_SECTORS = {capacity};
  parameter integer LIMIT = 2000000;            // nanoseconds until it gives up
  localparam integer TOTAL = 512 * COUNT, IN = {in_bytes}, OUT = {out_bytes};

  reg clk = 0, rst = 1;
  always #({half}) clk = !clk;
{extra}
{wires}{registers}
{core}

{lanes}
  // Bytes that are recorded, each made of its number.
  function [7:0] pattern(input integer n);
    reg [31:0] product;
    begin
      product = n * 40503;
      pattern = product[15:8];
    end
  endfunction

  integer    given = 0, taken = 0, first = 0, n;
  reg        source_on = 0;
  reg [7:0]  played [0:TOTAL - 1];
  reg [3:0]  result;
  genvar     lane;

  assign s_axis_tvalid = source_on;
  generate
    for (lane = 0; lane < IN; lane = lane + 1) begin : beat
      assign s_axis_tdata[8 * lane +: 8] = pattern(given + lane);
    end
  endgenerate

  always @(posedge {in_clock})
    if (s_axis_tvalid && {takes}) given <= given + IN;

  always @(posedge {out_clock})
    if (m_axis_tvalid && m_axis_tready) begin
      for (n = 0; n < OUT; n = n + 1)
        if (taken + n < TOTAL) played[taken + n] = m_axis_tdata[8 * n +: 8];
      taken = taken + OUT;
    end

{control}
  task fail(input [8 * 60 - 1:0] why);
    begin
      $display("FAIL: %0s", why);
`ifdef __ICARUS__
      $finish_and_return(1);
`else
      $stop;
`endif
    end
  endtask

  initial #(LIMIT) fail("nothing moves any more");

  initial begin : test
    integer k;
    repeat (4) @(posedge clk);
    rst <= 0;
    wait_ready;
    $display("drive ready, %0t", $time);
    source_on <= 1;
    operate({record});
    source_on <= 0;
    if (result != 0) begin
      $display("error %0d", result);
      fail("the recording ended with an error");
    end
    $display("recorded, %0t", $time);
    m_axis_tready <= 1;
    operate({play});
    if (result != 0) begin
      $display("error %0d", result);
      fail("the playback ended with an error");
    end
    while (taken < TOTAL) @(posedge clk);
    // What came before the recording of a source that does not wait was dropped.
    while (!{waits} && first < 100000 && (played[0] !== pattern(first) || played[1] !== pattern(first + 1) ||
           played[2] !== pattern(first + 2) || played[3] !== pattern(first + 3)))
      first = first + IN;
    for (k = 0; k < TOTAL; k = k + 1)
      if (played[k] !== pattern(first + k)) begin
        $display("byte %0d is %h, not %h", k, played[k], pattern(first + k));
        fail("what is played back is not what was recorded");
      end
    if ({complaints} != 0) fail("drive or memory complains about the core");
    $display("PASS: %0d bytes recorded and played back", TOTAL);
    $finish;
  end
endmodule
"""
