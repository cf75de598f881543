"""The contract of the drive port, as a test: a recorder that watches what stands below it.

What stands below is reached through a side, a small class::

    capacity            sectors of the disk
    set(**inputs)       the members of the port that the recorder drives: ``extent__valid=1``
    get(name)           what is visible in this clock: ``"read_data__valid"``
    await tick()        ends the clock
    read(lba, sectors)  the words of the disk
    write(lba, words)   puts words on the disk

The contract is that of :class:`sata_recorder.drive_port.DrivePort`, for operations in which no
command fails.
"""

import random

from sata_recorder.drive_port import DrivePort, Operation
from sata_recorder.units import SECTOR_WORDS

__all__ = ["BrokenContract", "DrivePortContract", "check_hold", "check_play_back",
           "check_recording", "check_refusal", "check_stop"]

#: Clocks in which an operation of a few sectors has to end.
_PATIENCE = 20_000
#: What the side says in each clock.
_SEEN = ("extent__ready", "recording", "playing", "write_data__ready", "read_data__valid",
         "read_data__payload", "verified", "command", "completed", "recovery__rewind",
         "recovery__reread", "recovery__skip", "journal__valid")


class BrokenContract(AssertionError):
    """What stands below the drive port has done what the port forbids."""


class DrivePortContract:
    """A recorder with words and sectors, and no buffer: it judges each clock of the port.

    Parameters
    ----------
    side : see the module
    seed : int          of everything random
    gives, delivers, holds : float      The parts of the clocks in which it has a word for the
                        drive, in which its user takes a word, and in which ``hold`` begins.

    Members: ``given`` and ``came`` words, ``verified`` words of those that came, ``commands``,
    ``completed``, ``held_words`` the most words that followed ``hold``, all of one operation.
    """

    def __init__(self, side, *, seed=0, gives=1.0, delivers=1.0, holds=0.0):
        self.side = side
        self.reserve = DrivePort().reserve_words
        self.rng = random.Random(seed)
        self.gives, self.delivers, self.holds = gives, delivers, holds
        self.operation = None       # that runs, from the clock behind its extent on
        self.began = False          # ``recording`` or ``playing`` has risen
        self.ended = False
        self._valid = self._hold = False
        self._forget()
        side.set(drained=1, recovery__settled=1, journal_room=1, journal__ready=1)

    def _forget(self):
        self.words, self.given, self.came = [], [], []
        self.verified = self.commands = self.completed = self.sectors = 0
        self.held_words = self._since_hold = self._undelivered = 0
        self.stopped = self._due = False

    def require(self, condition, sentence):
        if not condition:
            raise BrokenContract(sentence)

    # Verbs ----------------------------------------------------------------------------------------

    async def offer(self, operation, lba, sectors, words=()):
        """Offers an extent until it is taken; ``words``: what a recording is to give."""
        self.side.set(extent__valid=1, extent__payload__operation=operation,
                      extent__payload__lba=lba, extent__payload__sectors=sectors)
        for _ in range(_PATIENCE):
            if (await self.clock())["extent__ready"]:
                break
        else:
            raise BrokenContract("an extent is taken while no operation runs")
        self.side.set(extent__valid=0)
        self._forget()
        self.operation, self.sectors, self.words = operation, sectors, [*words]
        self.began = self.ended = False

    async def finish(self):
        """Lets the operation run to its end, until the next one could begin."""
        for _ in range(_PATIENCE):
            if (await self.clock())["extent__ready"]:
                self.operation = None
                return
        raise BrokenContract("extent.ready returns after an operation")

    async def run(self, operation, lba, sectors, words=()):
        """A whole operation that can be done, with what has to be true at its end."""
        await self.offer(operation, lba, sectors, words)
        await self.finish()
        require = self.require
        require(self.began, "recording or playing follows an extent that can be moved")
        moved = self.given if operation & 1 else self.came
        require(len(moved) == SECTOR_WORDS * sectors,
                f"an extent of {sectors} sectors moves 128 words a sector, not {len(moved)}")
        require(self.commands > 0, "words move in commands")
        require(self.completed == self.commands, "completed comes once a command")
        require(operation & 1 or self.verified == len(self.came),
                "each word that came is verified where no command fails")

    async def idle(self, clocks):
        for _ in range(clocks):
            await self.clock()

    def stop(self):
        """No more commands; what the one in flight still moves is zeros."""
        self.stopped = True
        self.side.set(stopped=1, pending_sectors=0)

    # The clock ------------------------------------------------------------------------------------

    async def clock(self):
        """One clock: what the recorder says in it, what it sees, and whether that is allowed."""
        side = self.side
        writes = self.began and not self.ended and self.operation & 1
        # A word that is offered stays until it is taken.
        self._valid = bool(writes) and (self._valid or self.rng.random() < self.gives)
        word = self.words[len(self.given)] if len(self.given) < len(self.words) else 0
        self._hold = self._next_hold()
        drained = not self._undelivered
        side.set(write_data__valid=self._valid, write_data__payload=word if self._valid else 0xBAD,
                 hold=self._hold, drained=drained)
        seen = {name: side.get(name) for name in _SEEN}
        self._judge(seen, drained)
        if self._valid and seen["write_data__ready"]:
            self.given.append(word)
            self._valid = False
        if self._undelivered and not self._hold and self.rng.random() < self.delivers:
            self._undelivered -= 1
        if seen["read_data__valid"]:
            self.came.append(seen["read_data__payload"])
            self._undelivered += 1
        await side.tick()
        return seen

    def _next_hold(self):
        """Hold lasts until long after the drive must have fallen silent."""
        if self.operation is None or self.stopped:
            return False
        if self._hold:
            return self.rng.random() < 0.995
        return self.rng.random() < self.holds

    def _judge(self, seen, drained):
        require = self.require
        runs = seen["recording"] or seen["playing"]
        require(not (seen["recording"] and seen["playing"]), "recording excludes playing")
        require(not (seen["extent__ready"] and runs), "extent.ready is high while none runs")
        require(not any(seen[f"recovery__{name}"] for name in ("rewind", "reread", "skip")),
                "recovery follows a command that has failed, and none has")
        require(not seen["journal__valid"], "the journal is told of sectors that were not moved")
        if runs:
            require(self.operation is not None and not self.ended,
                    "recording and playing rise after an extent was taken, once")
            require(bool(seen["recording"]) == bool(self.operation & 1),
                    "recording belongs to an operation that writes, playing to one that reads")
            self.began = True
        elif self.began and not self.ended:
            self.ended = True
            require(not self.came or drained, "playing stays until drained")
        # From outside an operation is over when ``recording`` or ``playing`` has fallen.
        require(not seen["extent__ready"] or self.operation is None or self.ended
                or not self.commands, "extent.ready falls with the extent until the operation ends")
        self._judge_commands(seen)
        self._judge_words(seen)

    def _judge_commands(self, seen):
        require = self.require
        inside = self.operation is not None and not self.ended
        if seen["completed"]:
            self.completed += 1
            require(inside and self.completed <= self.commands, "completed comes once a command")
        # The one before may have been completed just now: that is said a clock later.
        begins = "a command begins when the one before is completed"
        require(not self._due or seen["completed"], begins)
        self._due = False
        if seen["command"]:
            self.commands += 1
            require(inside, "command comes while an operation runs")
            require(self.commands <= self.completed + 2, begins)
            self._due = self.commands == self.completed + 2
        if seen["verified"]:
            require(inside and not self.operation & 1, "verified speaks of a play-back")
            self.verified = len(self.came)

    def _judge_words(self, seen):
        require = self.require
        moves = self.operation is not None and self.commands > self.completed
        if seen["write_data__ready"] and self._valid:
            require(moves and self.operation & 1, "data is taken in a command that writes")
            require(len(self.given) < SECTOR_WORDS * self.sectors,
                    "no more words are taken than the extent has")
        if seen["read_data__valid"]:
            require(moves and not self.operation & 1, "payload comes in a command that reads")
            require(len(self.came) < SECTOR_WORDS * self.sectors,
                    "no more words come than the extent has")
        self._since_hold = self._since_hold + seen["read_data__valid"] if self._hold else 0
        self.held_words = max(self.held_words, self._since_hold)
        require(self.held_words <= self.reserve,
                f"at most {self.reserve} words of read_data follow hold")


