"""The configuration of a core: one frozen, validated description."""

import tomllib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pydantic import ValidationError

from .. import outputs
from ..facts.units import DWORD_HZ
from . import GROUPS
from .faults import Fault, conversions, faults_of, nearest
from .group import STREAM_DEPTH, WORD, Group
from .options import ArrayOptions, CoreOptions, ExportOptions, RecordingOptions, RecoveryOptions, WatchOptions
from .rules import broken

__all__ = ["NAMED", "Configuration", "ConfigurationError", "configuration_file", "configured"]

#: The configurations that verification concentrates on: name to TOML file.
NAMED = {path.stem: path for path in sorted(Path(__file__).with_name("named").glob("*.toml"))}

_SLOWEST_HZ = min(DWORD_HZ.values())


class ConfigurationError(ValueError):
    """A configuration that cannot be: all its ``faults``, those of a ``file`` that has some of its values, or the
    ``problem`` of a file that cannot be read.

    ``field`` and ``value`` are those of the first fault, None where there is none. ``options`` are the names of the
    fields that are not from the file.
    """

    def __init__(self, problem: str | None = None, faults: Iterable[Fault] = (), file: Path | None = None,
                 options: Iterable[str] = ()) -> None:
        self.faults, self.file, self.options = tuple(faults), file, frozenset(options)
        first = self.faults[0] if self.faults else None
        self.field: str | None = first.field if first else None
        self.value: object = first.value if first else None
        self.problem = problem or (first.problem if first else "")
        super().__init__(problem, self.faults, file, self.options)

    def told(self, names: Mapping[str, str]) -> str:
        """The text for a user who knows some fields by other ``names``: a line, or one for each fault."""
        lines = [one.told(names.get(one.field), None if self.file is None or one.field in self.options
                          else str(self.file)) for one in self.faults]
        if len(lines) < 2:
            return "".join(lines) or self.problem
        return "\n  ".join([f"the configuration has {len(lines)} mistakes:", *lines])

    def __str__(self) -> str:
        return self.told({})


def configuration_file(path: str | Path) -> Path:
    """The file that ``path`` means: itself if it is there, else that of :data:`NAMED` with this name."""
    path = Path(path)
    return path if path.exists() else NAMED.get(str(path), path)


class Configuration(ExportOptions, ArrayOptions, RecordingOptions, WatchOptions, RecoveryOptions, CoreOptions):
    """What is fixed when the core is built: the parts of :mod:`.options`, side by side.

    What cannot be raises :exc:`ConfigurationError`, which names each field, its value and what is allowed. Nothing is
    converted: true is no number, and "no" is not false. Times are seconds and become clock counts through
    ``clock_hz``, in Hz, which may be slower than any link for a simulation: see `too_slow`. The table in
    docs/verilog.md, Configuration, has each field, with its unit; sectors are of 512 bytes.
    """

    if not TYPE_CHECKING:       # mypy knows the fields from pydantic
        def __init__(self, **values: Any) -> None:
            wrong = {one.field: one for one in conversions(type(self), values)}
            try:
                super().__init__(**{name: value for name, value in values.items() if name not in wrong})
            except ValidationError as error:
                wrong |= {one.field: one for one in faults_of(type(self), error)}
                super().__init__(**{name: value for name, value in values.items() if name not in wrong})
            # What is right is compared all the same.
            for name in wrong:
                self.__dict__.pop(name, None)
            faults = [wrong[name] for name in values if name in wrong]
            faults += [Fault(field, values.get(field, self.__dict__[field]), sentence, whole=True)
                       for field, sentence in broken(self)]
            if faults:
                raise ConfigurationError(faults=faults)

    @property
    def groups(self) -> frozenset[Group]:
        """The :class:`.group.Group` objects that there are besides those of every core."""
        return frozenset(group for group in GROUPS if group.exists(self))

    @property
    def at_pins(self) -> Self:
        """The same core with plain pins and streams of 32 bits in its own clock, which is what a console has."""
        return self.simulated.model_copy(update={
            "source_width": WORD, "source_clock": False, "source_waits": True, "source_depth": STREAM_DEPTH})

    @property
    def simulated(self) -> Self:
        """The same core with plain pins and a stream of playbacks of 32 bits in its own clock, which is what a compiled
        simulation has."""
        return self.model_copy(update={
            "control": "pins", "playback_width": WORD, "playback_clock": False, "playback_fill": 0,
            "playback_depth": STREAM_DEPTH})

    @property
    def skips_but_files(self) -> bool:
        """Whether sectors of a recording are passed over, and none of the files stage's own."""
        return self.files and self.on_failure == "skip"

    def clocks(self, seconds: float) -> int:
        """The number of clocks that ``seconds`` take, at least 1."""
        return max(1, round(seconds * self.clock_hz))

    @property
    def too_slow(self) -> str | None:
        """What ``clock_hz`` must be, where no link runs with this clock; None where one may."""
        return None if self.clock_hz >= _SLOWEST_HZ else (
            f"must be at least {_SLOWEST_HZ:.0f}, the dword rate of the slowest link, Gen1")

    def summary(self) -> str:
        """The configuration as one line of JSON, for the head of what is exported."""
        return self.model_dump_json()

    @classmethod
    def from_toml(cls, path: str | Path) -> Self:
        """Reads the configuration from a TOML file, see :func:`configuration_file`; every key is a field's
        name. Raises :exc:`ConfigurationError`, for a clock with which no link runs, too."""
        return cls(**configured(path, {}).model_dump())


def configured(path: str | Path | None, options: dict[str, Any]) -> Configuration:
    """The :class:`Configuration` of the TOML file ``path``, or of a name of :data:`NAMED`, or None, with the dictionary
    ``options`` that wins over it. Raises :exc:`ConfigurationError`."""
    file, values = None if path is None else Path(path), {}
    if file is not None:
        try:
            values = outputs.parse(outputs.read_text(configuration_file(file)), tomllib.loads)
        except OSError as error:
            names = "" if file.suffix else (f"; configurations with a name are {', '.join(NAMED)}"
                                            + nearest(file, NAMED))
            raise ConfigurationError(f"{file}: cannot be read: {error.strerror}{names}") from None
        except ValueError as error:
            raise ConfigurationError(f"{file}: cannot be read as TOML: {error}") from None
    faults: tuple[Fault, ...] = ()
    try:
        found = Configuration(**(values | options))
    except ConfigurationError as error:
        faults, found = error.faults, Configuration()
        with suppress(ConfigurationError):
            found = Configuration(clock_hz=(values | options).get("clock_hz", found.clock_hz))
    if found.too_slow:
        faults = Fault("clock_hz", (values | options)["clock_hz"], found.too_slow), *faults
    if faults:
        raise ConfigurationError(faults=faults, file=file, options=options)
    return found
