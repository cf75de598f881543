"""The files stage above a whole core, whose drive is the drive model with an image that
remembers in which order it was written."""

import functools
import random

from amaranth.hdl import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped
from sata_drive_model import DiskImage
from unit.bricks.files.world import FileWorld, pattern
from unit.core.phy.compiled import Compiled

from sata_recorder.interface.configuration import Configuration
from sata_recorder.bricks.files import FileController, FilesSignature
from sata_recorder.interface.file import FileError, FileState
from sata_recorder.bricks.stack import STAGES, stack
from sata_recorder.bricks.stage import Part, rest
from sata_recorder.interface import LOOK, TRIM
from sata_recorder.pc.volume import Drive, Timestamp, verify
from sata_recorder.simulation import drive_package

__all__ = ["CACHES", "FilesRecorder", "LoggedImage", "Station", "TIME", "a_run",
           "check_cut", "moments", "recorded_next"]

#: Of the stage, so that seconds are short.
CLOCK_HZ = 6000
TIME = Timestamp(46 << 25 | 11 << 21 | 22 << 16)
#: What becomes of what was written and not flushed.
CACHES = ("kept", "lost", "half")


class FilesRecorder(wiring.Component):
    """Brick and core; with ``modes`` the core has those of a recording, with ``look_sectors`` readbacks, too.
    The dword port is one word each way. ``options`` are those of the configuration."""

    def __init__(self, modes=False, **options):
        self._modes = modes
        self._configuration = Configuration(**{
            "files": True, "clock_hz": 75e6, "buffer_words": 512, "max_command_sectors": 4,
            "signature_timeout": 1e-3, "identify_timeout": 1e-3, "command_timeout": 1e-3, "flush_timeout": 1e-3,
            "retry_delay": 1e-6, "recovery_timeout": 1e-3, "extents": "modes" if modes else "single"} | options)
        self._beside = [group for group in (LOOK,) if group.exists(self._configuration)]
        self._trims = TRIM.exists(self._configuration)
        super().__init__({"user": In(FilesSignature(modes=modes)), "tx": Out(37), "rx": In(42),
                          **({"trim_state": Out(2), "trim_sectors": Out(48)} if self._trims else {}),
                          **{group.name: In(group.signature) for group in self._beside}})

    def elaborate(self, platform):
        m = Module()
        m.submodules.core = core = stack(self._configuration, STAGES[:1])
        skips = self._configuration.skips_but_files
        m.submodules.files = files = FileController(
            CLOCK_HZ, modes=self._modes, skips=skips, trims=self._trims,
            long_sectors=self._configuration.long_logical_sectors)
        connect(m, flipped(self.user), files.user)
        connect(m, files.core, rest(core.user, *(group.name for group in self._beside), *["complete"] * skips,
                                    *["trim"] * self._trims))
        if self._trims:
            m.d.comb += [core.user.trim.ahead.eq(files.trim_ahead), self.trim_state.eq(core.user.trim.state),
                         self.trim_sectors.eq(core.user.trim.sectors)]
        if skips:
            m.d.comb += core.user.complete.eq(files.complete)
        for group in self._beside:
            connect(m, Part(flipped(self), group.name), Part(core.user, group.name))
        phy = core.phy
        m.d.comb += [
            self.tx.eq(Cat(phy.tx_data, phy.tx_k, phy.reset)),
            Cat(phy.rx_data, phy.rx_k, phy.rx_valid, phy.tx_ready, phy.link_up, phy.rx_error,
                phy.generation).eq(self.rx),
        ]
        return m


@functools.cache
def compiled(modes, **options):
    return Compiled(FilesRecorder(modes, **options))


