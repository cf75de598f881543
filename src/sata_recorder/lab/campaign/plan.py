"""One run of a campaign as data: core, drive, operations and their faults; random ones by seed."""

import json
import random
from fractions import Fraction
from dataclasses import asdict
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator
from sata_drive_model.behaviour import Behaviour
from sata_drive_model.faults import Fault

from ... import outputs
from ...facts.units import SECTOR_WORDS
from ...interface.faults import faults_of
from ...interface.group import WORD
from . import logical_sector
from .command_step import COMMANDS, random_command
from .configurations import CORES, core_called
from .drive_health import DEGREES, POWER_UPS, SILENT
from .fault_generator import random_fault
from .look_step import random_looks
from .recording_step import CHUNKS, RecordingStep, random_recording

#: Sectors of the drives.
CAPACITY = 400
#: The last ones belong to the operations that check whether all is well in the end.
CLEAN_LBA, CLEAN_SECTORS = 390, 9
_LONGEST = 48
_FRIENDLY = asdict(Behaviour())
_LINES = ({}, {}, {}, {"line_rate": (1, 2), "skew": 1}, {"line_rate": (2, 3)},
          {"line_rate": (9, 10), "skew": 4, "round_trip": 15}, {"round_trip": 24})


class FaultPlanError(ValueError):
    """A text that is not a plan: which field, and why."""


_Count = Annotated[int, Field(ge=1, le=1_000_000)]


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Step(_Data):
    """One operation and the faults that are armed at its start.

    ``hold`` is the pattern of the stream (clocks of flow, clocks of standstill); ``stop_after``
    words are taken when it is stopped, None: it is not; ``idle`` clocks pass after its end before
    the faults that have not struck are withdrawn; ``recording`` is what a core with modes does in
    the extent, None: fills it. ``command`` is issued as COMMAND, with data as ``operation`` states,
    None: the operation itself. ``power_fail`` clocks after ``stop_after`` words, or after the start,
    power is about to fail, in place of the stop.
    """

    operation: Literal["record", "record_flush", "play", "flush"]
    lba: int = Field(0, ge=0, le=CAPACITY)
    sectors: int = Field(1, ge=1, le=CAPACITY)
    hold: tuple[Annotated[int, Field(ge=1)], Annotated[int, Field(ge=0)]] = (1, 0)
    stop_after: int | None = Field(None, ge=0)
    idle: int = Field(0, ge=0, le=100_000)
    recording: RecordingStep | None = None
    command: Literal[tuple(COMMANDS)] | None = None
    power_fail: int | None = Field(None, ge=0, le=100_000)
    faults: tuple[Fault, ...] = ()

    @model_validator(mode="after")
    def _inside(self):
        if self.lba + self.sectors > CLEAN_LBA:
            raise ValueError(f"lba + sectors = {self.lba + self.sectors}: at most {CLEAN_LBA}")
        if self.recording and not self.operation.startswith("record"):
            raise ValueError(f"recording: not together with operation = {self.operation}")
        if self.recording and self.recording.mode == "RING" and self.stop_after is None:
            raise ValueError("a ring has no end: stop_after is missing")
        if self.command and (self.recording or COMMANDS[self.command].operation
                             != self.operation.removesuffix("_flush" * self.is_recorded)):
            raise ValueError(f"command = {self.command}: not together with {self.operation}")
        return self

    @property
    def all_faults(self):
        """Its faults, and those of its readbacks."""
        looks = self.recording.looks if self.recording else ()
        return (*self.faults, *(fault for look in looks for fault in look.faults))

    @property
    def is_recorded(self):
        """Whether words go to the drive."""
        return self.operation.startswith("record")


