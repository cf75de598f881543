"""The histograms of the core against what crosses its port."""

import pytest
from integration.small import RETRY, content
from sata_drive_model import Behaviour

from sata_recorder.core.drive_port import Error
from sata_recorder.facts.units import BINS
from sata_recorder.interface.histogram import HistogramKind
from sata_recorder.simulation import Hold

pytestmark = pytest.mark.wide

COMMANDS, STALLS = HistogramKind
CORE = RETRY | {"histograms": True}
#: Clocks from the request of a command to its first dword at the port, and from the last dword of its
#: status to its end.
AFTER = 5


def bins(times):
    found = [0] * BINS
    for clocks in times:
        found[clocks.bit_length() - 1] += 1
    return found


def times(b):
    """Of the commands of the latest operation, as the port has seen them."""
    return [record.end - record.start + AFTER for record in b.analyser.commands]


@pytest.mark.parametrize("seed", range(3))
def test_times_of_commands(bench, seed):
    """They continue from one operation to the next, until they are cleared."""
    b = bench(**CORE, behaviour=Behaviour.random(seed))
    seen = []
    b.record(content(seed, 100), 30, hold=Hold(90, 40), flush=True)
    seen += times(b)
    b.play(30, 45)
    seen += times(b)
    assert len(seen) == 7 + 3 and b.histogram(COMMANDS) == bins(seen)
    b.engine.set(histogram_clear=1)
    b.run(1)
    b.engine.set(histogram_clear=0)
    b.play(30, 5)
    assert b.histogram(COMMANDS) == bins(times(b)) and sum(b.histogram(STALLS)) == 0
    b.check()


def test_standstills(bench):
    """Each status is 700 clocks late, and words wait; a playback has none."""
    b = bench(**CORE, completion_latency=700)
    b.record(content(1, 160), 0)
    assert b.histogram(COMMANDS) == bins(times(b))
    stalls = b.histogram(STALLS)
    longest = b.outputs()["longest_stall"]
    # The first one is before the first command's words.
    assert sum(stalls[9:]) == stalls[9] == 9 and sum(stalls) <= 10
    assert 1 << 9 <= longest < 1 << 10
    b.play(0, 160)
    assert b.histogram(STALLS) == stalls


def test_a_command_that_fails_does_not_count(bench):
    b = bench(**CORE)
    b.drive.behaviour.fail_lba, b.drive.behaviour.fail_times = 20, 1
    assert b.record(content(1, 40), 0).error == Error.NONE
    assert b.outputs()["retries"] == 1 and sum(b.histogram(COMMANDS)) == 3
