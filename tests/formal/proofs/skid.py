"""The register in a stream."""

from formal.order import order, steady
from sata_recorder.core.skid import Skid


def skid(h):
    """Anything at the input, ``ready`` at any time."""
    dut = h.dut(Skid(32))
    h.drive(dut.i.valid, dut.i.payload, dut.o.ready)
    inside = order(h, "words", dut.i.valid & dut.i.ready, dut.i.payload,
                   dut.o.valid & dut.o.ready, dut.o.payload, limit=2)
    steady(h, "o", dut.o)
    h.check("a word is there in the clock after it came", dut.o.valid == (inside != 0))
    h.check("room unless both places are taken", dut.i.ready == (inside != 2))
    h.cover("full, then empty", h.ever(inside == 2) & ~dut.o.valid)
