"""Two ledgers that differ in anything are told apart."""

from dataclasses import replace

import pytest

from sata_recorder.simulation.accounts import ACCOUNTS, LedgerReading

READING = LedgerReading({name: 100 + number for number, name in enumerate(ACCOUNTS)}, (5, 9),
                        (40, 60), 7)


def test_equal():
    assert READING.differences(replace(READING, accounts={**READING.accounts})) == []


@pytest.mark.parametrize("name", ACCOUNTS)
def test_an_account(name):
    other = replace(READING, accounts=READING.accounts | {name: 99})
    assert READING.differences(other) == [f"{name}: {READING.accounts[name]} and 99"]


@pytest.mark.parametrize("changed, text", [
    ({"turnaround": (5, 8)}, "fewest and most turnaround: (5, 9) and (5, 8)"),
    ({"overhead": None}, "fewest and most overhead: (40, 60) and None"),
    ({"commands": 8}, "commands: 7 and 8")])
def test_the_others(changed, text):
    assert READING.differences(replace(READING, **changed)) == [text]


@pytest.mark.parametrize("flush", [50, 0])
def test_a_wait_for_an_extent_that_did_not_come(flush):
    """It is turnaround here, and flush or nothing there; anything else differs."""
    there = replace(READING, accounts=READING.accounts | {"flush": flush})
    moved = {"turnaround": there.accounts["turnaround"] + 20, "flush": 30 if flush else 0}
    here = replace(there, accounts=there.accounts | moved)
    assert here.differences(there, waits=True) == [] != here.differences(there)
    assert there.differences(there, waits=True) == []
    assert there.differences(here, waits=True)
    more = replace(here, accounts=here.accounts | {"payload": 7})
    assert [text.split(":")[0] for text in more.differences(there, waits=True)] == ["payload"]
