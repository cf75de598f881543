"""What is wrong with values that pydantic has checked, in the words of this project."""

import difflib
import json
import types
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ValidationError
from pydantic.fields import FieldInfo

__all__ = ["Fault", "allowed", "conversions", "faults_of", "nearest", "shortened"]

#: The longest text of a value that is shown.
_LONGEST = 60
_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text", list: "a list",
          tuple: "a list", dict: "a table"}
#: Where pydantic finds a mistake of a field that may be of several kinds.
_BRANCHES = ["bool"], ["int"], ["float"], ["str"]
#: Of what a list or a part holds: kind of the error to what is right, with what limits it.
_WORDS = {
    "bool_type": "true or false", "bool_parsing": "true or false", "int_type": "a whole number",
    "int_parsing": "a whole number", "int_from_float": "a whole number", "float_type": "a number",
    "float_parsing": "a number", "finite_number": "a finite number", "string_type": "a text",
    "string_unicode": "a text in UTF-8", "list_type": "a list", "tuple_type": "a list", "dict_type": "a table",
    "model_type": "a table", "model_attributes_type": "a table", "path_type": "a path",
    "greater_than_equal": "at least {ge}", "greater_than": "above {gt}", "less_than_equal": "at most {le}",
    "less_than": "below {lt}", "literal_error": "{expected}", "too_short": "a list of at least {min_length}",
    "too_long": "a list of at most {max_length}", "string_too_short": "a text of at least {min_length} characters",
    "string_too_long": "a text of at most {max_length} characters"}


@dataclass(frozen=True)
class Fault:
    """One mistake: the ``field``, the ``value`` given for it, and the ``problem``.

    A ``whole`` problem is a sentence that names the field and its value itself; one of a field "" is of no field.
    """

    field: str
    value: object
    problem: str
    whole: bool = False

    def told(self, name: str | None = None, file: str | None = None) -> str:
        """The line for a user who knows the field as the option ``name``, or has written it into ``file``."""
        if name is not None:
            given = "" if isinstance(self.value, bool) else f" {_as_typed(self.value)}"
            return f"{name}{given}: {self.problem}"
        where = "" if file is None else f"{file}: "
        if self.whole or not self.field:
            return where + self.problem
        if isinstance(self.value, dict):
            return f"{where}{self.field}: {self.problem}"
        return f"{where}{self.field} = {shortened(self.value, toml=file is not None)}: {self.problem}"


def faults_of(kind: type[BaseModel], error: ValidationError, *, inner: bool = False) -> Iterator[Fault]:
    """What ``error`` states about the fields of ``kind``: of each field the first mistake, or with ``inner`` the
    first one of each of its parts, such as "steps.0.sectors"."""
    seen = set()
    for fault in error.errors():
        name, *rest = map(str, fault["loc"] or ("",))
        place = ".".join((name, *rest)) if inner else name
        if place not in seen:
            seen.add(place)
            yield Fault(place, fault["input"], _problem(kind, name, rest, fault))


def conversions(kind: type[BaseModel], values: Mapping[str, object]) -> Iterator[Fault]:
    """Those of ``values`` for which pydantic would take something else: 1 for true, false for "no", 2 for 2.0."""
    for name, value in values.items():
        field = kind.model_fields.get(name)
        if field is not None and value is not None and _is_converted(field, value):
            yield Fault(name, value, f"must be {allowed(field)}")


def allowed(field: FieldInfo) -> str:
    """What a value of ``field`` can be: "true or false", "a whole number, 0 to 255"."""
    limits = _limits(field)
    if any(isinstance(one, BeforeValidator) for one in field.metadata):
        return f'a whole number of bytes, or a text with a unit such as "256MiB"{limits and ", "}{limits}'
    kinds = [one for one in _parts(field.annotation) if one is not types.NoneType]
    texts: list[str] = []
    for kind in kinds:
        if get_origin(kind) is Literal:
            texts += map(_plain_or_quoted, get_args(kind))
        else:
            texts.append(_KINDS.get(get_origin(kind) or kind, "what the manual states"))
    return f"{_alternatives(texts)}{limits and ', '}{limits}"


