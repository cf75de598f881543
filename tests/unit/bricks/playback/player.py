"""A recorder that plays, and a user with a clock of its own who takes what comes, around a PlaybackStage."""

import random
from dataclasses import dataclass, field

from amaranth.hdl import ClockDomain, Module
from amaranth.sim import Simulator

from sata_recorder.bricks.playback import PlaybackStage
from sata_recorder.core.drive_port import Operation
from sata_recorder.interface.configuration import Configuration

#: Seconds: half a clock of the core.
HALF = 4e-9


@dataclass
class Packet:
    """What the user has got up to a tlast: bytes, and whether the playback was cut."""

    content: bytes = b""
    cut: bool | None = None


@dataclass
class Play:
    """An operation to be: its words, and how it ends.

    ``fails``: after so many words it ends without the last one. ``stops``: in the clock after so many words the user
    stops it; ``late``: clocks from then to its end. ``resets``: after so many words a reset of ``late`` clocks ends it.
    ``refused``: its end comes in the clock after its start. ``follows_stop``: a stop comes in the clock of its start;
    ``ends_with_stop``: in that of its end. ``gap`` = -1: it starts in the clock in which the one before it ends.
    """

    words: list
    operation: Operation = Operation.PLAY
    fails: int | None = None
    stops: int | None = None
    resets: int | None = None
    late: int = 3
    refused: bool = False
    follows_stop: bool = False
    ends_with_stop: bool = False
    gap: int = 3                # clocks before it
    given: int = 0              # words that were taken
    ended: bool = field(default=False)


