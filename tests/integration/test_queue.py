"""Extents from the queue, with the whole core and the drive model: recordings join up to the word."""

import struct
from functools import partial

import pytest
from integration.benches import port_of
from sata_drive_model import DiskImage, Drive, Fault

from sata_recorder.interface.configuration import Configuration
from sata_recorder.core import SataRecorder
from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.core.ledger import Entry
from unit.bench import World
from unit.compiled_bench import CompiledBench

pytestmark = pytest.mark.wide

CAPACITY = 4096
BENCHES = {}


class QueueWorld(World):
    """A core, a drive and a source that offers a word whenever ``period`` clocks have passed."""

    def __init__(self, bench, *, period=2, ahead=65536):
        super().__init__(bench)
        self.period = period
        self.image = DiskImage(sectors=CAPACITY)
        self.drive = Drive(self.image)
        self.line = port_of(self.drive)
        self.accepted = self.refused = 0
        self.source = False
        self.limit = None       # the word at which the source ends
        bench.set(user__queue__ahead=ahead)

    def get(self, name):
        return super().get(f"user__{name}")

    def set(self, **inputs):
        self.bench.set(**{f"user__{name}": value for name, value in inputs.items()})

    async def tick(self, **inputs):
        """A clock; a word that is refused is lost, as a sensor would lose it."""
        offers = self.source and self.clock % self.period == 0 and self.accepted != self.limit
        self.set(i__valid=offers, i__payload=self.accepted + 1, **inputs)
        if offers:
            taken = self.get("i__ready")
            self.accepted += taken
            self.refused += not taken
        get = self.bench.get
        received = self.line.clock(get("phy__tx_data") | get("phy__tx_k") << 32
                                   | get("phy__reset") << 36)
        await self.bench.tick()
        self.clock += 1
        self.bench.set(phy__rx_data=received, phy__rx_k=received >> 32,
                       phy__rx_valid=received >> 36, phy__tx_ready=received >> 37,
                       phy__link_up=received >> 38, phy__rx_error=received >> 39)
        self.set(**dict.fromkeys(inputs, 0))

    async def bring_up(self):
        self.bench.set(phy__generation=2)
        await self.until(lambda: self.get("status__ready"))

    async def start(self, lba, sectors, operation=Operation.RECORD_FLUSH):
        await self.tick(control__start=1, control__operation=operation, control__lba=lba,
                        control__sectors=sectors)

    async def queue(self, lba, sectors):
        self.set(queue__valid=1, queue__lba=lba, queue__sectors=sectors)
        await self.until(lambda: self.get("queue__ready"))
        await self.tick()
        self.set(queue__valid=0)

    async def ledger(self, entry):
        self.set(ledger__address=entry)
        await self.tick()
        await self.tick()
        return self.get("ledger__data")

    def words(self, lba, sectors):
        return [*struct.unpack(f"<{128 * sectors}I", self.image.read_sectors(lba, sectors))]


def run(script, *, period=2, ahead=65536, **configuration):
    options = {"clock_hz": 75e6, "buffer_words": 512, "max_command_sectors": 2,
               "extents": "queued"} | configuration
    key = tuple(options.items())
    if key not in BENCHES:
        BENCHES[key] = CompiledBench(SataRecorder(Configuration(**options)))

    async def in_world(bench):
        world = QueueWorld(bench, period=period, ahead=ahead)
        await world.bring_up()
        return await script(world)
    return BENCHES[key].run(in_world)


@pytest.mark.parametrize("ahead", [0, 65536])
def test_recordings_join_up_to_the_word(ahead):
    """From the first word of the first extent to the last word of the last one none is refused."""
    extents = [(16, 4), (64, 2), (200, 6)]

    async def script(world):
        await world.start(*extents[0])
        await world.until(lambda: world.get("i__ready"))
        world.source, world.limit = True, 128 * 12
        for extent in extents[1:]:
            await world.queue(*extent)
        await world.until(lambda: world.get("status__done"))
        assert (world.get("status__error"), world.refused) == (Error.NONE, 0)
        assert world.get("status__sectors_done") == world.get("queue__begun") == 12
        assert world.get("counters__words") == world.accepted == 128 * 12
        recorded = [word for extent in extents for word in world.words(*extent)]
        assert recorded == [*range(1, 128 * 12 + 1)]
        if ahead:
            # No boundary shows: the core takes as long between any two commands.
            assert await world.ledger(Entry.COMMANDS) == 6
            assert (await world.ledger(Entry.TURNAROUND_MIN)
                    == await world.ledger(Entry.TURNAROUND_MAX))
    run(script, ahead=ahead)


