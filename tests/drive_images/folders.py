"""Cases: another system has worked in the volume, or a block of a directory is lost."""

import random

from .cases import ALL, ImageCase, pc_of, record
from .pc import ARCHIVE, DIRECTORY, ENTRY, HIDDEN, READ_ONLY, SECTOR, SYSTEM, codes_of, sealed

FOLDER = "RECORDINGS"
UNUSED = READ_ONLY | HIDDEN | SYSTEM
LATER = 47 << 25 | 1 << 21 | 1 << 16


def unused(number):
    return f"{FOLDER}/REC{number:05}.unused"


def by_pc(work):
    """A case's ``make`` of ``work(pc, planned)``."""
    def make(image, planned):
        work(pc_of(image, planned), planned)
    return make


def stale_set(image, planned):
    """A file that a PC has deleted stood in the place of a recording's set; its clusters are those of
    another file now."""
    pc = pc_of(image, planned)
    pc.create("mine.txt", b"mine!\n")
    entries = bytearray(pc.made("long gone.txt", pc.find("mine.txt").first, 6))
    for place in range(0, len(entries), ENTRY):
        entries[place] &= 0x7F
    place = SECTOR * planned.slots[0].directory_lba
    image[place:place + len(entries)] = entries


def forty_files(pc, planned, *, stay=False):
    """Those with long names have the first block of the folder, and the first one with a short name
    stands in the place of slot 1's recording."""
    names = [f"{FOLDER}/a photograph {number:02}.jpeg" for number in range(32)]
    names += [f"{FOLDER}/short {number}" for number in range(8)]
    for number, name in enumerate(names):
        pc.create(name, bytes([number]) * 5000)
    if not stay:
        for name in names:
            pc.delete(name)


def forty_files_stay(pc, planned):
    forty_files(pc, planned, stay=True)


def then_mine(pc, planned):
    """Their clusters belong to another file then."""
    forty_files(pc, planned)
    pc.create("mine.bin", bytes(range(256)) * 800)


def folder_grown(pc, planned):
    for number in range(300):
        pc.create(f"{FOLDER}/another photograph {number:03}.jpeg")


def grown_and_emptied(pc, planned):
    folder_grown(pc, planned)
    for number in range(300):
        pc.delete(f"{FOLDER}/another photograph {number:03}.jpeg")


def changed_unused(number, **fields):
    def work(pc, planned):
        found = pc.find(unused(number))
        pc.change(found.folder, found.index, **fields)
    return by_pc(work)


def fields_of_unused(number, **fields):
    """Fields that follow from the slot: ``of(slot)`` gives each."""
    def work(pc, planned):
        slot, found = planned.slots[number - 1], pc.find(unused(number))
        pc.change(found.folder, found.index, **{name: of(slot) for name, of in fields.items()})
    return by_pc(work)


def chained(pc, planned):
    """The file is as it was, but its clusters stand in the FAT."""
    found = pc.find(unused(2))
    pc.chain(pc.clusters(found))
    pc.change(found.folder, found.index, flags=1)


def broken_chain(pc, planned):
    clusters = pc.allocate(5)
    pc.chain(clusters)
    pc.chain([clusters[2], 0])
    pc.add("broken.bin", pc.made("broken.bin", clusters[0], 5 * pc.bytes, flags=1))


def wrong_checksum(pc, planned):
    found = pc.find(unused(2))
    pc.image[pc.at(found.folder, found.index) + 2] ^= 1


def right_crc_of_a_wrong_name(pc, planned):
    """The hash of the name is another one, and the checksum fits."""
    found = pc.find(unused(2))
    entries = bytearray(found.entries)
    entries[36] ^= 1
    pc.put(found.folder, found.index, sealed(entries))


def reading(pc, planned):
    """What systems do that only list and read: times, the archive bit, the flags of the volume."""
    for path in pc.tree():
        pc.touch(path, LATER)
    pc.set_flags(dirty=True, percent=77)


