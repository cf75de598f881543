"""A user of the files stage, clock by clock: he starts, offers words, stops, and reads."""

import random
from collections import deque

from sata_recorder.interface.file import FileState

__all__ = ["FileWorld", "pattern"]


def pattern(size, seed=0):
    """This many bytes of a recording."""
    return random.Random(seed).randbytes(size)


class FileWorld:
    """``dut`` is a compiled stage, with whatever is below it; :meth:`below` has what is not.

    ``words`` wait to be taken, as (data, last, spare); ``offers`` is how probable it is that a
    clock offers one. ``taken`` is the number of words that were.
    """

    def __init__(self, dut, *, seed=0, offers=1.0):
        dut.restart()
        self.dut, self.rng, self.offers = dut, random.Random(seed), offers
        self.clocks = self.taken = 0
        self.words = deque()
        self.done = 0
        self._offered = False
        # A clock is short: no name is put together in it.
        self._outputs = {name.removeprefix("user__"): place for name, place in dut.outputs.items()
                         if name.startswith("user__")}
        self._payload, self._valid = dut.inputs["user__i__payload"], dut.inputs["user__i__valid"]

    def get(self, name):
        return self.dut.o[self._outputs[name]]

    def below(self):
        """What the inputs below the stage are in this clock."""

    def tick(self, **inputs):
        """One clock, with these inputs of the user in it."""
        dut = self.dut
        self._offered = bool(self.words) and (self._offered or self.offers >= 1
                                              or self.rng.random() < self.offers)
        if self._offered:
            word, last, spare = self.words[0]
            dut.i[self._payload] = word | last << 32 | spare << 33
        dut.i[self._valid] = self._offered
        if inputs:
            dut.set(**{f"user__{name}": value for name, value in inputs.items()})
        self.below()
        takes = self._offered and self.get("i__ready")
        dut.edge(1)
        self.clocks += 1
        if takes:
            self.words.popleft()
            self.taken += 1
            self._offered = False
        if inputs:
            dut.set(**{f"user__{name}": 0 for name in inputs})
        self.done += self.get("done")

    def until(self, condition, most=200_000):
        """Clocks pass until ``condition()`` holds; how many they were."""
        for clocks in range(most):
            if condition():
                return clocks
            self.tick()
        raise AssertionError(f"it does not come: {FileState(self.get('state')).name}, "
                             f"error {self.get('error')}")

    def find_slot(self):
        """Until the search for a slot is over; whether there is one."""
        self.until(lambda: self.get("state") in (FileState.READY, FileState.FULL,
                                                 FileState.REFUSED), most=1_000_000)
        return self.get("state") == FileState.READY

    def offer(self, data, *, last=False):
        """The words of ``data``; if ``last``, the last one with what does not belong to it."""
        count = -(-len(data) // 4)
        padded = data.ljust(4 * count, b"\xee")
        for n in range(count):
            ends = last and n == count - 1
            self.words.append((int.from_bytes(padded[4 * n:4 * n + 4], "little"), ends,
                               -len(data) % 4 if ends else 0))

    def start(self, length=0, *, time=None, interval=0, dated=0, **mode):
        """``time`` is a `Timestamp` of `sata_recorder.pc.volume`; ``mode`` are inputs of the group
        of the modes."""
        packed = 0 if time is None else (time.seconds | time.ten_ms << 32 | time.offset << 40
                                         | 1 << 48)
        self.tick(start=1, length=length, interval=interval, time=packed, dated=dated,
                  **{f"recording__{name}": value for name, value in mode.items()})

    def record(self, data, *, by="length", **options):
        """A whole recording; its length comes ``by`` "length", "last" or "stop" (whole words);
        ``options`` are those of :meth:`start`."""
        before = self.done
        self.offer(data, last=by == "last")
        self.start(len(data) if by == "length" else 0, **options)
        if by == "stop":
            self.until(lambda: not self.words or self.done > before)
            if self.done == before:
                self.tick(stop=1)
        self.until(lambda: self.done > before)
        self.words.clear()
        return self.get("error")
