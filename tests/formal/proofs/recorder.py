"""The recorder: streams, order, the promise behind ``hold``."""

from amaranth.hdl import Mux, Signal

from formal.order import order, steady
from sata_recorder.recorder import Recorder


def scene(h, depth):
    """A recorder between anything: the sequencer begins an operation, then records or plays."""
    dut = h.dut(Recorder(depth=depth))
    sequencer = dut.sequencer
    h.drive(dut.i.valid, dut.i.payload, dut.o.ready, dut.stop, sequencer.begin, sequencer.sectors,
            sequencer.recording, sequencer.playing, sequencer.data.ready,
            sequencer.payload.valid, sequencer.payload.payload)
    runs = sequencer.recording | sequencer.playing
    # An operation runs once after its begin, two clocks later or more, and is one or the other.
    due = Signal(2)
    with h.m.If(sequencer.begin):
        h.m.d.sync += due.eq(1)
    with h.m.Elif(runs):
        h.m.d.sync += due.eq(3)
    with h.m.Elif(due == 3):
        h.m.d.sync += due.eq(0)
    with h.m.Elif(due == 1):
        h.m.d.sync += due.eq(2)
    h.assume(
        ~(sequencer.recording & sequencer.playing), ~runs | ~sequencer.begin,
        ~runs | (due >= 2),
        ~(runs & (due == 3)) | (sequencer.playing == h.past(sequencer.playing)),
        ~sequencer.payload.valid | sequencer.playing,
        ~sequencer.data.ready | ~sequencer.playing,
    )
    return dut


def record(h, depth=128):
    """From the user's stream to the drive."""
    dut = scene(h, depth)
    sequencer = dut.sequencer
    taken = sequencer.data.valid & sequencer.data.ready
    stopped = h.probe("dut.stopped")
    inside = order(h, "record", dut.i.valid & dut.i.ready, dut.i.payload[0:1], taken,
                   sequencer.data.payload[0:1], limit=depth + 1, filler=stopped,
                   clear=sequencer.begin | ~sequencer.recording)
    steady(h, "data", sequencer.data, unless=~sequencer.recording)
    h.check("only zeros after the words that were accepted before stop",
            ~taken | (inside != 0) | (stopped & (sequencer.data.payload == 0)))
    h.check("nothing is accepted outside of a recording",
            sequencer.recording | ~(dut.i.valid & dut.i.ready))
    h.check("nothing is accepted after stop",
            ~h.past(dut.stop & ~sequencer.begin & sequencer.recording) | ~dut.i.ready)
    h.check("drained when nothing is inside",
            ~sequencer.recording | (sequencer.drained == (inside == 0)))
    h.cover("words, then zeros after stop", taken & (inside == 0) & h.ever(taken & (inside != 0)))


def play(h, depth=128):
    """From the drive to the user's stream."""
    dut = scene(h, depth)
    sequencer = dut.sequencer
    stopped = h.probe("dut.stopped")
    taken = dut.o.valid & dut.o.ready
    order(h, "play", sequencer.payload.valid & ~sequencer.lost & ~stopped,
          sequencer.payload.payload[0:1], taken, dut.o.payload[0:1], limit=depth + 1,
          clear=sequencer.begin | ~sequencer.playing | stopped)
    steady(h, "o", dut.o, dut.last, unless=~sequencer.playing | stopped)
    h.check("nothing comes out after stop", ~dut.o.valid | ~stopped)
    h.cover("a word is lost, and that is said", sequencer.lost)
    h.cover("two words came and were taken", taken & h.ever(taken))


def room(h, depth=128, reserve=96):
    """A drive that sends no more than ``reserve`` words after ``hold`` loses none."""
    m = h.m
    dut = scene(h, depth)
    sequencer = dut.sequencer
    budget = Signal(range(reserve + 1), init=reserve)
    h.assume(~sequencer.payload.valid | ~sequencer.hold | (budget != 0))
    with m.If(~sequencer.hold | sequencer.begin):
        m.d.sync += budget.eq(reserve)
    with m.Elif(sequencer.payload.valid):
        m.d.sync += budget.eq(budget - 1)
    level = h.probe("dut.level", range(depth + 4))
    inner = h.probe("dut.buffer.inner_level", range(depth))
    front, output = h.probe("dut.buffer.r_rdy"), h.probe("dut.output__valid")
    held, stopped = h.probe("dut.hold"), h.probe("dut.stopped")
    playing = sequencer.playing & ~stopped
    h.lemma("level counts what is inside",
            ~(playing | ~h.ever(sequencer.begin)) | (level == inner + front + output))
    h.lemma("what may still come fits",
            ~playing | Mux(held, level + budget <= depth + 1, level <= depth - reserve))
    h.check("no word is lost", ~sequencer.lost)
    h.cover("all the reserve is used", (budget == 0) & sequencer.playing,
            given=~dut.o.ready & ~dut.stop)
