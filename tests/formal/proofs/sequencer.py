"""The sequencer: one command in flight, its registers, and an end to every wait."""

from functools import reduce
from operator import or_

from amaranth.hdl import Mux, Signal

from formal.states import states
from sata_recorder.core.command import CommandResult, Protocol
from sata_recorder.interface.configuration import Configuration
from sata_recorder.core.drive_port import Operation
from sata_recorder.core.sequencer import Sequencer
from sata_recorder.core.sequencer.between import TABLE, Between, GapView, OnFailure
from sata_recorder.core.sequencer.operation import OperationControl

from . import recovery

_LIMIT = 16         # clocks, all timeouts
_WITHIN = _LIMIT + 6
#: Clocks in which the sequencer knows that a recording is stopped and has no words left.
_CALM = 12
#: Clocks from the last status to done, with the 8 of the ledger in this proof.
_ENDS = 8 + 6
_STATES = ("IDLE", "SETTLE", "CHECK", "MOVE", "FLUSH", "RECOVER", "DELIVER")    # of an operation
_FLUSH = 2          # write commands after which FLUSH CACHE comes


def scene(h, retries, *, fails=False, **fields):
    """Any user, recorder, drive and link; a command takes 5 clocks at least. With ``fails`` the recorder's memory may
    fail, or be given up, in any clock."""
    m = h.m
    seconds = _LIMIT / 1e6
    dut = h.dut(Sequencer(Configuration(
        clock_hz=1e6, signature_timeout=seconds, identify_timeout=seconds,
        command_timeout=seconds, flush_timeout=seconds, retries=retries,
        retry_delay=seconds, recovery_timeout=seconds, **fields), clear_clocks=8, settle_clocks=8,
        identity_width=1))
    port, command = dut.port, dut.command
    h.drive(port.extent.valid, port.extent.payload, dut.identify.address,
            port.hold, port.lost, port.stopped, port.pending_sectors, port.drained,
            port.write_data.valid, port.write_data.payload, port.recovery.resume_offset,
            port.recovery.partial, port.recovery.tainted, port.recovery.settled,
            port.journal.ready, port.journal_room, command.done, command.succeeded, command.result,
            command.status, command.error, command.signature_received, command.is_ata, command.needs_comreset,
            command.verified, command.write_data.ready, command.read_data.valid,
            command.read_data.payload, command.error_lba, command.progress,
            dut.phy.link_up, dut.phy.generation)
    if fails:
        h.drive(port.broken, port.abandoned)
    flight, age = Signal(name="flight"), Signal(3, name="age")
    with m.If(command.start):
        m.d.sync += flight.eq(1)
    with m.Elif(command.clear | command.done):
        m.d.sync += flight.eq(0)
    m.d.sync += age.eq(Mux(command.start, 0, age + ~age.all()))
    h.assume(~command.done | (flight & (age >= 4)), ~command.signature_received | ~flight,
             command.result <= 5,
             command.succeeded == (command.done & (command.result == CommandResult.SUCCESS)))
    return dut, flight


def one_state(h, *more):
    """One state each of bring-up, operation and recovery; returns whether the state is JUDGE, and GO.
    ``more``: states of the operation beside those that it always has."""
    bring_up = states(h, "dut.identified_drive.bring_up", "RESET", "DOWN", "SIGNATURE", "IDENTIFY", "SPIN_UP",
                      "COMPARE", "JUDGE", "USABLE", "UNUSABLE", "PAUSE")
    states(h, "dut.operation", *_STATES, *more)
    return bring_up["JUDGE"], states(
        h, "dut.recovery", *(name for name in recovery.STATES if name != "SKIP"))["GO"]


