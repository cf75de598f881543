"""From the words of the recovered clock to dwords.

Serial ATA Revision 3.x, phy layer, word alignment; link layer, decoding.
"""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .aligner import Aligner
from .decoder_8b10b import Decoder8b10b
from .dwords import INVERTED_ALIGN, RxDword

__all__ = ["PcsReceiver"]


class PcsReceiver(wiring.Component):
    """Aligns the words of the line, decodes 8b/10b and makes dwords of the characters.

    Where ALIGN arrives inverted twice in a row, P and N of the line are swapped from there on.

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
    inverted : Out(1)
        P and N are swapped. It keeps its value through a reset of the domain.
    """

    def __init__(self, gearing):
        self._gearing = gearing
        super().__init__({"i": In(10 * gearing), "enable": In(1), "write": Out(1),
                          "o": Out(RxDword), "inverted": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.aligner = aligner = Aligner(self._gearing)
        m.submodules.decoder = decoder = Decoder8b10b(self._gearing)
        inverted = Signal(reset_less=True)
        m.d.comb += [
            aligner.i.eq(self.i ^ inverted.replicate(len(self.i))),
            aligner.enable.eq(self.enable),
            decoder.i.eq(aligner.o),
            self.inverted.eq(inverted),
        ]
        # Besides the two clocks of the decoder.
        first = Signal(2)
        valid = Signal(2)
        m.d.sync += [first.eq(Cat(aligner.first, first)), valid.eq(Cat(aligner.valid, valid))]

        no_code = decoder.code_error.any()
        disparity = decoder.disparity_error.any()
        wrong = no_code | disparity
        if self._gearing == 4:
            m.d.sync += [
                self.write.eq(valid[1]),
                self.o.data.eq(decoder.o),
                self.o.k.eq(decoder.k),
                self.o.error.eq(wrong | decoder.k[1:].any()),
                self.o.code_error.eq(no_code),
                self.o.disparity_error.eq(disparity),
            ]
        else:
            low = Signal(16)
            low_k = Signal(2)
            low_wrong = Signal()
            low_no_code = Signal()
            low_disparity = Signal()
            m.d.sync += self.write.eq(valid[1] & ~first[1])
            with m.If(first[1]):
                m.d.sync += [low.eq(decoder.o), low_k.eq(decoder.k),
                             low_wrong.eq(wrong | decoder.k[1]), low_no_code.eq(no_code),
                             low_disparity.eq(disparity)]
            with m.Else():
                m.d.sync += [
                    self.o.data.eq(Cat(low, decoder.o)),
                    self.o.k.eq(Cat(low_k, decoder.k)),
                    self.o.error.eq(low_wrong | wrong | decoder.k.any()),
                    self.o.code_error.eq(low_no_code | no_code),
                    self.o.disparity_error.eq(low_disparity | disparity),
                ]
        m.d.comb += [aligner.judge.eq(self.write), aligner.bad.eq(self.o.error)]

        # An inverted ALIGN has no error: K28.5 is its own complement at the other disparity.
        swapped = Signal()          # in this clock, one was received in the clock before
        once = Signal()
        m.d.sync += swapped.eq(self.write & (self.o.data == INVERTED_ALIGN) & (self.o.k == 1)
                               & ~self.o.error)
        judged = Signal()
        settling = Signal(4)        # what was received before the change is still on its way
        m.d.sync += judged.eq(self.write)
        with m.If(settling != 0):
            m.d.sync += [settling.eq(settling - 1), once.eq(0)]
        with m.Elif(judged):
            m.d.sync += once.eq(swapped)
            with m.If(swapped & once):
                m.d.sync += [inverted.eq(~inverted), settling.eq(15)]
        return m