def renamed(*names):
    def work(pc, planned):
        for old, new in zip(names, names[1:], strict=False):
            pc.rename(old, new)
    return by_pc(work)


def deleted(*paths):
    def work(pc, planned):
        for path in paths:
            pc.delete(path)
    return by_pc(work)


def folder_and_a_new_one(old):
    """The folder is renamed or moved, and a new one is made under its name."""
    def work(pc, planned):
        if "/" in old:
            pc.mkdir(old.rpartition("/")[0])
        pc.rename(FOLDER, old)
        pc.mkdir(FOLDER)
    return by_pc(work)


def deleted_and_a_new_one(pc, planned):
    pc.delete(FOLDER)
    pc.mkdir(FOLDER)
    pc.create(f"{FOLDER}/mine.bin", b"mine" * 5000)


def folder_attributes(pc, planned):
    found = pc.find(FOLDER)
    pc.change(found.folder, found.index, attributes=DIRECTORY | HIDDEN)


def folder_checksum(pc, planned):
    pc.image[pc.at(pc.root, pc.find(FOLDER).index) + 2] ^= 1


def root_type(index, kind):
    def work(pc, planned):
        pc.image[pc.at(pc.root, index)] = kind
    return by_pc(work)


def label(pc, planned):
    codes = codes_of("PHOTOS")
    place = pc.at(pc.root, 0)
    pc.image[place + 1] = len(codes)
    pc.image[place + 2:place + 24] = b"PHOTOS".decode().encode("utf-16-le").ljust(22, b"\0")


def disk_full(pc, planned):
    pc.create("mine.txt", b"mine!\n")
    pc.fill_up("full.bin")


def disk_full_in_folder(pc, planned):
    pc.fill_up(f"{FOLDER}/full.bin")


def recorded(*numbers, then=None, **options):
    def make(image, planned):
        for number in numbers:
            record(image, planned, number, **options)
        if then is not None:
            then(pc_of(image, planned), planned)
    return make


def whole_slot(image, planned):
    record(image, planned, 1, planned.slots[0].bytes)


def over_a_deleted_one(pc, planned):
    """The clusters of a recording that a PC has deleted are those of a file of its own."""
    pc.delete(f"{FOLDER}/REC00001.dat")
    pc.create(f"{FOLDER}/mine.bin", b"mine!" * 30_000)


def cross_linked(pc, planned):
    """A second file has clusters of slot 2; the bitmap and both sets look sound."""
    pc.add("thief.bin", pc.made("thief.bin", planned.slots[1].first_cluster + 3, 9 * pc.bytes))


def free_in_bitmap(pc, planned):
    pc.mark([planned.slots[2].first_cluster + 5], False)


def swallowed(pc, planned):
    """The entry before slot 2's sector reports that those of the slot are its own. Systems continue with the
    next entry where a set is none."""
    place = SECTOR * planned.slots[1].directory_lba - ENTRY
    pc.image[place:place + ENTRY] = sealed(pc.made("x" * 15, 0, 0)[:ENTRY])
    pc.image[place + 1] = 6


# A block of the folder, or the root, is lost.

KINDS = [kind for kind in range(1, 256) if kind != 0x85]


