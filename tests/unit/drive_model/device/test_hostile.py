"""A hostile but legal drive against a small scripted host."""

import random

import pytest
from sata_drive_model import Behaviour, DiskImage, Drive, DrivePort
from sata_drive_model.protocol.primitives import CONT, EOF, HOLD, K

from sata_recorder.simulation.analyser import PortAnalyser
from unit.drive_model.scripted_host import ScriptedHost, connect, content, sent_by_drive


class TwiceAnalysed:
    """A port that shows every cycle to a second analyser, which skips none."""

    def __init__(self, port):
        self.port = port
        self.now = 0
        self.analyser = PortAnalyser(trace=True)

    def clock(self, core):
        self.analyser.observe(self.now, core, self.port.inputs)
        self.now += 1
        return self.port.clock(core)


def traffic(seed):
    """Random commands; everything is checked against a mirror of the disk."""
    rng = random.Random(seed)
    options = rng.choice(({}, {}, {"round_trip": rng.choice((1, 10, 37))}, {
        "line_rate": rng.choice(((1, 2), (3, 4), (1, 3))), "skew": rng.choice((0, 2, 6))}))
    port = DrivePort(Drive(DiskImage(None, sectors=300), behaviour=Behaviour.random(seed)),
                     seed=seed, observer=PortAnalyser(trace=True), **options)
    twice = TwiceAnalysed(port)
    host = ScriptedHost(twice, hold=rng.choice((0, 0, 0.01, 0.1)), cont=rng.random() < 0.7,
                align=rng.choice((254, 254, 20)), seed=seed)
    assert host.bring_up() == (0x50, 1)
    assert host.identify() == port.drive.page
    port.observer.reset()
    twice.analyser.reset()
    mirror = bytearray(300 * 512)
    for _ in range(3):
        sectors = rng.choice((1, 2, 17, rng.randint(1, 40)))
        lba = rng.randint(0, 300 - sectors)
        place = slice(lba * 512, (lba + sectors) * 512)
        if rng.random() < 0.5:
            mirror[place] = rng.randbytes(512 * sectors)
            size = rng.choice((8192, 4 * rng.randint(1, 2048)))
            assert host.write(lba, mirror[place], rng.choice((0x35, 0xCA)), size) == (0x50, 0)
        else:
            assert host.read(lba, sectors, rng.choice((0x25, 0xC8))) == (0x50, 0, mirror[place])
    assert host.command(0xEA) == (0x50, 0)
    assert port.drive.image.read_sectors(0, 300) == mirror
    assert port.link.violations == []
    return host, port, twice


def fields(records):
    return [[getattr(record, name) for name in record.__slots__] for record in records]


@pytest.mark.sample(7)
@pytest.mark.parametrize("seed", range(40))
def test_random_drive(seed):
    _, port, twice = traffic(seed)
    fast, slow = port.observer, twice.analyser
    # The short way of the analyser gives what a look at every cycle gives.
    assert fast.ledger() == slow.ledger() and fast.log == slow.log
    assert fields(fast.commands) == fields(slow.commands)
    assert {name: repr(span) for name, span in fast.spans.items()} == \
        {name: repr(span) for name, span in slow.spans.items()}
    for record in fast.commands:
        assert record.overhead is None or sum(record.overhead_split) == record.overhead
    assert fast.ledger()["payload"] == 128 * sum(record.sectors for record in fast.commands)
    end = max(clock for clock, way, kind, _ in fast.log
              if way == "in" and kind == 0x34 and clock >= fast.commands[-1].end)
    assert fast.ledger()["total"] <= end - fast.commands[0].start + 1


def test_same_seed_same_trace():
    first, second = traffic(11)[0], traffic(11)[0]
    assert first.stream == second.stream


def test_every_behaviour_happens():
    """The random drives do not only exist on paper."""
    drives = [Behaviour.random(seed) for seed in range(60)]
    for name in ("throttle", "underrun", "collision", "set_device_bits", "busy_status_fises",
                 "repeated_status_fises", "pm_request", "hold_before_crc", "r_rdy_delay"):
        assert any(getattr(drive, name) for drive in drives), name
    assert any(drive.cont == 0 for drive in drives) and any(not drive.cont_hold for drive in drives)


def test_hold_hold_one_dword_eof_without_cont():
    host = connect(Behaviour(cont=0.0, hold_before_crc=2, align_interval=1 << 60))
    host.drive.image.write(0, content(20))
    words = sent_by_drive(host, lambda: host.read(0, 20))
    ends = [index for index, word in enumerate(words)
            if word == EOF and words[index - 3:index - 1] == [HOLD, HOLD]]
    assert len(ends) == 2
    assert CONT not in words
    assert host.read(0, 20)[2] == content(20)


@pytest.mark.parametrize("cont", [0.0, 1.0])
@pytest.mark.parametrize("pattern", [(100, 1), (100, 2), (50, 30), ((1, 300), (1, 40))])
def test_hold_both_ways(cont, pattern):
    host = connect(Behaviour(cont=cont, throttle=pattern, underrun=pattern))
    held = 0
    for move, found in ((lambda: host.write(0, content(40)), (0x50, 0)),
                        (lambda: host.read(0, 40), (0x50, 0, content(40)))):
        host.port.observer.reset()
        assert move() == found
        ledger = host.port.observer.ledger()
        held += ledger["device_hold"]
        assert ledger["payload"] == 40 * 128 and ledger["host_hold"] == 0
    assert host.port.link.violations == [] and held >= 60


def test_a_run_ends_with_its_primitive_before_data():
    """Junk after CONT lasts until the next primitive: HOLD comes once more before the data goes
    on."""
    host = connect(Behaviour(underrun_at=((300, 30),), align_interval=1 << 60))
    words = sent_by_drive(host, lambda: host.read(0, 10))
    first = words.index(HOLD)
    assert words[first:first + 3] == [HOLD, HOLD, CONT]
    assert words[first + 30] == HOLD and words[first + 31] < K and HOLD not in words[first + 31:]


def test_host_hold_is_answered():
    host = connect(Behaviour(holda_delay=(0, 16)), host={"hold": 0.02})
    host.port.observer.reset()
    host.write(0, content(40))
    assert host.read(0, 40)[2] == content(40)
    assert host.port.link.violations == []
    assert host.port.observer.ledger()["host_hold"] > 100


def test_collisions():
    host = connect(Behaviour(collision=0.5))
    for lba in range(10):
        assert host.write(lba, content(1, lba)) == (0x50, 0)
    assert host.port.link.collisions > 5 and host.port.link.violations == []


def test_align_interval():
    host = connect(Behaviour(align_interval=10))
    host.port.observer.reset()
    host.read(0, 64)
    assert host.port.observer.ledger()["align"] > 64 * 128 // 10 * 2 - 20


def test_extra_fises_are_harmless():
    host = connect(Behaviour(set_device_bits=1.0, dma_setup=1.0, bist_activate=1.0,
                             busy_status_fises=2, repeated_status_fises=2, pm_request=1.0))
    assert host.write(0, content(20)) == (0x50, 0)
    assert host.read(0, 20) == (0x50, 0, content(20))
    assert host.port.link.violations == []
    assert host.port.observer.spans["pmreq_pmnak"].count >= 4
