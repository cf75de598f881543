"""Which channel gives its words, and the packets that they become."""

from amaranth.hdl import Array, C, Cat, Module, Mux, Signal
from amaranth.lib import memory, stream, wiring
from amaranth.lib.wiring import In, Out

from ...facts.channels import ENDS, LOST_AHEAD, MARK
from ...interface.group import WORD

__all__ = ["ChannelArbiter", "WaitingWords"]

#: Bits of a number of words: of a packet, and of a channel.
_COUNT, _PLACE = 16, WORD


class WaitingWords(wiring.Signature):
    """The words of a channel that wait, seen from their FIFO; see :class:`.channel_input.ChannelInput`.

    Members
    -------
    words : Out(stream 32)      The words; those that ``level`` counts are there a clock later.
    level : Out(16)             How many there are, or will be.
    shut : Out(1), settle : In(1), lost : Out(32), whole : Out(1), spare : Out(2)
    """

    def __init__(self):
        super().__init__({"words": Out(stream.Signature(WORD)), "level": Out(_COUNT), "shut": Out(1), "settle": In(1),
                          "lost": Out(_PLACE), "whole": Out(1), "spare": Out(2)})


class ChannelArbiter(wiring.Component):
    """Gives the words of several channels as packets, each with a head, see :mod:`...facts.channels`.

    Channels take turns, one packet each. A packet has ``words`` words. It is shorter before words that were lost, and
    at the end: with ``flush`` each channel gives what it has, and ends with a packet, which may have no word.

    Reset begins a recording. Latency: 2 clocks from the last word of a packet to its head. Rate: a word a clock, less
    3 clocks for each packet, and one for each channel that has none.

    Parameters
    ----------
    channels : int      How many.
    words : int         Of a packet.

    Members
    -------
    i : In(WaitingWords), one for each channel
    flush : In(1)       From the clock on in which no word comes any more, except what completes one.
    flushed : Out(1)    All have ended.
    o : Out(stream 32)
    last : Out(1)       With ``o.valid``: the word is the last one of a packet.
    """

    def __init__(self, *, channels, words):
        self._channels, self._words = channels, words
        super().__init__({"i": In(WaitingWords()).array(channels), "flush": In(1), "flushed": Out(1),
                          "o": Out(stream.Signature(WORD)), "last": Out(1)})

    def elaborate(self, platform):
        m = Module()
        channels = self._channels
        channel = Signal(range(channels))
        # These are a clock late: the same channel has no packet in the next clock, and from one that is shut or ends
        # no word comes any more.
        has_packet, has_words, closing = Signal(channels), Signal(channels), Signal(channels)
        ended = Signal(channels)
        lost_ahead = Signal(channels)
        inputs = [self.i[number] for number in range(channels)]
        for number, one in enumerate(inputs):
            m.d.sync += [has_packet[number].eq(one.level >= self._words), has_words[number].eq(one.level != 0),
                         closing[number].eq(self.flush & one.whole)]
        chosen = Array(inputs)[channel]
        level, shut, lost = chosen.level, chosen.shut, chosen.lost
        count = Signal(_COUNT)          # words of the packet, then those to come
        is_empty = Signal()             # the packet has no word; from PLACE on
        is_one = Signal()               # one word is to come; from WORDS on
        in_packet = Signal()            # the state is not SCAN
        head = Signal(WORD)
        ends = Signal()
        sent, settled = self._places(m, channel)
        goes = self.o.valid & self.o.ready
        m.d.comb += head.eq(Cat(
            C(0, 4) | channel, C(0, 2), Mux(ends, chosen.spare, 0), C(MARK, 8), count)
            | Mux(ends, ENDS, 0) | Mux(lost_ahead.bit_select(channel, 1), LOST_AHEAD, 0))

        def follow():
            m.d.sync += channel.eq(Mux(channel == channels - 1, 0, channel + 1))

        def begin(words, last):
            m.d.sync += [count.eq(words), ends.eq(last), in_packet.eq(1)]
            m.next = "HEAD"

        def over():
            m.d.sync += in_packet.eq(0)
            m.next = "SCAN"
            follow()

        total = Signal(_COUNT)
        # The sum is written with the first word of a packet: that the last one goes is known late in its clock.
        placed = Signal()           # the first clock of the first word
        m.d.sync += placed.eq(0)
        m.d.comb += [sent.write.eq(placed), sent.data.eq(sent.value + total)]
        place = Signal(_PLACE)          # of the packet: all words of the channel before it
        # Much follows ``valid``: it does not wait for the state.
        m.d.comb += self.o.valid.eq(in_packet)
        m.d.sync += [place.eq(sent.value + settled.value), is_empty.eq(count == 0), is_one.eq(count == 1)]
        with m.FSM():
            with m.State("SCAN"):
                m.d.comb += self.flushed.eq(ended.all())
                with m.If(has_packet.bit_select(channel, 1)):
                    begin(self._words, 0)
                with m.Elif(shut & has_words.bit_select(channel, 1)):
                    begin(level, 0)
                with m.Elif(shut):
                    # All that was before the loss has gone.
                    m.d.comb += chosen.settle.eq(1)
                    m.d.comb += [settled.write.eq(1), settled.data.eq(lost)]
                    m.d.sync += lost_ahead.bit_select(channel, 1).eq(1)
                with m.Elif(closing.bit_select(channel, 1) & ~ended.bit_select(channel, 1)):
                    begin(level, 1)
                with m.Else():
                    follow()
            with m.State("HEAD"):
                m.d.comb += self.o.payload.eq(head)
                m.d.sync += total.eq(count)
                with m.If(goes):
                    m.d.sync += lost_ahead.bit_select(channel, 1).eq(0)
                    with m.If(ends):
                        m.d.sync += ended.bit_select(channel, 1).eq(1)
                    m.next = "PLACE"
            with m.State("PLACE"):
                m.d.comb += [self.o.payload.eq(place), self.last.eq(is_empty)]
                with m.If(goes):
                    with m.If(is_empty):
                        over()
                    with m.Else():
                        m.d.sync += placed.eq(1)
                        m.next = "WORDS"
            with m.State("WORDS"):
                # They are there: ``valid`` need not be awaited, which comes late from among all channels.
                m.d.comb += [self.o.payload.eq(chosen.words.payload),
                             chosen.words.ready.eq(self.o.ready), self.last.eq(is_one)]
                with m.If(goes):
                    m.d.sync += [count.eq(count - 1), is_one.eq(count == 2)]
                    with m.If(is_one):
                        over()
        return m

    def _places(self, m, channel):
        """Of each channel the words that have gone, and those lost before them."""
        m.submodules.sent = sent = _Sums(self._channels)
        m.submodules.settled = settled = _Sums(self._channels)
        m.d.comb += [sent.number.eq(channel), settled.number.eq(channel)]
        return sent, settled


class _Sums(wiring.Component):
    """A sum for each channel: 0 after reset.

    Members
    -------
    number : In(4)      Whose.
    value : Out(32)     In the same clock.
    write : In(1), data : In(32)        It becomes this.
    """

    number: In(4)
    value: Out(_PLACE)
    write: In(1)
    data: In(_PLACE)

    def __init__(self, channels):
        self._channels = channels
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = sums = memory.Memory(shape=_PLACE, depth=self._channels, init=[])
        write, read = sums.write_port(), sums.read_port(domain="comb")
        written = Signal(self._channels)        # since reset
        m.d.comb += [write.addr.eq(self.number), read.addr.eq(self.number), write.data.eq(self.data),
                     write.en.eq(self.write),
                     self.value.eq(Mux(written.bit_select(self.number, 1), read.data, 0))]
        with m.If(self.write):
            m.d.sync += written.bit_select(self.number, 1).eq(1)
        return m
