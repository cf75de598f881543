"""Answers of the drive model and of QEMU's disk, FIS by FIS, and which side is right.

`PYTHONPATH=tests .venv/bin/python -m foreign.differences` rewrites docs/foreign-drives.md.
"""

import struct
from pathlib import Path
from typing import NamedTuple

from sata_drive_model import DiskImage, Drive, DrivePort, QemuDisk
from sata_drive_model.protocol import fis

from unit.drive_model.scripted_host import ScriptedHost, content

PAGE = Path(__file__).resolve().parents[2] / "docs/foreign-drives.md"
SECTORS = 1000
DATA = content(4)
_TRIM = struct.pack("<Q", 5 | 8 << 48).ljust(512, b"\0")


class CommandCase(NamedTuple):
    """A command, and the ``data`` that the host sends where the drive asks for them."""

    name: str
    command: int
    lba: int = 0
    count: int = 0
    features: int = 0
    device: int = 0x40
    data: bytes = b""


SMART = 0xC24F00
CASES = [
    CommandCase("IDENTIFY DEVICE", 0xEC),
    CommandCase("READ DMA", 0xC8, 10, 4),
    CommandCase("READ DMA EXT", 0x25, 10, 4),
    CommandCase("READ DMA EXT of the last sector", 0x25, SECTORS - 1, 1),
    CommandCase("READ DMA beyond the end", 0xC8, SECTORS - 1, 2),
    CommandCase("READ DMA EXT beyond the end", 0x25, SECTORS, 1),
    CommandCase("READ DMA EXT, LBA above 28 bits", 0x25, 1 << 40, 1),
    CommandCase("WRITE DMA", 0xCA, 20, 4, data=DATA),
    CommandCase("WRITE DMA EXT", 0x35, 20, 4, data=DATA),
    CommandCase("WRITE DMA EXT beyond the end", 0x35, SECTORS - 1, 2, data=DATA[:1024]),
    CommandCase("WRITE DMA FUA EXT", 0x3D, 20, 4, data=DATA),
    CommandCase("FLUSH CACHE", 0xE7),
    CommandCase("FLUSH CACHE EXT", 0xEA),
    CommandCase("IDENTIFY PACKET DEVICE", 0xA1),
    CommandCase("NOP", 0x00),
    CommandCase("SECURITY ERASE UNIT", 0xF4),
    CommandCase("a reserved command", 0x01),
    CommandCase("READ LOG EXT", 0x2F, 0x10, 1),
    CommandCase("READ FPDMA QUEUED", 0x60, 10, 0, 4),
    CommandCase("DATA SET MANAGEMENT, TRIM", 0x06, 0, 1, 1, data=_TRIM),
    CommandCase("SMART READ DATA", 0xB0, SMART, 1, 0xD0),
    CommandCase("SMART RETURN STATUS", 0xB0, SMART, 0, 0xDA),
    CommandCase("READ SECTOR(S)", 0x20, 10, 1),
    CommandCase("READ SECTOR(S) EXT", 0x24, 10, 4),
    CommandCase("READ SECTOR(S) beyond the end", 0x20, SECTORS - 1, 2),
    CommandCase("WRITE SECTOR(S)", 0x30, 20, 4, data=DATA),
    CommandCase("WRITE SECTOR(S) EXT", 0x34, 20, 4, data=DATA),
    CommandCase("READ MULTIPLE, none set", 0xC4, 10, 4),
    CommandCase("READ VERIFY SECTOR(S)", 0x40, 10, 4),
    CommandCase("READ VERIFY SECTOR(S) EXT", 0x42, 10, 4),
    CommandCase("SET FEATURES, write cache on", 0xEF, features=0x02),
    CommandCase("SET FEATURES, write cache off", 0xEF, features=0x82),
    CommandCase("SET FEATURES, look-ahead on", 0xEF, features=0xAA),
    CommandCase("SET FEATURES, look-ahead off", 0xEF, features=0x55),
    CommandCase("SET FEATURES, Ultra DMA 5", 0xEF, 0, 0x45, 0x03),
    CommandCase("SET FEATURES, PIO 4", 0xEF, 0, 0x0C, 0x03),
    CommandCase("SET FEATURES, a mode that does not exist", 0xEF, 0, 0x80, 0x03),
    CommandCase("SET FEATURES, a reserved feature", 0xEF, features=0xFF),
    CommandCase("SET MULTIPLE MODE", 0xC6, 0, 16),
    CommandCase("SET MULTIPLE MODE, 3 sectors", 0xC6, 0, 3),
    CommandCase("CHECK POWER MODE", 0xE5),
    CommandCase("IDLE", 0xE3, 0, 12),
    CommandCase("IDLE IMMEDIATE", 0xE1),
    CommandCase("STANDBY", 0xE2, 0, 12),
    CommandCase("STANDBY IMMEDIATE", 0xE0),
    CommandCase("SLEEP", 0xE6),
    CommandCase("READ NATIVE MAX ADDRESS", 0xF8),
    CommandCase("EXECUTE DEVICE DIAGNOSTIC", 0x90),
]
_PIO_IN, _PIO_OUT = (0xEC, 0x20, 0x24, 0xC4), (0x30, 0x34)
#: Commands of optional feature sets, and the IDENTIFY word that marks them as supported.
_OPTIONAL = {0x60: "word 76 bit 8", 0x06: "word 169 bit 0", 0xB0: "word 82 bit 0",
             0xF8: "word 82 bit 10"}


