"""Looks at a recording that becomes a file, each compared with what was recorded."""

from collections import Counter

from integration.files_station import Station

from sata_recorder.interface.file import FileState
from sata_recorder.interface.look import LookState

__all__ = ["CORE", "LookingStation"]

CORE = {"look_sectors": 8}
_RUNS = FileState.RECORDING, FileState.CLOSING
#: Clocks that no look takes, with a stream that does not stop.
_MOST = 60_000


class LookingStation(Station):
    """Asks for looks at random while it records. ``found`` counts how they ended, ``interrupted`` those whose
    recording was interrupted while they waited, ``early`` those READY of sectors before the latest update;
    ``fails``: one may be FAILED. ``moves`` has each time that the newest sector went back."""

    def __init__(self, content, *, fails=False, **options):
        super().__init__(content, modes=True, core=CORE, **options)
        self.fails = fails
        self.found, self.moves, self.interrupted, self.early = Counter(), [], 0, 0
        self.asked = None          # (sector, count, oldest, newest, clock, updates)
        self._shown = None          # words that were read of the look
        self._newest = self._ran = 0      # the latest clock in which something was recorded

    def offer(self, data, **options):
        super().offer(data, **options)
        self._data, self._newest = data, 0

    def tick(self, **inputs):
        if self._shown is None and self.asked is None and self.rng.random() < 0.01:
            self._ask()
        super().tick(**inputs)
        self.dut.set(look__start=0)
        newest = self.get("recording__newest")
        if self.get("state") in _RUNS:
            self._ran = self.clocks
            if newest < self._newest:
                self.moves.append((self.clocks, self._newest, newest))
            self._newest = newest
        if self._shown is not None:
            self._read()
        elif self.asked is not None and self.clocks > self.asked[4] + 1:
            self._judge(LookState(self.dut.get("look__state")))

    def _ask(self):
        oldest, newest = self.get("recording__oldest"), self.get("recording__newest")
        count = self.rng.randrange(1, 9)
        sector = max(0, self.rng.choice((newest - count, newest - count, oldest, self.rng.randrange(
            max(0, oldest - 2), newest + 2))))
        self.dut.set(look__start=1, look__sector=sector, look__count=count, look__room=self.rng.choice((0, 400)))
        self.asked = sector, count, oldest, newest, self.clocks, len(self.updates)

    def _judge(self, state):
        sector, count, oldest, newest, clock, updates = self.asked
        if state in (LookState.WAITS, LookState.READS):
            assert self.clocks < clock + _MOST, (LookState(state), self.asked)
            assert self.clocks < self._ran + 5, "a look does not outlive its recording"
            return
        self.found[state.name] += 1
        self.interrupted += len(self.updates) != updates
        self.asked = None
        if state == LookState.READY:
            assert oldest <= sector
            self.early += bool(self.updates) and 128 * (sector + count) <= self.updates[-1][1]
            self._shown, self._of = [], (sector, count)
            self.dut.set(look__address=0)
            return
        assert state == LookState.GONE or (state == LookState.FAILED and self.fails), state
        if self.get("state") == FileState.RECORDING and self.get("recording__state") == 2 and not self.fails:
            # A user who asks again with what he is told has what is there.
            assert sector < max(oldest, self.get("recording__oldest")) or sector + count > newest, (
                sector, count, oldest, newest, self.clocks)

    def _read(self):
        """A word of the look that is READY; it comes two clocks after its address."""
        sector, count = self._of
        assert self.dut.get("look__state") == LookState.READY
        self._shown.append(self.dut.get("look__data"))
        self.dut.set(look__address=min(len(self._shown), 128 * count - 1))
        if len(self._shown) == 128 * count + 1:
            words = b"".join(word.to_bytes(4, "little") for word in self._shown[1:])
            wanted = self._data[512 * sector:512 * (sector + count)]
            # What fills the last sector of a recording is zeros.
            assert words[:len(wanted)] == wanted and not any(words[len(wanted):]), (sector, count)
            self._shown = None

    def reads_from(self, lba):
        """The LBAs of reads from there on."""
        return [place for place in self.image.read_from if place >= lba]
