"""What a block RAM gives of a word that is written in the clock in which it is read is undefined: nothing uses it."""

import json

import pytest
from amaranth.hdl import Module, Mux
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from integration.traces import RECORDED, SEEDS, SINGLE, WAYS

from sata_recorder.core.block_memory import BlockMemory
from sata_recorder.lab.campaign import prepare, random_plan, replay
from sata_recorder.simulation import Translator, library
from unit.bench import Bench

_KNOWN = json.loads(RECORDED.read_text())
_WAY = next(iter(WAYS))


def of_core(name):
    """(hash, clocks) of the recorded plans for this core, by seed; with what was recorded of them."""
    paths = {name: str(library(SINGLE[name].model_copy(update=WAYS[_WAY]), Translator.NETLIST))}
    _, compiled = prepare(())
    found = {}
    for seed in SEEDS:
        plan = random_plan(seed, tuple(_KNOWN["kinds"]), tuple(SINGLE))
        if plan.core == name:
            result = replay(plan.model_copy(update={"power_up": None, "silent": None}), (paths, compiled))
            assert not result.problems, (seed, result.problems)
            found[str(seed)] = f"{result.trace:016x}", result.clocks
    return found, {seed: tuple(_KNOWN[_WAY]["plans"][seed]) for seed in found}


@pytest.fixture
def undefined(monkeypatch, tmp_path):
    """Block memories whose late ports give the complement of a word that is written as it is read."""
    def read(memory, port):
        meets = [write.en.any() & (write.addr == port.addr) for write in memory.write_ports]
        return Mux(sum(meets) != 0, ~port.data, port.data)
    monkeypatch.setattr(BlockMemory, "given", read)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


@pytest.mark.wide
@pytest.mark.parametrize("name", ["replay", "stop"])
def test_a_word_that_is_read_while_it_is_written_is_not_used(name, undefined):
    found, recorded = of_core(name)
    assert len(found) > 10 and found == recorded


class _Cell(wiring.Component):
    """A block memory of two words, written and read."""

    address: In(1)
    word: In(8)
    writes: In(1)
    stored: Out(8)

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = memory = BlockMemory(shape=8, depth=2)
        write = memory.write_port()
        address, stored = memory.late_port(m)
        m.d.comb += [write.addr.eq(0), write.data.eq(self.word), write.en.eq(self.writes), address.eq(self.address),
                     self.stored.eq(stored)]
        return m


@pytest.mark.parametrize("address, writes, stored", [(0, 1, 0x5A ^ 0xFF), (0, 0, 0x5A), (1, 1, 0)])
def test_the_complement_is_given(undefined, address, writes, stored):
    seen = Bench(_Cell()).trace([{"word": 0x5A, "writes": 1, "address": 1},
                                 {"word": 1, "writes": writes, "address": address}, {}], ["stored"])
    assert seen[-1]["stored"] == stored


def test_it_has_no_other_port():
    with pytest.raises(TypeError, match="late ports only"):
        BlockMemory(shape=8, depth=2).read_port(domain="sync")
