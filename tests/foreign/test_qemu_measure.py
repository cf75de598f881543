"""The core on QEMU's disk: `sata-recorder measure --drive qemu`."""

import json
import random

import pytest
from click.testing import CliRunner
from integration.small import RETRY
from sata_drive_model import DrivePort, QemuDrive
from sata_drive_model.qemu import PACKAGE

from sata_recorder.cli.verbs import cli
from sata_recorder.interface.configuration import Configuration
from sata_recorder.core.drive_port import Error
from sata_recorder.simulation import Compiled, Session
from sata_recorder.simulation.analyser import PortAnalyser



def run(*arguments):
    result = CliRunner().invoke(cli, ["measure", *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture
def measured(judge, tmp_path, monkeypatch):
    """`measured(...)`: what a good measurement with QEMU's disk reports, as JSON."""
    judge("qemu-system-x86_64", PACKAGE)
    monkeypatch.chdir(tmp_path)

    def measured(*arguments):
        result = run("--drive", "qemu", "--json", "-", *arguments)
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    return measured


@pytest.mark.wide
@pytest.mark.parametrize("options", [(), ("--hostile", "--seed", 3), ("--hold", "drive:64/16")])
def test_record_and_play(measured, options):
    told = measured("--sectors", 100, "--max-command", 16, *options)
    assert told["good"] and told["drive"]["model"] == "QEMU HARDDISK"
    assert "QEMU's ATA disk" in told["simulation"]["statement"]
    record, play = told["transfers"]
    assert record["crc32"] == play["crc32"]


def test_play_alone(measured):
    assert measured("--operation", "play", "--sectors", 20, "--lba", 100)["good"]


def test_image(measured, tmp_path):
    data = random.Random(1).randbytes(40 * 512)
    (tmp_path / "input").write_bytes(data)
    image = tmp_path / "disk.img"
    told = measured("--operation", "record", "--input", "input", "--image", image, "--lba", 5,
                    "--capacity", 1000, "--flush")
    assert told["drive"]["capacity"] == 1000
    assert image.read_bytes() == bytes(5 * 512) + data + bytes(955 * 512)
    before = image.stat().st_mtime_ns
    told = measured("--operation", "play", "--input", "input", "--image", image, "--lba", 5)
    assert told["drive"]["capacity"] == 1000
    assert image.stat().st_mtime_ns == before


@pytest.mark.parametrize("arguments, text", [
    ("--lba28", "--lba28: not together with --drive qemu: QEMU's disk has 48-bit commands"),
    ("--image disk.img --capacity 11 --sectors 5",
     "--capacity 11: is more than the 10 sectors of --image disk.img, which is all of QEMU's disk"),
    ("--jitter-us 5", "--jitter-us 5: needs --drive with a profile"),
    ("--image disk.img --sectors 11",
     "--sectors 11: are more than the drive's capacity of 10"),
])
def test_refused(measured, tmp_path, arguments, text):
    (tmp_path / "disk.img").write_bytes(bytes(5120))
    result = run("--drive", "qemu", *arguments.split())
    assert result.exit_code == 2 and text in result.output


def test_refused_without_qemu(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    result = run("--drive", "qemu", "--image", tmp_path / "disk.img")
    assert result.exit_code == 2
    assert ("--drive qemu: no qemu-system-x86_64 found in PATH: install QEMU (Debian: "
            "qemu-system-x86)") in result.output
    assert not (tmp_path / "disk.img").exists()


@pytest.fixture
def session(qemu):
    """`session(faults)`: a core that has brought up QEMU's disk."""
    engines = []

    def session(*faults):
        disk = qemu(sectors=1000, faults=faults)
        port = DrivePort(QemuDrive(disk), observer=PortAnalyser())
        engines.append(Compiled(Configuration(**RETRY), port.clock))
        made = Session(engines[-1], port, limit=2_000_000)
        assert made.bring_up()["ready"]
        return made

    yield session
    for engine in engines:
        engine.close()


def test_bad_sector(session):
    s = session({"event": "none", "iotype": "read", "errno": 5, "sector": 20})
    data = random.Random(2).randbytes(40 * 512)
    assert s.record(data, 0).error == 0
    outcome = s.play(0, 40)
    assert outcome.error == Error.DRIVE_ERROR
    assert outcome.outputs["sectors_done"] == 16 and outcome.data[:8192] == data[:8192]
    assert s.play(21, 10).data == data[21 * 512:31 * 512]
    assert s.violations() == []


def test_full_host(session):
    s = session({"event": "none", "iotype": "write", "errno": 28, "sector": 20})
    outcome = s.record(bytes(40 * 512), 0)
    assert outcome.error == Error.DRIVE_ERROR and outcome.outputs["sectors_done"] == 16
    assert s.record(bytes(range(256)) * 4, 30, flush=True).error == 0
    assert s.play(30, 2).data == bytes(range(256)) * 4
    assert s.violations() == []


@pytest.mark.wide
def test_last_sector(session):
    s = session()
    data = random.Random(3).randbytes(512)
    assert s.outputs()["capacity"] == 1000
    assert s.record(data, 999).error == 0
    assert s.play(999, 1).data == data
    assert s.record(data, 1000).error == Error.OUT_OF_RANGE
    assert s.flush().error == 0
