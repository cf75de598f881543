"""A user's packets in frames, found again: whole where all of their words are there, and else shown not to be."""

import random
import struct

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from unit.bricks.frames.framed import Bytes, record
from unit.bricks.frames.test_framer import read

from sata_recorder.pc.vita49 import AROUND, VrlFrame, frames, packets

EXAMPLES = settings().max_examples


def lengths_of(seed, words, longest):
    """Random lengths of packets that have so many words together."""
    rng, lengths = random.Random(seed), []
    while sum(lengths) < words:
        lengths.append(min(rng.randint(1, longest), words - sum(lengths)))
    return lengths


def ends_of(lengths):
    return {sum(lengths[:number + 1]) - 1 for number in range(len(lengths))}


def expected(recorded, lengths):
    """(number of the first word, bytes) of each packet all of whose words were kept."""
    kept, found, first = dict(recorded.kept), [], 0
    for length in lengths:
        words = [kept.get(first + place) for place in range(length)]
        if None not in words:
            found.append((first, struct.pack(f"<{length}I", *words)))
        first += length
    return found


@settings(max_examples=EXAMPLES // 12)
@given(seed=st.integers(0, 2**32 - 1), words=st.integers(1, 250), payload=st.integers(1, 150),
       longest=st.sampled_from([1, 3, 40, 400]), user=st.sampled_from([1, 0.6]), drive=st.sampled_from([1, 0.7, 0.2]),
       burst=st.sampled_from([1, 30, 200]), waits=st.booleans())
def test_packets_come_back(seed, words, payload, longest, user, drive, burst, waits):
    assume(words <= 40 * payload)
    lengths = lengths_of(seed, words, longest)
    [recorded] = record(seed=seed, words=words, payload=payload, user=user, drive=drive, burst=burst, waits=waits,
                        ends=ends_of(lengths))
    found, got = read(recorded)
    assert got == recorded.kept and found[-1].last
    split = list(packets(found))
    assert [(one.first, content) for one, content in split if one.whole] == expected(recorded, lengths)
    assert b"".join(content for _, content in split) == struct.pack(
        f"<{len(got)}I", *(word for _, word in got))
    assert all(4 * one.words == len(content) for one, content in split)
    if waits:
        assert all(one.whole for one, _ in split) and len(split) == len(lengths)
    # Only a gap, the end, or a packet makes a frame shorter.
    assert all(len(one.payload) == 4 * payload or one.packet_ends or after.gap_ahead or after.last
               for one, after in zip(found, found[1:]))


@pytest.mark.wide
@pytest.mark.sample(5)
@pytest.mark.parametrize("seed", range(6))
def test_a_loss_within_packets(seed):
    """A drive that is too slow for long: packets are cut, or gone, and no one of them is taken for whole."""
    lengths = lengths_of(seed, 3000, 300)
    [recorded] = record(words=3000, payload=128 - AROUND, drive=0.4, waits=False, seed=seed, ends=ends_of(lengths))
    split = list(packets(frames(Bytes(recorded.content))))
    whole = [(one.first, content) for one, content in split if one.whole]
    assert recorded.lost and whole == expected(recorded, lengths) and len(whole) < len(lengths)


def test_a_frame_that_is_gone():
    """Of the packet whose frame a reader does not find the rest is there, and is not whole."""
    lengths = [300, 50, 20]
    [recorded] = record(words=370, payload=114, ends=ends_of(lengths))
    content = bytearray(recorded.content)
    content[512] ^= 1
    split = list(packets(frames(Bytes(bytes(content)))))
    assert [(one.words, one.whole) for one, _ in split] == [(114, False), (72, False), (50, True), (20, True)]


def test_a_recording_that_begins_within_a_packet():
    [recorded] = record(words=100, payload=30, ends={69, 99}, within=True)
    split = list(packets(frames(Bytes(recorded.content))))
    assert [(one.first, one.words, one.whole) for one, _ in split] == [(0, 70, False), (70, 30, True)]


def test_nothing_is_lost_while_the_drive_is_fast():
    """Up to the end of the room: what a short frame gives back counts at once."""
    [recorded] = record(words=4000, payload=2034, ends=set(range(99, 4000, 100)), sectors=40, waits=False)
    assert recorded.lost == 0 and recorded.offered == 100 * (40 - 16)


@pytest.mark.wide
def test_a_gap_cuts_one_packet():
    """After it words are taken from the begin of a packet on, although the drive is much too slow."""
    lengths = [120] * 100
    [recorded] = record(words=12_000, payload=2034, drive=0.3, waits=False, ends=ends_of(lengths))
    found = list(frames(Bytes(recorded.content)))
    split = list(packets(found))
    whole = [(one.first, content) for one, content in split if one.whole]
    gaps = sum(one.gap_ahead for one in found)
    assert whole == expected(recorded, lengths) and recorded.lost > 4000
    assert len(split) - len(whole) <= gaps < 12


def test_a_packet_whose_frame_has_begun_is_taken():
    """As long as there is room for its words: short packets are lost as a whole when too many frames wait."""
    [recorded] = record(words=400, payload=114, drive=0.3, waits=False, ends=set(range(9, 400, 10)))
    split = list(packets(frames(Bytes(recorded.content))))
    assert recorded.lost % 10 == 0 != recorded.lost and all(one.whole for one, _ in split)


def test_a_packet_that_a_stop_has_cut():
    [recorded] = record(words=100, payload=114, ends={69})
    split = list(packets(frames(Bytes(recorded.content))))
    assert [(one.first, one.words, one.whole) for one, _ in split] == [(0, 70, True), (70, 30, False)]


@pytest.mark.sample(9)
@pytest.mark.parametrize("sectors", range(1, 12))
@pytest.mark.parametrize("waits", [True, False])
def test_the_room_on_the_drive(sectors, waits):
    """Short frames give back what they do not need, and no frame is beyond the end."""
    payload = 256 - AROUND
    [recorded] = record(words=sectors * 8, payload=payload, ends=set(range(7, 1000, 8)), sectors=sectors, waits=waits)
    found = [one for one in frames(Bytes(recorded.content)) if isinstance(one, VrlFrame)]
    assert len(recorded.content) <= 512 * sectors and found[-1].last
    # A sector each, as long as there is room for a longest frame and for the last one; the drive may be too slow.
    assert len(found) == max(0, sectors - 2) + 1 or recorded.lost
