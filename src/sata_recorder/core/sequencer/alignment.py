"""Write commands that begin or end within a physical sector of the drive."""

from amaranth.hdl import C, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In

from ...interface.alignment import MOST_SECTORS
from ...facts.ata import IdentifyWord
from ...interface import ALIGNMENT
from .identity import IDENTIFY_DWORDS

__all__ = ["AlignmentCounter"]

_BITS = MOST_SECTORS.bit_length() - 1


class AlignmentCounter(wiring.Component):
    """Counts such commands: a drive has to read the rest of a physical sector before it can write it.

    The physical sector is that of IDENTIFY DEVICE words 106 and 209 (ATA8-ACS), unless the user gives
    another one. Words with a value that no drive has count as one logical sector in a physical one.

    Members
    -------
    user : In               The group of the physical sectors, see :mod:`...interface`.
    forget : In(1)          New IDENTIFY DEVICE data comes.
    payload : In(stream 32, always ready)   Its 128 dwords.
    completed : In(1)       A write command of a recording has succeeded.
    lba : In(48)            The first sector of the command, for as long as it is in flight and 2 clocks
                            at least. What the drive and the user state must be older by 3 clocks.
    sectors : In(17)        Its length, for as long.
    """

    def __init__(self, *, width=32):
        self._width = width
        super().__init__({
            "user": In(ALIGNMENT.signature), "forget": In(1),
            "payload": In(stream.Signature(32, always_ready=True)),
            "completed": In(1), "lba": In(48), "sectors": In(17),
        })

    def elaborate(self, platform):
        m = Module()
        user = self.user
        told = Signal(range(MOST_SECTORS + 1), init=1)      # what the drive reports
        place = Signal(14)
        mask = Signal(_BITS)
        first, end = Signal(_BITS), Signal(_BITS)
        count = Signal(self._width)
        self._read(m, told, place)
        m.d.comb += user.misaligned.eq(count)
        # In steps, for the sake of timing: nothing of it changes while a command is in flight.
        m.d.sync += [
            user.sectors.eq(Mux(user.override == 0, told, user.override)),
            # A place beyond the physical sector means nothing.
            user.offset.eq(Mux(place < user.sectors, place, 0)),
            mask.eq(user.sectors - 1),
            first.eq((self.lba + user.offset) & mask),
            end.eq((self.lba + self.sectors + user.offset) & mask),
        ]
        with m.If(user.clear):
            m.d.sync += count.eq(0)
        with m.Elif(self.completed & (first.any() | end.any()) & ~count.all()):
            m.d.sync += count.eq(count + 1)
        return m

    def _read(self, m, told, place):
        """What IDENTIFY DEVICE reports."""
        index = Signal(range(IDENTIFY_DWORDS))
        low, high = self.payload.payload[0:16], self.payload.payload[16:32]
        several = (low[14:16] == 0b01) & low[13] & (low[0:4] <= _BITS)
        with m.If(self.forget):
            m.d.sync += [index.eq(0), told.eq(1), place.eq(0)]
        with m.Elif(self.payload.valid):
            m.d.sync += index.eq(index + 1)
            with m.Switch(index):
                with m.Case(IdentifyWord.SECTOR_SIZE // 2):
                    m.d.sync += told.eq(Mux(several, C(1) << low[0:3], 1))
                with m.Case(IdentifyWord.ALIGNMENT // 2):
                    # The word counts only with 01 in bits 15:14.
                    m.d.sync += place.eq(Mux(high[14:16] == 0b01, high[0:14], 0))
