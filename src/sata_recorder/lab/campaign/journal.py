"""What a core reported about an operation: how it ended, and which parts of it are in doubt."""

from dataclasses import dataclass

from ...core.drive_port import Error, JournalKind

#: Errors of an operation that has issued no command.
_REFUSALS = (Error.NOT_READY, Error.ZERO_SECTORS, Error.OUT_OF_RANGE, Error.SECTOR_SIZE)
#: Entries that a core keeps.
ENTRIES = 32


@dataclass(frozen=True)
class JournalRecord:
    """An entry of the journal: ``position`` is a word (GAP) or an LBA, ``length`` likewise."""

    kind: int
    cause: int
    position: int
    length: int
    clocks: int


@dataclass(frozen=True)
class Report:
    """``done`` sectors, ``skipped`` of them; ``doubt`` set of LBAs that are reported as in doubt,
    passed over or perhaps lost; ``gaps`` list of (word, words), None if there were more than the
    journal holds; ``dropped`` words."""

    error: int
    done: int
    doubt: frozenset
    skipped: int = 0
    dropped: int = 0
    gaps: tuple | None = ()


def read_journal(session):
    """The entries of the latest operation, and whether there were more."""
    count = session.outputs()["journal_count"]

    def read(address):
        session.engine.set(journal_address=address)
        session.engine.run(3)
        return session.engine.output("journal_data")

    entries = []
    for number in range(min(count, ENTRIES)):
        kind, position, length, clocks = (read(4 * number + field) for field in range(4))
        entries.append(JournalRecord(kind & 0xF, kind >> 4 & 0xF, position, length, clocks))
    return entries, count > ENTRIES


def report_of(step, outputs, journal, core, longest):
    """The :class:`Report` on ``step``; ``longest`` is the longest command in sectors."""
    error, done = outputs["error"], outputs["sectors_done"]
    entries, more = journal
    doubt = frozenset(lba for entry in entries if entry.kind != JournalKind.GAP
                      for lba in range(entry.position, entry.position + entry.length))
    if not (core.journal and core.recovery) and step.operation != "flush":
        doubt |= _not_entered(step, outputs, done, longest)
    gaps = tuple((entry.position, entry.length) for entry in entries
                 if entry.kind == JournalKind.GAP)
    return Report(error, done, doubt, outputs["skipped_sectors"], outputs["dropped"],
                  None if more else gaps)


def _not_entered(step, outputs, done, longest):
    """The LBAs that are in doubt after ``step`` on a core without a journal or without recovery: those of the
    command in flight, which in a mode may be anywhere in its space, and those that the drive's cache may have lost."""
    found = set()
    if outputs["unflushed"]:
        found |= {*range(outputs["unflushed_lba"], outputs["unflushed_lba"] + outputs["unflushed_sectors"])}
    if outputs["error"] and outputs["error"] not in _REFUSALS:
        first, end = (0, step.sectors) if step.recording else (done, min(done + longest, step.sectors))
        found |= {*range(step.lba + first, step.lba + end)}
    return found
