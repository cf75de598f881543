"""What is on the disk, and what was played, against what the core reported about it."""

from ...facts.units import SECTOR_BYTES, SECTOR_WORDS


def _place(sectors):
    """The bytes of the range ``sectors`` on a disk."""
    return slice(sectors.start * SECTOR_BYTES, sectors.stop * SECTOR_BYTES)


def _sectors(data):
    return [data[start:start + SECTOR_BYTES] for start in range(0, len(data), SECTOR_BYTES)]


def recording(data, report):
    """The words that belong on the disk, as bytes: of ``data`` that crossed the input, those that
    were not dropped. None if only their number is known."""
    if not report.dropped:
        return data
    if report.gaps is None:
        return None
    parts, taken, kept = [], 0, 0
    for position, length in report.gaps:
        parts.append(data[4 * taken:4 * (taken + position - kept)])
        taken += position - kept + length
        kept = position
    return b"".join([*parts, data[4 * taken:]])


def check_recorded(step, report, wanted, before, after, lost, late=False):
    """Texts of what is wrong on the disk after a recording.

    ``wanted`` are the bytes that belong there, ``before`` and ``after`` the whole disk; ``lost``
    the sectors that a power failure took back meanwhile; ``late``: after the last status.
    """
    problems = []
    end = report.done + report.skipped
    wanted = _sectors(wanted.ljust(step.sectors * SECTOR_BYTES, b"\0"))
    extent = _place(range(step.lba, step.lba + step.sectors))
    old, new = _sectors(before[extent]), _sectors(after[extent])
    for index in range(step.sectors):
        lba = step.lba + index
        if lba in report.doubt:
            # What a power failure took back may be older than the operation.
            if lba not in lost and not _mixed(new[index], old[index], wanted[index]):
                problems.append(f"doubt: sector {lba} holds neither old nor new words")
        elif index < end:
            if new[index] != wanted[index] and not (late and lba in lost):
                why = " after a power failure" if lba in lost else ""
                problems.append(f"data: sector {lba}, reported as recorded, is not{why}"
                                + _whose(new[index], old[index], wanted))
        elif new[index] != old[index] and lba not in lost:
            problems.append(f"stray: sector {lba} was written, and the core does not report it")
    return problems


def _mixed(now, old, wanted):
    if now in (old, wanted):
        return True
    pieces = [now[at:at + 4] in (old[at:at + 4], wanted[at:at + 4])
              for at in range(0, SECTOR_BYTES, 4)]
    return all(pieces)


def _whose(now, old, wanted):
    if now == old:
        return ": it is as it was"
    return f": it holds sector {wanted.index(now)} of the stream" if now in wanted else ""


def check_untouched(step, before, after, lost):
    """Texts of the sectors outside of a recording that have changed nevertheless."""
    extent = range(0)
    if step.operation.startswith("record"):
        extent = range(step.lba, step.lba + step.sectors)
    inside = _place(extent)
    if before[:inside.start] == after[:inside.start] and before[inside.stop:] == after[inside.stop:]:
        return []
    changed = [lba for lba, (old, new) in enumerate(zip(_sectors(before), _sectors(after)))
               if old != new and lba not in extent and lba not in lost]
    return [f"stray: sector {lba} outside of the extent was written" for lba in changed]


def check_complete(step, report, words, partly):
    """What is wrong unless success means all words, but for those of sectors that were passed over in the
    end, or after a stop: ``partly``."""
    if report.error or report.skipped or partly or words == SECTOR_WORDS * step.sectors:
        return []
    return [f"count: success, and {words} of {SECTOR_WORDS * step.sectors} words"]


def check_misaligned(plan, counted, commands):
    """Compares the count of misaligned commands with those that crossed the port."""
    wanted = sum(any((at + plan.offset) % plan.physical for at in (one.lba, one.lba + one.sectors))
                 for one in commands if one.kind == "write")
    return [] if counted == wanted else [
        f"misaligned: {counted} commands were counted, {wanted} were"]


def check_played(step, report, received, before, after):
    """Texts of what is wrong with the bytes ``received``; the disk was ``before`` and ``after``."""
    problems = []
    end = report.done + report.skipped
    for index, got in enumerate(_sectors(received)[:end]):
        lba = step.lba + index
        place = slice(lba * SECTOR_BYTES, lba * SECTOR_BYTES + len(got))
        if lba not in report.doubt and got not in (before[place], after[place]):
            problems.append(f"data: sector {lba}, reported as played, came out wrong")
    return problems
