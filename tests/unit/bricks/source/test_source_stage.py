"""Beats of any width, in a clock of their own, as words: none is lost, and all that happens keeps its place."""

import pytest
from unit.bricks.source.sides import HALF, Sides

from sata_recorder.core.drive_port import Operation
from sata_recorder.interface.file import FileState

#: Each width, and each ratio: clocks of the source in clocks of the core; None: the same clock.
ALL = [(8, None), (8, (1, 3)), (16, (3, 1)), (32, (1, 1)), (32, (100, 99)), (64, None), (64, (3, 1)), (128, (1, 3))]
#: With a clock of the source.
CLOCKED = [(width, ratio) for width, ratio in ALL if ratio]
LONG = pytest.mark.long


async def leaves_a_stop(ctx, sides):
    """A recording ends before it has reached a stop: it has not taken the beats before that."""
    await ctx.tick().repeat(60)
    sides.flows = False
    await ctx.tick().repeat(60)
    sides.stop = True
    await ctx.tick().repeat(10)
    sides.done = sides.idle = True


def unlike(one, other, kind):
    """The places of ``kind`` in both; several that wait for the same beat are one."""
    return {*one.positions(kind)} ^ {*other.positions(kind)}


@pytest.mark.sample(9)
@pytest.mark.parametrize("width, ratio", ALL)
@pytest.mark.parametrize("offers, takes", [
    pytest.param(1, 1, marks=LONG), (0.5, 1), (1, 0.5), pytest.param(0.3, 0.2, marks=LONG)])
def test_words_and_places(width, ratio, offers, takes):
    sides = Sides(width, ratio, seed=width, offers=offers, takes=takes)

    async def script(ctx):
        await ctx.tick().repeat(40)
        sides.chance = 0.05
        await ctx.tick().repeat(400)
        sides.chance, sides.takes = 0, 1
        await ctx.tick().repeat(40)
        sides.offers = 0
        await ctx.tick().repeat(200)
    sides.run(script)
    assert len(sides.given.words) > 10 and sides.given.words == sides.got.words
    for kind in ("trigger", "pps"):
        assert sides.got.positions(kind) and not unlike(sides.given, sides.got, kind)
    if not sides.refused and width >= 32:
        assert sorted(sides.given.events) == sorted(sides.got.events)


@pytest.mark.sample(5)
@pytest.mark.parametrize("width, ratio", ALL)
def test_a_word_in_each_clock(width, ratio):
    """At the rate of a word a clock, or of the source if that is lower, there is no bubble."""
    sides = Sides(width, ratio)

    async def script(ctx):
        await ctx.tick().repeat(60)
        before = len(sides.got.words)
        await ctx.tick().repeat(400)
        beats = 400 * ((1, 1) if ratio is None else ratio)[0] / ((1, 1) if ratio is None else ratio)[1]
        assert len(sides.got.words) - before >= min(400, beats * width / 32) - 2
    sides.run(script)


@pytest.mark.sample(5)
@pytest.mark.parametrize("width, ratio", ALL)
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=LONG) for seed in (1, 2, 3))])
def test_a_stop_comes_after_its_word(width, ratio, seed):
    """A word of short beats that it cuts is filled with zeros. Then the words go on: nothing else ends."""
    sides = Sides(width, ratio, seed=seed, offers=0.7, takes=0.6)

    async def script(ctx):
        await ctx.tick().repeat(80)
        for clocks in (1, 7, 60, 61, 3):
            sides.stop = True
            await ctx.tick().repeat(clocks * (1 if ratio is None else ratio[1] + 1))
        sides.takes, sides.offers = 1, 0
        await ctx.tick().repeat(200)
    sides.run(script)
    assert sides.given.words[:len(sides.got.words)] == sides.got.words
    assert len(sides.got.positions("stop")) >= 3 and not unlike(sides.given, sides.got, "stop")


