"""Words as beats of any width, in a clock of their own: none is lost, and each playback has its end."""

import random

import pytest
from unit.bricks.playback.player import Play, Player

from sata_recorder.core.drive_port import Operation

#: Each width, and each ratio: clocks of the user in clocks of the core; None: the same clock.
ALL = [(8, None), (8, (3, 1)), (16, (1, 3)), (32, (1, 1)), (32, (100, 99)), (64, None), (64, (1, 3)), (128, (3, 1))]
LONG = pytest.mark.long


def words(rng, count):
    return [rng.getrandbits(32) for _ in range(count)]


def content(play):
    return b"".join(word.to_bytes(4, "little") for word in play.words[:play.given])


def got(player):
    return [(packet.content, packet.cut) for packet in player.packets]


@pytest.mark.sample(9)
@pytest.mark.parametrize("width, ratio", ALL)
@pytest.mark.parametrize("offers, takes", [
    pytest.param(1, 1, marks=LONG), (0.5, 1), (1, 0.5), pytest.param(0.3, 0.2, marks=LONG)])
def test_words(width, ratio, offers, takes):
    """Of playbacks of any length, also of one that is no multiple of a beat."""
    rng = random.Random(width)
    plays = [Play(words(rng, count)) for count in (128, 1, 37, 2, 64)]
    player = Player(width, ratio, plays, offers=offers, takes=takes)
    player.run()
    assert got(player) == [(content(play), False) for play in player.plays]


@pytest.mark.sample(5)
@pytest.mark.parametrize("width, ratio", ALL)
def test_a_word_in_each_clock(width, ratio):
    """At the rate of a word a clock, or of the user if that is lower, there is no bubble. Words cross to the user's
    clock in groups of some."""
    player = Player(width, ratio, [Play(words(random.Random(1), 2000))])

    async def script(ctx):
        await ctx.tick().repeat(100)
        before = player.plays[0].given
        await ctx.tick().repeat(1000)
        up, over = (1, 1) if ratio is None else ratio
        assert player.plays[0].given - before >= min(1000, 1000 * up * width / (32 * over)) - 6
    player.run(script)


@pytest.mark.sample(5)
@pytest.mark.parametrize("width, ratio", ALL)
@pytest.mark.parametrize("takes", [pytest.param(1, marks=LONG), 0.3])
def test_a_playback_that_fails_has_its_end(width, ratio, takes):
    """With the words that came; the next one begins with a beat of its own."""
    rng = random.Random(width)
    plays = [Play(words(rng, 128), fails=fails, gap=gap) for fails, gap in (
        (1, 0), (0, 0), (40, 0), (None, 1), (3, 0), (70, 5), (None, 0))]
    player = Player(width, ratio, plays, takes=takes)
    player.run()
    assert got(player) == [(content(play), play.fails is not None) for play in plays if play.given]


@pytest.mark.wide
@pytest.mark.sample(10)
@pytest.mark.parametrize("width, ratio", ALL)
@pytest.mark.parametrize("takes, late", [(0.1, 1), *(pytest.param(takes, late, marks=LONG) for takes, late in (
    (1, 0), (1, 1), (1, 30), (0.5, 0), (0.5, 30), (0.1, 0), (0.1, 30)))])
def test_a_stop_drops_what_waits(width, ratio, takes, late):
    """It takes no word of the next playback, which comes at once, and each one that began has its end."""
    rng = random.Random(width)
    plays = [Play(words(rng, 128), stops=stops, gap=gap, late=late) for stops, gap in (
        (50, 0), (None, 0), (1, 0), (None, 0), (0, 0), (127, 0), (None, 1), (128, 0), (None, 5))]
    plays[-2].words = plays[-2].words[:127] + plays[-2].words[:1]
    player = Player(width, ratio, plays, takes=takes, playback_depth=64)
    player.run()
    begun = [play for play in plays if play.given]
    assert len(player.packets) == len(begun)
    after = False
    for packet, play in zip(player.packets, begun):
        assert content(play).startswith(packet.content)
        whole = packet.content == content(play) and len(content(play)) == 4 * len(play.words)
        # One before a stop may lose its end, too: it may still be in the FIFO.
        assert packet.cut != whole or (packet.cut and len(packet.content) % 4 == 0)
        assert whole or play.stops is not None or plays[plays.index(play) + 1].stops is not None
        after = packet.cut
    assert not after and got(player)[-1] == (content(plays[-1]), False)


