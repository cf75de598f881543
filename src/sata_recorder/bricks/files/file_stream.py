"""The words of a recording on their way to the core: where they end, and their CRC-32."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...facts.units import LONG_SECTOR_SHIFT, SECTOR_SHIFT, SECTOR_WORDS
from .crc32 import Crc32Port
from .signature import FileWord

__all__ = ["FileStream"]

_WORDS = 46


class FileStream(wiring.Component):
    """Lets the words of a recording pass, in one operation of the core or in several.

    A recording is finished by its length, by a word that is ``last``, or by ``stop``. With
    ``pause`` it ends an operation on the boundary of two sectors, so that the next one can continue
    there. Words pass without a register. The bytes that do not belong to the recording are zeros.

    Parameters
    ----------
    long_sectors : bool     ``long`` counts.

    Members
    -------
    user : In(stream FileWord), core : Out(stream 32)
    crc : Out(Crc32Port)    All bytes of the recording.
    begin : In(1)           One clock: a recording, of ``length`` bytes; 0: of any length.
    length : In(48)
    open : In(1)            One clock, 4 or more after ``begin``: words may pass.
    close : In(1)           No word may pass any more, from the next clock on.
    stop : In(1)            While words may pass: the recording is finished, and this clock's word
                            is the last one.
    pause : In(1)           While words may pass: none may after the sector that has begun, if any
                            has passed at all.
    ends : Out(1)           One clock: the word of the clock before was the last one to pass.
    finished : Out(1)       The recording is finished.
    paused : Out(1)         The words ended because of ``pause``.
    fills : Out(1)          A word passes, the last one of a sector.
    limited : Out(1)        The recording has a length.
    sectors : Out(40)       With ``limited``: sectors that the words still to come will fill; 3
                            clocks late.
    spare : Out(2)          With ``finished``: bytes of the last word that do not belong to it.
    long : In(1)            Sectors are logical ones of 4096 bytes: ``sectors`` is a multiple of 8.
    """

    def __init__(self, *, long_sectors=False):
        self._long_sectors = long_sectors
        super().__init__({
            "long": In(1),
            "user": In(stream.Signature(FileWord)), "core": Out(stream.Signature(32)),
            "crc": Out(Crc32Port()), "begin": In(1), "length": In(48), "open": In(1),
            "close": In(1), "stop": In(1), "pause": In(1), "ends": Out(1), "finished": Out(1),
            "paused": Out(1), "fills": Out(1), "limited": Out(1), "sectors": Out(40), "spare": Out(2),
        })

    def elaborate(self, platform):
        m = Module()
        user, payload = self.user, self.user.payload
        is_open = Signal()
        left = Signal(_WORDS)       # words to come, with a length, but for a part of a word
        is_last = Signal()          # the word that passes next is the last one of the length
        length_spare = Signal(2)
        counted = Signal(SECTOR_SHIFT + (LONG_SECTOR_SHIFT if self._long_sectors else 0))
        has_part = length_spare.any()
        in_sector, last, sectors = self._sector(counted, left, has_part)
        at_first = Signal()         # the word that passes next is the first one of a sector
        at_last = Signal()          # it is the last one
        some = Signal()             # words have passed in this operation
        passes = Signal()
        is_end = Signal()           # a word that passes now is the last one of the recording
        completes = Signal()
        halts = Signal()
        spare = Signal(2)
        word = Signal(32)
        m.d.comb += [
            user.ready.eq(self.core.ready & is_open),
            self.core.valid.eq(user.valid & is_open),
            passes.eq(user.valid & user.ready),
            is_end.eq(payload.last | (self.limited & is_last)), completes.eq(passes & is_end),
            spare.eq(Mux(self.limited & is_last, length_spare, payload.spare)),
            # Full sectors only, and not none.
            self.fills.eq(passes & at_last),
            halts.eq(is_open & self.pause & Mux(passes, at_last, at_first & some)),
            word.eq(Cat(payload.data[:8],
                        Mux(is_end & (spare == 3), 0, payload.data[8:16]),
                        Mux(is_end & spare[1], 0, payload.data[16:24]),
                        Mux(is_end & spare.any(), 0, payload.data[24:]))),
            self.core.payload.eq(Mux(is_open, word, 0)),
            self.crc.clear.eq(self.begin),
            self.crc.add.eq(passes),
            self.crc.word.eq(self.core.payload),
            self.crc.bytes.eq(Mux(is_open & is_end, -spare, 0)),
        ]
        m.d.sync += [
            is_last.eq(Mux(passes, left == Mux(has_part, 1, 2), left == Mux(has_part, 0, 1))),
            left.eq(left - passes),
            counted.eq(counted + passes),
            at_first.eq(Mux(passes, in_sector == last, in_sector == 0)),
            at_last.eq(Mux(passes, in_sector == last - 1, in_sector == last)),
            some.eq(some | passes),
            self.sectors.eq(sectors),
            self.ends.eq(is_open & (completes | self.stop | halts)),
        ]
        with m.If(completes | (is_open & self.stop)):
            m.d.sync += [self.finished.eq(1), self.spare.eq(Mux(completes, spare, 0))]
        with m.If(halts):
            m.d.sync += self.paused.eq(1)
        with m.If(completes | self.stop | halts | self.close):
            m.d.sync += is_open.eq(0)
        with m.If(self.open):
            m.d.sync += [is_open.eq(1), some.eq(0), self.paused.eq(0)]
        with m.If(self.begin):
            m.d.sync += [
                left.eq(self.length[2:]), length_spare.eq(-self.length[:2]),
                self.limited.eq(self.length != 0), self.finished.eq(0), self.spare.eq(0),
                counted.eq(0),
            ]
        return m

    def _sector(self, counted, left, has_part):
        """The place of the next word in its sector, of this many words that were ``counted``; the last place there; and
        the sectors that ``left`` words and a part of one fill."""
        sectors = left[SECTOR_SHIFT:] + (left[:SECTOR_SHIFT].any() | has_part)
        if not self._long_sectors:
            return counted, SECTOR_WORDS - 1, sectors
        shift = SECTOR_SHIFT + LONG_SECTOR_SHIFT
        whole = (left[shift:] + (left[:shift].any() | has_part)) << LONG_SECTOR_SHIFT
        return (Cat(counted[:SECTOR_SHIFT], Mux(self.long, counted[SECTOR_SHIFT:], 0)),
                Mux(self.long, (1 << shift) - 1, SECTOR_WORDS - 1), Mux(self.long, whole, sectors))
