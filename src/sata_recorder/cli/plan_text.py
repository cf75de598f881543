"""A plan for people: what it states first, and what it rests on."""

from rich.table import Table
from rich.text import Text

from ..interface.configuration import Configuration
from ..interface.options import BLOCK_RAM_WORDS
from ..report import figure_lines
from .plan_array import joined, kind
from .plan_memory import WHICH, memory_lines, with_memory

BUFFER_WORDS = Configuration.model_fields["buffer_words"].default
_NO_RATING = "the profile does not state how much the drive is rated to be written; --tbw TB does"
_POWER = {None: "unknown: the profile does not state what a cut of the power leaves",
          "none": "nothing is protected when the power is cut: what the drive has acknowledged and not flushed is lost",
          "at rest": "data that were written before survive a cut of the power, what is not flushed does not",
          "full": "what the drive has acknowledged survives a cut of the power"}
#: Most drives that a line names.
_MOST_NAMED = 4
#: Between two answers, each on a line of its own.
_OR = ",\n       or "


def render_plans(console, found, checked):
    """Prints the answer, and a line for each drive, the best one first."""
    _ask(console, found[0])
    _answer(console, found)
    _check(console, found[0], checked)
    console.print()
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 1, 0, 0))
    table.add_column("drive", no_wrap=True)
    for name in ("one\nfits", "one\nlasts", "drives", "FIFO words\nof each", "cache\nfull",
                 "sus-\ntained\nMB/s", "life of\neach"):
        table.add_column(name, justify="right", no_wrap=True)
    for one in found:
        profile = one.profile
        table.add_row(
            Text(profile.name + ("*" if profile.scale != 1 else "")), one.verdict,
            "unknown" if one.lasts_seconds is None else duration(one.lasts_seconds, 3), _count(one),
            _depth(one), duration(one.cache_seconds, 3),
            "unknown" if one.sustained_rate is None else f"{one.sustained_rate / 1e6:.1f}",
            _years(one.life_years))
    console.print(table, highlight=False)
    console.print()
    if any(one.profile.scale != 1 for one in found):
        _say(console, "*: the shape of an NVMe drive with scaled rates: no SATA drive that exists")
    _say(console, "one lasts: until its first word is lost; sustained: what one drive takes indefinitely, "
                  "with commands and stalls, where it is slowest; FIFO: in front of the core's own "
                  f"{BUFFER_WORDS:,} words")
    if found[0].requirement.memory is None:
        _say(console, f"FIFO: block RAM has room for {BLOCK_RAM_WORDS:,} words, with the core's own; a memory {WHICH}")
    if not all(one.stalls_known for one in found):
        _say(console, "unknown, >=: no stall of the drive is published; the figure holds if it never stalls, "
                      f"and each ms of a stall needs {found[0].requirement.rate / 4e3:,.0f} "
                      "words more, which drives that take turns share")
    if any(one.unknown or one.known_bytes is not None for one in found):
        _say(console, "one fits, one lasts, sustained unknown: nobody has published a rate that this rests on; drives "
                      ">=: at best, with what its maker states")
    if any(one.life_years is None for one in found):
        _say(console, f"life unknown: {_NO_RATING}")
    _say(console, "All from profiles of drives, some of whose figures are fitted or estimates: "
                  "--drive NAME prints each with its origin.")


def render_plan(console, found, checked):
    """Prints the answer for one drive, the reasons, and each figure with its origin."""
    one, = found
    _ask(console, one)
    profile = one.profile
    _say(console, f"drive  {profile.name}: {profile.description}" + (
        "" if profile.scale == 1 else f", all rates times {profile.scale:g}: no SATA drive that "
                                      "exists"))
    _answer(console, found)
    for reason in one.reasons:
        _say(console, f"       {reason}")
    if one.unknown:
        _say(console, f"       {_at_best(one)}")
        _say(console, f"       {_to_know(one)}")
    if one.profile.assumed:
        _say(console, f"       assumed by you: {one.profile.write.mb_per_s:g} MB/s, which nobody has published; the "
                      "answer is of a drive that takes it")
    for line in memory_lines(one, duration):
        _say(console, line)
    if one.stalls:
        _say(console, f"stall  {one.stalls:,} stalls of at most {1e3 * one.stall_seconds:g} "
                      f"ms; {one.stall_bytes:,} bytes arrive in one")
    if not one.stalls_known:
        _say(console, _stalls_unknown(one))
    if one.cache_seconds is not None:
        _say(console, f"cache  {one.cache_bytes:,} bytes, full after {duration(one.cache_seconds)}")
    _say(console, f"lasts  {_lasts(one)}")
    _say(console, f"life   {_life(one)}")
    _say(console, f"power  {_POWER[profile.power_loss_protection]}")
    _check(console, one, checked)
    console.print()
    said = [figure.why for figure in one.inputs if figure.origin == "default"]
    rows = [(figure.name, f"{_value(figure.value)} {figure.unit}".rstrip(), figure.origin,
             "" if figure.why in said else figure.why) for figure in one.inputs]
    title, *lines = figure_lines(("figure", "value", "origin", "why"), rows, console.width)
    console.print(Text(title, "dim"))
    for line in lines:
        console.print(Text(line))
    if said:
        _say(console, f"default: {said[0]}")