def _register(data):
    low, high, count = struct.unpack("<IIH", data[4:14])
    return {"status": data[2], "error": data[3], "LBA": low & 0xFFFFFF | (high & 0xFFFFFF) << 24,
            "count": count, "device": low >> 24, "interrupt": data[1] >> 6 & 1}


def fields(found):
    """Fields by name of the FISes ``found``; there are no fields of a FIS that did not come."""
    told = {}
    for data in found:
        if data[0] == fis.REGISTER_D2H:
            told |= {f"D2H {name}": value for name, value in _register(data).items()}
        elif data[0] == fis.PIO_SETUP:
            pio = _register(data) | {"E_STATUS": data[15], "size": data[16] | data[17] << 8}
            told |= {f"PIO {name}": value for name, value in pio.items()}
        elif data[0] == fis.SET_DEVICE_BITS:
            told |= {"SDB status": data[2], "SDB error": data[3], "SDB tags": data[4]}
    return told


class ModelDrive:
    """The drive model, asked by a scripted host."""

    def __init__(self):
        image = DiskImage(sectors=SECTORS)
        image.write(10 * 512, DATA)
        self.host = ScriptedHost(DrivePort(Drive(image)))
        self.host.bring_up()

    def ask(self, case):
        """(FISes without DMA Activate and Data, payload of the Data FISes)."""
        def script():
            host, found, data = self.host, [], b""
            yield from host.issue(case.command, case.lba, case.count, case.device,
                                     case.features)
            left, out = None, 0
            while True:
                one = yield from host.next_fis()
                if one[0] == fis.DATA:
                    data += one[4:]
                    if left is not None and len(data) == left:
                        return found, data
                elif one[0] == fis.DMA_ACTIVATE:
                    yield from host.send(fis.data(case.data))
                elif one[0] == fis.PIO_SETUP and not one[1] >> 5 & 1:
                    found.append(one)
                    size = int.from_bytes(one[16:18], "little")
                    yield from host.send(fis.data(case.data[out:out + size]))
                    out += size
                else:
                    found.append(one)
                    if one[0] == fis.REGISTER_D2H:
                        return found, data
                    if not one[15] & (fis.BSY | fis.DRQ):
                        left = len(data) + int.from_bytes(one[16:18], "little")
        return self.host.run(script())


class Qemu:
    """QEMU's disk, asked without a link."""

    def __init__(self):
        self.disk = QemuDisk(sectors=SECTORS)
        self.disk.write(10 * 512, DATA)
        self.disk.reset()

    def ask(self, case):
        """(FISes in the received FIS structure, data)."""
        answer = self.disk.command(fis.register_h2d(case.command, case.lba, case.count, case.device,
                                                    case.features), case.data)
        return [one for one in answer[:3] if one is not None], answer.data

    def close(self):
        self.disk.close()


def differences(case, model, qemu):
    """Field: (ours, QEMU's), None for one that did not come."""
    ours, data = model.ask(case)
    theirs, other = qemu.ask(case)
    ours, theirs = fields(ours), fields(theirs)
    found = {name: (ours.get(name), theirs.get(name)) for name in ours | theirs
             if ours.get(name) != theirs.get(name)}
    if data != other:
        found["data"] = (len(data), len(other))
    return found


def compared(case):
    """The `differences` of two fresh drives."""
    qemu = Qemu()
    try:
        return differences(case, ModelDrive(), qemu)
    finally:
        qemu.close()


def _refused(value):
    return value[0] is not None and bool(value[0] & fis.ERR)


