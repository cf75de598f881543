"""The dword line as the specification has it: what each dword stands for.

Written from the definitions; it shares nothing with the core.
"""

from amaranth.hdl import Cat, Signal

from unit.core.link.reference import PRIMITIVES

__all__ = ["LineRules", "CODE"]

#: A number for each primitive that a line can carry; DATA is a data dword, NONE: nothing yet.
CODE = {name: number for number, name in enumerate(
    ["NONE", "DATA", *(name for name in PRIMITIVES if name not in ("ALIGN", "CONT"))])}


class LineRules:
    """Follows ``dword``, ``k`` in each clock with ``step``.

    ``align``, ``cont``: this dword is one. ``known``: it is a data dword or a primitive.
    ``code``: what it stands for, in CODE; with an ALIGN, what the dword before stood for.
    ``junk``: it is a data character in the place of a primitive. ``strobe``: it is none of ALIGN,
    CONT and junk. ``last``: what the dword before stood for; at first ``first``, and ``after``
    once ``reset`` was given.
    """

    def __init__(self, harness, dword, k, step, *, valid=1, reset=0, first="NONE",
                 after="NONE", name="line"):
        m = harness.m

        def signal(suffix, shape=1, **keywords):
            return Signal(shape, name=f"{name}_{suffix}", **keywords)

        self.last = signal("last", 5, init=CODE[first])
        self.in_junk = signal("in_junk")
        self.align, self.cont, self.junk = signal("align"), signal("cont"), signal("junk")
        self.code, self.strobe, self.known = signal("code", 5), signal("strobe"), signal("known")
        control = signal("control")
        m.d.comb += [
            control.eq((k == 1) & valid),
            self.align.eq(control & (dword == PRIMITIVES["ALIGN"])),
            self.cont.eq(control & (dword == PRIMITIVES["CONT"])),
            self.junk.eq((k == 0) & self.in_junk & valid),
            self.code.eq(self.last),
        ]
        found = {name: control & (dword == PRIMITIVES[name]) for name in CODE
                 if name in PRIMITIVES}
        found["DATA"] = (k == 0) & ~self.in_junk & valid
        for which, condition in found.items():
            with m.If(condition):
                m.d.comb += [self.code.eq(CODE[which]), self.strobe.eq(1)]
        m.d.comb += self.known.eq(self.strobe | self.align | self.cont | self.junk)
        with m.If(reset):
            m.d.sync += [self.last.eq(CODE[after]), self.in_junk.eq(0)]
        with m.Elif(step):
            m.d.sync += self.last.eq(self.code)
            with m.If(self.cont):
                m.d.sync += self.in_junk.eq(1)
            with m.Elif(self.strobe):
                m.d.sync += self.in_junk.eq(0)

    def is_(self, *names):
        """Whether this dword stands for one of ``names``."""
        return Cat(self.code == CODE[name] for name in names).any()

    def was(self, *names):
        """Whether the dword before stood for one of ``names``."""
        return Cat(self.last == CODE[name] for name in names).any()
