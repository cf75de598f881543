"""Options of a verb, made from the objects that they fill."""

import functools
import types
from math import isnan
from pathlib import Path
from typing import Literal, Union, get_args, get_origin

import click

from ..interface.faults import nearest
from ..lab.options import OptionsError
from .common import Refusal

_PATH = click.Path(path_type=Path, readable=False)


class Choice(click.Choice):
    """A choice whose refusal has the nearest name, too."""

    def get_invalid_choice_message(self, value, ctx):
        told = super().get_invalid_choice_message(value, ctx)
        return told.removesuffix(".") + nearest(value, map(str, self.choices))


class WholeNumber(click.IntRange):
    """A whole number between limits, which is refused by this name."""

    name = "whole number"


class Number(click.types.FloatParamType):
    """A number, which is refused by this name."""

    name = "number"


def options(only=None, **kinds):
    """Gives a verb an option for each field of these kinds of options, and calls it with an object of each.

    ``only`` these fields are options, if they are given; the help of such an option is its first sentence, as the
    others are about options beside it. See :class:`..lab.options.Options`.
    """
    def fields(kind):
        return {name: field for name, field in kind.model_fields.items()
                if name in only} if only else kind.model_fields

    def decorate(function):
        @functools.wraps(function)
        def called(*arguments, **values):
            made = {}
            for name, kind in kinds.items():
                given = {field: values.pop(field) for field in fields(kind) if field in values}
                made[name] = _filled(kind, {field: value for field, value in given.items() if value is not None})
            return function(*arguments, **made, **values)
        for kind in reversed(kinds.values()):
            for name, field in reversed(fields(kind).items()):
                if not kind.text(name).hidden:
                    called = _option(kind, name, field, first=only is not None)(called)
        return called
    return decorate


def _filled(kind, values):
    try:
        return kind(**values)
    except OptionsError as error:
        raise Refusal("\n  ".join(one.told(kind.flag(one.field)) for one in error.faults)) from None


def _option(kind, name, field, first):
    text = kind.text(name)
    told = " ".join(field.description.split())
    annotation = _plain(field.annotation) if text.kind is None else text.kind
    more = {"metavar": text.metavar, "help": told.partition(". ")[0].removesuffix(".") + "." if first else told,
            "required": text.required}
    if text.shows:
        more |= {"default": field.default, "show_default": True}
    if annotation is bool:
        more["is_flag"] = True
    elif get_origin(annotation) is Literal:
        more["type"] = Choice(get_args(annotation))
    elif get_origin(annotation) is tuple:
        each = get_args(annotation)[0]
        more |= {"type": _PATH if each is Path else each, "multiple": True}
    else:
        more["type"] = {Path: _PATH, float: Number()}.get(annotation, annotation)
    if isinstance(annotation, (click.IntRange, click.FloatRange)):
        annotation.name = WholeNumber.name if isinstance(annotation, click.IntRange) else Number.name
    if isinstance(annotation, click.FloatRange):
        more["callback"] = _no_nan      # it is outside of no range
    return click.option(*(text.flags or (kind.flag(name),)), name, **more)


def _no_nan(context, parameter, value):
    if value is not None and isnan(value):
        raise Refusal(f"{parameter.opts[0]} nan: must be a number")
    return value


def _plain(annotation):
    """Without None."""
    if get_origin(annotation) in (Union, types.UnionType):
        annotation, = [one for one in get_args(annotation) if one is not types.NoneType]
    return annotation
