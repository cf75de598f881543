"""Both directions of the link against the rules of its state diagrams, as the monitor has them."""

from collections import Counter

import pytest
from integration.small import SHORT, SMALL, connect, content, works
from sata_drive_model import Behaviour, DrivePort, Monitor, Rule
from short import short

SECTORS = 40
CORES = {"CONT sent": SMALL, "one sector a command": SHORT,
         "CONT not sent": SMALL | {"send_cont": False},
         "one sector a command, CONT not sent": SHORT | {"send_cont": False}}


class WatchedPort(DrivePort):
    """A port whose dwords a monitor sees, too."""

    __slots__ = ("monitor",)

    def __init__(self, drive, **options):
        self.monitor = Monitor(round_trip=options.get("round_trip", 0))
        super().__init__(drive, **options)

    def clock(self, core):
        self.monitor.observe(self.now, core, self.inputs)
        return super().clock(core)


def broken(bench, seed, line, core):
    """What was against the rules in a recording and a playback, and how often."""
    b = bench(connect(port=WatchedPort, behaviour=Behaviour.random(seed), seed=seed, line=line), **core)
    data = content(seed, SECTORS)
    assert b.record(data, 9, flush=True).error == 0
    assert b.play(9, SECTORS).data == data
    works(b)
    assert len(b.port.monitor.frames) > 2 * SECTORS // 16
    return Counter((found.rule, found.detail) for found in b.port.monitor.violations)


@pytest.mark.sample(5)
@pytest.mark.parametrize("name, seed", short(
    [(name, seed) for name in CORES for seed in range(12)],
    [*(("CONT sent", seed) for seed in range(6)),
     *(("one sector a command", seed) for seed in range(6, 9)),
     *(("CONT not sent", seed) for seed in range(9, 12))]))
def test_no_rule_is_broken(bench, name, seed):
    """By any legal drive, on short and long lines."""
    line = {"round_trip": (0, 3, 40)[seed % 3]}
    assert broken(bench, seed, line, CORES[name]) == {}


@pytest.mark.wide
def test_without_sync_between_frames(bench):
    """X_RDY or R_RDY follows R_OK, and nothing else is against the rules."""
    found = broken(bench, 0, {}, SHORT | {"sync_between_frames": False})
    assert found[Rule.X_RDY_AFTER_ANSWER, ""] > SECTORS
    assert set(found) <= {(Rule.X_RDY_AFTER_ANSWER, ""), (Rule.STATE, "R_RDY after R_OK")}