def commands(h):
    """What is asked of the command layer."""
    dut, flight = scene(h, 1)
    one_state(h)
    status, command = dut.status, dut.command
    h.check("one command in flight", ~command.start | ~flight | command.done)
    next_, load = h.probe("dut.splitter.next"), h.probe("dut.splitter.load")
    no_more = h.probe("dut.splitter.resume__no_more")
    sectors = h.probe("dut.splitter.command_sectors", 17)
    lba = h.probe("dut.splitter.command_lba", 48)
    coming = h.probe("dut.splitter.next_sectors", 17)
    lba48 = status.lba48

    goes = next_ & dut.phy.link_up & h.probe("dut.identified_drive.bring_up.usable")
    h.check("a data command only when there are sectors for it", ~next_ | ~no_more)
    h.check("the capacity stays while there is a drive",
            ~goes | (status.capacity == h.past(status.capacity)))
    h.check("an extent is loaded while no data command is in flight",
            ~load | (command.spec.protocol != Protocol.DMA_IN)
            & (command.spec.protocol != Protocol.DMA_OUT) | ~flight)
    h.check("as many dwords as the sectors have",
            ~h.past(goes) | (command.spec.words == h.past(coming) << 7))
    h.check("FLUSH CACHE moves none", ~h.past(command.start & ~next_ & ~h.probe("dut.identified_drive.bring_up.start"))
            | (command.spec.words == 0))

    registers = command.spec.registers
    moves = flight & ((command.spec.protocol == Protocol.DMA_IN)
                      | (command.spec.protocol == Protocol.DMA_OUT))
    writes = command.spec.protocol == Protocol.DMA_OUT
    h.check("48-bit registers of a data command", ~moves | ~lba48 | (
        (registers.command == Mux(writes, 0x35, 0x25)) & (registers.lba == lba)
        & (registers.count == sectors[:16]) & (registers.device == 0x40)
        & (registers.features == 0)))
    h.check("28-bit registers of a data command", ~moves | lba48 | (
        (registers.command == Mux(writes, 0xCA, 0xC8)) & (registers.lba[:24] == lba[:24])
        & (registers.lba[24:28] == 0) & (registers.device == (0x40 | lba[24:28]))
        & (registers.count == sectors[:8]) & (registers.features == 0))
        | (sectors > 256))
    h.check("a drive without 48-bit addresses has no more than 2^28 - 1 sectors",
            lba48 | (status.capacity <= 0x0FFFFFFF))
    h.cover("a data command", next_)
    h.cover("a 28-bit one of 256 sectors", moves & ~lba48 & (sectors == 256))


def waits(h):
    """A drive that is silent for longer than the limit is a failure."""
    m = h.m
    dut, _ = scene(h, 0, fails=True)
    one_state(h)
    extent, status, command = dut.port.extent, dut.status, dut.command
    phase = h.probe("dut.operation.phase", 5)
    moving, flushing = phase[1], phase[2]
    silent = Signal(range(_WITHIN + 1))
    # A command may end in the last clock in which it may be silent, and the next one find the link gone.
    with m.If(command.progress | command.start | command.done | ~(moving | flushing)):
        m.d.sync += silent.eq(0)
    with m.Elif(silent != _WITHIN):
        m.d.sync += silent.eq(silent + 1)
    h.check(f"a command ends within {_WITHIN} clocks of silence at a limit of {_LIMIT}",
            silent != _WITHIN)
    h.check("a lost link ends a command at once, but for one that is done in the same clock",
            ~h.past(~dut.phy.link_up & (moving | flushing) & ~command.done) | ~(moving | flushing))
    h.cover("a command moves, and is silent", moving & (silent == _LIMIT))
    h.check("done ends busy", ~status.done | ~status.busy)
    h.check("the end of an operation is reported once",
            ~h.past(status.busy) | status.busy | status.done)
    h.cover("an operation runs and ends by silence", status.done & (status.error == 5),
            given=(~extent.valid | (extent.payload.operation == Operation.FLUSH))
            & ~h.probe("dut.identified_drive.bring_up.is_spin_up") & ~h.probe("dut.identified_drive.bring_up.is_pause"))


def answers(h):
    """Each start that is not ignored gets exactly one done."""
    m = h.m
    dut, _ = scene(h, 0, fails=True)
    one_state(h)
    extent, status = dut.port.extent, dut.status
    begun = extent.valid & extent.ready
    owed = Signal(name="owed")
    with m.If(begun):
        m.d.sync += owed.eq(1)
    with m.Elif(status.done):
        m.d.sync += owed.eq(0)
    h.check("a start is ignored while busy, and in no other clock", extent.ready == ~status.busy)
    h.check("after a start that is not ignored there is busy until done, and nothing else is done",
            owed == (status.busy | status.done))
    h.check("ready means that a start is not ignored", ~status.ready | extent.ready)
    h.cover("a start in the clock in which ready falls because the drive is gone",
            begun & ~status.ready & h.past(status.ready) & ~status.done)
    h.cover("a start in the clock of done", begun & status.done)


