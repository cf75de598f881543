"""A source with a clock of its own, and a recorder that notes what comes, around a SourceStage."""

import random
from dataclasses import dataclass, field

from amaranth.hdl import ClockDomain, Module
from amaranth.sim import Simulator

from sata_recorder.core.drive_port import Operation
from sata_recorder.interface.file import FileState
from sata_recorder.bricks.source import SourceStage
from sata_recorder.interface.configuration import Configuration

#: Seconds: half a clock of the core.
HALF = 4e-9


@dataclass
class Log:
    """What the source has given, or what the recorder has got: words, and (kind, words before it)."""

    words: list = field(default_factory=list)
    events: list = field(default_factory=list)

    def note(self, kind):
        self.events.append((kind, len(self.words)))

    def positions(self, kind):
        return [place for name, place in self.events if name == kind]


class Sides:
    """A source at a SourceStage of ``width`` bits, and a recorder below it.

    ``ratio``: clocks of the source in as many clocks of the core, None: one clock. ``offers``, ``takes``: shares of
    the clocks in which there is a beat, and room for a word. ``chance`` of a trigger or a pulse in a clock.
    """

    def __init__(self, width, ratio, *, seed=0, offers=1.0, takes=1.0, chance=0.0, files=False, flows=True,
                 **options):
        clock = {} if ratio is None else {"source_clock": True}
        self.configuration = Configuration(
            source_width=width, **({"extents": "modes"} | clock | {"files": files} | options))
        self.stage = SourceStage(self.configuration)
        self.width, self.ratio, self.chance = width, ratio, chance
        self.offers, self.takes = offers, takes
        self.rng, self.core_rng = random.Random(seed), random.Random(seed + 1)
        self.given, self.got = Log(), Log()
        self.offered = bytearray()  # by a source that does not wait
        self.state = FileState.OFFLINE
        self.refused = 0            # beats that found no room
        self.flows = flows          # a recording runs
        self.busy = False           # an operation runs
        self.begin = flows          # one begins in the next clock, this one:
        self.operation = Operation.RECORD
        self.stop = self.done = False       # in the next clock
        self.stands = False         # the clock of the source does
        self.idle = False           # a stop has no effect
        self.last = None            # bytes of the next new beat that end a file
        self._domain = ClockDomain("sync")
        self._bits, self._held, self._ends = [], None, None

    # The source ----------------------------------------------------------------------------------

    def _offer(self, ctx, was):
        """Sets the pins of the source for a clock; returns what is set."""
        user, rng = self.stage.user, self.rng
        if self._held is None and rng.random() < self.offers:
            self._held = rng.getrandbits(self.width)
            self._ends, self.last = self.last, None
        pins = {"valid": self._held is not None, "data": self._held or 0}
        for name in ("trigger", "pps"):
            pins[name] = rng.random() < self.chance and not was.get(name)
            ctx.set(getattr(user.source_trigger, name), pins[name])
        pins["stop"] = self.stop and not was.get("stop")
        self.stop = self.stop and not pins["stop"]
        ctx.set(user.source.stop, pins["stop"])
        if self.configuration.files:
            ctx.set(user.file_end.last, self._ends is not None)
            ctx.set(user.file_end.keep, (1 << (self._ends or 0)) - 1)
        ctx.set(user.i.valid, pins["valid"])
        ctx.set(user.i.payload, pins["data"])
        return pins

    def _note(self, ctx, pins):
        """What the source sees in the end of the clock."""
        ready = ctx.get(self.stage.user.i.ready)
        for name in ("trigger", "pps"):
            if pins[name]:
                self.given.note(name)
        if pins["valid"]:
            self.offered += pins["data"].to_bytes(self.width // 8, "little")
        if pins["valid"] and ready:
            self._bits.append(pins["data"])
            self._put()
            self._held = self._ends = None
        elif pins["valid"]:
            self.refused += 1
            if not self.configuration.source_waits:
                self._held = None
        if pins["stop"]:
            if self._bits and not self.idle:
                self._whole(max(1, self.width // 32))
            self.given.note("stop")

    def _put(self):
        """A beat has come."""
        if self._ends is not None:
            size = self.width // 8 * (len(self._bits) - 1) + self._ends
            self._whole(-(-size // 4))
            self.given.note(("last", (1 << (size - 1) % 4 + 1) - 1))
        elif len(self._bits) == max(1, 32 // self.width):
            self._whole(max(1, self.width // 32))

    def _whole(self, words):
        value = sum(beat << self.width * place for place, beat in enumerate(self._bits))
        self.given.words += [value >> 32 * n & 0xFFFF_FFFF for n in range(words)]
        self._bits = []

    async def source(self, ctx):
        up, over = self.ratio
        half = HALF * over / up
        pins, clk = {}, self.stage.user.source_clock.clk
        while True:
            while self.stands:
                await ctx.delay(half)
            await ctx.delay(half / 2)
            pins = self._offer(ctx, pins)
            await ctx.delay(half / 2)
            ctx.set(clk, 0)
            await ctx.delay(half)
            self._note(ctx, pins)
            ctx.set(clk, 1)

    # The recorder --------------------------------------------------------------------------------

    async def recorder(self, ctx):
        core, before, pins = self.stage.core, {}, {}
        while True:
            if self.ratio is None:
                pins = self._offer(ctx, pins)
            # A recording has taken its last word some clocks before it is done.
            room = self.flows and not self.done and self.core_rng.random() < self.takes
            ctx.set(core.i.ready, room)
            files = self.configuration.files
            control, state = (self.stage.user.file, core.file) if files else (self.stage.user.control, core.status)
            # Also in the clock of the end.
            begins = self.begin and (self.done or not self.busy)
            ctx.set(self.stage.user.control.operation, self.operation)
            ctx.set(control.start, begins)
            if files:
                ctx.set(core.file.state, self.state)
            ctx.set(state.done, self.done)
            ctx.set(state.busy, self.busy and not self.done)
            self.busy, self.begin = begins or (self.busy and not self.done), False
            self.done = False
            await ctx.delay(HALF / 4)
            for name in ("trigger", "pps"):
                level = ctx.get(getattr(core.recording, name))
                if level and not before.get(name):
                    self.got.note(name)
                before[name] = level
            if self.ratio is None:
                self._note(ctx, pins)
            if room and ctx.get(core.i.valid):
                self.got.words.append(ctx.get(core.i.payload))
                if self.configuration.files and ctx.get(core.file_end.last):
                    self.got.note(("last", ctx.get(core.file_end.keep)))
            if ctx.get(core.control.stop):
                self.got.note("stop")
            await ctx.posedge(self._domain.clk)

    def reset(self, ctx, value):
        """Sets the reset of the core."""
        ctx.set(self._domain.rst, value)
        self.busy = False

    def forget(self):
        """What was given and got before."""
        self.given, self.got, self._bits = Log(), Log(), []

    def run(self, script):
        """Runs ``script(ctx)`` beside source and recorder."""
        m = Module()
        m.domains.sync = self._domain
        m.submodules.stage = self.stage
        simulator = Simulator(m)
        simulator.add_clock(2 * HALF)
        simulator.add_testbench(self.recorder, background=True)
        if self.ratio is not None:
            simulator.add_testbench(self.source, background=True)
        simulator.add_testbench(script)
        simulator.run()
