"""From power-on or a lost link to an identified drive."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..drive_port import Error
from .drive_check import DriveCheck
from .states import OneHotStates

__all__ = ["BringUp"]


class BringUp(wiring.Component):
    """Awaits link and signature, has IDENTIFY DEVICE read and judges its results.

    A drive that gives no signature in time or fails IDENTIFY DEVICE is reset and tried again,
    for ever; a device that cannot be used at all is left alone until the link falls.

    Members
    -------
    link_up : In(1)         the PHY exchanges dwords with a drive
    comreset : Out(1)       asks the PHY for COMRESET; it stays until the link has fallen
    needs_comreset : In(1)  start over with COMRESET, unless the drive is unusable
    clear : Out(1)          the command layer must forget the command in flight
    signature_received : In(1)      the signature of the drive has arrived
    is_ata : In(1)          with ``signature_received``: it is that of an ATA device
    start : Out(1)          IDENTIFY DEVICE begins
    identifying : Out(1)    IDENTIFY DEVICE is in flight
    done : In(1)            the command in flight has ended
    succeeded : In(1)       with ``done``: it has succeeded
    identity : Out(DriveCheck)      what IDENTIFY DEVICE said
    silent : In(1)          the drive has been silent for too long
    waiting : Out(1)        the time in which the drive must not be silent begins
    usable : Out(1)         the drive can be used
    unusable : Out(1)       the drive cannot be used, for the reason in ``judgement``
    failed : Out(1)         an attempt has failed
    failure : Out(Error)    with ``failed``: why
    judgement : Out(Error)  why the last attempt that failed did so
    """

    link_up: In(1)
    comreset: Out(1)
    needs_comreset: In(1)
    clear: Out(1)
    signature_received: In(1)
    is_ata: In(1)
    start: Out(1)
    identifying: Out(1)
    done: In(1)
    succeeded: In(1)
    identity: Out(DriveCheck())
    silent: In(1)
    waiting: Out(1)
    usable: Out(1)
    unusable: Out(1)
    failed: Out(1)
    failure: Out(Error)
    judgement: Out(Error)

    def elaborate(self, platform):
        m = Module()
        identity = self.identity
        # Much depends on the state: it is in flops of its own.
        states = OneHotStates(
            m, "RESET", "DOWN", "SIGNATURE", "IDENTIFY", "COMPARE", "JUDGE", "USABLE", "UNUSABLE")
        with m.If(self.failed):
            m.d.sync += self.judgement.eq(self.failure)

        def fail(error, state):
            m.d.comb += [self.failed.eq(1), self.failure.eq(error)]
            states.enter(state)

        def link_lost():
            with m.If(~self.link_up):
                states.enter("DOWN")
            start_over()

        def start_over():
            with m.If(self.needs_comreset):
                states.enter("RESET")

        m.d.comb += [
            self.comreset.eq(states.ongoing("RESET")),
            self.clear.eq(states.ongoing("RESET") | states.ongoing("DOWN")),
            self.identifying.eq(states.ongoing("IDENTIFY")),
            self.usable.eq(states.ongoing("USABLE")),
            self.unusable.eq(states.ongoing("UNUSABLE")),
            identity.begin.eq(self.clear | states.ongoing("SIGNATURE")),
        ]

        # Also the first state: the drive may have given its signature before the core was
        # reset, and does so only once.
        with states.state("RESET"):
            with m.If(~self.link_up):
                states.enter("DOWN")

        with states.state("DOWN"):
            m.d.comb += self.waiting.eq(1)
            with m.If(self.link_up):
                states.enter("SIGNATURE")
            start_over()

        with states.state("SIGNATURE"):
            with m.If(self.signature_received):
                m.d.comb += self.waiting.eq(1)
                with m.If(self.is_ata):
                    m.d.comb += self.start.eq(1)
                    states.enter("IDENTIFY")
                with m.Else():
                    fail(Error.NOT_ATA, "UNUSABLE")
            with m.Elif(self.silent):
                fail(Error.TIMEOUT, "RESET")
            link_lost()

        with states.state("IDENTIFY"):
            with m.If(self.done):
                with m.If(self.succeeded):
                    m.d.comb += identity.check.eq(1)
                    states.enter("COMPARE")
                with m.Else():
                    fail(Error.IDENTIFY_FAILED, "RESET")
            with m.Elif(self.silent):
                fail(Error.TIMEOUT, "RESET")
            link_lost()

        with states.state("COMPARE"):
            with m.If(identity.checked & identity.unsound):
                fail(Error.IDENTIFY_FAILED, "RESET")
            with m.Elif(identity.checked):
                states.enter("JUDGE")
            link_lost()

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

        with states.state("USABLE"):
            link_lost()

        with states.state("UNUSABLE"):
            with m.If(~self.link_up):
                states.enter("DOWN")
        return m
