"""A hostile but legal drive, and faults on demand, against a small scripted host."""

import random

import pytest
from sata_drive_model import Behaviour, DiskImage, Drive, DrivePort, PortAnalyser, fis
from sata_drive_model.frame import decode, encode
from sata_drive_model.primitives import CONT, DMAT, EOF, HOLD, K, R_IP, SOF, SYNC, X_RDY

from unit.drive_model.scripted_host import LINK_UP, VALID, Host
from unit.drive_model.test_commands import connect, content


class Twice:
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
                     seed=seed, trace=True, **options)
    twice = Twice(port)
    host = Host(twice, hold=rng.choice((0, 0, 0.01, 0.1)), cont=rng.random() < 0.7,
                align=rng.choice((254, 254, 20)), seed=seed)
    assert host.bring_up() == (0x50, 1)
    assert host.identify() == port.drive.page
    port.analyser.reset()
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


@pytest.mark.parametrize("seed", range(40))
def test_random_drive(seed):
    _, port, twice = traffic(seed)
    fast, slow = port.analyser, twice.analyser
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


def sent_by_drive(host, action):
    """Words the drive delivers during ``action``."""
    words = []
    clock = host.port.clock

    class Tap:
        link, analyser = host.port.link, host.port.analyser

        @staticmethod
        def clock(core):
            inputs = clock(core)
            if inputs & VALID:
                words.append(inputs & (K | 0xFFFFFFFF))
            return inputs

    port, host.port = host.port, Tap
    try:
        action()
    finally:
        host.port = port
    return words


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
    host.port.analyser.reset()
    assert host.write(0, content(40)) == (0x50, 0)
    assert host.read(0, 40) == (0x50, 0, content(40))
    assert host.port.link.violations == []
    ledger = host.port.analyser.ledger()
    assert ledger["device_hold"] >= 60 and ledger["host_hold"] == 0
    assert ledger["payload"] == 80 * 128


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
    host.port.analyser.reset()
    host.write(0, content(40))
    assert host.read(0, 40)[2] == content(40)
    assert host.port.link.violations == []
    assert host.port.analyser.ledger()["host_hold"] > 100


def test_collisions():
    host = connect(Behaviour(collision=0.5))
    for lba in range(10):
        assert host.write(lba, content(1, lba)) == (0x50, 0)
    assert host.port.link.collisions > 5 and host.port.link.violations == []


def test_align_interval():
    host = connect(Behaviour(align_interval=10))
    host.port.analyser.reset()
    host.read(0, 64)
    assert host.port.analyser.ledger()["align"] > 64 * 128 // 10 * 2 - 20


def test_extra_fises_are_harmless():
    host = connect(Behaviour(set_device_bits=1.0, dma_setup=1.0, bist_activate=1.0,
                             busy_status_fises=2, repeated_status_fises=2, pm_request=1.0))
    assert host.write(0, content(20)) == (0x50, 0)
    assert host.read(0, 20) == (0x50, 0, content(20))
    assert host.port.link.violations == []
    assert host.port.analyser.spans["pmreq_pmnak"].count >= 4


# Faults
# ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["unknown_fis", "wrong_length", "short_length", "bad_crc",
                                   "refuse_command", "escape_command"])
def test_frames_that_are_repeated(fault):
    host = connect(Behaviour(**{fault: 3}))
    assert host.identify() == host.drive.page
    assert host.write(0, content(20)) == (0x50, 0)
    assert host.read(0, 20) == (0x50, 0, content(20))
    assert getattr(host.drive.behaviour, fault) == 0
    assert host.port.link.violations == []


@pytest.mark.parametrize("behaviour", [{"bad_data_crc": 1}, {"escape_read": (1, 100)}])
def test_read_that_is_broken_once(behaviour):
    host = connect(Behaviour(**behaviour))
    assert host.read(0, 40)[:2] == (0x51, 0x84)
    host.drive.behaviour.escape_read = None
    assert host.read(0, 40)[:2] == (0x50, 0)
    assert host.port.link.violations == []


