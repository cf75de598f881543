"""The stream of a playback, of any width and in a clock of its own."""

from amaranth.hdl import Cat, ClockDomain, ClockSignal, DomainRenamer, Module, ResetSignal, Signal
from amaranth.lib.cdc import FFSynchronizer, ResetSynchronizer
from amaranth.lib.wiring import connect

from ...core.block_fifo import BlockFifo
from ...core.drive_port import Operation
from ...interface import (CONTROL, LAST, PLAYBACK, PLAYBACK_CLOCK, PLAYBACK_ENDS, PLAYBACK_STREAMS, STATUS, STREAM_OUT)
from ...interface.group import SUM, WORD
from ...interface.playback import PLAYBACK_AHEAD
from ..clock_crossing import ClockCrossing
from ..stage import Stage, StageRow
from .played_beat import played_layout
from .stream_output import StreamOutput, gray_code
from .word_gatherer import WordGatherer

__all__ = ["PlaybackStage"]

_DOMAIN = "playback"
#: Clocks of the core in which a beat is in the FIFO before it is counted as an end.
_SETTLE = 4
#: Depth of the FIFO that takes counts to the core.
_COUNTS = 4


class PlaybackStage(Stage):
    """Turns the words of a playback into beats of 8 to 128 bits, for a user that may have a clock of its own.

    A FIFO holds ``playback_depth`` beats. A playback begins once there are ``playback_fill`` of them, or all that it
    has; a clock before its end in which the user is ready and finds none is an underrun. A stop drops what is in the
    FIFO.

    Latency: 2 clocks, and that of the FIFO: 2 in the core's clock, else see
    :class:`..clock_crossing.ClockCrossing`. Rate: a word in each clock of the core.

    Parameters
    ----------
    configuration : Configuration   ``playback_width`` is not 32, or ``playback_clock`` is true.

    Members
    -------
    user : In(Face)     The user, with the stream that it takes.
    core : Out(Face)    The recorder, with a stream of 32 bits.
    """

    row = StageRow(
        "playback", adds={*PLAYBACK_STREAMS.values(), *PLAYBACK_ENDS.values(), PLAYBACK, PLAYBACK_CLOCK},
        takes={STREAM_OUT}, claims={LAST, CONTROL, STATUS}, below={"playback_width": WORD, "playback_clock": False})

    def elaborate(self, platform):
        m = Module()
        config, user, core = self.configuration, self.user, self.core
        width = max(WORD, config.playback_width)
        m.submodules.gatherer = gatherer = WordGatherer(width)
        output = StreamOutput(config.playback_width, depth=config.playback_depth, fill=config.playback_fill)
        self.hand_on(m, STATUS, CONTROL)
        end, control, status = user.playback_end, core.control, core.status
        runs, plays, halted = Signal(), Signal(), Signal()
        m.d.sync += halted.eq(control.stop)
        # Another stage may keep the core busy after an operation of the user.
        with m.If(control.start & ~status.busy):
            m.d.sync += [runs.eq(1), plays.eq(control.operation == Operation.PLAY)]
        with m.Elif(status.done):
            m.d.sync += [runs.eq(0), plays.eq(0)]
        m.d.comb += [
            gatherer.i.payload.eq(core.o.payload), gatherer.i.valid.eq(core.o.valid),
            core.o.ready.eq(gatherer.i.ready), gatherer.last.eq(core.last),
            gatherer.busy.eq(runs), gatherer.done.eq(status.done),
            # A stop of a recording is none of a playback that is still in the FIFO.
            gatherer.stop.eq(control.stop & ~halted & (plays | ~runs)),
            user.o.payload.eq(output.o.payload), output.o.ready.eq(user.o.ready),
            user.last.eq(output.last), end.keep.eq(output.keep), end.cut.eq(output.cut),
            end.underrun.eq(output.underrun),
        ]
        if config.playback_clock:
            self._cross(m, gatherer, output)
        else:
            self._pass(m, gatherer, output)
        return m

    def _room(self, m, gatherer, level):
        """Whether the FIFO has room, a clock late."""
        m.d.sync += gatherer.room.eq(gatherer.o.ready & (level <= self.configuration.playback_depth - PLAYBACK_AHEAD))

    def _ended(self, m, gatherer, output):
        """The number of ends of playbacks that have gone into the FIFO, as a Gray code: each some clocks later."""
        count, code, clocks = Signal.like(output.ended), Signal.like(output.ended), Signal(_SETTLE)
        beat = gatherer.o
        m.d.sync += [
            clocks.eq(Cat(beat.valid & beat.ready & beat.payload.last, clocks)), count.eq(count + clocks[-1]),
            code.eq(gray_code(count)),
        ]
        return code

    def _pass(self, m, gatherer, output):
        """In the clock of the core."""
        m.submodules.output = output
        m.submodules.fifo = fifo = BlockFifo(
            width=len(gatherer.o.payload.as_value()), depth=self.configuration.playback_depth)
        m.d.comb += [
            fifo.w_data.eq(gatherer.o.payload), fifo.w_en.eq(gatherer.o.valid), gatherer.o.ready.eq(fifo.w_rdy),
            output.i.payload.eq(fifo.r_data), output.i.valid.eq(fifo.r_rdy), fifo.r_en.eq(output.i.ready),
            output.waiting.eq(fifo.level), output.ended.eq(self._ended(m, gatherer, output)),
            output.discards.eq(gatherer.discards), gatherer.resumed.eq(output.resumed),
            self.user.o.valid.eq(output.o.valid & ~ResetSignal("sync")), self.user.playback.level.eq(fifo.level),
            self.user.playback.underruns.eq(output.underruns), self.user.playback.intact.eq(output.intact),
        ]
        self._room(m, gatherer, fifo.level)

    def _cross(self, m, gatherer, output):
        """Into the clock of the user; what is counted there comes back."""
        user = self.user
        m.domains += ClockDomain(_DOMAIN, local=True)
        m.d.comb += ClockSignal(_DOMAIN).eq(user.playback_clock.clk)
        m.submodules.reset = ResetSynchronizer(ResetSignal("sync"), domain=_DOMAIN)
        m.submodules.output = DomainRenamer(_DOMAIN)(output)
        m.submodules.crossing = crossing = ClockCrossing(
            played_layout(gatherer.o.payload.data.shape().width), self.configuration.playback_depth, writer="sync",
            reader=_DOMAIN)
        connect(m, gatherer.o, crossing.i)
        connect(m, crossing.o, output.i)
        self._room(m, gatherer, crossing.level)
        m.d.comb += [
            output.waiting.eq(crossing.waiting), user.playback.level.eq(crossing.level),
            # A reset is seen even while the user's clock stands still.
            user.o.valid.eq(output.o.valid & ~ResetSignal(_DOMAIN)),
        ]
        for name, signal, seen, domain in (("ended", self._ended(m, gatherer, output), output.ended, _DOMAIN),
                                           ("discards", gatherer.discards, output.discards, _DOMAIN),
                                           ("resumed", output.resumed, gatherer.resumed, "sync")):
            m.submodules[f"{name}_synchronizer"] = FFSynchronizer(signal, seen, o_domain=domain)
        m.submodules.counts = counts = ClockCrossing(2 * SUM, _COUNTS, writer=_DOMAIN, reader="sync")
        m.d.comb += [counts.i.payload.eq(Cat(output.underruns, output.intact)), counts.i.valid.eq(1),
                     counts.o.ready.eq(1)]
        with m.If(counts.o.valid):
            m.d.sync += Cat(user.playback.underruns, user.playback.intact).eq(counts.o.payload)
