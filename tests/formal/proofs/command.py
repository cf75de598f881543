"""A command moves exactly its words, of COMMAND in all kinds of data; and what brings a drive to standby
before power goes."""

from amaranth.hdl import Signal

from sata_recorder.core.command import Command, CommandResult, Protocol
from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.bricks.power_fail import PowerFail
from sata_recorder.interface.configuration import Configuration

#: Words of a command in the proof of its words.
_MOST = 7
#: Clocks in which the core of the proof ends an operation that is stopped, and one without data.
_ENDS = 3
#: Clocks from the power's failing until it is known whether it may go, with such a core.
_SETTLED = 2 * _ENDS + 10


def words(h):
    """The words of one command of a few between its user and the transport layer."""
    m = h.m
    dut = h.dut(Command(any_command=True))
    user, transport = dut.user, dut.transport
    data, received = transport.data, transport.received
    fis = received.fis
    h.drive(user.start, user.spec, user.clear, user.write_data.valid, user.write_data.payload,
            user.hold, user.pio_out, transport.registers.done, transport.registers.failed,
            data.payload.ready, data.moved, data.done, data.failed, data.starved,
            fis, received.payload.valid, received.payload.payload, received.results)
    begins = Signal()
    busy = Signal()
    m.d.comb += begins.eq(user.start & ~busy)
    with m.If(begins):
        m.d.sync += busy.eq(1)
    with m.Elif(user.done | user.clear):
        m.d.sync += busy.eq(0)
    spec = user.spec
    inward = (spec.protocol == Protocol.PIO_IN) | (spec.protocol == Protocol.DMA_IN)
    outward = spec.protocol == Protocol.DMA_OUT
    # The transport layer's side: a Register FIS ends once; a Data FIS that was asked for has no more
    # words than it was given, and one from the drive comes in a command only that wants it.
    issuing, sending = Signal(), Signal()
    left = Signal(14)
    with m.If(begins):
        m.d.sync += issuing.eq(1)
    with m.Elif(transport.registers.done | transport.registers.failed | user.clear):
        m.d.sync += issuing.eq(0)
    with m.If(data.send & ~user.clear & ~data.cancel):
        m.d.sync += [sending.eq(1), left.eq(data.words)]
    with m.Else():
        m.d.sync += left.eq(left - data.moved)
        with m.If(data.done | data.cancel | user.clear):
            m.d.sync += sending.eq(0)
    h.assume(
        # The sequencer's: the command stays, and it has words if it moves some.
        ~busy | (spec.as_value() == h.past(spec.as_value())) | h.past(begins),
        ~busy | (user.pio_out == h.past(user.pio_out)) | h.past(begins),
        ~begins | ~user.done, ~user.pio_out | outward,
        ~busy | ((spec.words != 0) == (inward | outward)), spec.words <= _MOST,
        ~(transport.registers.done | transport.registers.failed) | issuing,
        ~(transport.registers.done & transport.registers.failed), ~busy | ~user.start,
        ~data.moved | (sending & (left != 0)), ~data.done | sending,
        ~received.payload.valid | (busy & inward & ~issuing),
        ~received.payload.valid | received.expect_data | h.past(received.expect_data),
        ~(data.send & sending),
        # A FIS of the drive ends 5 clocks or more after the last word to it: see the proof between two frames.
        ~(fis.dma_activate & data.moved),
    )
    # How many went each way; more than there can be of the command.
    count, seen = Signal(range(2 * _MOST)), Signal(range(2 * _MOST))
    goes = user.read_data.valid | data.moved
    complete = h.probe("dut.counter.complete")
    with m.If(begins | ~busy):
        m.d.sync += [count.eq(0), seen.eq(0)]
    with m.Else():
        # After a bad Data FIS none goes, but they are counted.
        m.d.sync += [count.eq(count + goes),
                     seen.eq(seen + (~complete & ((received.payload.valid & received.expect_data) | data.moved)))]
    remaining = h.probe("dut.counter.remaining", 24)
    executes = Signal()
    m.d.comb += executes.eq(busy & ~issuing & ~h.past(begins) & ~user.done)
    h.lemma("no more is left than there was", ~executes | (remaining <= _MOST))
    h.lemma("what is left is what has not come", ~executes | (
        remaining[:4] + seen[:4] == spec.words[:4]))
    h.lemma("none is left when all have gone", ~executes | (complete == (remaining == 0)))
    h.check("no more words move than the command has", ~executes | (count <= spec.words))
    h.check("a word from the drive is one of its Data FIS", ~user.read_data.valid | (
        received.payload.valid & (user.read_data.payload == received.payload.payload)))
    h.check("a word to the drive is one of the user's, and each word of the user's is taken",
            (data.payload.valid == user.write_data.valid)
            & (user.write_data.ready == data.payload.ready)
            & (data.payload.payload == user.write_data.payload))
    ended = h.past(count + goes)
    h.check("success means that all words have moved", ~user.done
            | (user.result != CommandResult.SUCCESS) | (ended == h.past(spec.words)))
    announced = Signal(14)
    with m.If(fis.pio_setup):
        m.d.sync += announced.eq(fis.transfer_bytes >> 2)
    h.check("a Data FIS by PIO has no more words than the drive has announced",
            ~(data.send & user.pio_out & executes) | (data.words <= announced))
    h.check("a Data FIS has room for the two words that may be left of the one before it, or for all that are to come",
            ~(data.send & executes) | (data.words >= 2) | (data.words == remaining))
    h.cover("two words to the drive, and success",
            user.done & (user.result == CommandResult.SUCCESS) & (ended == 2) & outward)
    h.cover("two words from the drive by PIO, and success",
            user.done & (user.result == CommandResult.SUCCESS) & (ended == 2)
            & (spec.protocol == Protocol.PIO_IN))


