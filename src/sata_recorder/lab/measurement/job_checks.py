"""What can be measured: the limits of the fields of a job, and which of them exclude each other.

All functions take a :class:`.job.Job` and raise :exc:`.job_error.JobError`.
"""

import os

from ...facts.ata import LBA28_SECTORS, LBA48_COMMAND_SECTORS, LBA48_SECTORS
from ...firmware import EXTENTS, PROCESSORS, SLOWEST, WAITS, unavailable
from ...pc.volume import harm
from ...simulation import File, qemu_missing
from ...facts.units import DWORD_HZ, SECTOR_BYTES, SECTOR_WORDS
from .array_images import array_geometry, check_count, check_images
from .channels import has_channels
from .files import check_files, check_room
from .job_error import JobError

#: Most words of the FIFO before the core.
_MOST_FIFO_WORDS = 1 << 40
#: Most clocks of the turn-around.
_MOST_TURNAROUND = (1 << 32) - 1
#: Most clocks of flow and of standstill in a periodic stall: longer ones would never end.
_MOST_FLOW, _MOST_STANDSTILL = 1_000_000_000, 1_000_000
_MOST_SEED = (1 << 64) - 1

#: What is reported for a depth that the FIFO cannot have.
FIFO_LIMIT = f"must be 1 to {_MOST_FIFO_WORDS}, or endless"


def most_sectors(lba48: bool) -> int:
    """The sectors that a drive can have, with ``lba48`` commands or without."""
    return LBA48_SECTORS if lba48 else LBA28_SECTORS


def turnaround_clocks(microseconds: float, clock_hz: float) -> int:
    """The clocks of ``clock_hz`` in a turn-around of so many ``microseconds``, rounded.

    Raises :exc:`.job_error.JobError` for the field ``turnaround_us`` if they do not fit 32 bits.
    """
    limit = _MOST_TURNAROUND / clock_hz * 1e6
    if not 0 <= microseconds <= limit:
        raise JobError("turnaround_us", f"{microseconds:g}", f"must be 0 to {limit:.0f}")
    return round(microseconds * 1e-6 * clock_hz)


def check_files_of(job):
    """Checks that the files can be read and written, and that there is something to play or to record."""
    playing = job.operation == "play"
    check_count(job)
    for image in job.kept_images if playing else ():
        if not os.path.exists(image):
            raise JobError("image", image, "no such file to play from")
    for image in job.kept_images or (None,):
        check_files({"data": job.input_file, "image": image},
                    {"image": None if playing else image, "trace": job.trace, "vcd": job.vcd},
                    overwrite=job.overwrite)
    if job.vcd_scope is not None and job.vcd is None:
        raise JobError("vcd_scope", job.vcd_scope, "needs ", ("vcd",))
    if playing and job.flush:
        raise JobError("flush", None, "nothing is recorded with ", ("operation", "play"))
    if not playing and job.data is None:
        raise JobError("data", None, "is missing, there is nothing to record")
    if job.samples < 0:
        raise JobError("samples", job.samples, "must be at least 0")
    if not 0 <= job.seed <= _MOST_SEED:
        raise JobError("seed", job.seed, f"must be 0 to {_MOST_SEED}")
    for name, hold in ("drive_hold", job.drive_hold), ("host_hold", job.host_hold):
        if hold.on > _MOST_FLOW or hold.off > _MOST_STANDSTILL:
            raise JobError(name, f"{hold.on}/{hold.off}", f"must be ON/OFF with ON 1 to "
                           f"{_MOST_FLOW} and OFF 0 to {_MOST_STANDSTILL}")


