"""The command layer: one ATA command from its Register FIS to its status.

Serial ATA Revision 3.x, device command layer protocol, as the host sees it; ATA8-ACS, command
protocols.
"""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ..transport import MAX_DATA_WORDS, TransportSignature
from .activity import CommandActivity
from .drive_status import DriveStatus
from .interface import CommandResult, CommandSignature, Protocol
from .payload_counter import PayloadCounter

__all__ = ["Command"]


class Command(wiring.Component):
    """Executes one command at a time.

    A Register D2H FIS with BSY = 0 ends a command if DRQ is 0 or it reports an error; PIO data-in
    ends with the E_Status of the last PIO Setup. Success needs DRDY without ERR and DF, and all
    payload moved. After R_ERR to a Data FIS the drive's status is awaited, then DATA_CRC reported.
    An error status to which no command belongs revokes the success of the command before it; the
    next command then ends with PROTOCOL.
    Latency: ``done`` is 3 clocks after the status FIS's EOF was at the dword port.

    Parameters
    ----------
    any_command : bool
        Whether there is PIO data-out, and ``user.final`` is valid.
    locates : bool
        Whether ``user.locates`` counts.

    Members
    -------
    user : In(CommandSignature)
        The sequencer.
    transport : Out(TransportSignature)
        The transport layer.
    activity : Out(CommandActivity)
        How far the command has come, for the cycle ledger.
    """

    def __init__(self, *, any_command=False, locates=False):
        self._any_command = any_command
        self._locates = locates
        super().__init__({
            "user": In(CommandSignature()),
            "transport": Out(TransportSignature()),
            "activity": Out(CommandActivity),
        })

    def elaborate(self, platform):
        m = Module()
        user, spec = self.user, self.user.spec
        registers, data, received = self.transport.registers, self.transport.data, self.transport.received
        fis = received.fis
        m.submodules.counter = counter = PayloadCounter()
        m.submodules.drive_status = drive_status = DriveStatus()
        complete = counter.complete

        outward, inward, pio = self._protocol(m)
        data_failed = Signal()
        fails_data = Signal()       # ``data_failed`` is high in the next clock
        awaits_data = Signal()      # in EXECUTE a Data FIS may come; of PIO after its PIO Setup
        ceases = Signal()           # no Data FIS may come after this clock
        over = Signal()             # no more payload is passed on
        m.d.comb += [
            self.transport.clear.eq(user.clear),
            registers.task_file.eq(spec.registers),
            # The status may come instead of a Data FIS that was about to be sent.
            data.cancel.eq(user.done),
            received.expect_data.eq(awaits_data),
            counter.words.eq(spec.words), counter.pio.eq(pio),
            counter.block_words.eq(fis.transfer_bytes >> 2), fails_data.eq(data_failed),
            drive_status.fis.eq(fis), drive_status.block_begins.eq(counter.begin_block),
        ]
        # All is here, or a Data FIS was bad, and what follows is out of place.
        m.d.sync += [over.eq(counter.completes | fails_data | ceases), data_failed.eq(fails_data),
                     user.done.eq(0), user.succeeded.eq(0), data.send.eq(0)]
        pio_out = self._data_out_by_pio(m)
        wanted = outward & ~pio_out if self._any_command else outward      # DMA Activate
        self._move_payload(m, counter, data_failed, over, pio_out)
        self._report(m, drive_status)
        self._progress(m, data_failed, over)

        verdict = self._verdict(m, drive_status.failed, complete, data_failed)
        final = Signal()

        def finish(result, needs_comreset):
            m.d.comb += ceases.eq(1)
            m.d.sync += [
                user.done.eq(1), user.succeeded.eq(result == CommandResult.SUCCESS),
                user.result.eq(result), user.needs_comreset.eq(needs_comreset),
            ]
            m.next = "IDLE"

        # The specification has states of the drive only. The comments name those that it is in meanwhile.
        with m.FSM() as fsm:
            executes = fsm.ongoing("EXECUTE")
            # DI0: Device_idle
            with m.State("IDLE"):
                m.d.comb += [
                    user.signature_received.eq(fis.register_d2h & ~fis.status.bsy),
                    user.is_ata.eq(fis.is_ata),
                    fails_data.eq(0),
                ]
                with m.If(user.start):
                    m.d.comb += registers.send.eq(1)
                    m.next = "ISSUE"

            # DI0: Device_idle, then DI1: Check_FIS and DI2: Check_command
            with m.State("ISSUE"):
                # No payload moves before the drive has the registers.
                m.d.comb += counter.begin.eq(1)
                # A status that comes now still belongs to the last command.
                with m.If(registers.done):
                    m.d.sync += awaits_data.eq(inward & ~pio)
                    m.next = "EXECUTE"
                with m.If(registers.failed):
                    finish(CommandResult.REFUSED, 1)
                with m.If(user.clear):
                    m.d.comb += ceases.eq(1)
                    m.next = "IDLE"

            # DND0 and DND1 (non-data), DPIOI0 to DPIOI3 (PIO data-in), DPIOO0 to DPIOO2 (PIO
            # data-out), DDMAI0 to DDMAI2 (DMA in), DDMAO0 to DDMAO3 (DMA out)
            with m.State("EXECUTE"):
                m.d.comb += [
                    final.eq(fis.register_d2h & ~fis.status.bsy
                             & (~fis.status.drq | fis.status.err | fis.status.df)),
                    counter.forgive.eq((fis.data_bad & inward) | (data.done & data.failed)),
                    drive_status.block_ends.eq(fis.data & pio),
                ]
                with m.If(counter.forgive):
                    m.d.comb += fails_data.eq(1)
                with m.If(drive_status.block_ends):
                    m.d.comb += ceases.eq(1)

                with m.If(user.clear):
                    m.d.comb += ceases.eq(1)
                    m.next = "IDLE"
                with m.Elif(user.revoked):
                    finish(CommandResult.PROTOCOL, 1)
                # How many words there were is known once the FIS has been found good.
                with m.Elif(counter.broken & fis.data):
                    finish(CommandResult.PROTOCOL, 1)
                with m.Elif(final):
                    finish(verdict, fis.status.drq)
                with m.Elif(fis.dma_activate):
                    with m.If(wanted & ~complete & ~data_failed):
                        m.d.sync += data.send.eq(1)
                    with m.Else():
                        finish(CommandResult.PROTOCOL, 1)
                with m.Elif(fis.pio_setup):
                    with m.If(pio):
                        m.d.comb += counter.begin_block.eq(1)
                        m.d.sync += awaits_data.eq(1)
                    if self._any_command:
                        with m.Elif(pio_out & ~complete & ~data_failed & self._announces_enough(counter)):
                            m.d.sync += data.send.eq(1)
                    with m.Else():
                        finish(CommandResult.PROTOCOL, 1)
                with m.Elif(fis.data & pio):
                    self._block_ends(m, counter, drive_status.current, verdict, finish)

        with m.If(ceases):
            m.d.sync += awaits_data.eq(0)
        self._see_revoked(m, executes)
        self._show(m, outward, counter, final, verdict)
        return m

    def _see_revoked(self, m, executes):
        """Whether the drive takes back that the last command has succeeded."""
        user, fis = self.user, self.transport.received.fis
        succeeded = Signal()        # it did, so far
        with m.If(user.done):
            m.d.sync += succeeded.eq(user.succeeded)
        # The next command, if one is in flight by then, ends with that.
        with m.If(user.clear | executes):
            m.d.sync += user.revoked.eq(0)
        with m.If(user.clear):
            m.d.sync += succeeded.eq(0)
        with m.Elif(~executes & succeeded & fis.register_d2h & ~fis.status.bsy & (fis.status.err | fis.status.df)):
            m.d.sync += [succeeded.eq(0), user.revoked.eq(1)]

    def _show(self, m, outward, counter, final, verdict):
        """How far the command has come, for the ledger."""
        m.d.comb += [
            self.activity.outward.eq(outward),
            self.activity.complete.eq(counter.complete),
            self.activity.last.eq(counter.remaining == 1),
            self.activity.final.eq(final),
            self.activity.success.eq(verdict == CommandResult.SUCCESS),
        ]

    def _protocol(self, m):
        """Whether the data go out, come in, and come in by PIO. The results are valid once the drive has
        the registers: long after the command was requested."""
        protocol = self.user.spec.protocol
        outward = Signal()
        inward = Signal()
        pio = Signal()
        m.d.sync += [
            outward.eq(protocol == Protocol.DMA_OUT),
            pio.eq(protocol == Protocol.PIO_IN),
            inward.eq((protocol == Protocol.PIO_IN) | (protocol == Protocol.DMA_IN)),
        ]
        return outward, inward, pio

    def _block_ends(self, m, counter, status, verdict, finish):
        """A PIO data block has ended, perhaps the last one; ``status`` is its E_Status."""
        with m.If(counter.block_open):
            finish(CommandResult.PROTOCOL, 1)
        with m.Elif(counter.complete):
            finish(verdict, status.bsy | status.drq)
        if self._any_command:
            # The drive has no more, whatever was requested: no status follows.
            with m.Elif(~status.bsy & ~status.drq):
                finish(verdict, 0)

    def _data_out_by_pio(self, m):
        """Whether the data of the command go out by PIO, None where they never do. Also keeps the
        registers that come with the end of a command."""
        if not self._any_command:
            return None
        user, received = self.user, self.transport.received
        pio_out = Signal()
        m.d.sync += pio_out.eq(user.pio_out)
        with m.If(received.fis.register_d2h | received.fis.pio_setup):
            m.d.sync += [
                user.final.lba.eq(received.fis.lba),
                user.final.count.eq(received.results.count),
                user.final.device.eq(received.results.device),
            ]
        return pio_out

    def _announces_enough(self, counter):
        """Whether PIO Setup announces two words, which may be left of a Data FIS that the drive has ended, or the last
        one of all."""
        fis = self.transport.received.fis
        return (fis.transfer_bytes[3:] != 0) | fis.transfer_bytes[2] & (counter.remaining == 1)

    def _move_payload(self, m, counter, data_failed, over, pio_out):
        """Payload in both directions."""
        user, data, received = self.user, self.transport.data, self.transport.received
        connect(m, flipped(user.write_data), flipped(data.payload))
        # ``remaining`` stays from the end of a Data FIS, or the start of a command, to the next
        # announcement: a register may hold this.
        words = Signal.like(data.words)
        m.d.sync += words.eq(Mux(counter.remaining >= MAX_DATA_WORDS, MAX_DATA_WORDS, counter.remaining))
        m.d.comb += data.words.eq(words)
        if self._any_command:
            # Words of the block that PIO Setup has announced.
            block = Signal(range(MAX_DATA_WORDS + 1), init=MAX_DATA_WORDS)
            fis = received.fis
            with m.If(fis.pio_setup):
                m.d.sync += block.eq(Mux(fis.transfer_bytes[2:] > MAX_DATA_WORDS, MAX_DATA_WORDS,
                                         fis.transfer_bytes[2:]))
            with m.If(pio_out):
                m.d.comb += data.words.eq(Mux(counter.remaining >= block, block, counter.remaining))
        m.d.comb += [
            user.read_data.payload.eq(received.payload.payload),
            user.read_data.valid.eq(received.payload.valid & ~over),
            counter.sent.eq(data.moved),
            counter.received.eq(received.payload.valid & received.expect_data),
        ]
        m.d.sync += [
            # Once all payload is here nothing needs to wait, least of all the status.
            received.hold.eq(user.hold & ~over),
            user.verified.eq(received.fis.data & ~data_failed),
        ]

    def _report(self, m, drive_status):
        """What the drive reported."""
        user = self.user
        m.d.comb += [
            user.status.eq(drive_status.status),
            user.error.eq(drive_status.error),
            user.error_lba.eq(drive_status.error_lba),
            user.error_device.eq(drive_status.error_device),
        ]
        if self._locates:
            fis = self.transport.received.fis
            m.d.comb += user.locates.eq(fis.register_d2h & (fis.status.err | fis.status.df))

    def _progress(self, m, data_failed, over):
        """Whether the command got further, or has to wait for the user."""
        user, transport = self.user, self.transport
        fis = transport.received.fis
        # A drive may send FISes forever, each of them legal by itself. A word is progress of the
        # command; so are one announcement of words, and the end of their FIS.
        announced = Signal()        # and no word has come or gone since
        word = Signal()
        announces = fis.dma_activate | fis.pio_setup
        m.d.comb += word.eq(transport.data.moved | (transport.received.payload.valid & ~over))
        with m.If(user.start | word):
            m.d.sync += announced.eq(0)
        with m.Elif(announces):
            m.d.sync += announced.eq(1)
        m.d.sync += user.progress.eq(
            transport.registers.done | word | (announces & ~announced)
            | (fis.data & ~data_failed) | (transport.data.done & ~announced)
            | transport.data.starved | user.hold)

    def _verdict(self, m, failed, complete, data_failed):
        """The result of a command that ends with the drive's status."""
        verdict = Signal(CommandResult)
        with m.If(data_failed):
            m.d.comb += verdict.eq(CommandResult.DATA_CRC)
        with m.Elif(failed):
            m.d.comb += verdict.eq(CommandResult.DRIVE_ERROR)
        with m.Elif(~complete):
            m.d.comb += verdict.eq(CommandResult.SHORT_DATA)
        with m.Else():
            m.d.comb += verdict.eq(CommandResult.SUCCESS)
        return verdict
