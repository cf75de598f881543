"""The recorder's buffers of several shapes, and both sides of one as it is used."""

import functools
import random
from collections import deque

from sata_recorder.core.recorder.buffer import Buffer
from sata_recorder.core.recorder.memory import MemoryBuffer, MemoryShape
from unit.compiled_bench import CompiledBench
from unit.core.recorder.axi_memory import AxiMemory

__all__ = ["MEMORIES", "RESERVE", "SHAPES", "User", "bench"]

RESERVE = 10
#: Name to the words that the buffer holds, and its memory. A burst is 16 words, or 4 KiB.
SHAPES = {
    "block RAM": (128, None),
    "64 bits": (1024, MemoryShape(1024, width=64, fifo=64)),
    "128 bits": (1024, MemoryShape(1024, width=128, fifo=64)),
    "no power of two": (768, MemoryShape(768, width=64, fifo=64)),
    "small": (128, MemoryShape(128, width=128, fifo=64)),
    "whole bursts": (8192, MemoryShape(8192, width=64, fifo=4096, base=1 << 15)),
    "whole wide bursts": (8192, MemoryShape(8192, width=128, fifo=4096)),
    "two FIFOs": (8192, MemoryShape(8192, width=128, fifo=4096, base=1 << 20)),
}
MEMORIES = [name for name, (_, shape) in SHAPES.items() if shape]


@functools.cache
def bench(name, retain=True):
    depth, shape = SHAPES[name]
    if shape is None:
        return CompiledBench(Buffer(depth=depth, retain=retain, verify=True, reserve=RESERVE))
    return CompiledBench(MemoryBuffer(shape, retain=retain, reserve=RESERVE, silence_bits=12))


class User:
    """Both sides of a buffer, which may do whatever its contract allows, and what must come."""

    def __init__(self, bench, name, *, seed, playing, retain=True, pace=None, fast=1.0, slow=1.0):
        self.bench, self.rng = bench, random.Random(seed)
        self.playing, self.retain = playing, retain
        self.depth, shape = SHAPES[name]
        self.memory = shape and AxiMemory(
            bench, width=shape.width, size=4 * shape.depth, base=shape.base, pace=pace, seed=seed + 1)
        self.comes, self.goes = fast, slow      # shares of the clocks in which a word is offered, or taken
        self.kept, self.inside, self.doubtful = deque(), deque(), deque()
        self.came = 0
        self.offered = None
        self.number = 0
        self.silent = 0             # clocks in which nothing moved though there were words to be taken
        bench.set(playing=playing, begin=0, go=1)
        if shape:
            bench.set(active=1)

    async def clock(self, *, begin=False, settle=False, rewind=False, keep=False, fill=False, go=True, enter=True,
                    take=True, good=False, forget=False):
        bench, rng = self.bench, self.rng
        halts = begin or rewind or forget
        # A Data FIS has at most half of the words of a buffer.
        blocked = begin or (rewind and self.playing) or not enter or fill or len(self.doubtful) >= self.depth // 2
        if self.offered is None and not blocked and rng.random() < self.comes:
            self.number += 1
            self.offered = self.number
        offers = self.offered is not None and not blocked
        takes = take and not halts and not (settle and not self.playing) and rng.random() < self.goes
        bench.set(begin=begin, settle=settle, rewind=rewind, keep=keep or bool(self.kept), fill=fill, go=go,
                  good=good, i__valid=offers, i__payload=self.offered if offers else 0xBAD, o__ready=takes)
        if self.memory:
            bench.set(forget=forget, offered=offers)
            self.memory.before()
        words = len(self.inside) + len(self.doubtful)
        assert bench.get("level") == words
        assert bench.get("held") == words + len(self.kept) <= self.depth + (not self.retain or self.playing)
        enters = offers and bench.get("i__ready")
        valid = bench.get("o__valid")
        leaves = takes and valid and words
        assert words if bench.get("present") else not (valid and words), "a zero of ``fill`` is no word that is present"
        assert bench.get("enters") == bool(enters) and bench.get("leaves") == bool(leaves)
        moved = enters or leaves
        if valid and not words:
            assert fill or self.filled, "a word out of nothing"
            assert bench.get("o__payload") == 0
        elif valid:
            assert self.inside, "a word that is not known to be good"
            assert bench.get("o__payload") == self.inside[0]
        if leaves:
            self.came += 1
            word = self.inside.popleft()
            if not self.playing and self.retain and (keep or self.kept):
                self.kept.append(word)
        if begin or forget:
            self.kept.clear(), self.inside.clear(), self.doubtful.clear()
        elif rewind:
            if self.playing:
                self.doubtful.clear()
            elif self.retain:
                self.inside.extendleft(reversed(self.kept))
                self.kept.clear()
        if settle and not forget:
            if self.playing:
                self.inside.extend(self.doubtful)
                self.doubtful.clear()
            else:
                self.kept.clear()
        if enters and not forget:
            (self.doubtful if self.playing and not good else self.inside).append(self.offered)
        if enters:
            self.offered = None
        if self.memory:
            self.memory.after()
        await bench.tick()
        # What must come to its end: a word that may leave, or room for one that waits.
        due = (self.inside and take and go and self.goes) or (
            offers and self.comes and len(self.inside) + len(self.doubtful) + len(self.kept) < self.depth - 1)
        self.silent = 0 if moved or not due else self.silent + 1
        assert self.silent < 20_000, "nothing moves any more"
        self.filled = fill

    filled = False

    async def clocks(self, number, **what):
        for _ in range(number):
            await self.clock(**what)

    async def drain(self):
        self.goes = 1
        for _ in range(100_000):
            if not self.inside:
                return
            await self.clock(enter=False)
        raise AssertionError(f"{len(self.inside)} words do not come")
