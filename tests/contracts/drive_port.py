"""The contract of the drive port, as a test: a recorder that watches what stands below it.

What stands below is reached through a side: :mod:`.sides` describes what that is.
The contract is that of :class:`sata_recorder.core.drive_port.DrivePort`. The recorder here judges each
clock; :mod:`.checks` has what is to be true of whole operations.
"""

import random

from sata_recorder.core.drive_port import DrivePort, JournalKind, Operation
from sata_recorder.facts.units import SECTOR_WORDS

from .extent import ExtentRecord
from .span_queue import SpanQueue

__all__ = ["PATIENCE", "BrokenContract", "DrivePortContract"]

#: Clocks in which an operation of a few sectors has to end.
PATIENCE = 60_000
#: Clocks from ``rewind`` or ``skip`` until what the recorder reports counts.
_ANSWER = 4
#: Clocks from the last one of ``opening`` to ``recording``, at most.
_OPENED = 2
#: What counts of an entry for the journal.
_ENTRY = ("kind", "position", "length")
#: What the side reports in each clock.
_SEEN = ("extent__ready", "recording", "playing", "opening", "write_data__ready",
         "read_data__valid", "read_data__payload", "verified", "command", "retain", "completed",
         "recovery__rewind", "recovery__reread", "recovery__skip", "recovery__skip_sectors",
         "journal__valid",
         *(f"journal__payload__{name}" for name in _ENTRY))
#: The same of a port with a queue.
_SEEN_QUEUED = (*_SEEN, "queue__ready", "extended", "begun")


class BrokenContract(AssertionError):
    """What stands below the drive port has done what the port forbids."""


