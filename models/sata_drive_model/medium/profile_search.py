"""Which profiles are meant by a name as people write it: `870 EVO 1TB`, `Samsung MZ-77E1T0BW`, `wd gold`."""

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches

#: Words that say nothing about which drive it is.
_EMPTY = {"ssd", "hdd", "drive", "disk", "sata", "the"}
_UNITS = {"gb", "tb"}
#: Most names that are given as near.
_MOST = 6
#: Letters and digits alike at the beginning of two words that one of them is near the other.
_ALIKE = 3


def matching(text: str, profiles: Mapping) -> list:
    """Names of those ``profiles`` (by name) that have every word of ``text`` in their name, model, aliases or
    description; of these, those whose name or alias is ``text`` and nothing else, if there are any."""
    words = _words(text)
    if not words:
        return []
    plain = _plain(text)
    same = [name for name, one in profiles.items() if plain in map(_plain, (name, one.model, *one.aliases))]
    return same or sorted(name for name, one in profiles.items() if words <= _known(name, one))


def near(text: str, profiles: Mapping) -> list:
    """Names of the ``profiles`` that have some of the words of ``text``, the most of them first; without any, names
    spelt alike."""
    words, shared = _words(text), {}
    for name, one in profiles.items():
        known = _known(name, one)
        shared[name] = sum(len(word) for word in words if word in known) + sum(
            _ALIKE for word in words - known if any(_begins(word, other) for other in known))
    found = sorted((name for name in shared if shared[name] >= _ALIKE), key=lambda name: -shared[name])
    return (found or get_close_matches(text.lower(), profiles))[:_MOST]


def some(found: Sequence[str]) -> str:
    """Names, of which there may be many."""
    named = ", ".join(found[:_MOST])
    return named if len(found) <= _MOST else f"{named} and {len(found) - _MOST} more"


def _begins(word, other):
    return len(word) >= _ALIKE and (other.startswith(word) or len(other) >= _ALIKE and word.startswith(other))


def _plain(text):
    return "".join(re.findall(r"[a-z0-9]+", text.lower()))


def _words(text):
    return set(_listed(text))


def _listed(text):
    """The words of ``text`` in their order; a number and its unit are one."""
    found = []
    for word in re.findall(r"[a-z0-9]+", text.lower()):
        if word in _UNITS and found and found[-1].isdigit():
            found[-1] += word
        elif word not in _EMPTY:
            found.append(word)
    return found


def _known(name, profile):
    """The words by which a profile is known, also those that follow one another, written as one."""
    found = set()
    for text in (name, profile.model, profile.description, *profile.aliases):
        words = _listed(text)
        found |= {"".join(words[first:last + 1]) for last in range(len(words)) for first in range(last + 1)}
        found |= {_plain(part) for part in text.split()}
    return found
