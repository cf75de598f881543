"""What a sweep runs over, checked, and the cells that result."""

import math
import tomllib
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from ... import outputs
from ...facts.ata import LBA28_COMMAND_SECTORS, LBA48_COMMAND_SECTORS
from ...interface.configuration import Configuration, ConfigurationError
from ...interface.faults import faults_of
from ...firmware import Controller
from ..measurement import (SOURCE_HZ, carried, format_rate, has_source_stage, parse_frequency, parse_rate, parse_size,
                           words_per_clock)
from ...simulation import Profile, ProfileError, load_profile, simulated_profile
from ...facts.units import CEILINGS, DWORD_HZ, SECTOR_BYTES
from .cell import Cell

#: Cells that one sweep may have.
MOST_CELLS = 100_000
#: Without a size, a cell has at least this number of commands ...
COMMANDS = 4
#: ... and takes at least this long, if nothing but the link, the input rate and the turn-around hold it up.
SECONDS = 0.02
#: The longest turn-around: 32 bits of clocks at the fastest clock.
LONGEST_TURNAROUND_US = 28_000_000

_SectorCount = Annotated[int, Field(ge=1, le=65536)]
_Microseconds = Annotated[float, Field(ge=0, le=LONGEST_TURNAROUND_US, allow_inf_nan=False)]


class PlanError(ValueError):
    """A plan that cannot be run: a line for each mistake, with the key, its value and the limit."""