def nearest(name: object, names: Iterable[str]) -> str:
    """The part of a sentence with the one of ``names`` that may be meant; empty where none looks like ``name``."""
    lower = {one.lower().replace("-", "_"): one for one in names}
    found = difflib.get_close_matches(str(name).lower().replace("-", "_"), lower, n=1)
    return f"; did you mean {lower[found[0]]}?" if found else ""


def shortened(value: object, *, toml: bool = False) -> str:
    """A value as it is written in Python, or in TOML, cut short."""
    text = _toml(value) if toml else repr(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST - 3] + "..."


def _problem(kind: type[BaseModel], name: str, rest: list[str], fault: Any) -> str:
    fields, wrong = kind.model_fields, fault["type"]
    if wrong == "extra_forbidden":
        if rest:
            return "there is no such key"
        if isinstance(fault["input"], dict):
            return "there is no such table; all keys are at the top level"
        return "there is no such key" + nearest(name, fields)
    if wrong == "missing":
        return "is missing"
    if wrong in ("value_error", "assertion_error"):
        limits = "" if rest or name not in fields else _limits(fields[name])
        return f"{fault['ctx']['error']}{limits and ', '}{limits}"
    if wrong == "too_short" and fault["ctx"]["min_length"] == 1:
        return "must not be empty"
    if name in fields and (not rest or rest in _BRANCHES):
        field = fields[name]
        words = "a text in UTF-8" if wrong == "string_unicode" else allowed(field)
        choices = [one for part in _parts(field.annotation) if get_origin(part) is Literal for one in get_args(part)]
        near = nearest(fault["input"], choices) if choices and all(isinstance(one, str) for one in choices) else ""
        return f"must be {words}{near}"
    words = _WORDS.get(wrong, "what the manual states").format(**fault.get("ctx", {}))
    return f"must be {words}"


def _is_converted(field: FieldInfo, value: object) -> bool:
    kinds = _parts(field.annotation)
    if Any in kinds:
        return False
    if isinstance(value, bool) or bool in kinds:
        return not (isinstance(value, bool) and bool in kinds)
    if isinstance(value, float):
        whole = int in kinds or any(get_origin(kind) is Literal and all(isinstance(one, int) for one in get_args(kind))
                                    for kind in kinds)
        return whole and float not in kinds
    if not isinstance(value, str) or any(isinstance(one, BeforeValidator) for one in field.metadata):
        return False
    return any(kind in (int, float) for kind in kinds) and str not in kinds


def _parts(annotation: Any) -> tuple[Any, ...]:
    return get_args(annotation) if get_origin(annotation) in (Union, types.UnionType) else (annotation,)


def _limits(field: FieldInfo) -> str:
    low = high = None
    low_in = high_in = True
    for one in field.metadata:
        if (least := getattr(one, "ge", None)) is not None:
            low = _plain(least)
        if (floor := getattr(one, "gt", None)) is not None:
            low, low_in = _plain(floor), False
        if (most := getattr(one, "le", None)) is not None:
            high = _plain(most)
        if (ceiling := getattr(one, "lt", None)) is not None:
            high, high_in = _plain(ceiling), False
    if low is not None and high is not None and low_in and high_in:
        return f"{low} to {high}"
    return " and ".join(([] if low is None else [f"{'at least' if low_in else 'above'} {low}"])
                        + ([] if high is None else [f"{'at most' if high_in else 'below'} {high}"]))


def _alternatives(texts: list[str]) -> str:
    return " or ".join(filter(None, (", ".join(texts[:-1]), texts[-1])))


def _plain_or_quoted(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else _plain(value)


def _as_typed(value: object) -> str:
    """A value of an option; one that nobody would see as quoted."""
    return repr(value) if isinstance(value, str) and value.strip() != value or value == "" else _plain(value)


def _plain(value: object) -> str:
    """A value as a user types it."""
    if isinstance(value, float):
        return f"{value:.15g}" if abs(value) < 1e15 else f"{value:g}"
    if isinstance(value, list):
        return ",".join(map(_plain, value))
    return shortened(value) if not isinstance(value, str) else value


def _toml(value: object) -> str:
    if isinstance(value, (bool, str)):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {_toml(one)}" for name, one in value.items()) + " }"
    if isinstance(value, float):
        return repr(value) if value.is_integer() and abs(value) < 1e16 else _plain(value)
    return str(value)
