"""From power-on or a lost link to an identified drive."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..drive_port import Error
from .drive_check import DriveCheck
from ..states import OneHotStates

__all__ = ["PAUSE_BITS", "BringUp"]

#: Bits of the pause between two attempts, in ticks; the longest pause has only the highest bit set.
PAUSE_BITS = 7


class BringUp(wiring.Component):
    """Waits for link and signature, issues IDENTIFY DEVICE and judges its data.

    A drive that gives no signature in time or fails IDENTIFY DEVICE is reset and tried again,
    forever: at once after the first failure, after each further one with a ``pause``, which doubles
    each time up to a limit. Once a drive has been judged, or the link has fallen by itself, the next
    failure counts as the first again. A device that cannot be used at all is left alone until the
    link falls.
    A drive that reports that it needs SET FEATURES to spin up gets it in each attempt, and is identified again
    once it has answered, even by an abort: it may run already. One that does not answer may be asleep, and is
    not used.

    Members
    -------
    link_up : In(1)         the PHY exchanges dwords with a drive
    held : In(1)            with ``usable``: a fall of the link does not count yet
    comreset : Out(1)       requests a COMRESET from the PHY; it stays until the link has fallen
    needs_comreset : In(1)  start over with COMRESET, unless the drive is unusable
    clear : Out(1)          the command layer must forget the command in flight
    signature_received : In(1)      the signature of the drive has arrived
    is_ata : In(1)          with ``signature_received``: it is that of an ATA device
    start : Out(1)          IDENTIFY DEVICE or SET FEATURES begins
    identifying : Out(1)    IDENTIFY DEVICE is in flight
    spinning_up : Out(1)    SET FEATURES is in flight
    done : In(1)            the command in flight has ended
    succeeded : In(1)       with ``done``: it has succeeded
    unclear : In(1)         with ``done``: the drive may still be in it
    fault : In(1)           with ``done``: the drive reports a fault (DF)
    identity : Out(DriveCheck)      what IDENTIFY DEVICE reported
    silent : In(1)          the drive has been silent for too long
    waiting : Out(1)        the time in which the drive must not be silent begins, or a pause
    pause : Out(7)          a clock after ``waiting``: the length of the pause in ticks of :class:`.timer.Timer`, a
                            power of two; 0: it is no pause
    usable : Out(1)         the drive can be used
    unusable : Out(1)       the drive cannot be used, for the reason in ``judgement``
    failed : Out(1)         an attempt has failed
    failure : Out(Error)    with ``failed``: why
    judgement : Out(Error)  why the last attempt that failed did so
    """

    link_up: In(1)
    held: In(1)
    comreset: Out(1)
    needs_comreset: In(1)
    clear: Out(1)
    signature_received: In(1)
    is_ata: In(1)
    start: Out(1)
    identifying: Out(1)
    spinning_up: Out(1)
    done: In(1)
    succeeded: In(1)
    unclear: In(1)
    fault: In(1)
    identity: Out(DriveCheck())
    silent: In(1)
    waiting: Out(1)
    pause: Out(PAUSE_BITS)
    usable: Out(1)
    unusable: Out(1)
    failed: Out(1)
    failure: Out(Error)
    judgement: Out(Error)

    def elaborate(self, platform):
        m = Module()
        identity = self.identity
        # Much depends on the state: it is kept in flops of its own.
        states = OneHotStates(
            m, "RESET", "DOWN", "SIGNATURE", "IDENTIFY", "SPIN_UP", "COMPARE", "JUDGE", "USABLE", "UNUSABLE",
            "PAUSE")
        again = Signal()                # an attempt has failed, and another one follows
        tried = Signal()                # it was so a clock ago
        pause = Signal(PAUSE_BITS)      # in ticks before it, after the next failure; 0: none
        spun_up = Signal()              # SET FEATURES has been answered

        def fail(error, state):
            m.d.comb += [self.failed.eq(1), self.failure.eq(error)]
            states.enter(state)

        def fail_again(error):
            m.d.comb += again.eq(1)
            fail(error, "RESET")
            with m.If(pause != 0):
                states.enter("PAUSE")

        def link_lost(counts=1):
            with m.If(~self.link_up & counts):
                states.enter("DOWN")
            start_over()

        def begin(command):
            m.d.comb += self.start.eq(1)
            states.enter(command)

        def start_over():
            with m.If(self.needs_comreset):
                states.enter("RESET")

        m.d.sync += tried.eq(again & self.link_up)
        m.d.comb += [
            self.comreset.eq(states.ongoing("RESET")),
            self.clear.eq(states.ongoing("RESET") | states.ongoing("DOWN") | states.ongoing("PAUSE")),
            self.identifying.eq(states.ongoing("IDENTIFY")),
            self.spinning_up.eq(states.ongoing("SPIN_UP")),
            self.usable.eq(states.ongoing("USABLE")),
            self.unusable.eq(states.ongoing("UNUSABLE")),
            self.waiting.eq(states.ongoing("DOWN") | self.start | again),
            self.pause.eq(Mux(tried, pause, 0)),
            identity.begin.eq(self.clear | states.ongoing("SIGNATURE") | states.ongoing("SPIN_UP")),
            identity.spun_up.eq(spun_up),
        ]
        self._keep(m, tried, states.ongoing("RESET") | states.ongoing("DOWN"), pause)

        # Also the first state: the drive may have given its signature before the core was
        # reset, and does so only once.
        with states.state("RESET"):
            with m.If(~self.link_up):
                states.enter("DOWN")

        with states.state("DOWN"):
            with m.If(self.link_up):
                states.enter("SIGNATURE")
            start_over()

        with states.state("SIGNATURE"):
            with m.If(self.signature_received):
                with m.If(self.is_ata):
                    begin("IDENTIFY")
                with m.Else():
                    fail(Error.NOT_ATA, "UNUSABLE")
            with m.Elif(self.silent):
                fail_again(Error.TIMEOUT)
            link_lost()

        with states.state("IDENTIFY"):
            with m.If(self.done):
                with m.If(self.succeeded):
                    m.d.comb += identity.check.eq(1)
                    states.enter("COMPARE")
                with m.Else():
                    fail_again(Error.IDENTIFY_FAILED)
            with m.Elif(self.silent):
                fail_again(Error.TIMEOUT)
            link_lost()

        with states.state("SPIN_UP"):
            m.d.sync += spun_up.eq(1)
            with m.If(self.done & ~self.unclear & ~self.fault):
                begin("IDENTIFY")
            with m.Elif(self.done):
                fail_again(Error.IDENTIFY_FAILED)
            with m.Elif(self.silent):
                fail_again(Error.TIMEOUT)
            link_lost()
        # Whatever comes next may be another drive, or have been without power.
        with m.If(self.clear):
            m.d.sync += spun_up.eq(0)

        with states.state("COMPARE"):
            with m.If(identity.checked & identity.spins_up & ~spun_up):
                begin("SPIN_UP")
            with m.Elif(identity.checked & identity.unsound):
                fail_again(Error.IDENTIFY_FAILED)
            with m.Elif(identity.checked):
                states.enter("JUDGE")
            link_lost()

        self._judge(m, states, fail, link_lost)
        with states.state("USABLE"):
            link_lost(~self.held)

        with states.state("UNUSABLE"):
            with m.If(~self.link_up):
                states.enter("DOWN")

        with states.state("PAUSE"):
            with m.If(self.silent):
                states.enter("RESET")
            link_lost()
        return m

    def _judge(self, m, states, fail, link_lost):
        """Whether the drive can be used."""
        identity = self.identity
        with states.state("JUDGE"):
            with m.If(identity.packet):
                fail(Error.NOT_ATA, "UNUSABLE")
            with m.Elif(~identity.dma | ~identity.lba):
                fail(Error.NO_DMA_LBA, "UNUSABLE")
            with m.Elif(identity.long_sectors):
                fail(Error.SECTOR_SIZE, "UNUSABLE")
            with m.Else():
                states.enter("USABLE")
            link_lost()

    def _keep(self, m, tried, is_down, pause):
        """What is kept from one attempt to the next."""
        with m.If(self.failed):
            m.d.sync += self.judgement.eq(self.failure)
        with m.If(tried):
            # 0, 2, 4 and so on: a tick may be almost over.
            m.d.sync += pause.eq(Mux(pause == 0, 2, Mux(pause[-1], pause, pause << 1)))
        with m.If(self.usable | self.unusable | (~is_down & ~self.link_up)):
            m.d.sync += pause.eq(0)
