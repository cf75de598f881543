"""What must hold for the readbacks of a recording: each word, and how each readback ended."""

from ...interface.look import LookState
from ...facts.units import SECTOR_BYTES, SECTOR_WORDS

#: Whole commands after which a readback without a limit of room must have begun.
_COMMANDS = 6


def check_looks(found, core, clocks, held, faults, longest, logical=1):
    """Texts of what is wrong with the readbacks of the recording ``found`` by a core with the configuration
    ``core``.

    ``clocks`` of the recording; ``held(sector)`` are the contents that a sector may have, or a mixture of
    their words; ``faults`` are the clocks in which one has struck; ``longest`` command in sectors;
    ``logical`` sectors are one logical sector of the drive.
    """
    problems = []
    for number, look in enumerate(found.looks):
        for text in _check(look, found, core, held, faults, longest, logical):
            problems.append(f"look: number {number}, {look.count} sectors from {look.sector}, {text}")
    ready = sum(look.state is LookState.READY for look in found.looks)
    perhaps = sum(look.state is None for look in found.looks)
    if not ready <= found.looks_ready <= ready + perhaps:
        problems.append(f"look: {found.looks_ready} are counted as ready, {ready} are")
    least = sum(SECTOR_WORDS * look.count for look in found.looks if look.state is LookState.READY)
    reads = perhaps or any(look.reads or look.state in (LookState.READY, LookState.FAILED)
                           for look in found.looks)
    if not least <= found.look_clocks <= (clocks if reads else 0):
        problems.append(f"look: {found.look_clocks} clocks of {clocks}, at least {least}")
    return problems


def _check(look, found, core, held, faults, longest, logical):
    state, end = look.state, look.sector + look.count
    if state is None or state is LookState.IDLE and look.withdrawn is not None:
        return      # it is unknown how it would have ended
    long = not 1 <= look.count <= core.look_sectors
    splits = look.sector % logical > 0 or look.count % logical > 0
    # The core does not know the logical sectors of a drive that is away.
    unknown = splits and not long and state is LookState.GONE and (faults or not look.end.runs)
    refused = state is LookState.OUT_OF_RANGE or unknown
    if bool(refused) != (long or splits):
        yield f"ended as {state.name}"
    elif state is LookState.IDLE:
        yield "was withdrawn by nobody"
    elif state in (LookState.WAITS, LookState.READS):
        yield f"is {state.name} after its recording"
    elif state is LookState.GONE and look.end.runs and look.end.oldest <= look.sector \
            and end <= min(look.begun.newest, look.judged.newest) and \
            look.end.newest < found.newest:     # none after the last command
        yield f"is gone, and the sectors {look.end.oldest} to {look.begun.newest - 1} are there"
    elif state is LookState.FAILED and not any(clock <= look.end.clock for clock in faults):
        yield "failed without a fault"
    elif state is LookState.READY:
        yield from _check_ready(look, held, end)
    if look.waits and look.end and look.room == 0 and not faults and \
            look.end.done - look.waits.done > _COMMANDS * longest:
        yield f"waited for {look.end.done - look.waits.done} sectors"


def _check_ready(look, held, end):
    if look.sector < look.begun.oldest or look.judged is not None and end > look.judged.newest:
        yield (f"is ready, and the sectors {look.begun.oldest} to "
               f"{(look.judged or look.end).newest - 1} were there")
        return
    got = b"".join(word.to_bytes(4, "little") for word in look.words)
    for sector in range(look.sector, end):
        now = got[SECTOR_BYTES * (sector - look.sector):SECTOR_BYTES * (sector - look.sector + 1)]
        choices = held(sector)
        if len(now) < SECTOR_BYTES:
            return      # another readback took its place before they were read
        if now not in choices and any(
                all(now[at:at + 4] != choice[at:at + 4] for choice in choices)
                for at in range(0, SECTOR_BYTES, 4)):
            yield f"has other words of sector {sector}"
            return
