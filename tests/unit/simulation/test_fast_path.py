"""A fast path does what the core does, whatever it assumes."""

import ctypes
import json
import multiprocessing
import random
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from checking import checking_compiler
from short import short

from sata_recorder.export import yosys
from sata_recorder.simulation import build, netlist
from sata_recorder.simulation.fast_paths import RowTable
from unit.simulation.random_design import INPUTS, OUTPUTS, RandomDesign
from unit.simulation.test_netlist import CLOCKS, in_amaranth, stimuli

SIMULATION = Path(build.__file__).parent
_SOURCE = """
#include "core.cc"
{paths}
#include "fast_path.h"
#define EXPORT extern "C" __attribute__((visibility("default")))
struct Design {{ Core core; Way way; FastPaths paths = {{}}; }};
EXPORT Design *create(uint8_t *rows, uint64_t room) {{
    Design *design = new Design();
    design->paths = {{ {count}, {{ {clocks} }} }};
    design->paths.rows = rows, design->paths.room = room, design->paths.step = 1;
    design->way.paths = &design->paths;
    return design;
}}
EXPORT void destroy(Design *design) {{ delete design; }}
EXPORT uint64_t clock_once(Design *design, uint64_t in) {{
    Core *core = &design->core;
{set}
    design->way.clock(*core);
    core->settle();
    uint64_t out = {get};
    core->commit();
    return out;
}}
EXPORT uint64_t size() {{ return sizeof(FastPaths); }}
EXPORT unsigned bytes() {{ return Core::BYTES; }}
EXPORT const FastPaths *paths(Design *design) {{ return &design->paths; }}
"""


#: Outputs of the designs that are computed in each clock; the others are looked at after it.
EACH_CLOCK = {"x", "ticks"}


class Build:
    """A design, compiled with fast paths for each of the lists ``assumed``."""

    def __init__(self, folder, make, inputs, outputs, assumed=()):
        folder.mkdir()
        (folder / "top.il").write_text(rtlil.convert(make(), name="top", emit_src=False))
        yosys.run(["read_rtlil top.il", "hierarchy -top top", "flatten", "proc", "opt_merge", "opt_clean",
                   "write_json top.json"], folder)
        module = json.loads((folder / "top.json").read_text())["modules"]["top"]
        (folder / "core.cc").write_text(netlist.text(netlist.Netlist(module), EACH_CLOCK))
        for number, values in enumerate(assumed):
            text = netlist.fast_path_text(netlist.Netlist(module), values, EACH_CLOCK)
            for name in ("clock", "bytes", "values", "mask"):
                text = text.replace(f"path_{name}", f"path{number}_{name}")
            (folder / f"path{number}.cc").write_text(text)
        (folder / "bench.cc").write_text(_SOURCE.format(
            paths="\n".join(f'namespace path{number} {{\n#include "path{number}.cc"\n}}'
                            for number in range(len(assumed))),
            count=len(assumed), clocks=", ".join(f"(FastPath)path{number}::path{number}_clock"
                                                 for number in range(len(assumed))),
            set="\n".join(f"    core->p_{name}.set<uint64_t>(in >> {at} & {(1 << width) - 1:#x}ull);"
                          for name, at, width in _places(inputs)),
            get=" | ".join(f"now(core->p_{name}) << {at}" for name, at, _ in _places(outputs))))
        build.run_compiler(folder / "bench.cc", folder / "bench.so", (folder, SIMULATION))
        self._library = ctypes.CDLL(str(folder / "bench.so"))
        for name, result, *arguments in (
                ("create", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64),
                ("destroy", None, ctypes.c_void_p), ("bytes", ctypes.c_uint),
                ("clock_once", ctypes.c_uint64, ctypes.c_void_p, ctypes.c_uint64),
                ("size", ctypes.c_uint64), ("paths", ctypes.POINTER(RowTable), ctypes.c_void_p)):
            function = getattr(self._library, name)
            function.restype, function.argtypes = result, arguments

    def run(self, words, room=1 << 12):
        """Outputs of each clock, rows of bytes of those that were sampled, hits of each path, missed."""
        assert self._library.size() == ctypes.sizeof(RowTable)
        size = self._library.bytes()
        rows = ctypes.create_string_buffer(size * room)
        design = self._library.create(rows, room)
        found = [self._library.clock_once(design, word) for word in words]
        paths = self._library.paths(design).contents
        sampled = [rows.raw[size * row:size * (row + 1)] for row in range(paths.filled)]
        hits, missed = list(paths.hits)[:paths.count], paths.missed
        self._library.destroy(design)
        return found, sampled, hits, missed


def _places(widths):
    at = 0
    for name, width in widths.items():
        yield name, at, width
        at += width


def some_of(row, pick, most):
    """At most this many bytes of a row, None for the others."""
    known = set(pick.sample(range(len(row)), min(len(row), pick.randint(1, most))))
    return [value if place in known else None for place, value in enumerate(row)]


