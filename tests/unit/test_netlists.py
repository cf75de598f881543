"""The comparison of netlists: names count for nothing, what never changes neither, and all else does."""

import json

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from benchmark_modules import importing_benchmarks

from sata_recorder.core.states import OneHotStates
from sata_recorder.export import yosys

@pytest.fixture(scope="module")
def tool():
    with importing_benchmarks():
        import netlists
    return netlists


class Counter(wiring.Component):
    """Counts clocks. With ``skips`` it has one more state, with ``drops`` one more register; each of them is one
    that never changes if that is 0."""

    go: In(1)
    dropped: In(1)
    total: Out(8)

    def __init__(self, *, skips=None, drops=None, step=1):
        self._skips, self._drops, self._step = skips, drops, step
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        skip, drop, dropped = Signal(), Signal(), Signal()
        names = ["IDLE", "RUNS"]
        if self._skips is not None:
            m.d.comb += skip.eq(self.go & self._skips)
            names.append("SKIPS")
        states = OneHotStates(m, *names)
        with states.state("IDLE"):
            with m.If(self.go):
                states.enter("RUNS")
        with states.state("RUNS"):
            m.d.sync += self.total.eq(self.total + self._step)
            if self._skips is not None:
                with m.If(skip):
                    states.enter("SKIPS")
            with m.If(~self.go):
                states.enter("IDLE")
        if self._skips is not None:
            with states.state("SKIPS"):
                m.d.sync += self.total.eq(0)
                states.enter("IDLE")
        if self._drops is not None:
            m.d.comb += drop.eq(self.dropped & self._drops)
            with m.If(drop):
                m.d.sync += dropped.eq(1)
            with m.Elif(self.go):
                m.d.sync += dropped.eq(0)
            with m.If(dropped):
                m.d.sync += self.total.eq(self.total - 1)
        return m


@pytest.fixture
def digest(tool, tmp_path):
    def digest(component, *passes):
        (tmp_path / "netlist.il").write_text(rtlil.convert(component, name="top", emit_src=False))
        yosys.run(["read_rtlil netlist.il", "hierarchy -top top", *passes, *tool.FLAT, "write_json netlist.json"],
                  tmp_path)
        return tool.digest(json.loads((tmp_path / "netlist.json").read_text())["modules"]["top"])
    return digest


@pytest.mark.parametrize("options", [{}, {"skips": 1, "drops": 1}])
def test_names_count_for_nothing(digest, options):
    plain = digest(Counter(**options))
    assert [digest(Counter(**options), f"rename -scramble-name -seed {seed}") for seed in (1, 2)] == 2 * [plain]


@pytest.mark.parametrize("options", [{"skips": 0}, {"drops": 0}, {"skips": 0, "drops": 0}])
def test_what_never_changes_counts_for_nothing(digest, options):
    """A state that is never entered, and a register that is never set."""
    assert digest(Counter(**options)) == digest(Counter())


@pytest.mark.parametrize("options", [{"skips": 1}, {"drops": 1}, {"step": 2}])
def test_what_changes_counts(digest, options):
    assert digest(Counter(**options)) != digest(Counter())