def check_drive(job):
    """Checks that drive, link and core fit together."""
    profile, configuration = job.profile, job.configuration
    _check_backend(job)
    if profile is not None:
        for name, given in (("drive_hold", job.drive_hold.off), ("hostile", job.hostile)):
            if given:
                raise JobError(name, None, "not together with ", ("profile", profile.name),
                               ", which states when the drive holds")
    if job.medium is not None and job.capacity is not None and job.capacity > profile.capacity_sectors:
        raise JobError("capacity", job.capacity, f"the {job.medium.WHAT} of {profile.name} has "
                       f"{profile.capacity_sectors} sectors")
    if profile is not None and job.generation > profile.generation:
        raise JobError("generation", job.generation, f"the drive {profile.name} is of generation "
                                                     f"{profile.generation}")
    if configuration.clock_hz < DWORD_HZ[job.generation]:
        raise JobError("clock_hz", f"{configuration.clock_hz:g}",
                       f"generation {job.generation} needs at least {DWORD_HZ[job.generation]:g}")
    if configuration.frames and not has_channels(configuration):
        raise JobError("frames", "true", "a measurement compares the words of the stream with those on "
                       "the drive")
    for option, value, plain in (("playback_width", configuration.playback_width, 32),
                                 ("playback_clock", configuration.playback_clock, False)):
        if value != plain:
            raise JobError(option, str(value).lower(),
                           "a measurement takes words of 32 bits in the core's clock")
    if configuration.memory and job.controller is not None:
        raise JobError("memory", configuration.memory, "not together with ", ("controller", job.controller.processor),
                       ", whose bench has none")
    if configuration.on_overflow == "drop":
        raise JobError("on_overflow", "drop", "a measurement needs stall; for a stream that cannot "
                       "wait there are ", ("input_rate",), " and ", ("fifo_words",))
    if not configuration.journal:
        raise JobError("journal", "false", "a measurement reads the journal")
    if not configuration.ledger:
        raise JobError("ledger", "false", "a measurement reads the ledger")


def _check_backend(job):
    if job.backend == "qemu":
        if job.profile is not None:
            raise JobError("backend", "qemu", "not together with ", ("profile", job.profile.name),
                           ": QEMU's disk has no timing")
        if not job.lba48:
            raise JobError("lba48", job.lba48, "not together with ", ("backend", "qemu"),
                           ": QEMU's disk has 48-bit commands")
        if text := qemu_missing():
            raise JobError("backend", "qemu", text)


def check_image_has_sectors(job):
    """Checks that an image that is played holds something."""
    size = os.path.getsize(job.image)
    if size < SECTOR_BYTES:
        raise JobError("image", job.image, f"holds no whole sector, {size} bytes")


def check_capacity(job):
    """Checks that a capacity that was requested has room for all that the image holds."""
    if job.image is None or not os.path.exists(job.image):
        return
    held = os.path.getsize(job.image) // SECTOR_BYTES
    if 1 <= job.capacity < held:
        raise JobError("capacity", job.capacity, "is less than the ", f"{held} sectors of ",
                       ("image", job.image))
    if job.backend == "qemu" and job.capacity > held:
        raise JobError("capacity", job.capacity, "is more than the ", f"{held} sectors of ",
                       ("image", job.image), ", which is all of QEMU's disk")


def check_extent(job):
    """Checks that the data fit the sectors, the sectors the drive, and the image the disk of this machine."""
    _check_data(job)
    limit = most_sectors(job.lba48)
    if not 1 <= job.capacity <= limit:
        raise JobError("capacity", job.capacity, f"must be 1 to {limit} sectors",
                       *(() if job.lba48 else (" with ", ("lba48", False))))
    sectors, whose = job.capacity, "drive"
    if job.configuration.drives > 1:
        sectors, whose = job.places.sectors, "array"
    if not 0 <= job.lba < sectors:
        raise JobError("lba", job.lba, f"must be 0 to {sectors - 1}, the {whose} has {sectors} sectors")
    if job.sectors > sectors:
        raise JobError("sectors", job.sectors, f"are more than the {whose}'s capacity of {sectors}")
    if job.lba + job.sectors > sectors:
        raise JobError("lba", job.lba, f"{job.sectors} sectors from there end beyond the {whose}'s "
                                       f"capacity of {sectors}")
    if job.image is not None and job.operation != "play":
        check_room({job.image: job.sectors})
        if not job.overwrite and (text := harm(job.image, job.lba, job.sectors)):
            raise JobError("lba", job.lba, text, "; ", ("overwrite",), " permits recording there")
    if job.images and job.operation != "play":
        check_images(job)


def check_array(job):
    """Checks what a measurement of several drives can have, and sets where their sectors are."""
    drives = job.configuration.drives
    if drives == 1:
        return
    for name, given, value in (
            ("smart", job.smart, None),
            ("controller", job.controller is not None, job.controller and job.controller.processor),
            ("backend", job.backend != "model", job.backend)):
        if given:
            raise JobError(name, value, "not together with ", ("drives", drives), ", which are simulated without it")
    if job.places is None:
        try:
            object.__setattr__(job, "places", array_geometry(job.configuration, job.capacity))
        except ValueError as error:
            raise JobError("capacity", job.capacity, str(error)) from None


