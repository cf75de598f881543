"""Who stands below a drive port keeps its contract: the SATA side, and a fake without SATA."""

import functools
import struct

import pytest
from amaranth.hdl import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from contracts import drive_port
from contracts.fake_drive import FAULTS, FakeDrive
from sata_drive_model import DiskImage, Drive
from sata_drive_model import DrivePort as DriveModelPort
from sata_recorder.command import Command
from sata_recorder.config import Configuration
from sata_recorder.drive_port import DrivePort, Operation
from sata_recorder.interface import StreamsSignature, group
from sata_recorder.ledger import CLEAR_CLOCKS, SETTLE_CLOCKS
from sata_recorder.link import Link
from sata_recorder.recorder import Recorder
from sata_recorder.sequencer import Sequencer
from sata_recorder.transport import Transport
from sata_recorder.units import SECTOR_WORDS
from unit.bench import Bench

SECTORS = 64
COMMAND_SECTORS = 4


class Side:
    """The drive port of a component on a bench: what both sides have in common."""

    capacity = SECTORS

    def __init__(self, bench):
        self.bench = bench

    def set(self, **inputs):
        self.bench.set(**{f"port__{name}": int(value) for name, value in inputs.items()})

    def get(self, name):
        return self.bench.get(f"port__{name}")


class FakeSide(Side):
    """A :class:`FakeDrive`."""

    def __init__(self, bench, drive):
        super().__init__(bench)
        self.drive = drive

    async def tick(self):
        await self.bench.tick()

    def read(self, lba, sectors):
        begin = lba * SECTOR_WORDS
        return [self.bench.peek(self.drive.words[begin + n]) for n in range(sectors * SECTOR_WORDS)]

    def write(self, lba, words):
        for n, word in enumerate(words):
            self.bench.poke(self.drive.words[lba * SECTOR_WORDS + n], word)