class FaultPlan(_Data):
    """A run: ``core``, see :func:`.configurations.core_called`; ``seed`` of the data and of the drive's random
    numbers; ``behaviour`` fields of the drive's `Behaviour`; ``line`` keywords of `DrivePort`;
    ``lba48`` commands; ``volatile`` gives the drive a write cache that a power failure empties;
    ``power_up`` names one of :data:`.drive_health.POWER_UPS`, ``silent`` what it never answers, None: nothing;
    ``fua`` gives it WRITE DMA FUA EXT, ``smart`` SMART and a temperature of ``celsius`` degrees (None: it
    does not report it); ``physical`` logical sectors are a physical one of the drive, which begins ``offset``
    before LBA 0; ``logical`` sectors of 512 bytes are a logical one; ``command_limit`` is that of a core with
    programmable pacing, 0: none; ``source_clock`` (clocks of the source, clocks of the core) and ``source_rate``
    (beats, clocks of the source, if that does not wait) are those of a core with a source stage."""

    core: str
    seed: int = Field(0, ge=0)
    behaviour: dict = {}
    line: dict = {}
    lba48: bool = True
    volatile: bool = True
    fua: bool = False
    smart: bool = False
    celsius: Literal[DEGREES] = 35
    power_up: Literal[None, *POWER_UPS] = None
    silent: Literal[None, *SILENT] = None
    physical: Literal[1, 2, 8, 128] = 1
    offset: int = Field(0, ge=0, lt=128)
    logical: Literal[logical_sector.LENGTHS] = 1
    command_limit: int = Field(0, ge=0, le=CAPACITY)
    source_clock: tuple[_Count, _Count] = (1, 1)
    source_rate: tuple[_Count, _Count] = (1, 1)
    steps: tuple[Step, ...]

    @field_validator("core")
    @classmethod
    def _there(cls, value):
        core_called(value)
        return value

    @field_validator("behaviour", "line")
    @classmethod
    def _pairs(cls, value):
        return {name: _tuples(one) for name, one in value.items()}

    @model_validator(mode="after")
    def _known(self):
        for name in self.behaviour:
            if name not in _FRIENDLY or name == "mute":
                raise ValueError(f"a drive's behaviour has no field {name}")
        for name in self.line:
            if name not in ("line_rate", "skew", "round_trip"):
                raise ValueError(f"a line has no field {name}")
        core = self.configuration
        if core.extents != "modes" and any(step.recording for step in self.steps):
            raise ValueError(f"the core {self.core} has no modes of a recording")
        if not core.trim_ahead and any(step.recording and step.recording.trim_ahead for step in self.steps):
            raise ValueError(f"the core {self.core} has no TRIM ahead of a ring")
        if not core.look_sectors and any(step.recording and step.recording.looks for step in self.steps):
            raise ValueError(f"the core {self.core} has no looks while it records")
        if not core.commands and any(step.command for step in self.steps):
            raise ValueError(f"the core {self.core} has no commands")
        if not core.power_fail and any(step.power_fail is not None for step in self.steps):
            raise ValueError(f"the core {self.core} has no power_fail")
        if self.command_limit and core.pacing != "programmable":
            raise ValueError(f"the core {self.core} has no command_limit")
        if self.logical != 1 and not core.long_logical_sectors:
            raise ValueError(f"the core {self.core} has no long logical sectors")
        if self.logical != 1 and self.physical != 1:
            raise ValueError(f"physical = {self.physical}: must be 1 with logical = {self.logical}")
        return self

    @property
    def configuration(self):
        """The configuration of its core."""
        return core_called(self.core)

    def leaves_unanswered(self, step):
        """Whether the drive never answers the COMMAND of ``step``."""
        return bool(step.command and self.silent) and COMMANDS[step.command].silence == self.silent

    @property
    def faults(self):
        """All faults of all steps."""
        return [fault for step in self.steps for fault in step.all_faults]

    def text(self):
        """The plan as JSON, without what has its default."""
        return json.dumps(self.model_dump(exclude_defaults=True), indent=1) + "\n"

    @classmethod
    def of_text(cls, text):
        """The plan of :meth:`text`. Raises :exc:`FaultPlanError`."""
        try:
            values = outputs.parse(text, json.loads)
        except ValueError as error:
            raise FaultPlanError(f"not JSON: {error}") from None
        try:
            return cls(**values)
        except ValidationError as error:
            raise FaultPlanError("; ".join(one.told() for one in faults_of(cls, error, inner=True))) from None
        except TypeError:
            raise FaultPlanError("not a JSON object with the fields of a plan") from None


