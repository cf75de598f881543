"""What the contract of the drive port states about whole operations: each check is for any side."""

import random

from sata_recorder.core.drive_port import JournalKind, Operation
from sata_recorder.facts.units import SECTOR_WORDS

from .drive_port import PATIENCE, DrivePortContract

__all__ = ["check_end", "check_flush", "check_flush_failure", "check_gathered_stop", "check_hold",
           "check_late_span", "check_lost", "check_no_queue", "check_no_room", "check_opening",
           "check_play_back", "check_queue", "check_queue_failure", "check_recording",
           "check_refusal", "check_refused_span", "check_reread", "check_retained", "check_skip",
           "check_stop", "check_tainted"]


def _words(seed, sectors):
    rng = random.Random(seed)
    return [rng.getrandbits(32) for _ in range(SECTOR_WORDS * sectors)]


# No command fails ---------------------------------------------------------------------------------

async def check_recording(side, *, lba, sectors, seed=0, gives=1.0, flush=False):
    """The words that a recording gives are on the disk, and its neighbours are as they were."""
    port = DrivePortContract(side, seed=seed, gives=gives)
    words, before, after = _words(seed, sectors), _words(seed + 1, 1), _words(seed + 2, 1)
    side.write(lba - 1, before)
    side.write(lba + sectors, after)
    await port.run(Operation.RECORD_FLUSH if flush else Operation.RECORD, lba, sectors, words)
    port.require(port.given == words and side.read(lba, sectors) == words,
                 "the words that were given are on the disk")
    port.require(side.read(lba - 1, 1) == before and side.read(lba + sectors, 1) == after,
                 "sectors outside of the extent are as they were")
    return port


async def check_play_back(side, *, lba, sectors, seed=0, delivers=1.0):
    """A playback delivers the words of its extent."""
    port = DrivePortContract(side, seed=seed, delivers=delivers)
    words = _words(seed, sectors)
    side.write(lba, words)
    await port.run(Operation.PLAY, lba, sectors)
    port.require(port.extent.good == words, "the words of the extent come, in order")
    return port


async def check_hold(side, *, lba, sectors, seed=0):
    """The drive falls silent while ``hold`` is high, and no word is lost or made up."""
    port = DrivePortContract(side, seed=seed, holds=0.01)
    words = _words(seed, sectors)
    side.write(lba, words)
    await port.run(Operation.PLAY, lba, sectors)
    port.require(port.extent.good == words, "the words of the extent come, in order, with pauses")
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
            port.require(not port.opened, "opening does not come for a refused extent")
    await check_play_back(side, lba=side.capacity - 1, sectors=1)
    return port


async def check_stop(side, operation, *, sectors, seed=0):
    """After ``stopped`` no command follows the one in flight, which is moved to its end."""
    port = DrivePortContract(side, seed=seed)
    words = _words(seed, sectors)
    side.write(0, words)
    await port.offer(operation, 0, sectors, words)
    for _ in range(PATIENCE):
        if len(port.extent.fresh) + len(port.extent.good) + len(port.given) >= 10:
            break
        await port.clock()
    port.stop()
    await port.finish()
    moved = port.given if operation & 1 else port.extent.good
    port.require(port.commands == port.completed == 1, "no command follows the one in flight")
    port.require(0 < len(moved) < SECTOR_WORDS * sectors and not len(moved) % SECTOR_WORDS,
                 "the command in flight moves its sectors, and no more are moved")
    port.require(moved == words[:len(moved)], "the words move in order")
    port.side.set(stopped=0)
    return port


async def check_opening(side):
    """A recording opens before it begins, a playback does not."""
    port = DrivePortContract(side)
    words = _words(0, 1)
    await port.run(Operation.RECORD, 0, 1, words)
    port.require(port.opened > 0, "opening comes before a recording")
    await port.run(Operation.PLAY, 0, 1)
    return port


async def check_flush(side):
    """FLUSH CACHE, alone or after a recording, makes all that was written lasting."""
    port = DrivePortContract(side)
    words = _words(0, 3)
    lasting = "what was written before FLUSH CACHE lasts"
    await port.run(Operation.RECORD, 0, 3, words)
    port.require(side.cached(), "the side of this check has a write cache")
    await _flush_alone(port)
    port.require(not side.cached(), lasting)
    await port.run(Operation.RECORD_FLUSH, 5, 3, words)
    port.require(not side.cached(), lasting)
    port.require(not port.extent.entries, "the journal is told nothing where nothing fails")
    return port


async def _flush_alone(port):
    await port.offer(Operation.FLUSH, 7, 9)
    await port.finish()
    await port.idle(60)
    port.require(not (port.began or port.commands or port.opened),
                 "FLUSH CACHE alone moves no words")
    port.require(not port.extent.entries, "the journal is told nothing of a FLUSH CACHE alone")


