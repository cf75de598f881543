"""Puts a stream into frames that show time, gaps and their own damage."""

from amaranth.hdl import Module, Mux, ResetInserter, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.fifo import SyncFIFO
from amaranth.lib.wiring import In, Out, connect, flipped

from ...core.block_fifo import BlockFifo
from ...facts.units import SECTOR_WORDS
from ...facts.vita49 import AROUND, MAX_PAYLOAD
from .frame_room import FrameRoom
from .frame_sender import FrameSender, advanced, frame_layout

__all__ = ["VrlFramer"]

#: Frames that may wait until their words leave.
_FRAMES = 16


class VrlFramer(wiring.Component):
    """Puts a stream of words into VRL frames (VITA 49.1), each with a data packet and its context
    packet (VITA 49.0).

    A frame ends with its ``payload``-th word, with the last word of a packet, with the last word
    before a gap, and with ``finish``; it begins at a sector, and zeros fill its last sector. The
    frames of a recording end with one that has no payload. The recording ends by itself when there
    is no room left for one more frame and this last one.

    Latency: the first word of a frame leaves once its last one has come. In each frame there are
    17 clocks, and those of the zeros, in which no word of payload leaves.

    Parameters
    ----------
    payload : int           The most words of payload in a frame. With the ``AROUND`` words a frame
                            should fill its sectors: 2034 of 2048 words, 0.7 per cent of overhead.
    waits : bool            Whether the source waits while there is no room. If not, its words are
                            lost and counted meanwhile, and until half of the room is free again.
    packets : bool          Whether the words are those of packets: each begins a frame, and its frames
                            show where it begins and ends.

    Members
    -------
    begin : In(1)           One clock: a recording begins in 6 clocks. What is left of another one is forgotten.
    sectors : In(48)        With ``begin``: the sectors that all frames may take together, at least
                            one; if it is not connected, any number.
    endless : In(1)         With ``begin``: any number of sectors, whatever ``sectors`` is.
    finish : In(1)          The recording ends with the word of this clock.
    stream_id : In(32)      The stream identifier of all packets. Another one for each recording
                            distinguishes its frames from older ones that the drive still holds. It must
                            not change in a recording.
    finished : Out(1)       All frames of the recording have been given.
    i : In(stream 32)       Takes the words of the user. ``ready`` is high in a recording if the
                            source does not wait.
    packet_begin : In(1)    With ``packets``: the next word of ``i`` is the first one of a packet.
    packet_end : In(1)      With ``i.valid``, and ``packets``: the word is the last one of a packet.
    o : Out(stream 32)      Gives the words of the frames, as they are to be on the drive.
    offered : Out(64)       The number of words that came in this recording.
    lost : Out(64)          The number of those that found no room.
    kept : Out(64)          The number of those whose frame has left as a whole.
    """

    def __init__(self, *, payload=16 * SECTOR_WORDS - AROUND, waits=True, packets=False):
        if not 1 <= payload <= MAX_PAYLOAD:
            raise ValueError(f"payload: {payload} words, possible are 1 to {MAX_PAYLOAD}")
        self._payload, self._waits, self._packets = payload, waits, packets
        super().__init__({
            "begin": In(1), "sectors": In(48, init=(1 << 48) - 1), "endless": In(1), "finish": In(1),
            "finished": Out(1, init=1), "stream_id": In(32),
            "i": In(stream.Signature(32)), "packet_begin": In(1),
            "packet_end": In(1), "o": Out(stream.Signature(32)),
            "offered": Out(64), "lost": Out(64), "kept": Out(64),
        })

    def elaborate(self, platform):
        m = Module()
        depth = 1 << (2 * self._payload - 1).bit_length()
        # Its output register holds one more: the memory is a power of two.
        words = BlockFifo(width=32, depth=depth + 1)
        frames = SyncFIFO(width=frame_layout(self._packets).size, depth=_FRAMES)
        sender = FrameSender(self._packets)
        fresh = ResetInserter(self.begin)
        m.submodules.words, m.submodules.frames = fresh(words), fresh(frames)
        m.submodules.sender = fresh(sender)
        self._accept(m, words, frames, sender.leaves)
        connect(m, words.r_stream, sender.words)
        connect(m, sender.o, flipped(self.o))
        m.d.comb += [
            sender.stream_id.eq(self.stream_id),
            sender.frames.payload.eq(frames.r_data), sender.frames.valid.eq(frames.r_rdy),
            frames.r_en.eq(sender.frames.ready),
            self.kept.eq(sender.kept),
        ]
        with m.If(self.begin):
            m.d.sync += self.finished.eq(0)
        with m.Elif(sender.ends):
            m.d.sync += self.finished.eq(1)
        return m

    def _accept(self, m, words, frames, leaves):
        """Takes the words of the user into the FIFO, and what is to be known of each frame. One that ``leaves`` still
        has its place."""
        runs = Signal()
        closing = Signal()
        room = Signal()
        enters = Signal()
        loses = Signal()
        shut = Signal()         # words were lost, and there is not yet room again
        gap = Signal()          # words were lost since the last one that entered
        clock = Signal(64)
        frame = Signal(frame_layout(self._packets))     # the one that is being filled, until the next one has a word
        opens = Signal()
        full = Signal()
        cut = Signal()
        last = Signal()
        closes = Signal()
        closed = Signal()           # ``closes``, a clock ago
        first = Signal(init=1)      # no word of the next frame has come
        # Each leaves room for what is not yet in its level, and one more; a frame that has a word has its place.
        words_fit = Signal()
        frames_fit = Signal()
        m.d.sync += [words_fit.eq(words.level < words.depth - 1), frames_fit.eq(frames.level + leaves < _FRAMES - 2)]
        m.submodules.room = drive = FrameRoom(self._payload)
        m.d.comb += [
            drive.begin.eq(self.begin), drive.sectors.eq(self.sectors), drive.endless.eq(self.endless),
            drive.enters.eq(enters), drive.begins.eq(enters & first), drive.closes.eq(closes & ~last),
        ]
        takes = Signal()
        m.d.comb += [
            takes.eq(runs & (~first | drive.fits)),
            room.eq(words_fit & (frames_fit | ~first) & ~shut),
            enters.eq(self.i.valid & takes & room),
            loses.eq(0 if self._waits else self.i.valid & takes & ~room),
            self.i.ready.eq(takes & room if self._waits else takes),
            words.w_en.eq(enters),
            words.w_data.eq(self.i.payload),
            full.eq(enters & Mux(first, self._payload == 1, frame.words == self._payload - 1)),
            cut.eq((shut | closing) & ~first),
            last.eq(closing & first & frames_fit),
            closes.eq(full | cut | last), opens.eq((enters & first) | last),
            frames.w_data.eq(frame), frames.w_en.eq(closed),
        ]
        m.d.sync += [closed.eq(closes), frame.last.eq(last)]
        with m.If(enters):
            m.d.sync += [frame.words.eq(frame.words + 1), first.eq(0), gap.eq(0)]
        with m.If(opens):
            m.d.sync += [frame.words.eq(enters), frame.gap.eq(gap), frame.first.eq(self.offered), frame.clock.eq(clock)]
        with m.If(closes):
            m.d.sync += first.eq(1)
        if self._packets:
            # A packet that has lost words shows this by the gap before the next frame.
            ends = enters & self.packet_end
            m.d.comb += closes.eq(full | cut | last | ends)
            m.d.sync += frame.ends.eq(ends)
            with m.If(opens):
                m.d.sync += frame.begins.eq(self.packet_begin & enters)
        with m.If(loses):
            m.d.sync += gap.eq(1)
        crowded = words.level > words.depth // 2
        if self._packets:
            # The rest of a packet that has lost its beginning is of no use: room is given again between two packets, or
            # when the FIFO is empty.
            between = Mux(self.i.valid & self.i.ready, self.packet_end, self.packet_begin)
            crowded = (words.level != 0) & (crowded | (frames.level > _FRAMES // 2) | ~between)
        with m.If(shut):
            m.d.sync += shut.eq(~first | crowded)
        with m.Elif(loses):
            m.d.sync += shut.eq(1)

        m.d.sync += clock.eq(advanced(clock, 1))
        with m.If(enters | loses):
            m.d.sync += self.offered.eq(advanced(self.offered, 1))
        with m.If(loses):
            m.d.sync += self.lost.eq(advanced(self.lost, 1))
        with m.If(runs & (self.finish | (first & ~drive.fits))):
            m.d.sync += [runs.eq(0), closing.eq(1)]
        with m.If(last):
            m.d.sync += closing.eq(0)
        with m.If(drive.begun):
            m.d.sync += [runs.eq(~self.finish), closing.eq(self.finish)]
        with m.If(self.begin):
            m.d.sync += [runs.eq(0), closing.eq(0), shut.eq(0), gap.eq(0), closed.eq(0),
                         first.eq(1), clock.eq(0), self.offered.eq(0), self.lost.eq(0)]
