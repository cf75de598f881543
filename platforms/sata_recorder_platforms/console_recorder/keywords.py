"""The words of the line protocol, as numbers and as a tree in a ROM."""

import enum

from amaranth.lib import data

from sata_recorder.pc.console.grammar import ACCESSES, EVERY, FLUSH, LANES, OPERATIONS, VERBS


def _member(word):
    """The name of a word in an enumeration."""
    return word.upper().replace("-", "_")


def _numbered(name, words, meaning):
    """An enumeration of ``words`` from 1 on; 0 is none of them."""
    numbered = enum.IntEnum(name, ["NONE", *map(_member, words)], start=0, module=__name__)
    numbered.__doc__ = meaning
    return numbered


#: What only some boards have whose words the others do not know.
_OWN_WORDS = (ACCESSES, LANES)


def _own(verb):
    """The part of :data:`_OWN_WORDS` to which ``verb`` of the grammar belongs, None without one."""
    return next((part for part in _OWN_WORDS if part in verb.parts), None)


def _choices(own):
    """The words after the numbers, of the verbs of the part ``own``, or with None of all others."""
    return dict.fromkeys(word for verb in VERBS.values() if _own(verb) == own
                         for group in verb.choices for word in group)


Verb = _numbered("Verb", VERBS, "The first word of a line.")
Choice = _numbered("Choice", _choices(None) | {EVERY: None} | _choices(ACCESSES) | _choices(LANES),
                   "A later word of a line that is no number.")
Running = _numbered("Running", OPERATIONS, "The operation that runs.")

#: A node: a character, the next node that may be in its place (0: none), whether no character
#: may follow, and what the word that ends here means (0: nothing). The nodes that may follow
#: begin after it.
LAYOUT = data.StructLayout({"char": 7, "other": 8, "leaf": 1, "meaning": 5})


def keyword(member):
    """The word of a member of an enumeration."""
    return member.name.lower().replace("_", "-")


def known(member, parts):
    """Whether a board that has ``parts`` knows ``member``, a `Verb` or a `Choice`."""
    if isinstance(member, Verb):
        own = _own(VERBS[keyword(member)]) if member else None
    else:
        own = next((part for part in _OWN_WORDS if keyword(member) in _choices(part)), None)
    return own is None or own in parts


def wanted(verb):
    """How many numbers a line of ``verb`` has."""
    return len(VERBS[keyword(verb)].numbers) if verb else 0


def allowed(verb):
    """The choices that a line of ``verb`` may have, one of them at most, and whether FLUSH may be
    beside it."""
    groups = VERBS[keyword(verb)].choices if verb else ()
    words = [word for group in groups for word in group]
    assert len([group for group in groups if group != (FLUSH,)]) <= 1, "the parser keeps one choice"
    return [Choice[word.upper()] for word in words if word != FLUSH], FLUSH in words


def periodic(verb):
    """Whether EVERY may be in a line of ``verb``."""
    return bool(verb) and VERBS[keyword(verb)].every


def tree(parts=()):
    """The nodes, as dicts of ``LAYOUT``, and the places of the first verb and the first choice; of a board that has
    these ``parts`` of the grammar."""
    nodes = [{}]
    roots = []
    for words in Verb, Choice:
        roots.append(len(nodes))
        _add(nodes, {keyword(word): word.value for word in words if word and known(word, parts)})
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