def _lasts(one):
    """How long one drive goes on, and the rate that it takes indefinitely."""
    later = "" if one.known_bytes is None else f": what it does after {one.known_bytes:,} bytes is not published"
    if one.lasts_seconds is None:
        return f"unknown, and so is what it sustains{later}"
    sustains = f"what it sustains is unknown{later}" if one.sustained_rate is None else \
        f"it sustains {one.sustained_rate / 1e6:.2f} MB/s indefinitely"
    return f"one drive records {duration(one.lasts_seconds)} until its first word is lost; {sustains}"


def _say(console, text):
    console.print(text, highlight=False, markup=False, soft_wrap=True)


def _ask(console, one):
    asked = one.requirement
    beats = "" if asked.width is None and asked.source_hz is None else f" in beats of {asked.width or 32} bits"
    if asked.source_hz is not None:
        beats += f" of a clock of {asked.source_hz / 1e6:g} MHz"
    room = f"a FIFO of at most {asked.fifo_bytes:,} bytes before each core" if asked.memory is None else \
        f"a memory of {asked.memory:,} bytes as the buffer of each core"
    _say(console, f"asked  {asked.rate / 1e6:.6g} MB/s{beats} for {duration(asked.duration)}: {asked.bytes:,} bytes; "
                  f"{room}")


def _answer(console, found):
    """Which drives take it, how many of them sustain it, and what joins several."""
    named = _named(found)
    more, named = len(named) - _MOST_NAMED, named[:_MOST_NAMED]
    unknown = [one for one in found if one.unknown and one.fits and one.profile.scale == 1]
    text = _OR.join(map(_one_answer, named)) or _no_answer(found)
    if more > 0:
        text += f"{_OR}one of {more} more in the table"
    alone = not named or named[0].fits
    _say(console, Text.assemble(("answer ", "bold"), text if alone else f"no drive alone; {text}"))
    if len(found) > 1 and unknown:
        _say(console, f"       unknown of {_some([one.profile.name for one in unknown])}: nobody has published what "
                      "this would rest on; --drive NAME states what that is")
    for one in named:
        if one.sustains is False:
            _say(console, f"       {_not_sustained(one)}")
    stalling = [one for one in named or found[:1] if not one.stalls_known and one.requirement.memory is None]
    for words in dict.fromkeys(one.words_per_stall_ms for one in stalling):
        _say(console, f"       {_if_they_stall([one for one in stalling if one.words_per_stall_ms == words])}")
    if not alone:
        for line in joined(named):
            _say(console, line)


def _named(found):
    """The plans that the answer names: those that fit, or else those of the fewest drives. None of them rests on
    what nobody has published."""
    real = [one for one in found if (one.profile.scale == 1 or len(found) == 1) and not one.unknown]
    least = min((one.drives for one in real if one.drives is not None), default=None)
    return [one for one in real if one.fits] or [one for one in real if one.drives == least is not None]


def _one_answer(one):
    name = f"{one.drives} {one.profile.name}" if one.drives > 1 else f"one {one.profile.name}"
    words = one.lane_fifo_words
    if one.requirement.memory is not None:
        return f"{name}{kind(one)}, {with_memory(one, duration)}"
    if one.stalls_known:
        return f"{name}{kind(one)}, {'each ' if one.takes_turns else ''}with {_fifo(words)}"
    least = "" if words == 1 else f", not below {_size(words)}"
    return f"{name}{kind(one)}, {'the FIFO of each' if one.takes_turns else 'its FIFO'} unknown{least}"


def _not_sustained(one):
    """The rate that the drives of an answer sustain, next to the one requested."""
    count, more = one.drives, one.sustaining_drives
    enough = "more than 256 drives" if more is None else f"{more} drives"
    return (f"{count} {one.profile.name} for {duration(one.requirement.duration)} only: "
            f"{'they sustain' if count > 1 else 'it sustains'} {one.joined_rate / 1e6:.2f} MB/s of the "
            f"{one.requirement.rate / 1e6:.6g}, and {enough}{' as RAID 0' if one.array == 'linear' else ''} sustain it "
            "all")


def _if_they_stall(plans):
    """The FIFO that a stall would need, of drives of which none is published; for each it is the same."""
    names = " or ".join(one.profile.name for one in plans)
    words = [f"{plans[0].words_per_stall_ms * ms:,.0f}" for ms in (100, 500, 1000)]
    each = " for each" if plans[0].takes_turns else ""
    return (f"no stall of the {names} is published: one of 100 ms would need a FIFO of {words[0]} words{each}, of "
            f"500 ms {words[1]}, of 1 s {words[2]}")


def undecided(found):
    """Whether a drive may be the answer, alone or with others, of which too little is known."""
    return any(one.unknown and one.at_best.drives is not None for one in found
               if one.profile.scale == 1 or len(found) == 1)


