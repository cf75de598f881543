"""Each word goes to a drive that writes it, in its order, as long as one is left, whichever fail and when."""

import random

import pytest
from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped
from unit.bench import Bench

from sata_recorder.bricks.array.geometry import Division
from sata_recorder.bricks.array.kept_words import KeptWords
from sata_recorder.bricks.array.word_router import WordRouter
from sata_recorder.core.drive_port import Error

LANES, DEPTH = 3, 512
#: Words that a lane takes before it writes the first sector of them.
AHEAD = 256
#: In place of the clock in which a lane fails: 20 clocks after it has got its last word, before it has written it.
FULL = -1


class Routed(wiring.Component):
    """The part to be tested, and the router that it leads."""

    def __init__(self):
        super().__init__({
            "begin": In(1), "words_begin": In(1), "division": In(Division), "next_left": In(48), "following": Out(2),
            "keeps": In(1), "stop": In(1), "done": In(48), "failed": In(LANES), "runs": In(LANES), "stops": Out(LANES),
            "i": In(stream.Signature(32)), "o": Out(stream.Signature(32)), "here": Out(LANES), "owner": Out(2),
            "lane": Out(2), "left_valid": Out(1), "left_lane": Out(2), "left_length": Out(48), "left_ready": In(1),
            "left_error": Out(8), "passed": Out(LANES), "hands": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        m.submodules.kept = kept = KeptWords(LANES, DEPTH)
        m.submodules.router = router = WordRouter(LANES, chunk_shift=7, striped=False)
        connect(m, flipped(self).i, kept.i)
        connect(m, kept.o, flipped(self).o)
        m.d.comb += [
            router.begin.eq(self.words_begin), router.division.eq(self.division), router.next_left.eq(self.next_left),
            router.moves.eq(kept.o.valid & kept.o.ready), router.passes.eq(kept.passes),
            kept.begin.eq(self.begin), kept.keeps.eq(self.keeps), kept.stop.eq(self.stop), kept.done.eq(self.done),
            kept.failed.eq(self.failed), kept.runs.eq(self.runs), kept.error.eq(Error.LINK_LOST),
            kept.lane.eq(router.lane), kept.over.eq(router.over), kept.follows.eq(router.follows),
            kept.left.eq(router.left), kept.left_out.ready.eq(self.left_ready),
            *(shown.eq(own) for shown, own in (
                (self.following, router.following), (self.here, router.here), (self.owner, kept.owner),
                (self.lane, router.lane), (self.stops, kept.stops), (self.left_valid, kept.left_out.valid),
                (self.left_lane, kept.left_out.lane), (self.left_length, kept.left_out.length),
                (self.left_error, kept.left_out.error), (self.passed, kept.passed), (self.hands, kept.hands))),
        ]
        return m


class Lane:
    """A lane with so many sectors: it takes words, and writes a sector of them some time later."""

    def __init__(self, rng, sectors):
        self.rng, self.sectors = rng, sectors
        self.got, self.done, self.runs, self.failed, self.stopped = [], 0, sectors > 0, False, False
        self.room = rng.choice((AHEAD + 150, 2 * DEPTH))    # the second is more than may be kept
        self.full = 0       # clocks since it has got all of its words
        self.pace, self.writes = rng.choice((100, 60, 20)), rng.choice((2, 20, 200))

    def takes(self):
        return self.runs and not self.stopped and len(self.got) < min(128 * self.sectors, 128 * self.done + self.room)

    def clock(self, word, fails):
        """Ends a clock, in which it may have got a ``word``."""
        self.got += [word] if word is not None else []
        self.full += len(self.got) == 128 * self.sectors
        if self.runs and fails:
            self.runs, self.failed = False, True
        elif self.runs:
            ahead = len(self.got) - 128 * self.done
            if self.stopped and ahead <= 0:
                self.runs = False
            elif self.rng.randrange(self.writes) == 0 and (
                    ahead >= AHEAD or ahead > 0 and (self.stopped or self.full > 30)):
                self.done += 1
            if self.done == self.sectors:
                self.runs = False


def bits(flags):
    return sum(bool(flag) << place for place, flag in enumerate(flags))


def word_of(number):
    return number * 0x9E3779B1 & 0xFFFFFFFF


async def begun(bench, shares):
    first = next(lane for lane, share in enumerate(shares) if share)
    bench.set(begin=1, keeps=0, stop=0, i__valid=0, o__ready=0, left_ready=0, failed=0, runs=0)
    await bench.tick()
    bench.set(begin=0, words_begin=1, division__lane=first, division__left=shares[first], division__total=sum(shares),
              division__holds=bits(shares))
    await bench.tick()
    bench.set(words_begin=0, keeps=1)


async def recorded(bench, rng, shares, fails, stop):
    """A recording with so many sectors on each lane. ``fails``: lane to the clock in which it fails, or FULL; it is
    stopped in the clock ``stop``. The lanes, how many words were taken, what was left out, ``passed``, and
    the clock of its end."""
    lanes = [Lane(rng, share) for share in shares]
    await begun(bench, shares)
    taken, left_out, waits, over = 0, [], 0, 0
    pace, late, before = rng.choice((100, 50)), rng.randint(1, 30), 0
    for clock in range(60_000):
        here, owner, following = (bench.get(name) for name in ("here", "owner", "following"))
        to = lanes[here.bit_length() - 1] if here else None
        offers = rng.randrange(100) < pace
        takes = to is not None and to.takes() and rng.randrange(100) < to.pace
        waits = waits + 1 if bench.get("left_valid") else 0
        bench.set(failed=bits(one.failed for one in lanes), runs=bits(one.runs for one in lanes),
                  next_left=before, stop=clock >= stop,
                  done=lanes[owner].done, i__valid=offers, i__payload=word_of(taken), o__ready=takes,
                  left_ready=waits == late)
        if waits == late:
            left_out.append(tuple(bench.get(name) for name in ("left_lane", "left_length", "left_error")))
        before = shares[following] if following < LANES else 0
        word = bench.get("o__payload") if takes and bench.get("o__valid") else None
        taken += offers and bench.get("i__ready")
        stops, hands = bench.get("stops"), bench.get("hands")
        for lane, one in enumerate(lanes):
            one.clock(word if one is to else None, fails.get(lane) == (FULL if one.full == 20 else clock))
            one.stopped |= bool(stops >> lane & 1)
        over = 0 if hands or any(one.runs for one in lanes) else over + 1
        if over == 3:
            break
        await bench.tick()
    else:
        raise AssertionError("it never ends")
    passed = bench.get("passed")
    bench.set(keeps=0)
    await bench.tick(3)
    return lanes, taken, left_out, passed, clock


async def many(bench, seed):
    """Several recordings of one bench: (shares, fails, stop) and what became of each."""
    rng = random.Random(seed)
    for _ in range(3):
        shares = [rng.choice((0, 1, 2, 8)), rng.choice((1, 3)), rng.choice((0, 1, 6))]
        fails = {lane: rng.choice((FULL, rng.randrange(50), rng.randrange(3000)))
                 for lane in range(LANES) if rng.random() < 0.6}
        stop = rng.choice((1 << 20, rng.randrange(2500)))
        yield shares, fails, stop, await recorded(bench, rng, shares, fails, stop)


BENCH = Bench(Routed())


@pytest.mark.parametrize("seed", range(24))
def test_whichever_fail(seed):
    async def script(bench):
        return [one async for one in many(bench, seed)]
    for shares, fails, stop, (lanes, taken, left_out, passed, clock) in BENCH.run(script):
        expected, gone = [word_of(number) for number in range(taken)], []
        for lane, (one, share) in enumerate(zip(lanes, shares)):
            # All that a lane got and wrote are the words that follow those of the lanes before it.
            written = one.got[:128 * one.done]
            assert written == expected[len(gone):len(gone) + len(written)]
            assert one.got == expected[len(gone):len(gone) + len(one.got)]
            gone += written
        last = max(lane for lane, share in enumerate(shares) if share)
        full = lanes[last].done == shares[last]
        # A word is lost only if no sector is left, or no lane.
        assert len(gone) == taken or full or lanes[last].failed
        assert full or lanes[last].failed or stop <= clock
        for lane, length, error in left_out:
            assert lanes[lane].failed and error == Error.LINK_LOST
            assert length == shares[lane] - lanes[lane].done > 0
        assert sorted(lane for lane, _, _ in left_out) == [
            lane for lane in range(LANES) if passed >> lane & 1 and shares[lane] > lanes[lane].done]
