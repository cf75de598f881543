"""Injected faults: what each of them does, and what is refused."""

import json
import tomllib

import pytest
from pydantic import ValidationError
from sata_drive_model import DiskImage, Drive, DrivePort, Fault, VolatileImage
from sata_drive_model.faults import KINDS, LEVELS, PRIMITIVES, kinds
from sata_drive_model.faults.disturbance import Disturbance, Hit
from sata_drive_model.faults.injector import Injector
from sata_drive_model.port import LINK_UP, RX_ERROR, VALID
from sata_drive_model.protocol.fis import data, dma_activate, register_d2h
from sata_drive_model.protocol.frame import decode, scrambled
from sata_drive_model.protocol.primitives import (ALIGN, CODE_ERROR, CONT, EOF, HOLD, K, NONE, SOF,
                                                  SYNC, WTRM, X_RDY)
from unit.drive_model.scripted_host import Escape, ScriptedHost

FRAME = [SYNC, X_RDY, X_RDY, SOF, 11, 22, 33, 44, EOF, WTRM, CONT, 99, ALIGN, ALIGN, SYNC]


# Faults as data ---------------------------------------------------------------------------------

def test_brief_and_back():
    fault = Fault(kind="bits", clock=7, symbol="data", value=3, code_error=True)
    assert fault.brief() == {"kind": "bits", "clock": 7, "symbol": "data", "value": 3,
                             "code_error": True}
    assert Fault(**json.loads(json.dumps(fault.brief()))) == fault
    assert Fault(**tomllib.loads('kind = "refused"\nfis = "data"\ncount = 2\n')) == \
        Fault(kind="refused", fis="data", count=2)


@pytest.mark.parametrize("fields, words", [
    ({"kind": "gone"}, "kind"),
    ({"kind": "cominit", "clocks": 3}, "has no field clocks"),
    ({"kind": "bits", "clock": -1}, "clock"),
    ({"kind": "bits", "symbol": "FOO"}, "symbol"),
    ({"kind": "bits", "direction": "out", "code_error": True}, "direction must be in"),
    ({"kind": "refused", "fis": "dma activate"}, "cannot be of the FIS"),
    ({"kind": "bad_crc", "fis": "register h2d"}, "cannot be of the FIS"),
    ({"kind": "unsolicited"}, "cannot be of the FIS any"),
    ({"kind": "status", "value": 256}, "8 bits"),
    ({"kind": "data", "value": 1 << 32}, "32 bits"),
])
def test_refused(fields, words):
    with pytest.raises(ValidationError, match=words):
        Fault(**fields)


def test_kinds_by_name_and_level():
    assert kinds(None) == tuple(KINDS)
    assert kinds("media, link,media") == ("media", "link_loss", "cominit", "unplug", "exchange",
                                          "altered", "blackout")
    assert {kind.level for kind in KINDS.values()} == set(LEVELS)
    with pytest.raises(ValueError, match="'foo' is no kind"):
        kinds("foo")


# The line ---------------------------------------------------------------------------------------

def passed(words, **fields):
    """What comes out of a line with one fault, without its end."""
    side = Disturbance()
    side.hits.append(Hit(Fault(**fields)))
    out = [side.take(word) for word in words]
    assert len(side.struck) == 1
    return out


def changed(out):
    return {place: word for place, word in enumerate(out) if word != FRAME[place]}


@pytest.mark.parametrize("fields, expected", [
    ({"kind": "bits", "value": 5}, {0: SYNC ^ 5}),
    ({"kind": "bits", "value": 5, "symbol": "data"}, {4: 11 ^ 5}),
    ({"kind": "bits", "value": 5, "symbol": "data", "nth": 2, "count": 2}, {6: 33 ^ 5, 7: 44 ^ 5}),
    ({"kind": "bits", "value": 5, "symbol": "EOF", "code_error": True}, {8: EOF ^ 5 | CODE_ERROR}),
    ({"kind": "bits", "value": K, "symbol": "SOF"}, {3: SOF ^ K}),
    ({"kind": "primitive", "primitive": "HOLD", "symbol": "X_RDY", "nth": 1}, {2: HOLD}),
    ({"kind": "data", "value": 77, "symbol": "EOF"}, {8: 77}),
    ({"kind": "lost", "symbol": "WTRM"}, {9: NONE}),
    ({"kind": "lost", "symbol": "data", "nth": 1, "count": 3}, {5: NONE, 6: NONE, 7: NONE}),
])
def test_line(fields, expected):
    assert changed(passed(FRAME, **fields)) == expected


