"""A recording in one of its modes: what is requested, and what came of it."""

from dataclasses import dataclass, field

from ...interface.group import WORD
from ...interface.recording import RecordingMode
from ...simulation import File
from ...interface.trim import TRIM_AHEAD_BITS
from ...facts.units import SECTOR_BYTES, SECTOR_WORDS
from .job_error import JobError
from .looks import LookPlan, check_looks

#: The modes by the names that they have outside of the gateware.
MODES = {"fixed": RecordingMode.FIXED, "until-stop": RecordingMode.UNTIL_STOPPED,
         "ring": RecordingMode.RING, "trigger": RecordingMode.TRIGGERED}
_MOST_SEGMENTS = 16
#: A tenth of a second for each TRIM is 7,500,000 clocks of Gen2 to simulate, which takes seconds.
_MOST_TRIM_US = 100_000
#: Chunks for which a part has room besides the words of its segment: up to three follow it, each of
#: fewer sectors than two.
_CHUNKS = 6


@dataclass(frozen=True)
class RecordingPlan:
    """What a recording does with the job's sectors; numbers of words, of 32 bits, count accepted ones.

    ``mode``, a name of :data:`MODES`; ``words`` to record (fixed; 0: all that there is room for),
    or after each trigger (trigger); ``stop_after`` the words after which stop comes (None: it does
    not); ``triggers`` the words after each of which a trigger comes; ``segments``: the sectors are
    cut into this many parts (trigger); ``extend``: a trigger after that of a segment makes it
    longer; ``ahead``: see ``recording_ahead``; ``trim_ahead``: TRIM runs this many sectors ahead of a ring
    (0: there is none), and the simulated drive takes ``trim_us`` microseconds for each of its commands;
    ``looks`` while it records.
    """

    mode: str
    words: int = 0
    stop_after: int | None = None
    triggers: tuple = ()
    segments: int = 1
    extend: bool = False
    ahead: int = 0
    trim_ahead: int = 0
    trim_us: float = 0.0
    looks: LookPlan | None = None

    def part(self, sectors: int) -> int:
        """The sectors of a part, of ``sectors`` in all."""
        return sectors // self.segments

    @staticmethod
    def chunk(buffer_words: int) -> int:
        """The sectors of an extent in which a part is queued: what a buffer of ``buffer_words`` holds."""
        return max(1, buffer_words // SECTOR_WORDS)

    def controls(self, sectors: int, buffer_words: int) -> dict[str, int]:
        """The inputs of the core, by name, for a recording of ``sectors`` with a buffer of ``buffer_words``."""
        return {"recording_mode": MODES[self.mode], "recording_words": self.words,
                "recording_position": 0, "recording_part": self.part(sectors),
                "recording_chunk": self.chunk(buffer_words),
                "recording_segments": self.segments, "recording_extend": self.extend,
                "recording_ahead": self.ahead,
                **({"trim_ahead": self.trim_ahead} if self.trim_ahead else {})}

    def most_words(self, sectors: int) -> int | None:
        """The words after which it ends in ``sectors``, if nothing ends it before; None: that is not known."""
        if self.mode == "trigger":
            return None
        room = [SECTOR_WORDS * sectors] if self.mode in ("fixed", "until-stop") else []
        return min([*room, *filter(None, (self.words, self.stop_after))], default=None)

    def events(self, sectors: int) -> list[tuple[int, str]]:
        """(words, name of the control) of what comes while it records into ``sectors``, in order.

        A recording whose triggers were too near to each other for all its segments is stopped when
        no further one can end.
        """
        stop = self.stop_after
        if stop is None and self.mode == "trigger":
            stop = max(self.triggers) + self.words + 2 * SECTOR_WORDS * self.part(sectors)
        return sorted([*((words, "recording_trigger") for words in self.triggers),
                       *([] if stop is None else [(stop, "stop")])])


@dataclass
class RecordingReport:
    """What came of a :class:`RecordingPlan`.

    ``words`` accepted; ``first_sector`` and ``sectors`` of the recording that are still on the drive (its
    sector s has the words 128 s to 128 s + 127), in the latest part if there are several;
    ``checked_words`` that were compared with what was offered; ``stop_clocks`` from stop to done, None
    without a stop; ``segments`` of the core's table, a dictionary each, with ``lba`` of its part; ``trim``:
    what the core reports about TRIM ahead of the ring, None if there was none: ``state``, ``sectors``,
    ``clocks``. ``looks``: what came of them, see :meth:`.looks.LookRun.report`, and how long words waited
    ``with`` and ``without`` them; None if there were none.
    """

    mode: str
    words: int
    first_sector: int
    sectors: int
    checked_words: int
    stop_clocks: int | None
    segments: list = field(default_factory=list)
    trim: dict | None = None
    looks: dict | None = None


def held_words(job):
    """The words that the buffers of all drives hold."""
    return job.configuration.drives * job.configuration.buffered_words


def check_recording(job):
    """Checks that the job's core can carry out the plan, on its sectors."""
    plan, extents = job.recording, job.configuration.extents
    if job.configuration.files:
        raise JobError("files", "true", "must be false: a measurement names its sectors itself")
    if plan is None:
        if extents != "single":
            raise JobError("extents", extents,
                           "must be single: a measurement moves one extent an operation"
                           + ("" if extents == "queued" else ", or needs a mode"))
        return
    whose = "mode", plan.mode
    if extents != "modes":
        raise JobError(*whose, "needs ", ("extents", "modes"))
    if job.operation != "record":
        raise JobError("operation", job.operation, "not together with ", whose)
    if job.controller is not None:
        raise JobError("controller", job.controller.processor, "not together with ", whose)
    if job.backend != "model":
        raise JobError("backend", job.backend, "not together with ", whose)
    if isinstance(job.data, File) and plan.mode in ("ring", "trigger"):
        raise JobError("data", job.data.path, "not together with ", whose,
                       ", which takes any number of words")
    _check_words(job, plan, whose)
    if plan.mode == "trigger":
        _check_parts(job, plan)
    _check_trim(job, plan, whose)
    check_looks(job)


def _check_trim(job, plan, whose):
    if plan.trim_us and not plan.trim_ahead:
        raise JobError("trim_us", f"{plan.trim_us:g}", "needs ", ("trim_ahead",))
    if plan.trim_ahead and plan.mode != "ring":
        raise JobError("trim_ahead", plan.trim_ahead, "needs ", ("mode", "ring"))
    if plan.trim_ahead and not job.configuration.trim_ahead:
        raise JobError("trim_ahead", plan.trim_ahead, "needs a core with trim_ahead = true")
    logical = job.logical_sector // SECTOR_BYTES
    most = min(job.sectors // 4, (1 << TRIM_AHEAD_BITS) - 1)
    most -= most % logical
    if (plan.trim_ahead or job.configuration.trim_ahead) and not 0 <= plan.trim_ahead <= most:
        raise JobError("trim_ahead", plan.trim_ahead, f"must be 0 to {most}, a quarter of the ring in "
                       f"whole logical sectors and no more than {(1 << TRIM_AHEAD_BITS) - 1}, with ", whose)
    if plan.trim_ahead % logical:
        # The core rounds it down.
        raise JobError("trim_ahead", plan.trim_ahead, f"must be a multiple of {logical} with ",
                       ("logical_sector", job.logical_sector))
    if not 0 <= plan.trim_us <= _MOST_TRIM_US:
        raise JobError("trim_us", f"{plan.trim_us:g}", f"must be 0 to {_MOST_TRIM_US}")


def _check_words(job, plan, whose):
    room = SECTOR_WORDS * job.sectors
    if plan.words and plan.mode not in ("fixed", "trigger"):
        raise JobError("words", plan.words, "needs ", ("mode", "fixed"), " or ",
                       ("mode", "trigger"))
    if plan.mode == "fixed" and not 0 <= plan.words <= room:
        raise JobError("words", plan.words, f"must be 1 to {room}, what the sectors hold")
    width = job.configuration.array_width
    if plan.words % (beat := width // WORD):
        raise JobError("words", plan.words, f"must be a multiple of {beat} with ", ("array_width", width))
    for name, given in (("triggers", plan.triggers), ("segments", plan.segments != 1),
                        ("extend", plan.extend)):
        if given and plan.mode != "trigger":
            raise JobError(name, None, "needs ", ("mode", "trigger"))
    if plan.mode == "ring" and plan.stop_after is None:
        raise JobError(*whose, "needs ", ("stop_after",), ": a ring has no end")
    if plan.stop_after is not None and plan.stop_after < 1:
        raise JobError("stop_after", plan.stop_after, "must be at least 1")
    if plan.mode == "ring" and job.sectors < (least := plan.chunk(held_words(job))):
        raise JobError("sectors", job.sectors, f"must be at least {least}, what the buffer holds, with ", whose)
    drives = job.configuration.drives
    if drives > 1 and plan.ahead and plan.mode in ("ring", "trigger"):
        raise JobError("ahead", plan.ahead, "must be 0 with ", ("drives", drives), " and ", whose,
                       ": it would be unknown what of the ring the drives have begun to write over")


def _check_parts(job, plan):
    if not 1 <= plan.segments <= _MOST_SEGMENTS:
        raise JobError("segments", plan.segments, f"must be 1 to {_MOST_SEGMENTS}, the entries of "
                       "the table")
    if plan.words == 0:
        raise JobError("mode", plan.mode, "needs ", ("words",), ", at least 1: the words after a trigger")
    if plan.words < 1:
        raise JobError("words", plan.words, "must be at least 1 with ", ("mode", "trigger"),
                       ": the words after a trigger")
    if any(words < 0 for words in plan.triggers):
        raise JobError("triggers", min(plan.triggers), "must be at least 0")
    if len(plan.triggers) < plan.segments and plan.stop_after is None:
        raise JobError("segments", plan.segments, f"there are {len(plan.triggers)} triggers: give "
                       "more, or ", ("stop_after",))
    chunk = plan.chunk(held_words(job))
    least = -(-plan.words // SECTOR_WORDS) + _CHUNKS * chunk
    if plan.part(job.sectors) < least:
        raise JobError("sectors", job.sectors, f"each of the {plan.segments} parts must have at "
                       f"least {least}: those of the words after a trigger, and {_CHUNKS} times "
                       f"the {chunk} that the buffer holds")