async def check_flush_failure(side):
    """The journal is told of the sectors that were recorded when FLUSH CACHE after them fails."""
    port = DrivePortContract(side)
    side.fail_flush()
    await port.run(Operation.RECORD_FLUSH, 3, 2, _words(0, 2))
    port.require(port.extent.told(JournalKind.UNFLUSHED) == {0, 1},
                 "the journal is told of the sectors that were not flushed")
    side.fail_flush()
    await _flush_alone(port)
    await check_recording(side, lba=3, sectors=2, flush=True)
    return port


# A queue ------------------------------------------------------------------------------------------

def _span_words(seed, spans):
    return _words(seed, sum(sectors for _, sectors in spans))


async def check_queue(side, *spans, operation=Operation.RECORD, seed=0, gives=1.0, gathers=False):
    """A recording moves its extent and the spans after it; no boundary shows in the commands."""
    port = DrivePortContract(side, seed=seed, gives=gives, gathers=gathers)
    words = _span_words(seed, spans)
    around = {lba: _words(seed + lba + 1, 1) for lba in range(side.capacity)
              if not any(first <= lba < first + sectors for first, sectors in spans)}
    for lba, before in around.items():
        side.write(lba, before)
    port.queue.coming += spans[1:]
    await port.run(operation, *spans[0], words)
    port.require(port.given == words, "the words of all spans are taken, in order")
    port.require(port.queue.extensions == len(spans) - 1, "extended comes for each span")
    port.require(all(side.read(lba, 1) == before for lba, before in around.items()),
                 "sectors outside of the extents are as they were")
    if not gathers:
        port.require(len(set(port.pauses)) <= 1, "no boundary of extents makes a pause")
    return port


async def check_late_span(side, *, after, seed=0):
    """A span that is offered at any time is moved, or is not taken."""
    port = DrivePortContract(side, seed=seed)
    spans = [(5, 2), (20, 2)]
    words = _span_words(seed, spans)
    await port.offer(Operation.RECORD, *spans[0], words)
    for clock in range(PATIENCE):
        if clock == after:
            port.queue.coming += [spans[1]]
        if (await port.clock())["extent__ready"]:
            break
    port.operation = None
    port.require(len(port.queue.taken) == port.queue.extensions, "extended comes for each span")
    port.require(port.given == words[:SECTOR_WORDS * 2 * (1 + len(port.queue.taken))],
                 "a span that was taken is moved")
    await port.idle(60)
    port.extent.judge_end(1, words, side)
    return port


async def check_refused_span(side, span, *, seed=0):
    """A span that cannot be moved ends the recording after the sectors that it had."""
    port = DrivePortContract(side, seed=seed)
    spans = [(5, 6), (20, 6), span, (40, 1)]
    words = _span_words(seed, spans[:2])
    port.queue.coming += spans[1:]
    await port.run(Operation.RECORD, *spans[0], words)
    port.require(port.given == words and port.queue.extensions == 1,
                 "extended comes for spans that lie within the drive, and for no others")
    port.require(len(port.queue.taken) == 2, "no span is taken after one that was refused")
    # Nothing of it stays.
    port.queue.coming.clear()
    await check_queue(side, (1, 3), (9, 3), seed=seed + 1)
    return port


async def check_no_queue(side, *, seed=0):
    """A playback takes no span."""
    port = DrivePortContract(side, seed=seed)
    words = _words(seed, 6)
    side.write(5, words)
    port.queue.coming += [(20, 2)]
    await port.run(Operation.PLAY, 5, 6)
    port.require(port.extent.good == words and not port.queue.taken, "a playback takes no span")
    return port


