"""A console recorder whose pattern comes from a source of another width and clock: the drive holds the same words."""

import random
import struct

import pytest

from sata_recorder.board.station import Station, StationError, station_configuration
from sata_recorder.board.station.station import checked_capacity

pytestmark = pytest.mark.wide

CAPACITY = 100_000
CORE_HZ = 75e6


class Desk:
    """A station of a core with ``options`` whose source has the clock ``hz``, None: that of the core."""

    def __init__(self, hz, **options):
        self.station = Station(station_configuration(2, source_clock=hz is not None, **options), capacity=CAPACITY)
        if hz is not None:
            self.station.clock_source(hz)
        self.board, self.text = self.station.board, ""
        self.until("* ready")

    def send(self, line):
        self.board.send(f"{line}\r".encode())

    def until(self, end, clocks=20_000_000):
        """The lines up to one that begins with ``end``."""
        for _ in range(0, clocks, 5000):
            self.board.run(5000)
            self.text += self.board.receive().decode()
            lines = self.text.splitlines(keepends=True)
            for place, line in enumerate(lines):
                if line.startswith(end) and line.endswith("\n"):
                    self.text = "".join(lines[place + 1:])
                    return [one.strip() for one in lines[:place + 1]]
        raise AssertionError(f"no {end}: {self.text}")

    def ask(self, line):
        """What an operation has answered, by name."""
        self.send(line)
        return dict(one.partition(" ")[::2] for one in self.until("ok"))

    def words(self, lba, count):
        return struct.unpack(f"<{count}I", self.station.drive.image.read_sectors(lba, -(-count // 128))[:4 * count])

    def expect(self, lba, told, decreasing):
        """What was recorded from ``lba`` on is the pattern, and zeros after a stop."""
        count, sectors = int(told["words"]), int(told["sectors-done"])
        found, flip = self.words(lba, 128 * sectors), 0xFFFFFFFF * decreasing
        assert found[:count] == tuple((128 * lba + n) % 2 ** 32 ^ flip for n in range(count))
        assert not any(found[count:])


@pytest.fixture
def desk():
    made = []

    def make(*words, **options):
        made.append(Desk(*words, **options))
        return made[-1]
    yield make
    for one in made:
        one.station.__exit__()


SOURCES = [(8, None), (16, 61.44e6), (128, 9.9e6), *(pytest.param(width, hz, marks=pytest.mark.wide) for width, hz in (
    (128, None), (32, 75e6), (64, 300e6), (8, 1e6), (32, 1e9)))]


@pytest.mark.parametrize("width, hz", SOURCES)
def test_what_is_on_the_drive(desk, width, hz):
    """One recording after another, at once, some of them stopped anywhere: none begins with beats of the one
    before."""
    d, rng = desk(hz, source_width=width), random.Random(width)
    for number in range(8):
        lba, sectors = rng.randrange(90_000), rng.randint(1, 60)
        down = rng.random() < 0.5
        d.send(f"record {lba} {9000 if number % 2 else sectors}{' dec32' * down}")
        if number % 2:
            d.board.run(rng.randint(6000, 40_000))
            d.send("stop")
        told = dict(one.partition(" ")[::2] for one in d.until("ok"))
        if "words" not in told:         # that was the answer to stop
            told = dict(one.partition(" ")[::2] for one in d.until("ok"))
        assert number % 2 or int(told["sectors-done"]) == sectors
        d.expect(lba, told, down)
        whole = int(told["words"]) // 128
        assert not whole or d.ask(f"play {lba} {whole}{' dec32' * down}")["mismatches"] == "0"


@pytest.mark.parametrize("width, hz", [(16, 61.44e6), (64, 10e6)])
def test_the_rate_is_that_of_the_source(desk, width, hz):
    told = desk(hz, source_width=width).ask("record 0 2000")
    most = width / 8 * hz / 1e6
    assert 0.98 * most < float(told["mb-per-s"]) <= most


@pytest.mark.parametrize("width, hz", [(8, 61.44e6), (128, 9.9e6), (64, None)])
def test_rings_and_segments(desk, width, hz):
    """A trigger of the console finds its place among the words of the source."""
    d = desk(hz, source_width=width, extents="modes", frames=True)
    d.send("ring-at 5000 40")
    d.board.run(150_000)
    d.send("stop")
    while "words" not in (told := dict(one.partition(" ")[::2] for one in d.until("ok"))):
        pass
    words = int(told["words"])
    assert words > 2 * 128 * 40
    there, last = d.words(5000, 128 * 40), -(-words // 128)
    for sector in range(last - 40, last):
        place = 128 * (sector % 40)
        assert there[place:place + 128] == tuple(
            128 * 5000 + n if n < words else 0 for n in range(128 * sector, 128 * sector + 128)), sector
    assert int(d.ask("record 9000 5")["words"]) == 640
    assert d.ask("play 9000 5")["mismatches"] == "0"


@pytest.mark.parametrize("options, named", [
    ({"source_width": 16, "commands": True}, "commands = true"),
    ({"source_clock": True, "extents": "queued"}, "extents = queued")])
def test_refused(options, named):
    with pytest.raises(StationError, match=f"{named}: needs source_width = 32 and source_clock = false"):
        checked_capacity(station_configuration(2, **options), None, CAPACITY, 2, 512)