@pytest.mark.parametrize("behaviour", [{"refuse_data": 1}, {"escape_write": (1, 100)}])
def test_write_that_is_broken_once(behaviour):
    host = connect(Behaviour(**behaviour))
    assert host.write(0, content(40)) == (0x51, 0x84)
    host.drive.behaviour.escape_write = None
    assert host.write(0, content(40)) == (0x50, 0)
    assert host.port.link.violations == []


def test_dmat_is_only_asked_for():
    host = connect(Behaviour(dmat_data=(0, 50), align_interval=1 << 60))
    words = sent_by_drive(host, lambda: host.write(0, content(20)))
    assert words.count(DMAT) == 1
    assert host.drive.image.read_sectors(0, 20) == content(20)


@pytest.mark.parametrize("way", ["read", "write"])
def test_error_at_a_sector(way):
    host = connect(Behaviour(fail_lba=25))
    host.drive.image.write(0, content(60, 9))
    if way == "read":
        status, error, data = host.read(5, 50)
        assert data == content(60, 9)[5 * 512:25 * 512]
    else:
        status, error = host.write(5, content(50))
        assert host.drive.image.read_sectors(0, 60) == \
            content(60, 9)[:5 * 512] + content(50)[:20 * 512] + content(60, 9)[25 * 512:]
    assert (status, error) == (0x51, 0x40)
    assert host.read(26, 4)[:2] == (0x50, 0)


@pytest.mark.parametrize("way, moved", [("read", 2), ("write", 2)])
def test_error_after_some_data(way, moved):
    host = connect(Behaviour(fail_after_data=2, fail_status=0x71, fail_error=0))
    result = host.read(0, 64) if way == "read" else host.write(0, content(64))
    assert result[:2] == (0x71, 0)
    assert host.drive.data_fises == moved


def test_command_rejected_before_data():
    host = connect(Behaviour(reject_command=1))
    assert host.write(0, content(1)) == (0x51, 0x40)
    assert host.write(0, content(1)) == (0x50, 0)


@pytest.mark.parametrize("name, dwords", [("short_data", -10), ("extra_data", 10)])
def test_wrong_amount_of_data(name, dwords):
    host = connect(Behaviour(**{name: 10}))
    status, _, data = host.read(0, 4)
    assert status == 0x50 and len(data) == 4 * (512 + dwords)


def test_identify_faults():
    host = connect(Behaviour(abort_identify=1, corrupt_identify=1))
    assert host.identify() == (0x51, 0x04)
    assert sum(host.identify()) & 0xFF != 0
    assert host.identify() == host.drive.page


def never_ends(action):
    with pytest.raises(AssertionError, match="no end"):
        action()


@pytest.mark.parametrize("mute", ["command", "activate", "status", "r_rdy", "r_ok"])
def test_write_that_never_ends(mute):
    host = connect(Behaviour())
    host.limit = 5000
    host.drive.behaviour.mute = frozenset({mute})
    never_ends(lambda: host.write(0, content(1)))


@pytest.mark.parametrize("behaviour", [{"mute": frozenset({"data"})}, {"stuck_read": (0, 20)}])
def test_read_that_never_ends(behaviour):
    host = connect(Behaviour(**behaviour))
    host.limit = 5000
    never_ends(lambda: host.read(0, 1))
    assert host.port.link.violations == []


@pytest.mark.parametrize("mute", ["signature", "link"])
def test_drive_without_signature(mute):
    host = Host(DrivePort(Drive(DiskImage(None, sectors=8),
                                behaviour=Behaviour(mute=frozenset({mute})))))
    host.limit = 2000
    never_ends(host.bring_up)


# Host escapes and the life of the link
# ---------------------------------------------------------------


def test_host_escapes_from_a_data_frame():
    host = connect()

    def script():
        yield from host._command(0x35, 0, 8)
        assert (yield from host._next())[0] == fis.DMA_ACTIVATE
        yield from host.send(None, encode(fis.data(content(8)))[:100] + [SYNC] * 10)

    with pytest.raises(Exception, match="^$"):
        host.run(script())
    assert host.run(host._status()) == (0x51, 0x84)
    assert host.port.link.host_escapes == 1 and host.port.link.violations == []


