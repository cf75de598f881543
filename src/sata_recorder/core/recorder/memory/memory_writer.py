"""The way into the memory: a FIFO of words, and bursts of writes."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.fifo import SyncFIFO
from amaranth.lib.wiring import In, Out, connect, flipped

from .beat_sender import BeatSender
from .channels import Burst, WriteBeat
from .lanes import Lanes

__all__ = ["MemoryWriter"]

#: Bursts that may wait for their responses.
_OUTSTANDING = 8
#: Clocks from a change of what is next to a decision that knows it.
_AGE = 2


class MemoryWriter(wiring.Component):
    """Collects words, and writes them with bursts that are as long as may be.

    A burst begins when there are words up to the next address that no burst crosses, or any at all while ``hurry``.
    Words can be read once its response has come. The rate is a word a clock. Latency: what comes from the buffer has an
    effect a clock later.

    Parameters
    ----------
    shape : MemoryShape
    reserve : int           The room that is left when ``crowded`` rises, in words.

    Members
    -------
    i : In(stream 32)       Takes a word. ``ready`` comes from a flop.
    hurry : In(1)           Nothing else is left to be read.
    begin : In(1)           All words are forgotten, those on their way to the memory as well, and the next one has
                            position 0; no word enters in this clock.
    settle : In(1)          The words that entered before this clock are good.
    good : In(1)            With a word: so are this one and all before it.
    forth : In(1)           The words that are not good are forgotten, and the next one has the position ``mark``; no
                            word enters in this clock.
    mark : In               Position after the last good word.
    stored : Out            Position after the last word that can be read, unless
    moves : Out(1)          is high: from 2 clocks after ``begin`` on, and after a ``forth`` that forgets words on their
                            way to the memory, until all writes of before have ended, and none has failed.
    settled : Out(1)        ``moves`` falls, and ``stored`` becomes another one.
    aw, w : Out(stream), b : In(stream 2, always ready)     Channels of AXI4.
    failed : Out(1)         A response was an error. Nothing more is ``stored`` before ``begin``.
    waits : Out(1)          A response is awaited.
    crowded : Out(1)        Room for ``reserve`` words or less is left in the FIFO; until half of it is free.
    """

    def __init__(self, shape, *, reserve=0):
        self._shape = shape
        self._reserve = reserve
        position = shape.ring.positions
        super().__init__({
            "i": In(stream.Signature(32)), "hurry": In(1),
            "begin": In(1), "settle": In(1), "good": In(1), "forth": In(1), "mark": In(position),
            "stored": Out(position), "moves": Out(1), "settled": Out(1),
            "aw": Out(stream.Signature(Burst)), "w": Out(stream.Signature(WriteBeat(shape.width))),
            "b": In(stream.Signature(2, always_ready=True)),
            "failed": Out(1), "waits": Out(1), "crowded": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        shape = self._shape
        m.submodules.cells = cells = Lanes(shape)
        m.submodules.lengths = lengths = SyncFIFO(width=shape.burst_bits + 1, depth=_OUTSTANDING)
        m.submodules.sender = sender = BeatSender(shape)
        m.d.comb += [cells.read_address.eq(sender.address), cells.read_enable.eq(sender.en),
                     sender.data.eq(cells.read_data)]
        connect(m, sender.w, flipped(self.w))

        # Places in the FIFO, in words; their lowest bits are those of the position in the memory.
        head = Signal(range(2 * shape.fifo))        # where the next word goes
        following = Signal.like(head)               # the first word that no burst has
        issued = Signal(shape.ring.positions)       # its position
        after = Signal.like(head)                   # where the next word goes after those that are forgotten
        target = Signal.like(issued)                # its position
        forgets = Signal()
        answered = Signal()
        latest = self._latest(m)
        takes, size = self._decide(m, head, following, issued, latest)
        known = self._mark(m, head, following, takes, size, forgets, after, latest)
        self._room(m, cells, head, following, latest)

        to = Mux(latest.begin, 0, latest.mark)
        m.d.comb += [
            forgets.eq(latest.begin | (latest.forth & ~known)),
            after.eq(Cat(to[:shape.lane_bits], head[shape.lane_bits:] + 1)),
            self.waits.eq(sender.active | self.aw.valid | lengths.r_rdy),
            self.settled.eq(self.moves & ~self.waits & ~forgets & ~self.failed),
            sender.start.eq(takes), sender.first.eq(following), sender.words.eq(size),
            lengths.w_en.eq(takes), lengths.w_data.eq(size), lengths.r_en.eq(answered), answered.eq(
                self.b.valid & lengths.r_rdy),
        ]
        with m.If(forgets):
            m.d.sync += [following.eq(after), target.eq(to), self.moves.eq(1)]
        with m.Elif(takes):
            m.d.sync += [following.eq(following + size), issued.eq(shape.ring.after(issued, size))]
        with m.Elif(self.settled):
            m.d.sync += [issued.eq(target), self.moves.eq(0)]
        with m.If(takes):
            m.d.sync += [
                self.aw.valid.eq(1),
                self.aw.payload.address.eq(shape.address(issued)),
                self.aw.payload.length.eq(shape.last_beat(issued[:shape.burst_bits], size)),
            ]
        with m.Elif(self.aw.ready):
            m.d.sync += self.aw.valid.eq(0)

        old = Signal()              # what is under way was taken before ``begin``
        with m.If(self.begin):
            m.d.sync += [old.eq(1), self.failed.eq(0)]
        with m.Elif(self.settled):
            m.d.sync += old.eq(0)
        with m.Elif(answered & self.b.payload[1] & ~old):
            m.d.sync += self.failed.eq(1)
        with m.If(self.settled):
            m.d.sync += self.stored.eq(target)
        with m.Elif(answered & ~self.b.payload[1] & ~self.failed):
            m.d.sync += self.stored.eq(shape.ring.after(self.stored, lengths.r_data))
        return m

    def _latest(self, m):
        """What came a clock ago: it is late in its own."""
        latest = Signal(data.StructLayout({
            "enters": 1, "word": 32, "begin": 1, "settle": 1, "good": 1, "forth": 1, "mark": self.mark.shape()}))
        m.d.sync += [
            latest.enters.eq(self.i.valid & self.i.ready), latest.word.eq(self.i.payload),
            latest.begin.eq(self.begin), latest.settle.eq(self.settle), latest.good.eq(self.good),
            latest.forth.eq(self.forth), latest.mark.eq(self.mark),
        ]
        return latest

    def _decide(self, m, head, following, issued, latest):
        """Whether a burst begins in this clock, and its words."""
        shape, sender = self._shape, m.submodules.sender
        takes = Signal()
        changes = Signal()
        age = Signal(range(_AGE + 1))
        count = Signal.like(head)                   # words that no burst has; a clock late
        size = Signal(shape.burst_bits + 1)
        whole = Signal()
        some = Signal()
        room = Signal.like(size)                    # words up to the address that no burst crosses
        m.d.comb += [
            room.eq(shape.burst - issued[:shape.burst_bits]),
            changes.eq(takes | latest.begin | latest.forth | self.settled),
            takes.eq((age == _AGE) & (whole | (self.hurry & some)) & ~sender.active & ~self.aw.valid & ~self.moves
                     & m.submodules.lengths.w_rdy & ~latest.begin & ~latest.forth),
        ]
        m.d.sync += [
            age.eq(Mux(changes, 0, Mux(age == _AGE, _AGE, age + 1))),
            count.eq(head - following), some.eq(count != 0),
            whole.eq(count >= room), size.eq(Mux(count >= room, room, count)),
        ]
        return takes, size

    def _mark(self, m, head, following, takes, size, forgets, after, latest):
        """Moves ``head``. Returns whether the place after the last good word is still in the FIFO."""
        place = Signal.like(head)       # that one
        known = Signal(init=1)
        with m.If(forgets):
            m.d.sync += head.eq(after)
        with m.Elif(latest.forth):
            m.d.sync += head.eq(place)
        with m.Elif(latest.enters):
            m.d.sync += head.eq(head + 1)
        with m.If(forgets):
            m.d.sync += [place.eq(after), known.eq(1)]
        with m.Elif(latest.settle):
            m.d.sync += [place.eq(head), known.eq(1)]
        with m.Elif(latest.enters & latest.good):
            m.d.sync += [place.eq(head + 1), known.eq(1)]
        with m.Elif(takes & ((place - following)[:len(place)] < size)):
            m.d.sync += known.eq(0)
        return known

    def _room(self, m, cells, head, following, latest):
        """Words go to their lanes as long as there is room."""
        shape, sender = self._shape, m.submodules.sender
        tail = Signal.like(head)                    # the oldest word that has not been sent
        full = Signal()
        filled = (head - tail)[:len(head)]
        # It is two clocks late, and words that are forgotten take up to two beats.
        most = shape.fifo - 3 - 2 * shape.lanes
        with m.If(sender.sent | ~sender.active):
            m.d.sync += tail.eq(following)
        m.d.sync += full.eq(filled >= most)
        with m.If(filled >= most - self._reserve):
            m.d.sync += self.crowded.eq(1)
        with m.Elif(filled <= shape.fifo // 2):
            m.d.sync += self.crowded.eq(0)
        m.d.comb += [
            self.i.ready.eq(~full),
            cells.write_address.eq(head[shape.lane_bits:-1]),
            cells.write_data.eq(latest.word.replicate(shape.lanes)),
            cells.write_enable.eq(latest.enters << head[:shape.lane_bits]),
        ]
