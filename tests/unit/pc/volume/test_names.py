"""Two names are one where the volume's own up-case table says so, and nowhere else."""

import ast
import struct
from contextlib import contextmanager
from pathlib import Path

import pytest

from sata_recorder.pc import volume as recordings
from sata_recorder.pc.volume import Drive, Refused, find_file, finalise_image, verify
from sata_recorder.pc.volume.exfat import FileSet, check, name_hash, table_checksum, upcase_entry
from sata_recorder.pc.volume.exfat.upcase import expanded

#: Of the root and of the folder: the byte where the first entry of somebody else's file can be.
ROOT_ENTRIES = 6 * 32
#: The mandatory characters, and é as É, as the tables of Windows and of mkfs.exfat have it.
WIDER = struct.pack("<128H", *(ord(chr(code).upper()) for code in range(128))) + struct.pack(
    "<5H", 0xFFFF, 0xE9 - 128, 0xC9, 0xFFFF, 0x10000 - 0xEA)


@contextmanager
def written(image):
    with open(image, "r+b") as file:
        yield lambda place, content: (file.seek(place), file.write(content))


def places(image):
    """The bytes where the entries of the root and of RECORDINGS begin."""
    with Drive(image) as drive:
        volume = drive.volume
        folder = volume.find("RECORDINGS").set.first_cluster
        return 512 * volume.lba(volume.boot.root_cluster), 512 * volume.lba(folder)


def put(image, *names, folder=False, upcase=None):
    """Empty files of these names."""
    root, inside = places(image)
    place = inside if folder else root + ROOT_ENTRIES
    with written(image) as write:
        for name in names:
            entries = bytearray(FileSet(name, 0, 0, 0).pack())
            if upcase is not None:
                struct.pack_into("<H", entries, 36, name_hash(name, upcase))
                entries = bytearray(reset(entries))
            write(place, entries)
            place += len(entries)


def reset(entries):
    """The entries with the checksum that they must have."""
    total = 0
    for place, byte in enumerate(entries):
        if place not in (2, 3):
            total = (total >> 1 | total << 15) + byte & 0xFFFF
    return entries[:2] + struct.pack("<H", total) + entries[4:]


def give_wider_table(image):
    root, _ = places(image)
    with Drive(image) as drive:
        cluster = drive.volume.boot.root_cluster - 1
        table = 512 * drive.volume.lba(cluster)
    with written(image) as write:
        write(table, WIDER)
        write(root + 64, upcase_entry(table_checksum(WIDER), cluster, len(WIDER)))


def test_not_what_python_takes_for_upper_case(image):
    put(image, "straße.dat", "ﬁle.dat")
    for wanted in "strasse.dat", "STRASSE.DAT", "file.dat", "FILE.DAT":
        with pytest.raises(Refused, match=f"has no file {wanted}"):
            find_file(image, wanted)
    for wanted in "straße.dat", "/STRAßE.dat":
        with pytest.raises(Refused, match=f"{wanted} is empty"):
            find_file(image, wanted)


def test_a_letter_that_the_table_leaves_alone(image):
    """On a volume of ours É and é are two letters: two files are as they should be."""
    put(image, "É.txt", "é.txt")
    with Drive(image) as drive:
        assert drive.volume.find("é.txt").path == "é.txt"
        assert check(drive.volume) == [] == verify(drive).problems


def test_a_table_with_more_letters(image):
    give_wider_table(image)
    wider = expanded(WIDER)
    assert (wider[0xE9], wider[0xE8], wider[0xFFFF]) == (0xC9, 0xE8, 0xFFFF)
    put(image, "É.txt", "é.txt", upcase=wider)
    with Drive(image) as drive:
        assert drive.volume.find("é.TXT").path == "É.txt"
        assert "é.txt: there are two of this name" in check(drive.volume)


def test_names_that_print_alike(image):
    put(image, "a\u200b", "a\u200c")
    with Drive(image) as drive:
        assert [node.path for node in drive.volume.walk()][-5:-3] == ["a?", "a?"]
        assert check(drive.volume) == []


def test_finalise(image):
    put(image, "É.dat", "flight.dat", folder=True)
    with pytest.raises(Refused, match="there is such a file"):
        finalise_image(image, 1, 512, name="FLIGHT.dat")
    finalise_image(image, 1, 512, name="é.dat")
    with Drive(image) as drive:
        assert check(drive.volume) == []


def test_taken_names(image):
    put(image, "rec00001.DAT", folder=True)
    with Drive(image) as drive:
        assert drive.taken_names == [(1, "RECORDINGS/rec00001.DAT")]


def test_recordings_are_found(image):
    finalise_image(image, 1, 512, name="straße.dat")
    finalise_image(image, 3, 512, name="2")
    with Drive(image) as drive:
        assert drive.find("recordings/STRAßE.DAT").slot == 1
        with pytest.raises(Refused, match="strasse.dat: there is no such recording"):
            drive.find("strasse.dat")
        assert drive.find("2").slot == 3


def test_a_name_and_a_number(image):
    """`2` is the name of one recording and the slot of another one."""
    finalise_image(image, 2, 512)
    finalise_image(image, 3, 512, name="2")
    with Drive(image) as drive:
        with pytest.raises(Refused, match="2: can be RECORDINGS/REC00002.dat or RECORDINGS/2"):
            drive.find("2")
        assert drive.find("RECORDINGS/2").slot == 3


def test_python_compares_no_names():
    """Only the up-case table of a volume knows which names are one."""
    folder = Path(recordings.__file__).parent
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*.py")
             for node in ast.walk(ast.parse(path.read_text()))
             if isinstance(node, ast.Attribute) and node.attr in ("upper", "lower", "casefold")}
    assert found == {"exfat/entries.py", "exfat/upcase.py"}, "these make or apply the table"
