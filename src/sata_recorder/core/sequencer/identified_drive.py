"""The drive and its link, and whether it is still the drive of the operation."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ...interface import IDENTIFY
from ..drive_port import Coming, Error
from ..phy import PhyControlSignature
from .bring_up import PAUSE_BITS, BringUp
from .identity import Identity
from .link_speed import LinkSpeed
from .other_drive import OtherDrive
from .phase import CommandEnd
from .recovery import DriveState

__all__ = ["HeldLink", "IdentifiedDrive"]


class HeldLink(wiring.Component):
    """The link as bring-up sees it once an extent is announced. If the link of a usable drive falls between then and
    the clock in which the extent is taken, bring-up sees the fall a clock after that: the operation begins on the
    drive that it was requested for, and waits for it.

    Members
    -------
    link_up : In(1)         There is a link.
    usable : In(1)          The drive can be used.
    coming : In(Coming)     An extent will come, some clocks later.
    taken : In(1)           The extent is taken.
    held : Out(1)           A fall does not count yet; only while ``usable``. So it is for a clock, too, if what is
                            requested is not taken, since that is known late in a clock.
    up : Out(1)             There is a link, and none that fell meanwhile is left to be counted.
    missed : Out(1)         One that fell is left, and counts.
    """

    link_up: In(1)
    usable: In(1)
    coming: In(Coming)
    taken: In(1)
    held: Out(1)
    up: Out(1)
    missed: Out(1)

    def elaborate(self, platform):
        m = Module()
        waits = Signal()
        fell = Signal()
        may = self.usable & ~fell
        still_waits = (waits | (self.coming.recording & may)) & ~self.taken
        has_fallen = self.held & (fell | ~self.link_up)
        m.d.comb += [self.held.eq(waits | (self.coming.requested & may)), self.up.eq(self.link_up & ~fell)]
        # ``missed``, too, is a flop: much depends on it.
        m.d.sync += [waits.eq(still_waits), fell.eq(has_fallen), self.missed.eq(has_fallen & ~still_waits)]
        return m


class IdentifiedDrive(wiring.Component):
    """Brings a drive up, identifies it, limits its link, and distinguishes it from the one before.

    Parameters
    ----------
    holds : bool            ``coming`` counts.
    identity : dict         The parameters of :class:`.identity.Identity`.

    Members
    -------
    phy : Out(PhyControlSignature)
    user : In               The group "identify" of :mod:`...interface`.
    command : In(CommandEnd)        How the command in flight has ended.
    signature_received, is_ata : In(1), read : In(stream 32, always ready)
                            Of :class:`..command.CommandSignature`.
    silent, needs_comreset, fault : In(1), and clear, start, identifying, spinning_up, waiting, pause,
    usable, unusable, failed, failure : Out         See :class:`.bring_up.BringUp`.
    downshift : In(1), downshift_to : In(2)         The drive is brought up on a slower link,
                            see :class:`.link_speed.LinkSpeed`.
    coming : In(Coming)     An extent comes, see :class:`HeldLink`.
    begin : In(1), began, unfit : In(1), and other, changed, renewed, addressed48 : Out(1)
                            See :class:`.other_drive.OtherDrive`.
    lost : Out(1)           The link is down, or the drive is not usable. However short a loss of the link is,
                            bring-up has begun then and owns the command layer.
    state : Out(DriveState)         What recovery must know.
    forgets : Out(1)        New IDENTIFY DEVICE data comes.
    capacity, lba48, flush_ext, fua, logs, trim, long : Out         See :class:`.identity.Identity`.
    """

    def __init__(self, *, holds=False, **identity):
        self._holds = holds
        self._identity = identity
        super().__init__({
            "phy": Out(PhyControlSignature()), "user": In(IDENTIFY.signature), "command": In(CommandEnd),
            "signature_received": In(1), "is_ata": In(1), "read": In(stream.Signature(32, always_ready=True)),
            "silent": In(1), "needs_comreset": In(1), "fault": In(1), "downshift": In(1), "downshift_to": In(2),
            "coming": In(Coming), "begin": In(1), "began": In(1), "unfit": In(1),
            "clear": Out(1), "start": Out(1), "identifying": Out(1), "spinning_up": Out(1),
            "waiting": Out(1), "pause": Out(PAUSE_BITS), "usable": Out(1), "unusable": Out(1),
            "failed": Out(1), "failure": Out(Error), "lost": Out(1), "state": Out(DriveState),
            "other": Out(1), "changed": Out(1), "renewed": Out(1), "addressed48": Out(1), "forgets": Out(1),
            "capacity": Out(48), "lba48": Out(1), "flush_ext": Out(1), "fua": Out(1), "logs": Out(1),
            "trim": Out(1), "long": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        m.submodules.bring_up = bring_up = BringUp()
        m.submodules.identity = identity = Identity(**self._identity)
        m.submodules.speed = speed = LinkSpeed()
        m.submodules.comparison = other = OtherDrive()
        link_up, missed = self.phy.link_up, 0
        if self._holds:
            m.submodules.held_link = held_link = HeldLink()
            m.d.comb += [held_link.link_up.eq(link_up), held_link.usable.eq(bring_up.usable),
                         held_link.coming.eq(self.coming), held_link.taken.eq(self.begin)]
            m.d.comb += bring_up.held.eq(held_link.held)
            link_up, missed = held_link.up, held_link.missed
        connect(m, bring_up.identity, identity.check)
        connect(m, flipped(self.user), identity.user)
        # The failure of a command is known late in a clock: bring-up begins in the next one.
        failed = Signal()
        m.d.sync += failed.eq(self.needs_comreset)
        m.d.comb += [
            bring_up.link_up.eq(link_up), bring_up.needs_comreset.eq(failed | self.downshift),
            bring_up.signature_received.eq(self.signature_received), bring_up.is_ata.eq(self.is_ata),
            bring_up.done.eq(self.command.done), bring_up.succeeded.eq(self.command.succeeded),
            bring_up.unclear.eq(self.command.needs_comreset), bring_up.fault.eq(self.fault),
            bring_up.silent.eq(self.silent),
            identity.payload.payload.eq(self.read.payload),
            identity.payload.valid.eq(self.read.valid & bring_up.identifying),
            speed.generation.eq(self.phy.generation), speed.lost.eq(self.lost),
            speed.downshift.eq(self.downshift), speed.downshift_to.eq(self.downshift_to),
            speed.other_drive.eq(other.other),
            other.begin.eq(self.begin), other.began.eq(self.began), other.unfit.eq(self.unfit),
            other.usable.eq(bring_up.usable), other.link_up.eq(self.phy.link_up),
            other.checked.eq(identity.check.checked & ~identity.check.unsound),
            other.differs.eq(identity.differs), other.unlike.eq(identity.unlike), other.lba48.eq(identity.lba48),
            self.phy.reset.eq(bring_up.comreset), self.phy.limit.eq(speed.limit),
            self.lost.eq(~self.phy.link_up | ~bring_up.usable | missed | failed),
            self.state.usable.eq(~self.lost), self.state.unusable.eq(bring_up.unusable),
            self.state.judgement.eq(bring_up.judgement), self.state.changed.eq(other.changed),
            self.state.generation.eq(speed.last), self.forgets.eq(identity.check.begin),
        ]
        m.d.comb += [
            self.clear.eq(bring_up.clear | failed), self.start.eq(bring_up.start),
            self.identifying.eq(bring_up.identifying), self.spinning_up.eq(bring_up.spinning_up),
            self.waiting.eq(bring_up.waiting), self.pause.eq(bring_up.pause), self.usable.eq(bring_up.usable),
            self.unusable.eq(bring_up.unusable), self.failed.eq(bring_up.failed),
            self.failure.eq(bring_up.failure), self.capacity.eq(identity.capacity),
            self.lba48.eq(identity.lba48), self.flush_ext.eq(identity.flush_ext), self.fua.eq(identity.fua),
            self.logs.eq(identity.logs), self.trim.eq(identity.trim), self.long.eq(identity.long),
            self.other.eq(other.other), self.changed.eq(other.changed), self.renewed.eq(other.renewed),
            self.addressed48.eq(other.addressed48),
        ]
        return m
