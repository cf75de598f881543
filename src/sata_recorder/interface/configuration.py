"""The configuration of a core: one frozen, validated description."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from pydantic import ValidationError, model_validator

from .. import outputs
from ..facts.units import DWORD_HZ
from . import GROUPS
from .group import Group
from .options import CoreOptions, ExportOptions, RecordingOptions, RecoveryOptions, WatchOptions
from .rules import broken

__all__ = ["NAMED", "Configuration", "ConfigurationError", "configuration_file", "configured"]

#: The configurations that verification concentrates on: name to TOML file.
NAMED = {path.stem: path for path in sorted(Path(__file__).with_name("named").glob("*.toml"))}


class ConfigurationError(ValueError):
    """A configuration that cannot be, in one line: ``field`` and ``value``, both None for a file that cannot be read,
    and the ``problem``."""

    def __init__(self, problem: str, field: str | None = None, value: object = None) -> None:
        super().__init__(problem, field, value)
        self.problem, self.field, self.value = problem, field, value

    def told(self, names: Mapping[str, str]) -> str:
        """The line for a user who knows some fields by other ``names``."""
        return self.problem if self.field is None else (
            f"{names.get(self.field, self.field)} = {self.value!r}: {self.problem}")

    def __str__(self) -> str:
        return self.told({})


def configuration_file(path: str | Path) -> Path:
    """The file that ``path`` means: itself if it is there, else that of :data:`NAMED` with this name."""
    path = Path(path)
    return path if path.exists() else NAMED.get(str(path), path)


class Configuration(ExportOptions, RecordingOptions, WatchOptions, RecoveryOptions, CoreOptions):
    """What is fixed when the core is built: the parts of :mod:`.options`, side by side.

    A value outside its limits raises :class:`pydantic.ValidationError`, which names the field,
    the value and the limit. Times are seconds and become clock counts through ``clock_hz``, which may be
    slower than any link for a simulation: see `too_slow`.
    """

    @model_validator(mode="after")
    def _rules(self) -> Self:
        values = self.model_dump()
        faults: list[Any] = [{"type": "value_error", "ctx": {"error": sentence}, "loc": (field,),
                              "input": values[field]} for field, sentence in broken(self).items()]
        if faults:
            raise ValidationError.from_exception_data(type(self).__name__, faults)
        return self

    @property
    def groups(self) -> frozenset[Group]:
        """The :class:`.group.Group` objects that there are besides those of every core."""
        return frozenset(group for group in GROUPS if group.exists(self))

    @property
    def at_pins(self) -> Self:
        """The same core with plain pins and streams of 32 bits in its own clock, which is what a simulation and a
        console have."""
        return self.model_copy(update={
            "control": "pins", "source_width": 32, "source_clock": False, "source_waits": True, "playback_width": 32,
            "playback_clock": False, "playback_fill": 0})

    @property
    def skips_but_files(self) -> bool:
        """Whether sectors of a recording are passed over, and none of the file stage's own."""
        return self.files and self.on_failure == "skip"

    def clocks(self, seconds: float) -> int:
        """The number of clocks that ``seconds`` take, at least 1."""
        return max(1, round(seconds * self.clock_hz))

    @property
    def too_slow(self) -> str | None:
        """Why no link runs with this clock, which names the value and the limit; None where one may."""
        slowest = min(DWORD_HZ.values())
        if self.clock_hz >= slowest:
            return None
        return (f"clock_hz = {self.clock_hz:g}: it must be at least {slowest:g}, the dword rate of the slowest "
                "link, Gen1")

    def summary(self) -> str:
        """The configuration as one line of JSON, for the head of what is exported."""
        return self.model_dump_json()

    @classmethod
    def from_toml(cls, path: str | Path) -> Self:
        """Reads the configuration from a TOML file, see :func:`configuration_file`; every key is a field's
        name. Raises ``ValueError`` for a clock with which no link runs, too."""
        found = cls(**tomllib.loads(configuration_file(path).read_text()))
        if found.too_slow:
            raise ValueError(found.too_slow)
        return found


def configured(path: str | Path | None, options: dict[str, Any]) -> Configuration:
    """The :class:`Configuration` of the TOML file ``path``, or of a name of :data:`NAMED`, or None, with the dictionary
    ``options`` that wins over it. Raises :exc:`ConfigurationError`."""
    values = {}
    if path is not None:
        path = Path(path)
        try:
            values = tomllib.loads(outputs.read_text(configuration_file(path)))
        except OSError as error:
            names = "" if path.suffix else f"; configurations with a name are {', '.join(NAMED)}"
            raise ConfigurationError(f"{path}: cannot be read: {error.strerror}{names}") from None
        except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise ConfigurationError(f"{path}: cannot be read as TOML: {error}") from None
    try:
        found = Configuration(**(values | options))
    except ValidationError as error:
        fault = error.errors()[0]
        raise ConfigurationError(fault["msg"], ".".join(map(str, fault["loc"])), fault["input"]) from None
    if found.too_slow:
        raise ConfigurationError(found.too_slow)
    return found