def _tuples(value):
    """Tuples for lists: JSON knows no tuples."""
    return tuple(map(_tuples, value)) if isinstance(value, (list, tuple)) else value


def random_plan(seed, kinds, cores=tuple(CORES)):
    """The plan that ``seed`` stands for, with one to four faults of ``kinds``."""
    rng = random.Random(f"campaign {seed}")
    hostile = Behaviour.random(seed) if rng.random() < 0.4 else Behaviour()
    behaviour = {name: value for name, value in vars(hostile).items() if value != _FRIENDLY[name]}
    steps = [_step(rng) for _ in range(rng.randint(1, 3))]
    for _ in range(rng.choice((1, 1, 2, 3, 4))):
        number = rng.randrange(len(steps))
        step = steps[number]
        fault = random_fault(rng, rng.choice(kinds), step.operation, step.lba, step.sectors)
        steps[number] = step.model_copy(update={"faults": (*step.faults, fault)})
    fields = {"core": rng.choice(cores), "seed": seed, "behaviour": behaviour,
              "line": rng.choice(_LINES), "lba48": rng.random() < 0.8,
              "volatile": rng.random() < 0.8}
    # Fields that were added later have generators of their own: the rest of a seed's plan stays as it was.
    core = core_called(fields["core"])
    unit = random.Random(f"campaign drive {seed}")
    fields["physical"] = unit.choice((1, 2, 8, 8, 128))
    fields["offset"] = unit.randrange(fields["physical"])
    fields["fua"] = unit.random() < 0.7
    fields["smart"] = unit.random() < 0.7
    fields["celsius"] = random.Random(f"campaign degrees {seed}").choice(DEGREES)
    fields |= _unusual(random.Random(f"campaign unusual drive {seed}"), core)
    if core.extents == "modes":
        steps = [_in_a_mode(rng, step, core) for step in steps]
    later = random.Random(f"campaign commands {seed}")
    long = core.long_logical_sectors and unit.random() < 0.8
    # A COMMAND counts the drive's own sectors, and the core does not check them.
    if core.commands and not long:
        steps = [_as_command(later, step, core) for step in steps]
    if core.power_fail:
        steps = [_before_a_power_cut(later, step) for step in steps]
    if long:
        fields |= {"logical": logical_sector.LENGTHS[1], "physical": 1, "offset": 0}
        steps = [_whole(unit, step) for step in steps]
    if core.trim_ahead:
        steps = [_with_trim(unit, step) for step in steps]
    if core.pacing == "programmable":
        fields["command_limit"] = random.Random(f"campaign limit {seed}").choice((0, 0, 1, 2, 3, 5, 40))
    if core.look_sectors:
        looks = random.Random(f"campaign looks {seed}")
        steps = [_with_looks(looks, step, core, fields.get("logical", 1), kinds)
                 for step in steps]
    if core.source_clock:
        fields |= _source(random.Random(f"campaign source {seed}"), core)
    return FaultPlan(steps=tuple(steps), **fields)


