"""Words through the buffer in a memory, with a memory at its AXI4 port that answers as late as it likes."""

from amaranth.hdl import Array, Mux, Signal
from amaranth.lib.fifo import SyncFIFO

from sata_recorder.core.recorder.memory import MemoryBuffer, MemoryShape

#: A memory of 32 words in beats of 64 bits, with FIFOs of 16: bursts of 4 words at most.
_SHAPE = MemoryShape(depth=32, width=64, fifo=16)
_BEATS = _SHAPE.depth // 2
#: Bursts of each kind that it keeps.
_BURSTS = 8
#: A burst: its first beat, and its beats less one.
_FIRST, _BURST = 4, 5


def _beats(address):
    return address[3:3 + _FIRST]


def _memory(h, bus):
    """A memory: whatever it is asked for it does at any time, in the order in which it was asked. A read finds what a
    write has brought no sooner than the response to that."""
    m = h.m
    written = Array(Signal(2, name=f"written{beat}") for beat in range(_BEATS))
    visible = Array(Signal(2, name=f"visible{beat}") for beat in range(_BEATS))
    m.submodules.unanswered = unanswered = SyncFIFO(width=_BURST, depth=_BURSTS)
    m.submodules.asked = asked = SyncFIFO(width=_BURST, depth=_BURSTS)
    h.drive(bus.awready, bus.wready, bus.bvalid, bus.arready, bus.rvalid)

    # A burst of writes is taken once the one before has come. Its response may come then.
    comes = Signal()
    at = Signal(_FIRST)
    beat = bus.wvalid & bus.wready
    h.assume(~bus.awready | ~comes & unanswered.w_rdy, ~bus.wready | comes)
    begun = bus.awvalid & bus.awready
    m.d.comb += [unanswered.w_en.eq(begun), unanswered.w_data.eq(_beats(bus.awaddr) | bus.awlen[0] << _FIRST),
                 unanswered.r_en.eq(bus.bvalid)]
    m.d.sync += comes.eq(Mux(comes, ~(beat & bus.wlast), begun))
    with m.If(begun):
        m.d.sync += at.eq(_beats(bus.awaddr))
    with m.If(beat):
        m.d.sync += at.eq(at + 1)
        for lane in range(2):
            with m.If(bus.wstrb[4 * lane]):
                m.d.sync += written[at][lane].eq(bus.wdata[32 * lane])
    h.assume(~bus.bvalid | unanswered.r_rdy & (~comes | (unanswered.level > 1)))
    with m.If(bus.bvalid):
        first = unanswered.r_data[:_FIRST]
        m.d.sync += visible[first].eq(written[first])
        with m.If(unanswered.r_data[_FIRST]):
            m.d.sync += visible[first + 1].eq(written[first + 1])

    # Reads come one burst after the other.
    second = Signal()
    here = (asked.r_data[:_FIRST] + second)[:_FIRST]
    h.assume(~bus.arready | asked.w_rdy, ~bus.rvalid | asked.r_rdy)
    m.d.comb += [
        asked.w_en.eq(bus.arvalid & bus.arready), asked.w_data.eq(_beats(bus.araddr) | bus.arlen[0] << _FIRST),
        bus.rdata.eq(visible[here][0] | visible[here][1] << 32), bus.rlast.eq(second == asked.r_data[_FIRST]),
        asked.r_en.eq(bus.rvalid & bus.rlast),
    ]
    with m.If(bus.rvalid):
        m.d.sync += second.eq(~bus.rlast)
    return unanswered.level, asked.level


def words(h):
    """A recording: any words, one of which is marked, taken and forgotten at any time."""
    m = h.m
    dut = h.dut(MemoryBuffer(_SHAPE))
    h.drive(dut.i.valid, dut.o.ready, dut.go, dut.begin)
    h.assume(~dut.begin | ~dut.i.valid)
    writes, reads = _memory(h, dut.bus)
    inside, ahead = Signal(range(_SHAPE.depth + 3)), Signal(range(_SHAPE.depth + 3))
    there, was = Signal(), Signal()     # the marked word, the only one with a 1, is inside; has been
    mark = h.any(1, "mark") & ~was
    m.d.comb += dut.i.payload.eq(mark)
    put, take = dut.enters, dut.leaves & ~dut.begin
    m.d.sync += [inside.eq(Mux(dut.begin, 0, inside + put - take)), was.eq(was | (put & mark))]
    with m.If(dut.begin):
        m.d.sync += there.eq(0)
    with m.Elif(put & mark):
        m.d.sync += [there.eq(1), ahead.eq(inside - take)]
    with m.Elif(there & take):
        m.d.sync += [there.eq(ahead != 0), ahead.eq(ahead - 1)]
    h.check("no word out of nothing, and room for no more than there is", (~take | (inside != 0))
            & (inside <= _SHAPE.depth + 1))
    h.check("the marked word comes when it is due, once", ~take | (dut.o.payload[0] == (there & (ahead == 0))))
    h.check("the level is the number of words inside", dut.level == inside)
    left = Signal(range(2 * _SHAPE.depth))      # words that have come out since the latest begin
    m.d.sync += left.eq(Mux(dut.begin, 0, left + (take & ~left.all())))
    h.cover("a word comes out", take)
    h.cover("words come out after begin, with bursts of before under way",
            (left == 3) & h.ever(dut.begin & (writes != 0) & (reads != 0)))
    h.cover("all the room is used", inside == _SHAPE.depth)