@pytest.mark.parametrize("symbol", PRIMITIVES)
def test_every_primitive_can_be_hit(symbol):
    from sata_drive_model.protocol.primitives import NAMES
    word = next(word for word, text in NAMES.items() if text == symbol)
    assert passed([1, word, word, 2], kind="data", value=5, symbol=symbol, nth=1) == [1, word, 5, 2]


def test_doubled_dword_delays_the_line_until_align():
    out = passed(FRAME, kind="doubled", symbol="data", nth=1)
    assert out == [*FRAME[:6], 22, *FRAME[6:12], ALIGN, SYNC]


def test_junk_behind_cont_is_no_data():
    side = Disturbance()
    side.hits.append(Hit(Fault(kind="lost", symbol="data", nth=4)))
    assert [side.take(word) for word in FRAME] == FRAME and side.busy()


# Frames and FISes of the drive ------------------------------------------------------------------

STATUS, PAYLOAD = register_d2h(0x50), data(bytes(range(64)))


def sent(whole, tag, **fields):
    """The frames that a drive with one fault sends: (tag, FIS, CRC is good)."""
    injector = Injector()
    injector.arm(Fault(**fields))
    frames = injector.outgoing(whole, 10, tag, {})
    assert not injector.armed and len(injector.struck) == 1
    assert [frame.words for frame in injector.outgoing(whole, 10, tag, {})] == \
        [scrambled(whole)]
    return [(frame.tag, *decode(frame.words[1:-1])) for frame in frames], frames


@pytest.mark.parametrize("fields, expected", [
    ({"kind": "bad_crc"}, [("bad: bad_crc", STATUS, False), ("status", STATUS, True)]),
    ({"kind": "overlong", "count": 2}, [("bad: overlong", STATUS + bytes(8), True),
                                        ("status", STATUS, True)]),
    ({"kind": "wrong_type", "value": 0x77}, [("bad: type", b"\x77" + STATUS[1:], True),
                                             ("status", STATUS, True)]),
    ({"kind": "repeated", "count": 2}, [("status", STATUS, True), ("copy", STATUS, True),
                                        ("copy", STATUS, True)]),
    ({"kind": "missing"}, []),
    ({"kind": "status", "value": 0x7F, "error": 4}, [("status", register_d2h(0x7F, 4), True)]),
])
def test_status_fis(fields, expected):
    assert sent(STATUS, "status", **fields)[0] == expected


@pytest.mark.parametrize("fields, good, size", [
    ({"kind": "bad_crc", "fis": "data"}, False, len(PAYLOAD)),
    ({"kind": "overlong", "fis": "data", "count": 3}, True, len(PAYLOAD) + 12),
    ({"kind": "truncated", "fis": "data", "dword": 5}, False, 16),
    ({"kind": "truncated", "fis": "data", "dword": 2000}, False, len(PAYLOAD) - 4),
])
def test_data_fis(fields, good, size):
    [(tag, fis, crc)], _ = sent(PAYLOAD, "data", **fields)
    assert (tag, len(fis), crc) == ("data", size, good)


def test_places_of_a_frame():
    for kind, vanish in (("escape", False), ("stuck", True)):
        _, [frame] = sent(PAYLOAD, "data", kind=kind, dword=9)
        assert (frame.stop_at, frame.vanish) == (9, vanish)
    _, [frame] = sent(STATUS, "status", kind="delay", clocks=500)
    assert frame.ready_at == 510


def test_nth_and_fis_choose_the_frame():
    injector = Injector()
    injector.arm(Fault(kind="missing", fis="dma activate", nth=1))
    counts = [len(injector.outgoing(fis, 0, "x", {}))
              for fis in (STATUS, dma_activate(), STATUS, dma_activate(), dma_activate())]
    assert counts == [1, 1, 1, 0, 1]