class Sata(wiring.Component):
    """The layers below a recorder, as the core stacks them, and the dword port as two words."""

    def __init__(self):
        super().__init__({"port": In(DrivePort()), "ready": Out(1), "sent": Out(37),
                          "received": In(40)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.link = link = Link()
        m.submodules.transport = transport = Transport()
        m.submodules.command = command = Command()
        m.submodules.sequencer = sequencer = Sequencer(
            Configuration(max_command_sectors=COMMAND_SECTORS),
            clear_clocks=CLEAR_CLOCKS, settle_clocks=SETTLE_CLOCKS)
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


class SataSide(Side):
    """The layers of :class:`Sata` with the drive model at their dword port."""

    def __init__(self, bench):
        super().__init__(bench)
        self.image = DiskImage(sectors=SECTORS)
        self.drive = DriveModelPort(Drive(self.image))

    async def tick(self):
        received = self.drive.clock(self.bench.get("sent"))
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


@functools.cache
def sata_bench():
    return Bench(Sata())


def on_fake(check, *arguments, fake=None, **keywords):
    """What ``check`` returns of a fake with the parameters ``fake``."""
    drive = FakeDrive(sectors=SECTORS, command_sectors=COMMAND_SECTORS, **fake or {})

    async def script(bench):
        return await check(FakeSide(bench, drive), *arguments, **keywords)
    return Bench(drive).run(script)


def on_sata(check, *arguments, **keywords):
    async def script(bench):
        side = SataSide(bench)
        await side.bring_up()
        return await check(side, *arguments, **keywords)
    return sata_bench().run(script)


SIDES = pytest.mark.parametrize("on", [on_fake, on_sata])


@SIDES
@pytest.mark.parametrize("gives, flush", [(1.0, False), (0.3, True)])
def test_recording(on, gives, flush):
    port = on(drive_port.check_recording, lba=5, sectors=6, seed=1, gives=gives, flush=flush)
    assert port.commands == 2


@SIDES
@pytest.mark.parametrize("delivers", [1.0, 0.5])
def test_play_back(on, delivers):
    port = on(drive_port.check_play_back, lba=5, sectors=6, seed=2, delivers=delivers)
    assert port.commands == 2


@SIDES
def test_hold(on):
    port = on(drive_port.check_hold, lba=0, sectors=6, seed=3)
    assert port.held_words > 0


@SIDES
def test_refusal(on):
    on(drive_port.check_refusal)


@SIDES
@pytest.mark.parametrize("operation", [Operation.PLAY, Operation.RECORD])
def test_stop(on, operation):
    on(drive_port.check_stop, operation, sectors=3 * COMMAND_SECTORS, seed=4)


# What breaks the contract is found -------------------------------------------------------------

FOUND = {
    "short": (drive_port.check_recording, {"lba": 5, "sectors": 2}, "128 words a sector, not 255"),
    "undrained": (drive_port.check_play_back, {"lba": 5, "sectors": 2, "delivers": 0.5},
                  "stays until drained"),
    "unfinished": (drive_port.check_recording, {"lba": 5, "sectors": 6},
                   "the one before is completed"),
    "unverified": (drive_port.check_play_back, {"lba": 5, "sectors": 2}, "is verified"),
    "deaf": (drive_port.check_stop, {"operation": Operation.PLAY, "sectors": 12},
             "no command follows the one in flight"),
    "unchecked": (drive_port.check_refusal, {}, "follows a refused extent"),
    "displaced": (drive_port.check_recording, {"lba": 5, "sectors": 1}, "are on the disk"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_is_found(fault):
    check, keywords, sentence = FOUND[fault]
    with pytest.raises(drive_port.BrokenContract, match=sentence):
        on_fake(check, fake={"fault": fault}, **keywords)


def test_reserve_is_the_limit():
    """As many words as the reserve may follow hold; one more is found."""
    reserve = DrivePort().reserve_words
    keywords = {"lba": 0, "sectors": 6, "seed": 3}
    port = on_fake(drive_port.check_hold, fake={"held_words": reserve}, **keywords)
    assert port.held_words == reserve
    with pytest.raises(drive_port.BrokenContract, match="follow hold"):
        on_fake(drive_port.check_hold, fake={"held_words": reserve + 1}, **keywords)


# The recorder without SATA ---------------------------------------------------------------------

class RecorderOnFake(wiring.Component):
    """A recorder above a fake."""

    def __init__(self, drive, depth):
        self._drive, self._depth = drive, depth
        super().__init__({"user": In(StreamsSignature()), "control": In(group("control")),
                          "ready": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.drive = drive = self._drive
        m.submodules.recorder = recorder = Recorder(depth=self._depth)
        connect(m, recorder.port, drive.port)
        connect(m, flipped(self.user.i), recorder.i)
        connect(m, recorder.o, flipped(self.user.o))
        connect(m, flipped(self.control), recorder.control)
        m.d.comb += [self.user.last.eq(recorder.last), self.ready.eq(recorder.port.extent.ready)]
        return m


@pytest.mark.parametrize("depth", [256, 4096])
def test_recorder_on_a_fake(depth):
    """What was recorded is played back, while the source and the user stall."""
    sectors = 10
    words = [0x9E3779B9 * n & 0xFFFFFFFF for n in range(1, SECTOR_WORDS * sectors + 1)]

    async def operation(bench, which):
        await bench.pulse(control__start=1, control__operation=which, control__lba=3,
                          control__sectors=sectors)
        given, came, lasts = 0, [], []
        for clock in range(20_000):
            if bench.get("ready") and clock > 10:
                return given, came, lasts
            bench.set(user__i__valid=clock % 5 != 0 and given < len(words),
                      user__i__payload=words[min(given, len(words) - 1)],
                      user__o__ready=clock // 300 % 2)
            given += bench.get("user__i__valid") & bench.get("user__i__ready")
            if bench.get("user__o__valid") and bench.get("user__o__ready"):
                came.append(bench.get("user__o__payload"))
                lasts.append(bench.get("user__last"))
            await bench.tick()
        raise AssertionError("the operation does not end")

    async def script(bench):
        assert await operation(bench, Operation.RECORD) == (len(words), [], [])
        given, came, lasts = await operation(bench, Operation.PLAY)
        assert (given, came) == (0, words)
        assert lasts == [0] * (len(words) - 1) + [1]

    Bench(RecorderOnFake(FakeDrive(sectors=SECTORS, command_sectors=COMMAND_SECTORS),
                         depth)).run(script)
