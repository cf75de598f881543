"""A source that cannot wait, in VITA 49 frames: prints what a reader finds on the drive.

The framer runs in Amaranth's simulator. The drive takes a word in half of the clocks, so words are
lost, and the frames say which. With an argument the sectors go to this file, too.
"""

import io
import random
import sys

from amaranth.sim import Simulator

from sata_recorder.bricks.frames import VrlFramer
from sata_recorder.pc.vita49 import AROUND, frames

WORDS = 6000


class Sectors(io.BytesIO):
    """Bytes as the reader takes them: with a size, from any place."""

    size = property(lambda self: len(self.getvalue()))

    def read(self, place, size):
        return self.getvalue()[place:place + size]


def recorded():
    """The bytes that the drive gets."""
    framer = VrlFramer(payload=512 - AROUND, waits=False)
    words = bytearray()

    async def source(ctx):
        ctx.set(framer.stream_id, 1)
        ctx.set(framer.begin, 1)
        await ctx.tick()
        ctx.set(framer.begin, 0)
        ctx.set(framer.i.valid, 1)
        for number in range(WORDS):
            ctx.set(framer.i.payload, number)
            ctx.set(framer.finish, number == WORDS - 1)
            await ctx.tick()
        ctx.set(framer.i.valid, 0)
        ctx.set(framer.finish, 0)

    async def drive(ctx):
        rng = random.Random(1)
        await ctx.tick().repeat(2)
        while not ctx.get(framer.finished) or ctx.get(framer.o.valid):
            takes = rng.random() < 0.5
            ctx.set(framer.o.ready, takes)
            if takes and ctx.get(framer.o.valid):
                words.extend(ctx.get(framer.o.payload).to_bytes(4, "little"))
            await ctx.tick()

    simulator = Simulator(framer)
    simulator.add_clock(1 / 75e6)
    simulator.add_testbench(source)
    simulator.add_testbench(drive)
    simulator.run()
    return bytes(words)


def main(path=None):
    content = recorded()
    if path:
        with open(path, "wb") as file:
            file.write(content)
    expected = 0
    for frame in frames(Sectors(content)):
        if frame.gap_ahead:
            print(f"  {frame.first - expected} words were lost")
        print(f"sector {frame.place // 512:2}, clock {frame.clock:4}: "
              + (f"words {frame.first} to {frame.next_word - 1}" if frame.words else "the end"))
        expected = frame.next_word


if __name__ == "__main__":
    main(*sys.argv[1:])
