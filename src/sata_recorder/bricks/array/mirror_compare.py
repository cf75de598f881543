"""Whether two drives that should hold the same do so where a PC that had one of them alone would have changed it."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...facts.units import LONG_SECTOR_BLOCKS, SECTOR_SHIFT

__all__ = ["MirrorCompare"]

_LANES = 2
#: Extents are of whole logical sectors of 4096 bytes.
_PIECE = LONG_SECTOR_BLOCKS
#: Of the recording table (docs/files.md): where its header is, its first two words, and words of it.
_HEADER_LBA = 1024
_MAGICS = (int.from_bytes(b"SATA", "little"), int.from_bytes(b" REC", "little"))
_SLOTS, _BLOCK, _PROOFS, _FOLDER = 3, 9, 20, 32
_PROOF_COUNT, _PROOF_WORDS, _PROOF_SECTORS = 3, 4, 2
_SLOT_BITS = _SECTORS_BITS = 13
_BLOCK_BITS = 9


class MirrorCompare(wiring.Component):
    """Reads sectors of both drives at the same time, and compares them word by word: the first ones, the header
    of the recording table, and all that it has a proof of, which are partition table, boot region and root directory;
    the slots; and with ``directories`` the directory sector of each slot, which a recorder writes, too.

    Members
    -------
    begin : In(1)           One clock: both drives are compared.
    directories : In(1)     Their directory sectors are, too: they have not been in doubt. It stays.
    long : In(1)            Slots are logical sectors of 4096 bytes.
    start : Out(1)          One clock: both lanes are to play back ``sectors`` from ``lba`` on.
    lba, sectors : Out(48)
    words : In(stream 32) array         The words that they play back.
    lane_done : In(2), lane_failed : In(2)      One clock of a bit: a lane has ended; with an error. An extent beyond
                            the drive has no words, and does not fail.
    runs : Out(1)           From the clock after ``begin`` to ``done``.
    done : Out(1)           One clock: all is compared, or the comparison has failed.
    differs : Out(1)        With ``done``: the drives are not the same.
    failed : Out(1)         With ``done``: sectors could not be read.
    """

    begin: In(1)
    directories: In(1)
    long: In(1)
    start: Out(1)
    lba: Out(48)
    sectors: Out(48)
    words: In(stream.Signature(32)).array(_LANES)
    lane_done: In(_LANES)
    lane_failed: In(_LANES)
    runs: Out(1)
    done: Out(1)
    differs: Out(1)
    failed: Out(1)

    def elaborate(self, platform):
        m = Module()
        index = Signal(range((1 << SECTOR_SHIFT) + 1))      # of a word in the first sector
        ended = Signal(_LANES)
        both, moves = Signal(), Signal()
        is_table = Signal()
        left = Signal(_SLOT_BITS)       # slots whose directory sector has not been compared
        step = Signal(range(_PROOF_COUNT + 4))
        directory = Signal(48)
        header, first_proof = 1, 2
        slots, block, folder, proofs = self._capture(m, index, moves & (step == header), is_table)
        slots_step, directories_step = first_proof + len(proofs), first_proof + len(proofs) + 1
        m.d.comb += [
            both.eq(self.words[0].valid & self.words[1].valid),
            # What one lane alone has, as the other has failed, is of no use.
            moves.eq(self.runs & both), self.runs.eq(1),
            *(words.ready.eq(self.runs & (both | ended.any())) for words in self.words),
        ]
        with m.If(moves):
            with m.If(~index[-1]):
                m.d.sync += index.eq(index + 1)
            with m.If(self.words[0].payload != self.words[1].payload):
                m.d.sync += self.differs.eq(1)
        self._place(m, step, (header, first_proof, slots_step), slots, proofs, directory)
        with m.FSM():
            with m.State("IDLE"):
                m.d.comb += self.runs.eq(0)
                m.d.sync += [step.eq(0), is_table.eq(0)]
                with m.If(self.begin):
                    m.d.sync += [self.differs.eq(0), self.failed.eq(0)]
                    m.next = "PLACE"
            with m.State("PLACE"):
                m.d.sync += [ended.eq(0), index.eq(0)]
                m.next = "START"
            with m.State("START"):
                m.d.comb += self.start.eq(self.sectors != 0)
                with m.If(step == header):
                    m.d.sync += is_table.eq(1)
                m.next = "READ"
                with m.If(self.sectors == 0):
                    m.next = "NEXT"
            with m.State("READ"):
                m.d.sync += ended.eq(ended | self.lane_done)
                with m.If((self.lane_done & self.lane_failed).any()):
                    m.d.sync += self.failed.eq(1)
                with m.If(ended.all()):
                    m.next = "NEXT"
            with m.State("NEXT"):
                m.d.sync += step.eq(step + 1)
                m.next = "PLACE"
                with m.If(step == directories_step):
                    m.d.sync += [step.eq(step), left.eq(left - 1), directory.eq(directory + block)]
                with m.Elif(step == slots_step):
                    m.d.sync += [left.eq(slots), directory.eq(folder + block)]
                over = ((step == header) & ~is_table) | ((step == slots_step) & (~self.directories | (slots == 0))) | (
                    (step == directories_step) & (left == 1))
                with m.If(over | self.failed | self.differs):
                    m.d.comb += self.done.eq(1)
                    m.next = "IDLE"
        return m

    def _capture(self, m, index, moves, is_table):
        """What the header states, from words of lane 0: slots, the sectors from one directory sector to the next, the
        folder, and the first sector and the sectors of each proof."""
        word = self.words[0].payload
        slots, block, folder = Signal(_SLOT_BITS), Signal(_BLOCK_BITS), Signal(48)
        proofs = [(Signal(48, name=f"proof{n}"), Signal(_SECTORS_BITS, name=f"proof{n}_sectors"))
                  for n in range(_PROOF_COUNT)]
        keep = {_SLOTS: slots, _BLOCK: block, _FOLDER: folder[:32], _FOLDER + 1: folder[32:]}
        for number, (lba, sectors) in enumerate(proofs):
            place = _PROOFS + _PROOF_WORDS * number
            keep |= {place: lba[:32], place + 1: lba[32:], place + _PROOF_SECTORS: sectors}
        with m.If(moves & is_table):
            with m.Switch(index):
                for place, magic in enumerate(_MAGICS):
                    with m.Case(place):
                        with m.If(word != magic):
                            m.d.sync += is_table.eq(0)
                for place, what in keep.items():
                    with m.Case(place):
                        m.d.sync += what.eq(word)
        return slots, block, folder, proofs

    def _place(self, m, step, steps, slots, proofs, directory):
        """The sectors that are read in a step, a clock later."""
        header, first_proof, slots_step = steps
        lba, sectors = Signal(48), Signal(48)
        extents = {0: (0, _PIECE), header: (_HEADER_LBA, _PIECE)}
        for number, (first, count) in enumerate(proofs):
            extents[first_proof + number] = first, first[:3] + count
        # The first ones are next to the header.
        rest = Mux(self.long, slots << 3, Mux(slots < _PIECE, 0, slots - (_PIECE - 1)))
        extents[slots_step] = _HEADER_LBA + _PIECE, rest
        m.d.comb += [lba.eq(directory), sectors.eq(_PIECE)]
        with m.Switch(step):
            for number, (first, count) in extents.items():
                with m.Case(number):
                    m.d.comb += [lba.eq(first), sectors.eq(count)]
        m.d.sync += [self.lba.eq(lba & -_PIECE), self.sectors.eq((sectors + (_PIECE - 1)) & -_PIECE)]
