"""What may be asked of a station."""

import re

__all__ = ["OPERATIONS", "VERBS", "BadLine", "checked"]

_PATTERNS = ("inc32", "dec32")

#: Verb to the names of its numbers, and groups of words: one of each may follow.
VERBS = {
    "status": ((), ()),
    "identify": ((), (("raw",),)),
    "record": (("LBA", "SECTORS"), (_PATTERNS, ("flush",))),
    "play": (("LBA", "SECTORS"), (_PATTERNS,)),
    "flush": ((), ()),
    "dump": (("LBA",), ()),
    "counters": ((), ()),
    "journal": ((), ()),
    "stop": ((), ()),
    "reset": ((), ()),
    "version": ((), ()),
    "help": ((), ()),
}
#: Verbs whose answer comes when the drive has done it.
OPERATIONS = ("record", "play", "flush", "dump")

_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]+")
_MOST = (1 << 48) - 1


class BadLine(ValueError):
    """A line that no station would take; the text says why."""


def checked(words):
    """The line of ``words``, a verb and what follows it; raises :class:`BadLine`."""
    verb, *rest = (word.lower() for word in words)
    if verb not in VERBS:
        raise BadLine(f"{verb}: no such verb; they are {', '.join(VERBS)}")
    names, groups = VERBS[verb]
    numbers, others = rest[:len(names)], rest[len(names):]
    usage = " ".join([verb, *names, *(f"[{'|'.join(group)}]" for group in groups)])
    for name, word in zip(names, numbers):
        if not _NUMBER.fullmatch(word):
            raise BadLine(f"{name} = {word}: is no number, decimal or hexadecimal with 0x")
        if int(word, 16 if word.startswith("0x") else 10) > _MOST:
            raise BadLine(f"{name} = {word}: at most {_MOST}")
    if len(numbers) < len(names):
        raise BadLine(f"{verb}: {names[len(numbers)]} is missing: {usage}")
    free = list(groups)
    for word in others:
        group = next((group for group in free if word in group), None)
        if group is None:
            raise BadLine(f"{word}: does not belong there: {usage}")
        free.remove(group)
    return " ".join([verb, *rest])
