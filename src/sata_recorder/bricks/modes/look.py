"""A readback of sectors while they are recorded: where they are, and their words."""

from amaranth.hdl import Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...core.block_memory import BlockMemory
from ...core.drive_port import LookPort
from ...facts.units import LONG_SECTOR_SHIFT, SECTOR_WORDS
from ...interface import LOOK
from ...interface.look import LookState
from ...interface.recording import SegmentState

__all__ = ["Look"]

#: Clocks from a change until it is known in which lap the oldest sector is, and until the span is computed.
_PLACED, _COMPUTED = 3, 7


class Look(wiring.Component):
    """Reads sectors of a recording into a memory while it runs: by their number, as long as they are still there.

    A readback that crosses the end of a lap is read in two parts, of which the second one waits, too. Its words
    count when all of it has been read.

    Latency: a word is at ``user.data`` 2 clocks after its address. The span is there 8 clocks after a change
    of what it depends on, and 4 later if the oldest sector is in another lap then.

    Parameters
    ----------
    sectors : int           The most sectors of a readback: a power of two.
    long_sectors, pauses : bool     Whether the input ``long``, ``pauses`` counts.

    Members
    -------
    user : In               The group of the readback, see :mod:`...interface`.
    port : Out(LookPort)    The core.
    begin : In(1)           One clock: a recording begins.
    runs : In(1)            The recording runs, and is not stopped.
    lba : In(48)            Its first sector. This one and the next two are stable from ``begin`` on.
    part : In(48)           The sectors of its space, or of the part of a segment.
    position : In(48)       Sectors of its first lap that are passed over.
    segment_state : In(SegmentState)        The state of the segment that is recorded.
    first_sector : In(48)   The first sector of that segment, by its number in the recording.
    oldest : In(48)         The first sector of the recording that is still there.
    newest : In(48)         The one after the last that is recorded.
    long : In(1)            With ``begin``: the drive counts sectors of 4096 bytes.
    pauses : In(1)          The recording is interrupted, and will continue: a readback waits for that.
    """

    def __init__(self, *, sectors, long_sectors=False, pauses=False):
        self._sectors = sectors
        self._pauses = pauses
        self._long_sectors = long_sectors
        super().__init__({
            "user": In(LOOK.signature), "port": Out(LookPort()), "begin": In(1), "runs": In(1),
            "lba": In(48), "part": In(48), "position": In(48),
            "segment_state": In(SegmentState), "first_sector": In(48), "oldest": In(48), "newest": In(48),
            "long": In(1), "pauses": In(1),
        })

    def elaborate(self, platform):
        m = Module()
        user, port = self.user, self.port
        sector = Signal(48)
        room = Signal.like(user.room)
        count = Signal.like(user.count)
        state = Signal(LookState)
        settled = Signal()          # the span is computed
        there = Signal()            # the sectors are recorded, and still there
        taken = Signal()
        m.d.comb += [
            user.state.eq(state), port.room.eq(room),
            port.span.valid.eq((state == LookState.WAITS) & self.runs & settled & there),
            taken.eq(port.span.valid & port.span.ready),
        ]
        changes = self._lead(m, state, sector, count, room, settled, there, taken)
        self._place(m, sector, count, settled, there, changes)
        self._keep(m, changes)
        with m.If(self.begin):
            m.d.sync += user.clocks.eq(0)
        with m.Elif(port.reads):
            m.d.sync += user.clocks.eq(user.clocks + 1)
        return m

    def _lead(self, m, state, sector, count, room, settled, there, taken):
        """From state to state; returns whether another readback is requested, and whether the rest of one is."""
        user, port = self.user, self.port
        rest_sector, rest_count = Signal.like(sector), Signal.like(count)
        asked = Signal()            # another readback waits for the end of this one
        then = Signal(LookState)    # the state of that one after it; IDLE if it was withdrawn
        unfit = Signal()
        begins = Signal(LookState)
        ends = Signal()
        rests = Signal()
        m.d.comb += [
            unfit.eq((user.count == 0) | (user.count > self._sectors)),
            begins.eq(Mux(unfit, LookState.OUT_OF_RANGE, LookState.WAITS)),
            ends.eq(port.succeeded | port.failed),
            rests.eq((state == LookState.READS) & port.succeeded & ~asked & (rest_count != 0)),
        ]
        if self._long_sectors:
            long = Signal()         # kept, as a drive that is away reports none
            with m.If(self.begin):
                m.d.sync += long.eq(self.long)
            within = (user.sector[:LONG_SECTOR_SHIFT] | user.count[:LONG_SECTOR_SHIFT]).any()
            m.d.comb += unfit.eq((user.count == 0) | (user.count > self._sectors) | (long & within))
        # They follow what is offered until it is taken.
        with m.If(state == LookState.WAITS):
            m.d.sync += [rest_sector.eq(sector + port.span.payload.sectors),
                         rest_count.eq(count - port.span.payload.sectors)]
        with m.If(taken):
            m.d.sync += state.eq(LookState.READS)
        with m.Elif(state == LookState.READS):
            with m.If(ends):
                m.d.sync += [
                    asked.eq(0), state.eq(Mux(port.failed, LookState.FAILED, LookState.READY)),
                    user.looks.eq(user.looks + (port.succeeded & (rest_count == 0))),
                ]
                with m.If(asked):
                    m.d.sync += state.eq(Mux(user.stop, LookState.IDLE, then))
                with m.Elif(rests):
                    m.d.sync += [state.eq(LookState.WAITS), sector.eq(rest_sector), count.eq(rest_count)]
        with m.Elif(state == LookState.WAITS):
            over = ~self.runs | (settled & ~there)
            if self._pauses:
                # What is reported meanwhile is not about this recording.
                over = ~self.pauses & over
            with m.If(over):
                m.d.sync += state.eq(LookState.GONE)
        with m.If(user.stop):
            m.d.sync += then.eq(LookState.IDLE)
            with m.If((state == LookState.WAITS) & ~taken):
                m.d.sync += state.eq(LookState.IDLE)
        with m.If(user.start):
            m.d.sync += [sector.eq(user.sector), count.eq(user.count), room.eq(user.room)]
            with m.If(taken | ((state == LookState.READS) & ~ends)):
                m.d.sync += [asked.eq(1), then.eq(begins)]
            with m.Else():
                m.d.sync += state.eq(begins)
        with m.If(self.begin):
            m.d.sync += user.looks.eq(0)
        return user.start, rests

    def _place(self, m, sector, count, settled, there, changes):
        """Where the sectors are, up to the end of the lap."""
        span = self.port.span.payload
        base = Signal(48)           # first sector of the part
        lap = Signal(48)            # sectors of the laps before that of the oldest one, and of ``position``
        oldest = Signal(48)
        shift = Signal(signed(50))
        place = Signal(signed(50))  # of the oldest one in its lap
        earlier = Signal()          # it is in an earlier lap
        later = Signal()            # it is in a later lap
        first = Signal(signed(50))  # place of the readback in that lap
        second = Signal(signed(50))     # and in the next one
        into = Signal(48)
        left = Signal(48)           # sectors of the lap from there on
        end = Signal(49)
        since = Signal(range(_COMPUTED + 1))
        before = Signal(SegmentState)
        m.d.comb += settled.eq(since == _COMPUTED)
        m.d.sync += [
            oldest.eq(self.oldest), before.eq(self.segment_state),
            shift.eq(self.position - lap), place.eq(shift + oldest), first.eq(shift + sector),
            earlier.eq(place < 0), later.eq(place[:48] >= self.part),
            second.eq(first - self.part),
            into.eq(Mux(second < 0, first, second)),
            left.eq(self.part - into),
            span.lba.eq(base + into),
            span.sectors.eq(Mux(left < count, left, count)),
            end.eq(sector + count),
            there.eq((sector >= oldest) & (end <= self.newest)),
            since.eq(Mux(settled, since, since + 1)),
        ]
        with m.If(since == _PLACED):
            with m.If(earlier):
                m.d.sync += [lap.eq(lap - self.part), since.eq(0)]
            with m.Elif(later):
                m.d.sync += [lap.eq(lap + self.part), since.eq(0)]
        with m.If((oldest != self.oldest) | changes[0] | changes[1]):
            m.d.sync += since.eq(0)
        with m.If((before == SegmentState.BETWEEN) & (self.segment_state == SegmentState.BEFORE)):
            m.d.sync += [since.eq(0), base.eq(base + self.part), lap.eq(self.first_sector)]
        with m.If(self.begin):
            m.d.sync += [since.eq(0), base.eq(self.lba), lap.eq(0)]

    def _keep(self, m, changes):
        """The words."""
        user, data = self.user, self.port.data
        m.submodules.memory = mem = BlockMemory(shape=32, depth=self._sectors * SECTOR_WORDS)
        write = mem.write_port()
        address, stored = mem.late_port(m)
        follows = Signal()          # what is read next is the rest
        m.d.comb += [
            address.eq(user.address), write.en.eq(data.valid), write.data.eq(data.payload),
        ]
        m.d.sync += user.data.eq(stored)
        asks, rests = changes
        with m.If(data.valid):
            m.d.sync += write.addr.eq(write.addr + 1)
        with m.If(asks):
            m.d.sync += follows.eq(0)
        with m.Elif(rests):
            m.d.sync += follows.eq(1)
        with m.If(~self.port.reads & ~follows):
            m.d.sync += write.addr.eq(0)
