"""Whether the drive that has come back is another one."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["OtherDrive"]


class OtherDrive(wiring.Component):
    """Compares the drive that has been identified with that of the operation.

    The check of an extent is valid until its end: a drive that could not have passed it is another one,
    whatever it calls itself.

    Members
    -------
    begin : In(1)           An operation begins.
    began : In(1)           Its first command has.
    usable : In(1)          The drive can be used.
    link_up : In(1)         There is a link.
    checked : In(1)         A drive has been identified, and is sound.
    differs, unlike : In(1) With ``checked``: see :class:`.identity.Identity`.
    lba48 : In(1)           With ``checked`` or ``usable``: it has 48-bit commands.
    unfit : In(1)           With ``checked``: it could not have passed the check of the extent.
    other : Out(1)          With ``checked``: it is another one than before.
    changed : Out(1)        It was, since the operation began.
    renewed : Out(1)        The drive is another one, by what it reports of itself, or leaves while it is usable:
                            it may be another one when it comes back, or have had no power. A COMRESET of the
                            core's own is neither.
    addressed48 : Out(1)    The operation began with 48-bit commands.
    """

    begin: In(1)
    began: In(1)
    usable: In(1)
    link_up: In(1)
    checked: In(1)
    differs: In(1)
    unlike: In(1)
    lba48: In(1)
    unfit: In(1)
    other: Out(1)
    changed: Out(1)
    renewed: Out(1)
    addressed48: Out(1)

    def elaborate(self, platform):
        m = Module()
        unfit = self.unfit | (self.lba48 != self.addressed48)
        m.d.comb += [
            self.other.eq(self.checked & self.differs),
            self.renewed.eq((self.checked & self.unlike) | (self.usable & ~self.link_up)),
        ]
        with m.If(self.begin):
            m.d.sync += self.changed.eq(0)
            with m.If(self.usable):
                m.d.sync += self.addressed48.eq(self.lba48)
        with m.Elif(self.other | (self.checked & self.began & unfit)):
            m.d.sync += self.changed.eq(1)
        return m
