"""What joins the drives of a plan: an array of which kind, and the command that prepares it."""

from ..facts.array import LEVELS, LINEAR, MOST_DRIVES, RAID0

#: Why, by whether the drives take turns.
_WHY = {False: "linear: one drive takes the rate and lacks only capacity, so the next goes on where one is full",
        True: "RAID 0: one drive does not take the rate, so they take turns. Their stalls overlap where the FIFO of "
              "each drive holds them, and add up where it does not"}
_MORE = (f"{{}} drives are more than the {MOST_DRIVES} of an array: split the stream over several recorders, or use an "
         "external RAID that looks like one SATA drive, and plan for that one")


def kind(one):
    """How the drives of a plan are joined, for its answer."""
    return "" if one.drives == 1 else " as RAID 0" if one.takes_turns else " one after the other (linear)"


def joined(plans):
    """The lines under an answer of several drives: each kind once, as all plans have as many drives."""
    for takes_turns in sorted({one.takes_turns for one in plans}):
        yield f"joined {_WHY[takes_turns]}"
        drives = plans[0].drives
        yield f"       {_MORE.format(drives) if drives > MOST_DRIVES else _command(drives, takes_turns)}"


def _command(drives, takes_turns):
    raid = next(name for name, level in LEVELS.items() if level == (RAID0 if takes_turns else LINEAR))

    def each(name, before=""):
        between = " " if drives == 2 else " ... "
        return between.join(f"{before}{name}{number}" for number in (1, drives))
    return (f"sata-recorder prepare {each('DRIVE')} --raid {raid} --recordings 1 {each('SERIAL', '--serial ')} "
            "(docs/array.md)")
