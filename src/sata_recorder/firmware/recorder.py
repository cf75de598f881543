"""The core, its registers, and a processor that operates it through them."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ..core import SataRecorder
from ..bricks.registers import RegisterBank
from ..interface import SECTOR, UserSignature
from ..core.phy import DwordPort
from .bus import AddressRegion, AxiLiteManager, route
from .processors import Processor
from .program_memory import ProgramMemory
from .request import Request
from .sums import RequestLedger, RequestSums

#: Widths of what the processor gets.
RATIO_BITS, SECTORS_BITS = 11, 17
#: Inputs beside those of a core, as a netlist names them, and their widths in bits.
OPERATED = {"controller_ticks": RATIO_BITS, "controller_clocks": RATIO_BITS,
            "operation_sectors": SECTORS_BITS, "controller_interrupts": 1}


class FirmwareRecorder(wiring.Component):
    """A :class:`..core.SataRecorder` whose loop of commands is run by firmware.

    It has the interface of the core, and inputs that set how fast the processor is. A start is a request
    to the firmware, which turns it into operations of the core, through the core's registers, and
    reports its end. Counters and ledger are those of the whole request; status and journal are those
    of the core's latest operation. While there is no request the user reads IDENTIFY DEVICE data
    and journal, else the firmware.

    Parameters: ``configuration`` of the core, with fixed pacing; ``processor``, one of
    :data:`.processors.PROCESSORS`; ``words``, its program.
    """

    def __init__(self, configuration, processor, words):
        self._configuration = configuration
        self._processor_name = processor
        self._words = words
        self._groups = configuration.groups & {SECTOR}
        super().__init__({
            # The streams, and all control and status: see :mod:`..interface`.
            "user": In(UserSignature(*self._groups)),
            "phy": Out(DwordPort()),    # The PHY.
            "ticks": In(RATIO_BITS),    # The processor's clock ticks so often in ``clocks`` clocks, evenly; stable.
                                        # At most ``clocks``.
            "clocks": In(RATIO_BITS),   # At most 1000; stable.
            # With ``user.control.start``: the longest operation that the firmware may make of a request; 0: the
            # request is one operation.
            "operation_sectors": In(SECTORS_BITS),
            "interrupts": In(1),        # With ``user.control.start``: the firmware waits for irq, if it can.
        })

    def elaborate(self, platform):
        m = Module()
        m.submodules.core = core = SataRecorder(self._configuration, taps=True)
        m.submodules.bank = bank = RegisterBank()
        m.submodules.request = request = Request()
        tick = self._tick(m)
        self._processor(m, tick, bank, request)

        user, taken = flipped(self.user), Signal()
        connect(m, core.phy, flipped(self.phy))
        connect(m, user.i, core.user.i)
        connect(m, core.user.o, user.o)
        connect(m, bank.user.control, core.user.control)
        connect(m, user.control, request.control)
        connect(m, core.user.link, bank.user.link, user.link)
        if SECTOR in self._groups:
            connect(m, user.sector, core.user.sector)
        m.d.comb += [
            self.user.last.eq(core.user.last),
            request.operation_sectors.eq(self.operation_sectors),
            request.interrupts.eq(self.interrupts),
            # Until it takes requests, the firmware may read anything.
            taken.eq(request.pending | ~request.ready),
        ]
        self._status(m, core, bank, request)
        self._memories(m, core, bank, taken)
        return m

    def _tick(self, m):
        """The ticks of the processor's clock."""
        tick = Signal()
        phase = Signal(RATIO_BITS)
        idle = Signal(RATIO_BITS)       # clocks without a tick, in ``clocks``
        m.d.comb += [idle.eq(self.clocks - self.ticks), tick.eq(phase >= idle)]
        m.d.sync += phase.eq(Mux(tick, phase - idle, phase + self.ticks))
        return tick

    def _processor(self, m, tick, bank, request):
        """The processor, its program, and its way to registers and requests."""
        m.submodules.processor = processor = Processor(self._processor_name)
        m.submodules.program = program = ProgramMemory(self._words)
        m.submodules.manager = manager = AxiLiteManager()
        connect(m, manager.axil, bank.axil)
        connect(m, processor.fetch, program.fetch)
        m.d.comb += [processor.tick.eq(tick), program.tick.eq(tick), manager.tick.eq(tick),
                     request.tick.eq(tick), processor.irq.eq(bank.axil.irq | request.stopping)]
        route(m, processor.data, {AddressRegion.PROGRAM: program.data,
                                  AddressRegion.REQUEST: request.bus,
                                  AddressRegion.CORE: manager.bus})

    def _sums(self, m, core, bank, request):
        """What is reported about the whole request."""
        m.submodules.ledger = ledger = RequestLedger()
        m.submodules.sums = sums = RequestSums()
        status = core.user.status
        connect(m, core.taps, ledger.taps)
        connect(m, flipped(self.user).ledger, ledger.user)
        connect(m, core.user.counters, sums.core_counters)
        connect(m, core.user.counters, bank.user.counters)
        connect(m, flipped(self.user).counters, sums.counters)
        m.d.comb += [
            ledger.begins.eq(request.begins), ledger.ends.eq(request.ends),
            sums.begins.eq(request.begins), sums.done.eq(status.done),
            sums.active.eq(status.busy | status.done),
            sums.core_status.sectors_done.eq(status.sectors_done),
            sums.core_status.skipped_sectors.eq(status.skipped_sectors),
            sums.core_status.retries.eq(status.retries),
        ]
        return ledger, sums

    def _status(self, m, core, bank, request):
        """The user's status is that of the request, the registers' that of the operation."""
        ledger, sums = self._sums(m, core, bank, request)
        status, user, registers = core.user.status, self.user.status, bank.user.status
        settles = Signal()      # the sums of the ledger are not complete
        answered = Signal()     # the result is that of a request
        with m.If(request.ends):
            m.d.sync += settles.eq(1)
        with m.Elif(ledger.settled):
            m.d.sync += [settles.eq(0), answered.eq(1)]
        with m.Elif(request.begins):
            m.d.sync += answered.eq(0)
        done = Signal()
        m.d.sync += done.eq(ledger.settled)
        m.d.comb += [
            request.busy.eq(request.pending | settles),
            user.busy.eq(request.busy), user.done.eq(done),
            user.ready.eq(status.ready & request.ready & ~request.busy),
            user.error.eq(Mux(request.busy, 0, Mux(answered, request.result, status.error))),
            user.sectors_done.eq(sums.status.sectors_done),
            user.skipped_sectors.eq(sums.status.skipped_sectors),
            user.retries.eq(sums.status.retries),
            registers.busy.eq(status.busy), registers.done.eq(status.done),
            registers.ready.eq(status.ready), registers.error.eq(status.error),
            registers.sectors_done.eq(status.sectors_done),
            registers.skipped_sectors.eq(status.skipped_sectors),
            registers.retries.eq(status.retries),
            status.clear_unflushed.eq(registers.clear_unflushed | user.clear_unflushed),
        ]
        for shown in (user, registers):
            m.d.comb += [
                shown.drive_status.eq(status.drive_status),
                shown.drive_error.eq(status.drive_error), shown.capacity.eq(status.capacity),
                shown.lba48.eq(status.lba48), shown.recovering.eq(status.recovering),
                shown.cause.eq(status.cause), shown.error_lba.eq(status.error_lba),
                shown.unflushed.eq(status.unflushed),
                shown.unflushed_lba.eq(status.unflushed_lba),
                shown.unflushed_sectors.eq(status.unflushed_sectors),
            ]

    def _memories(self, m, core, bank, taken):
        """IDENTIFY DEVICE data and journal have one reader at a time."""
        identify, journal = core.user.identify, core.user.journal
        user, registers = self.user, bank.user
        connect(m, registers.ledger, core.user.ledger)
        m.d.comb += [
            identify.address.eq(Mux(taken, registers.identify.address, user.identify.address)),
            journal.address.eq(Mux(taken, registers.journal.address, user.journal.address)),
        ]
        for reader in (user, registers):
            m.d.comb += [reader.identify.data.eq(identify.data),
                         reader.journal.data.eq(journal.data),
                         reader.journal.count.eq(journal.count)]
