"""How much a drive's RAM takes, found on a drive of a few lines."""

from types import SimpleNamespace

import pytest

from sata_recorder.board.qualification.ram import filled_after

TIMES = SimpleNamespace(command=1e-4, completion=2e-5, jitter=0.0)
HZ = 75e6


class RamDrive:
    """Takes ``room`` sectors at once, a word a clock, and waits ten clocks for each word after
    them. Recordings of the numbers in ``stands`` wait longer, whatever their length is."""

    hz = HZ

    def __init__(self, room, stands=()):
        self.room, self.stands, self.recordings, self.flushed = room, stands, 0, False

    def progress(self, name, part):
        pass

    def do(self, line):
        if line == "flush":
            self.flushed = True
            return {"clocks": 9}, {}
        assert self.flushed, "the RAM is not empty"
        verb, lba, sectors = line.split()
        assert (verb, lba) == ("record", "7")
        self.flushed = False
        payload = 128 * int(sectors)
        waits = 10 * 128 * max(0, int(sectors) - self.room)
        waits += 10**6 * (self.recordings in self.stands)
        self.recordings += 1
        command, completion = TIMES.command * HZ, TIMES.completion * HZ
        return {"clocks": command + payload + waits + completion}, {
            "commands": 1, "payload": payload, "device_hold": waits,
            "activate_wait": command, "completion_wait": completion}


@pytest.mark.parametrize("guess", [1, 20_000, 512 * 300, 512 * 4000, 10**9])
@pytest.mark.parametrize("room", [1, 5, 300, 3000])
def test_found_from_any_guess(room, guess):
    size, seconds = filled_after(RamDrive(room), 7, 4000, TIMES, guess)
    assert size / 512 == pytest.approx(room, rel=0.025, abs=0.5)
    assert seconds == pytest.approx(TIMES.command + size / 4 / HZ, rel=0.03)


@pytest.mark.parametrize("stands", [{0}, {3}, {0, 2, 4, 6, 8, 10}])
def test_standstills_are_not_taken_for_a_full_ram(stands):
    size, _ = filled_after(RamDrive(300, stands), 7, 4000, TIMES, 512 * 250)
    assert size == pytest.approx(512 * 300, rel=0.02)


@pytest.mark.parametrize("guess", [1, 512 * 3980, 512 * 3999, 10**9])
def test_room_for_all(guess):
    """Not even a size that was never tried is taken for the one."""
    assert filled_after(RamDrive(4000), 7, 4000, TIMES, guess) is None


def test_room_for_nearly_all():
    size, _ = filled_after(RamDrive(3900), 7, 4000, TIMES, 512 * 3899)
    assert size == pytest.approx(512 * 3900, rel=0.02)


def test_no_room():
    assert filled_after(RamDrive(0), 7, 4000, TIMES, 8192) == (0, 0.0)
