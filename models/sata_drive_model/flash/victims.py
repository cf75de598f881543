"""Which block garbage collection frees next: greedy, first in first out, best of ten at random."""

import heapq
import random
from collections import deque
from typing import Any

from .blocks import CLOSED

#: Of how many blocks the best is taken.
_TEN = 10
#: Share of all blocks among which the greedy choice keeps count, at least so many.
_WATCHED, _FEWEST = 1 / 16, 32
#: A limit that no count is below: nothing is watched.
_NEVER = -(1 << 40)


class Greedy:
    """The closed block with the fewest valid slots.

    Only blocks with at most ``limit`` valid slots are watched, in a heap; when that runs empty, the limit is
    found again. An entry that is no longer true is dropped when it comes up. Of those with none, which a drive that
    is written in order has only, the one that was emptied first.
    """

    def __init__(self, blocks, seed):
        self._blocks = blocks
        self._heap = []
        self._empty = deque()
        self.limit = 0

    def fewer(self, block, valid):
        """``block`` has ``valid`` slots by now, at most ``limit`` of them."""
        if valid <= 0:
            self._empty.append(block)
        else:
            heapq.heappush(self._heap, valid * len(self._blocks.valid) + block)

    def closed(self, block):
        """``block`` has been filled."""
        if self._blocks.valid[block] <= self.limit:
            self.fewer(block, self._blocks.valid[block])

    def forget(self):
        """The counts have changed by themselves: all entries are doubtful."""
        self._heap.clear()
        self.limit = 0

    def choose(self) -> int:
        """The next victim; -1: nothing is closed."""
        state, valid, heap, count = self._blocks.state, self._blocks.valid, self._heap, len(self._blocks.valid)
        while self._empty:
            block = self._empty.popleft()
            if state[block] == CLOSED and not valid[block]:
                return block
        for _ in range(2):
            while heap:
                held, block = divmod(heapq.heappop(heap), count)
                if state[block] == CLOSED and valid[block] == held:
                    return block
            self._watch()
        return -1

    def _watch(self):
        state, valid = self._blocks.state, self._blocks.valid
        count = len(valid)
        closed = [valid[block] * count + block for block in range(count) if state[block] == CLOSED]
        if not closed:
            return
        closed.sort()
        self._heap[:] = closed[:max(_FEWEST, int(_WATCHED * count))]
        self.limit = max(0, self._heap[-1] // count)


class FirstInFirstOut:
    """The block that was closed first."""

    limit = _NEVER

    def __init__(self, blocks, seed):
        self._blocks = blocks
        self._queue = deque()

    def closed(self, block):
        """``block`` has been filled."""
        self._queue.append((block, self._blocks.erases[block]))

    def forget(self):
        """The order stays."""

    def choose(self) -> int:
        """The next victim; -1: nothing is closed."""
        blocks = self._blocks
        while self._queue:
            block, erases = self._queue.popleft()
            if blocks.state[block] == CLOSED and blocks.erases[block] == erases:
                return block
        return -1


class BestOfTen:
    """Of ten closed blocks at random the one with the fewest valid slots."""

    limit = _NEVER

    def __init__(self, blocks, seed):
        self._blocks = blocks
        self._rng = random.Random(seed)

    def closed(self, block):
        """``block`` has been filled."""

    def forget(self):
        """Nothing is kept."""

    def choose(self) -> int:
        """The next victim; -1: none was found that frees anything."""
        state, valid, slots = self._blocks.state, self._blocks.valid, self._blocks.slots
        count, draw, best, found = len(valid), self._rng.random, -1, 0
        for _ in range(100 * count):
            block = int(draw() * count)
            if state[block] != CLOSED or valid[block] == slots:
                continue
            if best < 0 or valid[block] < valid[best]:
                best = block
            found += 1
            if found == _TEN:
                break
        return best


#: Name of a rule in a file of parameters: what follows it.
VICTIMS: dict[str, Any] = {"greedy": Greedy, "fifo": FirstInFirstOut, "best of ten": BestOfTen}
