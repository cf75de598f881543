"""The words of a recording as a source of another width and clock gives them."""

from amaranth.hdl import Cat, ClockDomain, ClockSignal, DomainRenamer, Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.cdc import FFSynchronizer
from amaranth.lib.wiring import In, Out, connect

from sata_recorder.facts.units import SECTOR_SHIFT
from sata_recorder.interface.group import WORD

__all__ = ["attach_source", "has_source", "with_source"]

_DOMAIN = "pattern"


def has_source(configuration):
    """Whether the stream of ``configuration`` is not one of 32 bits in the core's clock."""
    return configuration.source_clock or configuration.source_width != WORD


def with_source(configuration):
    """The core of a console recorder: what it has at pins, with its source. Beats that a recording leaves are
    dropped, so that each recording begins with its own."""
    core = configuration.at_pins
    return core.model_copy(update={
        "source_width": configuration.source_width, "source_clock": configuration.source_clock,
        "source_depth": configuration.source_depth, "source_waits": False}) if has_source(configuration) else core


class PatternSource(wiring.Component):
    """Gives inc32 or dec32 in beats, in the clock of the source; it waits where there is no room.

    Parameters
    ----------
    width : int         Bits of a beat: parts of a word, or words, the lowest bits first.

    Members
    -------
    run : In(1)         A recording takes beats. In its first clock nothing is offered, and low there is nothing either.
    first : In(32)      The first word, as :class:`.pattern.Generator` has it; it stays from then on.
    decreasing : In(1)  The pattern is dec32, not inc32; so does this.
    o : Out(stream of ``width`` bits)
    """

    def __init__(self, width):
        self._width = width
        super().__init__({"run": In(1), "first": In(WORD), "decreasing": In(1), "o": Out(stream.Signature(width))})

    def elaborate(self, platform):
        m = Module()
        width, o = self._width, self.o
        words, parts = max(1, width // WORD), max(1, WORD // width)
        index = Signal(WORD)
        begun = Signal()
        moves = Signal()
        m.d.comb += [o.valid.eq(self.run & begun), moves.eq(o.valid & o.ready)]
        m.d.sync += begun.eq(self.run)
        # A sector has whole beats, so a beat begins with a multiple of its words.
        beat = Cat((index | number) ^ self.decreasing.replicate(WORD) for number in range(words))
        last = moves
        if parts > 1:
            part = Signal(range(parts))
            m.d.sync += part.eq(part + moves)
            with m.If(~begun):
                m.d.sync += part.eq(0)
            m.d.comb += o.payload.eq(beat.word_select(part, width))
            last = moves & part.all()
        else:
            m.d.comb += o.payload.eq(beat)
        with m.If(~begun):
            m.d.sync += index.eq(self.first)
        with m.Elif(last):
            m.d.sync += index.eq(index + words)
        return m


def attach_source(m, recorder, core, console, lba, done):
    """A :class:`PatternSource` as what ``core`` of the ``recorder`` records, from the sector ``lba`` on; ``done``: an
    operation ends in this clock."""
    user = core.user
    flowing = next(stage.watched["source_flowing"] for stage in core.stages if "source_flowing" in stage.watched)
    clocked = hasattr(user, "source_clock")
    pattern = PatternSource(len(user.i.payload))
    m.submodules.pattern_source = DomainRenamer(_DOMAIN)(pattern) if clocked else pattern
    connect(m, pattern.o, user.i)
    runs = Signal()             # the source gives words
    gave = Signal()             # it has seen that, and not yet that it is over
    first = Signal(WORD)
    m.d.sync += first.eq(Cat([0] * SECTOR_SHIFT, lba))
    # It falls a clock before the stage numbers the next recording, so that no beat comes after that boundary.
    with m.If(done | ~flowing):
        m.d.sync += runs.eq(0)
    with m.Elif(~gave):
        m.d.sync += runs.eq(1)
    if not clocked:
        m.d.comb += [pattern.run.eq(runs), pattern.first.eq(first), pattern.decreasing.eq(console.decreasing)]
        return
    m.domains += ClockDomain(_DOMAIN, local=True, reset_less=True)
    m.d.comb += [ClockSignal(_DOMAIN).eq(recorder.s_axis_aclk), user.source_clock.clk.eq(recorder.s_axis_aclk)]
    for name, signal, seen in (("runs", runs, pattern.run), ("first", first, pattern.first),
                               ("decreasing", console.decreasing, pattern.decreasing)):
        m.submodules[f"{name}_synchronizer"] = FFSynchronizer(signal, seen, o_domain=_DOMAIN)
    m.submodules.gave_synchronizer = FFSynchronizer(pattern.run, gave)
