"""No word is refused at a boundary that the buffer has room for, and a stop ends in bounded time."""

from amaranth.hdl import Signal

from sata_recorder.core.drive_port import DrivePort
from sata_recorder.core.recorder import Recorder
from sata_recorder.bricks.modes import RecordingController
from sata_recorder.interface.configuration import Configuration
from sata_recorder.interface.recording import RecordingMode, RecordingState
from sata_recorder.facts.units import SECTOR_SHIFT

#: Bits of a number of sectors in the proof; the recorder has 48, in the same places.
_SECTORS = 5
#: Clocks from which on the core takes words: it clears its ledger first.
_CLEARS = 4
#: Clocks in which a span is at the queue once the last one was taken; a new part asks again.
_SPAN = 6


def extents(h):
    """A recording continues with any extents: what the recorder refuses, and why."""
    m = h.m
    dut = h.dut(Recorder(depth=8, port=DrivePort(reserve_words=4, queued=True), resume_words=3))
    port, control = dut.port, dut.control
    h.drive(dut.i.valid, dut.i.payload, dut.o.ready, control.start, control.stop, control.sectors,
            port.extent.ready, port.recording, port.write_data.ready, port.command, port.completed,
            port.queue.ready, port.extended, port.begun, dut.queue.valid, dut.queue.lba,
            dut.queue.sectors, dut.queue.ahead)
    begin = control.start & port.extent.ready
    takes = port.queue.valid & port.queue.ready
    # A recording runs once after its begin, 4 clocks later or more.
    age, ran = Signal(3, init=7), Signal(init=1)
    # A span is taken while it runs, and found good once, 2 to 4 clocks later.
    since, good, more = Signal(3, init=7), Signal(init=1), Signal(_SECTORS)
    with m.If(begin):
        m.d.sync += [age.eq(0), ran.eq(0)]
    with m.Else():
        m.d.sync += [age.eq(age + ~age.all()),
                     ran.eq(ran | (h.past(port.recording) & ~port.recording))]
    with m.If(takes):
        m.d.sync += [since.eq(0), good.eq(0), more.eq(port.queue.payload.sectors[:_SECTORS])]
    with m.Else():
        m.d.sync += [since.eq(since + ~since.all()), good.eq(good | port.extended)]
    # All sectors that are known to be good, and since when.
    total, settled = Signal(_SECTORS), Signal(2)
    with m.If(begin):
        m.d.sync += [total.eq(control.sectors), settled.eq(3)]
    with m.Elif(port.extended):
        m.d.sync += [total.eq(total + more), settled.eq(0)]
    with m.Else():
        m.d.sync += settled.eq(settled + ~settled.all())
    h.assume(
        ~port.recording | ((age >= 3) & ~ran), ~(port.recording & begin),
        ~takes | (port.recording & (since >= 4)
                  & ~port.queue.payload.sectors[_SECTORS:].any()),
        ~port.extended | (port.recording & (since >= 1) & (since <= 3) & ~good & ~begin),
        ~(begin & takes), ~begin | (control.sectors != 0) & ~control.sectors[_SECTORS - 2:].any(),
        ~port.extended | (more != 0) & ~more[_SECTORS - 2:].any() & ~total[_SECTORS - 2:].any(),
        ~port.recording | ~total[_SECTORS - 1])
    stopped, room = h.probe("dut.stopped"), h.probe("dut.buffer.i__ready")
    complete = h.probe("dut.counter.complete")
    words = h.probe("dut.counter.words$1", _SECTORS + SECTOR_SHIFT)
    final = h.probe("dut.counter.final")
    kept = h.probe("dut.counter.more", 48)[:_SECTORS]
    h.lemma("the last sector is that of all good ones",
            (age == 7) & (total == 0) | (h.probe("dut.counter.final_sector", _SECTORS)
                                         == (total - 1)[:_SECTORS]))
    h.lemma("the span that is to follow is kept", (since == 0) | good | (kept == more))
    whole = total << SECTOR_SHIFT
    h.lemma("no more words than there is room for", words <= whole)
    h.lemma("it is known which sector is the last one",
            (settled == 0) | (age < 2) | (final == (words[SECTOR_SHIFT:] >= total - 1))
            | (h.past(words)[SECTOR_SHIFT:] != words[SECTOR_SHIFT:]))
    h.lemma("all words have come when the last one has",
            (settled < 2) | (age < 2) | (complete == (words == whole)) | (total == 0))
    refused = port.recording & dut.i.valid & ~dut.i.ready
    h.check("a word is refused where the buffer is full, after stop, or after the last good "
            "extent, and nowhere else",
            ~refused | ~room | stopped | (words == whole) | (settled < 2))
    h.check("no word is accepted after the last good extent",
            ~(dut.i.valid & dut.i.ready) | (words < whole))
    h.check("nothing is taken after stop", ~dut.i.ready | ~stopped)
    first, accepted = Signal(_SECTORS), dut.i.valid & dut.i.ready
    with m.If(begin):
        m.d.sync += first.eq(control.sectors)
    h.cover("the first word of a second extent comes a clock after the last one of the first",
            accepted & h.past(accepted) & (words == (first << SECTOR_SHIFT)))
    h.cover("the buffer is full at a boundary",
            refused & ~room & ~stopped & (words == (first << SECTOR_SHIFT)) & (first != total))