# The sentences of the contract, each one for any side ---------------------------------------------

def _words(seed, sectors):
    rng = random.Random(seed)
    return [rng.getrandbits(32) for _ in range(SECTOR_WORDS * sectors)]


async def check_recording(side, *, lba, sectors, seed=0, gives=1.0, flush=False):
    """The words that a recording gives are on the disk, and its neighbours are as they were."""
    port = DrivePortContract(side, seed=seed, gives=gives)
    words, before, after = _words(seed, sectors), _words(seed + 1, 1), _words(seed + 2, 1)
    side.write(lba - 1, before)
    side.write(lba + sectors, after)
    await port.run(Operation.RECORD_FLUSH if flush else Operation.RECORD, lba, sectors, words)
    await port.idle(20)
    port.require(port.given == words and side.read(lba, sectors) == words,
                 "the words that were given are on the disk")
    port.require(side.read(lba - 1, 1) == before and side.read(lba + sectors, 1) == after,
                 "sectors outside of the extent are as they were")
    return port


async def check_play_back(side, *, lba, sectors, seed=0, delivers=1.0):
    """A play-back delivers the words of its extent."""
    port = DrivePortContract(side, seed=seed, delivers=delivers)
    words = _words(seed, sectors)
    side.write(lba, words)
    await port.run(Operation.PLAY, lba, sectors)
    await port.idle(20)
    port.require(port.came == words, "the words of the extent come, in order")
    return port


