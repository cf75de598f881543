"""Puts a stream into frames that tell time, gaps and their own damage."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.crc import catalog
from amaranth.lib.fifo import SyncFIFOBuffered
from amaranth.lib.wiring import In, Out

from ..units import SECTOR_WORDS
from .layout import (AROUND, GAP_AHEAD, HEADER_WORDS, LAST, MAGIC, MAX_PAYLOAD, STATE_AND_EVENTS,
                     TRAILER, context_header, data_header)

__all__ = ["VrlFramer"]

#: Frames that may wait until their words are given.
_FRAMES = 8


class _Frame(data.Struct):
    """A frame whose words are in the FIFO."""

    words: 16       # of payload
    first: 64       # the number of the first word
    clock: 64       # when that one came
    gap: 1          # words were lost just ahead of it
    last: 1         # the recording ends here


class VrlFramer(wiring.Component):
    """Puts a stream of words into VRL frames (VITA 49.1), each with a data packet and its context
    packet (VITA 49.0).

    A frame ends with its ``payload``-th word, with the last word ahead of a gap, and with
    ``finish``; it begins at a sector, and zeros fill its last sector. The frames of a recording end
    with one that has no payload.

    Latency: the first word of a frame leaves once its last one has come. Clocks a frame in which no
    word of payload leaves: 16, and those of the zeros.

    Parameters
    ----------
    payload : int           The most words of payload in a frame. With ``AROUND`` more a frame
                            should fill its sectors: 2034 of 2048 words, 0.7 per cent of overhead.
    waits : bool            Whether the source waits while there is no room. If not, its words are
                            lost and counted meanwhile, and until half of the room is free again.

    Members
    -------
    begin : In(1)           A recording begins in the next clock. It counts while ``finished``.
    finish : In(1)          The recording ends with the word of this clock.
    stream_id : In(32)      The stream identifier of all packets. Another one for each recording
                            tells its frames from older ones that the drive still holds. It must
                            not change in a recording.
    finished : Out(1)       All frames of the recording have been given.
    i : In(stream 32)       Takes the words of the user. ``ready`` is always high in a recording
                            if the source does not wait.
    o : Out(stream 32)      Gives the words of the frames, as they are to be on the drive.
    offered : Out(64)       The number of words that came in this recording.
    lost : Out(64)          The number of those that found no room.
    """

    def __init__(self, *, payload=16 * SECTOR_WORDS - AROUND, waits=True):
        if not 1 <= payload <= MAX_PAYLOAD:
            raise ValueError(f"payload: {payload} words, possible are 1 to {MAX_PAYLOAD}")
        self._payload, self._waits = payload, waits
        super().__init__({
            "begin": In(1), "finish": In(1), "finished": Out(1, init=1),
            "stream_id": In(32),
            "i": In(stream.Signature(32)), "o": Out(stream.Signature(32)),
            "offered": Out(64), "lost": Out(64),
        })

    def elaborate(self, platform):
        m = Module()
        depth = 1 << (2 * self._payload - 1).bit_length()
        m.submodules.words = words = SyncFIFOBuffered(width=32, depth=depth)
        m.submodules.frames = frames = SyncFIFOBuffered(width=_Frame.as_shape().size, depth=_FRAMES)
        ends = Signal()         # the last word of the recording is about to leave
        self._accept(m, words, frames)
        self._give(m, words, frames, ends)
        with m.If(self.begin & self.finished):
            m.d.sync += self.finished.eq(0)
        with m.Elif(ends):
            m.d.sync += self.finished.eq(1)
        return m

    def _accept(self, m, words, frames):
        """The words of the user into the FIFO, and what is to be known of each frame."""
        runs, closing = Signal(), Signal()
        room, enters, loses = Signal(), Signal(), Signal()
        shut = Signal()         # words were lost, and there is not yet room again
        gap = Signal()          # words were lost since the last one that entered
        clock = Signal(64)
        frame = Signal(_Frame)  # the one that is filled
        full, cut, last, first = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            room.eq(words.w_rdy & frames.w_rdy & ~shut),
            enters.eq(self.i.valid & runs & room),
            loses.eq(0 if self._waits else self.i.valid & runs & ~room),
            self.i.ready.eq(runs & room if self._waits else runs),
            words.w_en.eq(enters),
            words.w_data.eq(self.i.payload),
            first.eq(frame.words == 0),
            full.eq(enters & (frame.words == self._payload - 1)),
            cut.eq((shut | closing) & ~first & frames.w_rdy),
            last.eq(closing & first & frames.w_rdy),
        ]
        entry = _Frame(frames.w_data)
        m.d.comb += [
            frames.w_en.eq(full | cut | last),
            entry.words.eq(frame.words + enters),
            entry.first.eq(Mux(first, self.offered, frame.first)),
            entry.clock.eq(Mux(first, clock, frame.clock)),
            entry.gap.eq(Mux(first, gap, frame.gap)),
            entry.last.eq(last),
        ]
        with m.If(enters):
            m.d.sync += [frame.words.eq(frame.words + 1), gap.eq(0)]
            with m.If(first):
                m.d.sync += [frame.first.eq(self.offered), frame.clock.eq(clock),
                             frame.gap.eq(gap)]
        with m.If(frames.w_en):
            m.d.sync += frame.words.eq(0)
        with m.If(loses):
            m.d.sync += gap.eq(1)
        with m.If(shut):
            m.d.sync += shut.eq(~first | (words.level > words.depth // 2))
        with m.Elif(loses):
            m.d.sync += shut.eq(1)

        m.d.sync += [
            clock.eq(clock + 1),
            self.offered.eq(self.offered + (enters | loses)),
            self.lost.eq(self.lost + loses),
        ]
        with m.If(self.finish & runs):
            m.d.sync += [runs.eq(0), closing.eq(1)]
        with m.If(last):
            m.d.sync += [closing.eq(0), shut.eq(0)]
        with m.If(self.begin & self.finished):
            m.d.sync += [runs.eq(1), clock.eq(0), self.offered.eq(0), self.lost.eq(0), gap.eq(0)]

    def _give(self, m, words, frames, ends):
        """The words of the frames, one after the other."""
        number = Signal(12)
        place = Signal(range(AROUND + 1))       # of the words around the payload
        left = Signal(16)                       # of the payload
        sent = Signal(range(SECTOR_WORDS))
        frame = _Frame(frames.r_data)
        word, comes = Signal(32), Signal()
        moves = Signal()
        m.submodules.crc = crc = catalog.CRC32_ETHERNET(data_width=32).create()
        m.d.comb += [
            moves.eq(comes & (~self.o.valid | self.o.ready)),
            crc.data.eq(word),
            crc.valid.eq(moves),
        ]
        with m.If(moves):
            m.d.sync += [self.o.payload.eq(word), self.o.valid.eq(1), sent.eq(sent + 1)]
        with m.Elif(self.o.ready):
            m.d.sync += self.o.valid.eq(0)
        with m.FSM(name="giver"):
            with m.State("WAIT"):
                m.d.comb += crc.start.eq(1)
                m.d.sync += [place.eq(0), left.eq(frame.words)]
                with m.If(frames.r_rdy):
                    m.next = "AROUND"
            with m.State("AROUND"):
                around = self._around(m, frame, number, crc.crc, place)
                m.d.comb += [comes.eq(1), word.eq(_swapped(around))]
                with m.If(moves):
                    m.d.sync += place.eq(place + 1)
                    with m.If((place == HEADER_WORDS - 1) & left.any()):
                        m.next = "PAYLOAD"
                    with m.If(place == AROUND - 1):
                        m.next = "FILL"
            with m.State("PAYLOAD"):
                m.d.comb += [comes.eq(words.r_rdy), word.eq(words.r_data), words.r_en.eq(moves)]
                with m.If(moves):
                    m.d.sync += left.eq(left - 1)
                    with m.If(left == 1):
                        m.next = "AROUND"
            with m.State("FILL"):
                m.d.comb += comes.eq(sent != 0)
                with m.If((sent == 0) & (~self.o.valid | self.o.ready)):
                    m.d.comb += [frames.r_en.eq(1), ends.eq(frame.last)]
                    m.d.sync += number.eq(Mux(frame.last, 0, number + 1))
                    m.next = "WAIT"

    def _around(self, m, frame, number, crc, place):
        """The word at ``place`` of those around the payload."""
        size = Signal(20)
        packet = number[:4] << 16
        indicators = Mux(frame.gap, GAP_AHEAD, TRAILER) | Mux(frame.last, LAST, 0)
        m.d.comb += size.eq(frame.words + AROUND)
        chosen = Signal(32)
        with m.Switch(place):
            for index, value in enumerate((
                    MAGIC, Cat(size, number),
                    data_header(0) + frame.words | packet, self.stream_id,
                    frame.first[32:], frame.first[:32],
                    TRAILER,
                    context_header() | packet, self.stream_id,
                    frame.clock[32:], frame.clock[:32],
                    STATE_AND_EVENTS, indicators, crc)):
                with m.Case(index):
                    m.d.comb += chosen.eq(value)
        return chosen


def _swapped(word):
    """The bytes of ``word`` in the other order."""
    return Cat(word[24:32], word[16:24], word[8:16], word[0:8])