# Drive and link ---------------------------------------------------------------------------------

def port_of(image=None, **options):
    return DrivePort(Drive(image or DiskImage(sectors=64)), link_up_clocks=4, **options)


def run(port, clocks, core=SYNC):
    return [port.clock(core) for _ in range(clocks)]


@pytest.mark.parametrize("kind, clocks", [("link_loss", 1), ("link_loss", 30), ("cominit", 63)])
def test_link_falls(kind, clocks):
    port = port_of()
    run(port, 20)
    port.inject([Fault(kind=kind, clock=5, **({"clocks": clocks} if kind == "link_loss" else {}))])
    words = run(port, 200)
    down = [place for place, word in enumerate(words) if not word & LINK_UP]
    assert down == list(range(5, 5 + clocks))
    assert [fault.kind for _, fault in port.struck] == [kind]


def test_nothing_happens_before_its_clock_nor_after_clear():
    port, other = port_of(), port_of()
    port.inject([Fault(kind="bits", clock=100, value=1), Fault(kind="cominit", clock=101)])
    assert run(port, 100) == run(other, 100)
    port.clear_faults()
    assert run(port, 100) == run(other, 100) and not port.collect()


def test_code_error_at_the_port():
    port, other = port_of(), port_of()
    port.inject([Fault(kind="bits", clock=50, value=6, code_error=True)])
    words, clean = run(port, 60), run(other, 60)
    assert words[:50] == clean[:50] and words[51:] == clean[51:]
    assert words[50] == clean[50] ^ 6 | RX_ERROR


def test_lost_dword_at_the_port():
    port, other = port_of(), port_of()
    port.inject([Fault(kind="lost", clock=50)])
    words, clean = run(port, 60), run(other, 60)
    assert not words[50] & VALID and words[51:] == clean[51:]


def test_dead_through_resets():
    port = port_of()
    run(port, 2)
    port.inject([Fault(kind="dead", count=3)])
    speaks = []
    for _ in range(4):
        port.drop_link(5)
        speaks.append(X_RDY in {word & 0x1_FFFF_FFFF for word in run(port, 100)})
    assert speaks == [False, False, True, True]


def test_unplugged_drive_loses_what_was_not_flushed():
    image = VolatileImage(DiskImage(sectors=64), loss=1.0)
    image.write(0, b"a" * 512)
    image.flush()
    image.write(0, b"b" * 512)
    image.write(512, b"c" * 512)
    assert image.read_sectors(0, 2) == b"b" * 512 + b"c" * 512
    assert image.unflushed == {0, 1}
    port = port_of(image)
    run(port, 20)
    drive = port.drive
    port.inject([Fault(kind="unplug", clocks=10)])
    run(port, 5)
    assert image.unflushed == {0, 1} and port.drive is drive
    port.inject([Fault(kind="unplug", clocks=10, power_lost=True)])
    run(port, 5)
    assert sorted(image.lost) == [0, 1] and not image.unflushed
    assert image.read_sectors(0, 2) == b"a" * 512 + bytes(512)


def test_exchanged_drive():
    port = port_of()
    run(port, 20)
    drive = port.drive
    drive.image.write(0, b"x" * 512)
    port.inject([Fault(kind="exchange", clocks=10)])
    run(port, 50)
    assert port.drive is not drive and port.drive.page[20:40] != drive.page[20:40]
    assert not any(port.drive.image.read_sectors(0, 64))
    assert port.drive.page[54:94] == drive.page[54:94]      # the same model


# Commands of a host -------------------------------------------------------------------------------

def host_of(*faults, **options):
    """A host whose drive is brought up and has these faults armed."""
    host = ScriptedHost(port_of(**options))
    assert host.bring_up()[0] == 0x50
    host.port.inject(faults)
    host.cycle()
    return host


def test_unsolicited_fis():
    host = host_of(Fault(kind="unsolicited", fis="register d2h", value=0x50))
    assert host.run(host.ending()) == (0x50, 0)
    assert [fault.kind for _, fault in host.port.collect()] == ["unsolicited"]


