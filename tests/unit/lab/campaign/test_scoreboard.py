"""What the scoreboard of a campaign reports of a disk after a recording."""

import pytest

from sata_recorder.lab.campaign.journal import Report
from sata_recorder.lab.campaign.plan import Step
from sata_recorder.lab.campaign.scoreboard import check_recorded
from sata_recorder.facts.units import SECTOR_BYTES


def disk(*letters):
    return b"".join(letter * SECTOR_BYTES for letter in letters)


@pytest.mark.parametrize("lost, wrong", [({2}, []), ({1}, ["stray: sector 2 was written"]),
                                         (set(), ["stray: sector 2 was written"])])
def test_a_sector_that_a_power_failure_took_back_was_not_written(lost, wrong):
    """It lies in the extent, after the end of the recording, and holds older words again."""
    report = Report(error=0, done=1, doubt=frozenset(), skipped=0, dropped=0, gaps=())
    found = check_recorded(Step(operation="record", lba=0, sectors=4), report, disk(b"n"),
                           disk(b"o", b"o", b"o", b"o"), disk(b"n", b"o", b"x", b"o"), lost)
    assert [text.partition(",")[0] for text in found] == wrong
