"""The comparison with LiteSATA, as far as it goes without LiteSATA."""

import re
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest
from amaranth.back import rtlil

from sata_recorder_platforms import out_of_context

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"

#: A core with the streams of LiteSATA's, which ends every command at once, the second one badly.
STAND_IN = """
module litesata(
    input clk, input rst,
    output [31:0] phy_sink_data, output [3:0] phy_sink_charisk, output phy_sink_valid,
    input phy_sink_ready,
    input [31:0] phy_source_data, input [3:0] phy_source_charisk, input phy_source_valid,
    input sink_valid, output sink_ready, input sink_last, input sink_write, input sink_read,
    input sink_identify, input [47:0] sink_sector, input [15:0] sink_count, input [31:0] sink_data,
    output source_valid, input source_ready, output source_end, output source_failed,
    output [31:0] source_data
);
    reg [1:0] state = 0;
    reg [7:0] sector = 0, count = 0;
    reg [15:0] command = 0, words = 0;
    assign phy_sink_valid = 1, phy_sink_charisk = 0;
    // What was asked for is to be seen at the dword port.
    assign phy_sink_data = {sector, count, words};
    assign sink_ready = state == 1;
    assign source_valid = state == 2, source_end = 1, source_failed = command == BAD;
    assign source_data = 0;
    always @(posedge clk) begin
        if (state == 0 && sink_valid) begin
            state <= 1;
            sector <= sink_sector[7:0];
            count <= sink_count[7:0];
        end
        if (state == 1 && sink_valid) begin
            words <= words + 1;
            if (sink_last) state <= 2;
        end
        if (state == 2 && source_ready) begin
            state <= 0;
            words <= 0;
            command <= command + 1;
        end
        if (rst) state <= 0;
    end
endmodule
"""


def test_cells_of_a_family_are_counted(benchmark):
    """Each by its kind; one of no kind is an error, not a cell that costs nothing."""
    families = benchmark("peer_families")
    xc7 = families.FAMILIES["xc7 (7-series)"]
    found = xc7.count({"LUT6": 5, "LUT2": 2, "CARRY4": 3, "FDRE": 7, "FDSE": 1, "MUXF7": 9, "RAM32M": 2, "SRL16E": 1,
                       "RAMB36E1": 1, "RAMB18E1": 2, "$scopeinfo": 4})
    assert found == {"lut": 7, "carry": 3, "ff": 8, "lutram": 3, "bram": 3}
    with pytest.raises(Exception, match="DSP48E1"):
        xc7.count({"DSP48E1": 1})
    for family in families.FAMILIES.values():
        with pytest.raises(Exception, match="unknown kind: \\$mux"):
            family.count({"$mux": 1})


@pytest.fixture
def benchmark(monkeypatch):
    """`benchmark(name)`: the module of that name in benchmarks/."""
    monkeypatch.syspath_prepend(str(FOLDER))
    return pytest.importorskip


@pytest.fixture
def operate(benchmark):
    """`operate(bad, **controls)`: an operation on the stand-in, whose command number ``bad``
    fails: (outputs at the end, words taken, [(LBA, sectors, words)] of the commands)."""
    from sata_recorder.interface.configuration import Configuration
    from sata_recorder.simulation import Compiled, build
    from sata_recorder.simulation.signals import Event
    environment, user = benchmark("peer_environment"), benchmark("peer_user")

    def run(bad, **controls):
        text = user.netlist() + environment.rtlil(STAND_IN.replace("BAD", str(bad)), "litesata",
                                                  user.MODULE)
        seen = []

        def drive(word):
            seen.append(word & 0xFFFFFFFF)
            return 7 << 36      # a dword arrives, one is taken, the link is up

        with Compiled(Configuration(pacing="programmable"), drive,
                    path=build.compiled(text, user.CONTROLS, build.Translator.CXXRTL)) as engine:
            engine.set(rst=1)
            engine.run(2)
            engine.set(rst=0)
            engine.source(bytes(4 * 128 * controls["sectors"]))
            engine.run(4)
            engine.set(start=1, **controls)
            assert engine.run(10_000, Event.DONE) == Event.DONE
            outputs, taken = engine.outputs(), engine.state().taken
        commands = [(now >> 24, now >> 16 & 0xFF, now & 0xFFFF) for now, then in
                    zip(seen, seen[1:]) if now & 0xFFFF and not then & 0xFFFF]
        return outputs, taken, commands
    return run