class Plan(BaseModel):
    """Every combination of these is measured; the keys of a TOML file have the same names.

    Texts that hold rates and sizes are read by :func:`..measurement.parse_rate` and
    :func:`..measurement.parse_size`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    #: Drive profiles: names of supplied ones, or files that end in .toml.
    drives: Annotated[list[str], Field(min_length=1)] = ["ideal"]
    #: Longest command in sectors.
    command_sizes: Annotated[list[_SectorCount], Field(min_length=1)] = [65536]
    #: The host's time between the status of a command and the next command.
    turnarounds_us: Annotated[list[_Microseconds], Field(min_length=1)] = [0.0]
    #: What runs the loop of commands: "hardwired", or a processor as NAME or NAME@HZ.
    controllers: Annotated[list[str], Field(min_length=1)] = ["hardwired"]
    #: Input rates of a sensor that cannot wait; empty: the stream is always ready.
    rates: list[str] = []
    #: Depth in words of the FIFO between sensor and core; omitted: endless.
    fifo_words: Annotated[int | None, Field(ge=1, le=1 << 40)] = None
    operations: Annotated[list[Literal["record", "play"]], Field(min_length=1)] = ["record"]
    #: Whether 28-bit commands are used.
    lba28: Annotated[list[bool], Field(min_length=1)] = [False]
    #: Data of each cell: sectors, or a text with a unit; omitted: as much as is needed.
    size: int | str | None = None
    #: Generation of the link; a drive whose fastest one is slower runs at its own.
    generation: Annotated[int, Field(ge=1, le=3)] = 2
    #: Depth of the core's own buffer in words.
    buffer_words: int = Configuration.model_fields["buffer_words"].default
    #: Bits of a beat of the stream that is recorded.
    width: Literal[8, 16, 32, 64, 128] = 32
    #: The clock of that stream, such as "100MHz" or in hertz; omitted: that of the core.
    source_clock: str | int | float | None = None
    #: Size of a memory, 128 bits wide, that is the core's buffer: bytes, or a text with a unit; omitted: none.
    memory: int | str = 0

    @field_validator("turnarounds_us", mode="before")
    @classmethod
    def _floats(cls, values: Any) -> Any:
        plain = isinstance(values, list)
        return [float(value) if type(value) is int else value for value in values] if plain \
            else values

    @field_validator("drives")
    @classmethod
    def _drives(cls, values: list[str]) -> list[str]:
        if not all(map(str.strip, values)):
            raise ValueError("the name of a drive is missing")
        return values

    @field_validator("rates")
    @classmethod
    def _rates(cls, values: list[str]) -> list[str]:
        for value in values:
            parse_rate(value)
        return values

    @field_validator("size")
    @classmethod
    def _size(cls, value: int | str | None) -> int | str | None:
        if value is not None:
            parse_size(str(value))
        return value

    @field_validator("memory")
    @classmethod
    def _memory(cls, value: int | str) -> int | str:
        if value == "":
            raise ValueError("must be a size such as 256MiB, or 0 for none")
        return value

    @classmethod
    def of(cls, values: dict[str, Any], *, path: Path | None = None, named: dict[str, str] | None = None) -> Self:
        """The plan of the TOML file ``path`` (or None), with ``values``, which take precedence.

        ``named`` gives the name under which the user knows a key of ``values``. Raises
        :class:`PlanError`.
        """
        found = _read(path) if path is not None else {}
        if path is not None and not found and not values:
            raise PlanError(f"{path}: is empty, and there is nothing to combine; its keys are "
                            f"{', '.join(cls.model_fields)}")
        try:
            return cls(**(found | values))
        except ValidationError as error:
            lines = [one.told(*((named or {}).get(one.field), None) if one.field in values else (None, str(path)))
                     for one in faults_of(cls, error)]
            raise PlanError("\n  ".join(lines if len(lines) < 2 else
                                        [f"the plan has {len(lines)} mistakes:", *lines])) from None

    @property
    def source_hz(self) -> float | None:
        """Frequency of the stream's clock, None if that is the core's. Raises :class:`PlanError`."""
        try:
            return None if self.source_clock is None else float(parse_frequency(str(self.source_clock)))
        except ValueError as error:
            raise PlanError(f"source_clock = {self.source_clock}: {error}") from None

    def configuration(self) -> Configuration:
        """The one core that all cells run on. Raises :class:`PlanError`."""
        memory: dict[str, Any] = {"memory": self.memory, "memory_width": 128} if self.memory else {}
        try:
            return Configuration(clock_hz=DWORD_HZ[self.generation],
                                 max_command_sectors=LBA48_COMMAND_SECTORS,
                                 buffer_words=self.buffer_words, pacing="programmable", source_width=self.width,
                                 source_clock=self.source_clock is not None, **memory)
        except ConfigurationError as error:
            raise PlanError(str(error)) from None

    def cells(self) -> list[Cell]:
        """The cells, none of them twice, in the order of drives, operations, 28-bit commands or not, rates, command
        sizes, turn-arounds and controllers. Raises :class:`PlanError`.

        Combinations that amount to the same (28-bit commands end at 256 sectors; a drive may have no
        others; a processor has its own pauses) make one cell.
        """
        configuration = self.configuration()
        if self.memory and self.controllers != ["hardwired"]:
            raise PlanError(f"memory = {self.memory}: not together with controllers = "
                            f"{', '.join(self.controllers)}: the bench of a processor has none")
        self._check_source(configuration)
        if self.rates and "play" in self.operations:
            raise PlanError(f"rates = {', '.join(self.rates)}: a sensor only records, not together with the "
                            "operation play")
        if self.fifo_words is not None and not self.rates:
            raise PlanError(f"fifo_words = {self.fifo_words}: only together with rates")
        combinations = self.combinations
        if combinations > MOST_CELLS:
            raise PlanError(f"{combinations:,} combinations: at most {MOST_CELLS:,}")
        rates = self._word_rates(configuration)
        controllers = self._controllers(configuration)
        found: dict[tuple[Any, ...], Cell] = {}
        for profile in self._profiles():
            for operation in self.operations:
                for lba28 in self.lba28:
                    for rate in rates:
                        for size in self.command_sizes:
                            for pause, controller in product(self.turnarounds_us, controllers):
                                cell = self._cell(configuration, profile, operation, lba28, rate,
                                                  size, pause, controller)
                                found.setdefault(cell.identity, cell)
        return list(found.values())

    def _check_source(self, configuration: Configuration) -> None:
        hz = self.source_hz
        if not has_source_stage(configuration):
            return
        what = f"width = {self.width}" if hz is None else f"source_clock = {self.source_clock}"
        if hz is not None and not SOURCE_HZ[0] <= hz <= SOURCE_HZ[1]:
            raise PlanError(f"{what}: must be {SOURCE_HZ[0] / 1e3:g} kHz to {SOURCE_HZ[1] / 1e9:g} GHz")
        if "play" in self.operations:
            raise PlanError(f"{what}: the stream is recorded, not together with the operation play")
        if self.controllers != ["hardwired"]:
            raise PlanError(f"{what}: not together with controllers = {', '.join(self.controllers)}")
        most = carried(configuration, hz)
        for text in self.rates:
            if parse_rate(text) > most:
                raise PlanError(f"rates = {text}: beats of {self.width} bits at "
                                f"{(hz or configuration.clock_hz) / 1e6:g} MHz carry {format_rate(most)}")

    @property
    def combinations(self) -> int:
        """The number of combinations, counting those that amount to the same."""
        return max(1, len(self.rates)) * math.prod(len(values) for values in (
            self.drives, self.operations, self.lba28, self.command_sizes, self.turnarounds_us, self.controllers))

    def _controllers(self, configuration: Configuration) -> list[Controller | None]:
        try:
            return [Controller.named(text.strip(), configuration.clock_hz)
                    for text in self.controllers]
        except ValueError as error:
            raise PlanError(f"controllers = {error}") from None

    def _profiles(self) -> list[Profile]:
        found: dict[str, Profile] = {}
        for name in self.drives:
            profile = _profile(name)
            if found.setdefault(profile.name, profile) != profile:
                raise PlanError(f"drives: two of them have the name {profile.name}")
        return list(found.values())

    def _word_rates(self, configuration: Configuration) -> list[Fraction | None]:
        try:
            return [words_per_clock(parse_rate(text), configuration.clock_hz)
                    for text in self.rates] or [None]
        except ValueError as error:
            raise PlanError(f"rates = {', '.join(self.rates)}: {error}") from None

    def _cell(self, configuration: Configuration, profile: Profile, operation: Literal["record", "play"],
              lba28: bool, rate: Fraction | None, size: int, pause: float, controller: Controller | None) -> Cell:
        if controller is not None:
            pause = 0.0     # firmware has its own pauses
        lba28 = lba28 or not profile.lba48
        size = min(size, LBA28_COMMAND_SECTORS) if lba28 else size
        sectors = parse_size(str(self.size)) if self.size is not None else \
            self._enough(configuration, profile, rate, size, pause)
        generation = min(self.generation, profile.generation)
        return Cell(configuration, profile, generation, operation, lba28, rate,
                    None if rate is None else self.fifo_words, size, pause, sectors, controller, self.source_hz)

    def _enough(self, configuration: Configuration, profile: Profile, rate: Fraction | None, size: int,
                pause: float) -> int:
        """Sectors enough for several commands and some time, but at most the whole drive."""
        pace = CEILINGS[min(self.generation, profile.generation)]
        if rate is not None:
            pace = min(pace, 4 * float(rate) * configuration.clock_hz)
        commands = max(COMMANDS, math.ceil(SECONDS / (SECTOR_BYTES * size / pace + pause * 1e-6)))
        return min(commands * size, profile.capacity_sectors)


def _profile(name: str) -> Profile:
    try:
        return simulated_profile(load_profile(name))
    except ProfileError as error:
        raise PlanError(f"drives = {name}: {error}") from None


def _read(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = outputs.parse(outputs.read_text(path), tomllib.loads)
        return found
    except OSError as error:
        raise PlanError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise PlanError(f"{path}: cannot be read as TOML: {error}") from None
