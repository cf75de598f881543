"""The loop-back test: a pattern goes out, and what comes back is compared.

Serial ATA Revision 3.x, phy layer, BIST patterns: high, mid and low frequency, lone bits. The
framed pattern of a BIST Activate FIS is not sent: there is no drive in the loop.
"""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .dwords import ALIGN, SYNC, RxDword
from .states import BistState

__all__ = ["Bist", "FIXED", "pattern"]

#: High, mid and low frequency (D10.2, D24.3, D30.3), and lone bits (D12.0 D11.3 D12.0 D11.4).
FIXED = (0x4A4A4A4A, 0x78787878, 0x7E7E7E7E, 0x8B0C6B0C)
#: Dwords of a block: two ALIGN, SYNC as its beginning, and the pattern.
_BLOCK = 256
#: Places of SYNC and of the first dword of the pattern.
_MARK, _FIRST = 2, 3


def pattern(place):
    """The dword of the pattern at ``place`` (8 bits) of a block.

    In a quarter of the places each of :data:`FIXED` is sent 16 times in a row. In the others the
    bytes count, so that each data character occurs.
    """
    mixed = Cat(place, ~place, place, place[4:], place[:4])
    fixed = Array(Const(dword, 32) for dword in FIXED)[place[4:6]]
    return Mux(place[6:] == 0, fixed, mixed)


class Bist(wiring.Component):
    """Sends the pattern in blocks, and compares what is received with it, dword by dword.

    It needs no drive, only a path from the transmitter to the receiver. A block begins with two
    ALIGN, for the word aligner, and with SYNC, from which on the pattern is compared. A dword that
    is missing, or one too many, is one error: SYNC restarts the pattern. Where no SYNC comes for
    two blocks that is an error, too. While none comes the receiver is held at its reference for
    one block of eight.

    Parameters
    ----------
    blocks : int
        A test has this many blocks of 256 dwords.

    Members
    -------
    start : In(1)
        Begins a test while ``running`` is low.
    running : Out(1)
        A test runs: the line is to take ``data`` and ``k``.
    data : Out(32)
        This is the dword to be sent.
    k : Out(1)
        Byte 0 of ``data`` is a control character.
    step : In(1)
        While ``running``, ``data`` is taken.
    receive : Out(1)
        While ``running``, the receiver may follow the line.
    valid : In(1)
        A dword was received.
    dword : In(RxDword)
        With ``valid``, this is the dword.
    align : In(1)
        With ``valid``, the dword is ALIGN.
    state : Out(BistState)
        This is what the latest test has found.
    errors : Out(16)
        Dwords of the latest test that were wrong or missing; saturates.
    """

    def __init__(self, blocks):
        self._blocks = blocks
        super().__init__({
            "start": In(1), "running": Out(1), "data": Out(32), "k": Out(1), "step": In(1),
            "receive": Out(1), "valid": In(1), "dword": In(RxDword), "align": In(1),
            "state": Out(BistState), "errors": Out(16),
        })

    def elaborate(self, platform):
        m = Module()
        place = Signal(range(_BLOCK))
        blocks = Signal(range(max(8, self._blocks)))
        synced = Signal()           # SYNC has come: what follows is compared
        beginning = Signal()        # in this clock SYNC comes
        marked = Signal()           # it has, in these two blocks
        wrong = Signal()
        missing = Signal()
        last = Signal()             # of a block
        m.d.comb += [
            self.running.eq(self.state == BistState.RUNNING),
            self.data.eq(Mux(place < _MARK, ALIGN, Mux(place == _MARK, SYNC, pattern(place)))),
            self.k.eq(place < _FIRST),
            self.receive.eq(synced | (blocks[:3] != 0)),
            last.eq(self.step & (place == _BLOCK - 1)),
            missing.eq(last & blocks[0] & synced & ~marked & ~beginning),
        ]

        # What is sent.
        with m.If(self.step):
            m.d.sync += place.eq(place + 1)
        with m.If(last):
            m.d.sync += blocks.eq(blocks + 1)
            with m.If(blocks == self._blocks - 1):
                m.d.sync += self.state.eq(Mux(
                    (self.errors != 0) | wrong | missing, BistState.FAILED,
                    Mux(synced, BistState.PASSED, BistState.NO_PATTERN)))

        # What is received.
        expected = Signal(range(_BLOCK), init=_MARK)
        taken = Signal()
        equal = Signal(5)           # by byte, and whether all are data without an error
        at_mark = Signal()          # SYNC is due
        compared = Signal()
        wanted = pattern(expected)
        m.d.comb += [
            at_mark.eq(expected == _MARK),
            taken.eq(self.running & self.valid & ~self.align),
            beginning.eq(taken & (self.dword.data == SYNC) & (self.dword.k == 1)
                         & ~self.dword.error),
            wrong.eq(self.running & compared & ~equal.all()),
        ]
        m.d.sync += [
            equal.eq(Cat(*(self.dword.data.word_select(n, 8) == wanted.word_select(n, 8)
                           for n in range(4)), ~self.dword.error & (self.dword.k == 0))),
            compared.eq(taken & synced & ~(at_mark & beginning)),
        ]
        with m.If(beginning):
            m.d.sync += expected.eq(_FIRST)
        with m.Elif(taken):
            m.d.sync += expected.eq(Mux(expected == _BLOCK - 1, _MARK, expected + 1))
        with m.If(beginning):
            m.d.sync += [synced.eq(1), marked.eq(1)]
        with m.Elif(last & blocks[0]):
            m.d.sync += [synced.eq(synced & marked), marked.eq(0)]
        with m.If((wrong | missing) & (self.errors != 0xFFFF)):
            m.d.sync += self.errors.eq(self.errors + 1)

        with m.If(~self.running):
            m.d.sync += [place.eq(0), blocks.eq(0), synced.eq(0), marked.eq(0)]
            with m.If(self.start):
                m.d.sync += [self.state.eq(BistState.RUNNING), self.errors.eq(0)]
        return m
