"""All that is wrong with a profile: fields each by itself, and those that do not agree.

pydantic checks how fields depend on each other only where all of them are right. Here what
is wrong is set aside, and the rest is compared.
"""

import copy
import difflib
from typing import get_args

from pydantic import BaseModel, ValidationError

#: The context of a validation that does not compare fields.
FIELDS_ONLY = "fields only"
#: What takes the place of a field that must be there and is wrong; it is never compared.
STAND_INS = {"name": "x", "model": "x", "description": "x", "source": "x", "capacity_sectors": 1,
              "generation": 1, "bytes": 8192, "every_bytes": 8192, "ms": 1.0, "mb_per_s": 1.0,
              "from_fill": 0.0, "physical": {}, "flash_bytes": 1 << 31, "user_bytes": 1 << 30, "page_bytes": 4096,
              "pages": 1, "cell_bits": 1, "first_cycles": 1.0, "share_per_1000": 0.0, "rpm": 7200.0,
              "heads": 1, "outer_mb_per_s": 1.0, "inner_mb_per_s": 1.0, "track_seek_ms": 1.0, "average_seek_ms": 1.0,
              "full_seek_ms": 1.0, "band_bytes": 1 << 20, "cache_bytes": 1 << 20, "block_bytes": 4096,
              "largest_bytes": 4096, "uses": 1, "idle_ms": 0.0}

#: Kind of an error to what is right.
_WORDS = {
    "bool_type": "true or false", "int_type": "a whole number", "float_type": "a number",
    "finite_number": "a finite number", "string_type": "a text", "dict_type": "a table", "model_type": "a table",
    "model_attributes_type": "a table", "list_type": "a list", "tuple_type": "a list",
    "greater_than_equal": "at least {ge}", "greater_than": "above {gt}", "less_than_equal": "at most {le}",
    "less_than": "below {lt}", "literal_error": "{expected}", "too_short": "a list of {min_length} or more",
    "too_long": "a list of at most {max_length}", "string_too_short": "a text of {min_length} or more characters",
    "string_too_long": "a text of at most {max_length} characters",
    "string_pattern_mismatch": "{characters}"}
#: The pattern of a text to what it may consist of.
_CHARACTERS = {"^[ -~]+$": "a text of one or more printable characters of ASCII",
               "^[a-z0-9][a-z0-9._-]*$": "a text of a-z, 0-9, '.', '_' and '-' that begins with a letter or a digit"}


def everything_wrong(kind, data):
    """A line "field = value: limit" for all that is wrong with ``data`` as a model ``kind``."""
    data = copy.deepcopy(data)
    lines, aside = [], []
    for _ in range(2):      # the second time nothing is wrong
        try:
            model = kind.model_validate(data, context=FIELDS_ONLY)
        except ValidationError as error:
            for fault in error.errors():
                lines.append(_line(kind, fault))
                aside.append(_set_aside(data, fault))
        else:
            for place, name in aside:
                _forget(model, place, name)
            # The file has given what was set aside.
            given = [f" = {'.'.join(map(str, (*place, name)))!r}: is not a parameter" for place, name in aside]
            return [*lines, *(line for line in _everywhere(model) if not any(one in line for one in given))]
    return lines


def disagreements(part):
    """What is wrong with fields of ``part`` that are right each by itself: lines "field = value:
    limit". A comparison with a field that was set aside is left out."""
    for comparison in part.COMPARISONS:
        try:
            yield from comparison(part)
        except AttributeError:
            if part.__dict__.keys() == type(part).model_fields.keys():
                raise


def _everywhere(part, prefix=""):
    """The :func:`disagreements` of the parts of ``part``, then its own."""
    for name, value in part.__dict__.items():
        if isinstance(value, BaseModel):
            yield from _everywhere(value, f"{prefix}{name}.")
        elif isinstance(value, tuple):
            for index, one in enumerate(value):
                if isinstance(one, BaseModel):
                    yield from _everywhere(one, f"{prefix}{name}.{index}.")
    for line in disagreements(part):
        yield prefix + line


def _set_aside(data, fault):
    """Takes the field of ``fault`` out of ``data``; returns where that is, and its name."""
    here, found = data, None
    for depth, step in enumerate(fault["loc"]):
        if isinstance(here, dict):
            found = fault["loc"][:depth], step, here
            here = here.get(step)
        elif isinstance(here, list):
            here = here[step]
        else:
            break
    place, name, fields = found
    if name in STAND_INS and fault["type"] != "extra_forbidden":
        fields[name] = copy.deepcopy(STAND_INS[name])
    else:
        fields.pop(name, None)
    return place, name


def _forget(model, place, name):
    """Lets ``model`` have no field ``name`` at the ``place``."""
    for step in place:
        if isinstance(model, BaseModel):
            model = model.__dict__.get(step)
        elif isinstance(model, tuple):
            model = model[step]
    if isinstance(model, BaseModel):
        model.__dict__.pop(name, None)


def _line(kind, fault):
    """One of pydantic's errors as a line "field = value: limit"."""
    name = ".".join(map(str, fault["loc"]))
    if fault["type"] == "missing":
        return f"{name}: is missing"
    value = repr(fault["input"])
    value = value if len(value) <= 60 else value[:57] + "..."
    if fault["type"] == "extra_forbidden":
        *place, last = fault["loc"]
        near = difflib.get_close_matches(str(last), _fields(kind, place), n=1)
        return f"{name} = {value}: there is no such field" + (f"; did you mean {near[0]}?" if near else "")
    if fault["type"] == "value_error":
        return f"{name} = {value}: {fault['ctx']['error']}"
    words = _WORDS.get(fault["type"], "as docs/drives.md describes it")
    limits = {limit: f"{one:f}".rstrip("0").rstrip(".") if isinstance(one, float) else one
              for limit, one in fault.get("ctx", {}).items()}
    limits["characters"] = _CHARACTERS.get(limits.get("pattern", ""))
    return f"{name} = {value}: must be {words.format(**limits)}"


def _fields(kind, place):
    """The names of the fields of the part of ``kind`` at ``place``."""
    for step in place:
        if isinstance(step, str) and kind is not None:
            kind = _part_of(kind.model_fields[step].annotation)
    return kind.model_fields if kind is not None else ()


def _part_of(annotation):
    """The kind of part that is in ``annotation``; None without one."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_part_of, get_args(annotation))), None)
