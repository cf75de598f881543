"""An array of drives for tests: its bench, where its sectors are, and superblocks that Linux would write."""

import functools
import struct

from integration.benches import CoreBench, clock_of
from integration.small import connect

from sata_recorder.interface.array import MemberState
from sata_recorder.interface.configuration import Configuration
from sata_recorder.simulation import Compiled
from sata_recorder.simulation.build import library

#: Sectors of each drive, and of a lane that has no superblock, in whole chunks of 8.
SECTORS, OFFSET = 1 << 14, 2048
#: A small core of each lane, with timeouts that a test can wait for.
LANE = {"clock_hz": 1e6, "buffer_words": 4096, "retain_sectors": 16, "max_command_sectors": 16,
        "signature_timeout": 0.03, "identify_timeout": 0.02, "command_timeout": 0.04, "flush_timeout": 0.06,
        "retries": 2, "retry_delay": 0.001, "recovery_timeout": 0.2, "long_logical_sectors": True}
GOOD = MemberState.MEMBER


def array(drives, kind="raid0", chunk=8, **fields):
    """The configuration of an array of small cores."""
    chunks = {"chunk_sectors": chunk} if kind == "raid0" else {}
    return Configuration(**LANE | {"drives": drives, "array": kind, **chunks, **fields})


class ArrayImage:
    """What the images of the drives that an array has now hold: as the image of one drive."""

    def __init__(self, bench):
        self._bench = bench

    def read_sectors(self, lba, sectors):
        return b"".join(drive.image.read_sectors(own, 1) for drive, own in self._places(lba, sectors))

    def write(self, offset, content):
        assert offset % 512 == len(content) % 512 == 0
        for number, (drive, own) in enumerate(self._places(offset // 512, len(content) // 512)):
            drive.image.write(512 * own, content[512 * number:512 * number + 512])

    def _places(self, lba, sectors):
        for lane, own in map(self._bench.place, range(lba, lba + sectors)):
            yield self._bench.ports[lane].drive, own


class ArrayBench(CoreBench):
    """A session with an array: ``ports``, one a lane; `check()` looks at all of them."""

    image = property(ArrayImage)

    def __init__(self, configuration, ports, **options):
        self.configuration = configuration
        chunk = 128 if configuration.array == "linear" else configuration.chunk_sectors
        self.rooms = [(port.drive.image.sectors - OFFSET) // chunk * chunk for port in ports]
        engine = Compiled(configuration, [clock_of(port) for port in ports], path=_library(configuration))
        super().__init__(engine, ports, **{"limit": 400_000, **options})

    def settle(self):
        """Lets the members be read again; returns the outputs then."""
        known = False
        for _ in range(400):
            self.run(500)
            outputs, before = self.outputs(), known
            known = outputs["error"] and not outputs["busy"] and outputs["array_members"] and not any(
                self.states(outputs)[lane] == MemberState.UNKNOWN for lane in range(len(self.ports)))
            # They are known some clocks before the array is ready.
            if outputs["ready"] or known and before:
                return outputs
        return outputs

    def states(self, outputs=None):
        """What each lane's drive is to the array."""
        word = (outputs or self.outputs())["array_members"]
        return [MemberState(word >> 3 * lane & 7) for lane in range(len(self.ports))]

    def place(self, sector):
        """(lane, sector of its drive) of a sector of the array."""
        config = self.configuration
        chunk, lanes = 128 if config.array == "linear" else config.chunk_sectors, len(self.ports)
        if config.array == "raid0":
            row, part = divmod(sector, chunk * lanes)
            lane, part = divmod(part, chunk)
            return lane, OFFSET + row * chunk + part
        for lane, size in enumerate(self.rooms):
            if sector < size:
                return lane, OFFSET + sector
            sector -= size
        raise IndexError("beyond the array")

    def read(self, lba, sectors):
        """What the images hold of the array."""
        return self.image.read_sectors(lba, sectors)

    def check(self):
        super().check()
        self.engine.set(array_lane=0)


@functools.cache
def _library(configuration):
    return library(configuration)


def superblock(lane, lanes, *, kind="raid0", chunk=8, size, uuid=bytes(range(16)), created=1_700_000_000, events=1,
               **words):
    """A sector of 512 bytes as Linux md has it at sector 8 of a member (include/uapi/linux/raid/md_p.h). ``words``:
    w0, w1 ... are words of 32 bits that are not what they should be; the sum is that of the others, unless w54 is
    one of them."""
    sector = bytearray(512)
    level = {"raid0": 0, "linear": -1}[kind]
    struct.pack_into("<4I16s32sQiiQII", sector, 0, 0xA92B4EFC, 1, 0, 0, uuid, b"array", created, level, 0, 0, chunk,
                     lanes)
    struct.pack_into("<QQQQ", sector, 128, OFFSET, size, 8, 0)
    struct.pack_into("<I4x16s", sector, 160, lane, bytes([lane]) * 16)
    struct.pack_into("<QQQII", sector, 192, created, events, (1 << 64) - 1, 0, 128)
    struct.pack_into(f"<{lanes}H", sector, 256, *range(lanes))
    sector[256 + 2 * lanes:] = b"\xff" * (256 - 2 * lanes)
    for name, value in words.items():
        struct.pack_into("<I", sector, 4 * int(name[1:]), value)
    if "w54" not in words:
        total = sum(struct.unpack("<128I", sector))
        struct.pack_into("<I", sector, 216, ((total & 0xFFFFFFFF) + (total >> 32)) & 0xFFFFFFFF)
    return bytes(sector)


def members(drives, *, kind="raid0", chunk=8, order=None, sectors=None, behaviours=None, blocks=None, units=None,
            lines=None, **fields):
    """A bench of ``drives`` with superblocks, which is not brought up. ``order``: the member that each lane has;
    ``sectors`` of each drive; ``blocks``: lane to the sector that it has in place of its superblock, or None;
    ``units``, ``lines``: lane to more options of its drive and its port."""
    sectors = sectors or [SECTORS] * drives
    order = order or range(drives)
    held = [(one - OFFSET) // chunk * chunk for one in sectors]
    ports = []
    for lane in range(drives):
        port = connect(sectors=sectors[lane], behaviour=(behaviours or {}).get(lane), seed=lane,
                       unit={"serial": f"LANE{lane}", **(units or {}).get(lane, {})}, line=(lines or {}).get(lane))
        size = min(held) if kind == "raid0" else held[lane]
        block = superblock(order[lane], drives, kind=kind, chunk=chunk, size=size)
        block = (blocks or {}).get(lane, block)
        if block is not None:
            port.drive.image.write(512 * 8, block)
        ports.append(port)
    return ArrayBench(array(drives, kind, chunk, **fields), ports)