def within(h):
    """No data command begins beyond the capacity, whatever IDENTIFY DEVICE reports again."""
    m = h.m
    dut, _ = scene(h, 1)
    judges, goes_on = one_state(h)
    port, capacity = dut.port, dut.status.capacity
    begun = port.extent.valid & port.extent.ready
    end, kept = h.probe("dut.splitter.end", 49), Signal(49)
    m.d.comb += kept.eq(h.probe("dut.splitter.origin", 48) + h.probe("dut.splitter.size", 48))
    beyond = h.probe("dut.splitter.beyond")
    usable, next_ = h.probe("dut.identified_drive.bring_up.usable"), h.probe("dut.operation.next")
    moved, changed = h.probe("dut.operation.began"), h.probe("dut.identified_drive.comparison.changed")
    phase = h.probe("dut.operation.phase", 5)
    checks, moves = phase[0], phase[1]
    outside, gone = h.probe("dut.operation.check.outside"), h.probe("dut.operation.check.gone")
    judged = h.probe("dut.identified_drive.identity.judged", 8)
    since = Signal(4, init=15)
    with m.If(begun):
        m.d.sync += since.eq(0)
    with m.Elif(~since.all()):
        m.d.sync += since.eq(since + 1)
    opens, alone = h.probe("dut.operation.check.opens"), h.probe("dut.operation.check.flushes")
    cleared = h.probe("dut.operation.check.cleared")
    no_more = h.probe("dut.splitter.resume__no_more")
    flushed = h.probe("dut.operation.flushed")
    clocks = h.probe("dut.operation.clocks", 4)
    # A play-back that is stopped wants no further command.
    h.assume(~port.stopped | (h.probe("dut.operation.operation", 2) != Operation.PLAY)
             | (port.pending_sectors == 0))
    lost = ~dut.phy.link_up | ~usable
    goes, busy = next_ & ~lost, dut.status.busy
    fits = kept <= capacity
    flushes = h.probe("dut.operation.operation", 2) == Operation.FLUSH
    wrong = ~flushes & (h.probe("dut.operation.empty") | outside)
    h.lemma("the check ends in one clock, with the first command of an extent that fits, or with FLUSH CACHE "
            "alone, on a drive that stayed", (cleared == (checks & (clocks == 8)))
            & (opens == (cleared & ~gone & ~wrong & ~flushes)) & (alone == (cleared & ~gone & flushes)))
    h.lemma("... and until then it continues", ~checks | (clocks <= 8))
    forget = h.probe("dut.identified_drive.identity.forget")
    h.lemma("what the drive reported is forgotten before IDENTIFY DEVICE",
            ~forget | ~(h.probe("dut.identified_drive.bring_up.is_compare") | judges | usable))
    h.lemma("beyond is judged", h.first | (beyond == (h.past(end) > h.past(capacity))))
    h.lemma("the end", (since < 1) | (end == kept))
    h.lemma("the capacity stays while there is a drive",
            ~usable | h.first | (capacity == h.past(capacity)))
    h.lemma("... and while it is judged",
            ~judged[1:].any() & ~judges | (capacity == h.past(capacity)))
    h.lemma("a drive is usable once it is judged", ~judged.any() | ~usable)
    h.lemma("since when an extent is checked", ~checks | (since == clocks))
    h.lemma("an extent is checked against the capacity that there is",
            ~checks | gone | (since < 3) | (beyond == ~fits))
    h.lemma("... and what came of it is kept",
            ~checks | gone | (since < 5) | (outside == ~fits))
    h.lemma("no drive is identified while an extent is checked", ~checks | (
        ~judged[2:].any() & ~judges & ~(usable & gone) & ~changed))
    h.lemma("the first command follows the check of the extent", ~moved | ~busy | (since >= 4))
    h.lemma("no drive is identified while a command is in flight, or about to be", ~(moves | goes_on & ~no_more) | (
        ~judged.any() & ~judges))
    h.lemma("a recovery continues with the same drive", ~goes_on | ~changed | no_more)
    h.lemma("commands are for the same drive", ~moves | ~changed)
    h.lemma("commands follow the check, one another, or a recovery", ~next_ | moves
            | (goes_on & ~checks & ~flushed) | (checks & ~gone & ~lost))
    h.lemma("... of a command that moved data, or would have, or of FLUSH CACHE",
            (~moves | moved) & (~goes_on | moved | flushed))
    h.lemma("a data command is the first one, or another one was before", ~next_ | moved | checks)
    h.lemma("a drive that comes back is checked against the extent",
            ~judged[3:].any() | (since < 4) | (beyond == ~fits))
    h.lemma("another drive gets no command while one is judged",
            ~(judged.any() | judges) | ~next_)
    h.lemma("a drive that has come back has room for the extent", ~busy | ~moved
            | changed | ~(judges | usable) | fits)
    h.check("no data command begins beyond the capacity", ~goes | fits)
    h.cover("a data command", goes)
    h.cover("another drive with less room comes back, and gets no command",
            usable & changed & moved & ~fits & busy)


