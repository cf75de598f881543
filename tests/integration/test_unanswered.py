"""Questions between two commands that a drive never answers, or not as it must: it is reset for each, so that none
is asked twice."""

import pytest
from integration.drives import HeardDrive, away
from integration.modes import Plan, record
from integration.small import RETRY, SMALL, connect, content, works
from sata_drive_model import Behaviour, DiskImage, Health

from sata_recorder.core.drive_port import Error
from sata_recorder.interface.health import HealthVerdict
from sata_recorder.interface.recording import RecordingMode
from sata_recorder.simulation import Event
from sata_recorder.interface.temperature import HeatVerdict
from sata_recorder.interface.trim import TrimState

pytestmark = pytest.mark.wide

#: What is asked, by what the drive model calls it.
CODES = {"smart": 0xB0, "log": 0x47, "trim": 0x06}
CORE = RETRY | {"smart_commands": 2, "smart_temperature": True, "extents": "modes", "trim_ahead": True,
                "recovery_timeout": 0.4}


def made(**unit):
    return connect(HeardDrive, unit={"health": Health()} | unit)


def run(b, sectors=40):
    """A ring once and a half round, which must be good; how often each question is asked in it, and the
    COMRESETs."""
    before, resets = len(b.drive.heard), b.port.resets
    b.engine.set(trim_ahead=12)
    found = record(b, Plan(RecordingMode.RING, 100, sectors, stop=192 * sectors))
    assert found.outputs["error"] == Error.NONE
    assert found.outputs["recording_newest"] >= 1.5 * sectors
    heard = b.drive.codes[before:]
    return {name: heard.count(code) for name, code in CODES.items()}, b.port.resets - resets


@pytest.mark.parametrize("silent", CODES)
def test_asked_once(bench, silent):
    """The others are asked as ever. It is asked again when the drive was away, and not after a COMRESET."""
    b = bench(made(), **CORE)
    asked, _ = run(b)
    assert all(count > 1 for count in asked.values())
    b.behaviour.mute = frozenset({silent})
    asked, resets = run(b)
    assert (asked.pop(silent), resets) == (1, 1) and all(asked.values())
    told = {"smart": ("drive_health", HealthVerdict.UNKNOWN), "log": ("drive_heat", HeatVerdict.UNKNOWN),
            "trim": ("trim_state", TrimState.GIVEN_UP)}
    for _ in range(2):
        asked, resets = run(b)
        assert (asked.pop(silent), resets) == (0, 0) and all(count > 1 for count in asked.values())
        assert b.outputs()[told[silent][0]] == told[silent][1]
    # A COMRESET for something else is no news of the drive.
    b.behaviour.mute = frozenset({"command"})
    assert b.flush().error == Error.TIMEOUT
    b.behaviour.mute = frozenset({silent})
    b.wait(Event.READY)
    asked, resets = run(b)
    assert (asked[silent], resets) == (0, 0)
    away(b)
    asked, resets = run(b)
    assert (asked[silent], resets) == (1, 1)
    # It answers again: nobody asks before it was away.
    b.behaviour.mute = frozenset()
    assert run(b)[0][silent] == 0
    away(b)
    assert run(b)[0][silent] > 1
    b.engine.set(recording_mode=RecordingMode.UNTIL_STOPPED)
    works(b)


@pytest.mark.parametrize("silent", CODES)
def test_another_drive_is_asked(bench, silent):
    """Also one that comes while the core waits for the one that it has reset."""
    b = bench(made(), **CORE)
    b.behaviour.mute = frozenset({silent})
    assert run(b)[0][silent] == 1 and run(b)[0][silent] == 0
    other = HeardDrive(DiskImage(sectors=5000), behaviour=Behaviour(), serial="OTHER", health=Health())
    other.heard = []
    b.port.plug(other, 50)
    b.run(60)
    b.wait(Event.READY)
    assert run(b)[0][silent] > 1


@pytest.mark.parametrize("silent", ["smart", "log"])
def test_a_drive_without_a_name(bench, silent):
    """It counts as another one after each COMRESET, which ends the recording; but it is not asked again."""
    b = bench(made(serial=" " * 20), **RETRY | {"smart_commands": 2, "smart_temperature": True})
    b.behaviour.mute = frozenset({silent})
    assert b.record(content(1, 40), 7).error == Error.OTHER_DRIVE
    b.wait(Event.READY)
    for _ in range(2):
        assert b.record(content(2, 40), 7).error == Error.NONE
    assert b.drive.codes.count(CODES[silent]) == 1


@pytest.mark.parametrize("core", [{"retries": 0}, {"recovery": False, "retries": 0}])
@pytest.mark.parametrize("silent", ["smart", "log"])
def test_without_a_recovery_one_recording_is_lost(bench, silent, core):
    """The first one ends with the silence; the next ones do not ask."""
    b = bench(made(), **SMALL | {"smart_commands": 2, "smart_temperature": True} | core)
    b.behaviour.mute = frozenset({silent})
    assert b.record(content(1, 40), 7).error == Error.TIMEOUT
    b.wait(Event.READY)
    for seed in 2, 3:
        assert b.record(content(seed, 40), 7).error == Error.NONE
        assert b.image.read_sectors(7, 40) == content(seed, 40)
    assert b.drive.codes.count(CODES[silent]) == 1


def test_what_breaks_a_rule_is_not_asked_again(bench):
    """More data than the log has: the drive may still be in it, and is reset."""
    b = bench(made(), **RETRY | {"smart_commands": 2, "smart_temperature": True})
    b.drive.health.log = lambda *_: bytes(1024)
    for _ in range(3):
        assert b.record(content(1, 40), 7).error == Error.NONE
    assert b.drive.codes.count(CODES["log"]) == 1 and b.port.resets == 2


def test_two_silent_queries_wait_for_each_other(bench):
    """The first one costs a recovery: the other one is not tried before as many write commands again."""
    b = bench(connect(HeardDrive, behaviour=Behaviour(), unit={"health": Health()}),
              **RETRY | {"smart_commands": 4, "smart_temperature": True})
    b.drive.heard = []
    b.behaviour.mute = frozenset({"smart", "log"})
    assert b.record(content(1, 160), 96).error == Error.NONE
    assert b.drive.codes == [0xB0, 0xEC, *[0x35] * 4, 0x47, 0xEC, *[0x35] * 6]
    assert b.violations() == []
