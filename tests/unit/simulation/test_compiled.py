"""What is compiled anew, and a bench whose files cannot be opened."""

import types

import pytest

from sata_recorder import Configuration
from sata_recorder.simulation import EngineError, build, compiled
from unit.test_layers import GATEWARE, TOOLS


@pytest.mark.parametrize("files, words", [
    ({"trace": "a"}, "the trace file a cannot be written"),
    ({"vcd": "b"}, "the VCD file b cannot be written"),
])
def test_no_bench_is_left(monkeypatch, files, words):
    destroyed = []
    monkeypatch.setattr(compiled, "_load", lambda path: types.SimpleNamespace(
        bench_create=lambda *_: 17, bench_destroy=destroyed.append,
        bench_trace=lambda *_: -3, bench_waves=lambda *_: -4))
    with pytest.raises(EngineError, match=words):
        compiled.Compiled(Configuration(), lambda word: 0, path="a", **files)
    assert destroyed == [17]


def test_a_tool_is_no_source_of_a_core():
    """A change of what stands above the gateware compiles nothing anew."""
    assert {*TOOLS, "console", "cli"} <= set(build.ABOVE)
    assert set(build.ABOVE).isdisjoint(GATEWARE)
