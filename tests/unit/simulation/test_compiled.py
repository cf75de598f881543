"""What is compiled again, and a bench whose files cannot be opened."""

import types

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from sata_recorder import Configuration
from sata_recorder.simulation import EngineError, Waves, build, compiled
from unit.rooms import TOOLS


@pytest.mark.parametrize("files, words", [
    ({"trace": "a"}, "the trace file a cannot be written"),
    ({"waves": Waves("b")}, "the VCD file b cannot be written"),
])
def test_no_bench_is_left(monkeypatch, files, words):
    destroyed = []
    monkeypatch.setattr(compiled, "loaded", lambda path: types.SimpleNamespace(
        bench_create=lambda *_: 17, bench_row=lambda: 0, bench_destroy=destroyed.append,
        bench_source_clock=lambda *_: None, bench_trace=lambda *_: -3, bench_waves=lambda *_: -4))
    with pytest.raises(EngineError, match=words):
        compiled.Compiled(Configuration(), lambda word: 0, path="a", **files)
    assert destroyed == [17]


def test_a_tool_is_no_source_of_a_core():
    """A change of what stands above the gateware compiles nothing again."""
    assert {room.partition(".")[0] for room in TOOLS} | {"cli"} == set(build.ABOVE)


class _Feedback(wiring.Component):
    """A part of ``both`` depends on another part of it: no loop, but one for whole signals."""

    i: In(1)
    o: Out(2)

    def elaborate(self, platform):
        m = Module()
        both = Signal(2)
        m.d.comb += [both[0].eq(self.i), both[1].eq(~both[0])]
        m.d.sync += self.o.eq(both)
        return m


def test_wires_that_feed_back_are_refused(monkeypatch, tmp_path):
    """CXXRTL evaluates them more than once a clock, and the benches evaluate once."""
    monkeypatch.setenv("SATA_RECORDER_CACHE", str(tmp_path))
    text = rtlil.convert(_Feedback(), name="top", emit_src=False)
    with pytest.raises(EngineError, match="top cannot be translated: its wires feed back"):
        build.wrapped(text, '#include "top.cc"\n')
    assert not list(tmp_path.glob("*.so"))