class LoggedImage:
    """A disk in memory. ``log`` has (clock, LBA, content) of each write and (clock, None, None) of
    each FLUSH CACHE; ``clock_of`` gives the clock."""

    def __init__(self, content):
        self.first = bytes(content)
        self.sectors = len(content) // 512
        self.path = None
        self.log = []
        self.clock_of = lambda: 0
        self.disk = DiskImage(sectors=self.sectors)
        self.disk.write(0, self.first)
        self.read_sectors = self.disk.read_sectors
        self.trims = []             # (clock, LBA, sectors)
        self.unit = 1               # sectors that are written whole or not at all
        self.read_from = []         # the LBA of each read that begins with a sector

    def read(self, offset, size):
        if offset % 512 == 0:
            self.read_from.append(offset // 512)
        return self.disk.read(offset, size)

    def write(self, offset, data):
        assert offset % 512 == 0 and len(data) % 512 == 0
        self.log.append((self.clock_of(), offset // 512, bytes(data)))
        self.disk.write(offset, data)

    def flush(self):
        self.log.append((self.clock_of(), None, None))

    def discard(self, lba, count):
        """TRIM: a write of zeros, for the cache, too."""
        self.trims.append((self.clock_of(), lba, count))
        self.write(512 * lba, bytes(512 * count))

    def power_off(self):
        pass

    def close(self):
        pass

    @property
    def content(self):
        return self.read(0, 512 * self.sectors)

    def cut(self, clock, cache, rng):
        """What is on the disk when its power fails in ``clock``."""
        medium, unflushed = bytearray(self.first), {}
        for when, lba, data in self.log:
            if when > clock:
                break
            if lba is None:
                for sector, versions in unflushed.items():
                    medium[512 * sector:512 * (sector + self.unit)] = versions[-1]
                unflushed = {}
                continue
            assert lba % self.unit == 0 and len(data) % (512 * self.unit) == 0
            for n in range(0, len(data) // 512, self.unit):
                unflushed.setdefault(lba + n, []).append(data[512 * n:512 * (n + self.unit)])
        for sector, versions in unflushed.items():
            # Each sector by itself, as it was at any time since.
            reached = {"kept": len(versions), "lost": 0,
                       "half": rng.randrange(len(versions) + 1)}[cache]
            if reached:
                medium[512 * sector:512 * (sector + self.unit)] = versions[reached - 1]
        return medium


class Station(FileWorld):
    """The recorder with a drive of ``content``. ``promises`` has (clock, slot, bytes) of each time
    that the user was told of the bytes of a file, ``updates`` (clock, words taken, segments) of each
    time that a recording continued after an update; ``drive`` are options of the model's drive, ``core`` those
    of the configuration; with ``health`` the drive has TRIM, among others."""

    def __init__(self, content, *, modes=False, drive=None, buffer_words=512, core=None, health=None, logical=512,
                 **options):
        super().__init__(compiled(modes, buffer_words=buffer_words, **core or {}), **options)
        self.modes = modes
        model = drive_package.drive_model(compiled=True)
        behaviour = model.Behaviour()
        for name, number in (drive or {}).items():
            setattr(behaviour, name, number)
        self.image = LoggedImage(content)
        unit = {} if health is None else {"health": model.Health(**health)}
        if logical != 512:
            unit["logical_sector"] = logical
        self.image.unit = logical // 512
        self.drive = model.Drive(self.image, behaviour=behaviour, **unit)
        self.port = drive_package.drive_port(self.drive, model=model, seed=1)
        self.image.clock_of = lambda: self.clocks
        self._clock = self.port.clock
        self._rx, self._tx = self.dut.inputs["rx"], self.dut.outputs["tx"]
        self._states, self._sizes = (self.dut.outputs[f"user__{name}"] for name in ("state", "bytes"))
        self.promises, self.updates = [], []
        self._state = 0
        self._inputs = 0
        self._bytes = 0
        self.dut.set(rst=1)
        self.dut.edge(1)
        self.dut.set(rst=0)

    def below(self):
        self.dut.i[self._rx] = self._inputs | 2 << 40
        self._inputs = self._clock(self.dut.o[self._tx])

    def tick(self, **inputs):
        super().tick(**inputs)
        outputs = self.dut.o
        state = outputs[self._states]
        if state == FileState.RECORDING and self._state == FileState.CLOSING:
            self.updates.append((self.clocks, self.taken, self.get("recording__segment_count")
                                 if self.modes else 0))
        self._state = state
        size = outputs[self._sizes]
        if size != self._bytes:
            self._bytes = size
            if size:
                self.promises.append((self.clocks, self.get("slot"), size))

    def violations(self):
        return [str(found) for found in self.port.link.violations]


def moments(station, count, seed):
    """Random clocks of a run: half of them any, half of them near a write or a FLUSH CACHE of
    something else than data."""
    rng = random.Random(seed)
    events = [when for when, lba, data in station.image.log if lba is None or len(data) != 2048]
    for n in range(count):
        if n % 2:
            yield rng.randrange(station.clocks)
        else:
            yield max(0, rng.choice(events) + rng.randrange(-300, 300))


def recorded_next(path, content, *, modes, **options):
    """The slot of another recording, of a stage that finds ``content``; ``path`` then has it, and
    nothing of the drive is wrong. ``options`` are those of the :class:`Station`."""
    station = Station(content, modes=modes, **options)
    assert station.find_slot()
    assert station.record(b"1234" * 100) == FileError.NONE
    path.write_bytes(station.image.content)
    with Drive(path) as drive:
        assert verify(drive).problems == []
    return station.get("slot")


def a_run(content, modes, **options):
    """Recordings that are brought up to date, and others, until the drive is full."""
    station = Station(content, modes=modes, offers=0.25, drive={
        "completion_latency": 40, "activate_latency": 20}, **options)
    data = {}
    for number, (size, by, interval) in enumerate((
            (7000, "length", 0), (17_000, "last", 1), (4000, "stop", 1), (1, "last", 0)), 1):
        assert station.find_slot()
        data[number] = pattern(size, number)
        assert station.record(data[number], by=by, interval=interval, time=TIME) == FileError.NONE
    assert len(station.promises) >= 6, station.promises
    return station, data


def check_cut(drive, station, data, clock):
    """What the user was told of is there; what is there is right."""
    promised = {}
    for when, slot, size in station.promises:
        if when <= clock:
            promised[slot] = size
    sizes = {(slot, size) for _, slot, size in station.promises}
    found = {one.slot: one for one in drive.recordings if one.is_file}
    for slot, size in promised.items():
        assert slot in found and found[slot].bytes >= size
    for slot, recording in found.items():
        assert (slot, recording.bytes) in sizes
        assert drive.memmap(recording).tobytes() == data[slot][:recording.bytes]
    return found
