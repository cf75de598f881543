"""Several channels: packets of one after the other, and the order and the number of their words."""

from amaranth.hdl import Mux, Signal

from formal.order import steady
from sata_recorder.bricks.channels.channel_arbiter import ChannelArbiter
from sata_recorder.facts.channels import ENDS, LOST_AHEAD

_WORDS, _DEPTH = 2, 5


def arbiter(h, channels):
    """Any words of the channels, any losses, and a flush at any time. One channel is followed, which may be any."""
    m = h.m
    dut = h.dut(ChannelArbiter(channels=channels, words=_WORDS))
    followed = h.constant(range(channels), "followed")
    h.assume(followed < channels)
    flush = h.ever(h.any(1, "flushes"), "flush")
    m.d.comb += dut.flush.eq(flush)
    h.drive(dut.o.ready)
    goes = dut.o.valid & dut.o.ready
    fifos = [_fifo(h, dut.i[number], number, flush) for number in range(channels)]
    steady(h, "o", dut.o, dut.last)

    # The packet that is being given, by what has gone of it.
    place = Signal(range(3))            # 0: its head comes, 1: the number of its first word, 2: its words
    left, whose, ends = Signal(16), Signal(4), Signal()
    head = dut.o.payload
    takes = [one.words.valid & one.words.ready for one in dut.i]
    with m.If(goes):
        m.d.sync += place.eq(Mux(dut.last, 0, Mux(place == 2, 2, place + 1)))
        with m.If(place == 0):
            m.d.sync += [left.eq(head[16:]), whose.eq(head[:4]), ends.eq((head & ENDS).any())]
        with m.Elif(place == 2):
            m.d.sync += left.eq(left - 1)
    h.check("a packet ends with its last word", ~goes | (dut.last == Mux(
        place == 1, left == 0, (place == 2) & (left == 1))))
    h.check("a head names a channel and no more words than a packet has", ~(goes & (place == 0)) | (
        (head[:4] < channels) & (head[16:] <= _WORDS)))
    for number, (level, _) in enumerate(fifos):
        here = (place == 2) & (whose == number)
        h.check(f"channel {number}: its words go in its packets only", takes[number] == (goes & here))
        h.check(f"channel {number}: no word out of nothing", ~takes[number] | (level != 0))
        h.check(f"channel {number}: the word is that of its FIFO",
                ~(goes & here) | (dut.o.payload == dut.i[number].words.payload))
    _numbers(h, dut, fifos, followed, goes, (place, left, whose), takes)
    _ends(h, dut, fifos, followed, goes, place, ends, flush)
    h.cover("a whole packet of each channel", _seen(h, [goes & (place == 0) & (head[:4] == number)
                                                         & (head[16:] == _WORDS) for number in range(channels)]))
    h.cover("words were lost before a packet", goes & (place == 0) & (head & LOST_AHEAD).any())
    h.cover("all channels have ended", dut.flushed)


def _seen(h, conditions):
    found = 1
    for condition in conditions:
        found = found & h.ever(condition)
    return found


def _fifo(h, face, number, flush):
    """The words of a channel: how many there are, and how many were lost; both are any."""
    m = h.m
    level, lost, shut = Signal(range(_DEPTH + 1)), Signal.like(face.lost), Signal()
    puts = h.any(1, f"puts_{number}") & ~flush
    full = level == _DEPTH
    loses = puts & (shut | full)
    takes = face.words.valid & face.words.ready
    h.drive(face.words.payload)
    shown = Signal.like(level)          # a word is shown no later than a clock after it is counted
    m.d.sync += shown.eq(level - takes)
    m.d.comb += [face.level.eq(level), face.words.valid.eq((shown != 0) | ((level != 0) & h.any(1, f"shows_{number}"))),
                 face.shut.eq(shut), face.lost.eq(lost + loses), face.whole.eq(1)]
    m.d.sync += [level.eq(level + (puts & ~loses) - takes), lost.eq(face.lost)]
    with m.If(face.settle):
        m.d.sync += shut.eq(0)
    with m.Elif(loses):
        m.d.sync += shut.eq(1)
    # A word that is shown stays.
    waits = h.past(face.words.valid & ~face.words.ready)
    h.assume(~waits | (face.words.valid & (face.words.payload == h.past(face.words.payload))))
    return level, lost


def _chosen(followed, values):
    """That of ``values`` which belongs to the channel that is followed."""
    found = values[0]
    for number, value in enumerate(values[1:], 1):
        found = Mux(followed == number, value, found)
    return found


