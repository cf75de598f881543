"""`sata-recorder measure` ends with status 1, and reports why, when something is wrong."""

import pytest
import sata_drive_model
from sata_drive_model import DiskImage, Drive, DrivePort, GeneratedImage

from sata_recorder.interface.configuration import Configuration
from sata_recorder.simulation.analyser import PortAnalyser

pytestmark = pytest.mark.wide

ENGINE = "--engine", "cxxrtl", "--config", "soon.toml"
ARGUMENTS = "measure", "--sectors", "40", *ENGINE


@pytest.fixture(autouse=True)
def soon(tmp_path):
    """A core that tries again soon: clock for clock the one of a clock of 1 MHz that others simulate."""
    slow = Configuration(clock_hz=1e6, buffer_words=128, max_command_sectors=2)
    times = {name: value / 100 for name, value in slow if name.endswith(("_timeout", "_delay"))}
    (tmp_path / "soon.toml").write_text("".join(f"{name} = {value}\n" for name, value in {
        "clock_hz": 100e6, "buffer_words": 128, "max_command_sectors": 2, **times}.items()))


@pytest.fixture
def sabotage(monkeypatch):
    """Puts a port of this class in the place of `DrivePort`."""
    return lambda port: monkeypatch.setattr(sata_drive_model, "DrivePort", port)


def problems(result):
    assert result.exit_code == 1, result.output
    assert "good" not in result.stdout
    return [line for line in result.stdout.splitlines() if line.startswith("wrong ")]


class WrongLedger(PortAnalyser):
    def ledger(self):
        told = super().ledger()
        told["handshake"] += 1
        return told


class OtherLedger(DrivePort):
    def __init__(self, drive, *, observer, **options):
        super().__init__(drive, observer=WrongLedger(), **options)


def test_ledgers_disagree(run, sabotage):
    sabotage(OtherLedger)
    told = problems(run(*ARGUMENTS))
    assert len(told) == 2
    assert all("ledgers of core and drive model disagree: handshake" in line for line in told)


class FlippedDword(DrivePort):
    """Flips a bit of the 200th dword of every longer FIS to the core: the CRC must notice."""

    def clock(self, core):
        word = super().clock(core)
        return word ^ 1 if self.link and self.link.index == 200 else word


def test_a_flipped_bit_on_the_line(run, sabotage):
    sabotage(FlippedDword)
    told = problems(run(*ARGUMENTS))
    assert any("DATA_CRC (10)" in line for line in told), told


def test_a_flipped_bit_on_the_disk(run, monkeypatch):
    class Disk(GeneratedImage):
        def write(self, offset, data):
            super().write(offset, bytes([data[0] ^ 0x80]) + data[1:])

    monkeypatch.setattr(sata_drive_model, "GeneratedImage", Disk)
    told = problems(run(*ARGUMENTS))
    assert any("the image differs" in line and "first at byte 0" in line for line in told)
    assert any("played back differs" in line for line in told)


def test_a_drive_that_fails(run, monkeypatch):
    class Disk(Drive):
        def __init__(self, image, *, behaviour, **options):
            behaviour.fail_lba = 260
            super().__init__(image, behaviour=behaviour, **options)

    monkeypatch.setattr(sata_drive_model, "Drive", Disk)
    told = problems(run("measure", *ENGINE, "--lba28", "--sectors", "300"))
    assert len(told) == 1
    assert "record ended with error DRIVE_ERROR (7), drive status 51h, drive error 40h" in told[0]
    assert "after 260 of 300 sectors" in told[0]


def test_a_drive_that_is_refused(run, monkeypatch):
    def drive(image, **options):
        return Drive(image, **options, dma=False)

    monkeypatch.setattr(sata_drive_model, "Drive", drive)
    told = problems(run(*ARGUMENTS))
    assert any("bring-up ended with error NO_DMA_LBA (4)" in line for line in told)


def test_a_disk_that_fills_up(run, monkeypatch, tmp_path):
    class Disk(DiskImage):
        def write(self, offset, data):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(sata_drive_model, "DiskImage", Disk)
    result = run(*ARGUMENTS, "--image", "disk.img")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "Error: disk.img: No space left on device\n"
    assert not (tmp_path / "disk.img").exists()