def test_user_writes_in_commands(operate):
    outputs, taken, commands = operate(9, operation=1, lba=5, sectors=7, command_limit=3)
    assert (outputs["error"], outputs["sectors_done"], taken) == (0, 7, 7 * 128)
    assert commands == [(5, 3, 3 * 128), (8, 3, 3 * 128), (11, 1, 128)]


def test_user_reads(operate):
    outputs, taken, commands = operate(9, operation=0, lba=5, sectors=7, command_limit=65536)
    assert (outputs["error"], outputs["sectors_done"], taken) == (0, 7, 0)
    assert commands == [(5, 7, 1)]


def test_user_stops_at_a_failure(operate):
    outputs, taken, commands = operate(1, operation=1, lba=0, sectors=9, command_limit=3)
    assert (outputs["error"], outputs["sectors_done"], taken) == (1, 3, 6 * 128)
    assert commands == [(0, 3, 3 * 128), (3, 3, 3 * 128)]


def test_stand_in_is_measured(benchmark):
    """One-bit ports, which Yosys writes without a width, stand in the harness, too."""
    text = benchmark("peer_area").netlist(STAND_IN.replace("BAD", "1"))
    found = benchmark("areas").measured("", lambda: text, placed=False)
    assert found["ff"] == 2 + 16 + 16 + 16 and found["fmax"] == []


def test_layers_that_are_compared(benchmark):
    """Link, transport and command fit together, and nothing else hangs on them."""
    host = benchmark("peer_area").Host()
    text = rtlil.convert(host, name="host", ports=out_of_context.ports_of(host))
    assert all(name in text for name in ("host.link", "host.transport", "host.command"))
    assert "host.sequencer" not in text


def test_pins(benchmark):
    pinned = benchmark("peer_environment").CONSTRAINTS.read_text()
    assert set(re.findall(r"^(\w+)==[\d.]+$", pinned, re.MULTILINE)) > {"litesata", "litex", "migen"}


def test_tables(benchmark):
    cases, area, peer = benchmark("peer_cases"), benchmark("peer_area"), benchmark("peer")
    assert cases.told(Counter(hangs=5)) == "hangs"
    assert cases.told(Counter({"hangs": 1, "error reported": 4})) == "error reported: 4, hangs: 1"
    entries = [{"name": name, "lut4": lut4, "carry": 2, "ff": 3, "lutram": 4, "bram": 0,
                "fmax": fmax}
               for name, lut4, fmax in ((area.PEER, 30, [99.6, 1, 2]), (area.BUFFER, 10, []),
                                        (area.OURS, 25, [3, 4, 5]))]
    assert [row[-1] for row in area.rows(entries)] == ["2", "-", "5"]
    assert "20 LUT4 against 25" in area.without_buffer(entries)
    assert peer.markdown(("a", "b"), [("x", "1.5 %"), ("y", 2)]) == \
        "| a | b |\n| --- | ---: |\n| x | 1.5 % |\n| y | 2 |\n"


def test_rates(benchmark, monkeypatch):
    peer = benchmark("peer")
    run = benchmark("latency").Run("read", SimpleNamespace(
        accounts={"payload": 90, "host_hold": 0}, total=100), 10, {}, 1)
    monkeypatch.setattr(peer, "checked", lambda core, direction, limit: run)
    rows = list(peer.rate_rows(peer.rates([None, None])))
    assert len(rows) == 2 * len(peer.LENGTHS)
    assert all(row[1:] == ("90.00 %", "90.00 %", "90.00 %", "90.00 %") for row in rows)


def test_legal_drives_are_legal(benchmark):
    cases = benchmark("peer_cases")
    drives = [cases.legal_drive(seed) for seed in range(20)]
    assert all(drive.pm_request == 0 and drive.busy_status_fises == 0 for drive in drives)
    assert len({drive.align_interval for drive in drives}) > 3


def test_verdicts(benchmark):
    runs = benchmark("peer_runs")

    def verdict(ended, error, right):
        return runs.Run(ended, error, right, None, ()).verdict

    assert verdict(False, 0, True) == "hangs"
    assert verdict(True, 3, True) == "error reported"
    assert verdict(True, 0, False) == "done, data wrong"
    assert verdict(True, 0, True) == "done"


def test_page_has_the_markers(benchmark):
    peer = benchmark("peer")
    page = (benchmark("tables").DOCS / peer.PAGE).read_text()
    names = re.findall(r"yield \"(\w+)\", ", (FOLDER / "peer.py").read_text())
    assert len(names) > 5
    assert all(f"<!-- {name}:begin -->" in page and f"<!-- {name}:end -->" in page
               for name in names)
