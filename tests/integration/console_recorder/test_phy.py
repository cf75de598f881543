"""The request `phy` of the board, whose PHY is on the simulated line."""

import sys
from pathlib import Path

import pytest
from integration.console_recorder.bench import fields

pytestmark = pytest.mark.wide

FOLDER = Path(__file__).resolve().parents[3] / "examples"
sys.path.insert(0, str(FOLDER))
try:
    from phy_simulated import CASES, CLOCK_HZ, Station
finally:
    sys.path.remove(str(FOLDER))

from sata_recorder.pc.console.answer import Answer     # noqa: E402
from sata_recorder.pc.console.show import as_data      # noqa: E402
from sata_recorder.interface import PHY_STATUS       # noqa: E402

NAMES = ["state", "reached", "last-fall", "line-rate", "signal", "locked", "rx-pair", "tx-pair",
         "comresets", "cominits", "links", "lock-losses", "signal-losses", "code-errors",
         "disparity-errors", "recent-errors", "burst-clocks", "gap-clocks", "training-clocks",
         "bist", "bist-errors"]


def phy(station):
    """The lines of `phy`, by name."""
    *lines, end = station.ask("phy")
    assert end == "ok"
    assert [line.split()[0] for line in lines] == NAMES
    return fields(lines)


def test_good_link_and_its_test():
    """All that is told of a good link; `clear`; the loop-back test ends the link."""
    station = Station("good")
    station.run(300e-6)
    assert station.lines() == ["* link up generation 2", "* ready 1048576"]
    told = phy(station)
    assert told.pop("training-clocks").isdecimal()
    assert told == {
        "state": "HR_Ready", "reached": "HR_Ready", "last-fall": "none", "line-rate": "2",
        "signal": "yes", "locked": "yes", "rx-pair": "straight", "tx-pair": "straight",
        "comresets": "1", "cominits": "1", "links": "1", "lock-losses": "0", "signal-losses": "0",
        "code-errors": "0", "disparity-errors": "0", "recent-errors": "0 of 65536",
        "burst-clocks": "8 to 8", "gap-clocks": "8 to 24", "bist": "none", "bist-errors": "0"}
    assert station.ask("phy clear") == ["ok"]
    told = phy(station)
    assert (told["comresets"], told["gap-clocks"], told["state"]) == ("0", "- to -", "HR_Ready")
    station.send(b"record 0 100\r")
    station.run(60e-6)
    assert station.ask("phy bist") == ["error busy"]
    assert station.ask("")[-1] == "ok"
    assert station.ask("phy bist") == ["ok"]
    station.run(1e-3, until=lambda: b"1048576\r\n" in station.received)
    assert station.lines() == ["* link down", "* link up generation 2", "* ready 1048576"]
    told = phy(station)
    assert (told["last-fall"], told["bist"], told["links"]) == ("bist", "no-pattern", "1")


def test_loop():
    station = Station("loop")
    assert station.ask("phy bist") == ["ok"]
    assert phy(station)["bist"] == "passed"


@pytest.mark.parametrize("case, wanted", [
    ("no drive", {"reached": "HR_AwaitCOMINIT", "signal": "no", "burst-clocks": "- to -"}),
    ("deaf drive", {"reached": "HR_AwaitCOMWAKE", "links": "0", "gap-clocks": "24 to 24"}),
    pytest.param("deaf detector", {"reached": "HR_AwaitCOMINIT", "signal": "no"},
                 marks=pytest.mark.long),
    pytest.param("slow detector", {"reached": "HR_AwaitCOMWAKE"}, marks=pytest.mark.long),
    pytest.param("no lock", {"reached": "HR_AwaitAlign", "recent-errors": "0 of 65536"},
                 marks=pytest.mark.long),
    pytest.param("Gen3 only", {"reached": "HR_AwaitAlign"}, marks=pytest.mark.long),
    pytest.param("noise", {"reached": "HR_AwaitAlign"}, marks=pytest.mark.long),
    pytest.param("ignores ALIGN", {"reached": "HR_SendSync"}, marks=pytest.mark.long),
    pytest.param("tx inverted", {"state": "HR_Ready", "tx-pair": "inverted"},
                 marks=pytest.mark.long),
    pytest.param("chatters", {"state": "HR_Ready", "signal-losses": "255"},
                 marks=pytest.mark.long),
    pytest.param("bit errors", {"reached": "HR_Ready"}, marks=pytest.mark.long),
])
def test_case(case, wanted):
    """What docs/bring-up.md states of it."""
    station = Station(case)
    station.run(1.2e-3)
    station.lines()
    found = phy(station)
    assert {name: found[name] for name in wanted} == wanted
    if case == "bit errors":
        assert int(found["code-errors"]) + int(found["disparity-errors"])


def test_bad_loop():
    station = Station("bad loop")
    station.ask("phy bist")
    station.run(0.3e-3)
    found = phy(station)
    assert found["bist"] == "failed" and int(found["bist-errors"])


def test_the_cases_have_their_names():
    assert all(meaning and name for name, (meaning, *_) in CASES.items())


def test_host_knows_all_that_is_told():
    """Each output of the table is a field of the answer, under a name with the same meaning."""
    station = Station("loop")
    *lines, end = station.ask("phy")
    data = as_data(Answer(tuple(lines), None), CLOCK_HZ)
    assert len(data) - len(("ok", "error", "recent_dwords")) == len(
        [port for port in PHY_STATUS.ports.values() if port.direction == "output"])
