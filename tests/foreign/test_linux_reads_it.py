"""What the core has recorded is what Linux reads from the drive, with AHCI."""

import hashlib
import random

import pytest
from sata_drive_model import Behaviour, DiskImage, Drive, DrivePort
from sata_drive_model.qemu import PACKAGE

from foreign.linux import boot, unpacked
from sata_recorder.interface.configuration import Configuration
from sata_recorder.simulation import Compiled, Session
from sata_recorder.simulation.analyser import PortAnalyser

SECTORS = 100_000
#: First sector, sectors, longest command and how the drive behaves: FISes and HOLD of all kinds.
RECORDINGS = [(0, 300, 65536, 1), (2048, 1, 65536, 2), (40_000, 777, 16, 3), (99_000, 1000, 256, 4)]


def record(path):
    """Records on the image ``path``; the data by (first sector, sectors)."""
    written = {}
    for lba, sectors, longest, seed in RECORDINGS:
        data = random.Random(seed).randbytes(512 * sectors)
        drive = Drive(DiskImage(path, sectors=SECTORS), behaviour=Behaviour.random(seed))
        port = DrivePort(drive, seed=seed, observer=PortAnalyser())
        with Compiled(Configuration(max_command_sectors=longest), port.clock) as engine:
            session = Session(engine, port)
            session.bring_up()
            assert session.record(data, lba, flush=True).error == 0
            assert session.violations() == []
        written[lba, sectors] = data
    return written


@pytest.mark.long
def test_linux_reads_what_was_recorded(judge, tmp_path):
    qemu = judge("qemu-system-x86_64", PACKAGE)
    root = unpacked(tmp_path)
    written = record(tmp_path / "disk.img")
    sums = "".join(f"echo SUM {lba} $(dd if=/dev/sda bs=512 skip={lba} count={sectors} 2>/dev/null"
                   " | sha256sum)\n" for lba, sectors in written)
    told = boot(qemu, root, tmp_path, tmp_path / "disk.img", f"""
for n in 1 2 3 4 5 6 7 8 9 10; do [ -b /dev/sda ] || sleep 1; done
echo SIZE $(cat /sys/block/sda/size)
echo DRIVER $(basename $(readlink /sys/block/sda/device/../../../../driver))
{sums}""")
    lines = [line.split() for line in told.splitlines()]
    assert "FAILED" not in told, told
    assert ["SIZE", str(SECTORS)] in lines and ["DRIVER", "ahci"] in lines, told
    found = {int(line[1]): line[2] for line in lines if line and line[0] == "SUM"}
    assert found == {lba: hashlib.sha256(data).hexdigest()
                     for (lba, _), data in written.items()}
