"""What is asked of a drive between two commands, and may be refused or not answered."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..drive_port import Error

__all__ = ["WorthAsking", "goes_wrong", "renewed"]


class WorthAsking(wiring.Component):
    """A drive that has not answered is not asked again before an operation that begins behind a later
    bring-up; one that had to be reset for it, not before one behind that of a drive that is ``renewed``.

    Members
    -------
    begin : In(1)           An operation begins.
    brings_up : In(1)       A drive is being brought up.
    asking : In(1)          The question is in flight.
    answered : In(1)        With ``asking``: that was no silence and no refusal.
    resets : In(1)          With ``asking``: it gets a COMRESET for what it has made of the question.
    renewed : In(1)         See :func:`renewed`.
    worth : Out(1)          The drive may be asked.
    """

    begin: In(1)
    brings_up: In(1)
    asking: In(1)
    answered: In(1)
    resets: In(1)
    renewed: In(1)
    worth: Out(1)

    def elaborate(self, platform):
        m = Module()
        vain = Signal()             # it was asked, and has not answered
        anew = Signal()             # it has been brought up since
        stubborn = Signal()         # it would be no other way behind that
        pending = Signal()          # the answer is not there yet
        m.d.comb += self.worth.eq(~vain)
        m.d.sync += pending.eq(self.asking & ~self.answered)
        with m.If(pending & ~self.asking):
            m.d.sync += [vain.eq(1), anew.eq(0)]
        with m.Elif(self.begin & anew):
            m.d.sync += vain.eq(0)
        with m.If(self.renewed | (self.brings_up & ~stubborn)):
            m.d.sync += anew.eq(1)
        with m.If(self.renewed):
            m.d.sync += stubborn.eq(0)
        with m.Elif(self.asking & self.resets):
            m.d.sync += stubborn.eq(1)
        return m


def renewed(bring_up, identity, link_up):
    """Whether the drive is another one, by what it says of itself, or leaves while it is usable: it may be
    another one when it comes back, or have had no power. A COMRESET of the core's own is neither."""
    another = identity.check.checked & ~identity.check.unsound & identity.unlike
    return another | (bring_up.usable & ~link_up)


def goes_wrong(m, operation, refused, fail, failures):
    """The branches of a state of ``operation`` behind the one in which the drive has answered, or has
    refused and is in order: ``fail(m, error)`` and ``failures(m)`` begin a recovery."""
    recovery = operation.recovery
    with m.Elif(refused):
        m.d.comb += [operation.needs_comreset.eq(1), recovery.needs_comreset.eq(1)]
        fail(m, Error.PROTOCOL)
    with m.Else():
        failures(m)
    # Whatever drive comes back is checked against the extent.
    with m.If(recovery.failed):
        m.d.sync += operation.began.eq(1)