@pytest.mark.sample(3)
@pytest.mark.parametrize("width, ratio", ALL)
def test_a_stop_after_the_operation(width, ratio):
    """What is left in the FIFO is dropped, and its end comes."""
    rng = random.Random(3)
    player = Player(width, ratio, [Play(words(rng, 40))], takes=0, playback_depth=64)
    seen = {}

    async def script(ctx):
        await ctx.tick().repeat(200)
        assert player.plays[0].ended and not player.packets
        # One beat is offered, and one or two are on their way to it.
        beats = 40 if width < 64 else 40 * 32 // width
        assert beats - 3 <= ctx.get(player.stage.user.playback.level) <= beats
        player.stop = True
        await ctx.tick().repeat(100)
        player.takes = 1
        await ctx.tick().repeat(300)
        seen["level"] = ctx.get(player.stage.user.playback.level)
    player.run(script)
    packet, = player.packets
    # A beat that was offered stays.
    assert packet.cut and packet.content == content(player.plays[0])[:width // 8] and seen["level"] == 0


@pytest.mark.parametrize("gap", [3, -1])
def test_a_stop_of_a_recording_is_none_of_a_playback(gap):
    """Which is still in the FIFO; the recording may start in the clock in which that ends."""
    rng = random.Random(3)
    plays = [Play(words(rng, 40)), Play(words(rng, 5), operation=Operation.RECORD, stops=0, late=40, gap=gap)]
    player = Player(64, (1, 3), plays, takes=0.2, playback_depth=64)
    player.run()
    assert got(player) == [(content(plays[0]), False)]


@pytest.mark.sample(3)
@pytest.mark.parametrize("ratio, fill", [(None, 8), ((1, 1), 60), ((1, 10), 60), *(
    pytest.param(ratio, fill, marks=LONG) for ratio in (None, (1, 1), (7, 1), (1, 10)) for fill in (0, 1, 8, 59, 60))])
def test_a_playback_begins_once_enough_is_there(ratio, fill):
    """Or all of it; then nothing is missing, where the core is as fast."""
    rng = random.Random(5)
    plays = [Play(words(rng, 900), gap=800), Play(words(rng, 6), gap=800), Play(words(rng, 4), gap=0),
             Play(words(rng, 2), gap=800)]
    player = Player(64, ratio, plays, offers=0.7, playback_depth=64, playback_fill=fill)
    begins = []

    async def script(ctx):
        play = plays[0]
        while player.first is None:
            await ctx.tick()
            assert player.now < 5000
        begins.append(play.given)
        while not plays[-1].ended:
            await ctx.tick()
        await ctx.tick().repeat(800)
    player.run(script)
    assert begins[0] >= 2 * fill and got(player) == [(content(play), False) for play in plays]
    if ratio == (1, 10) and fill > 1:
        assert player.counted[0][0] == 0


@pytest.mark.wide
def test_a_playback_begins_with_its_own_beats():
    """Not with the last one of the playback before it; and it does not wait for the next one."""
    rng = random.Random(5)
    plays = [Play(words(rng, 40)), Play(words(rng, 400), gap=0)]
    player = Player(64, (3, 1), plays, offers=0.05, takes=0.9, playback_depth=64, playback_fill=30)
    begins = []

    async def script(ctx):
        while len(player.packets) < 1:
            await ctx.tick()
        begins.append(plays[1].given)
        player.first = None
        while player.first is None:
            await ctx.tick()
        begins.append(plays[1].given)
        while len(player.packets) < 2:
            await ctx.tick()
    player.run(script)
    assert begins[0] < 10 and begins[1] >= 60 and got(player) == [(content(play), False) for play in plays]


@pytest.mark.sample(5)
@pytest.mark.parametrize("ratio", [None, (1, 1), (2, 1), (3, 1), (4, 1), (1, 3)])
@pytest.mark.parametrize("gap", [0, 1, *(pytest.param(gap, marks=LONG) for gap in (2, 3, 4, 5))])
def test_an_operation_that_is_refused_in_the_clock_of_a_stop(ratio, gap):
    rng = random.Random(9)
    plays = [Play(words(rng, 40)), Play([0], gap=gap, follows_stop=True, refused=True), Play(words(rng, 20), gap=9)]
    player = Player(64, ratio, plays, takes=0.03, playback_depth=64)
    player.run()
    assert got(player)[1:] == [(content(plays[2]), False)] and player.packets[0].cut


def test_another_stage_that_keeps_the_core_busy():
    """A short playback begins, and a stop meanwhile drops nothing of the next one."""
    rng = random.Random(10)
    plays = [Play(words(rng, 20)), Play(words(rng, 30), gap=600)]
    player = Player(64, (1, 1), plays, playback_depth=64, playback_fill=50)

    async def script(ctx):
        while not plays[0].ended:
            await ctx.tick()
        ctx.set(player.stage.core.status.busy, 1)
        await ctx.tick().repeat(300)
        assert got(player) == [(content(plays[0]), False)]
        player.stop = True
        await ctx.tick().repeat(10)
        ctx.set(player.stage.core.status.busy, 0)
        while not plays[1].ended:
            await ctx.tick()
        await ctx.tick().repeat(200)
    player.run(script)
    assert got(player) == [(content(play), False) for play in plays]


@pytest.mark.sample(10)
@pytest.mark.parametrize("width, ratio", ALL)
def test_what_is_missing_is_counted(width, ratio):
    rng = random.Random(6)
    plays = [Play(words(rng, 300), gap=400), Play(words(rng, 64), gap=400)]
    player = Player(width, ratio, plays, offers=0.05, takes=0.7)
    counted = []

    async def script(ctx):
        shown = player.stage.user.playback
        for number in range(2):
            while len(player.packets) == number:
                await ctx.tick()
            await ctx.tick().repeat(200)
            counted.append((ctx.get(shown.underruns), ctx.get(shown.intact)))
            player.offers = 1
            player.takes = 0.2
    player.run(script)
    assert counted == player.counted and counted[0][0] > 10 and counted[1][0] < counted[0][0]


@pytest.mark.sample(3)
@pytest.mark.parametrize("ratio", [None, (3, 1)])
@pytest.mark.parametrize("fails", [None, 33])
def test_a_stop_in_the_clock_of_the_end(ratio, fails):
    """It drops what waits, and nothing of the next playback."""
    rng = random.Random(13)
    plays = [Play(words(rng, 40), fails=fails, ends_with_stop=True), Play(words(rng, 30), gap=0)]
    player = Player(64, ratio, plays, takes=0.03, playback_depth=64)
    player.run()
    first, second = got(player)
    assert first[1] and content(plays[0]).startswith(first[0]) and second == (content(plays[1]), False)


@pytest.mark.parametrize("ratio", [None, (3, 1)])
def test_a_stop_while_nothing_is_there(ratio):
    """Although the FIFO has less than it is to hold before a playback."""
    rng = random.Random(11)
    plays = [Play([0], gap=40, follows_stop=True, refused=True), Play(words(rng, 30), gap=9)]
    player = Player(64, ratio, plays, playback_fill=12)
    player.run()
    assert got(player) == [(content(plays[1]), False)]


@pytest.mark.parametrize("end", [{"fails": 64}, {"stops": 64, "late": 300}])
def test_an_early_end_is_no_underrun(end):
    """Nor is the beat without a word that marks it one before the first."""
    rng = random.Random(12)
    player = Player(64, None, [Play(words(rng, 200), gap=40, **end)], takes=0.2, playback_fill=12)
    counted = []

    async def script(ctx):
        shown = player.stage.user.playback
        while not player.packets:
            await ctx.tick()
        await ctx.tick().repeat(20)
        counted.append((ctx.get(shown.underruns), ctx.get(shown.intact)))
    player.run(script)
    packet, = player.packets
    assert packet.cut and counted == [(0, len(packet.content) // 8)]


@pytest.mark.sample(13)
@pytest.mark.parametrize("ratio", [(1, 1), (3, 2), (5, 2), (3, 1), (7, 1), (1, 3)])
@pytest.mark.parametrize("clocks", [1, 20])
@pytest.mark.parametrize("stands", [True, False])
def test_a_reset(ratio, clocks, stands):
    """Of any length, while the clock of the user stands still, too: nothing of before comes after it."""
    rng = random.Random(8)
    plays = [Play(words(rng, 60), resets=15, late=clocks, gap=60), Play(words(rng, 200), gap=100)]
    player = Player(32, ratio, plays, takes=0.2)

    async def script(ctx):
        while not plays[0].ended:
            await ctx.tick()
            player.stands = stands and plays[0].given > 10
        if not stands:
            await ctx.tick().repeat(3)
        player.stands = False
        player.forget()
        player.takes = 1
        while not plays[1].ended:
            await ctx.tick()
        await ctx.tick().repeat(400)
    player.run(script)
    assert got(player) == [(content(plays[1]), False)]