def test_dmat_from_the_host_ends_the_data_fis():
    host = connect(Behaviour(align_interval=1 << 60))
    host.drive.image.write(0, content(16))

    def script():
        yield from host._command(0x25, 0, 16)
        heard = []
        while SOF not in heard:
            heard = yield (0x14A4A957C if X_RDY in heard else SYNC)
        words = []
        while EOF not in heard:
            heard = yield (DMAT if len(words) == 100 else R_IP)
            words += [word for word in heard if word < K]
        while SYNC not in heard:
            heard = yield 0x13535B57C
        data, good = decode(words)
        assert good and 101 <= len(words) <= 106
        rest = b""
        while True:
            answer = yield from host._next()
            if answer[0] != fis.DATA:
                return data[4:] + rest
            rest += answer[4:]

    assert host.run(script()) == content(16)
    assert host.port.link.violations == []


def test_host_escapes_from_a_received_frame():
    host = connect()

    def script():
        yield from host._command(0x25, 0, 16)
        heard = []
        while SOF not in heard:
            heard = yield (0x14A4A957C if X_RDY in heard else SYNC)
        for _ in range(50):
            yield R_IP
        for _ in range(30):
            yield SYNC
        return (yield from host._status())

    assert host.run(script()) == (0x51, 0x84)
    assert host.port.link.host_escapes == 1


def test_comreset_brings_the_signature_again():
    host = connect(Behaviour(mute=frozenset({"status"})))
    host.limit = 3000
    never_ends(lambda: host.command(0xE7))
    host.drive.behaviour.mute = frozenset()
    host.core = SYNC | 1 << 36
    host.cycle()
    host.core = SYNC
    host.cycle()
    host.cycle()
    assert not host.inputs & LINK_UP and host.port.resets == 1
    host.heard.clear()
    host.since, host.sent = 0, (0, 0)
    assert host.bring_up() == (0x50, 1)
    assert host.command(0xE7) == (0x50, 0)
    assert host.port.link.violations == []


def test_unplug_and_plug():
    host = connect()
    host.port.unplug()
    for _ in range(300):
        host.core = SYNC
        host.cycle()
    assert not host.inputs & (LINK_UP | VALID)
    host.port.plug(Drive(DiskImage(None, sectors=77)))
    host.heard.clear()
    host.since, host.sent = 0, (0, 0)
    host.bring_up()
    assert host.identify()[120:122] == bytes([77, 0])


def test_link_drops():
    host = connect()
    host.port.drop_link(100)
    downs = 0
    for _ in range(300):
        host.core = SYNC
        host.cycle()
        downs += not host.inputs & LINK_UP
    assert 98 <= downs <= 101 and host.inputs & LINK_UP


def test_receive_error():
    host = connect()
    host.port.inject_rx_error(2)
    seen = []
    for _ in range(20):
        host.core = SYNC
        host.cycle()
        seen.append(host.inputs >> 39 & 1)
    assert sum(seen) == 2


@pytest.mark.parametrize("options", [{"line_rate": (2, 1)}, {"line_rate": (0, 1)}, {"skew": -1},
                                     {"round_trip": -1}])
def test_refusals(options):
    with pytest.raises(ValueError):
        DrivePort(None, **options)


def test_round_trip_delays_the_answer():
    spans = []
    for round_trip in (0, 10, 37):
        host = connect(port={"round_trip": round_trip})
        host.port.analyser.reset()
        host.write(0, content(17))
        spans.append(host.port.analyser.ledger()["handshake"])
        assert host.port.link.violations == []
    # Of both Data FISes: R_OK to SYNC of the DMA Activate, X_RDY to R_RDY, EOF to R_OK.
    assert spans[1] - spans[0] == 6 * 10 and spans[2] - spans[1] == 6 * 27
