"""Sends the frames whose words and sizes are known."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ...core.crc import crc32_next
from ...core.skid import Skid
from ...facts.units import SECTOR_WORDS
from ...facts.vita49 import (AROUND, GAP_AHEAD, HEADER_WORDS, LAST, MAGIC, PACKET_BEGINS, PACKET_ENDS,
                             STATE_AND_EVENTS, TRAILER, context_header, data_header)

__all__ = ["FrameSender", "advanced", "frame_layout"]


def frame_layout(packets=False):
    """The layout of a frame whose words have come.

    ``words`` of payload; ``first``: the number of the first one; ``clock``: when that one came; ``gap``: words were
    lost just before it; ``last``: the recording ends here. With ``packets`` of the user ``begins`` and ``ends``: one
    begins with the first word, and ends with the last one.
    """
    return data.StructLayout({"words": 16, "first": 64, "clock": 64, "gap": 1, "last": 1,
                              **({"begins": 1, "ends": 1} if packets else {})})


class FrameSender(wiring.Component):
    """Gives the frames of a recording, one after the other, from reset on. No path goes on from ``o.ready``.

    Parameters
    ----------
    packets : bool                  See :func:`frame_layout`.

    Members
    -------
    stream_id : In(32)              The stream identifier of all packets.
    frames : In(stream of frames)   The frames. One is taken after its last word of payload.
    words : In(stream 32)           The words of their payload.
    o : Out(stream 32)              The words of the frames, as they are to be on the drive.
    kept : Out(64)                  Words of the payload of the frames that have left as a whole.
    leaves : Out(1)                 A frame that was taken has not yet left as a whole.
    ends : Out(1)                   The last frame has left.
    """

    def __init__(self, packets=False):
        self._packets = packets
        super().__init__({
            "stream_id": In(32), "frames": In(stream.Signature(frame_layout(packets))),
            "words": In(stream.Signature(32)), "o": Out(stream.Signature(32)),
            "kept": Out(64), "leaves": Out(1), "ends": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        number = Signal(12)
        place = Signal(range(AROUND + 1))       # of the words around the payload
        left = Signal(16)                       # of the payload
        sent = Signal(range(SECTOR_WORDS))
        frame = self.frames.payload
        word = Signal(32)
        comes = Signal()
        is_crc = Signal()
        moves = Signal()
        follows = Signal()
        size = Signal(20)           # of the frame
        header = Signal(32)         # of its data packet, but for the number
        chosen = Signal(data.StructLayout({"word": 32, "is_crc": 1}))     # the word before that of ``o``
        there = Signal()
        crc = Signal(32)
        leaving = Signal(16)        # words of payload of the frame that was taken, until all of it has left
        is_last = Signal()          # it is the last one
        m.submodules.skid = skid = Skid(32)
        connect(m, skid.o, flipped(self.o))
        m.d.comb += [
            skid.i.valid.eq(there), skid.i.payload.eq(Mux(chosen.is_crc, _swapped(~crc), chosen.word)),
            follows.eq(there & skid.i.ready), moves.eq(comes & (~there | follows)),
        ]
        with m.If(moves):
            m.d.sync += [chosen.word.eq(word), chosen.is_crc.eq(is_crc), there.eq(1), sent.eq(sent + 1)]
        with m.Elif(follows):
            m.d.sync += there.eq(0)
        with m.If(follows):
            m.d.sync += crc.eq(crc32_next(crc, chosen.word))
        with m.FSM(name="giver"):
            with m.State("WAIT"):
                m.d.sync += [place.eq(0), left.eq(frame.words), size.eq(frame.words + AROUND),
                             header.eq(data_header(0) + frame.words), crc.eq(~0)]
                with m.If(~self.o.valid):
                    # Nothing of the frame before is under way.
                    m.d.comb += self.ends.eq(is_last)
                    m.d.sync += [self.kept.eq(advanced(self.kept, leaving)), leaving.eq(0), is_last.eq(0),
                                 self.leaves.eq(0)]
                    with m.If(self.frames.valid):
                        m.next = "AROUND"
            with m.State("AROUND"):
                m.d.comb += [comes.eq(1), word.eq(_swapped(self._around(m, frame, (size, header), number, place))),
                             is_crc.eq(place == AROUND - 1)]
                with m.If(moves):
                    m.d.sync += place.eq(place + 1)
                    with m.If((place == HEADER_WORDS - 1) & left.any()):
                        m.next = "PAYLOAD"
                    with m.If(place == AROUND - 1):
                        m.next = "FILL"
            with m.State("PAYLOAD"):
                m.d.comb += [comes.eq(self.words.valid), word.eq(self.words.payload),
                             self.words.ready.eq(moves)]
                with m.If(moves):
                    m.d.sync += left.eq(left - 1)
                    with m.If(left == 1):
                        m.next = "AROUND"
            with m.State("FILL"):
                m.d.comb += comes.eq(sent != 0)
                with m.If((sent == 0) & ~there):
                    m.d.comb += self.frames.ready.eq(1)
                    m.d.sync += [number.eq(number + 1), leaving.eq(frame.words), is_last.eq(frame.last),
                                 self.leaves.eq(1)]
                    m.next = "WAIT"
        return m

    def _around(self, m, frame, sums, number, place):
        """The word at ``place`` of those around the payload; the last one, their CRC, is not here."""
        size, header = sums
        packet = number[:4] << 16
        indicators = Mux(frame.gap, GAP_AHEAD, TRAILER) | Mux(frame.last, LAST, 0)
        if self._packets:
            indicators |= Mux(frame.begins, PACKET_BEGINS, 0) | Mux(frame.ends, PACKET_ENDS, 0)
        chosen = Signal(32)
        with m.Switch(place):
            for index, value in enumerate((
                    MAGIC, Cat(size, number),
                    header | packet, self.stream_id,
                    frame.first[32:], frame.first[:32],
                    TRAILER,
                    context_header() | packet, self.stream_id,
                    frame.clock[32:], frame.clock[:32],
                    STATE_AND_EVENTS, indicators)):
                with m.Case(index):
                    m.d.comb += chosen.eq(value)
        return chosen


def advanced(value, by):
    """The 64 bits of ``value + by``, as two sums: those of the simulation have 64 bits at most."""
    low = value[:32] + by
    return Cat(low[:32], (value[32:] + low[32:])[:32])


def _swapped(word):
    """The bytes of ``word`` in the other order."""
    return Cat(word[24:32], word[16:24], word[8:16], word[0:8])
