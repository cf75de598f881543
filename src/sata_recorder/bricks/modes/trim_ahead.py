"""TRIM ahead of a ring: which sectors it takes, and what of the ring is gone with it."""

from amaranth.hdl import Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...core.drive_port import TrimPort
from ...interface import TRIM
from ...interface.trim import TrimState
from ...facts.units import LONG_SECTOR_SHIFT

__all__ = ["RingTrim"]

#: Clocks from a change until it is known in which lap the span is, and until the span is computed.
_PLACED, _COMPUTED = 4, 8
#: The part of the ring that ``user.ahead`` is at most, as a shift.
_MOST = 2


class RingTrim(wiring.Component):
    """Requests TRIM when fewer than ``user.ahead`` sectors after those for which a command has begun have
    been trimmed, and then for all up to twice as many. A span ends with its lap at the latest.

    A span has no sector for which a command has begun: the span is withdrawn a clock after ``begun``
    has moved, and the core begins no TRIM so soon after that. ``reached`` counts a TRIM from the clock
    after the one in which it begins on.

    Parameters
    ----------
    long_sectors : bool     ``long`` counts.

    Members
    -------
    user : In               The group of TRIM, see :mod:`...interface`.
    port : Out(TrimPort)    The core.
    take : In(1)            One clock: ``user.ahead`` is taken.
    begin : In(1)           One clock: a recording begins; not within 4 clocks of ``take``.
    ring : In(1)            It is a ring. This one and the next three are stable from 2 clocks before
                            ``begin`` on.
    lba, sectors : In(48)   The ring.
    position : In(48)       Sectors of its first lap that are passed over.
    runs : In(1)            The recording runs.
    begun : In(48)          Sectors of the recording for which a command has begun.
    other : In(1)           Another operation begins, to which ``begun`` belongs from then on.
    reached : Out(48)       Sectors of the recording up to which TRIM has begun; 0 after ``other``.
    long : In(1)            With ``begin``: the drive counts sectors of 4096 bytes.
    """

    def __init__(self, *, long_sectors=False):
        self._long_sectors = long_sectors
        super().__init__({
            "user": In(TRIM.signature), "port": Out(TrimPort()), "take": In(1), "begin": In(1),
            "ring": In(1), "lba": In(48), "sectors": In(48), "position": In(48), "runs": In(1),
            "begun": In(48), "other": In(1), "reached": Out(48), "long": In(1),
        })

    def elaborate(self, platform):
        m = Module()
        span = self.port.span
        ahead = self._ahead(m)
        taken = Signal()
        begun = Signal(48)
        front = Signal(48)          # sectors of the recording that need no TRIM any more
        goal = Signal(48)           # sectors of the recording that are to be trimmed, or written
        wanted = Signal(signed(49))     # from ``front`` to there; below 0 where a failure has moved ``begun`` back
        lap = Signal(48)            # sectors of the laps before that of ``front``, and of ``position``
        base = Signal(signed(49))
        into = Signal(signed(49))   # sectors of this lap before ``front``
        before = Signal()           # ``front`` is in a lap before this one
        after = Signal()            # ``front`` is in a lap after this one
        room = Signal(48)           # sectors of this lap from ``front`` on
        due = Signal()
        since = Signal(range(_COMPUTED + 1))
        computed = Signal()         # the highest bit of ``since``: _COMPUTED is a power of 2
        m.d.comb += [
            taken.eq(span.valid & span.ready),
            computed.eq(since[-1]),
            span.valid.eq(self.runs & due & computed),
        ]
        m.d.sync += [
            begun.eq(self.begun),
            front.eq(Mux(begun < self.reached, self.reached, begun)),
            goal.eq(begun + (ahead << 1)),
            wanted.eq(goal - front),
            base.eq(self.position - lap), into.eq(base + front),
            before.eq(into < 0), after.eq(into[:48] >= self.sectors),
            room.eq(self.sectors - into[:48]),
            due.eq((wanted > ahead) & ahead.any() & self.ring),
            span.payload.lba.eq(self.lba + into[:48]),
            span.payload.sectors.eq(Mux(room < wanted[:48], room, wanted[:48])),
            since.eq(Mux(computed, since, since + 1)),
        ]
        with m.If(since == _PLACED):
            with m.If(before):
                m.d.sync += [lap.eq(lap - self.sectors), since.eq(0)]
            with m.Elif(after):
                m.d.sync += [lap.eq(lap + self.sectors), since.eq(0)]
        with m.If(begun != self.begun):
            m.d.sync += since.eq(0)
        with m.If(taken):
            m.d.sync += [since.eq(0), self.reached.eq(front + span.payload.sectors)]
        with m.If(self.begin):
            m.d.sync += [since.eq(0), lap.eq(0)]
        with m.If(self.begin | self.other):
            m.d.sync += self.reached.eq(0)
        self._tell(m, span.payload, ahead)
        return m

    def _ahead(self, m):
        """``user.ahead``, limited to a part of the ring, and in whole logical sectors."""
        ahead, asked = Signal.like(self.user.ahead), Signal.like(self.user.ahead)
        most = self.sectors >> _MOST
        with m.If(self.take):
            m.d.sync += asked.eq(self.user.ahead)
        m.d.sync += ahead.eq(Mux(most < asked, most, asked))
        if not self._long_sectors:
            return ahead
        whole, long = Signal.like(ahead), Signal()
        with m.If(self.begin):
            m.d.sync += long.eq(self.long)
        m.d.comb += whole.eq(ahead)
        with m.If(long):
            m.d.comb += whole[:LONG_SECTOR_SHIFT].eq(0)
        return whole

    def _tell(self, m, span, ahead):
        """What the user sees."""
        user, port = self.user, self.port
        state = Signal(TrimState)
        latest = Signal(48)         # sectors
        m.d.comb += user.state.eq(state)
        with m.If(~port.trims):
            m.d.sync += latest.eq(span.sectors)
        with m.If(self.begin):
            m.d.sync += [state.eq(TrimState.OFF), user.sectors.eq(0), user.clocks.eq(0)]
        with m.Elif(self.runs & self.ring & ahead.any()):
            m.d.sync += user.clocks.eq(user.clocks + port.trims)
            with m.If(port.given_up):
                m.d.sync += state.eq(TrimState.GIVEN_UP)
            # A drive that is away, or another one, does not take back what this one has done.
            with m.Elif(port.known):
                m.d.sync += state.eq(Mux(port.offered, TrimState.ON, TrimState.NOT_OFFERED))
            with m.If(port.succeeded):
                m.d.sync += user.sectors.eq(user.sectors + latest)
