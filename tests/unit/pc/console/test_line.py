"""What the host reports of the PHY's answer."""

import io

import pytest
from rich.console import Console as RichConsole

from sata_recorder.pc.console import line
from sata_recorder.pc.console.answer import Answer
from sata_recorder.pc.console.show import as_data, show
from sata_recorder.core.phy import BistState, Fall, PhyState
from sata_recorder_platforms.console_recorder.keywords import keyword

LINES = """\
state HR_AwaitCOMINIT
reached HR_AwaitCOMWAKE
last-fall no-comwake
line-rate 2
signal no
locked yes
rx-pair straight
tx-pair inverted
comresets 12
cominits 11
links 0
lock-losses 3
signal-losses 4
code-errors 5
disparity-errors 6
recent-errors 7 of 65536
burst-clocks 8 to 9
gap-clocks 23 to 25
training-clocks 15000
bist failed
bist-errors 13""".splitlines()
FIELDS = {
    "state": "HR_AwaitCOMINIT", "reached": "HR_AwaitCOMWAKE", "last_fall": "no-comwake",
    "line_rate": 2, "signal": False, "locked": True, "rx_pair": "straight", "tx_pair": "inverted",
    "comresets": 12, "cominits": 11, "links": 0, "lock_losses": 3, "signal_losses": 4,
    "code_errors": 5, "disparity_errors": 6, "recent_errors": 7, "recent_dwords": 65536,
    "shortest_burst": 8, "longest_burst": 9, "shortest_gap": 23, "longest_gap": 25,
    "training_clocks": 15000, "bist": "failed", "bist_errors": 13}


def shown(lines, clock_hz=75e6):
    output = io.StringIO()
    show(RichConsole(file=output, width=100), Answer(tuple(lines), None), clock_hz)
    return [row.split() for row in output.getvalue().splitlines()]


def test_fields():
    assert as_data(Answer(tuple(LINES), None), 75e6) == {"ok": True, "error": None} | FIELDS


def test_table():
    rows = shown(LINES)
    text = [" ".join(row) for row in rows]
    assert "furthest HR_AwaitCOMWAKE COMINIT was heard, but no COMWAKE of the drive" in text
    assert "last fall no-comwake the drive did not answer COMWAKE" in text
    assert "OOB bursts 107 to 120 ns" in text and "OOB gaps 307 to 333 ns" in text
    assert "training 200.0 us from COMWAKE to the link, or to the end of the try" in text
    assert "loop-back failed dwords were wrong or missing, 13 errors" in text
    assert "transmitter Gen2" in text and "receiver locked 3 locks lost" in text


@pytest.mark.parametrize("before, after, told", [
    ("burst-clocks 8 to 9", "burst-clocks - to -", "OOB bursts -"),
    ("line-rate 2", "line-rate 0", "transmitter not ready"),
    ("locked yes", "locked no", "receiver not locked 3 locks lost"),
])
def test_what_is_not_there(before, after, told):
    lines = [after if one == before else one for one in LINES]
    assert lines != LINES
    assert told in [" ".join(row) for row in shown(lines)]


def test_there_are_words_for_all():
    """For each state, reason and result that the gateware has; none for others."""
    assert list(line.REACHED) == [state.name for state in PhyState]
    assert list(line.FALLS) == [keyword(fall) for fall in Fall]
    assert list(line.BIST) == [keyword(state) for state in BistState]


RECORDED = """record 8 640 inc32
sectors-done 640
words 81920
clocks 90000
stopped no
retries 0
skipped-sectors 0
""".splitlines()


@pytest.mark.parametrize("lines, told", [
    ([], []), (["drive-health unknown", "drive-heat unknown"], []),
    (["drive-health good", "drive-heat good", "drive-celsius 41"], [
        "health good by the drive's own verdict",
        "temperature 41 degrees Celsius, not above the drive's specified maximum"]),
    (["drive-heat too-hot", "drive-celsius 75"], [
        "temperature 75 degrees Celsius, above its specified maximum"]),
    (["drive-heat no-limit"], ["temperature below 0 degrees Celsius"])])
def test_what_the_drive_says_of_itself_in_a_recording(lines, told):
    rows = [" ".join(row) for row in shown([*RECORDED, *lines, "ok"])]
    assert [row for row in rows if row.startswith(("health", "temperature"))] == told
