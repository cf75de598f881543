"""Bring-up: every way from a reset to a usable drive, and every way off it."""

from itertools import pairwise

import pytest

from sata_recorder.core.sequencer.bring_up import BringUp
from sata_recorder.core.drive_port import Error
from unit.bench import Bench

BENCH = Bench(BringUp())
OUTPUTS = ["comreset", "clear", "start", "identity__check", "identifying", "spinning_up", "waiting",
           "usable", "unusable", "failed", "failure"]

UP = {"link_up": 1}
DOWN = {}
GREETING = UP | {"signature_received": 1, "is_ata": 1}
DONE = UP | {"done": 1, "succeeded": 1}
CHECKED = UP | {"identity__checked": 1}
FIT = UP | {"identity__dma": 1, "identity__lba": 1}
EXPIRED = UP | {"silent": 1}

#: IDENTIFY DEVICE begins.
BEGINS = {"start", "waiting"}

#: Clocks that lead to each state from reset.
TO_SIGNATURE = [DOWN, DOWN, UP]
TO_IDENTIFY = [*TO_SIGNATURE, UP, GREETING]
TO_COMPARE = [*TO_IDENTIFY, UP, DONE]
TO_JUDGE = [*TO_COMPARE, UP, CHECKED]
TO_USABLE = [*TO_JUDGE, FIT]
TO_SPIN_UP = [*TO_COMPARE, CHECKED | {"identity__spins_up": 1, "identity__unsound": 1}]
TO_UNUSABLE = [*TO_SIGNATURE, UP | {"signature_received": 1}]


def run(*rows):
    """The outputs that are set in each clock; a failure by its name."""
    seen = []
    for clock in BENCH.trace([*rows], OUTPUTS):
        what = {name for name in OUTPUTS[:-1] if clock[name]} - {"failed"}
        seen.append(what | {Error(clock["failure"])} if clock["failed"] else what)
    return seen


def after(before, *rows):
    return run(*before, *rows)[len(before):]


def test_to_a_usable_drive():
    assert run(*TO_USABLE, UP, UP | {"signature_received": 1}) == [
        {"comreset", "clear"},              # also without a link: it may come up now
        {"clear", "waiting"}, {"clear", "waiting"},
        set(), BEGINS, {"identifying"},
        {"identifying", "identity__check"}, set(), set(),
        set(), {"usable"}, {"usable"}]


def test_comreset_until_the_link_has_fallen():
    """A drive gives its signature only once: that of a link from before the reset is gone."""
    assert run(UP, UP, UP, DOWN, DOWN, UP, UP) == [
        {"comreset", "clear"}] * 4 + [{"clear", "waiting"}] * 2 + [set()]


@pytest.mark.parametrize("before, rows, failure, then", [
    (TO_SIGNATURE, [UP, EXPIRED], Error.TIMEOUT, "comreset"),
    (TO_SIGNATURE, [UP, UP | {"signature_received": 1}], Error.NOT_ATA, "unusable"),
    (TO_IDENTIFY, [UP, EXPIRED], Error.TIMEOUT, "comreset"),
    (TO_IDENTIFY, [UP, UP | {"done": 1}], Error.IDENTIFY_FAILED, "comreset"),
    (TO_COMPARE, [CHECKED | {"identity__unsound": 1}], Error.IDENTIFY_FAILED, "comreset"),
    (TO_JUDGE, [FIT | {"identity__packet": 1}], Error.NOT_ATA, "unusable"),
    (TO_JUDGE, [UP | {"identity__lba": 1}], Error.NO_DMA_LBA, "unusable"),
    (TO_JUDGE, [UP | {"identity__dma": 1}], Error.NO_DMA_LBA, "unusable"),
    (TO_JUDGE, [FIT | {"identity__long_sectors": 1}], Error.SECTOR_SIZE, "unusable"),
    (TO_JUDGE, [UP | {"identity__packet": 1, "identity__long_sectors": 1}], Error.NOT_ATA,
     "unusable"),
])
def test_failures(before, rows, failure, then):
    """The report lasts one clock; then a new attempt, or none until the link falls."""
    seen = after(before, *rows, UP, UP)
    assert failure in seen[len(rows) - 1]
    assert all(then in clock and not clock & {*Error} for clock in seen[len(rows):])


def test_answer_in_the_last_clock():
    """What arrives together with the end of the time is in time."""
    assert after(TO_SIGNATURE, GREETING | EXPIRED, UP)[-1] == {"identifying"}
    assert after(TO_IDENTIFY, DONE | EXPIRED, CHECKED, FIT, UP)[-1] == {"usable"}


@pytest.mark.parametrize("before", [
    TO_SIGNATURE, TO_IDENTIFY, TO_SPIN_UP, TO_COMPARE, TO_JUDGE, TO_USABLE, TO_UNUSABLE])
def test_link_falls(before):
    """No COMRESET: it comes back by itself, and the drive gives its signature again."""
    seen = after(before, DOWN, DOWN, UP, UP, GREETING, UP)
    assert seen[1:] == [{"clear", "waiting"}] * 2 + [set(), BEGINS, {"identifying"}]


@pytest.mark.parametrize("inputs", [GREETING, DONE, EXPIRED, FIT, UP | {"needs_comreset": 1}])
def test_unusable_until_the_link_falls(inputs):
    assert after(TO_UNUSABLE, inputs, inputs, UP) == [{"unusable"}] * 3


@pytest.mark.parametrize("inputs", [GREETING, DONE, UP | {"done": 1}, EXPIRED, UP])
def test_usable_until_asked_or_lost(inputs):
    assert after(TO_USABLE, inputs, inputs, UP) == [{"usable"}] * 3


