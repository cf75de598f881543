"""Packets of several channels: each channel comes back, and what it has lost is shown where it is missing."""

import functools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.core.phy.compiled import Compiled

from sata_recorder.bricks.channels.channel_multiplexer import ChannelMultiplexer
from sata_recorder.facts.channels import ENDS, LOST_AHEAD, MARK

WORDS, DEPTH = 5, 16


@functools.cache
def multiplexer(channels, width, waits):
    return Compiled(ChannelMultiplexer(channels=channels, width=width, words=WORDS, depth=DEPTH, waits=waits))


class Channels:
    """Some clocks of a recording: what was given to each channel, and the packets that came."""

    def __init__(self, dut, rng, channels, width):
        self.dut, self.rng, self.width = dut, rng, width
        self.given = [bytearray() for _ in range(channels)]
        self.beats = [None] * channels
        self.packets, self._packet = [], []
        dut.set(rst=1)
        dut.edge(1)
        dut.set(rst=0)

    def tick(self, offers, takes, **inputs):
        """``offers``: how probable a beat of each channel is; ``takes``: that a word is taken."""
        dut, rng = self.dut, self.rng
        for number, likely in enumerate(offers):
            if self.beats[number] is None and rng.random() < likely:
                self.beats[number] = rng.getrandbits(self.width)
            dut.set(**{f"i__{number}__valid": self.beats[number] is not None,
                       f"i__{number}__payload": self.beats[number] or 0})
        dut.set(o__ready=rng.random() < takes, **inputs)
        dut.edge(0)
        if dut.get("o__valid") and dut.i[dut.inputs["o__ready"]]:
            self._packet.append(dut.get("o__payload"))
            if dut.get("last"):
                self.packets.append(self._packet)
                self._packet = []
        for number, beat in enumerate(self.beats):
            if beat is not None and dut.get(f"i__{number}__ready"):
                self.given[number] += beat.to_bytes(self.width // 8, "little")
                self.beats[number] = None
        dut.edge(1)

    def run(self, clocks, offers, takes):
        for _ in range(clocks):
            self.tick(offers, takes, enable=1)

    def end(self, takes=0.9):
        for _ in range(3000):
            self.tick([0.3] * len(self.given), takes, enable=0, flush=1)
            self.dut.edge(0)
            if self.dut.get("flushed"):
                break
        else:
            raise AssertionError("it does not end")
        assert not self._packet
        self.dut.set(flush=0)

    def told(self, name, number):
        self.dut.set(select=number)
        self.dut.edge(1)
        return self.dut.get(name)


def channel_of(packets, number):
    """Bytes of a channel, with None for each byte of a word that was lost; and how many words were."""
    content, lost, ended = [], 0, False
    for head, first, *words in packets:
        if head & 15 != number:
            continue
        assert head >> 8 & 0xFF == MARK and head >> 16 == len(words) <= WORDS and not ended
        gap = first - len(content) // 4
        assert bool(gap) == bool(head & LOST_AHEAD) and gap >= 0
        content += [None] * (4 * gap)
        lost += gap
        content += b"".join(word.to_bytes(4, "little") for word in words)
        ended = bool(head & ENDS)
        spare = head >> 6 & 3
        assert ended or (not spare and words)
        if spare:
            assert content[-spare:] == [0] * spare
            del content[-spare:]
    assert ended
    return content, lost


@settings(max_examples=settings().max_examples // 4)
@given(seed=st.integers(0, 2**32 - 1), channels=st.sampled_from([2, 3]), width=st.sampled_from([8, 16, 32]),
       clocks=st.integers(0, 400), takes=st.sampled_from([1, 0.8, 0.3]), waits=st.booleans())
def test_each_channel_comes_back(seed, channels, width, clocks, takes, waits):
    """In two recordings, one after the other; the first one may be broken off."""
    rng, dut = random.Random(seed), multiplexer(channels, width, waits)
    dut.restart()
    for ends in rng.random() < 0.5, True:
        recording = Channels(dut, rng, channels, width)
        offers = [rng.choice((0, 0.05, 0.3, 1)) for _ in range(channels)]
        for _ in range(rng.randint(1, 3)):
            recording.run(clocks // 2, offers, takes * rng.choice((1, 1, 0)))
        if not ends:
            continue
        recording.end(rng.choice((1, 0.5)))
        for number, given_bytes in enumerate(recording.given):
            content, lost = channel_of(recording.packets, number)
            assert recording.told("lost", number) == lost and recording.told("left", number) == 0
            if waits:
                assert lost == 0 and bytes(content) == bytes(given_bytes)
            else:
                # A word that was lost and had not all its bytes is one, too.
                assert -(-len(given_bytes) // 4) == -(-len(content) // 4)
                assert all(one in (None, other) for one, other in zip(content, given_bytes, strict=False))


def test_what_a_channel_has_left():
    """Of a recording that ends by itself."""
    dut = multiplexer(3, 16, True)
    dut.restart()
    recording = Channels(dut, random.Random(5), 3, 16)
    recording.run(300, [0.5, 0, 0.02], 0)
    left = [recording.told("left", number) for number in range(4)]
    assert [4 * words - len(content) in (0, 2) for words, content in zip(left, recording.given)] == [True] * 3
    assert left[0] > DEPTH and left[1] == 0 and left[3] == left[0]


@pytest.mark.parametrize("waits", [True, False])
def test_all_channels_have_their_turn(waits):
    """However much the first one has; and the rate is a word a clock but for the heads."""
    dut = multiplexer(3, 32, waits)
    dut.restart()
    recording = Channels(dut, random.Random(5), 3, 32)
    recording.run(2000, [1, 1, 1], 1)
    turns = [head & 15 for head, *_ in recording.packets]
    assert turns[:60] == [0, 1, 2] * 20
    assert len(recording.packets) >= (2000 - 2 * DEPTH) // (WORDS + 3)
