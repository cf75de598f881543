"""From power-on or a lost link to an identified drive."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .types import Error

__all__ = ["BringUp"]


class BringUp(wiring.Component):
    """Awaits link and signature, has IDENTIFY DEVICE read and judges its results.

    A drive that gives no signature in time or fails IDENTIFY DEVICE is reset and tried again,
    for ever; a device that cannot be used at all is left alone until the link falls.

    Members
    -------
    link_up : In(1), comreset : Out(1)      the PHY; COMRESET is held until the link has fallen
    renew : In(1)           start over with COMRESET, unless the drive is unusable
    clear : Out(1)          no command may be in flight
    signature_received, is_ata : In(1)        the signature has arrived
    start : Out(1)          issue IDENTIFY DEVICE
    identifying : Out(1)    it is in flight
    done, succeeded : In(1) it has ended
    check : Out(1), checked : In(1)         have the serial number compared, and that is done
    dma, lba, packet, long_sectors : In(1)  what it said
    expired : In(1)         the drive has been silent for too long
    waiting : Out(1)        the time runs from here
    usable : Out(1)
    unusable : Out(1)       with ``failure``
    failed : Out(1), failure : Out(4)       an attempt has failed, with an :class:`.types.Error`
    """

    link_up: In(1)
    comreset: Out(1)
    renew: In(1)
    clear: Out(1)
    signature_received: In(1)
    is_ata: In(1)
    start: Out(1)
    identifying: Out(1)
    done: In(1)
    succeeded: In(1)
    check: Out(1)
    checked: In(1)
    dma: In(1)
    lba: In(1)
    packet: In(1)
    long_sectors: In(1)
    expired: In(1)
    waiting: Out(1)
    usable: Out(1)
    unusable: Out(1)
    failed: Out(1)
    failure: Out(4)

    def elaborate(self, platform):
        m = Module()

        def fail(error, state):
            m.d.comb += [self.failed.eq(1), self.failure.eq(error)]
            m.next = state

        def link_lost():
            with m.If(~self.link_up):
                m.next = "DOWN"
            renewed()

        def renewed():
            with m.If(self.renew):
                m.next = "RESET"

        with m.FSM() as fsm:
            m.d.comb += [
                self.identifying.eq(fsm.ongoing("IDENTIFY")),
                self.usable.eq(fsm.ongoing("USABLE")),
                self.unusable.eq(fsm.ongoing("UNUSABLE")),
            ]

            # Also the first state: the drive may have given its signature before the core was
            # reset, and does so only once.
            with m.State("RESET"):
                m.d.comb += [self.comreset.eq(1), self.clear.eq(1)]
                with m.If(~self.link_up):
                    m.next = "DOWN"

            with m.State("DOWN"):
                m.d.comb += [self.clear.eq(1), self.waiting.eq(1)]
                with m.If(self.link_up):
                    m.next = "SIGNATURE"
                renewed()

            with m.State("SIGNATURE"):
                with m.If(self.signature_received):
                    m.d.comb += self.waiting.eq(1)
                    with m.If(self.is_ata):
                        m.d.comb += self.start.eq(1)
                        m.next = "IDENTIFY"
                    with m.Else():
                        fail(Error.NOT_ATA, "UNUSABLE")
                with m.Elif(self.expired):
                    fail(Error.TIMEOUT, "RESET")
                link_lost()

            with m.State("IDENTIFY"):
                with m.If(self.done):
                    with m.If(self.succeeded):
                        m.d.comb += self.check.eq(1)
                        m.next = "COMPARE"
                    with m.Else():
                        fail(Error.IDENTIFY_FAILED, "RESET")
                with m.Elif(self.expired):
                    fail(Error.TIMEOUT, "RESET")
                link_lost()

            with m.State("COMPARE"):
                with m.If(self.checked):
                    m.next = "JUDGE"
                link_lost()

            with m.State("JUDGE"):
                with m.If(self.packet):
                    fail(Error.NOT_ATA, "UNUSABLE")
                with m.Elif(~self.dma | ~self.lba):
                    fail(Error.NO_DMA_LBA, "UNUSABLE")
                with m.Elif(self.long_sectors):
                    fail(Error.SECTOR_SIZE, "UNUSABLE")
                with m.Else():
                    m.next = "USABLE"
                link_lost()

            with m.State("USABLE"):
                link_lost()

            with m.State("UNUSABLE"):
                with m.If(~self.link_up):
                    m.next = "DOWN"
        return m