def scene(h):
    """The stage between any user and any core that keeps to its interface."""
    m = h.m
    dut = h.dut(RecordingController(Configuration(extents="modes")))
    user, core, recording = dut.user, dut.core, dut.user.recording
    h.drive(user.control.start, user.control.operation, user.control.lba, user.control.sectors,
            user.control.stop, user.i.valid, user.i.payload, recording.mode, recording.extend,
            recording.ahead, recording.words, recording.position, recording.part, recording.chunk,
            recording.segments, recording.trigger, core.status.done, core.i.ready, core.queue.ready,
            core.queue.begun, core.status.sectors_done, core.status.skipped_sectors)
    busy, age, stopped = Signal(), Signal(range(_CLEARS + 1)), Signal()
    m.d.comb += core.status.busy.eq(busy)
    with m.If(core.control.start & ~busy):
        m.d.sync += [busy.eq(1), age.eq(0), stopped.eq(0)]
    with m.Else():
        m.d.sync += [busy.eq(busy & ~core.status.done), age.eq(age + (age != _CLEARS)),
                     stopped.eq(stopped | core.control.stop)]
    h.assume(~core.status.done | busy,
             ~core.i.ready | (busy & (age == _CLEARS) & ~stopped),
             ~core.queue.ready | (busy & ~stopped))
    return dut


def stage(h):
    """What the stage refuses of what the core takes, and what its stop is."""
    m = h.m
    dut = scene(h)
    user, core, recording = dut.user, dut.core, dut.user.recording
    state = recording.state
    starting, running, closing = (state == value for value in (
        RecordingState.STARTING, RecordingState.RUNNING, RecordingState.CLOSING))
    records = starting | running | closing
    accepted = user.i.valid & user.i.ready
    # What the user has asked for, and the words that are left of it.
    fixed, left = Signal(), Signal(48)
    stop, over = Signal(), Signal()
    with m.If(user.control.start & (~records | core.status.done)):
        m.d.sync += [fixed.eq((recording.mode == RecordingMode.FIXED) & (recording.words != 0)),
                     left.eq(recording.words), stop.eq(0), over.eq(0)]
    with m.Else():
        m.d.sync += [left.eq(left - accepted), stop.eq(stop | user.control.stop),
                     over.eq(over | h.probe("dut.segments.ends"))]
    runs = running | closing
    last = (accepted & fixed & (left == 1)) | h.probe("dut.segments.ends")
    h.lemma("the gate knows the words that are left",
            ~(runs & fixed) | (h.probe("dut.gate.left", 48) == left))
    h.lemma("the gate knows whether there are that many", ~runs | (h.probe("dut.gate.limited")
                                                                   == fixed))
    h.lemma("the gate knows the last one", ~(runs & fixed & h.past(runs))
            | (h.probe("dut.gate.last") == (left == 1)))
    refused = running & core.i.ready & ~user.i.ready
    h.check("in a recording a word that the core takes is refused after the last one that the "
            "mode wants, after stop, and nowhere else",
            ~refused | stop | over | (fixed & (left == 0)))
    h.check("no word after the last one that the mode wants",
            ~(accepted & records) | ~(over | (fixed & (left == 0))))
    h.check("no word after stop", ~(accepted & closing & h.past(stop)))
    h.check("a word is accepted with the core, in the same clock",
            ~accepted | (core.i.valid & core.i.ready))
    h.check("the core is stopped in the clock of stop, or in the first one in which it records",
            ~(running & (user.control.stop | stop)) | core.control.stop | core.status.done)
    h.check("the core is stopped a clock after the last word",
            ~(running & h.past(running & last)) | core.control.stop | core.status.done)
    h.check("the stage ends in the clock in which the core does",
            user.status.done == core.status.done)
    h.cover("a word is refused after the last one", refused & fixed & (left == 0) & ~stop)
    h.cover("the core is stopped after the last word", core.control.stop & ~stop & running)
    h.cover("a stop in the middle", h.past(running & ~starting) & closing & stop & ~over)


def spans(h):
    """The next span is at the core's queue before it is due."""
    m = h.m
    dut = scene(h)
    core, recording = dut.core, dut.user.recording
    mode = h.probe("dut.mode", 2)
    queues = (mode == RecordingMode.RING) | (mode == RecordingMode.TRIGGERED)
    runs = (recording.state == RecordingState.RUNNING) | (recording.state
                                                          == RecordingState.CLOSING)
    waits = Signal(range(_SPAN + 1))
    with m.If(runs & queues & core.queue.ready & ~core.queue.valid
              & ~h.probe("dut.segments.next_part")):
        m.d.sync += waits.eq(waits + (waits != _SPAN))
    with m.Else():
        m.d.sync += waits.eq(0)
    h.check(f"a span is at the queue {_SPAN - 1} clocks after it is asked for, or after a new part "
            "begins", waits != _SPAN)
    h.cover("a span waits for the core", core.queue.valid & ~core.queue.ready)
    h.cover("a second span", core.queue.valid & core.queue.ready
            & h.ever(core.queue.valid & core.queue.ready))