def power(h):
    """Any user, and a core that keeps its contract: one done for each start that it takes."""
    m = h.m
    dut = h.dut(PowerFail(Configuration(commands=True, power_fail=True)))
    user, core = dut.user, dut.core
    power, control = user.power, core.control
    ends = h.any(1, "ends")
    h.drive(power.fail, user.control.start, user.control.stop, user.control.operation,
            user.control.lba, user.control.sectors, user.task.operation, user.task.command,
            core.status.error, core.status.ready, core.status.capacity, core.status.sectors_done)
    runs, over, standby = Signal(), Signal(), Signal()
    stopped = Signal(range(_ENDS + 1))
    takes = control.start & ~runs
    is_standby = (core.task.operation & (core.task.command == 0xE0)
                  & (control.operation == Operation.FLUSH))
    m.d.comb += [core.status.busy.eq(runs), core.status.done.eq(over)]
    m.d.sync += over.eq(runs & ends)
    with m.If(takes):
        m.d.sync += [runs.eq(1), standby.eq(is_standby), stopped.eq(0)]
    with m.Elif(runs & ends):
        m.d.sync += runs.eq(0)
    with m.If(runs & (control.stop | standby) & (stopped != _ENDS)):
        m.d.sync += stopped.eq(stopped + 1)
    # A core that is stopped, or moves no data, ends.
    h.assume(~runs | (stopped != _ENDS) | ends)
    well = Signal()                 # the latest operation was STANDBY IMMEDIATE, and went well
    with m.If(takes):
        m.d.sync += well.eq(0)
    with m.Elif(over):
        m.d.sync += well.eq(standby & (core.status.error == Error.NONE))
    h.check("safe only after STANDBY IMMEDIATE has succeeded, and nothing was started since",
            ~power.safe | (well & ~runs))
    h.check("not safe and failed", ~(power.safe & power.failed))
    allowed = user.control.start & ~user.status.busy
    h.check("a start of the user counts while the user has the core, and in no other clock",
            (takes & ~(h.past(user.status.busy) & user.status.busy & is_standby)) == allowed)
    h.check("what the user starts is what the inputs request", ~allowed | (
        (control.operation == user.control.operation) & (control.lba == user.control.lba)
        & (control.sectors == user.control.sectors)
        & (core.task.operation == user.task.operation)
        & (core.task.command == user.task.command)))
    owed = Signal()
    with m.If(allowed):
        m.d.sync += owed.eq(1)
    with m.Elif(user.status.done):
        m.d.sync += owed.eq(0)
    h.check("each start of the user has one done, and there is no other",
            ~user.status.done | owed)
    h.check("... and it comes", ~owed | user.status.busy | user.status.done)
    since = Signal(range(_SETTLED + 1))
    with m.If(~power.fail | power.safe | power.failed):
        m.d.sync += since.eq(0)
    with m.Elif(since != _SETTLED):
        m.d.sync += since.eq(since + 1)
    h.check(f"{_SETTLED} clocks after a failure it is known whether power may go, if a core that is "
            f"stopped ends in {_ENDS}", since != _SETTLED)
    # A drive that was not there when it was asked, or is brought up after that.
    gone = Signal()
    with m.If(control.start & is_standby & user.status.busy):
        m.d.sync += gone.eq(~core.status.ready)
    with m.Elif(core.status.capacity == 0):
        m.d.sync += gone.eq(1)
    h.check("a drive that was away, and is ready while power fails, gets the command again",
            ~h.past(power.fail & power.failed & gone & core.status.ready) | (
                control.start & is_standby))
    h.check("one that has failed on its own is not", ~(control.start & is_standby & h.past(
        power.failed)) | h.past(gone & core.status.ready & power.fail) | allowed)
    h.cover("safe", power.safe)
    failed = Signal()
    m.d.sync += failed.eq((failed | power.failed) & power.fail)
    h.cover("safe after a try without a drive", power.safe & failed)
    h.cover("an operation of the user is stopped, and STANDBY IMMEDIATE fails",
            power.failed & (power.sectors != 0))