def flushes(h):
    """FLUSH CACHE comes after this many write commands of a recording: not later, and not earlier."""
    m = h.m
    dut = h.dut(OperationControl(clear_clocks=4, settle_clocks=2, between=True))
    between = h.dut(Between(Configuration(flush_commands=_FLUSH)), "arbiter")
    states(h, "dut", *_STATES, "BETWEEN")
    extent, command, phase = dut.extent, dut.command, dut.phase
    h.drive(extent.valid, extent.payload, dut.usable, dut.unusable, dut.judgement, dut.lost,
            dut.failed_bring_up, dut.failure, command, dut.silent, dut.word_lost, dut.beyond, dut.no_more,
            dut.next_due, dut.pausing, dut.unflushed, dut.tainted, dut.drained, dut.recovery.again,
            dut.recovery.abort, dut.recovery.error)
    written = Signal(name="written")
    m.d.comb += [
        written.eq(command.succeeded & phase.moves & dut.writes),
        between.gap.writing.eq(phase.moves & ~dut.pausing & dut.writes),
        between.gap.written.eq(written),
        between.gap.ends.eq(dut.closes), between.gap.recovers.eq(phase.recovers),
        between.more.eq(~dut.no_more), between.issue.eq(dut.issue), between.runs.eq(dut.between),
        between.done.eq(command.done), between.result.eq(command.result),
        dut.wanted.eq(between.wanted), dut.repeated.eq(between.repeated), dut.clean.eq(between.clean),
    ]
    m.d.sync += [between.gap.begin.eq(dut.begin), between.gap.next.eq(dut.next)]
    flight = Signal(name="flight")
    with m.If(dut.next | dut.flush | dut.issue):
        m.d.sync += flight.eq(1)
    with m.Elif(command.done | dut.recovery.failed):
        m.d.sync += flight.eq(0)
    # A command ends once, and the next one comes after its end and the pause.
    h.assume(~command.done | flight, command.succeeded == (
                 command.done & (command.result == CommandResult.SUCCESS)),
             ~dut.next_due | ~flight | command.succeeded, flight | dut.next_due | dut.pausing,
             ~dut.next_due | flight | dut.pausing, ~flight | ~dut.pausing,
             ~dut.recovery.abort | (dut.recovery.error != 0),
             # A recovery that is over was one: the proof of commands has it with the recovery.
             ~dut.recovery.again | phase.recovers)
    since, now = Signal(range(_FLUSH + 2)), Signal(range(_FLUSH + 3))
    flushed = command.succeeded & (phase.flushes | dut.between)
    m.d.comb += now.eq(Mux(flushed, 0, since + written))
    with m.If(dut.begin):
        m.d.sync += since.eq(0)
    with m.Elif(now <= _FLUSH):
        m.d.sync += since.eq(now)
    h.check("what is in flight has begun", ~dut.between | h.probe("arbiter.chosen"))
    h.check(f"no write command begins after {_FLUSH} without FLUSH CACHE",
            ~(dut.next & dut.writes & (now >= _FLUSH)))
    h.check(f"FLUSH CACHE between two commands comes after {_FLUSH}",
            ~dut.issue | (now == _FLUSH))
    h.check("a recording does not end after N commands without it, except by a failure",
            ~dut.done | ~dut.writes | (dut.error != 0) | (since < _FLUSH))
    h.cover("a write command after FLUSH CACHE", dut.next & dut.writes & h.ever(dut.between))


