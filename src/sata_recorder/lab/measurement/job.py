"""What is measured, checked when it is made."""

from dataclasses import asdict, dataclass, field, is_dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from ...interface.configuration import Configuration
from ...interface.group import WORD
from ...firmware import Controller
from ...simulation import File, Hold, Pattern, Profile, Rate, Waves
from ...facts.units import DWORD_HZ, SECTOR_BYTES
from . import job_checks
from .array_images import laid_out
from .channels import check_channels
from .drive_health import check_smart
from .logical_sector import check_logical_sector
from .source_stage import check_source, fifo_words_of
from .recording_plan import RecordingPlan, check_recording

#: Sectors of a drive if nothing else is requested: 32 GB, as flash modules have it.
_CAPACITY = 62_533_296
#: The generation of a link if nothing else is requested.
_GENERATION = 2
#: Fields that do not decide what comes out, or do so by what is in them.
_IDLE = ("data", "image", "images", "places", "trace", "vcd", "vcd_scope", "overwrite")
#: The history of a simulated drive with SMART, the same as in `station`.
_AGED = {"hours": 1200, "amplification": 1.4}
#: What a profile states about itself for people.
_DESCRIPTIVE = {"name", "description", "source", "sources", "notes", "estimates", "fitted"}


@dataclass(frozen=True)
class Job:
    """One measurement: a core, a drive, an operation, and the stream at the core.

    Parameters mean what the options of the same names do (:mod:`.options`), but for these:

    - ``configuration`` of the core. Its clock is at least the dword rate of the link.
    - ``sectors``, ``lba`` and ``capacity`` are numbers of 512 bytes.
    - ``data``: a producer of what is recorded (see :mod:`...simulation.pattern`), whole sectors of
      it. When playing alone it is what the disk holds from ``lba`` on: an ``image`` must begin with
      it (None: anything), a disk in memory is filled with it.
    - ``images`` are those of the drives of an array, in any order if they are members of one, else by lane; either all
      exist or none. ``places`` then is where the sectors are, a :class:`...pc.array.Geometry` (None: on all of
      ``capacity``).
    - ``profile``: the drive's timing, a :class:`...simulation.Profile`; None: it never waits.
    - ``medium``: the parameters of the flash or the disk inside, a :class:`sata_drive_model.flash.FlashDrive` or a
      :class:`sata_drive_model.disk.DiskDrive`, from which the rates follow; the profile is then that of
      :func:`.inside.inside_of`. ``medium_state``: what was done with it before, "new", "filled",
      "rested" or "steady".
    - ``backend``: what executes the drive's commands: "model", or "qemu", QEMU's ATA disk behind the
      link of the model. That has 48-bit commands, no profile, and an existing ``image`` is all of
      its ``capacity``.
    - ``drive_hold`` and ``host_hold``: periodic stalls of the drive in dwords, and of the stream in
      clocks, of at most 1,000,000. A drive with a profile holds when the profile states it.
    - ``turnaround_clocks`` delay each command that follows another, 0 to 2^32 - 1, and
      ``command_limit`` is the longest command in sectors (0: that of the configuration); both need
      programmable pacing.
    - ``controller``: the :class:`...firmware.Controller` whose firmware operates the core, with
      operations of ``command_limit`` sectors (0: the core's longest command); None: the core's own
      sequencer makes all commands of one operation. It needs fixed pacing.
    - ``fifo_words`` in front of the core (None: one that is never full).
    - ``source_hz``: the frequency of ``s_axis_aclk``, of a core with ``source_clock``.
    - ``written_bytes`` to a drive with ``smart`` before; QEMU's disk has figures of its own.

    Raises :exc:`.job_error.JobError`, which names the field, for all that cannot be measured.
    """

    configuration: Configuration
    operation: str
    lba: int
    sectors: int
    capacity: int | None = None
    data: Any = field(default=None, repr=False)
    image: str | None = None
    lba48: bool = True
    logical_sector: int = 512
    generation: int | None = None
    profile: Any = None
    medium: Any = None
    medium_state: str | None = None
    backend: str = "model"
    drive_hold: Hold = Hold()
    host_hold: Hold = Hold()
    hostile: bool = False
    seed: int = 0
    flush: bool = False
    turnaround_clocks: int = 0
    command_limit: int = 0
    controller: Controller | None = None
    input_rate: Rate | None = None
    fifo_words: int | None = 1
    source_hz: float | None = None
    recording: RecordingPlan | None = None
    smart: bool = False
    written_bytes: int = 0
    samples: int = 200
    trace: str | None = None
    vcd: str | None = None
    vcd_scope: str | None = None
    overwrite: bool = False
    images: tuple[str, ...] = ()
    places: Any = None

    def __post_init__(self) -> None:
        job_checks.check_files_of(self)
        if self.profile is not None and not self.profile.lba48:
            object.__setattr__(self, "lba48", False)
        if self.generation is None:
            object.__setattr__(self, "generation", usual_generation(self.profile))
        job_checks.check_drive(self)
        if found := laid_out(self):
            for name, value in zip(("images", "capacity", "places"), found, strict=True):
                object.__setattr__(self, name, value)
        if self.capacity is None:
            object.__setattr__(self, "capacity", self._usual_capacity())
        else:
            job_checks.check_capacity(self)
        job_checks.check_array(self)
        job_checks.check_extent(self)
        check_logical_sector(self)
        check_smart(self)
        job_checks.check_stream(self)
        check_recording(self)
        check_channels(self)
        check_source(self)
        if self.controller is None:
            job_checks.check_pacing(self)
        else:
            job_checks.check_controller(self)

    @property
    def kept_images(self) -> tuple[str, ...]:
        """The files of the drive, or of the drives of an array; none if they are in memory."""
        return self.images if self.image is None else (self.image,)

    @property
    def waves(self) -> Waves | None:
        """The VCD file that is written, and of what; None if none is."""
        return Waves(self.vcd, ports_only=self.vcd_scope == "ports") if self.vcd else None

    @property
    def _dword_hz(self) -> float:
        return DWORD_HZ[self.generation or usual_generation(self.profile)]

    def _usual_capacity(self) -> int:
        usual = _CAPACITY if self.profile is None else self.profile.capacity_sectors
        held = 0
        if self.image is not None and Path(self.image).exists():
            held = Path(self.image).stat().st_size // SECTOR_BYTES
        if self.operation == "play" and self.image is not None:
            job_checks.check_image_has_sectors(self)
            usual = held
        if self.backend == "qemu" and held:
            usual = held
        most = min(max(held, usual), job_checks.most_sectors(self.lba48))
        return most - most % max(1, self.logical_sector // SECTOR_BYTES)

    @property
    def words_ahead(self) -> int | None:
        """The words for which there is room before the core's own buffer; None: any number."""
        core, fifo = self.configuration, fifo_words_of(self)
        stage = core.source_depth * max(1, core.source_width // WORD) if core.source_clock else 0
        return None if fifo is None else stage + fifo

    @property
    def single_commands(self) -> bool:
        """Whether each command is an operation of its own."""
        return self.controller is not None and self.controller.extent == "command"

    @property
    def input_file(self) -> str | None:
        """The path of the file that the data are from; None if they are generated."""
        return self.data.path if isinstance(self.data, File) else None

    def drive(self, model: Any, image: Any, serial: str = "SN0001") -> Any:
        """The drive on ``image``, from the drive model's package ``model``; QEMU's has its own ``serial``."""
        behaviour = model.Behaviour.random(self.seed) if self.hostile else model.Behaviour()
        if self.drive_hold.off:
            behaviour.throttle = behaviour.underrun = tuple(self.drive_hold)
        if self.backend == "qemu":
            return model.QemuDrive(image, behaviour=behaviour)
        health: Any = None
        trims = self.recording is not None and self.recording.trim_ahead > 0
        if self.smart or trims:
            health = model.Health(written_bytes=self.written_bytes, **(_AGED if self.smart else {}))
        if self.recording is not None and trims:
            health.trim_dwords = round(1e-6 * self.recording.trim_us * self._dword_hz)
        if self.profile is None:
            return model.Drive(image, behaviour=behaviour, lba48=self.lba48, serial=serial,
                               logical_sector=self.logical_sector, health=health)
        return model.Drive(image, behaviour=behaviour, lba48=self.lba48, model=self.profile.model, serial=serial,
                           logical_sector=self.logical_sector, health=health,
                           medium=self._medium(model))

    def _medium(self, model):
        profile = self.profile.drawn(self.seed)
        if self.medium is None:
            return model.Medium(profile, self._dword_hz)
        if self.medium.WHAT == "disk":
            return model.DiskMedium(self.medium, profile, self._dword_hz, self.medium_state == "filled")
        return model.flash_medium(self.medium, profile, self._dword_hz, self.medium_state)

    def conditions(self) -> dict[str, Any]:
        """All that decides what comes out, in a form that JSON can hold: the key of a result.

        It has the pattern of generated data, but not the content of files.
        """
        pattern = [self.data.kind, self.data.seed] if isinstance(self.data, Pattern) else None
        return {"pattern": pattern, **{name: _plain(value) for name, value in vars(self).items()
                                       if name not in _IDLE}}


def usual_generation(profile: Profile | None) -> int:
    """The generation of the link to a drive of ``profile`` (or None) if none is requested."""
    return _GENERATION if profile is None else min(profile.generation, _GENERATION)


def _plain(value):
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude=_DESCRIPTIVE)
    return asdict(value) if is_dataclass(value) else value
