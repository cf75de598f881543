"""How long a recording is, and where it continues."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...facts.units import SECTOR_SHIFT

__all__ = ["RecordedLength"]

_WORDS = 46


class RecordedLength(wiring.Component):
    """Adds up what the operations of a recording have recorded.

    Latency: 3 clocks from ``add``.

    Members
    -------
    begin : In(1)           One clock: a recording begins.
    first_lba : In(48), sectors : In(48)        Where, and with how much room; stable from ``begin`` on.
    forget : In(1)          Not in a recording: ``bytes`` becomes 0.
    add : In(1)             One clock: an operation has ended. All but the last one of a recording
                            have whole sectors.
    words : In(48)          Words that it has accepted.
    failed : In(1)          It has failed: only ``sectors_done`` and ``skipped_sectors`` count.
    sectors_done, skipped_sectors : In(48)      As the core's.
    spare : In(2)           Bytes of the last word that do not belong to the recording.
    replace : In(1)         One clock, later than ``add``: until the next one the file has ``used``
                            sectors.
    used : In(48)           Stable from ``replace`` on.
    lba : Out(48)           Where the next operation of the recording begins.
    room : Out(48)          The sectors that it may have.
    bytes : Out(48)         The bytes of the file.
    """

    begin: In(1)
    forget: In(1)
    first_lba: In(48)
    sectors: In(48)
    add: In(1)
    words: In(48)
    failed: In(1)
    sectors_done: In(48)
    skipped_sectors: In(48)
    spare: In(2)
    replace: In(1)
    used: In(48)
    lba: Out(48)
    room: Out(48)
    bytes: Out(48)

    def elaborate(self, platform):
        m = Module()
        written = Signal(48)        # sectors that are on the drive
        taken = Signal(_WORDS)      # of this operation
        total = Signal(_WORDS)
        spare = Signal(2)
        replaced = Signal()
        adds = Signal()
        full = Const(0, SECTOR_SHIFT)
        m.d.comb += written.eq(self.sectors_done + self.skipped_sectors)
        m.d.sync += [
            adds.eq(self.add),
            self.bytes.eq((Mux(replaced, Cat(full, self.used), total) << 2)
                          - Mux(replaced, 0, spare)),
            self.lba.eq(self.first_lba + total[SECTOR_SHIFT:]), self.room.eq(self.sectors - total[SECTOR_SHIFT:]),
        ]
        with m.If(self.replace):
            m.d.sync += replaced.eq(1)
        with m.If(self.add):
            m.d.sync += [taken.eq(self.words), spare.eq(self.spare), replaced.eq(0)]
            with m.If(self.failed & (written <= self.words[SECTOR_SHIFT:])):
                m.d.sync += [taken.eq(Cat(full, written)), spare.eq(0)]
        with m.If(adds):
            m.d.sync += total.eq(total + taken)
        with m.If(self.begin):
            m.d.sync += total.eq(0)
        with m.If(self.forget):
            m.d.sync += self.bytes.eq(0)
        return m