class DrivePortContract:
    """A recorder with words and sectors, and no buffer: it judges each clock of the port.

    Parameters
    ----------
    side : see :mod:`.sides`
    seed : int          of everything random
    gives, delivers, holds : float      The parts of the clocks in which it has a word for the
                        drive, in which its user takes a word, and in which ``hold`` begins.
    verifies : bool     It delivers no word before it is good.
    room : bool         ``journal_room``.
    loses : int         It cannot keep this word of a playback when it first comes.
    gathers : bool      It has words for the drive one by one, and asks for commands of whole
                        sectors that it has.

    Members, all of one operation: ``extent`` what has become of its words, ``commands``,
    ``completed``, ``retained`` commands, ``failures``, ``rereads``, ``skips``, ``opened`` clocks of
    ``opening``, ``held_words`` the most words that followed ``hold``; ``queue`` the
    :class:`.span_queue.SpanQueue`; ``pauses`` clocks from ``completed`` to the next ``command``,
    ``lengths`` of the commands that were completed.
    """

    def __init__(self, side, *, seed=0, gives=1.0, delivers=1.0, holds=0.0, verifies=True,
                 room=True, loses=None, gathers=False):
        self.side = side
        self.seen_names = _SEEN_QUEUED if side.queued else _SEEN
        self.gathers = gathers
        self.reserve = DrivePort().reserve_words
        self.rng = random.Random(seed)
        self.gives, self.delivers, self.holds = gives, delivers, holds
        self.verifies, self.room, self.loses = verifies, room, loses
        self.operation = None       # that runs, from the clock after its extent on
        self.began = False          # ``recording`` or ``playing`` has risen
        self.ended = False
        self._valid = self._hold = False
        self._entry = None          # that has not been taken
        self.queue = SpanQueue(self.require)
        self._forget(0, 0)
        side.set(drained=1, recovery__settled=1, journal_room=room, lost=0, stopped=0)

    def _forget(self, lba, sectors):
        self.extent = ExtentRecord(self.require, lba, sectors, self.verifies)
        self.words, self.given, self.sectors = [], [], sectors
        self.commands = self.completed = self.retained = 0
        self.failures = self.rereads = self.skips = self.opened = 0
        self.held_words = self._since_hold = self._delivered = self._since_opening = 0
        self.stopped = self._due = self.lost = self.retaining = False
        self._since = None          # clocks since ``rewind`` or ``skip``, until the next command
        self._settles = _ANSWER     # clocks until ``settled``
        self._renewed = False       # ``reread`` or ``skip`` has come
        self._promised = []         # sectors that each command in flight may have
        self.queue.forget()
        self.arrived = 0           # words
        self.pauses, self.lengths, self._ended_at, self._now = [], [], None, 0

    def require(self, condition, sentence):
        if not condition:
            raise BrokenContract(sentence)

    @property
    def writes(self):
        return self.operation is not None and bool(self.operation & 1)

    # Verbs ----------------------------------------------------------------------------------------

    async def offer(self, operation, lba, sectors, words=()):
        """Offers an extent until it is taken; ``words``: what a recording is to give."""
        self.side.set(extent__valid=1, extent__payload__operation=operation,
                      extent__payload__lba=lba, extent__payload__sectors=sectors)
        for _ in range(PATIENCE):
            if (await self.clock())["extent__ready"]:
                break
        else:
            raise BrokenContract("an extent is taken while no operation runs")
        self.side.set(extent__valid=0)
        self._forget(lba, sectors)
        self.operation, self.words = operation, [*words]
        self.began = self.ended = False

    async def finish(self):
        """Lets the operation run to its end, until the next one could begin."""
        for _ in range(PATIENCE):
            if (await self.clock())["extent__ready"]:
                self.operation = None
                return
        raise BrokenContract("extent.ready returns after an operation")

    async def run(self, operation, lba, sectors, words=()):
        """A whole operation that can be begun, with what has to be true at its end."""
        await self.offer(operation, lba, sectors, words)
        await self.finish()
        self.require(self.began, "recording or playing follows an extent that can be moved")
        self.require(self.commands > 0, "words move in commands")
        self.require(self.completed + self.failures == self.commands,
                     "a command is completed once, or fails")
        await self.idle(60)
        self.extent.judge_end(operation & 1, words, self.side)

    async def idle(self, clocks):
        for _ in range(clocks):
            await self.clock()

    def stop(self):
        """No more commands but for what has arrived; what the one in flight still moves is
        zeros."""
        self.stopped = True
        self.side.set(stopped=1, pending_sectors=self._pending())

    def _pending(self):
        if not self.gathers:
            return 0
        left = self.arrived - self.extent.place - self.extent.moved
        return max(0, -(-left // SECTOR_WORDS) if self.stopped else left // SECTOR_WORDS)

    # The clock ------------------------------------------------------------------------------------

    async def clock(self):
        """One clock: what the recorder reports in it, what it sees, and whether that is allowed."""
        side, extent = self.side, self.extent
        if self._since is not None:
            self._since += 1
        self._now += 1
        gives = self.began and not self.ended and self.writes and self._since is None
        if self.gathers:
            gives = self._gather(gives)
        # A word that is offered stays until it is taken, or the command fails.
        self._valid = gives and (self._valid or self.rng.random() < self.gives)
        place = extent.place + extent.moved
        limit = min(len(self.words), self.arrived if self.gathers else len(self.words))
        word = self.words[place] if place < limit else 0
        self._hold = self._next_hold()
        waiting = len(extent.good) - self._delivered
        drained = not waiting and not extent.fresh
        side.set(write_data__valid=self._valid, write_data__payload=word if self._valid else 0xBAD,
                 hold=self._hold, drained=drained, journal__ready=self.rng.random() < 0.3,
                 lost=0, **self._answer())
        if side.queued:
            self.queue.offer(side)
        seen = {name: side.get(name) for name in self.seen_names}
        ready = side.get("journal__ready")
        if seen["read_data__valid"] and place == self.loses:
            self.loses, self.lost = None, True
            side.set(lost=1)
            side.get("lost")
        self._judge(seen, drained)
        if self._valid and seen["write_data__ready"]:
            self.given.append(word)
            extent.moved += 1
            self._valid = False
        if waiting and not self._hold and self.rng.random() < self.delivers:
            self._delivered += 1
        if seen["read_data__valid"]:
            extent.comes(seen["read_data__payload"])
        self._journal(seen, ready)
        await side.tick()
        return seen

    def _gather(self, gives):
        """Words arrive, some more in a clock than go; returns whether there is one to give."""
        if self.began and not self.ended and not self.stopped and (
                self.arrived < SECTOR_WORDS * self.sectors):
            self.arrived = min(self.arrived + self.rng.choice([0, 1, 3]),
                                SECTOR_WORDS * self.sectors)
        self.side.set(gathers=1, pending_sectors=self._pending())
        return gives and (self.stopped or self.arrived > self.extent.place + self.extent.moved)

    def _next_hold(self):
        """Hold lasts until long after the drive must have fallen silent."""
        if self.operation is None or self.stopped:
            return False
        if self._hold:
            return self.rng.random() < 0.995
        return self.rng.random() < self.holds

    def _answer(self):
        """What the recorder reports of a command that has failed; before it counts it is wrong."""
        if self._since is None:
            return {"recovery__settled": 1}
        extent, late = self.extent, self._since < _ANSWER
        offset, partial = extent.answer
        return {"recovery__resume_offset": 0x15555 if late else offset,
                "recovery__partial": partial,
                "recovery__tainted": int(extent.tainted),
                "recovery__settled": self._since >= self._settles}

    # What is allowed ------------------------------------------------------------------------------

    def _judge(self, seen, drained):
        require = self.require
        runs = seen["recording"] or seen["playing"]
        require(not (seen["recording"] and seen["playing"]), "recording excludes playing")
        require(not (seen["extent__ready"] and runs), "extent.ready is high while none runs")
        if runs:
            require(self.operation is not None and not self.ended,
                    "recording and playing rise after an extent was taken, once")
            require(self.operation != Operation.FLUSH
                    and bool(seen["recording"]) == self.writes,
                    "recording belongs to an operation that writes, playing to one that reads")
            self.began = True
        elif self.began and not self.ended:
            self.ended = True
            require(self.writes or drained or self.extent.tainted, "playing stays until drained")
        # From outside an operation is over when ``recording`` or ``playing`` has fallen.
        require(not seen["extent__ready"] or self.operation is None or self.ended
                or not self.commands, "extent.ready falls with the extent until the operation ends")
        self._judge_opening(seen)
        if self.side.queued:
            self._judge_queue(seen)
        self._judge_recovery(seen)
        self._judge_commands(seen)
        self._judge_words(seen)

    def _judge_opening(self, seen):
        require = self.require
        if seen["opening"]:
            require(self.writes and not self.began, "opening comes before a recording")
            self.opened += 1
            self._since_opening = 0
        elif self.opened and not self.began:
            self._since_opening += 1
            require(self._since_opening < _OPENED, "recording follows opening at once")

    def _judge_queue(self, seen):
        span = self.queue.judge(seen, self.writes and self.began and not self.ended)
        if span is not None:
            self.extent.extend(*span)
            self.sectors += span[1]
        if seen["completed"]:
            self.require(seen["begun"] == (self.extent.place + self.extent.moved) // SECTOR_WORDS,
                         "begun counts the sectors of the commands")

    def _judge_recovery(self, seen):
        require, extent = self.require, self.extent
        failed = self._since is not None
        if seen["recovery__rewind"]:
            require(self._inside and not failed and self.commands > extent.closed,
                    "recovery follows a command that has failed, and none has")
            self.failures += 1
            self.lost = False
            if seen["verified"]:
                extent.verify()
            extent.fail(self.writes, self.retaining)
            self._promised.pop(0)
            self._since, self._renewed = 0, False
            self._settles = _ANSWER + self.rng.choice([0, 3, 60])
            return
        for name in "reread", "skip":
            if seen[f"recovery__{name}"]:
                require(failed and self._since >= _ANSWER and not self._renewed,
                        f"{name} follows rewind, once, when the recorder has answered")
                self._renewed = True
        if seen["recovery__reread"]:
            require(not self.writes, "reread speaks of a playback")
            self.rereads += 1
            extent.reread()
        if seen["recovery__skip"]:
            require(self.room, "no sectors are skipped without room in the journal")
            require(not (extent.tainted and not self.writes),
                    "a playback that is tainted ends")
            self.skips += 1
            extent.skip(self.writes, seen["recovery__skip_sectors"])
            self._since, self._settles = 0, _ANSWER + self.rng.choice([0, 3, 60])

    @property
    def _inside(self):
        return self.operation is not None and not self.ended

    def _judge_commands(self, seen):
        require, extent = self.require, self.extent
        if seen["verified"] and not seen["recovery__rewind"]:
            require(self._inside and not self.writes, "verified speaks of a playback")
            require(self._since is None, "verified does not come after rewind")
            extent.verify()
        if seen["completed"]:
            self.completed += 1
            require(self._inside and extent.closed < self.commands,
                    "completed comes once a command, if it has not failed")
            require(not self.lost, "a command whose words were lost fails")
            promised = self._promised.pop(0)
            require(promised is None or extent.moved <= SECTOR_WORDS * promised,
                    "a command has no more sectors than are pending")
            self.lengths.append(extent.moved // SECTOR_WORDS)
            extent.complete(self.writes)
            if self._ended_at is None:
                self._ended_at = self._now
            else:       # the next one has begun already
                self.pauses.append(self._ended_at - self._now)
                self._ended_at = None
        # The one before may have been completed just now: that is said a clock later.
        begins = "a command begins when the one before is completed"
        require(not self._due or seen["completed"], begins)
        self._due = False
        require(not seen["retain"] or not seen["command"] or self.writes,
                "retain belongs to a command that writes")
        if not seen["command"]:
            return
        self.commands += 1
        limited = self.gathers and self.writes and self._since is None
        self._promised.append(self._pending() if limited else None)
        if self._since is not None or self.commands == 1:
            self._ended_at = None
        elif self._ended_at is None:
            self._ended_at = self._now
        else:
            self.pauses.append(self._now - self._ended_at)
            self._ended_at = None
        self.retaining = bool(seen["retain"])
        self.retained += self.retaining
        require(self._inside, "command comes while an operation runs")
        if self._since is not None:
            require(self._since >= self._settles,
                    "a command follows a failed one when the recorder has settled")
            require(not extent.tainted or self.writes, "a playback that is tainted ends")
            extent.resume(self.writes)
            self._since = None
        require(self.commands <= extent.closed + 2, begins)
        self._due = self.commands == extent.closed + 2

    def _judge_words(self, seen):
        require, extent = self.require, self.extent
        moves = self.operation is not None and self.commands > extent.closed
        rests = "no word moves from rewind to the next command"
        end = SECTOR_WORDS * self.sectors
        if seen["write_data__ready"] and self.writes:
            require(self._since is None, rests)
        if seen["write_data__ready"] and self._valid:
            require(moves and self.writes, "write_data is taken in a command that writes")
            require(extent.place + extent.moved < end,
                    "no more words are taken than the extent has")
        if seen["read_data__valid"]:
            require(self._since is None, rests)
            require(moves and not self.writes, "read_data comes in a command that reads")
            require(extent.place + extent.moved < end, "no more words come than the extent has")
        self._since_hold = self._since_hold + seen["read_data__valid"] if self._hold else 0
        self.held_words = max(self.held_words, self._since_hold)
        require(self.held_words <= self.reserve,
                f"at most {self.reserve} words of read_data follow hold")

    def _journal(self, seen, ready):
        entry = tuple(seen[f"journal__payload__{name}"] for name in _ENTRY)
        valid = seen["journal__valid"]
        self.require(self._entry is None or (valid and entry == self._entry),
                     "an entry for the journal stays until it is taken")
        self._entry = entry if valid and not ready else None
        if valid and ready:
            kind = JournalKind(entry[0])
            if self.operation == Operation.FLUSH:
                # It has no extent: what it could not make lasting was recorded before.
                self.require(kind == JournalKind.UNFLUSHED,
                             "of a FLUSH CACHE alone the journal is told what was not flushed")
            else:
                self.extent.enter(kind, *entry[1:])
