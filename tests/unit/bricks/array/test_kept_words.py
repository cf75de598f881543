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


def never(lane, clock):
    return False


def when_full(lane, clock):
    """It has got its last word, and not yet written it."""
    return lane.full == 20


class Lane:
    """A lane with so many sectors: it takes words, and writes a sector of them some time later, but only ``most`` of
    them. ``fails(lane, clock)``: it fails in this clock."""

    def __init__(self, rng, sectors, fails=never, *, ahead=AHEAD, room=AHEAD + 150, writes=2, pace=100, most=1000):
        self.rng, self.sectors, self.fails, self.ahead, self.room = rng, sectors, fails, ahead, room
        self.writes, self.pace, self.most = writes, pace, most
        self.got, self.done, self.runs, self.failed, self.stopped = [], 0, sectors > 0, False, False
        self.full = 0       # clocks since it has got all of its words

    def takes(self):
        return self.runs and not self.stopped and len(self.got) < min(128 * self.sectors, 128 * self.done + self.room)

    @property
    def unwritten(self):
        return len(self.got) - 128 * self.done

    def ends(self, clock, word):
        """Ends a ``clock``, in which it may have got a ``word``."""
        self.got += [word] if word is not None else []
        self.full += len(self.got) == 128 * self.sectors
        if self.runs and self.fails(self, clock):
            self.runs, self.failed = False, True
        elif self.runs:
            if self.stopped and self.unwritten <= 0:
                self.runs = False
            elif self.rng.randrange(self.writes) == 0 and self.done < self.most and (
                    self.unwritten >= self.ahead or self.unwritten > 0 and (self.stopped or self.full > 30)):
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


async def recorded(bench, rng, lanes, stop=1 << 20, offered=lambda clock: 1 << 20):
    """A recording on these ``lanes``. It is stopped in the clock ``stop``; until a clock so many words are ``offered``.
    How many words were taken, what was left out, ``passed``, and whether it was stopped."""
    shares = [one.sectors for one in lanes]
    await begun(bench, shares)
    taken, left_out, waits, over = 0, [], 0, 0
    pace, late, before = rng.choice((100, 50)), rng.randint(1, 30), 0
    for clock in range(60_000):
        here, owner, following = (bench.get(name) for name in ("here", "owner", "following"))
        to = lanes[here.bit_length() - 1] if here else None
        offers = taken < offered(clock) and rng.randrange(100) < pace
        takes = to is not None and to.takes() and rng.randrange(100) < to.pace
        waits = waits + 1 if bench.get("left_valid") else 0
        bench.set(failed=bits(one.failed for one in lanes), runs=bits(one.runs for one in lanes), next_left=before,
                  stop=clock >= stop, done=lanes[owner].done, i__valid=offers, i__payload=word_of(taken),
                  o__ready=takes, left_ready=waits == late)
        if waits == late:
            left_out.append(tuple(bench.get(name) for name in ("left_lane", "left_length", "left_error")))
        before = shares[following] if following < LANES else 0
        word = bench.get("o__payload") if takes and bench.get("o__valid") else None
        taken += offers and bench.get("i__ready")
        stops, hands = bench.get("stops"), bench.get("hands")
        for lane, one in enumerate(lanes):
            one.ends(clock, word if one is to else None)
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
    return taken, left_out, passed, clock >= stop


def judge(lanes, taken, left_out, passed, stopped):
    """Each lane has got the words that follow those that the lanes before it have written."""
    expected, written = [word_of(number) for number in range(taken)], 0
    for one in lanes:
        assert one.got == expected[written:written + len(one.got)]
        written += min(len(one.got), 128 * one.done)
    last = max(lane for lane, one in enumerate(lanes) if one.sectors)
    full = lanes[last].done == lanes[last].sectors
    # A word is lost only if no sector is left, or no lane.
    assert written == taken or full or lanes[last].failed
    assert full or lanes[last].failed or stopped
    for lane, length, error in left_out:
        assert lanes[lane].failed and error == Error.LINK_LOST
        assert length == lanes[lane].sectors - lanes[lane].done > 0
    assert [lane for lane, _, _ in left_out] == [
        lane for lane, one in enumerate(lanes) if passed >> lane & 1 and one.sectors > one.done]


def ran(*lanes, **options):
    """The same of a recording that is judged."""
    outcome = BENCH.run(recorded, random.Random(1), lanes, **options)
    judge(lanes, *outcome)
    return outcome


async def many(bench, seed):
    """Several recordings of one bench, with lanes that fail in any clock."""
    rng = random.Random(seed)
    for _ in range(3):
        lanes = []
        for shares in (0, 1, 2, 8), (1, 3), (0, 1, 6):
            at = rng.choice((-1, rng.randrange(50), rng.randrange(3000)))
            lanes.append(Lane(rng, rng.choice(shares), rng.choice((
                never, when_full, *2 * (lambda _, clock, at=at: clock == at,))), pace=rng.choice((100, 60, 20)),
                writes=rng.choice((2, 20, 200)), room=rng.choice((AHEAD + 150, 2 * DEPTH))))
        stop = rng.choice((1 << 20, rng.randrange(2500)))
        judge(lanes, *await recorded(bench, rng, lanes, stop))


BENCH = Bench(Routed())


@pytest.mark.parametrize("seed", range(24))
def test_whichever_fail(seed):
    BENCH.run(many, seed)


def test_no_more_is_taken_than_is_kept():
    """A lane that takes more words than that, and writes none."""
    rng = random.Random(1)
    lanes = Lane(rng, 8, lambda lane, clock: clock == 1500, room=2 * DEPTH, most=0), Lane(rng, 12), Lane(rng, 0)
    ran(*lanes)
    assert DEPTH - 20 < len(lanes[0].got) <= DEPTH and len(lanes[1].got) == 128 * 12


def test_a_stop_needs_no_other_lane():
    """The one that fails has written all its words, and zeros after them: there is nothing to pass over."""
    rng = random.Random(1)
    lanes = [Lane(rng, 4, lambda lane, clock: lane.stopped and lane.unwritten < 0), Lane(rng, 4), Lane(rng, 4)]
    taken, left_out, passed, stopped = ran(*lanes, stop=300)
    assert lanes[0].failed and stopped and not (left_out or passed or lanes[1].got) and taken % 128


def test_what_comes_once_more_is_not_forgotten():
    """A second lane fails when it has written all that it has got of these words; and the recording is stopped."""
    rng = random.Random(1)
    lanes = [Lane(rng, 4, lambda lane, clock: clock == 500, most=0),
             Lane(rng, 4, lambda lane, clock: lane.done == 1, ahead=128, writes=1), Lane(rng, 8)]
    taken, left_out, _, _ = ran(*lanes, stop=520)
    assert [lane for lane, _, _ in left_out] == [0, 1] and len(lanes[1].got) == 128
    assert taken > 256 and len(lanes[2].got) == taken - 128


def test_places_come_round():
    """The words end at the last place when they come once more, and go on after that."""
    rng = random.Random(1)
    lanes = [Lane(rng, 12, lambda lane, clock: clock == 3000, most=6), Lane(rng, 12), Lane(rng, 0)]
    ran(*lanes, offered=lambda clock: 2 * DEPTH if clock < 4000 else 1 << 20)
    assert (len(lanes[0].got), lanes[0].done) == (2 * DEPTH, 6) and len(lanes[1].got) == 128 * 12