@pytest.mark.sample(3)
@pytest.mark.parametrize("width, ratio", ALL)
def test_a_stop_belongs_to_its_recording(width, ratio):
    """One that has not been reached when the recording ends has no effect on the next one, nor has one in between."""
    sides = Sides(width, ratio)

    async def script(ctx):
        await leaves_a_stop(ctx, sides)
        await ctx.tick().repeat(40)
        sides.stop = True
        await ctx.tick().repeat(40)
        sides.flows = sides.begin = True
        sides.idle = False
        await ctx.tick().repeat(100)
        assert not sides.got.positions("stop")
        sides.stop = True
        await ctx.tick().repeat(100)
    sides.run(script)
    assert sides.got.positions("stop") == sides.given.positions("stop")[-1:]
    assert sides.given.words[:len(sides.got.words)] == sides.got.words


@pytest.mark.sample(3)
@pytest.mark.parametrize("width, ratio", ALL)
def test_no_trigger_after_a_stop(width, ratio):
    """Whatever time the stop takes to end the recording, with and without beats; the next one has its triggers."""
    sides = Sides(width, ratio)

    async def script(ctx):
        for offers in (1, 0):
            sides.begin, sides.offers = True, 1
            await ctx.tick().repeat(80)
            sides.chance = 0.2
            await ctx.tick().repeat(80)
            sides.chance, sides.offers = 0, offers
            await ctx.tick().repeat(40)
            sides.stop = True
            while not sides.got.positions("stop"):
                await ctx.tick()
            triggers = sides.got.positions("trigger")
            assert triggers
            sides.chance = 0.2
            await ctx.tick().repeat(100)
            sides.chance, sides.done = 0, True
            await ctx.tick().repeat(40)
            assert sides.got.positions("trigger") == triggers
            sides.got.events.clear()
    sides.run(script)


