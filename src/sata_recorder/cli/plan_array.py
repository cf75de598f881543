"""What joins the drives of a plan: an array of which kind, and the commands that make it."""

from ..facts.array import LEVELS, LINEAR, MOST_DRIVES, RAID0
from ..facts.units import DWORD_HZ
from .plan_memory import size_text

_LINEAR = "linear: one drive takes the rate and lacks only capacity, so the next goes on where one is full"
_RAID0 = ("RAID 0: one drive does not take the rate, so they take turns. The FIFO is one before the array: {} times "
          "that of each for a stall of one drive; stalls that follow one another add up")
_MORE = (f"{{}} drives are more than the {MOST_DRIVES} of an array: split the stream over several recorders, or use an "
         "external RAID that looks like one SATA drive, and plan for that one")
_RAID0_MEMORY = ("RAID 0: one drive does not take the rate, so they take turns. Each has a memory of its own, and goes "
                 "on while another one stalls")
_NO_SOURCE = ("the beats of an array that takes this rate have the width and the clock of its core: plan without "
              "{}")
#: Bits of a stream of an array, and the fastest clock of a core.
_WIDTHS, _MOST_HZ = (32, 64, 128), max(DWORD_HZ.values())


def kind(one):
    """How the drives of a plan are joined, for its answer."""
    return "" if one.drives == 1 else " as RAID 0" if one.takes_turns else " one after the other (linear)"


def joined(plans):
    """The lines under an answer of several drives: each kind once, as all plans have as many drives."""
    for one in {plan.takes_turns: plan for plan in reversed(plans)}.values():
        turns = _RAID0.format(one.drives) if one.requirement.memory is None else _RAID0_MEMORY
        yield f"joined {turns if one.takes_turns else _LINEAR}"
        lines = _commands(one) if one.drives <= MOST_DRIVES else [_MORE.format(one.drives)]
        yield from (f"       {line}" for line in lines)


def _commands(one):
    level, name = (RAID0, "raid0") if one.takes_turns else (LINEAR, "linear")
    raid = next(text for text, known in LEVELS.items() if known == level)

    options = _width(one.requirement)
    if options is None:
        yield _NO_SOURCE.format(" and ".join(_source(one.requirement)))
        return

    def each(name, before=""):
        between = " " if one.drives == 2 else " ... "
        return between.join(f"{before}{name}{number}" for number in (1, one.drives))
    memory = one.requirement.memory
    if memory is not None:
        options += f" --memory {size_text(memory)} --memory-width 128"
    yield f"sata-recorder verilog --drives {one.drives} --array {name}{options} -o core.v"
    yield f"sata-recorder prepare {each('DRIVE')} --raid {raid} --recordings 1 {each('SERIAL', '--serial ')}"


def _source(requirement):
    """The options of `plan` that the source needs, and those of `verilog`."""
    return {name: option for name, option, value in (
        ("--width", f"--source-width {requirement.width}", requirement.width),
        ("--source-clock", "--source-clock", requirement.source_hz)) if value is not None}


def _width(requirement):
    """The options of the narrowest stream that carries the rate, of the slowest clock that the links need; None: none
    carries it with the source that is asked for, which needs an array of words."""
    source = _source(requirement)
    for hz in dict.fromkeys((DWORD_HZ[requirement.generation], _MOST_HZ)):
        for width in _WIDTHS[:1] if source else _WIDTHS:
            if requirement.rate <= width // 8 * hz:
                wide = [f"--array-width {width}"] if width > _WIDTHS[0] else []
                return " ".join(["", f"--clock-hz {hz / 1e6:g}e6", *wide, *source.values()])
    return None if source else ""
