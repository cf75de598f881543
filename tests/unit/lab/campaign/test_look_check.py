"""What a campaign demands of looks, on looks that are made up."""

from dataclasses import replace

import pytest

from sata_recorder.lab.campaign.configurations import CORES
from sata_recorder.lab.campaign.look_check import check_looks
from sata_recorder.lab.campaign.recording_run import Recorded
from sata_recorder.interface.look import LookState
from sata_recorder.simulation.look_watch import Moment, WatchedLook

CORE = CORES["modes"]
ASKED = Moment(clock=1000, newest=20, oldest=4, done=20, runs=True)
LATER = replace(ASKED, clock=3000, newest=30, oldest=14, done=30)
WORDS = {sector: [128 * sector + word for word in range(128)] for sector in range(100)}


def content(sector):
    return b"".join(word.to_bytes(4, "little") for word in WORDS[sector])


def held(sector):
    """Sector 17 is in doubt."""
    return [content(sector)] if sector != 17 else [content(17), bytes(512)]


def look(state, sector=16, count=2, *, words=None, end=LATER, **fields):
    words = (WORDS[16] + WORDS[17] if state is LookState.READY else []) if words is None else words
    return WatchedLook(**{"sector": sector, "count": count, "room": 0, "withdrawn": None, "begun": ASKED,
                          "judged": replace(ASKED, clock=1016), "end": end, "state": state, "words": words} | fields)


def problems(*looks, counted=None, clocks=None, faults=(), logical=1):
    ready = sum(one.state is LookState.READY for one in looks)
    found = Recorded(looks=list(looks), newest=40, looks_ready=ready if counted is None else counted,
                     look_clocks=300 * ready if clocks is None else clocks)
    return check_looks(found, CORE, 9000, held, faults, CORE.max_command_sectors, logical)


READY, GONE, FAILED = LookState.READY, LookState.GONE, LookState.FAILED


@pytest.mark.parametrize("good", [
    look(READY), look(READY, words=[*WORDS[16], *[0] * 64, *WORDS[17][64:]]),      # in doubt: a mixture
    look(GONE, sector=13), look(GONE, sector=19), look(GONE, end=replace(LATER, runs=False)),
    look(GONE, end=replace(LATER, newest=40)),      # after the last command
    look(LookState.OUT_OF_RANGE, count=0), look(LookState.OUT_OF_RANGE, count=9),
    look(LookState.IDLE, withdrawn=5), look(LookState.IDLE, withdrawn=5, count=9), look(READY, withdrawn=5),
    look(None, end=None), look(READY, waits=ASKED, end=replace(LATER, done=68)),
], ids=str)
def test_what_a_look_may_do(good):
    assert not problems(good)


@pytest.mark.parametrize("wrong, words", [
    (look(READY, words=WORDS[17] + WORDS[17]), "other words of sector 16"),
    (look(READY, words=WORDS[16] + [*WORDS[17][:5], 7, *WORDS[17][6:]]), "other words of sector 17"),
    (look(READY, sector=3, words=WORDS[3] + WORDS[4]), "is ready, and the sectors 4 to 19 were there"),
    (look(READY, sector=19, words=WORDS[19] + WORDS[20]), "is ready, and the sectors 4 to 19 were there"),
    (look(READY, count=0), "ended as READY"), (look(GONE, count=9), "ended as GONE"),
    (look(LookState.OUT_OF_RANGE), "ended as OUT_OF_RANGE"),
    (look(GONE), "is gone, and the sectors 14 to 19 are there"),
    (look(FAILED), "failed without a fault"),
    (look(LookState.IDLE), "was withdrawn by nobody"),
    (look(LookState.WAITS), "is WAITS after its recording"), (look(LookState.READS), "is READS after"),
    (look(READY, waits=ASKED, end=replace(LATER, done=69)), "waited for 49 sectors"),
    (look(GONE, waits=ASKED, end=replace(LATER, done=69, runs=False)), "waited for 49 sectors"),
], ids=lambda value: value if isinstance(value, str) else "")
def test_what_a_look_may_not_do(wrong, words):
    found = [text for text in problems(wrong, clocks=300) if "number 0" in text]
    assert len(found) == 1 and words in found[0] and found[0].startswith("look: "), found


def test_a_failure_has_a_fault_before():
    assert not problems(look(FAILED), clocks=300, faults=[2000])
    assert problems(look(FAILED), clocks=300, faults=[3001])
    # With one nobody knows how long it must wait.
    assert not problems(look(READY, waits=ASKED, end=replace(LATER, done=90)), faults=[5])


def test_logical_sectors():
    assert not problems(look(LookState.OUT_OF_RANGE, count=2), logical=8)
    assert not problems(look(LookState.OUT_OF_RANGE, sector=4, count=8), logical=8)
    assert problems(look(GONE, sector=4, count=8), logical=8)
    # Nobody knows of a drive that is away.
    assert not problems(look(GONE, sector=4, count=8), logical=8, faults=[500])
    assert not problems(look(GONE, sector=4, count=8, end=replace(LATER, runs=False)), logical=8)


def test_the_counts():
    assert not problems(look(READY), look(READY), clocks=512)
    assert problems(look(READY), look(READY), clocks=511)
    assert problems(look(READY), clocks=9001) and problems(look(GONE, sector=13), clocks=1)
    assert problems(look(READY), counted=2) and problems(look(READY), counted=0)
    # One whose place another took may have become ready.
    assert not problems(look(READY), look(None, end=None), counted=2)
    assert problems(look(READY), look(None, end=None), counted=3)
