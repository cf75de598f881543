"""A model of the modes of a recording: what must be where, as far as the core vouches for it."""

from collections import defaultdict
from dataclasses import dataclass

from ...core.drive_port import Error
from ...facts.units import SECTOR_BYTES, SECTOR_WORDS
from .recording_step import ANY_AHEAD
from .segment_check import check_segments


@dataclass(frozen=True)
class RecordedStep:
    """What the core reports about the recording of ``step``: ``report`` states how it ended, ``found`` is its
    `Recorded`, ``longest`` the longest command in sectors."""

    step: object
    report: object
    found: object
    longest: int

    @property
    def end(self):
        """How many sectors are written, or passed over."""
        return self.report.done + self.report.skipped

    def places(self, end):
        """By LBA, the sectors of the recording before sector ``end`` that are written there, in order."""
        step, recording = self.step, self.step.recording
        room = recording.room(step.sectors)
        firsts, position = [0], recording.position
        if recording.mode == "TRIGGERED":
            firsts = [segment["first"] // SECTOR_WORDS for segment in self.found.segments]
            position = 0
        by_lba = defaultdict(list)
        for number, (first, last) in enumerate(zip(firsts, [*firsts[1:], end])):
            for sector in range(first, min(last, end)):
                offset = number * room + (position + sector - first) % room
                by_lba[step.lba + offset].append(sector)
        return by_lba

    def forgotten(self):
        """The LBAs that TRIM may have taken, of those that the core does not report as holding something."""
        trimmed = self.step.recording.trimmed(self.step.sectors)
        if not trimmed:
            return set()
        # If it is not reported: as many as there can be.
        reach = self.end + self.longest + trimmed
        oldest = self.found.oldest
        if oldest is None:
            oldest = max(0, reach - self.step.recording.room(self.step.sectors))
        written = self.places(self.end)
        return {lba for lba in self.places(reach) if lba not in written or written[lba][-1] < oldest}

    def holding(self, stream, before):
        """A function of a sector of the recording: what its place may hold when it is checked, bytes each.
        What is in doubt may have words of each."""
        perhaps = self.places(self.end + self.longest)
        lbas = {sector: lba for lba, sectors in perhaps.items() for sector in sectors}
        zeros = [bytes(SECTOR_BYTES)] if self.step.recording.trimmed(self.step.sectors) else []

        def wanted(sector):
            return stream.read(SECTOR_WORDS * sector, SECTOR_WORDS)

        def held(sector):
            lba = lbas[sector]
            if lba not in self.report.doubt:
                return [wanted(sector)]
            old = before[SECTOR_BYTES * lba:SECTOR_BYTES * (lba + 1)]
            return [old, *zeros, *map(wanted, perhaps[lba])]

        return held

    def check(self, outputs, stream, contents, lost, late, logical):
        """Texts of what is wrong.

        ``outputs`` are the core's at the end; ``stream`` has the words, ``contents`` the disk before
        and after; ``lost`` and ``late`` as in :mod:`.scoreboard`; ``logical`` sectors are one of the drive's.
        """
        step, found = self.step, self.found
        problems = [*_check_words(self, outputs), *_check_ends(self, logical)]
        if step.recording.mode == "TRIGGERED":
            if outputs["error"] not in (Error.ZERO_SECTORS, Error.OUT_OF_RANGE):
                problems += check_segments(
                    step.recording, step.sectors, found.segments, found.hits, found.accepted,
                    found.triggers, spill=SECTOR_WORDS * 6 * step.recording.chunk)
        elif [(0, found.accepted)] != [(segment["first"], segment["end"])
                                       for segment in found.segments]:
            problems.append(f"segments: one of {found.accepted} words is not {found.segments}")
        # Where sectors belong follows from the segments.
        return problems or _check_disk(self, stream, contents, lost, late)


def _check_words(recorded, outputs):
    """What is wrong with the number of accepted words, and with where the recording ended."""
    step, report, found = recorded.step, recorded.report, recorded.found
    words, most = found.accepted, step.recording.most_words(step.sectors)
    if outputs["words"] != words:
        yield f"count: {outputs['words']} words, {words} taken"
    if most is not None and words > most:
        yield f"count: {words} words, there is room for {most}"
    if found.stopped is not None and not found.stopped <= words <= found.stopped + 1:
        yield f"stop: {words} words, {found.stopped} before the stop"
    if report.error or found.stopped is not None:
        return
    if step.recording.mode == "RING":
        yield "count: a ring ended without a stop"
    if step.recording.mode == "TRIGGERED":
        parts = step.sectors // step.recording.room(step.sectors)
        wanted = min(step.recording.segments or parts, parts)
        complete = [segment["flags"] >> 1 & 1 for segment in found.segments]
        if complete != [1] * wanted:
            yield f"segments: {sum(complete)} are complete, and the recording ended without a stop"
    if most is not None and words != most:
        yield f"count: success, and {words} of {most} words"


def _check_ends(recorded, logical):
    """What is wrong with the sectors that the core reports as there, against those that must be."""
    step, report, found, longest = recorded.step, recorded.report, recorded.found, recorded.longest
    end, sectors = recorded.end, -(-found.accepted // SECTOR_WORDS)
    if found.newest not in (end, None):
        yield f"newest: {found.newest} sectors, {end} done or skipped"
    accepted = -(-sectors // logical) * logical
    if step.recording.mode == "FIXED" or step.recording.ahead == ANY_AHEAD:
        # A command that needs none of its words is passed over before they come, several in a row.
        most = accepted + longest + report.skipped
    else:
        most = accepted + min(step.recording.ahead, longest)
    if found.passed is not None:
        # After a stop there is the command that had begun, and what holds words.
        most = min(most, max(accepted, found.passed + longest))
    if end > most:
        yield f"count: {end} sectors written, {sectors} accepted"
    if not report.error and end < sectors:
        yield f"count: success, and {end} of {sectors} sectors written"
    firsts = [0]
    if step.recording.mode == "TRIGGERED":
        firsts = [segment["first"] // SECTOR_WORDS for segment in found.segments]
    if firsts and end > firsts[-1] and found.oldest is not None:
        wanted = max(firsts[-1], end - step.recording.room(step.sectors))
        trimmed = step.recording.trimmed(step.sectors)
        most = max(wanted, end + trimmed - step.recording.room(step.sectors)) if trimmed else wanted
        if found.oldest < wanted or not report.error and found.oldest > most:
            yield f"oldest: sector {found.oldest}, it is {wanted} to {most}"


def _check_disk(recorded, stream, contents, lost, late):
    """Texts of what is wrong unless each sector of the space has what was written there last."""
    step, report, end = recorded.step, recorded.report, recorded.end
    before, after = contents
    problems = []
    data = stream.read(0, recorded.found.accepted)

    def wanted(sector):
        return data[SECTOR_BYTES * sector:SECTOR_BYTES * (sector + 1)].ljust(SECTOR_BYTES, b"\0")

    gone, nothing = recorded.forgotten(), bytes(SECTOR_BYTES)
    zeros = [nothing] if step.recording.trimmed(step.sectors) else []
    # A command in flight may have reached what follows the end; then it is in doubt.
    written, perhaps = recorded.places(end), recorded.places(end + recorded.longest)
    for lba in range(step.lba, step.lba + step.sectors):
        old, new = (disk[SECTOR_BYTES * lba:SECTOR_BYTES * (lba + 1)] for disk in (before, after))
        if lba in report.doubt:
            if lba not in lost and not _mixed(new, [old, *zeros, *map(wanted, perhaps[lba])]):
                problems.append(f"doubt: sector {lba} holds no words of this recording, nor old "
                                "ones")
        elif lba in gone:
            if lba not in lost and new not in (old, nothing, *map(wanted, written[lba])):
                problems.append(f"trim: sector {lba} holds neither zeros nor what was there")
        elif written[lba]:
            sector = written[lba][-1]
            if new != wanted(sector) and not (late and lba in lost):
                why = " after a power failure" if lba in lost else ""
                problems.append(f"data: sector {lba}, reported to hold sector {sector} of the "
                                f"recording, does not{why}")
        elif new != old and lba not in lost:
            problems.append(f"stray: sector {lba} was written, and the core does not report it")
    return problems


def _mixed(now, choices):
    """Whether each word of a sector is that of one of the ``choices``."""
    return now in choices or all(
        any(now[at:at + 4] == choice[at:at + 4] for choice in choices)
        for at in range(0, SECTOR_BYTES, 4))