async def check_hold(side, *, lba, sectors, seed=0):
    """The drive falls silent while ``hold`` is high, and no word is lost or made up."""
    port = DrivePortContract(side, seed=seed, holds=0.01)
    words = _words(seed, sectors)
    side.write(lba, words)
    await port.run(Operation.PLAY, lba, sectors)
    port.require(port.came == words, "the words of the extent come, in order, with pauses")
    return port


async def check_refusal(side):
    """An extent that cannot be moved is taken and refused, and the next one is moved."""
    port = DrivePortContract(side)
    for operation in (Operation.PLAY, Operation.RECORD):
        for lba, sectors in ((0, 0), (side.capacity - 1, 2), (side.capacity, 1), (2**48 - 1, 1)):
            await port.offer(operation, lba, sectors)
            await port.finish()
            await port.idle(20)
            port.require(not port.began, "neither recording nor playing follows a refused extent")
            port.require(not port.commands, "no command follows a refused extent")
    await check_play_back(side, lba=side.capacity - 1, sectors=1)
    return port


async def check_stop(side, operation, *, sectors, seed=0):
    """After ``stopped`` no command follows the one in flight, which is moved to its end."""
    port = DrivePortContract(side, seed=seed)
    words = _words(seed, sectors)
    side.write(0, words)
    await port.offer(operation, 0, sectors, words)
    for _ in range(_PATIENCE):
        if len(port.came) + len(port.given) >= 10:
            break
        await port.clock()
    port.stop()
    await port.finish()
    moved = port.given if operation & 1 else port.came
    port.require(port.commands == port.completed == 1, "no command follows the one in flight")
    port.require(0 < len(moved) < SECTOR_WORDS * sectors and not len(moved) % SECTOR_WORDS,
                 "the command in flight moves its sectors, and no more are moved")
    port.require(moved == words[:len(moved)], "the words move in order")
    port.side.set(stopped=0)
    return port
