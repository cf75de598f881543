"""What may be only in the write cache of a campaign's drive, and what of it a power failure has taken
back."""

from .recording_check import RecordedStep


class CacheContents:
    """What is in the drive's write cache, as far as the core vouches for what is in it.

    ``volatile``: the drive has a cache, which a power failure empties; ``image`` is its medium, and
    ``longest`` the longest command in sectors.
    """

    def __init__(self, volatile, image, longest):
        self.volatile, self.image, self.longest = volatile, image, longest
        self.recorded = set()       # sectors reported as recorded, and not flushed since
        self.gone = set()           # sectors that a power failure took back since the last check

    def lost(self):
        """Sectors that a power failure has taken back since the last call."""
        found = set(self.image.lost) if self.volatile else set()
        if found:
            self.image.lost = []
        return found

    def between(self):
        """Notes what was lost since the end of an operation."""
        self.gone |= self.lost()

    def remember(self, step, report, found, lost, late, sure):
        """Notes what may be only in the drive's cache, and what of it is lost. COMMAND adds nothing to
        what the core vouches for, and removes something only by the FLUSH CACHE after it."""
        recorded = found and RecordedStep(step, report, found, self.longest)
        if step.command or not sure:
            self.gone |= lost
            if not sure:
                self.recorded -= {*range(step.lba, step.lba + step.sectors)}
            if step.command and step.operation == "flush":
                return
        elif step.operation.startswith("record"):
            end = report.done + report.skipped
            done = {*recorded.places(end)} if recorded else {*range(step.lba, step.lba + end)}
            self.gone |= lost if late else lost - done
            self.recorded |= done
        else:
            self.gone |= lost
        self.recorded -= report.doubt | (recorded.forgotten() if recorded else set())
        if step.operation in ("flush", "record_flush") and not report.error:
            self.recorded -= self.recorded - self.gone

    def check_unflushed(self, session):
        """Texts of what is wrong unless the core reports which sectors a power failure took back since they
        were recorded. What it reports is cleared."""
        outputs = session.outputs()
        first = outputs["unflushed_lba"]
        told = range(first, first + outputs["unflushed_sectors"]) if outputs["unflushed"] else ()
        problems = [f"unflushed: sector {lba} was lost with the cache, and the core does not report it"
                    for lba in sorted((self.gone & self.recorded).difference(told))]
        self.gone.clear()
        if outputs["unflushed"]:
            self.recorded.difference_update(told)
            session.engine.set(clear_unflushed=1)
            session.engine.run(1)
            session.engine.set(clear_unflushed=0)
        return problems
