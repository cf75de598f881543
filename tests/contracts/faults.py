"""What a fake drive port can do wrong, so that the contract is seen to notice it."""

__all__ = ["FAULTS", "QUEUE_FAULTS"]

#: What a fake can do wrong, to show that it is found.
FAULTS = {
    "short": "a word too few in each command",
    "undrained": "``playing`` falls before ``drained``",
    "unfinished": "no ``completed``",
    "unverified": "no ``verified``",
    "deaf": "``stopped`` is not heard",
    "unchecked": "the capacity is not looked at",
    "displaced": "all is moved one sector further on",
    "open": "``opening`` comes in a playback",
    "gaping": "``recording`` comes long after ``opening``",
    "flushless": "FLUSH CACHE does nothing",
    "unmarked": "the journal is not told of a FLUSH CACHE that failed",
    "careless": "``lost`` is not heard",
    "restless": "words move after ``rewind``",
    "hasty": "the next command does not wait for ``settled``",
    "ignorant": "the next command begins where the failed one began, whatever has gone",
    "halfhearted": "with ``reread`` the next command begins after what was delivered",
    "greedy": "``skip`` passes over a sector less than it says",
    "silent": "the journal is not told of what is skipped",
    "roomless": "``journal_room`` is not looked at",
    "doubtless": "the journal is not told of what is in doubt",
    "unretained": "no ``retain``",
    "distrustful": "``retain`` in a playback",
    "early": "what follows ``rewind`` does not wait for the recorder's answer",
    "belated": "``verified`` comes after ``rewind``",
    "undead": "a command that has failed is completed",
    "baseless": "``rewind`` comes after the last command",
    "fleeting": "an entry for the journal does not wait until it is taken",
    "busy": "FLUSH CACHE alone raises ``playing``",
    "trusting": "a playback goes on though ``tainted``",
    "secretive": "no ``extended``",
    "linear": "a span begins where the extent before it ends",
    "sluggish": "a pause before the first command of a span",
    "unmeasured": "a span is not compared with the capacity",
    "insatiable": "spans are taken after one that was refused",
    "greedier": "a command has more sectors than are pending",
    "impatient": "a recording ends when nothing is pending",
    "static": "``begun`` does not move",
    "obliging": "a span is taken in a playback",
}

#: Those of them that need a queue.
QUEUE_FAULTS = ("secretive", "linear", "sluggish", "unmeasured", "insatiable",
                "greedier", "impatient", "static", "obliging")
