"""Between the clocks of the exported core there are synchronizers, and nothing else."""

import re

import pytest
from amaranth.back import rtlil
from export.test_paths import netlist

from sata_recorder.export import verilog, yosys
from sata_recorder.interface.configuration import Configuration
from sata_recorder_platforms.console_recorder import ConsoleRecorder

#: The first flop of each synchronizer: Amaranth's FFSynchronizer, and those of its FIFO.
FIRST = re.compile(r"(source|playback)\.((crossing|counts)\.)?(\w+_synchronizer|fifo\.\w+_cdc)\.stage0$")
#: Those of them that a reset of their own clock clears.
RESET = re.compile(r"(source\.crossing|playback\.(crossing|counts))\.\w+_synchronizer\.stage0$")
#: What is set without a clock, and let go by its own: the resets.
ASYNCHRONOUS = re.compile(r"(source|playback)\.((source|playback)_rst"
                          r"|(reset|(crossing|counts)\.fifo\.rst_cdc)\.stage\d|(crossing|counts)\.fifo\.r_rst)$")
CLOCKS = {"clk", "s_axis_aclk"}
#: Of another clock than ``clk``: the ports.
OWNERS = {"s_axis_aclk": re.compile(r"s_axis_t\w+|source_(stop|trigger|pps)"),
          "m_axis_aclk": re.compile(r"m_axis_t\w+|playback_underrun")}


def crossings(module, clocks=CLOCKS):
    """(from, to, gates between them) of each path from a flop or a memory of one clock to one of another, and what is
    set asynchronously; by port the clocks of the flops that see it, or that it shows."""
    ports = {bit: name for name, port in module["ports"].items() for bit in port["bits"]}
    names = {}
    for name, net in module["netnames"].items():
        for bit in net["bits"]:
            if bit not in names or len(name) < len(names[bit]):
                names[bit] = name
    drivers, flops, asynchronous = {}, [], set()
    for cell in module["cells"].values():
        nets, kind = cell["connections"], cell["type"]
        if kind == "$mem_v2":
            read, write = nets["RD_CLK"], nets["WR_CLK"]
            for bit in nets["RD_DATA"]:
                drivers[bit] = (*write, *read)
            flops += [(set(nets["RD_ADDR"]), clock, nets["RD_DATA"]) for clock in read[:1]]
            flops += [({*nets["WR_ADDR"], *nets["WR_DATA"], *nets["WR_EN"]}, clock, nets["RD_DATA"])
                      for clock in write[:1]]
        elif "DFF" in kind:
            drivers[nets["Q"][0]] = (*nets["C"],)
            flops.append((set(nets["D"]), nets["C"][0], nets["Q"]))
            if "R" in nets:
                asynchronous |= {names[bit] for bit in nets["Q"]}
        else:
            inputs = [bit for port, bits in nets.items() if cell["port_directions"][port] == "input" for bit in bits]
            for port, bits in nets.items():
                if cell["port_directions"][port] == "output":
                    drivers |= dict.fromkeys(bits, inputs)
    clocked = {bit: clocks for bit, clocks in drivers.items() if isinstance(clocks, tuple)}
    assert {ports[one] for of_bit in clocked.values() for one in of_bit} == clocks
    found, sides = set(), {}
    # What a port shows ends in no flop.
    shown = [({*port["bits"]}, None, [port["bits"][0]]) for port in module["ports"].values()
             if port["direction"] == "output"]
    for inputs, clock, outputs in (*flops, *shown):
        seen, todo = set(), [(bit, 0) for bit in inputs]
        while todo:
            bit, gates = todo.pop()
            if bit in seen:
                continue
            seen.add(bit)
            if bit in clocked:
                if clock is None:
                    sides.setdefault(ports[outputs[0]], set()).update(ports[one] for one in clocked[bit])
                elif clock not in clocked[bit]:
                    found.add((names[bit], names[outputs[0]], gates))
            elif bit in ports and bit not in drivers:
                sides.setdefault(ports[bit], set()).update([] if clock is None else [ports[clock]])
            else:
                todo += [(one, gates + 1) for one in drivers.get(bit, ())]
    return found, asynchronous, sides


@pytest.mark.wide
@pytest.mark.parametrize("options", [
    {"source_clock": True, "source_width": 8, "source_waits": False, "extents": "modes", "files": True},
    {"playback_clock": True, "playback_width": 64, "playback_fill": 8},
    {"playback_clock": True, "playback_width": 8, "source_clock": True, "memory": 1 << 20, "control": "axi-lite"},
    pytest.param({"source_clock": True, "source_width": 128}, marks=pytest.mark.long)], ids=str)
def test_every_crossing_is_a_synchronizer(tmp_path, options):
    """Without a gate before it but that of its reset; the words of the FIFO stay while they are read."""
    configuration = Configuration(ledger=False, **options)
    module = netlist(verilog(configuration), tmp_path)
    found, asynchronous, sides = crossings(module, {"clk", *configuration.stream_clocks.values()})
    assert len({to for _, to, _ in found}) >= 7
    for begin, end, gates in found:
        assert FIRST.search(end) and gates <= bool(RESET.search(end)), (begin, end, gates)
    assert asynchronous and all(ASYNCHRONOUS.search(name) for name in asynchronous), asynchronous
    del sides["rst"]
    for port, clocks in sides.items():
        own = [clock for clock in configuration.stream_clocks.values() if OWNERS[clock].fullmatch(port)]
        assert clocks <= {*(own or ["clk"])}, (port, clocks)
    assert sum(bool(clocks) for clocks in sides.values()) > 50


@pytest.mark.wide
def test_the_console_recorder(tmp_path):
    """The pattern in the clock of the source: what starts it, and its first word, cross in synchronizers, too."""
    board = ConsoleRecorder(Configuration(source_clock=True, source_width=16), clocked=True)
    (tmp_path / "design.il").write_text(rtlil.convert(board, name="sata_recorder", emit_src=False))
    yosys.run(["read_rtlil design.il", "hierarchy -top sata_recorder", "proc", "write_verilog design.v"], tmp_path)
    module = netlist((tmp_path / "design.v").read_text(), tmp_path)
    found, _, sides = crossings(module)
    own = {match[1] for _, end, gates in found if not gates
           and (match := re.fullmatch(r"((runs|first|decreasing|gave)_synchronizer)\.stage0", end))}
    assert len(own) == 4
    for begin, end, gates in found:
        # The reset of the core is that of the board, or of the console.
        assert re.fullmatch(r"\w+_synchronizer\.stage0", end) and not gates or (
            FIRST.search(end) and gates <= 2 * bool(RESET.search(end))), (begin, end, gates)
    assert all(clocks <= {"clk"} for clocks in sides.values())


def test_a_crossing_is_found(tmp_path):
    module = netlist("module sata_recorder(input clk, input s_axis_aclk, input a, output reg q, output reg r);\n"
                     "  always @(posedge clk) q <= a;\n"
                     "  always @(posedge s_axis_aclk) r <= q ^ a;\nendmodule\n", tmp_path)
    assert crossings(module) == ({("q", "r", 1)}, set(), {
        "a": {"clk", "s_axis_aclk"}, "q": {"clk"}, "r": {"s_axis_aclk"}})
