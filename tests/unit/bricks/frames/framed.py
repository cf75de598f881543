"""Recordings in frames, made by the gateware in Amaranth's simulator."""

import io
import random
import struct
from dataclasses import dataclass, field

from amaranth.sim import Simulator

from sata_recorder.facts.units import SECTOR_WORDS
from sata_recorder.bricks.frames import VrlFramer


class Bytes(io.BytesIO):
    """A source of bytes as the readers take it."""

    @property
    def size(self):
        return len(self.getbuffer())

    def read(self, place, size):
        return bytes(self.getbuffer()[place:place + size])


@dataclass
class Framed:
    """What came in and what went out."""

    content: bytes = b""
    kept: list = field(default_factory=list)        # (number, word) of each word that found room
    offered: int = 0
    lost: int = 0
    clocks: int = 0


def record(*, words, payload=20, user=1.0, drive=1.0, waits=True, stream_id=7, seed=0,
           recordings=1, burst=1, ends=None, sectors=None, within=False):
    """`Framed` of each of some recordings through one framer, one after the other.

    ``user`` and ``drive`` are how likely the one offers, the other takes a word in a clock;
    ``drive`` stays the same for ``burst`` clocks. ``ends``: the words that are the last ones of packets. ``sectors``:
    the room for all frames. ``within``: a recording begins within a packet.
    """
    framer = VrlFramer(payload=payload, waits=waits, packets=ends is not None)
    results = []

    async def script(ctx):
        rng = random.Random(seed)
        for number in range(recordings):
            results.append(await _one(ctx, framer, rng, words, user, drive, burst,
                                      stream_id + number, ends or (), sectors, within))
    simulator = Simulator(framer)
    simulator.add_clock(1e-8)
    simulator.add_testbench(script)
    simulator.run()
    return results


async def _one(ctx, framer, rng, words, user, drive, burst, stream_id, packet_ends, sectors, within):
    result, given = Framed(), []
    if sectors is not None:
        ctx.set(framer.sectors, sectors)
    assert ctx.get(framer.finished)
    ctx.set(framer.stream_id, stream_id)
    ctx.set(framer.begin, 1)
    await ctx.tick()
    ctx.set(framer.begin, 0)
    assert not ctx.get(framer.finished)
    mood = 1
    while not ctx.get(framer.finished):
        before = ctx.get(framer.lost)
        runs = result.offered < words
        offers = runs and rng.random() < user
        word = rng.getrandbits(32)
        mood -= 1
        if not mood:
            takes, mood = rng.random() < drive, burst
        elif not result.clocks:
            takes = True
        ctx.set(framer.i.valid, offers)
        ctx.set(framer.i.payload, word)
        ctx.set(framer.packet_begin, result.offered - 1 in packet_ends if result.offered else not within)
        ctx.set(framer.packet_end, offers and result.offered in packet_ends)
        ctx.set(framer.o.ready, takes)
        moves = offers and ctx.get(framer.i.ready)
        ends = runs and moves and result.offered == words - 1
        ctx.set(framer.finish, ends or not words)
        if ctx.get(framer.o.valid) and takes:
            given.append(ctx.get(framer.o.payload))
        await ctx.tick()
        result.clocks += 1
        if moves:
            if ctx.get(framer.lost) == before:
                result.kept.append((result.offered, word))
            result.offered += 1
        # A word may have a sector of its own, and the drive may take a word in five clocks.
        assert result.clocks < 3 * 5 * 2 * SECTOR_WORDS * (words + 3), "it does not end"
    if ctx.get(framer.o.valid):
        given.append(ctx.get(framer.o.payload))
        ctx.set(framer.o.ready, 1)
        await ctx.tick()
    ctx.set(framer.finish, 0)
    result.lost = ctx.get(framer.lost)
    assert ctx.get(framer.offered) == result.offered
    result.content = struct.pack(f"<{len(given)}I", *given)
    return result
