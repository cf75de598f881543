"""Another system that works on a drive: a small writer of exFAT that knows nothing of this project.

It does what PCs do to a volume, in their order of preference: the first entries that are free, the first
clusters that are free, a chain in the FAT where they are not in a row. Written from Microsoft's "exFAT file
system specification"; it uses no code of `sata_recorder`, so that a mistake there is none here.
"""

import struct
from dataclasses import dataclass
from itertools import islice

SECTOR = 512
ENTRY = 32
END, USED = 0x00, 0x80
FILE, STREAM, NAME = 0x85, 0xC0, 0xC1
BITMAP, UPCASE = 0x81, 0x82
READ_ONLY, HIDDEN, SYSTEM, DIRECTORY, ARCHIVE = 1, 2, 4, 0x10, 0x20
LAST = 0xFFFFFFFF


def set_checksum(entries):
    total = 0
    for place, byte in enumerate(entries):
        if place not in (2, 3):
            total = (total >> 1 | (total & 1) << 15) + byte & 0xFFFF
    return total


def sealed(entries):
    """The entries with their right checksum."""
    return bytes(entries[:2]) + struct.pack("<H", set_checksum(entries)) + bytes(entries[4:])


def codes_of(name):
    packed = name.encode("utf-16-le")
    return struct.unpack(f"<{len(packed) // 2}H", packed)


@dataclass
class Folder:
    clusters: list
    parent: "Folder | None" = None
    index: int = 0              # of its own entry set in its parent


class Found:
    """An entry set, and where it is."""

    def __init__(self, folder, index, entries):
        self.folder, self.index, self.entries = folder, index, entries
        self.count = len(entries) // ENTRY
        self.attributes = struct.unpack_from("<H", entries, 4)[0]
        self.flags, length = entries[33], entries[35]
        self.valid, self.first, self.size = struct.unpack_from("<Q4xIQ", entries, 40)
        parts = b"".join(entries[place + 2:place + ENTRY] for place in range(64, len(entries), ENTRY))
        self.name = parts[:2 * length].decode("utf-16-le")

    @property
    def is_folder(self):
        return bool(self.attributes & DIRECTORY)


