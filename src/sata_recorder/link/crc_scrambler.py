"""CRC and scrambler of the frame that is being sent or received."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .crc import CRC_SEED, crc_next
from .scrambler import SCRAMBLER_SEED, scrambler_next

__all__ = ["CrcScrambler"]


class CrcScrambler(wiring.Component):
    """Advances with each dword of a frame. A link is half-duplex, so one serves both directions.

    Members
    -------
    restart : In(1)         SOF
    step : In(1)            a dword of the frame passes
    word : In(32)           that dword, not scrambled
    keystream : Out(32)           to be XORed to it
    crc : Out(32)           of the dwords before it
    """

    restart: In(1)
    step: In(1)
    word: In(32)
    keystream: Out(32, init=SCRAMBLER_SEED)
    crc: Out(32, init=CRC_SEED)

    def elaborate(self, platform):
        m = Module()
        with m.If(self.restart):
            m.d.sync += [self.keystream.eq(SCRAMBLER_SEED), self.crc.eq(CRC_SEED)]
        with m.Elif(self.step):
            m.d.sync += [
                self.keystream.eq(scrambler_next(self.keystream)),
                self.crc.eq(crc_next(self.crc, self.word)),
            ]
        return m
