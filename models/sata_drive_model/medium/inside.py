"""What the parameters of a drive's inside have in common, of flash or of a disk: a source or a reason for each.

Each parameter is of one of three kinds, by the table it stands in: ``physical``, what the parts are, from data
sheets; ``policy``, a rule of the firmware; ``cap``, what the controller was measured to do at most. What nobody has
published is left out, and named under ``unknown`` with the reason.
"""

from functools import cache
from pathlib import Path
from typing import Annotated, ClassVar, Self

from pydantic import AfterValidator, Field, ValidationError

from .profile import ProfileError, file_data
from .profile_faults import everything_wrong
from .profile_parts import Part
from .profile_search import matching, near, some

ONE_LINE = AfterValidator(lambda text: " ".join(text.split()))
Text = Annotated[str, Field(min_length=1), ONE_LINE]
Bytes = Annotated[int, Field(ge=1, le=1 << 60)]
Count = Annotated[int, Field(ge=1, le=1 << 40)]

#: The three kinds of parameter, as they are shown.
KINDS = {"physical": "physical", "policy": "policy of the firmware", "cap": "cap of the controller"}


class Inside(Part):
    """A drive's inside: its parameters, and where each is from. A kind of drive adds the tables of :data:`KINDS`."""

    #: Where the files of those that are supplied are, and what they are called.
    FOLDER: ClassVar[Path]
    WHAT: ClassVar[str]

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]*$", max_length=60)]
    description: Annotated[str, Field(min_length=1)]    #: one line
    model: Annotated[str, Field(pattern=r"^[ -~]+$", max_length=40)] = ""   #: as in IDENTIFY DEVICE
    aliases: Annotated[tuple[str, ...], Field(strict=False)] = ()
    notes: Annotated[str, ONE_LINE] = ""
    sources: dict[str, Text] = {}       #: parameter: where it is from
    estimates: dict[str, Text] = {}     #: parameter: why it is an estimate
    fitted: dict[str, Text] = {}        #: parameter: what it was fitted to
    unknown: dict[str, Text] = {}       #: parameter without a value: why it is not known
    #: parameter: the least and the most that it may be
    ranges: dict[str, Annotated[tuple[float, float], Field(strict=False)]] = {}

    def _named(self):
        given = {field for field, *_ in self.parameters()}
        for kind, fields in (("sources", self.sources), ("estimates", self.estimates), ("fitted", self.fitted),
                             ("ranges", self.ranges)):
            for field in fields:
                if field not in given:
                    yield f"{kind} = {field!r}: is not a parameter that this file gives"
        for field in self.unknown:
            if field in given:
                yield f"unknown = {field!r}: has a value in this file"
            elif not _exists(self, field):
                yield f"unknown = {field!r}: is not a parameter"

    def _from_somewhere(self):
        for field, *_ in self.parameters():
            if not any(field in origins for origins in (self.sources, self.estimates, self.fitted)):
                yield f"{field}: has neither a source nor a reason under estimates or fitted"

    def _ordered(self):
        values = {field: value for field, _, value in self.parameters()}
        for field, (least, most) in self.ranges.items():
            value = values.get(field)
            if isinstance(value, (int, float)) and not least <= value <= most:
                yield f"ranges = {field!r}: {value} is not from {least:g} to {most:g}"

    COMPARISONS: ClassVar[tuple] = (_named, _from_somewhere, _ordered)

    def parameters(self):
        """(name with dots, kind, value) of all that the file gives."""
        for kind in KINDS:
            for field, value in _given(self.__dict__.get(kind), f"{kind}."):
                yield field, kind, value

    def origin(self, field: str) -> str:
        """Where a parameter is from: its source, with what it is if it is no published figure; "default"."""
        for word, origins in (("fitted: ", self.fitted), ("estimate: ", self.estimates), ("", self.sources)):
            if field in origins:
                return word + origins[field]
        return "default"

    def varied(self):
        """(name with dots, end, the drive with that end of its range) of each range."""
        for field, ends in self.ranges.items():
            for end in ends:
                yield field, end, self._with(field, end)

    def _with(self, field, value):
        plain = self.model_dump(exclude_unset=True)
        *way, last = field.split(".")
        part = plain
        for name in way:
            part = part[name]
        part[last] = type(part[last])(value)
        return self.from_data(plain | {"ranges": {}}, self.name)

    @classmethod
    def from_data(cls, data: dict, where: str | Path = "drive") -> Self:
        """The drive of a dictionary. Raises :class:`ProfileError`, whose lines begin with ``where``."""
        try:
            return cls(**data)
        except ValidationError:
            raise ProfileError(*(f"{where}: {line}" for line in everything_wrong(cls, data))) from None

    @classmethod
    def from_toml(cls, path: str | Path) -> Self:
        """The drive of a file; its name is the file's. Raises :class:`ProfileError`."""
        return cls.from_data(file_data(path), path)

    @classmethod
    def names(cls) -> list:
        """Names of those supplied, sorted."""
        return sorted(path.stem for path in cls.FOLDER.glob("*.toml"))

    @classmethod
    def load(cls, name_or_path: str | Path) -> Self:
        """A supplied one by its name, by a name as people write it that no other one has, or that of a file. Raises
        :class:`ProfileError`."""
        text = str(name_or_path)
        if text in cls.names():
            return _supplied(cls)[text]
        if text and (Path(text).exists() or text.endswith(".toml")):
            return cls.from_toml(text)
        found = matching(text, _supplied(cls))
        if len(found) == 1:
            return _supplied(cls)[found[0]]
        if found:
            raise ProfileError(f"{cls.WHAT} drive {text!r}: which of {some(found)}?")
        similar = f", similar: {some(alike)}" if (alike := near(text, _supplied(cls))) else ""
        raise ProfileError(f"no {cls.WHAT} parameters of a drive {text!r}{similar}")


@cache
def _supplied(cls):
    return {name: cls.from_toml(cls.FOLDER / f"{name}.toml") for name in cls.names()}


def _given(part, prefix):
    if part is None:
        return
    for field in type(part).model_fields:
        value = part.__dict__.get(field) if field in part.model_fields_set else None
        if isinstance(value, Part):
            yield from _given(value, f"{prefix}{field}.")
        elif value is not None:
            yield prefix + field, value


def _exists(drive, field):
    *way, last = field.split(".")
    part = drive
    for name in way:
        part = part.__dict__.get(name) if isinstance(part, Part) else None
    return isinstance(part, Part) and last in type(part).model_fields
