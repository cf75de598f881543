"""The recorder: its streams, the words it drops, the promise of ``hold``. No command fails."""

from amaranth.hdl import Mux, Signal
from amaranth.utils import exact_log2

from formal.order import steady
from sata_recorder.core.drive_port import DrivePort
from sata_recorder.core.recorder import Recorder


def scene(h, depth, reserve=4, resume=3, drop=False):
    """A recorder between anything: the sequencer begins an operation, then records or plays."""
    m = h.m
    dut = h.dut(Recorder(depth=depth, port=DrivePort(reserve_words=reserve), resume_words=resume,
                         drop=drop))
    port, control = dut.port, dut.control
    h.drive(dut.i.valid, dut.i.payload, dut.o.ready, control.start, control.stop, control.sectors,
            port.extent.ready, port.recording, port.playing, port.write_data.ready, port.command,
            port.completed, port.read_data.valid, port.read_data.payload)
    begin = control.start & port.extent.ready
    runs = port.recording | port.playing
    # An operation runs once after its begin, two clocks later or more, and is one or the other.
    due = Signal(2)
    with m.If(begin):
        m.d.sync += due.eq(1)
    with m.Elif(runs):
        m.d.sync += due.eq(3)
    with m.Elif(due == 3):
        m.d.sync += due.eq(0)
    with m.Elif(due == 1):
        m.d.sync += due.eq(2)
    h.assume(
        ~(port.recording & port.playing), ~runs | ~begin,
        ~runs | (due >= 2),
        ~(runs & (due == 3)) | (port.playing == h.past(port.playing)),
        ~port.read_data.valid | port.playing,
        ~port.write_data.ready | ~port.playing,
    )
    return dut


def streams(h, drop=False):
    """Each stream keeps what it offers, and each word that is offered is accepted or counted."""
    dut = scene(h, 8, drop=drop)
    port = dut.port
    stopped, complete = h.probe("dut.stopped"), h.probe("dut.counter.complete")
    steady(h, "write_data", port.write_data, unless=~port.recording)
    steady(h, "o", dut.o, dut.last, unless=~port.playing | stopped)
    taken = dut.i.valid & dut.i.ready
    words, dropped = dut.counters.words, dut.counters.dropped
    begun = h.past(dut.control.start & port.extent.ready)
    h.check("each word that is taken is accepted, or dropped and counted", h.first | begun
            | port.playing | h.past(port.playing)
            | ((words - h.past(words) + dropped - h.past(dropped))[:48] == h.past(taken)))
    h.check("nothing is taken after stop or the last word",
            ~dut.i.ready | ~(stopped | complete))
    h.check("nothing comes out after stop", ~dut.o.valid | ~stopped)
    if drop:
        h.drive(dut.waits)
        h.assume(~port.recording | (dut.waits == h.past(dut.waits)))
        h.check("a recording is always ready unless it waits",
                ~port.recording | stopped | complete | dut.i.ready | dut.waits)
        h.check("none is dropped of one that waits", h.first | begun | ~port.recording | ~h.past(dut.waits)
                | (dropped == h.past(dropped)))
        h.cover("a word is dropped", dropped == 1)
    else:
        h.check("none is dropped", dropped == 0)
        h.check("nothing is taken outside of a recording", ~taken | port.recording)
        h.cover("no room", port.recording & dut.i.valid & ~dut.i.ready & ~stopped & ~complete)
    h.cover("a word goes to the drive, one to the user",
            h.ever(port.write_data.valid & port.write_data.ready) & dut.o.valid & dut.o.ready)


def room(h, depth=128, reserve=96, resume=64):
    """A drive that sends no more than ``reserve`` words after ``hold`` loses none."""
    m = h.m
    dut = scene(h, depth, reserve, resume)
    port = dut.port
    begin = dut.control.start & port.extent.ready
    budget = Signal(range(reserve + 1), init=reserve)
    h.assume(~port.read_data.valid | ~port.hold | (budget != 0))
    with m.If(~port.hold | begin):
        m.d.sync += budget.eq(reserve)
    with m.Elif(port.read_data.valid):
        m.d.sync += budget.eq(budget - 1)
    level = h.probe("dut.buffer.level", range(depth + 2))
    held, stopped = h.probe("dut.buffer.hold"), h.probe("dut.stopped")
    playing = port.playing & ~stopped
    newest, oldest, front, padding, filling = (
        h.probe(f"dut.buffer.{name}", shape) for name, shape in (
            ("newest", range(2 * depth)), ("oldest", range(2 * depth)), ("front", 1),
            ("padding", 1), ("filling", 1)))
    leaving = h.probe("dut.buffer.o__valid") & ~padding
    h.lemma("zeros come last", ~filling | h.past(begin) | ((level == 0) & stopped))
    h.lemma("the level counts what is there",
            (newest - oldest)[:exact_log2(2 * depth)] + front + leaving == level)
    h.lemma("what may still come fits",
            ~playing | Mux(held, level + budget <= depth + 1, level <= depth - reserve))
    h.check("no word is lost", ~port.lost)
    h.cover("all the reserve is used", (budget == 0) & port.playing,
            given=~dut.o.ready & ~dut.control.stop)