def _source(rng, core):
    """Clock and rate of a source."""
    clock = rng.choice(((1, 1), (3, 1), (1, 3), (100, 99), (4, 3)))
    words = Fraction(rng.choice((2, 5, 8, 10, 12)), 10)     # in a clock of the core
    rate = min(Fraction(1), words / Fraction(*clock) / max(1, core.source_width // WORD))
    return {"source_clock": clock, "source_rate": rate.as_integer_ratio()}


def _unusual(rng, core):
    """Fields of an unusual drive."""
    found = {}
    if rng.random() < 0.2:
        found["power_up"] = rng.choice([*POWER_UPS])
    silent = rng.choice(SILENT)
    # Without a retry such a silence ends the recording, which is another matter.
    goes_on = core.recovery and core.retries
    if goes_on and rng.random() < 0.15 and (core.trim_ahead if silent == "trim" else core.smart_temperature):
        found["silent"] = silent
    return found


def _with_trim(unit, step):
    """The step, with TRIM ahead if it records a ring."""
    if not step.recording or step.recording.mode != "RING" or unit.random() < 0.1:
        return step
    ahead = unit.choice((unit.randint(1, 4), unit.randint(1, 40), 1000))
    return step.model_copy(update={"recording": step.recording.model_copy(update={"trim_ahead": ahead})})


def _with_looks(rng, step, core, logical, kinds):
    """The step, with readbacks if it records in a mode."""
    if not step.recording or rng.random() < 0.2:
        return step
    words = SECTOR_WORDS * step.sectors if step.stop_after is None else step.stop_after
    looks = random_looks(rng, core, logical, words, range(step.lba, step.lba + step.sectors), kinds)
    return step.model_copy(update={"recording": step.recording.model_copy(update={"looks": looks})})


def _as_command(rng, step, core):
    """The step, or a COMMAND in its place with faults of the same kinds."""
    if rng.random() < 0.6:
        return step
    name, operation, sectors = random_command(rng, min(core.max_command_sectors, _LONGEST))
    lba = rng.randrange(CLEAN_LBA - _LONGEST)
    faults = tuple(random_fault(rng, fault.kind, operation, lba, sectors) for fault in step.faults)
    most = SECTOR_WORDS * sectors
    stop = rng.choice((0, rng.randint(0, most), most - 1)) if operation != "flush" and rng.random() < 0.3 else None
    return Step(operation=operation, lba=lba, sectors=sectors, hold=step.hold, idle=step.idle,
                stop_after=stop, command=name, faults=faults)


def _before_a_power_cut(rng, step):
    """The step, during which power may be about to fail."""
    if rng.random() < 0.75:
        return step
    clocks = rng.choice((rng.randint(0, 30), rng.randint(0, 600), rng.randint(0, 6000)))
    return step.model_copy(update={"power_fail": clocks})


def _whole(unit, step):
    """The step on a drive with long logical sectors; now and then one that splits them. The drive
    that comes back may have others."""
    faults = tuple(fault.model_copy(update={"identity": "sector"})
                   if fault.kind == "altered" and unit.random() < 0.3 else fault
                   for fault in step.faults)
    fits = step.operation == "flush" or unit.random() < 0.08 and step.lba + step.sectors <= \
        logical_sector.CLEAN_LBA
    return (step if fits else logical_sector.fitted(step, CHUNKS)).model_copy(update={"faults": faults})


def _in_a_mode(rng, step, core):
    """The step, with a mode if it records; its faults strike anywhere in the recording."""
    if not step.operation.startswith("record") or rng.random() < 0.1:
        return step
    recording, space = random_recording(rng, core.buffer_words, CLEAN_LBA // 2)
    lba = rng.randint(0, CLEAN_LBA - space.sectors)
    words = space.stop_after if space.stop_after is not None else SECTOR_WORDS * space.sectors
    faults = tuple(
        random_fault(rng, fault.kind, step.operation, lba, max(1, min(
            space.sectors, words // SECTOR_WORDS)))
        for fault in step.faults)
    # A slow stream makes commands of a sector each: long recordings are fast ones.
    hold = step.hold if words < 4000 else rng.choice(((1, 0), (5, 1), (300, 200)))
    return step.model_copy(update={
        "recording": recording, "lba": lba, "sectors": space.sectors, "hold": hold,
        "stop_after": space.stop_after, "faults": faults})


def _step(rng):
    operation = rng.choice(("record", "record_flush", "record_flush", "play", "play", "flush"))
    if operation == "flush":
        return Step(operation=operation, idle=rng.choice((0, 300)))
    lba = rng.choice((0, rng.randrange(CLEAN_LBA - _LONGEST)))
    sectors = rng.choice((rng.randint(1, 4), rng.randint(1, _LONGEST)))
    hold = rng.choice(((1, 0), (1, 0), (rng.randint(1, 300), rng.randint(1, 300))))
    stop = rng.randint(0, 128 * sectors) if rng.random() < 0.15 else None
    return Step(operation=operation, lba=lba, sectors=sectors, hold=hold, stop_after=stop,
                idle=rng.choice((0, 0, 300)))