def garbage(size, *, ends=False):
    """Random bytes; of the types of the entries one or none ends the directory."""
    rng = random.Random(size)
    content = bytearray(rng.randbytes(size))
    for place in range(0, size, ENTRY):
        content[place] = rng.choice(KINDS)
    if ends:
        content[size // 2] = 0
    return bytes(content)


def lost_block(number, content):
    """Block ``number`` of the folder: 0 is the one for files of others."""
    def make(image, planned):
        block = SECTOR * planned.table.block_sectors
        place = SECTOR * planned.slots[0].directory_lba + (number - 1) * block
        image[place:place + block] = content(block)
    return make


def lost_root(content):
    def make(image, planned):
        pc = pc_of(image, planned)
        place = pc.at(pc.root, 0)
        image[place:place + pc.bytes] = content(pc.bytes)
    return make


def lost_sector(image, planned):
    place = SECTOR * planned.slots[1].directory_lba
    image[place:place + SECTOR] = bytes(SECTOR)


def end_after_a_slot(image, planned):
    """The directory ends in the sector of slot 2, after its two sets."""
    image[SECTOR * planned.slots[1].directory_lba + 192] = 0


def ones(size):
    return b"\xff" * size


def garbage_that_ends(size):
    return garbage(size, ends=True)


CHANGED = {"as_prepared": False, "free": ()}
CASES = {
    "fresh": ImageCase(lambda image, planned: None),
    "stale set of a deleted file": ImageCase(stale_set),
    "40 files in and out": ImageCase(by_pc(forty_files)),
    "40 files in and out, another one in": ImageCase(by_pc(then_mine)),
    "40 files in the folder": ImageCase(by_pc(forty_files_stay), free=(2, 3, 4)),
    "all listed and read": ImageCase(by_pc(reading)),
    "disk full": ImageCase(by_pc(disk_full)),
    "disk full, file in the folder": ImageCase(by_pc(disk_full_in_folder)),
    "unused file renamed": ImageCase(renamed(unused(2), f"{FOLDER}/rescued.bin"), free=(1, 3, 4)),
    "unused file in lower case": ImageCase(renamed(unused(2), f"{FOLDER}/rec00002.unused"), free=(1, 3, 4)),
    "unused file renamed and back": ImageCase(renamed(unused(2), f"{FOLDER}/rescued.bin", unused(2))),
    "unused file with a long name": ImageCase(renamed(unused(2), f"{FOLDER}/what was left of it.bin"),
                                         free=(1, 3, 4)),
    "unused file in the root": ImageCase(renamed(unused(2), "REC00002.unused"), free=(1, 3, 4)),
    "unused file in the root and back": ImageCase(renamed(unused(2), "REC00002.unused", unused(2)),
                                             free=(1, 3, 4)),
    "unused file deleted": ImageCase(deleted(unused(2)), free=(1, 3, 4)),
    "unused file not hidden": ImageCase(changed_unused(2, attributes=READ_ONLY | SYSTEM), free=(1, 3, 4)),
    "unused file a directory": ImageCase(changed_unused(2, attributes=UNUSED | DIRECTORY), free=(1, 3, 4)),
    "unused file with other times": ImageCase(changed_unused(2, time=LATER)),
    "unused file to be archived": ImageCase(changed_unused(2, attributes=UNUSED | ARCHIVE)),
    "unused file with a wrong checksum": ImageCase(by_pc(wrong_checksum), free=(1, 3, 4)),
    "unused file with a wrong hash": ImageCase(by_pc(right_crc_of_a_wrong_name), free=(1, 3, 4)),
    "unused file from another cluster on": ImageCase(fields_of_unused(
        2, first=lambda slot: slot.first_cluster + 1, size=lambda slot: slot.bytes - 4096,
        valid=lambda slot: slot.bytes - 4096), free=(1, 3, 4)),
    "unused file of another length": ImageCase(fields_of_unused(
        2, size=lambda slot: slot.bytes - 1, valid=lambda slot: slot.bytes - 1), free=(1, 3, 4)),
    "unused file with less that is valid": ImageCase(fields_of_unused(2, valid=lambda slot: 4096),
                                                free=(1, 3, 4)),
    "unused file with a chain": ImageCase(by_pc(chained), free=(1, 3, 4)),
    "file with a broken chain": ImageCase(
        by_pc(broken_chain), free=(), hardware_free=ALL,
        why="chains are not followed: which clusters that file has nobody knows"),
    "recorded": ImageCase(recorded(1), free=(2, 3, 4)),
    "recorded, all slots": ImageCase(recorded(*ALL), free=()),
    "recorded, the whole slot": ImageCase(whole_slot, free=(2, 3, 4)),
    "recording deleted": ImageCase(recorded(1, 2, then=lambda pc, planned: pc.delete(
        f"{FOLDER}/REC00001.dat")), free=(3, 4)),
    "recording renamed": ImageCase(recorded(1, 2, then=lambda pc, planned: pc.rename(
        f"{FOLDER}/REC00001.dat", f"{FOLDER}/over the mountains.dat")), free=(3, 4)),
    "recording moved": ImageCase(recorded(1, then=lambda pc, planned: pc.rename(
        f"{FOLDER}/REC00001.dat", "flight.dat")), free=(2, 3, 4)),
    "recording edited": ImageCase(recorded(1, then=lambda pc, planned: pc.write(
        f"{FOLDER}/REC00001.dat", b"edited" * 40_000)), free=(2, 3, 4)),
    "another file over a deleted recording": ImageCase(recorded(1, then=over_a_deleted_one), free=(2, 3, 4)),
    "log without a file": ImageCase(recorded(1, log_only=True), free=(2, 3, 4), unfinished=(1,)),
    "folder renamed": ImageCase(renamed(FOLDER, "OLD"), **CHANGED),
    "folder renamed and back": ImageCase(renamed(FOLDER, "OLD", FOLDER)),
    "folder in lower case": ImageCase(renamed(FOLDER, "recordings"), **CHANGED),
    "folder renamed, a new one": ImageCase(folder_and_a_new_one("OLD"), **CHANGED),
    "folder moved, a new one": ImageCase(folder_and_a_new_one("TRASH/RECORDINGS"), **CHANGED),
    "folder deleted": ImageCase(deleted(FOLDER), **CHANGED),
    "folder deleted, a new one": ImageCase(by_pc(deleted_and_a_new_one), **CHANGED),
    "folder with more entries": ImageCase(by_pc(folder_grown), **CHANGED),
    "folder with more entries, then emptied": ImageCase(by_pc(grown_and_emptied), **CHANGED),
    "folder hidden": ImageCase(by_pc(folder_attributes), **CHANGED),
    "folder with a wrong checksum": ImageCase(by_pc(folder_checksum), **CHANGED),
    "folder with other times": ImageCase(by_pc(lambda pc, planned: pc.touch(FOLDER, LATER))),
    "root ends before the folder": ImageCase(root_type(0, 0), **CHANGED),
    "volume without a label": ImageCase(root_type(0, 3)),
    "volume with another label": ImageCase(by_pc(label)),
    "root lost, zeros": ImageCase(lost_root(bytes), **CHANGED),
    "root lost, ones": ImageCase(lost_root(ones), **CHANGED),
    "root lost, garbage": ImageCase(lost_root(garbage), **CHANGED),
    "first sector of a block lost, zeros": ImageCase(lost_sector, free=(1,)),
    "folder ends after the sets of a slot": ImageCase(end_after_a_slot, free=(1, 2)),
    "clusters of a slot in a second file": ImageCase(
        by_pc(cross_linked), free=(1, 3, 4), hardware_free=ALL,
        why="which clusters other files have stands anywhere on the volume"),
    "cluster of a slot free in the bitmap": ImageCase(
        by_pc(free_in_bitmap), free=(1, 2, 4), hardware_free=ALL,
        why="the bitmap is not read"),
    "sets of a slot claimed by the entry before": ImageCase(by_pc(swallowed)),
}
for block in range(5):
    others = tuple(number for number in ALL if number != block)
    before = tuple(number for number in ALL if number < block)
    CASES |= {f"block {block} lost, {name}": ImageCase(lost_block(block, content), free=free)
              for name, content, free in (("zeros", bytes, before), ("ones", ones, others),
                                          ("garbage", garbage, others))}
    # The end stands in the midst of the block: after the sets of its own slot, which are garbage.
    CASES[f"block {block} lost, garbage that ends"] = ImageCase(lost_block(block, garbage_that_ends),
                                                         free=before)
