"""From the words of the recovered clock to dwords.

Serial ATA Revision 3.x, phy layer, word alignment; link layer, decoding.
"""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .aligner import Aligner
from .decoder_8b10b import Decoder8b10b
from .dwords import RxDword

__all__ = ["PcsReceiver"]


class PcsReceiver(wiring.Component):
    """Aligns the words of the line, decodes 8b/10b and makes dwords of the characters.

    Parameters
    ----------
    gearing : int       Characters a clock, 2 or 4.

    Members
    -------
    i : In(10 * gearing)
        This is the word that the line brings in this clock. Bit 0 came first.
    enable : In(1)
        There is data to be received. While it is low nothing is aligned.
    write : Out(1)
        There is a dword at ``o``, in this clock only.
    o : Out(RxDword)
        With ``write``, this is the dword.
    """

    def __init__(self, gearing):
        self._gearing = gearing
        super().__init__({"i": In(10 * gearing), "enable": In(1), "write": Out(1),
                          "o": Out(RxDword)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.aligner = aligner = Aligner(self._gearing)
        m.submodules.decoder = decoder = Decoder8b10b(self._gearing)
        m.d.comb += [
            aligner.i.eq(self.i),
            aligner.enable.eq(self.enable),
            decoder.i.eq(aligner.o),
        ]
        # Beside the two clocks of the decoder.
        first = Signal(2)
        valid = Signal(2)
        m.d.sync += [first.eq(Cat(aligner.first, first)), valid.eq(Cat(aligner.valid, valid))]

        wrong = (decoder.code_error | decoder.disparity_error).any()
        if self._gearing == 4:
            m.d.sync += [
                self.write.eq(valid[1]),
                self.o.data.eq(decoder.o),
                self.o.k.eq(decoder.k),
                self.o.error.eq(wrong | decoder.k[1:].any()),
            ]
        else:
            low = Signal(16)
            low_k = Signal(2)
            low_wrong = Signal()
            m.d.sync += self.write.eq(valid[1] & ~first[1])
            with m.If(first[1]):
                m.d.sync += [low.eq(decoder.o), low_k.eq(decoder.k),
                             low_wrong.eq(wrong | decoder.k[1])]
            with m.Else():
                m.d.sync += [
                    self.o.data.eq(Cat(low, decoder.o)),
                    self.o.k.eq(Cat(low_k, decoder.k)),
                    self.o.error.eq(low_wrong | wrong | decoder.k.any()),
                ]
        m.d.comb += [aligner.judge.eq(self.write), aligner.bad.eq(self.o.error)]
        return m
