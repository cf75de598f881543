"""The sides of the drive port that are there: the layers below a recorder, and a fake.

A side is a small class, through which what stands below a recorder is reached::

    capacity            sectors of the disk
    command_sectors     sectors of its longest command
    set(**inputs)       the members of the port that the recorder drives: ``extent__valid=1``
    get(name)           what is visible in this clock: ``"read_data__valid"``
    await tick()        ends the clock
    read(lba, sectors)  the words of the disk
    write(lba, words)   puts words on the disk
    cached()            whether words were written that a loss of power may take back
    fail(failure)       from now on data commands fail, in a way that the side knows by name
    heal()              they fail no more
    queued              whether the port has a queue
    fail_flush()        the FLUSH CACHE of the operation that comes next fails; before it comes
                        one command, or none
"""

import functools
import struct

from amaranth.hdl import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from integration.benches import port_of
from contracts.fake_drive import FakeDrive
from contracts.faults import QUEUE_FAULTS
from contracts.knobs import FAULT_NUMBERS, Remedy
from sata_drive_model import DiskImage, Drive, Fault, VolatileImage
from sata_recorder.core.command import Command
from sata_recorder.interface.configuration import Configuration
from sata_recorder.core.drive_port import DrivePort
from sata_recorder.core.ledger import CLEAR_CLOCKS, SETTLE_CLOCKS
from sata_recorder.core.link import Link
from sata_recorder.core.sequencer import Sequencer
from sata_recorder.core.transport import Transport
from sata_recorder.facts.units import SECTOR_WORDS
from unit.compiled_bench import CompiledBench

__all__ = ["COMMAND_SECTORS", "SECTORS", "on_fake", "on_sata"]

SECTORS = 64
COMMAND_SECTORS = 4


class Side:
    """The drive port of a component on a bench: what both sides have in common."""

    capacity = SECTORS

    def __init__(self, bench, *, queued=False):
        self.bench = bench
        self.queued = queued

    def set(self, **inputs):
        self.bench.set(**{f"port__{name}": int(value) for name, value in inputs.items()})

    def get(self, name):
        return self.bench.get(f"port__{name}")


# Without SATA -------------------------------------------------------------------------------------

class FakeSide(Side):
    """A :class:`FakeDrive`. Its failures: "begin", "middle" and "end" of a command."""

    FAILURES = {"begin": {"fail_after": 0}, "middle": {"fail_after": 200, "bad_from": 150},
                "end": {"fail_after": SECTORS * SECTOR_WORDS, "bad_from": 200}}

    def __init__(self, bench, drive, *, remedy, retains, fault):
        super().__init__(bench, queued=drive.queued)
        assert drive.queued or fault not in QUEUE_FAULTS
        self.drive = drive
        bench.set(knobs__remedy=remedy, knobs__retains=retains,
                  knobs__fault=fault and FAULT_NUMBERS[fault] or 0)

    async def tick(self):
        await self.bench.tick()

    def read(self, lba, sectors):
        begin = lba * SECTOR_WORDS
        return [self.bench.peek(self.drive.words[begin + n]) for n in range(sectors * SECTOR_WORDS)]

    def write(self, lba, words):
        for n, word in enumerate(words):
            self.bench.poke(self.drive.words[lba * SECTOR_WORDS + n], word)

    def cached(self):
        return self.bench.get("cached")

    def fail(self, failure):
        self.bench.set(knobs__fails=1, **{f"knobs__{name}": value
                                          for name, value in self.FAILURES[failure].items()})

    def heal(self):
        self.bench.set(knobs__fails=0, knobs__flush_fails=0)

    def fail_flush(self):
        self.bench.set(knobs__flush_fails=1)


def on_fake(check, *arguments, remedy=Remedy.END, retains=False, fake=None, fault=None,
            **keywords):
    """What ``check`` returns of a fake with the parameters ``fake``, and one of
    :data:`.faults.FAULTS`."""
    async def script(bench):
        side = FakeSide(bench, bench.component, remedy=remedy, retains=retains, fault=fault)
        return await check(side, *arguments, **keywords)
    return fake_bench(**fake or {}).run(script)


@functools.cache
def fake_bench(**options):
    return CompiledBench(FakeDrive(sectors=SECTORS, command_sectors=COMMAND_SECTORS, faulty=True,
                                   **options))