def _inside(h, followed, packet, gone, before):
    """What holds inside the design: its place in the ``packet`` that is given, and the sums of the channel that is
    followed."""
    place, left, whose = packet
    state, count, total = h.probe("dut.fsm_state", 2), h.probe("dut.count", 16), h.probe("dut.total", 16)
    placed = h.probe("dut.placed")
    h.lemma("the state is the place", Mux(place == 0, state < 2, state == place + 1))
    h.lemma("a packet is under way", h.probe("dut.in_packet") == (state != 0))
    h.lemma("the channel is that of the head", (place == 0) | (whose == h.probe("dut.channel")))
    h.lemma("what is to come", (place == 0) | (count == left))
    h.lemma("no word is to come", (place != 1) | (h.probe("dut.is_empty") == (left == 0)))
    h.lemma("one word is to come", (place != 2) | (h.probe("dut.is_one") == (left == 1)))
    h.lemma("a word is to come", (place != 2) | (left != 0))
    h.lemma("the sum is written with the first word", ~placed | (place == 2))
    h.lemma("the sum is that of the packet", ~((place == 1) | placed) | (total == left))

    def value(name):
        sums = [h.probe(f"dut.{name}.memory[{number}]", len(gone)) for number in range(2)]
        return Mux(h.probe(f"dut.{name}.written", 2).bit_select(followed, 1), Mux(followed, sums[1], sums[0]), 0)

    mine = whose == followed
    ahead = Mux((place == 2) & ~placed & mine, left, 0)
    h.lemma("the words of the channel", value("sent") == (gone + ahead)[:len(gone)])
    h.lemma("the words that were lost", value("settled") == before)
    h.lemma("the number of the packet", (place != 1) | ~mine
            | (h.probe("dut.place", len(gone)) == (gone + before)[:len(gone)]))


def _numbers(h, dut, fifos, followed, goes, packet, takes):
    """The number of a packet's first word counts the words of its channel, and those lost before."""
    m = h.m
    place, _, whose = packet
    gone, before = Signal.like(dut.i[0].lost), Signal.like(dut.i[0].lost)
    settles = _chosen(followed, [one.settle for one in dut.i])
    m.d.sync += gone.eq(gone + _chosen(followed, takes))
    with m.If(settles):
        m.d.sync += before.eq(_chosen(followed, [one.lost for one in dut.i]))
    mine = whose == followed
    _inside(h, followed, packet, gone, before)
    h.check("a packet has the number of its first word",
            ~(goes & (place == 1) & mine) | (dut.o.payload[:len(gone)] == (gone + before)[:len(gone)]))
    level, shut = _chosen(followed, [one for one, _ in fifos]), _chosen(followed, [one.shut for one in dut.i])
    h.check("a loss is settled once all before it has gone, and only then", ~settles | (shut & (level == 0)))
    told = Signal()                     # a loss has been settled that no head has shown
    is_head = goes & (place == 0) & (dut.o.payload[:4] == followed)
    with m.If(settles):
        m.d.sync += told.eq(1)
    with m.Elif(is_head):
        m.d.sync += told.eq(0)
    h.check("the head after a loss shows it, and no other", ~is_head | ((dut.o.payload & LOST_AHEAD).any() == told))


def _ends(h, dut, fifos, followed, goes, place, ends, flush):
    """A channel ends once, with all that it has."""
    m = h.m
    level, shut = _chosen(followed, [one for one, _ in fifos]), _chosen(followed, [one.shut for one in dut.i])
    ended = Signal()
    is_head = goes & (place == 0) & (dut.o.payload[:4] == followed)
    is_last = (dut.o.payload & ENDS).any()
    with m.If(is_head & is_last):
        m.d.sync += ended.eq(1)
    h.check("a packet is short at the end of its channel or before a loss only",
            ~is_head | is_last | shut | (dut.o.payload[16:] == _WORDS))
    waits = h.past(level >= _WORDS)
    overtaken = Signal()                # while it had a whole packet another channel has begun one
    others = goes & (place == 0) & (dut.o.payload[:4] != followed)
    with m.If(is_head):
        m.d.sync += overtaken.eq(0)
    with m.Elif(others & waits):
        m.d.sync += overtaken.eq(1)
    h.check("no channel with a packet waits for two of the others", ~(others & overtaken))
    h.check("no packet of a channel follows its end", ~is_head | ~ended)
    h.check("the last packet has all that is left", ~(is_head & is_last) | (
        flush & ~shut & (dut.o.payload[16:] == level)))
    h.check("flushed: each channel has ended, and nothing of it is left",
            ~dut.flushed | (ended & (level == 0) & (place == 0)))
