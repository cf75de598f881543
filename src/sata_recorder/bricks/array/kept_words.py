"""Words that a drive has not yet written, kept for the next one."""

from amaranth.hdl import C, Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...core.block_memory import BlockMemory
from ...core.drive_port import Error
from ...facts.units import SECTOR_SHIFT

__all__ = ["KeptWords", "LeftOut"]

#: Clocks until what depends on the lane of the words is right, and until all that a lane has done is known.
_SETTLED = 7
#: Words that may enter before it is seen that there is no room for more.
_LATE = 8


class LeftOut(wiring.Signature):
    """The last ``length`` sectors of ``lane``, which stay without words because of ``error``: while ``valid`` and until
    ``ready``."""

    def __init__(self, lanes):
        super().__init__({"valid": Out(1), "ready": In(1), "lane": Out(range(lanes)), "error": Out(Error),
                          "length": Out(48)})


class KeptWords(wiring.Component):
    """Keeps the words of a recording that a lane has got and its drive has not written. If the lane fails, the next one
    gets them, and then those that follow.

    One lane gets words at a time, the ``owner``; the next one does after the owner has written its last sector. A
    recording that is stopped ends lane by lane, too: the owner first, as it may still fail.

    Latency: none, but for words that are given once more, one every second clock. Between two lanes the stream stands
    still for some 10 clocks after the last sector was written.

    Parameters
    ----------
    lanes : int
    depth : int             Words that are kept, a power of two. Any command of a lane must have fewer.

    Members
    -------
    begin : In(1)           One clock: an operation begins.
    keeps : In(1)           High while words of a recording may cross; otherwise they pass unkept.
    stop : In(1)            With ``keeps``: the recording is to end with the words that it has. It stays high.
    i, o : In, Out(stream 32)       From the user, and to ``lane``.
    lane : In(range), over : In(1), follows : In(1), left : In(48)
                            Of the router: the lane of the next word; the last word has crossed; a lane comes after that
                            one; the sectors that it has not got as a whole.
    passes : Out(1)         One clock: the router is to leave out what ``lane`` has not got.
    owner : Out(range), done : In(48)       The lane that gets words, and the sectors that it has done.
    failed, runs : In(lanes)        Lanes that have failed, and that have not ended.
    stops : Out(lanes)      One clock of a bit: that lane is to stop.
    error : In(Error)       Why the owner has failed.
    passed : Out(lanes)     The lanes whose last sectors were left out in the operation, until the next one begins.
    left_out : Out(LeftOut)      Each of them, once.
    hands : Out(1)          A lane has failed or ended, and which one is next is not yet decided.
    """

    def __init__(self, lanes, depth):
        self._lanes = lanes
        self._depth = depth
        words = stream.Signature(32)
        super().__init__({
            "begin": In(1), "keeps": In(1), "stop": In(1), "i": In(words), "o": Out(words),
            "lane": In(range(lanes)), "over": In(1), "follows": In(1), "left": In(48), "passes": Out(1),
            "owner": Out(range(lanes)), "done": In(48), "failed": In(lanes), "runs": In(lanes),
            "stops": Out(lanes), "error": In(Error), "passed": Out(lanes), "left_out": Out(LeftOut(lanes)),
            "hands": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        bits = self._depth.bit_length()     # of places of words, and of the difference of two with a sign
        taken, given, first = Signal(bits), Signal(bits), Signal(bits)      # ``first``: the owner's first word
        written = Signal(bits)      # the place after the last word that the owner has written; zeros count after a stop
        unwritten = Signal(bits)    # words that the owner has got and not written; less than 0 after a stop
        again = Signal()            # words come once more
        room, opened = Signal(), Signal()
        flows = Signal()
        turned = Signal()           # the owner has got its last word, and a lane follows
        settled = Signal(range(_SETTLED + 1))
        enters, leaves = self.i.valid & self.i.ready, self.o.valid & self.o.ready
        m.d.comb += turned.eq((self.lane != self.owner) & ~self.over)
        m.d.sync += [
            written.eq(first + Cat(C(0, SECTOR_SHIFT), self.done)), unwritten.eq(given - written),
            room.eq(unwritten < self._depth - _LATE),
            opened.eq(flows & room & ~again & ~self.stop), settled.eq(settled + (settled != _SETTLED)),
        ]

        m.submodules.memory = kept = BlockMemory(shape=32, depth=self._depth)
        write = kept.write_port()
        read_address, word = kept.late_port(m)
        fetched, last = Signal(), Signal()
        m.d.comb += [write.en.eq(enters), write.addr.eq(taken), write.data.eq(self.i.payload), read_address.eq(given)]
        m.d.sync += [fetched.eq(again & ~(fetched & leaves)), last.eq((given + 1)[:bits] == taken)]
        with m.If(~self.keeps):
            m.d.comb += [self.o.valid.eq(self.i.valid), self.i.ready.eq(self.o.ready)]
        with m.Elif(flows & ~turned):
            m.d.comb += [self.o.valid.eq(Mux(again, fetched, opened & self.i.valid)),
                         self.i.ready.eq(opened & ~again & self.o.ready)]
        m.d.comb += self.o.payload.eq(Mux(again, word, self.i.payload))
        with m.If(enters):
            m.d.sync += taken.eq(taken + 1)
        with m.If(leaves):
            m.d.sync += given.eq(given + 1)
            with m.If(last):
                m.d.sync += again.eq(0)

        fails, ended = (self.failed >> self.owner)[0], ~(self.runs >> self.owner)[0]
        some = Signal()
        m.d.comb += [
            some.eq(~unwritten[-1] & unwritten.any()), self.hands.eq(~flows | fails | turned),
            self.left_out.lane.eq(self.owner), self.left_out.error.eq(self.error),
        ]
        m.d.sync += self.left_out.length.eq(Mux(turned, 0, self.left) + (unwritten >> SECTOR_SHIFT))

        def wait(state):
            m.d.sync += settled.eq(0)
            m.next = state

        with m.FSM():
            with m.State("OFF"):
                m.d.comb += self.hands.eq(0)
                m.d.sync += [taken.eq(0), given.eq(0), first.eq(0), again.eq(0)]
                with m.If(self.keeps):
                    wait("SETTLE")
            with m.State("SETTLE"):
                m.d.sync += self.owner.eq(self.lane)
                with m.If(settled == _SETTLED):
                    wait("FLOW")
            with m.State("FLOW"):
                m.d.comb += flows.eq(1)
                with m.If(~turned):
                    m.d.sync += settled.eq(0)
                with m.If(~self.keeps):
                    m.next = "OFF"
                with m.Elif(fails):
                    wait("JUDGE")
                with m.Elif(turned):
                    with m.If((settled == _SETTLED) & ~some):
                        m.d.sync += first.eq(given)
                        wait("SETTLE")
                with m.Elif(self.stop & ~opened & ~again):
                    m.d.comb += self.stops.eq(1 << self.owner)
                    m.next = "STOP"
            with m.State("STOP"):
                with m.If(fails):
                    wait("JUDGE")
                with m.Elif(ended):
                    m.d.comb += self.stops.eq((1 << self._lanes) - 1)
                    m.next = "END"
            with m.State("JUDGE"):
                with m.If(settled == _SETTLED):
                    # A recording that is stopped needs no other lane if all its words are written, and only then may
                    # there be less than none.
                    with m.If(self.over | ~(turned | self.follows) | self.stop & ~(some | again)):
                        m.d.comb += self.stops.eq(Mux(self.stop, (1 << self._lanes) - 1, 0))
                        m.next = "END"
                    with m.Else():
                        m.d.comb += self.left_out.valid.eq(self.left_out.length.any())
                        with m.If(self.left_out.ready | ~self.left_out.length.any()):
                            m.next = "HAND"
            with m.State("HAND"):
                m.d.comb += self.passes.eq(~turned)
                m.d.sync += [self.passed.eq(self.passed | 1 << self.owner), again.eq(again | some), given.eq(written),
                             first.eq(written)]
                wait("SETTLE")
            with m.State("END"):
                m.d.comb += self.hands.eq(0)
                with m.If(~self.keeps):
                    m.next = "OFF"
        with m.If(self.begin):
            m.d.sync += self.passed.eq(0)
        return m