@pytest.mark.sample(3)
@pytest.mark.parametrize("width, ratio", ALL)
def test_the_end_of_a_file(width, ratio):
    """Each number of bytes in its last beat."""
    sides = Sides(width, ratio, offers=0.8, takes=0.7, files=True)

    async def script(ctx):
        await ctx.tick().repeat(60)
        for size in range(1, width // 8 + 1):
            sides.last = size
            while sides.last is not None:
                await ctx.tick()
            await ctx.tick().repeat(11)
        sides.offers = 0
        await ctx.tick().repeat(200)
    sides.run(script)
    ends = [one for one in sides.given.events if one[0][0] == "last"]
    assert len(ends) == width // 8 and [one for one in sides.got.events if one[0][0] == "last"] == ends
    assert sides.given.words == sides.got.words


@pytest.mark.sample(10)
@pytest.mark.parametrize("width, ratio", CLOCKED)
def test_a_source_that_does_not_wait(width, ratio):
    """No recording begins with old words; what finds no room is counted, and how much came before it."""
    sides = Sides(width, ratio, source_waits=False, offers=min(1, 16 / width * ratio[1] / ratio[0]), flows=False)
    shown = sides.stage.user.source_loss

    def got(begin, end=None):
        return b"".join(word.to_bytes(4, "little") for word in sides.got.words[begin:end])

    async def script(ctx):
        await ctx.tick().repeat(300)
        old = len(sides.offered)
        for _ in range(2):
            sides.refused, begin = 0, len(sides.got.words)
            sides.flows = sides.begin = True
            await ctx.tick().repeat(200)
            sides.takes = 0
            await ctx.tick().repeat(2)
            assert ctx.get(shown.lost) == 0 and ctx.get(shown.intact) == len(sides.got.words) - begin
            sides.takes = 1
            first = sides.offered.index(got(begin))
            assert first >= old - 8 * max(4, width // 8)
            intact = []
            for clocks in (700, 500):
                sides.flows = False
                await ctx.tick().repeat(clocks)
                sides.flows = True
                await ctx.tick().repeat(300)
                intact.append(ctx.get(shown.intact))
            assert ctx.get(shown.lost) == sides.refused > 0 and intact[0] == intact[1]
            whole = got(begin, begin + intact[0])
            assert sides.offered[first:].startswith(whole)
            # The next word has a beat after the gap, or was not there.
            assert not sides.offered[first:].startswith(got(begin, begin + intact[0] + 1))
            sides.flows, sides.done = False, True
            await ctx.tick().repeat(300)
            old = len(sides.offered)
            assert ctx.get(shown.lost) == sides.refused
    sides.run(script)


@pytest.mark.sample(5)
@pytest.mark.parametrize("operation", [Operation.PLAY, Operation.FLUSH])
@pytest.mark.parametrize("count", [1, 2, 5])
def test_operations_between_two_recordings(operation, count):
    """What comes after beats that a recording has left has no effect on the next, whatever is between them; nor
    has the source on an operation that takes no words."""
    sides = Sides(64, (1, 1))

    async def script(ctx):
        await leaves_a_stop(ctx, sides)
        await ctx.tick().repeat(20)
        sides.operation = operation
        for clocks in range(1, count + 1):
            sides.begin = True
            await ctx.tick().repeat(clocks)
            sides.stop = True
            await ctx.tick().repeat(10)
            sides.done = True
            await ctx.tick().repeat(clocks)
        sides.operation, sides.flows, sides.begin = Operation.RECORD, True, True
        await ctx.tick().repeat(100)
    sides.run(script)
    assert not sides.got.positions("stop") and sides.given.words[:len(sides.got.words)] == sides.got.words


@pytest.mark.sample(9)
@pytest.mark.parametrize("ratio", [None, (1, 1), (7, 1), (1, 10)])
@pytest.mark.parametrize("waits", [True, False])
@pytest.mark.parametrize("gap", [0, 1])
def test_a_stop_that_finds_no_room_is_of_its_recording(ratio, waits, gap):
    """The next one begins in the clock of the end or in the one after it, before the source can see that."""
    if ratio is None and not waits:
        pytest.skip("is on_overflow = drop")
    sides = Sides(32 if ratio else 64, ratio, source_waits=waits)

    async def script(ctx):
        await ctx.tick().repeat(100)
        for _ in range(3):
            sides.flows = False
            await ctx.tick().repeat(400)
            sides.stop = True
            await ctx.tick().repeat(40)
            sides.done = True
            if gap:
                await ctx.tick()
            sides.flows = sides.begin = True
            await ctx.tick().repeat(400)
    sides.run(script)
    assert not sides.got.positions("stop") and len(sides.given.positions("stop")) == 3


@pytest.mark.sample(3)
@pytest.mark.parametrize("width, ratio", ALL)
def test_a_trigger_beside_the_first_word(width, ratio):
    """It comes with it, although the recorder is not ready for long after the start."""
    sides = Sides(width, ratio, flows=False, offers=0)

    async def script(ctx):
        await ctx.tick().repeat(60)
        sides.begin = True
        await ctx.tick().repeat(60)
        sides.offers = sides.chance = 1
        while not sides.given.positions("trigger"):
            await ctx.tick()
        sides.chance = 0
        await ctx.tick().repeat(60)
        assert not sides.got.positions("trigger")
        sides.flows = True
        await ctx.tick().repeat(100)
    sides.run(script)
    assert sides.got.positions("trigger") == sides.given.positions("trigger")


@pytest.mark.sample(11)
@pytest.mark.parametrize("ratio", [(1, 1), (3, 2), (5, 2), (3, 1), (7, 1), (1, 3)])
@pytest.mark.parametrize("clocks", [1, 20])
@pytest.mark.parametrize("stands", [True, False])
def test_a_reset(ratio, clocks, stands):
    """Of any length, while the clock of the source stands still, too: nothing of before comes after it."""
    sides = Sides(32, ratio)

    async def script(ctx):
        await ctx.tick().repeat(100)
        sides.stands = stands
        await ctx.tick().repeat(3)
        sides.reset(ctx, 1)
        await ctx.delay(2 * HALF * clocks)
        sides.forget()
        sides.reset(ctx, 0)
        await ctx.tick().repeat(5)
        sides.stands = False
        sides.begin = True
        await ctx.tick().repeat(200)
    sides.run(script)
    assert len(sides.got.words) > 50 and sides.given.words[:len(sides.got.words)] == sides.got.words


@pytest.mark.sample(5)
@pytest.mark.parametrize("gap", [1, 5, pytest.param(30, marks=LONG), pytest.param(100, marks=LONG)])
@pytest.mark.parametrize("width, ratio, depth", [
    (32, (1, 1), 16), (32, (3, 1), 16), (64, (1, 3), 64), (64, (1, 1), 256),
    *(pytest.param(128, ratio, 64, marks=LONG) for ratio in [(1, 10), (1, 1), (7, 1)])])
def test_each_gap_is_counted(width, ratio, depth, gap):
    """Of a source that never stops and is too fast: what is between the beats of a recording, and nothing else."""
    sides = Sides(width, ratio, source_waits=False, source_depth=depth, takes=0.5, flows=False)
    shown, words, size, counted, over = sides.stage.user.source_loss, width // 32, width // 8, [], [0]

    async def script(ctx):
        await ctx.tick().repeat(600)
        sides.flows = True
        for number in range(4):
            begin = len(sides.got.words)
            sides.begin = True
            await ctx.tick().repeat(300 + 37 * number)
            sides.done = True
            over.append(len(sides.offered) // size)
            await ctx.tick().repeat(2)
            sides.flows = False
            await ctx.tick().repeat(gap)
            counted.append((begin, len(sides.got.words), ctx.get(shown.lost), ctx.get(shown.intact)))
            sides.flows = True
    sides.run(script)
    places = {bytes(sides.offered[at:at + size]): at // size for at in range(0, len(sides.offered), size)}
    for (begin, end, lost, intact), before in zip(counted, over):
        # A recording may end within a beat.
        end -= (end - begin) % words
        stream = b"".join(word.to_bytes(4, "little") for word in sides.got.words[begin:end])
        at = [places[stream[n:n + size]] for n in range(0, len(stream), size)]
        gaps = [after - before - 1 for before, after in zip(at, at[1:])]
        assert min(gaps) >= 0 and len(at) > 20 and at[0] >= before
        # What was lost before a beat at whose first words it ends counts, too.
        assert sum(gaps) == lost if words == 1 else sum(gaps) <= lost
        assert intact // words == next((n + 1 for n, one in enumerate(gaps) if one), intact // words)


@pytest.mark.sample(5)
@pytest.mark.parametrize("refused", range(6))
def test_events_of_a_recording_after_others(refused):
    """However many have ended while their boundaries wait for room in the FIFO."""
    sides = Sides(64, (1, 1))

    async def script(ctx):
        await ctx.tick().repeat(60)
        sides.flows = False
        await ctx.tick().repeat(60)
        sides.done = True
        await ctx.tick().repeat(3)
        for _ in range(refused):
            sides.begin = True
            await ctx.tick().repeat(4)
            sides.done = True
            await ctx.tick().repeat(3)
        sides.begin = sides.flows = True
        await ctx.tick().repeat(30)
        sides.stop = True
        await ctx.tick().repeat(100)
    sides.run(script)
    assert len(sides.given.positions("stop")) == 1 and not unlike(sides.given, sides.got, "stop")


@pytest.mark.parametrize("stop", [True, False])
def test_a_start_of_a_file_in_the_clock_of_its_release(stop):
    """It is refused, and what the user does then is no recording of files."""
    sides = Sides(64, (1, 1), files=True, flows=False, offers=0)

    async def script(ctx):
        await ctx.tick().repeat(60)
        sides.begin = True
        await ctx.tick()
        sides.state = FileState.RELEASED
        sides.done = True
        await ctx.tick().repeat(10)
        sides.stop = stop
        await ctx.tick().repeat(30)
    sides.run(script)
    assert not sides.got.positions("stop") and len(sides.given.positions("stop")) == stop


def test_a_trigger_that_waits_comes_before_the_stop_after_it():
    sides = Sides(64, (1, 1), takes=1)

    async def script(ctx):
        await ctx.tick().repeat(60)
        sides.flows = False
        await ctx.tick().repeat(60)
        sides.chance = 1
        await ctx.tick().repeat(2)
        sides.chance = 0
        sides.stop = True
        await ctx.tick().repeat(2)
        sides.flows = True
        await ctx.tick().repeat(60)
    sides.run(script)
    assert sides.got.positions("trigger") == sides.got.positions("stop") and sides.got.positions("stop")