@pytest.mark.parametrize("operation", [Operation.RECORD, Operation.RECORD_FLUSH])
def test_a_span_in_any_clock_before_the_end(operation):
    """A span that is taken is recorded, however late; one that comes too late is not taken."""
    async def script(world, span_at=None):
        await world.start(16, 2, operation)
        world.source, started = True, world.clock
        taken, opened = False, 0
        while not world.get("status__done"):
            offers = world.clock - started == span_at
            world.set(queue__valid=offers, queue__lba=64, queue__sectors=2)
            if world.get("queue__ready"):
                opened, taken = world.clock - started, taken or offers
            await world.tick()
        assert world.get("status__error") == Error.NONE
        assert world.get("status__sectors_done") == (4 if taken else 2)
        recorded = world.words(16, 2) + (world.words(64, 2) if taken else [])
        assert recorded == [*range(1, len(recorded) + 1)]
        return opened if span_at is None else taken
    last = run(script, ahead=65536)
    outcomes = [run(partial(script, span_at=last + late), ahead=65536) for late in range(-30, 12)]
    assert True in outcomes and False in outcomes
    assert outcomes == sorted(outcomes, reverse=True)


@pytest.mark.quick
def test_stop_counts_to_the_word():
    async def script(world):
        await world.start(100, 400)
        await world.until(lambda: world.get("i__ready"))
        world.source = True
        await world.until(lambda: world.accepted == 777)
        world.source = False
        await world.tick(control__stop=1)
        stopped = world.clock
        await world.until(lambda: world.get("status__done"))
        assert world.get("counters__words") == 777
        assert world.get("queue__begun") == world.get("status__sectors_done") == 7
        assert world.words(100, 8) == [*range(1, 778)] + [0] * (128 * 8 - 777)
        return world.clock - stopped
    clocks = run(script, ahead=0)
    # Twice the buffer, the commands and FLUSH CACHE between, and what the ledger takes to settle.
    assert clocks < 2 * 512 + 600


def test_command_takes_no_extent():
    """COMMAND is one command, however few of its words have come; an extent that is offered waits for a recording."""
    async def script(world):
        world.set(task__operation=1, task__command=0x35, task__count=2, task__device=0x40,
                  queue__valid=1, queue__lba=64, queue__sectors=2)
        await world.start(16, 2, Operation.RECORD)
        world.source, world.limit = True, 128 * 4
        while not world.get("status__done"):
            assert not world.get("queue__ready")
            world.source = world.accepted < 256
            await world.tick()
        assert world.get("status__error") == Error.NONE and world.get("status__sectors_done") == 2
        assert [one.command for one in world.drive.completed if one.command != 0xEC] == [0x35]
        assert world.words(16, 2) == [*range(1, 257)] and not any(world.words(64, 2))
        world.set(task__operation=0)
        await world.start(200, 1)
        world.source, world.limit = True, 256 + 128 * 3
        await world.until(lambda: world.get("queue__ready"))
        await world.tick()
        world.set(queue__valid=0)
        await world.until(lambda: world.get("status__done"))
        assert (world.get("status__error"), world.get("status__sectors_done")) == (Error.NONE, 3)
        assert world.words(200, 1) + world.words(64, 2) == [*range(257, 257 + 128 * 3)]
    run(script, ahead=0, period=20, commands=True)


@pytest.mark.parametrize("ahead", [0, 65536])
def test_link_loss(ahead):
    """At any time, also while the core waits for words: all of it is on the drive in the end."""
    extents = [(16, 4), (64, 2), (200, 6)]

    async def script(world):
        world.line.inject([Fault(kind="link_loss", clock=world.line.now + clock, clocks=20)
                           for clock in (400, 1500, 2500)])
        await world.start(*extents[0])
        world.source = True
        for extent in extents[1:]:
            await world.queue(*extent)
        await world.until(lambda: world.get("status__done"), 200_000)
        assert world.get("status__error") == Error.NONE and world.get("status__retries") > 0
        recorded = [word for extent in extents for word in world.words(*extent)]
        assert recorded == [*range(1, 128 * 12 + 1)]
        # What was completed before may be lost with the cache: a range over the extents.
        fields = []
        for field in range(3):
            world.set(journal__address=field)
            await world.tick()
            await world.tick()
            fields.append(world.get("journal__data"))
        assert fields[0] & 15 == 4 and fields[1] == 16
        assert 0 < fields[2] <= 206 - 16
    run(script, ahead=ahead, period=3, retain_sectors=2, buffer_words=1024,
        retry_delay=1e-6, recovery_timeout=0.01)
