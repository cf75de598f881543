"""Readbacks of a recording while it is measured: when they are requested, what each must show, what they cost."""

import random
from dataclasses import dataclass, replace
from typing import Any

from ...interface.look import LOOK_SECTORS, LookState
from ...simulation import LookWatch
from ...facts.units import SECTOR_BYTES, SECTOR_WORDS, WORD_BYTES
from .job_error import JobError

#: Words of the stream between two readbacks by default.
_EVERY = 1 << 16
_MOST_EVERY = 1 << 48
#: Bits of the core's input for the room.
_ROOM_BITS = 16


@dataclass(frozen=True)
class LookPlan:
    """Readbacks of ``sectors`` each, of the latest ones or of random ones that are there, as ``at`` states.

    One is requested when the one before has ended and ``every`` words of the stream have come since that
    was requested; it begins when the core's buffer has ``room`` for this many words, None: for half of its
    words.
    """

    sectors: int
    at: str = "latest"
    every: int = _EVERY
    room: int | None = None

    def room_of(self, buffer_words: int) -> int:
        """The words of room in a buffer of ``buffer_words`` at which a readback begins."""
        return min(buffer_words // 2, (1 << _ROOM_BITS) - 1) if self.room is None else self.room


def look_sectors(sectors: int) -> int:
    """The configuration's ``look_sectors`` for readbacks of that many sectors; the most if no value fits."""
    least, most = LOOK_SECTORS
    return min(max(least, 1 << (sectors - 1).bit_length()), most) if sectors >= 1 else most


def check_looks(job):
    """Checks that the core can make the readbacks of the job's recording. Raises :exc:`.job_error.JobError`."""
    plan, configuration = job.recording.looks, job.configuration
    if plan is None:
        return
    most = configuration.look_sectors
    if not most:
        raise JobError("look", plan.sectors, "needs a core with look_sectors")
    most = min(most, job.recording.part(job.sectors))
    if not 1 <= plan.sectors <= most:
        raise JobError("look", plan.sectors, f"must be 1 to {most}, the sectors of a readback and of what is "
                       "recorded")
    if plan.sectors % (job.logical_sector // SECTOR_BYTES):
        raise JobError("look", plan.sectors, f"must be a multiple of {job.logical_sector // SECTOR_BYTES} "
                       "with ", ("logical_sector", job.logical_sector))
    if not 1 <= plan.every <= _MOST_EVERY:
        raise JobError("look_every", plan.every, f"must be 1 to {_MOST_EVERY}")
    most = min(configuration.buffered_words, (1 << _ROOM_BITS) - 1)
    if not 0 <= plan.room_of(configuration.buffered_words) <= most:
        raise JobError("look_room", plan.room, f"must be 0 to {most}, the words of the buffer")


def without_looks(job):
    """The same recording without a readback: what its readbacks cost is the difference."""
    return replace(job, recording=replace(job.recording, looks=None), image=None, trace=None, vcd=None,
                   vcd_scope=None, samples=0)


def waiting(transfer):
    """How long words of a recording waited, and the least room that there was, by name."""
    counters, source = transfer.counters, transfer.source
    found = {"least_room": max(0, transfer.buffer_words - counters["high_water"]),
             "held_cycles": counters["held_cycles"], "longest_stall": counters["longest_stall"],
             "bytes_per_second": transfer.rate}
    if source is not None:
        found["lost"] = source.lost
    return found


class LookRun:
    """Runs ``engine`` in a recording of ``job`` and reads it back: :meth:`run` takes the place of the engine's.

    ``data`` are the words that were accepted. ``problems`` are texts.
    """

    def __init__(self, job, engine, data):
        self.plan = job.recording.looks
        self.problems = []
        self._room = self.plan.room_of(job.configuration.buffered_words)
        self._logical = job.logical_sector // SECTOR_BYTES
        self._engine, self._data = engine, data
        self._watch = LookWatch(engine)
        self._random = random.Random(f"looks {job.seed}")
        self._due = self._compared = self._checked = 0

    def run(self, clocks: int) -> int:
        """Runs at most this many clocks, and to the end of the recording; returns `Event.DONE` if it
        holds then."""
        if not self._watch.busy:
            self._compare()
            left = self._due - self._engine.state().taken
            if left > 0:
                return self._watch.run(min(clocks, left))
            first = self._first()
            if first is None:
                return self._watch.run(min(clocks, SECTOR_WORDS))
            self._due = self._engine.state().taken + self.plan.every
            return self._watch.begin(first, self.plan.sectors, self._room)
        return self._watch.run(clocks)

    def _first(self):
        """The first sector of the next readback; None while there are too few."""
        oldest, newest = (self._engine.output(f"recording_{end}") for end in ("oldest", "newest"))
        last = newest - self.plan.sectors
        if last < oldest:
            return None
        if self.plan.at == "latest":
            return last
        return self._logical * self._random.randint(-(-oldest // self._logical), last // self._logical)

    def finish(self) -> None:
        """After the recording: compares the words of the latest readback, too."""
        self._watch.finish()
        self._compare()

    def _compare(self):
        """Checks that the readbacks that have ended since the last call have the words that were recorded there."""
        for look in self._watch.looks[self._compared:]:
            self._compared += 1
            if look.state is LookState.FAILED:
                self.problems.append(f"a readback of {look.count} sectors from {look.sector} on has failed")
            if look.state is not LookState.READY:
                continue
            found = b"".join(word.to_bytes(WORD_BYTES, "little") for word in look.words)
            wanted = self._data.read(SECTOR_WORDS * look.sector, SECTOR_WORDS * look.count)
            self._checked += len(look.words)
            if found != wanted:
                self.problems.append(f"a readback of {look.count} sectors from {look.sector} on differs from "
                                     "what was recorded there")
            look.words.clear()      # a long recording has many

    def report(self, shown: dict[str, int]) -> dict[str, Any]:
        """What came of the readbacks, by name; ``shown`` are the core's outputs after the recording. Clocks of
        waiting are right to within 16."""
        looks = self._watch.looks
        ready = [look for look in looks if look.state is LookState.READY]
        if shown["looks"] != len(ready):
            self.problems.append(f"{shown['looks']} readbacks are counted as ready, {len(ready)} are")
        gone = [look for look in looks if look.state is LookState.GONE]
        waited = [look.waited for look in looks]
        return {"sectors": self.plan.sectors, "at": self.plan.at, "every": self.plan.every,
                "room": self._room, "asked": len(looks), "ready": len(ready),
                "gone": sum(look.end.runs for look in gone),
                "unfinished": sum(not look.end.runs for look in gone),
                "failed": sum(look.state is LookState.FAILED for look in looks),
                "checked_words": self._checked, "clocks": shown["look_clocks"],
                "mean_clocks": shown["look_clocks"] / len(ready) if ready else None,
                "mean_wait": sum(waited) / len(waited) if waited else None,
                "longest_wait": max(waited, default=None)}