def settled(case, found):
    """Who is right in the differences ``found`` of ``case``: a set of the keys of `RULES`, and the
    fields that no rule explains."""
    rules, left = set(), set(found)
    ours = found.get("D2H status", (None, None))

    def rule(name, *explained):
        hit = left & set(explained)
        if hit:
            rules.add(name)
            left.difference_update(hit)

    everything = tuple(found)
    if case.command == 0x90 and ours[1] is None:
        rule("silent", *everything)
    if case.command == 0xC4 and _refused(ours) and not _refused(ours[1:]):
        rule("multiple", *everything)
    if case.command in _OPTIONAL and found.get("D2H error", (0, 0))[0] == fis.ABRT:
        rule("optional", *everything)
    if found.get("D2H error") == (fis.IDNF, fis.ABRT):
        rule("range", "D2H error", "D2H LBA", "D2H count")
        if case.command in _PIO_IN:
            rule("range", "data", *(name for name in found if name.startswith("PIO")))
    status = found.get("D2H status")
    if status and None not in status and status[0] ^ status[1] == 0x10:
        rule("bit 4", "D2H status")
    if case.command == 0xEC:
        rule("identify", "data")
    if case.command in _PIO_IN and ours[0] is None:
        rule("pio end", *(name for name in found if name.startswith("D2H")))
    if found.get("PIO E_STATUS") == ((0xD0 if case.command in _PIO_OUT else 0x50), 0x58):
        rule("pio end", "PIO E_STATUS")
    rule("unused", "D2H LBA", "D2H count", "PIO LBA", "PIO count")
    return rules, left


RULES = {
    "optional": "Both are right: the feature set is optional (ATA8-ACS, Feature sets), and each "
                "drive's IDENTIFY DEVICE data say whether it has it.",
    "range": "Both are right: an address beyond the capacity sets IDNF, or ABRT if IDNF is not set "
             "(ATA8-ACS, Error field). By PIO QEMU sends the sectors before the end first; the "
             "model refuses the whole command.",
    "multiple": "Both are right: word 59 of their IDENTIFY DEVICE data says that QEMU's disk begins "
                "with blocks of 16 sectors, and the model without (ATA8-ACS, READ MULTIPLE).",
    "bit 4": "Both are right: bit 4 of Status has no meaning for this command (ATA8-ACS, Status "
             "field).",
    "silent": "**QEMU deviates**: it executes the command, and its controller receives no FIS; a "
              "Register Device to Host FIS with the signature must follow (Serial ATA Revision "
              "3.x, EXECUTE DEVICE DIAGNOSTIC protocol).",
    "identify": "The data describe different drives. hdparm's parser judges the model's: "
                "`tests/foreign/test_identify_parsers.py`.",
    "pio end": "**QEMU deviates**: E_STATUS is the status after the data, with DRQ cleared, "
               "and no Register Device to Host FIS follows a PIO data-in (Serial ATA Revision 3.x, "
               "PIO Setup FIS). Its controller writes both for its drivers. `QemuDrive` sends "
               "neither.",
    "unused": "Both are right: these outputs are reserved or not applicable here (ATA8-ACS, normal "
              "and error outputs).",
}


def _text(case, found, rules):
    if not found:
        return f"| {case.name} | {case.command:02X}h | the same | the same | - |"
    def side(number):
        return ", ".join(f"{name} " + ("-" if value[number] is None else f"{value[number]} bytes"
                                       if name == "data" else f"{value[number]:X}h")
                         for name, value in sorted(found.items()))
    verdict = ", ".join(f"[{name}](#{name.replace(' ', '-')})" for name in sorted(rules))
    return f"| {case.name} | {case.command:02X}h | {side(0)} | {side(1)} | {verdict} |"


def page():
    """The page docs/foreign-drives.md."""
    lines = []
    for case in CASES:
        found = compared(case)
        lines.append(_text(case, found, settled(case, found)[0]))
    rules = "\n".join(f"### {name}\n\n{text}\n" for name, text in RULES.items())
    return f"""# The drive model beside QEMU's disk

[Manual](README.md): [develop](README.md#develop)

Each command goes to the drive model and to [QEMU's ATA disk](drive-model.md#qemus-disk). The table
has the fields of their FISes that differ; DMA Activate and the lengths of Data FISes are left out,
because QEMU's controller does not show them. `tests/foreign/test_differences.py` compares them
again and fails for a difference that is not settled here. This page is generated:
`PYTHONPATH=tests .venv/bin/python -m foreign.differences`.

| command | code | the model's | QEMU's | settled |
| --- | --- | --- | --- | --- |
{chr(10).join(lines)}

The signature after COMRESET has the status 50h from the model and 30h from QEMU, which sets DF and
clears DRDY although nothing has failed: **QEMU deviates** (ATA8-ACS, Status field). The core takes
both.

## Linux reads it

`tests/foreign/test_linux_reads_it.py` (with `--long`) records four extents on a disk image through
the simulation, with drives of random behaviour. It then boots Debian's kernel in QEMU with this
image as an AHCI disk, and compares the SHA-256 sums that Linux makes of `/dev/sda` with those of what
was recorded. It fetches kernel (linux-image-amd64; the cloud kernel has no AHCI driver) and
busybox-static by apt, needs no rights, and is skipped where they cannot be had.

## How they are settled

{rules}"""


if __name__ == "__main__":
    PAGE.write_text(page())