# With SATA ----------------------------------------------------------------------------------------

class SataLayers(wiring.Component):
    """The layers below a recorder, as the core stacks them, and the dword port as two words."""

    def __init__(self, configuration):
        self._configuration = configuration
        queued = configuration.extents == "queued"
        super().__init__({"port": In(DrivePort(queued=queued)), "ready": Out(1), "sent": Out(37),
                          "received": In(40)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.link = link = Link()
        m.submodules.transport = transport = Transport()
        m.submodules.command = command = Command()
        m.submodules.sequencer = sequencer = Sequencer(
            self._configuration, clear_clocks=CLEAR_CLOCKS, settle_clocks=SETTLE_CLOCKS)
        connect(m, flipped(self.port), sequencer.port)
        connect(m, sequencer.command, command.user)
        connect(m, command.transport, transport.user)
        connect(m, transport.send, link.send)
        connect(m, transport.receive, link.receive)
        connect(m, sequencer.phy, link.control)
        phy = link.phy
        m.d.comb += [
            self.ready.eq(sequencer.status.ready),
            self.sent.eq(Cat(phy.tx_data, phy.tx_k, phy.reset)),
            Cat(phy.rx_data, phy.rx_k, phy.rx_valid, phy.tx_ready, phy.link_up,
                phy.rx_error).eq(self.received),
            phy.generation.eq(2),
        ]
        return m


class OneFlushFails(Drive):
    """A drive of which one FLUSH CACHE ends with an error, once ``flush_fails`` is set."""

    flush_fails = False

    def conclude(self, status, error=0, *arguments, **options):
        if self.flush_fails and self.command in (0xE7, 0xEA):
            self.flush_fails = False
            status, error = 0x51, 0x04
        super().conclude(status, error, *arguments, **options)


class SataSide(Side):
    """The layers of :class:`SataLayers` with the drive model at their dword port."""

    #: Faults of the drive; those that strike once are armed often.
    FAILURES = {
        "abort": [Fault(kind="abort", count=1 << 20, value=0x51, error=0x04)],
        "media": [Fault(kind="media", lba=7, count=1 << 20, value=0x51, error=0x40)],
        "crc": [Fault(kind="bad_crc", fis="data")] * 20,
        "refused": [Fault(kind="refused", fis="data", count=1 << 20)],
        "escaped": [Fault(kind="escaped", fis="data", dword=200)] * 20,
        "link": [Fault(kind="link_loss", clock=500, clocks=20)],
    }

    def __init__(self, bench, *, queued=False):
        super().__init__(bench, queued=queued)
        self.image = VolatileImage(DiskImage(sectors=SECTORS))
        self.drive = OneFlushFails(self.image)
        self.line = port_of(self.drive)

    async def tick(self):
        received = self.line.clock(self.bench.get("sent"))
        await self.bench.tick()
        self.bench.set(received=received)

    async def bring_up(self):
        for _ in range(5000):
            if self.bench.get("ready"):
                return
            await self.tick()
        raise AssertionError("the drive was not brought up")

    def read(self, lba, sectors):
        count = sectors * SECTOR_WORDS
        return [*struct.unpack(f"<{count}I", self.image.read_sectors(lba, sectors))]

    def write(self, lba, words):
        self.image.write(512 * lba, struct.pack(f"<{len(words)}I", *words))

    def cached(self):
        return bool(self.image.unflushed)

    def fail(self, failure):
        self.line.inject(self.FAILURES[failure])

    def heal(self):
        self.line.clear_faults()
        self.drive.behaviour.fail_lba = None

    def fail_flush(self):
        self.drive.flush_fails = True


@functools.cache
def sata_bench(**options):
    return CompiledBench(SataLayers(Configuration(
        max_command_sectors=COMMAND_SECTORS, retry_delay=1e-6, recovery_timeout=0.001, **options)))


def on_sata(check, *arguments, retries=3, retain_sectors=COMMAND_SECTORS, on_failure="stop",
            queued=False, **keywords):
    """What ``check`` returns of the layers below a recorder, and a friendly drive."""
    async def script(bench):
        side = SataSide(bench, queued=queued)
        await side.bring_up()
        return await check(side, *arguments, **keywords)
    return sata_bench(retries=retries, retain_sectors=retain_sectors, on_failure=on_failure,
                      extents="queued" if queued else "single").run(script)
