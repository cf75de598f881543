"""From dwords to the words of the transmitter's clock.

Serial ATA Revision 3.x, phy layer, OOB signaling; link layer, encoding.
"""

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .dwords import ALIGN, WAIT_BYTE
from .encoder_8b10b import Encoder8b10b
from .oob import Line

__all__ = ["PcsTransmitter", "TxDword"]


class TxDword(data.Struct):
    """What a dword time of the line is filled with."""

    data: 32        # DWORD: the dword; BURST: the generation, and bit 2 alternates
    k: 1            # DWORD: byte 0 is a control character
    line: Line      # which of the kinds it is
    inverted: 1     # DWORD and WAIT: P and N are swapped


def _burst(generation):
    """40 UI of D24.3 as Gen1 has it, two UI low, two high, on a faster line."""
    half = 2 << generation - 1
    return sum((n // half & 1) << n for n in range(40))


class PcsTransmitter(wiring.Component):
    """Makes the words of the line: of dwords, encoded in 8b/10b, of OOB bursts and of silence.

    Where dwords do not come in time, an ALIGN pair is sent between two of the link; anything else
    on the line continues. Latency from ``i`` to the first word: 4 clocks.

    Parameters
    ----------
    gearing : int       Characters a clock, 2 or 4.

    Members
    -------
    i : In(TxDword)
        With ``valid``, this is what fills the next dword time.
    valid : In(1)
        There is something at ``i``.
    ready : Out(1)
        ``i`` is taken in this clock, if ``valid`` is high. It depends on no input.
    data : Out(10 * gearing)
        This is the word for the line, bit 0 first, as ``tx_data`` of :class:`.SerdesPort`.
    idle : Out(1)
        The line is electrically idle during this word, as ``tx_idle`` of :class:`.SerdesPort`.
    oob : Out(1)
        The word belongs to an OOB signal, as ``tx_oob`` of :class:`.SerdesPort`.
    """

    def __init__(self, gearing):
        self._gearing = gearing
        super().__init__({"i": In(TxDword), "valid": In(1), "ready": Out(1),
                          "data": Out(10 * gearing), "idle": Out(1, init=1), "oob": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.encoder = encoder = Encoder8b10b(self._gearing)

        current = Signal(TxDword)
        second = Signal()           # half of a dword
        pair = Signal()             # one ALIGN of a pair was inserted
        last = second if self._gearing == 2 else Const(1)
        if self._gearing == 2:
            m.d.sync += second.eq(~second)
        m.d.comb += self.ready.eq(last & ~pair)
        with m.If(last):
            m.d.sync += pair.eq(0)
            with m.If(self.valid & ~pair):
                m.d.sync += current.eq(self.i)
            with m.Elif(current.line == Line.DWORD):
                m.d.sync += [current.data.eq(ALIGN), current.k.eq(1), pair.eq(~pair)]

        waits = current.line == Line.WAIT
        dword = Mux(waits, WAIT_BYTE * 0x01010101, current.data)
        control = current.k & ~waits
        burst = Mux(current.data[1], Mux(current.data[0], _burst(3), _burst(2)), _burst(1))
        burst = burst ^ (current.data[2] & (current.data[:2] == 3)).replicate(40)
        if self._gearing == 2:
            m.d.comb += [
                encoder.i.eq(dword.word_select(second, 16)),
                encoder.k.eq(control & ~second),
            ]
            burst = burst.word_select(second, 20)
        else:
            m.d.comb += [encoder.i.eq(dword), encoder.k.eq(control)]

        # Besides the two clocks of the encoder; a word without transitions is no burst.
        raw = [Signal(len(burst), name=f"raw{n}") for n in range(2)]
        line = [Signal(Line, name=f"line{n}") for n in range(2)]
        inverted = [Signal(name=f"inverted{n}") for n in range(2)]
        m.d.sync += [
            raw[0].eq(Mux(current.line == Line.BURST, burst, 0)), raw[1].eq(raw[0]),
            line[0].eq(current.line), line[1].eq(line[0]),
            inverted[0].eq(current.inverted), inverted[1].eq(inverted[0]),
            self.data.eq(Mux((line[1] == Line.WAIT) | (line[1] == Line.DWORD),
                             encoder.o ^ inverted[1].replicate(len(encoder.o)), raw[1])),
            self.idle.eq((line[1] == Line.IDLE) | (line[1] == Line.GAP)),
            self.oob.eq((line[1] == Line.GAP) | (line[1] == Line.BURST)),
        ]
        return m