def arbitrates(h):
    """Each query comes at most once between two data commands, and none before one that follows a failure."""
    m = h.m
    dut = h.dut(Between(Configuration(
        extents="modes", flush_commands=_FLUSH, smart_commands=1, smart_temperature=True, trim_ahead=True,
        look_sectors=8)))
    count = len(TABLE)
    kinds = [f"dut.{kind.name}" for kind in TABLE]
    queries = [kind.on_failure is OnFailure.GOES_ON for kind in TABLE]
    gap = Signal(GapView)
    m.d.comb += [dut.gap.eq(gap), gap.eq(h.any(len(gap.as_value()), "gap"))]
    trim, look = dut.groups.trim, dut.groups.look
    h.drive(dut.more, dut.waits, dut.done, dut.result, dut.resets, dut.read.valid, dut.read.payload,
            trim.span.valid, trim.span.payload, look.span.valid, look.span.payload, look.room)
    due = [h.probe(f"{kind}.due") for kind in kinds]
    runs = [h.probe(f"{kind}.runs") for kind in kinds]
    issue = h.any(1, "issue")
    flies = Signal()
    m.d.comb += [dut.issue.eq(issue), dut.runs.eq(flies)]
    with m.If(issue):
        m.d.sync += flies.eq(1)
    with m.Elif(dut.done | gap.recovers):
        m.d.sync += flies.eq(0)
    # One command at a time; a recovery ends what runs, and a data command does not begin with another one.
    h.assume(~issue | dut.wanted, ~issue | ~flies | dut.done, ~gap.next | ~issue, ~dut.waits | ~flies,
             ~gap.recovers | ~dut.done, ~gap.begin | ~issue & ~flies,
             ~gap.recovers | ~issue | h.past(gap.recovers))
    h.check("one at a time", reduce(or_, (runs[n] & runs[k] for n in range(count) for k in range(n))) == 0)
    h.check("what has begun runs in the next clock", ~h.past(issue) | ~flies | reduce(or_, runs))
    chosen = h.probe("dut.chosen", count)
    begun = [h.past(issue) & chosen[n] for n in range(count)]
    # A gap: until the next data command, the next operation, a wait, or what is repeated begins.
    repeats = reduce(or_, (begun[n] for n in range(count) if not queries[n]))
    ends = gap.begin | gap.next | dut.waits
    barred = Signal()
    with m.If(gap.begin | gap.next | repeats):
        m.d.sync += barred.eq(0)
    with m.Elif(gap.recovers):
        m.d.sync += barred.eq(1)
    with m.Elif(dut.waits):
        m.d.sync += barred.eq(0)
    for number, query in enumerate(queries):
        if not query:
            continue
        name = TABLE[number].name
        had = Signal(name=f"had_{name}")
        with m.If(ends | repeats):
            m.d.sync += had.eq(0)
        with m.Elif(begun[number]):
            m.d.sync += had.eq(1)
        h.check(f"{name}: once in a gap", ~begun[number] | ~had | h.past(dut.waits | ends) | repeats)
        h.check(f"{name}: none after a recovery before the next command",
                ~begun[number] | ~h.past(barred & ~ends & ~repeats))
        h.check(f"{name}: only where the recording continues", ~begun[number] | h.past(dut.more))
        h.cover(f"{name} comes", begun[number])
        for before in range(number):
            h.check(f"{name}: after {TABLE[before].name}, if that is due and had no turn", ~begun[number] | ~h.past(
                due[before] & (~h.probe("dut.passed", count)[before] | (not queries[before]))))


def stops(h):
    """A recording that is stopped and has no words left ends, whatever its queue may bring."""
    m = h.m
    dut, flight = scene(h, 0, extents="queued")
    one_state(h, "WAIT")
    port, status, extent = dut.port, dut.status, dut.port.extent
    h.drive(port.queue.valid, port.queue.payload, port.gathers)
    begun = port.extent.valid & port.extent.ready
    stopped = Signal()
    m.d.sync += stopped.eq(port.stopped & ~begun)
    # The recorder's contract: stopped stays until the next operation, and no words come then.
    h.assume(~stopped | port.stopped | begun,
             ~stopped | ~h.past(port.pending_sectors == 0) | (port.pending_sectors == 0) | begun)
    calm = Signal(range(_CALM + 1))
    with m.If(begun | ~port.stopped | (port.pending_sectors != 0)):
        m.d.sync += calm.eq(0)
    with m.Elif(calm != _CALM):
        m.d.sync += calm.eq(calm + 1)
    over = calm == _CALM
    waits, writes = h.probe("dut.operation.waits"), h.probe("dut.operation.writes")
    phase = h.probe("dut.operation.phase", 5)
    recovers, flushes = phase[3], phase[2]
    h.check("no data command begins", ~(over & writes & h.probe("dut.operation.next")))
    h.check("it does not wait for words, nor for a span, but for a clock", ~(over & writes & waits & h.past(waits)))
    # From the end of the command in flight on.
    idle = Signal(range(_ENDS + 1))
    with m.If(~over | flight | recovers | flushes | ~status.busy | ~writes):
        m.d.sync += idle.eq(0)
    with m.Elif(idle != _ENDS):
        m.d.sync += idle.eq(idle + 1)
    h.check(f"done comes less than {_ENDS - 8} clocks, and those of the ledger, after the last status",
            idle != _ENDS)
    alone = (~port.queue.valid & ~port.gathers & ~port.hold & ~port.lost
             & (~extent.valid | (extent.payload.operation == Operation.RECORD)))
    h.hint("alone", alone)
    h.cover("a stopped recording ends", status.done & over & writes & (status.error == 0),
            given=alone)