def held(seed):
    """Stimuli of which each stays for a few clocks."""
    pick = random.Random(f"{seed} held")
    return [word for word in stimuli(seed) for _ in range(pick.randint(1, 6))][:2 * CLOCKS]


@pytest.mark.wide
@pytest.mark.sample(10)
@pytest.mark.parametrize("seed", short(range(30, 60), range(30, 36)))
def test_random_designs(tmp_path, seed):
    pick, words = random.Random(f"{seed} paths"), held(seed)
    expected = in_amaranth(RandomDesign(seed, 40), words)
    found, rows, hits, missed = Build(tmp_path / "core", lambda: RandomDesign(seed, 40), INPUTS, OUTPUTS).run(words)
    assert found == expected
    assert missed == len(words) and hits == [] and len(rows) > 50 and len(rows[0]) >= 40
    assumed = [some_of(pick.choice(rows), pick, most) for most in (40, 6, 2)]
    found, _, hits, missed = Build(tmp_path / "paths", lambda: RandomDesign(seed, 40), INPUTS, OUTPUTS,
                                   assumed).run(words)
    assert found == expected
    assert sum(hits) > 0 and sum(hits) + missed == len(words)


class Quiet(wiring.Component):
    """Forty registers of a byte, each of which moves when it is chosen, and a few that always do."""

    choice: In(6)
    add: In(3)
    sum: Out(32)
    ticks: Out(16)

    def elaborate(self, platform):
        m = Module()
        registers = [Signal(8, name=f"r{index}", init=index) for index in range(40)]
        for index, register in enumerate(registers):
            with m.If(self.choice == index + 1):
                m.d.sync += register.eq(register + self.add)
        total = registers[0]
        for register in registers[1:]:
            total = total + register
        m.d.comb += self.sum.eq(total)
        with m.If(registers[7][0]):
            m.d.sync += self.ticks.eq(self.ticks + 1)
        return m


QUIET = (Quiet, {"choice": 6, "add": 3}, {"sum": 32, "ticks": 16})


def test_what_is_not_assumed_moves_while_a_path_is_followed(tmp_path):
    """All but one register are assumed, in a pair of which the others are; it moves for long."""
    _, rows, _, _ = Build(tmp_path / "core", *QUIET).run([0])
    words = [1 << 6 | 21] * 50 + [0] * 5 + [3 << 6 | 21] * 20 + [2 << 6 | 8] + [0] * 20 + [7 << 6 | 8] * 9
    expected, _, _, _ = Build(tmp_path / "again", *QUIET).run(words)
    place = rows[0].index(20)
    assumed = [value if place != at and at < 40 else None for at, value in enumerate(rows[0])]
    found, _, hits, missed = Build(tmp_path / "path", *QUIET, [assumed]).run(words)
    assert found == expected
    # With register 7 changed the path fits no more: from the clock after its first change on.
    assert hits == [76] and missed == len(words) - 76


@pytest.mark.parametrize("choice, hits, missed", [(50, 20, 1), (5, 10, 11)])
def test_inputs_that_are_assumed(tmp_path, choice, hits, missed):
    """Nothing moves while the inputs are 0: all is assumed. A clock with other inputs is missed, and
    all after it if a register has moved in it."""
    _, rows, _, _ = Build(tmp_path / "core", *QUIET).run([0])
    words = [0] * 10 + [1 << 6 | choice] + [0] * 10
    expected, _, _, _ = Build(tmp_path / "again", *QUIET).run(words)
    found, sampled, *counts = Build(tmp_path / "path", *QUIET, [list(rows[0])]).run(words)
    assert found == expected
    assert counts == [[hits], missed]
    assert {choice, 1} <= {*sampled[0]} - {*rows[0][40:]}


def test_one_byte_that_is_not_as_assumed(tmp_path):
    """Wherever it stands in a pair, the path does not fit."""
    _, rows, _, _ = Build(tmp_path / "core", *QUIET).run([0])
    assumed = [[value ^ (at == place) for at, value in enumerate(rows[0])] for place in (0, 7, 8, 15, 31, 39)]
    _, _, hits, missed = Build(tmp_path / "paths", *QUIET, assumed).run([0] * 5)
    assert hits == [0] * 6 and missed == 5


def test_rows_are_of_all_that_was_missed(tmp_path):
    """A room that is full loses each second row, and half as many come from then on."""
    words = [1 << 6 | 21] * 2000
    _, rows, _, missed = Build(tmp_path / "core", *QUIET).run(words, room=64)
    assert missed == 2000 and 32 <= len(rows) <= 64
    counts = [row[rows[0].index(20)] for row in rows]
    # The register has counted the clocks, modulo 256: the samples are in order and never close.
    gaps = [(after - before) % 256 for before, after in zip(counts, counts[1:])]
    assert max(gaps) < 200 and sum(gaps) > 1700


@pytest.mark.wide
def test_a_path_without_undefined_behaviour(tmp_path):
    with checking_compiler(), ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as pool:
        pool.submit(test_random_designs, tmp_path, 60).result()
