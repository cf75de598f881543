"""The whole core, its PHY, a line and the whole drive model: recorded and played bit for bit."""

import functools
import random

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped
from short import short
from sata_drive_model import Behaviour, DiskImage, Drive, DriveLink
from sata_drive_model.phy import Spectrum
from unit.core.phy.compiled import Compiled
from unit.core.phy.line_bench import LineBench, phy

from sata_recorder.interface.configuration import Configuration
from sata_recorder.core import SataRecorder
from sata_recorder.core.drive_port import Operation
from sata_recorder.interface import UserSignature
from sata_recorder.core.phy import Phy, SerdesPort

pytestmark = pytest.mark.wide


class PhyAndCore(wiring.Component):
    """Core and PHY, ready for a back end."""

    def __init__(self, clock_hz, gearing, generations, timing):
        self._core = SataRecorder(Configuration(
            clock_hz=clock_hz, buffer_words=512, max_command_sectors=8, signature_timeout=1e-3,
            identify_timeout=1e-3, command_timeout=1e-3, flush_timeout=1e-3))
        self._phy = Phy(clock_hz, gearing=gearing, generations=generations, timing=timing)
        super().__init__({
            "serdes": Out(SerdesPort(gearing)), "user": In(UserSignature()), "link_up": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        m.submodules.core = core = self._core
        m.submodules.phy = phy = self._phy
        connect(m, core.phy, phy.port)
        connect(m, phy.serdes, flipped(self.serdes))
        connect(m, flipped(self.user), core.user)
        m.d.comb += self.link_up.eq(phy.port.link_up)
        return m


@functools.cache
def stack(clock_hz, gearing, generations, timing):
    return Compiled(PhyAndCore(clock_hz, gearing, generations, timing), ("sync", "tx", "rx"))


class LineRecorder(LineBench):
    """Streams at the core's ports; `written` waits to be recorded, `played` came back."""

    def __init__(self, seed, *, behaviour=None, spectrum=Spectrum(), **options):
        rng = random.Random(seed)
        self.image = DiskImage(sectors=1 << 16)
        self.unit = Drive(self.image, behaviour=behaviour or Behaviour())
        self.link = DriveLink(self.unit, self.unit.behaviour, rng, round_trip=40)
        self.unit.attach(self.link, rng)
        super().__init__(phy(self.link, link_up=self._link_up, spectrum=spectrum), make=stack,
                         **options)

    def _prepare(self):
        self.written, self.played = [], []
        self.done = False
        self.dut.set(user__o__ready=1)

    def _link_up(self):
        self.link.reset()
        self.unit.link_up()

    def _core(self, now):
        dut = self.dut
        if self._taking:
            self.written.pop(0)
        dut.set(user__i__valid=bool(self.written),
                user__i__payload=self.written[0] if self.written else 0)
        self._taking = self.written and dut.get("user__i__ready")
        if dut.get("user__o__valid"):
            self.played.append(dut.get("user__o__payload"))
        if dut.get("user__status__done"):
            self.done = True
        up = dut.get("link_up")
        if not self.ups or up != self.ups[-1][1]:
            self.ups.append((now, up))

    def start(self, operation, lba, sectors):
        self.done = False
        self.dut.set(user__control__start=1, user__control__operation=operation,
                     user__control__lba=lba, user__control__sectors=sectors)
        self.run(20e-9)
        self.dut.set(user__control__start=0)

    def operate(self, operation, lba, sectors, seconds=1e-3):
        """Runs an operation to its end and returns its error code."""
        self.start(operation, lba, sectors)
        self.run(seconds, until=lambda: self.done)
        return self.dut.get("user__status__error")

    def ready(self, seconds=2e-3):
        self.run(seconds, until=lambda: self.dut.get("user__status__ready"))

    def there_and_back(self, seed, sectors):
        rng = random.Random(seed)
        lba = rng.randrange(1 << 15)
        words = [rng.getrandbits(32) for _ in range(128 * sectors)]
        data = b"".join(word.to_bytes(4, "little") for word in words)
        self.written = words[:]
        assert self.operate(Operation.RECORD_FLUSH, lba, sectors) == 0
        assert self.image.read_sectors(lba, sectors) == data
        self.played.clear()
        assert self.operate(Operation.PLAY, lba, sectors) == 0
        assert self.played == words
        assert self.link.violations == [] and self.drive.violations == []


@pytest.mark.sample(3)
@pytest.mark.parametrize("spectrum, ppm", [
    (Spectrum(), 0), (Spectrum(350), -350), (Spectrum(-350, 5000), 350)])
def test_record_and_play(spectrum, ppm, seed):
    recorder = LineRecorder(seed, spectrum=spectrum, ppm=ppm, slip=seed % 40)
    recorder.ready()
    recorder.there_and_back(seed, 20)


@pytest.mark.quick
@pytest.mark.parametrize("latency", short(range(13), [3]))
def test_signature_at_once(latency, seed):
    """A drive may offer its signature with its first dwords, and go on with CONT while the host still counts them."""
    LineRecorder(seed, behaviour=Behaviour(signature_latency=latency)).ready(0.5e-3)


def test_unplugged_while_recording(seed):
    """The operation ends with an error, and a drive that is plugged in again is used."""
    recorder = LineRecorder(seed)
    recorder.ready()
    recorder.written = [1] * 128 * 40
    recorder.start(Operation.RECORD_FLUSH, 0, 40)
    recorder.run(20e-6)
    drive = recorder.drive
    recorder.line.plug(None)
    recorder.run(1e-3, until=lambda: recorder.done)
    assert recorder.dut.get("user__status__error")
    recorder.run(100e-6)
    recorder.written.clear()
    drive.start_over(recorder.now)
    recorder.line.plug(drive)
    recorder.ready(3e-3)
    recorder.there_and_back(seed, 8)


@pytest.mark.long
@pytest.mark.parametrize("rate", [1e-7, 1e-6, 1e-5])
def test_bit_errors(rate, seed):
    """An operation ends with success and the right data, or with an error; never in silence."""
    recorder = LineRecorder(seed, error_rate=rate)
    recorder.ready(20e-3)
    rng = random.Random(seed)
    for n in range(20):
        words = [rng.getrandbits(32) for _ in range(128 * 16)]
        recorder.written = words[:]
        recorder.played.clear()
        if recorder.operate(Operation.RECORD_FLUSH, 16 * n, 16, 5e-3) == 0:
            assert recorder.image.read_sectors(16 * n, 16) == b"".join(
                word.to_bytes(4, "little") for word in words)
            if (recorder.dut.get("user__status__ready")
                    and recorder.operate(Operation.PLAY, 16 * n, 16, 5e-3) == 0):
                assert recorder.played == words
        recorder.written.clear()
        recorder.ready(20e-3)
