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