def _no_answer(found):
    """What is answered where no drive is named."""
    if len(found) == 1 and undecided(found):
        name = found[0].profile.name
        return f"unknown whether one {name} takes it: nobody has published what that rests on" if found[0].fits else \
            f"no: one {name} does not take it; how many would is unknown"
    return "unknown: of no drive enough is known" if undecided(found) else "no number of drives takes it"


def _some(names):
    """Names, of which there may be many."""
    named = ", ".join(names[:_MOST_NAMED])
    return named if len(names) <= _MOST_NAMED else f"{named} and {len(names) - _MOST_NAMED} more"


def _at_best(one):
    """How it would be with the drive at its best."""
    most, states = one.profile.write.up_to_mb_per_s, ""
    if "write" in one.profile.unknown_rates:
        states = ", if it never became slower" if most is None else f", with the {most:g} MB/s that its maker states"
    best = one.at_best.drives
    return f"at best{states}: " + ("no number of drives takes it" if best is None else
                                     "one takes it" if best == 1 else f"{best} drives take it")


def _to_know(one):
    """What would make it known."""
    ways = ["measure one with fio or qualify (docs/qualify.md)"]
    if "write" in one.profile.unknown_rates:
        ways.append("give --assume-rate RATE for a rate of your own")
    elif one.requirement.fill:
        ways.append("erase or trim it before, and plan without --fill")
    return f"to know: {', or '.join(ways)}"


def _count(one):
    """The column of the number of drives."""
    if one.unknown:
        best = one.at_best.drives
        return "-" if best is None else f">={best}"
    return "-" if one.drives is None else f"{one.drives}"


def _life(one):
    """How long each drive lasts by its rating, and what share of it a day of the recording is."""
    life, duty = one.life, f"at {100 * one.requirement.duty:g} % of all time"
    if one.profile.rotating:
        load = f"{life.workload:,.0f}" if life.workload >= 1000 else f"{life.workload:.4g}"
        need = f"{load} TB are moved a year {duty}, only to write them; a hard disk"
        before = f"; the {life.written_tb:,.6g} TB that were written before change nothing that is published of it"
        return f"{need} has a workload and no rating of writes, and this one's is " + (
            "unknown" if life.rated_workload is None else f"{life.rated_workload:g} TB a year") + (
            before if life.written_tb else "")
    text = f"unknown: {_NO_RATING}" if life.years is None else \
        f"over: {life.written_tb:,.6g} TB were written before, as much as it is rated for or more" \
        if not life.years else \
        f"{_years(life.years)} {duty}, until what it is rated for is written once" + (
            f"; {life.written_tb:,.6g} TB of that were written before" if life.written_tb else "")
    rated = "" if life.rated_per_day is None else f", and it is rated for {life.rated_per_day:.3g} in its warranty"
    return f"{text}; the recording writes it {life.writes_per_day:.3g} times a day{rated}"


def _stalls_unknown(one):
    if one.requirement.memory is not None:
        return (f"stall  unknown: none of this drive is published; each ms needs {one.words_per_stall_ms:,.0f} words "
                "of the memory")
    text = (f"stall  unknown: none of this drive is published, and the FIFO has no reserve for one: each ms "
            f"needs {one.words_per_stall_ms:,.0f} words more")
    return text if one.drives is None else \
        f"{text}; if it never stalls, it needs {_fifo(one.lane_fifo_words)}"


def _depth(one):
    """The column of the FIFO."""
    words = one.lane_fifo_words
    if words is None:
        return "unknown" if one.unknown else "-"
    if one.stalls_known:
        return "none" if words == 1 else f"{words:,}"
    return "unknown" if words == 1 else f">={words:,}"


def _size(words):
    return f"{words:,} words ({4 * words:,} bytes)"


def _fifo(words):
    return "no FIFO beyond the core's own" if words == 1 else f"a FIFO of {_size(words)}"


def _check(console, one, checked):
    if checked is None:
        return
    verdict = "agree" if checked.agrees else "DIFFER"
    _say(console, f"check  {one.lane.rate / 1e6:.6g} MB/s, {checked.bytes:,} "
                  f"bytes to a {one.profile.name} with long times cut short, every clock simulated: "
                  f"{_waiting(checked.simulated)}, {_waiting(checked.planned)} by "
                  f"arithmetic: they {verdict}")


def _waiting(words):
    return "no word waits" if words == 1 else f"{words:,} words wait"


def duration(seconds, digits=4):
    """Seconds with a unit that fits; "-" for None."""
    if seconds is None:
        return "-"
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60), ("s", 1)):
        if seconds >= size:
            return f"{seconds / size:.{digits}g} {unit}"
    return f"{1e3 * seconds:.3g} ms"


def _years(years):
    if years is None:
        return "unknown"
    return f"{years:.3g} a" if years >= 1 else f"{365.25 * years:.3g} d"


def _value(value):
    if value is None:
        return "unknown"
    if isinstance(value, list):
        return "; ".join(", ".join(f"{name} {part:,.10g}" if isinstance(part, (int, float)) else
                                   f"{name} {part}" for name, part in one.items())
                         if isinstance(one, dict) else ": ".join(f"{part:g}" for part in one)
                         for one in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.10g}"
