"""Two drives that hold the same, for tests: their bench, superblocks that Linux would write, and what those state."""

import struct
from dataclasses import dataclass

from integration.arrays import LANE, ArrayBench
from integration.benches import port_of
from integration.small import connect

from sata_recorder.interface.array import MemberState
from sata_recorder.interface.configuration import Configuration

GOOD, DROPPED = MemberState.MEMBER, MemberState.DROPPED
#: Sectors of each drive; what the array holds, and where the superblock is.
SECTORS = 4096
SIZE = PLACE = SECTORS - 16
FAULTY, NO_ROLE = 0xFFFE, 0xFFFF
ALL_ONES = (1 << 64) - 1


def mirror(**fields):
    """The configuration of two small cores."""
    return Configuration(**LANE | {"drives": 2, "array": "raid1", **fields})


def superblock(lane, *, sectors=SECTORS, size=SIZE, uuid=bytes(range(16)), created=1_700_000_000, events=7,
               resync=ALL_ONES, roles=(0, 1), number=None, **words):
    """A sector as Linux md has it at the end of a member, version 1.0 (include/uapi/linux/raid/md_p.h). ``words``: w0,
    w1 ... are words that are not what they should be; the sum is that of the others, unless w54 is one of them."""
    sector = bytearray(512)
    struct.pack_into("<4I16s32sQiiQII", sector, 0, 0xA92B4EFC, 1, 0, 0, uuid, b"recorder", created, 1, 0, size, 0, 2)
    struct.pack_into("<QQQ", sector, 128, 0, size, (sectors - 16) & ~7)
    struct.pack_into("<I4x16s", sector, 160, lane if number is None else number, bytes([lane + 1]) * 16)
    struct.pack_into("<QQQII", sector, 192, created, events, resync, 0, 128)
    struct.pack_into("<2H", sector, 256, *roles)
    sector[260:] = b"\xff" * 252
    for name, value in words.items():
        struct.pack_into("<I", sector, 4 * int(name[1:]), value)
    if "w54" not in words:
        struct.pack_into("<I", sector, 216, _sum(sector))
    return bytes(sector)


def _sum(sector):
    """The checksum of a superblock whose own place is zero."""
    total = sum(struct.unpack("<128I", sector))
    return ((total & 0xFFFFFFFF) + (total >> 32)) & 0xFFFFFFFF


@dataclass
class Stated:
    """What a superblock states; ``whole``: its checksum is right, and the rest is as it was made."""

    events: int
    dirty: bool
    roles: tuple
    whole: bool

    @classmethod
    def of(cls, sector, lane, **made):
        """That of the ``lane``, which was ``made`` so."""
        events, resync, stated = struct.unpack_from("<QQI", sector, 200)
        roles = struct.unpack_from("<2H", sector, 256)
        expected = superblock(lane, **made | {"events": events, "resync": resync, "roles": roles})
        assert resync in (0, ALL_ONES)
        return cls(events, resync == 0, roles, expected == sector)


class MirrorBench(ArrayBench):
    """A session with a mirror."""

    def stated(self, lane, **made):
        return stated(self.ports[lane].drive.image, lane, **made)

    def data(self, lane, lba, sectors):
        return self.ports[lane].drive.image.read_sectors(lba, sectors)

    def dropped(self, outputs=None):
        return (outputs or self.outputs())["mirror_dropped"]

    def settle(self):
        """Lets the members be read again; returns the outputs once they are ready, or stay refused."""
        refused = 0
        for _ in range(400):
            self.run(500)
            outputs = self.outputs()
            refused = refused + 1 if outputs["error"] == 14 and outputs["array_members"] else 0
            if outputs["ready"] or refused == 16:
                return outputs
        return outputs

    def sound(self):
        """No drive saw a violation."""
        assert [port.link.violations for port in self.ports if port.link] == [[] for port in self.ports if port.link]


def stated(image, lane, **made):
    """What the superblock on the ``image`` states."""
    found = Stated.of(image.read_sectors((image.sectors - 16) & ~7, 1), lane, **made)
    assert found.whole
    return found


def chosen(images, **made):
    """The lanes that md would take: the newest superblock, and those that it does not name as failed and that are not
    more than 1 event behind."""
    found = [stated(image, lane, **made) for lane, image in enumerate(images)]
    newest = max((0, 1), key=lambda lane: found[lane].events)
    return [lane for lane in (0, 1) if found[newest].roles[lane] == lane
            and found[lane].events + 1 >= found[newest].events]


def members(*, sectors=SECTORS, behaviours=None, blocks=None, units=None, lines=None, **fields):
    """A bench of two drives with superblocks, which is not brought up. ``sectors`` of both, or of each; ``blocks``:
    lane to the sector in place of its superblock, or None; ``units``, ``lines``: lane to more options of its drive and
    its port."""
    sizes = [sectors] * 2 if isinstance(sectors, int) else sectors
    places = [(size - 16) & ~7 for size in sizes]
    ports = []
    for lane, size in enumerate(sizes):
        port = connect(sectors=size, behaviour=(behaviours or {}).get(lane), seed=lane,
                       unit={"serial": f"LANE{lane}", **(units or {}).get(lane, {})}, line=(lines or {}).get(lane))
        block = (blocks or {}).get(lane, superblock(lane, sectors=size, size=min(places)))
        if block is not None:
            port.drive.image.write(512 * places[lane], block)
        ports.append(port)
    return MirrorBench(mirror(**fields), ports)


def brought_up(**keywords):
    """A bench of :func:`members` that is ready."""
    bench = members(**keywords)
    bench.bring_up()
    outputs = bench.settle()
    assert outputs["ready"] and not outputs["error"], (outputs, bench.states())
    return bench


def of_drives(drives, *, files=False, **fields):
    """A bench of these drives, brought up as far as it goes."""
    bench = MirrorBench(mirror(files=files, **fields), [port_of(drive, seed=lane) for lane, drive in enumerate(drives)])
    for level in 1, 0:
        bench.engine.set(rst=level)
        bench.run(4)
    return bench
