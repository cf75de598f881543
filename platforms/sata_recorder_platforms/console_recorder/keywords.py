"""The words that the station understands, as a tree in a ROM."""

import enum

from amaranth.lib import data

__all__ = ["LAYOUT", "Choice", "Verb", "grammar", "tree"]


class Verb(enum.IntEnum):
    """The first word of a line; the names are the words."""

    NONE = 0
    STATUS = 1
    IDENTIFY = 2
    RECORD = 3
    PLAY = 4
    FLUSH = 5
    DUMP = 6
    COUNTERS = 7
    STOP = 8
    VERSION = 9
    HELP = 10
    RESET = 11
    JOURNAL = 12


class Choice(enum.IntEnum):
    """A later word of a line that is no number."""

    NONE = 0
    INC32 = 1
    DEC32 = 2
    RAW = 3
    FLUSH = 4           # beside another one


#: A node: a character, the next node that may stand in its place (0: none), whether no character
#: may follow, and what the word that ends here means (0: nothing). The nodes that may follow
#: begin behind it.
LAYOUT = data.StructLayout({"char": 7, "other": 7, "leaf": 1, "meaning": 4})

#: Numbers that a line of this verb has, and the choices it may have: one at most, and FLUSH.
_GRAMMAR = {
    Verb.RECORD: (2, (Choice.INC32, Choice.DEC32, Choice.FLUSH)),
    Verb.PLAY: (2, (Choice.INC32, Choice.DEC32)),
    Verb.DUMP: (1, ()),
    Verb.IDENTIFY: (0, (Choice.RAW,)),
}


def grammar(verb):
    """How many numbers a line of ``verb`` has, and the choices that it may have."""
    return _GRAMMAR.get(verb, (0, ()))


def tree():
    """The nodes, as dicts of ``LAYOUT``, and the places of the first verb and the first choice."""
    nodes = [{}]
    roots = []
    for words in Verb, Choice:
        roots.append(len(nodes))
        _add(nodes, {word.name.lower(): word.value for word in words if word})
    return nodes, *roots


def _add(nodes, words):
    """Appends the nodes of ``words``, a dict of word to meaning."""
    branches = {}
    for word, meaning in words.items():
        branches.setdefault(word[0], {})[word[1:]] = meaning
    last = None
    for char, branch in branches.items():
        if last is not None:
            last["other"] = len(nodes)
        meaning = branch.pop("", 0)
        last = {"char": ord(char), "other": 0, "leaf": not branch, "meaning": meaning}
        nodes.append(last)
        if branch:
            _add(nodes, branch)