class Pc:
    """The volume that begins at sector ``start`` of ``image``, a bytearray that it writes."""

    TIME = 46 << 25 | 12 << 21 | 24 << 16 | 18 << 11

    def __init__(self, image, start):
        self.image, self.base = image, SECTOR * start
        boot = image[self.base:self.base + SECTOR]
        assert boot[3:11] == b"EXFAT   ", "no exFAT volume"
        (fat, _, heap, self.count, root) = struct.unpack_from("<5I", boot, 80)
        self.bytes = SECTOR << boot[109]
        self.fat, self.heap = self.base + SECTOR * fat, self.base + SECTOR * heap
        self.root = Folder(self._follow(root))
        self.bitmap = self.upcase = None
        for index in range(self._capacity(self.root)):
            entry = self.entry(self.root, index)
            if entry[0] == END:
                break
            first, size = struct.unpack_from("<IQ", entry, 20)
            if entry[0] == BITMAP:
                self.bitmap = self._follow(first)
            elif entry[0] == UPCASE:
                self.upcase = self._expanded(self._content(self._follow(first))[:size])

    # Clusters.

    def place(self, cluster):
        return self.heap + (cluster - 2) * self.bytes

    def _next(self, cluster):
        return struct.unpack_from("<I", self.image, self.fat + 4 * cluster)[0]

    def _follow(self, cluster):
        found = []
        while 2 <= cluster < self.count + 2 and len(found) <= self.count:
            found.append(cluster)
            cluster = self._next(cluster)
        return found

    def _content(self, clusters):
        return b"".join(self.image[self.place(one):self.place(one) + self.bytes] for one in clusters)

    def clusters(self, found):
        number = -(-found.size // self.bytes)
        if found.flags & 2:
            return list(range(found.first, found.first + number))
        return self._follow(found.first)[:number] if number else []

    def _bit(self, cluster):
        byte = (cluster - 2) // 8
        return self.place(self.bitmap[byte // self.bytes]) + byte % self.bytes, 1 << (cluster - 2) % 8

    def is_used(self, cluster):
        place, bit = self._bit(cluster)
        return bool(self.image[place] & bit)

    def mark(self, clusters, used):
        for cluster in clusters:
            place, bit = self._bit(cluster)
            self.image[place] = self.image[place] & ~bit | bit * used

    def free_clusters(self):
        """Those that are free, the lowest first."""
        for first in range(2, self.count + 2, 8):
            byte = self.image[self._bit(first)[0]]
            if byte != 0xFF:
                yield from (one for one in range(first, min(first + 8, self.count + 2))
                            if not byte >> (one - first) & 1)

    def allocate(self, number):
        """The first clusters that are free."""
        found = list(islice(self.free_clusters(), number))
        assert len(found) == number, "No space left on device"
        self.mark(found, True)
        return found

    def chain(self, clusters):
        """Writes a chain of these clusters into the FAT."""
        for one, following in zip(clusters, [*clusters[1:], LAST], strict=True):
            struct.pack_into("<I", self.image, self.fat + 4 * one, following)

    def _flags(self, clusters):
        """Of a stream with these clusters; makes the chain where they are not in a row."""
        if not clusters:
            return 1
        if clusters == list(range(clusters[0], clusters[0] + len(clusters))):
            return 3
        self.chain(clusters)
        return 1

    # Directories.

    def _capacity(self, folder):
        return len(folder.clusters) * self.bytes // ENTRY

    def at(self, folder, index):
        """The byte of the image where an entry is."""
        cluster, place = divmod(index * ENTRY, self.bytes)
        return self.place(folder.clusters[cluster]) + place

    def entry(self, folder, index):
        place = self.at(folder, index)
        return bytes(self.image[place:place + ENTRY])

    def put(self, folder, index, entries):
        for number in range(len(entries) // ENTRY):
            place = self.at(folder, index + number)
            self.image[place:place + ENTRY] = entries[number * ENTRY:(number + 1) * ENTRY]

    def sets(self, folder):
        """The files and folders of a folder, up to its end."""
        index, capacity = 0, self._capacity(folder)
        while index < capacity:
            entry = self.entry(folder, index)
            if entry[0] == END:
                return
            count = 1 + entry[1]
            if entry[0] == FILE and count >= 3 and index + count <= capacity:
                entries = b"".join(self.entry(folder, index + number) for number in range(count))
                if entries[ENTRY] == STREAM and entries[2 * ENTRY] == NAME and \
                        set_checksum(entries) == struct.unpack_from("<H", entries, 2)[0]:
                    yield Found(folder, index, entries)
                    index += count
                    continue
            index += 1

    def opened(self, found):
        return Folder(self.clusters(found), found.folder, found.index)

    def _expanded(self, table):
        codes, found = iter(struct.unpack(f"<{len(table) // 2}H", table)), []
        for code in codes:
            number = next(codes, None) if code == 0xFFFF else None
            if number is None:
                found.append(code)
            else:
                found += range(len(found), len(found) + number)
        return found + list(range(len(found), 1 << 16))

    def same(self, one, other):
        return [self.upcase[code] for code in codes_of(one)] == [
            self.upcase[code] for code in codes_of(other)]

    def find(self, path):
        """The :class:`Found` of a path."""
        folder, found = self.root, None
        for name in path.split("/"):
            if found is not None:
                folder = self.opened(found)
            found = next((one for one in self.sets(folder) if self.same(one.name, name)), None)
            if found is None:
                raise FileNotFoundError(path)
        return found

    def folder(self, path):
        return self.opened(self.find(path)) if path else self.root

    def tree(self, folder=None, prefix=""):
        """Path to :class:`Found` of all that is there."""
        found = {}
        for one in self.sets(self.root if folder is None else folder):
            found[prefix + one.name] = one
            if one.is_folder:
                found |= self.tree(self.opened(one), f"{prefix}{one.name}/")
        return found

    def read(self, path):
        found = self.find(path)
        return self._content(self.clusters(found))[:found.size]

    def files(self):
        """Path to content of every file that is there."""
        return {path: self._content(self.clusters(found))[:found.size]
                for path, found in self.tree().items() if not found.is_folder}

    # Changes.

    def made(self, name, first, size, *, flags=3, attributes=ARCHIVE, valid=None):
        """An entry set."""
        codes = codes_of(name)
        total = 0
        for code in codes:
            for byte in struct.pack("<H", self.upcase[code]):
                total = (total >> 1 | (total & 1) << 15) + byte & 0xFFFF
        names = -(-len(codes) // 15)
        content = struct.pack("<BBHHHIIIBBBBB7x", FILE, 1 + names, 0, attributes, 0, self.TIME, self.TIME,
                              self.TIME, 10, 20, 0x84, 0x84, 0x84)
        content += struct.pack("<BBBBHHQIIQ", STREAM, flags if first else 1, 0, len(codes), total, 0,
                               size if valid is None else valid, 0, first, size)
        padded = codes + (0,) * (15 * names - len(codes))
        for number in range(names):
            content += struct.pack("<BB15H", NAME, 0, *padded[15 * number:15 * number + 15])
        return sealed(content)

    def _room(self, folder, count):
        """The index of the first run of this many entries that are free; the folder grows for it."""
        run, ended = 0, False
        for index in range(self._capacity(folder)):
            kind = self.entry(folder, index)[0]
            ended = ended or kind == END
            run = run + 1 if ended or not kind & USED else 0
            if run == count:
                return index - count + 1
        self.grow(folder)
        return self._room(folder, count)

    def grow(self, folder):
        """Another cluster for a folder."""
        more = self.allocate(1)
        place = self.place(more[0])
        self.image[place:place + self.bytes] = bytes(self.bytes)
        folder.clusters += more
        if folder.parent is None:
            self.chain(folder.clusters)
            return
        size = len(folder.clusters) * self.bytes
        self.change(folder.parent, folder.index, flags=self._flags(folder.clusters), size=size, valid=size)

    def _set(self, folder, index):
        count = 1 + self.entry(folder, index)[1]
        return bytearray(b"".join(self.entry(folder, index + number) for number in range(count)))

    def change(self, folder, index, *, attributes=None, flags=None, first=None, size=None, valid=None,
               time=None):
        """Other fields for an entry set, with the checksum that follows."""
        entries = self._set(folder, index)
        for form, place, value in (("<H", 4, attributes), ("<B", 33, flags), ("<Q", 40, valid),
                                   ("<I", 52, first), ("<Q", 56, size)):
            if value is not None:
                struct.pack_into(form, entries, place, value)
        if time is not None:
            struct.pack_into("<III5B", entries, 8, time, time, time, 7, 8, 0x90, 0x90, 0x90)
        self.put(folder, index, sealed(entries))

    def add(self, path, entries):
        """Puts an entry set into the folder of ``path``."""
        folder = self.folder(path.rpartition("/")[0])
        self.put(folder, self._room(folder, len(entries) // ENTRY), entries)

    def create(self, path, data=b"", *, attributes=ARCHIVE):
        """A file with this content."""
        clusters = self.allocate(-(-len(data) // self.bytes))
        flags = self._flags(clusters)
        self._fill(clusters, data)
        self.add(path, self.made(path.rpartition("/")[2], clusters[0] if clusters else 0, len(data),
                                 flags=flags, attributes=attributes))

    def _fill(self, clusters, data):
        for number, cluster in enumerate(clusters):
            part = data[number * self.bytes:(number + 1) * self.bytes]
            self.image[self.place(cluster):self.place(cluster) + len(part)] = part

    def mkdir(self, path):
        clusters = self.allocate(1)
        self._fill(clusters, bytes(self.bytes))
        self.add(path, self.made(path.rpartition("/")[2], clusters[0], self.bytes, attributes=DIRECTORY))

    def _forget(self, found):
        for number in range(found.count):
            self.image[self.at(found.folder, found.index + number)] &= ~USED

    def delete(self, path):
        """A file, or a folder with all that is in it."""
        found = self.find(path)
        if found.is_folder:
            for one in list(self.sets(self.opened(found))):
                self.delete(f"{path}/{one.name}")
        self.mark(self.clusters(found), False)
        self._forget(found)

    def rename(self, old, new):
        """Another name, or another folder; in place where it fits."""
        found, name = self.find(old), new.rpartition("/")[2]
        entries = bytearray(self.made(name, found.first, found.size, flags=found.flags, valid=found.valid,
                                      attributes=found.attributes))
        entries[8:25] = found.entries[8:25]
        entries = sealed(entries)
        self._forget(found)
        if old.rpartition("/")[0] == new.rpartition("/")[0] and len(entries) <= len(found.entries):
            self.put(found.folder, found.index, entries)
        else:
            self.add(new, entries)

    def write(self, path, data):
        """Other content for a file, which may have another length then."""
        found = self.find(path)
        clusters, number = self.clusters(found), -(-len(data) // self.bytes)
        self.mark(clusters[number:], False)
        clusters = clusters[:number] + self.allocate(max(0, number - len(clusters)))
        self._fill(clusters, data)
        self.change(found.folder, found.index, flags=self._flags(clusters), size=len(data),
                    first=clusters[0] if clusters else 0, valid=len(data), time=self.TIME)

    def touch(self, path, time=TIME):
        found = self.find(path)
        self.change(found.folder, found.index, time=time, attributes=found.attributes | ARCHIVE)

    def fill_up(self, path):
        """A file of all clusters that are free."""
        self.create(path, bytes(range(256)) * (len(list(self.free_clusters())) * self.bytes // 256))

    def set_flags(self, *, dirty=None, percent=None):
        if dirty is not None:
            self.image[self.base + 106] = self.image[self.base + 106] & ~2 | 2 * dirty
        if percent is not None:
            self.image[self.base + 112] = percent
