"""The recorder: its streams, the words it drops, the promise behind ``hold``. No command fails."""

from amaranth.hdl import Mux, Signal

from formal.order import steady
from sata_recorder.recorder import Recorder


def scene(h, depth, drop=False):
    """A recorder between anything: the sequencer begins an operation, then records or plays."""
    m = h.m
    dut = h.dut(Recorder(depth=depth, drop=drop))
    sequencer = dut.sequencer
    h.drive(dut.i.valid, dut.i.payload, dut.o.ready, dut.stop, sequencer.begin, sequencer.sectors,
            sequencer.recording, sequencer.playing, sequencer.data.ready, sequencer.command,
            sequencer.completed, sequencer.payload.valid, sequencer.payload.payload)
    runs = sequencer.recording | sequencer.playing
    # An operation runs once after its begin, two clocks later or more, and is one or the other.
    due = Signal(2)
    with m.If(sequencer.begin):
        m.d.sync += due.eq(1)
    with m.Elif(runs):
        m.d.sync += due.eq(3)
    with m.Elif(due == 3):
        m.d.sync += due.eq(0)
    with m.Elif(due == 1):
        m.d.sync += due.eq(2)
    h.assume(
        ~(sequencer.recording & sequencer.playing), ~runs | ~sequencer.begin,
        ~runs | (due >= 2),
        ~(runs & (due == 3)) | (sequencer.playing == h.past(sequencer.playing)),
        ~sequencer.payload.valid | sequencer.playing,
        ~sequencer.data.ready | ~sequencer.playing,
    )
    return dut


def streams(h, drop=False):
    """Each stream keeps what it offers, and each word that is offered is accepted or counted."""
    dut = scene(h, 8, drop)
    sequencer = dut.sequencer
    stopped, complete = h.probe("dut.stopped"), h.probe("dut.complete")
    steady(h, "data", sequencer.data, unless=~sequencer.recording)
    steady(h, "o", dut.o, dut.last, unless=~sequencer.playing | stopped)
    taken = dut.i.valid & dut.i.ready
    begun = h.past(sequencer.begin)
    h.check("each word that is taken is accepted, or dropped and counted", h.first | begun
            | sequencer.playing | h.past(sequencer.playing)
            | (((dut.counters.words - h.past(dut.counters.words)) + (dut.counters.dropped - h.past(dut.counters.dropped)))[:48]
               == h.past(taken)))
    h.check("nothing is taken after stop or the last word",
            ~dut.i.ready | ~(stopped | complete))
    h.check("nothing comes out after stop", ~dut.o.valid | ~stopped)
    if drop:
        h.check("a recording is always ready",
                ~sequencer.recording | stopped | complete | dut.i.ready)
        h.cover("a word is dropped", dut.counters.dropped == 1)
    else:
        h.check("none is dropped", dut.counters.dropped == 0)
        h.check("nothing is taken outside of a recording", ~taken | sequencer.recording)
        h.cover("no room", sequencer.recording & dut.i.valid & ~dut.i.ready & ~stopped & ~complete)
    h.cover("a word goes to the drive, one to the user",
            h.ever(sequencer.data.valid & sequencer.data.ready) & dut.o.valid & dut.o.ready)


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
    level = h.probe("dut.buffer.level", range(depth + 2))
    held, stopped = h.probe("dut.hold"), h.probe("dut.stopped")
    playing = sequencer.playing & ~stopped
    h.lemma("what may still come fits",
            ~playing | Mux(held, level + budget <= depth + 1, level <= depth - reserve))
    h.check("no word is lost", ~sequencer.lost)
    h.cover("all the reserve is used", (budget == 0) & sequencer.playing,
            given=~dut.o.ready & ~dut.stop)