class Player:
    """A core below a PlaybackStage that plays ``plays``, one after the other, and a user above it.

    ``ratio``: clocks of the user in as many clocks of the core, None: one clock. ``offers``, ``takes``: shares of the
    clocks in which there is a word, and in which the user takes a beat.
    """

    def __init__(self, width, ratio, plays, *, seed=0, offers=1.0, takes=1.0, **options):
        self.configuration = Configuration(
            playback_width=width, playback_clock=ratio is not None, **options)
        self.stage = PlaybackStage(self.configuration)
        self.width, self.ratio, self.plays = width, ratio, plays
        self.offers, self.takes = offers, takes
        self.rng, self.user_rng = random.Random(seed), random.Random(seed + 1)
        self.packets, self.open = [], Packet()
        self.underruns = self.before = 0    # of the packet that runs, counted here
        self.within = False         # its last beat has not been offered
        self._fresh = True          # what comes next is of another one
        self.counted = []           # of each packet: underruns, beats before the first
        self.stands = False         # the clock of the user does
        self.quiet = 0              # clocks of the user without a beat
        self.first = None           # clock of the core in which the first beat was seen
        self.now = 0
        self.stop = False           # in the next clock
        self.stopped = False        # at any time: then what is missing may be dropped
        self.was_reset = False      # and nothing is forgotten
        self._domain = ClockDomain("sync")
        self._shown = None

    # The core ------------------------------------------------------------------------------------

    async def core(self, ctx):
        for play, following in zip(self.plays, [*self.plays[1:], None]):
            for _ in range(play.gap):
                await self._clock(ctx)
            await self._play(ctx, play, following if following and following.gap < 0 else None)
            play.ended = True
        while True:
            await self._clock(ctx)

    async def _play(self, ctx, play, following):
        """``following``: it starts in the last clock of this one."""
        core, control = self.stage.core, self.stage.user.control
        if play.gap >= 0:
            self._start(ctx, play)
            await self._clock(ctx)
        ctx.set(control.start, 0)
        ctx.set(control.stop, 0)
        if play.refused:
            await self._done(ctx)
            return
        ctx.set(core.status.busy, 1)
        for _ in range(8):
            await self._clock(ctx)
        stopped, held = None, False
        while stopped is None or stopped:
            over = play.given >= len(play.words) or play.given == play.fails
            if over and stopped is None:
                break
            if play.given == play.resets:
                await self._reset(ctx, play.late)
                return
            offered = (stopped is None and play.operation is Operation.PLAY
                       and (held or self.rng.random() < self.offers))
            if offered:
                ctx.set(core.o.payload, play.words[play.given])
                ctx.set(core.last, play.given == len(play.words) - 1)
            ctx.set(core.o.valid, offered)
            if stopped is None and play.given == play.stops:
                ctx.set(control.stop, 1)
                stopped = play.late + 1
            taken = await self._clock(ctx)
            play.given += taken
            held = offered and not taken
            ctx.set(control.stop, 0)
            if stopped:
                ctx.set(core.o.valid, 0)
                stopped -= 1
        ctx.set(core.o.valid, 0)
        ctx.set(core.last, 0)
        await self._clock(ctx)
        ctx.set(core.status.busy, 0)
        if following:
            self._start(ctx, following)
        ctx.set(control.stop, play.ends_with_stop)
        await self._done(ctx)
        ctx.set(control.stop, 0)

    def _start(self, ctx, play):
        control = self.stage.user.control
        ctx.set(control.operation, play.operation)
        ctx.set(control.start, 1)
        ctx.set(control.stop, play.follows_stop)

    async def _done(self, ctx):
        done = self.stage.core.status.done
        ctx.set(done, 1)
        await self._clock(ctx)
        ctx.set(done, 0)

    async def _reset(self, ctx, clocks):
        core = self.stage.core
        self.was_reset = True
        ctx.set(core.o.valid, 0)
        ctx.set(core.status.busy, 0)
        ctx.set(self._domain.rst, 1)
        for _ in range(clocks):
            await self._clock(ctx)
        ctx.set(self._domain.rst, 0)

    async def _clock(self, ctx):
        """A clock of the core; returns whether a word was taken in it."""
        core, control = self.stage.core, self.stage.user.control
        stop, self.stop = self.stop, False
        if stop:
            ctx.set(control.stop, 1)
        self.stopped |= bool(ctx.get(control.stop))
        if self.ratio is None:
            self._take(ctx)
        await ctx.delay(HALF / 4)
        if self.ratio is None:
            self._note(ctx)
        taken = ctx.get(core.o.valid) & ctx.get(core.o.ready)
        await ctx.posedge(self._domain.clk)
        self.now += 1
        if stop:
            ctx.set(control.stop, 0)
        return taken

    # The user ------------------------------------------------------------------------------------

    def _take(self, ctx):
        ctx.set(self.stage.user.o.ready, self.user_rng.random() < self.takes)

    def _note(self, ctx):
        user = self.stage.user
        valid, ready = ctx.get(user.o.valid), ctx.get(user.o.ready)
        beat = tuple(int(ctx.get(one)) for one in (
            user.o.payload, user.playback_end.keep, user.last, user.playback_end.cut)) if valid else None
        # What is offered stays.
        assert self._shown is None or beat == self._shown or self.was_reset
        self._shown = beat if valid and not ready else None
        self.quiet = 0 if valid else self.quiet + 1
        missing = self.within and ready and not valid
        if not (missing and self.stopped) and not self.was_reset:
            assert ctx.get(user.playback_end.underrun) == missing
        if missing:
            self.underruns += 1
        if valid and self._fresh:
            self.underruns = self.before = 0
        if valid:
            self.first = self.first or self.now
            self.within, self._fresh = not beat[2], False
        if valid and ready:
            data, keep, last, cut = beat
            size = keep.bit_length()
            assert keep == (1 << size) - 1 and (last or size == self.width // 8) and (last or not cut)
            self.open.content += data.to_bytes(self.width // 8, "little")[:size]
            if not self.underruns and size:
                self.before += 1
            if last:
                self._fresh = True
                self.open.cut = bool(cut)
                self.packets.append(self.open)
                self.counted.append((self.underruns, self.before))
                self.open = Packet()

    async def user(self, ctx):
        up, over = self.ratio
        half = HALF * over / up
        clk = self.stage.user.playback_clock.clk
        while True:
            while self.stands:
                await ctx.delay(half)
            await ctx.delay(half / 2)
            self._take(ctx)
            await ctx.delay(half / 2)
            ctx.set(clk, 0)
            await ctx.delay(half)
            self._note(ctx)
            ctx.set(clk, 1)

    def forget(self):
        """What the user has got before."""
        self.packets, self.open, self.within, self._fresh, self._shown = [], Packet(), False, True, None
        self.was_reset = False

    def run(self, script=None):
        """Plays all, and waits until all has been taken; beside ``script(ctx)`` if there is one."""
        m = Module()
        m.domains.sync = self._domain
        m.submodules.stage = self.stage

        async def until_all_is_played(ctx):
            for _ in range(100_000):
                await ctx.tick()
                if all(play.ended for play in self.plays):
                    break
            else:
                raise AssertionError("the playbacks do not end")
            while self.quiet < 60:
                await ctx.tick()
        simulator = Simulator(m)
        simulator.add_clock(2 * HALF)
        simulator.add_testbench(self.core, background=True)
        if self.ratio is not None:
            simulator.add_testbench(self.user, background=True)
        simulator.add_testbench(script or until_all_is_played)
        simulator.run()
