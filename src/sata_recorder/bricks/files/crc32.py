"""The CRC-32 of zlib and Ethernet, a word a clock (polynomial 04C11DB7h, reflected)."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...core.crc import crc32_next

__all__ = ["Crc32", "Crc32Port"]

_POLYNOMIAL = 0xEDB88320
#: What stays when bytes and their CRC have been added.
_RESIDUE = 0xDEBB20E3


class Crc32Port(wiring.Signature):
    """What is to be summed, seen from the side that has it; all 0 while another side has something.

    Members
    -------
    clear : Out(1)          The sum starts over; not together with ``add``.
    add : Out(1)            ``word`` is added.
    word : Out(32)          Bits 7:0 are the first byte.
    bytes : Out(2)          With ``add``: how many bytes of ``word`` count; the others must be 0.
                            0: all four. Other values end a sum: nothing more may be added.
    keep : Out(1)           The ``value`` is kept.
    restore : Out(1)        With ``add``, without a word: the sum that was kept continues.
    """

    def __init__(self):
        super().__init__({"clear": Out(1), "add": Out(1), "word": Out(32), "bytes": Out(2),
                          "keep": Out(1), "restore": Out(1)})


class Crc32(wiring.Component):
    """The CRC-32 of words, and of some bytes at their end.

    Latency: a word is in ``value`` 2 clocks later, and so is a ``clear``. A part of a word is added bit by bit, which
    takes a clock and 8 for each byte.

    Members
    -------
    port : In(Crc32Port)    What is to be summed.
    value : Out(32)         The CRC.
    kept : Out(32)          That which was kept last.
    is_whole : Out(1)       Bytes and, after them, their CRC have been added.
    busy : Out(1)           ``value`` does not yet have all that was added.
    """

    port: In(Crc32Port())
    value: Out(32)
    kept: Out(32)
    is_whole: Out(1)
    busy: Out(1)

    def elaborate(self, platform):
        m = Module()
        state = Signal(32)          # its inverse is the register
        word = Signal(32)           # 0 where nothing is added
        adds = Signal()
        part = Signal(2)
        restores = Signal()
        clears = Signal()
        steps = Signal(5)           # bits that are still to be added
        mixed = Signal(32)
        m.d.sync += [adds.eq(self.port.add), part.eq(self.port.bytes), restores.eq(self.port.restore), word.eq(0),
                     clears.eq(self.port.clear)]
        with m.If(self.port.add):
            m.d.sync += word.eq(self.port.word)
        m.d.comb += [
            mixed.eq(state ^ word),
            state.eq(~self.value),
            self.is_whole.eq(state == _RESIDUE),
            self.busy.eq(adds | (steps != 0)),
        ]
        with m.If(self.port.keep):
            m.d.sync += self.kept.eq(self.value)
        with m.If(adds & restores):
            m.d.sync += self.value.eq(self.kept)
        with m.Elif(adds & (part == 0)):
            m.d.sync += self.value.eq(~crc32_next(state, word))
        with m.Elif(adds | (steps != 0)):
            m.d.sync += [self.value.eq(~(mixed[1:] ^ Mux(mixed[0], _POLYNOMIAL, 0))),
                         steps.eq(Mux(adds, part << 3, steps) - 1)]
        with m.If(clears):
            m.d.sync += [self.value.eq(0), steps.eq(0)]
        return m