async def check_gathered_stop(side, *spans, after, seed=0):
    """After a stop what has arrived is moved, with the rest of its last sector, and no more."""
    port = DrivePortContract(side, seed=seed, gathers=True)
    words = _span_words(seed, spans)
    port.queue.coming += spans[1:]
    await port.offer(Operation.RECORD, *spans[0], words)
    for _ in range(PATIENCE):
        if port.arrived >= after:
            break
        await port.clock()
    port.stop()
    await port.finish()
    arrived = port.arrived
    sectors = -(-arrived // SECTOR_WORDS)
    port.require(len(port.given) == SECTOR_WORDS * sectors,
                 "after a stop only the last sector is filled up")
    port.require(port.given == words[:arrived] + [0] * (SECTOR_WORDS * sectors - arrived),
                 "the words that have arrived are moved, then zeros")
    port.side.set(stopped=0)
    return port


async def check_queue_failure(side, failure, *spans, seed=0, times=1, gathers=False, loses=False):
    """Commands fail at and around boundaries; each sector is done, skipped or in doubt."""
    port = DrivePortContract(side, seed=seed, gathers=gathers)
    words = _span_words(seed, spans)
    side.fail(failure)
    port.queue.coming += spans[1:]
    await port.offer(Operation.RECORD, *spans[0], words)
    for _ in range(PATIENCE):
        if times is not None and port.failures >= times:
            side.heal()
        if (await port.clock())["extent__ready"]:
            break
    port.operation = None
    side.heal()
    await port.idle(60)
    port.require(port.failures > 0, f"a command fails where {failure} was asked for")
    port.extent.judge_end(1, words, side)
    port.require(loses or not port.extent.skipped, "what is kept is moved again")
    return port


# Commands fail ------------------------------------------------------------------------------------

async def _fails(port, failure, operation, sectors, seed, times=None):
    """Runs an operation while commands fail; after ``times`` failures they do no more."""
    words = _words(seed, sectors)
    side = port.side
    if not operation & 1:
        side.write(5, words)
    side.fail(failure)
    await port.offer(operation, 5, sectors, words)
    for _ in range(PATIENCE):
        if times is not None and port.failures >= times:
            break
        if (await port.clock())["extent__ready"]:
            break
    side.heal()
    if port.side.get("extent__ready"):
        port.operation = None
    else:
        await port.finish()
    await port.idle(60)
    port.require(port.failures > 0, f"a command fails where {failure} was asked for")
    port.extent.judge_end(operation & 1, words, side)
    return words


async def check_reread(side, failure, *, sectors, seed=0, delivers=1.0, times=1):
    """A playback in which a command fails delivers all words of its extent, once."""
    port = DrivePortContract(side, seed=seed, delivers=delivers)
    words = await _fails(port, failure, Operation.PLAY, sectors, seed, times)
    port.require(port.extent.good == words,
                 "a playback whose command is moved again delivers the words of its extent")
    return port


async def check_retained(side, failure, *, sectors, seed=0, gives=1.0, times=1):
    """Each command of a recording asks for its words to be kept, and is moved again."""
    port = DrivePortContract(side, seed=seed, gives=gives)
    words = await _fails(port, failure, Operation.RECORD, sectors, seed, times)
    port.require(port.retained == port.commands,
                 "each command asks for its words to be kept where the side says so")
    port.require(side.read(5, sectors) == words,
                 "a command whose words were kept is moved again")
    return port


async def check_skip(side, failure, operation, *, sectors, seed=0, times=None):
    """What cannot be moved is skipped, and the journal shows it; what follows is moved."""
    port = DrivePortContract(side, seed=seed)
    await _fails(port, failure, operation, sectors, seed, times)
    extent = port.extent
    port.require(extent.skipped, "what cannot be moved is skipped")
    port.require(not extent.told(JournalKind.IN_DOUBT), "nothing is in doubt of what is skipped")
    return port


async def check_end(side, failure, operation, *, sectors, seed=0):
    """Where nothing helps the operation ends, and the journal is told what is in doubt."""
    port = DrivePortContract(side, seed=seed)
    await _fails(port, failure, operation, sectors, seed)
    port.require(port.extent.told(JournalKind.IN_DOUBT), "an operation ends where nothing helps")
    port.require(not port.extent.skipped, "nothing is skipped where that is not wanted")
    # Nothing of it stays.
    await check_recording(side, lba=5, sectors=sectors, seed=seed + 1)
    return port


async def check_no_room(side, failure, operation, *, sectors, seed=0):
    """Without room in the journal nothing is skipped: the operation ends."""
    port = DrivePortContract(side, seed=seed, room=False)
    await _fails(port, failure, operation, sectors, seed)
    port.require(port.extent.told(JournalKind.IN_DOUBT) and not port.extent.skipped,
                 "without room in the journal an operation ends")
    return port


async def check_tainted(side, failure, *, sectors, seed=0):
    """A playback that has delivered words which were not found good ends."""
    port = DrivePortContract(side, seed=seed, verifies=False)
    await _fails(port, failure, Operation.PLAY, sectors, seed, times=1)
    port.require(port.extent.tainted and port.extent.told(JournalKind.IN_DOUBT),
                 "a playback that is tainted ends")
    return port


async def check_lost(side, *, sectors, word, seed=0):
    """A command of which the recorder could not keep a word fails, and the word comes again."""
    port = DrivePortContract(side, seed=seed, loses=word)
    words = _words(seed, sectors)
    side.write(5, words)
    await port.run(Operation.PLAY, 5, sectors)
    port.require(port.failures == 1, "a command whose words were lost fails")
    port.require(port.extent.good == words, "the words that were lost come again")
    return port