@pytest.mark.parametrize("fault, ends", [
    (Fault(kind="refused", fis="register h2d", count=2), (0x50, 0)),
    (Fault(kind="escaped", fis="register h2d", dword=2), (0x50, 0)),
    (Fault(kind="refused", fis="data"), (0x51, 0x84)),
    (Fault(kind="escaped", fis="data", dword=20), (0x51, 0x84)),
    (Fault(kind="status", value=0x70, error=0), (0x70, 0)),
    (Fault(kind="abort", value=0x51, error=4), (0x51, 4)),
    (Fault(kind="media", lba=1, value=0x51, error=0x40), (0x51, 0x40)),
    (Fault(kind="media", lba=9, value=0x51, error=0x40), (0x50, 0)),
    (Fault(kind="delay", fis="register d2h", clocks=500), (0x50, 0)),
])
def test_write(fault, ends):
    host = host_of(fault)
    try:
        assert host.write(0, bytes(range(256)) * 4) == ends
    except Escape:      # of a Data FIS: the status follows
        assert host.run(host.ending()) == ends
    assert bool(host.port.collect()) == (fault.lba < 9)
    assert host.write(4, b"z" * 512) == (0x50, 0)


def test_a_bad_sector_is_named_and_then_good():
    host = host_of(Fault(kind="media", lba=5, count=2, value=0x51, error=0x40))
    lbas = []
    for _ in range(3):
        host.inbox = []
        ended = host.write(3, bytes(512 * 4))
        lbas.append((ended, host.port.drive.completed[-1].error))
    assert [error for _, error in lbas] == [0x40, 0x40, 0]
    assert lbas[-1][0] == (0x50, 0)


def test_flush_makes_lasting():
    image = VolatileImage(DiskImage(sectors=64), loss=1.0)
    host = host_of(image=image)
    host.write(0, b"a" * 512)
    assert image.unflushed == {0}
    assert host.command(0xEA) == (0x50, 0) and not image.unflushed
    host.write(1, b"b" * 512)
    host.port.drive.power_off()
    assert image.read_sectors(0, 2) == b"a" * 512 + bytes(512)


@pytest.mark.parametrize("cut", [False, True])
def test_flush_is_done_before_its_status_is_sent(cut):
    """Whether the host acknowledges it or not, and if the power fails in it."""
    image = VolatileImage(DiskImage(sectors=64), loss=1.0)
    host = host_of(image=image)
    host.write(0, b"a" * 512)

    def script():
        yield from host.issue(0xEA)
        assert image.unflushed == {0}       # there is a latency before it is done
        if cut:
            heard = []
            while X_RDY not in heard:
                heard = yield SYNC
        else:
            yield from host.receive(accept=False)
    host.port.drive.behaviour.flush_latency = 50
    host.run(script())
    assert not image.unflushed
    host.port.drive.power_off()
    assert image.read_sectors(0) == b"a" * 512


def test_flush_without_its_status_is_not_done():
    """The power fails before the drive reports it."""
    image = VolatileImage(DiskImage(sectors=64), loss=1.0)
    host = host_of(image=image)
    host.write(0, b"a" * 512)
    host.port.drive.behaviour.flush_latency = 500

    def script():
        yield from host.issue(0xEA)
        for _ in range(100):
            yield SYNC
    host.run(script())
    host.port.drive.power_off()
    assert image.read_sectors(0) == bytes(512)


@pytest.mark.parametrize("value, kind", [(0x50, 0xA1), (0xD0, 0x34)])
def test_storm(value, kind):
    """One FIS after the other, until the link falls; then the drive is as it was."""
    host = host_of(Fault(kind="storm", value=value))

    def script():
        yield from host.issue(0xEA)
        for _ in range(30):
            yield from host.receive()
    host.run(script())
    assert {data[0] for data in host.inbox} == {kind} and len(host.inbox) == 30
    assert [fault.kind for _, fault in host.port.collect()] == ["storm"]
    host.port.drop_link(20)
    while host.inputs & LINK_UP:
        host.cycle()
    assert host.bring_up()[0] == 0x50
    assert host.command(0xEA) == (0x50, 0)
