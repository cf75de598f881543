"""Channels of a recording, from its frames: their bytes, and what is not there."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from unit.bricks.frames.framed import Bytes
from unit.pc.vita49.channel_frames import content_of, frame, packet

from sata_recorder.pc.vita49 import ChannelReader, frames

CHANNELS = 3


def read(content, channel):
    reader = ChannelReader(channel)
    return reader, b"".join(reader.parts(frames(Bytes(content))))


def recording(rng, count):
    """Packets of some channels; of each channel (words before, words lost before, bytes) of its packets."""
    packets, told, places = [], [[] for _ in range(CHANNELS)], [0] * CHANNELS
    for _ in range(count):
        channel = rng.randrange(CHANNELS)
        lost = rng.choice((0, 0, 0, rng.randint(1, 1 << 20)))
        content = rng.randbytes(4 * rng.randint(1, 30))
        places[channel] += lost
        packets.append((channel, packet(channel, places[channel], content, lost=lost > 0)))
        told[channel].append((lost, content))
        places[channel] += len(content) // 4
    for channel in range(CHANNELS):
        content = rng.randbytes(rng.randint(0, 21))
        packets.append((channel, packet(channel, places[channel], content, ends=True)))
        told[channel].append((0, content))
    return packets, told


@given(seed=st.integers(0, 2**32 - 1), count=st.integers(0, 20))
def test_each_channel(seed, count):
    packets, told = recording(random.Random(seed), count)
    content = b"".join(content_of([one for _, one in packets]))
    for channel in range(CHANNELS):
        reader, got = read(content, channel)
        lost, before = [], 0
        for words, part in told[channel]:
            lost += [(before, words)] if words else []
            before += len(part)
        assert got == b"".join(part for _, part in told[channel])
        assert (reader.lost, reader.missing, reader.complete, reader.bytes) == (lost, [], True, len(got))
        assert reader.channels == set(range(CHANNELS)) and reader.recording_ends and reader.later is None


@given(seed=st.integers(0, 2**32 - 1), count=st.integers(1, 20), data=st.data())
def test_a_frame_that_is_gone(seed, count, data):
    """Words of its channel are missing, as many as it had; what of a gap was lost before is not told apart. Others have
    all of theirs."""
    packets, told = recording(random.Random(seed), count)
    gone = data.draw(st.integers(0, len(packets) - 1))
    content = content_of([one for _, one in packets])
    content[gone] = bytes(len(content[gone]))
    for channel in range(CHANNELS):
        reader, got = read(b"".join(content), channel)
        whole = b"".join(part for _, part in told[channel])
        if packets[gone][0] != channel:
            assert got == whole and reader.complete and not reader.others
            assert sum(words for _, words in reader.lost + reader.missing) == sum(
                words for words, _ in told[channel])
            continue
        number = [place for place, (one, _) in enumerate(packets) if one == channel].index(gone)
        before, after = told[channel][:number], told[channel][number + 1:]
        assert got == b"".join(part for _, part in before + after)
        assert reader.complete == bool(after)
        if after:
            words = told[channel][number][0] + len(told[channel][number][1]) // 4 + after[0][0]
            assert (sum(len(part) for _, part in before), words) in reader.missing
            assert len(reader.missing) == 1


def test_numbers_that_wrap():
    """A channel of more than 2^32 words."""
    first = (1 << 32) - 3
    packets = [packet(1, first, bytes(20), lost=True), packet(1, first + 5, b"ab", ends=True)]
    reader, got = read(b"".join(content_of(packets)), 1)
    assert got == bytes(20) + b"ab" and reader.lost == [(0, first)] and reader.missing == [] and reader.complete


def test_what_follows_a_recording():
    """Frames of an older one are not read, with another stream identifier or the same."""
    first = b"".join(content_of([packet(0, 0, b"new!"), packet(0, 1, b"", ends=True)]))
    for stream_id, end in ((8, True), (7, True), (7, False)):
        older = b"".join(content_of([packet(0, 0, b"old!")] * 3, stream_id=stream_id))
        reader, got = read((first if end else first[:1024]) + older, 0)
        assert got == b"new!" and reader.later == (len(first) if end else 1024) and reader.complete


@pytest.mark.parametrize("payload", [b"", b"1234", b"12345678", packet(0, 0, b"abcd")[:-4], packet(0, 0, b"")[:4]])
def test_frames_without_a_packet_of_a_channel(payload):
    reader, got = read(frame(0, 0, payload) + frame(1, len(payload) // 4, b"", last=True), 0)
    assert (got, reader.others, reader.channels, reader.complete) == (b"", 1, set(), False)


def test_a_recording_without_its_first_frames():
    content = content_of([packet(0, 0, b"abcd"), packet(0, 1, b"efgh"), packet(0, 2, b"i", ends=True)])
    reader, got = read(b"".join(content[1:]), 0)
    assert got == b"efghi" and reader.missing == [(0, 1)] and reader.lost == [] and reader.complete


def test_older_frames_in_sectors_that_were_passed_over():
    """The recording goes on after them, and all that the sectors should have had is missing."""
    content = content_of([packet(0, 0, b"abcd"), packet(1, 0, b"1234"), packet(0, 1, b"efgh"), packet(1, 1, b"56"),
                          packet(0, 2, b"i", ends=True), packet(1, 2, b"", ends=True)])
    content[2] = frame(1, 6, packet(0, 1, b"old!"), stream_id=6)
    for channel, whole, missing in ((0, b"abcdi", [(4, 1)]), (1, b"123456", [])):
        reader, got = read(b"".join(content), channel)
        assert (got, reader.missing, reader.lost, reader.complete, reader.later) == (whole, missing, [], True, None)
        assert reader.recording_ends


def test_the_rest_of_a_packet_is_none():
    """Of a frame whose packet began before it the first words are no head, whatever they are."""
    whole = frame(0, 0, packet(0, 0, b"abcd"))
    reader, got = read(whole + frame(1, 3, packet(0, 1, b"efgh"), begins=False), 0)
    assert got == b"abcd" and reader.others == 1
