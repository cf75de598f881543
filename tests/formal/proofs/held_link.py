"""The link as bring-up sees it while an extent is on its way: no fall is lost, and none comes too soon."""

from amaranth.hdl import Signal

from formal.states import states
from sata_recorder.core.sequencer.bring_up import BringUp
from sata_recorder.core.sequencer.identified_drive import HeldLink


def falls(h):
    """Any link, user and drive. An operation can have the drive reset, but none runs while an extent comes."""
    m = h.m
    link, bring_up = h.dut(HeldLink(), "held_link"), h.dut(BringUp(), "bring_up")
    up, coming = h.any(1, "link_up"), link.coming
    h.drive(coming, link.taken, bring_up.needs_comreset, bring_up.signature_received, bring_up.is_ata, bring_up.done,
            bring_up.succeeded, bring_up.unclear, bring_up.fault, bring_up.silent, bring_up.identity.checked,
            bring_up.identity.spins_up, bring_up.identity.unsound, bring_up.identity.packet, bring_up.identity.dma,
            bring_up.identity.lba, bring_up.identity.long_sectors)
    usable, lost = bring_up.usable, ~up | ~bring_up.usable | link.missed        # as in IdentifiedDrive
    m.d.comb += [link.link_up.eq(up), link.usable.eq(usable), bring_up.link_up.eq(link.up),
                 bring_up.held.eq(link.held)]
    states(h, "bring_up", "RESET", "DOWN", "SIGNATURE", "IDENTIFY", "SPIN_UP", "COMPARE", "JUDGE", "USABLE", "UNUSABLE",
           "PAUSE")
    waits, fell = Signal(), Signal()        # an extent is on its way; the link has fallen, and bring-up has not begun
    comes = waits | (coming.recording & usable & ~fell)
    m.d.sync += [waits.eq(comes & ~link.taken), fell.eq(usable & (fell | ~up))]
    h.assume(~coming.recording | coming.requested, ~(comes & bring_up.needs_comreset),
             ~link.taken | ~coming.recording)
    begins_anew = h.past(bring_up.needs_comreset)
    h.check("the drive stays usable while an extent comes for it", ~waits | usable)
    h.check("a fall is lost in its clock, and in each one after that while no extent comes",
            (up & (waits | ~fell)) | lost)
    h.check("two clocks after a fall that no extent waits for bring-up has begun",
            ~h.past(h.past(usable & ~up & ~comes, name="fall"), name="fall_before") | ~usable)
    h.check("the same after an extent that the link did not wait for",
            ~h.past(h.past(link.taken & waits & (fell | ~up), name="late"), name="late_before") | ~usable)
    h.check("without a fall the drive stays usable",
            ~h.past(usable & ~fell & up, name="stays") | usable | begins_anew)
    h.cover("a fall while an extent comes, however short", h.past(waits & fell & up & link.taken))
    h.cover("a request that is not taken, and a fall in its clock",
            usable & up & link.missed & h.past(~up & coming.requested & ~coming.recording & ~waits))