def test_needs_comreset():
    """The drive's state is unknown: COMRESET, no command in flight, everything again."""
    seen = after(TO_USABLE, UP | {"needs_comreset": 1}, UP, UP, DOWN, DOWN, UP, GREETING)
    assert seen == [{"usable"}] + [{"comreset", "clear"}] * 3 + [
        {"clear", "waiting"}, {"clear", "waiting"}, BEGINS]


def test_no_time_runs_while_there_is_no_link():
    assert after([DOWN], DOWN, DOWN | {"silent": 1}, DOWN) == [{"clear", "waiting"}] * 3


#: A drive that fails IDENTIFY DEVICE, from a link that is down on, as far as the report.
FAILS = [DOWN, DOWN, UP, GREETING, UP | {"done": 1}]


def test_spins_up():
    """SET FEATURES, then IDENTIFY DEVICE again; once."""
    needs = CHECKED | {"identity__spins_up": 1, "identity__unsound": 1}
    assert after(TO_COMPARE, UP, needs, UP, UP, UP | {"done": 1}, UP, DONE, UP,
                 CHECKED | {"identity__spins_up": 1}, FIT, UP) == [
        set(), {"start", "waiting"}, {"spinning_up"}, {"spinning_up"}, {"spinning_up", *BEGINS},
        {"identifying"}, {"identifying", "identity__check"}, set(), set(), set(), {"usable"}]


def test_data_that_stay_incomplete():
    """After SET FEATURES; in the next attempt it is sent again."""
    needs = CHECKED | {"identity__spins_up": 1, "identity__unsound": 1}
    again = [*TO_SPIN_UP, DONE, DONE, needs]
    assert Error.IDENTIFY_FAILED in run(*again)[-1]
    assert after(again, DOWN, DOWN, UP, GREETING, DONE, needs, UP)[-2:] == [{"start", "waiting"}, {"spinning_up"}]


@pytest.mark.parametrize("inputs, failure", [
    (EXPIRED, Error.TIMEOUT), (UP | {"done": 1, "unclear": 1}, Error.IDENTIFY_FAILED),
    (UP | {"done": 1, "fault": 1}, Error.IDENTIFY_FAILED)])
def test_spin_up_without_success(inputs, failure):
    """COMRESET, and it is sent again, however often."""
    needs = CHECKED | {"identity__spins_up": 1, "identity__unsound": 1}
    once = [*TO_SPIN_UP, UP, inputs]
    assert failure in run(*once)[-1]
    for _ in range(4):
        again = [DOWN, DOWN, UP, GREETING, DONE, needs, UP, inputs]
        seen = after(once, *again)
        assert seen[-3] == {"start", "waiting"} and "spinning_up" in seen[-1] and failure in seen[-1]
        once = [*once, *again, UP, EXPIRED]     # a pause


@pytest.mark.parametrize("way", [[DOWN], [DOWN] * 1000, [UP | {"needs_comreset": 1}, UP, DOWN]])
@pytest.mark.parametrize("before", [
    TO_SPIN_UP, [*TO_SPIN_UP, DONE], [*TO_SPIN_UP, DONE, DONE], [*TO_SPIN_UP, DONE, DONE, CHECKED],
    [*TO_SPIN_UP, DONE, DONE, CHECKED, FIT], [*TO_SPIN_UP, UP, EXPIRED], [*TO_SPIN_UP, DONE, UP | {"done": 1}]])
def test_the_next_drive_is_told_anew(before, way):
    """Whatever comes after the link was down may be another drive, or the same one without power meanwhile."""
    needs = CHECKED | {"identity__spins_up": 1, "identity__unsound": 1}
    seen = BENCH.trace([*before, *way, DOWN, DOWN, UP, GREETING, DONE, needs, UP], ["identity__spun_up", *OUTPUTS])
    assert seen[-1]["spinning_up"] and not seen[-2]["identity__spun_up"]


def pauses(*rows):
    """What ``pause`` is in the clocks after those with a report."""
    seen = BENCH.trace([*rows, UP], ["failed", "pause"])
    return [after["pause"] for clock, after in pairwise(seen) if clock["failed"]]


def test_pauses():
    """None after the first failure; then longer ones; none after a usable drive, or a new link."""
    paused = [*FAILS, UP, EXPIRED]
    assert pauses(*FAILS, *paused * 9) == [0, 2, 4, 8, 16, 32, 64, 64, 64, 64]
    assert pauses(*FAILS, *paused * 2, *TO_USABLE[1:], DOWN, *FAILS, *FAILS) == [0, 2, 4, 0, 2]
    assert pauses(*FAILS, *paused * 2, DOWN, DOWN, UP, DOWN, *FAILS, *FAILS) == [0, 2, 4, 0, 2]


def test_a_pause():
    """Nothing goes to the drive, and what it reports is forgotten, until it is over, or the link falls."""
    before = [*FAILS, *FAILS]
    assert after(before, *[UP] * 5, EXPIRED, UP, DOWN) == [{"clear"}] * 6 + [{"comreset", "clear"}] * 2
    assert after(before, UP, DOWN, UP, UP, GREETING)[1:] == [
        {"clear"}, {"clear", "waiting"}, set(), BEGINS]
    assert after(before, UP, UP | {"needs_comreset": 1}, UP)[-1] == {"comreset", "clear"}


def test_retries_for_ever():
    """The first one at once, the others after a pause."""
    attempt = [DOWN, DOWN, UP, EXPIRED]
    seen = run(*attempt, *[*attempt, UP, EXPIRED] * 5)
    assert [Error.TIMEOUT in clock for clock in seen] == [False] * 3 + [True] + [
        False, False, False, True, False, False] * 5