def _check_data(job):
    if job.sectors < 1:
        raise JobError("sectors", job.sectors, "must be at least 1")
    if job.input_file is not None:
        size = os.path.getsize(job.input_file)
        if size == 0:
            raise JobError("data", job.input_file, "is empty, there is nothing to record")
        if size > SECTOR_BYTES * job.sectors:
            raise JobError("sectors", job.sectors, ("data", job.input_file),
                           f" has {size} bytes and needs {-(-size // SECTOR_BYTES)}")
    if job.operation != "play" and job.data.words < SECTOR_WORDS * job.sectors:
        raise JobError("data", None, f"{job.data.words} words are less than the "
                                     f"{SECTOR_WORDS * job.sectors} of {job.sectors} sectors")


def check_stream(job):
    """Checks that a stream that cannot wait is recorded, is not held up, and continues after words are lost."""
    rate = job.input_rate
    if rate is None:
        if job.fifo_words != 1:
            raise JobError("fifo_words", "endless" if job.fifo_words is None else job.fifo_words,
                           "needs ", ("input_rate",))
        return
    value = f"{rate.words}/{rate.clocks} words a clock"
    for other, given in ((("operation", job.operation), job.operation == "play"),
                         (("data", job.input_file), isinstance(job.data, File)),
                         (("host_hold",), job.host_hold.off)):
        if given:
            raise JobError("input_rate", value, "not together with ", other)
    if rate.words > rate.clocks:
        raise JobError("input_rate", value, "the stream takes a word a clock")
    if job.fifo_words is not None and not 1 <= job.fifo_words <= _MOST_FIFO_WORDS:
        raise JobError("fifo_words", job.fifo_words, FIFO_LIMIT)


def check_controller(job):
    """Checks that the processor exists, that its clock can be simulated, and that it alone sets the pace."""
    controller, clock_hz = job.controller, job.configuration.clock_hz
    for name, value, choice in (("controller", controller.processor, [*PROCESSORS]),
                                ("controller_wait", controller.wait, WAITS),
                                ("controller_extent", controller.extent, EXTENTS)):
        if value not in choice:
            raise JobError(name, value, f"must be one of {', '.join(choice)}")
    if not clock_hz / SLOWEST <= controller.hz <= clock_hz:
        raise JobError("controller_hz", f"{controller.hz:g}",
                       f"must be {clock_hz / SLOWEST:g} to {clock_hz:g}, the clock of the core")
    whose = "controller", controller.processor
    if controller.wait == "interrupt" and not PROCESSORS[controller.processor].interrupts:
        raise JobError("controller_wait", controller.wait, "not together with ", whose,
                       ", whose firmware only polls")
    if job.turnaround_clocks or job.configuration.pacing == "programmable":
        raise JobError(*(("turnaround_clocks", job.turnaround_clocks) if job.turnaround_clocks else
                         ("pacing", "programmable")), "not together with ", whose,
                       ", which sets the pace itself")
    if job.command_limit and controller.extent == "whole":
        raise JobError("command_limit", job.command_limit, "not together with ",
                       ("controller_extent", "whole"))
    if not 0 <= job.command_limit <= job.configuration.max_command_sectors:
        raise JobError("command_limit", job.command_limit,
                       f"must be 0 to {job.configuration.max_command_sectors}, the core's longest "
                       "command")
    if job.vcd is not None:
        raise JobError("vcd", job.vcd, "not together with ", whose,
                       ": there are waves of the core alone")
    if text := unavailable():
        raise JobError("controller", controller.processor, text)


def check_pacing(job):
    """Checks that the core can take the pause and the length of the commands."""
    limits = {"turnaround_clocks": (job.turnaround_clocks, _MOST_TURNAROUND),
              "command_limit": (job.command_limit, LBA48_COMMAND_SECTORS)}
    for name, (value, limit) in limits.items():
        if not 0 <= value <= limit:
            raise JobError(name, value, f"must be 0 to {limit}")
        if value and job.configuration.pacing != "programmable":
            raise JobError(name, value, "needs ", ("pacing", "programmable"))
