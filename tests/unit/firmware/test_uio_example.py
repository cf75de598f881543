"""examples/uio_recorder.c, compiled for this machine, at a file in the place of its device."""

import os
import re
import shutil
import signal
import struct
import subprocess
import time
from pathlib import Path

import pytest
from unit.firmware.compiled_driver import OFFSET
from unit.firmware.test_driver import CAPACITY, DONE, LBA48, READY, START, STOP

from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.export import header
from sata_recorder.firmware import FIRMWARE_FOLDER

pytestmark = pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc for C on this machine")

EXAMPLE = Path(__file__).resolve().parents[3] / "examples/uio_recorder.c"
LIMIT = 65536


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("uio")
    (folder / "sata_recorder.h").write_text(header())
    order = ["gcc", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{folder}",
             f"-I{FIRMWARE_FOLDER}"]
    # As a user compiles it; and then with the system calls of the shim.
    subprocess.run([*order, "-o", str(folder / "plain"), str(EXAMPLE),
                    str(FIRMWARE_FOLDER / "sata_driver.c")], check=True)
    order += ["-DSATA_SIMULATED_REGISTERS"]
    subprocess.run([*order, "-c", "-Dwrite=uio_write", "-Dpoll=uio_poll", "-Dread=uio_read",
                    "-o", str(folder / "example.o"), str(EXAMPLE)], check=True)
    subprocess.run([*order, "-o", str(folder / "program"), str(folder / "example.o"),
                    str(FIRMWARE_FOLDER / "sata_driver.c"),
                    str(Path(__file__).with_name("uio_shim.c"))], check=True)
    return folder / "program"


@pytest.fixture
def device(tmp_path):
    return RegisterFile(tmp_path / "uio0")


class RegisterFile:
    """The file; ``device["LBA_LOW"]`` reads a register."""

    def __init__(self, path):
        self.path = path
        path.write_bytes(bytes(4096))
        self.set(ID=0x41544153, STATUS=READY | LBA48, CAPACITY_LOW=CAPACITY & 0xFFFF_FFFF,
                 CAPACITY_HIGH=CAPACITY >> 32)

    def set(self, **values):
        with self.path.open("r+b") as file:
            for name, value in values.items():
                file.seek(OFFSET[name])
                file.write(struct.pack("<I", value))

    def __getitem__(self, name):
        return struct.unpack_from("<I", self.path.read_bytes(), OFFSET[name])[0]


def run(program, device, *words, **environment):
    reply = subprocess.run([program, device.path, *map(str, words)], capture_output=True, text=True,
                           timeout=60, env=os.environ | environment)
    return reply.returncode, reply.stdout + reply.stderr


def test_play(program, device):
    """It sleeps until the interrupt has come, and tells what the core reports."""
    device.set(SECTORS_DONE_LOW=9)
    assert run(program, device, "play", 0x12345678ABC, 9, POLLS="3") == (
        0, "play: error 0, 9 of 9 sectors\n")
    assert device["CONTROL"] == START | Operation.PLAY << 8
    assert (device["LBA_HIGH"], device["LBA_LOW"]) == (0x123, 0x45678ABC)
    assert (device["SECTORS_HIGH"], device["SECTORS_LOW"]) == (0, 9)
    assert device["INTERRUPT_ENABLE"] == 0


def test_error(program, device):
    device.set(ERROR=Error.DRIVE_ERROR, SECTORS_DONE_LOW=4)
    assert run(program, device, "record", 5, 100, POLLS="1") == (
        1, "record: error 7, 4 of 100 sectors\n")
    assert device["CONTROL"] == START | Operation.RECORD_FLUSH << 8


def test_stop(program, device):
    """Ctrl-C ends the command that runs, and what was recorded is flushed."""
    device.set(SECTORS_DONE_LOW=77)
    assert run(program, device, "record", 0, 3 * LIMIT, POLLS="4", SIGNALS="2") == (
        0, f"record: error 0, 77 of {3 * LIMIT} sectors\n")
    assert device["CONTROL"] == START | Operation.FLUSH << 8
    assert device["LBA_LOW"] == 0, "no second command"


def test_stop_of_one_command(program, device):
    device.set(SECTORS_DONE_LOW=7)
    assert run(program, device, "play", 0, 100, POLLS="3", SIGNALS="1") == (
        0, "play: error 0, 7 of 100 sectors\n")
    assert device["CONTROL"] == STOP


def test_flush(program, device):
    assert run(program, device, "flush")[0] == 0
    assert device["CONTROL"] == START | Operation.FLUSH << 8


@pytest.mark.parametrize("words", [
    [], ["play"], ["play", 1], ["erase", 1, 2], ["play", "x", 2], ["play", "1x", 2],
    ["play", -1, 2], ["play", 0, 1 << 48], ["play", 0, "9" * 30], ["flush", 1]])
def test_what_it_does_not_understand(program, device, words):
    before = device.path.read_bytes()
    status, text = run(program, device, *words)
    assert status == 2 and text.startswith("usage:")
    assert device.path.read_bytes() == before


def test_no_drive_and_no_recorder(program, device, tmp_path):
    device.set(STATUS=0, ERROR=Error.NOT_ATA)
    assert run(program, device, "play", 0, 1) == (1, "play: error 13, 0 of 1 sectors\n")
    device.set(ID=0)
    status, text = run(program, device, "play", 0, 1)
    assert status == 1 and "no SATA recorder" in text
    device.path.unlink()
    status, text = run(program, device, "play", 0, 1)
    assert status == 1 and "No such file" in text


def test_drive_that_comes_later(program, device):
    """Whatever became of an operation before."""
    device.set(STATUS=DONE, ERROR=Error.LINK_LOST, SECTORS_DONE_LOW=1)
    started = subprocess.Popen([program, device.path, "play", "0", "1"], stdout=subprocess.PIPE,
                               text=True, env=os.environ | {"POLLS": "1"})
    with pytest.raises(subprocess.TimeoutExpired):
        started.wait(0.2)
    device.set(STATUS=READY | DONE, ERROR=0)
    assert started.communicate(timeout=60)[0] == "play: error 0, 1 of 1 sectors\n"


def test_nobody_waits_for_a_drive_for_ever(program, device):
    device.set(STATUS=0)
    started = subprocess.Popen([program, device.path, "play", "0", "1"], stderr=subprocess.PIPE,
                               text=True)
    # Its handler must be there: without one the signal would end it in another way.
    while not int(re.search(r"SigCgt:\s*(\w+)", Path(f"/proc/{started.pid}/status").read_text())[1],
                  16) & 1 << signal.SIGINT - 1:
        time.sleep(0.01)
    started.send_signal(signal.SIGINT)
    started.wait(60)
    assert "no drive" in started.stderr.read() and started.returncode == 1
