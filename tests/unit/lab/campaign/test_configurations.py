"""The cores of a campaign: the named ones, and those of any two options."""

import pytest

from sata_recorder.lab.campaign import CORES, FaultPlan, FaultPlanError, core_called, drawn_pairs, random_plan
from sata_recorder.lab.campaign.configurations import OPTIONS, pairs
from sata_recorder.interface.configuration import NAMED


def test_the_named_configurations_are_cores():
    assert {f"named-{name}" for name in NAMED} <= CORES.keys()
    assert CORES["named-files"].files and CORES["named-files"].control == "pins"
    assert all(core.clock_hz == 1e6 for core in CORES.values())


def test_a_core_of_two_options_has_both_and_what_they_need():
    core = core_called("frames+look")
    assert (core.frames, core.extents, core.look_sectors) == (True, "modes", 8)
    assert core_called("stop") is CORES["stop"]


def test_each_option_is_in_a_pair():
    assert {option for name in pairs() for option in name.split("+")} == {*OPTIONS}
    # A pair that no rule refuses is legal, and the others are not many.
    assert 240 <= len(pairs()) < len(OPTIONS) * (len(OPTIONS) - 1) // 2


@pytest.mark.parametrize("name, words", [
    ("foo", "'foo' is no core of campaigns: they are stop,"), ("frames+foo", "'frames+foo' is no core of campaigns"),
    ("queue+modes", "queue+modes: queue and modes exclude each other"),
    ("fua+flush", "fua+flush: fua is true, and flush_commands is 3"),
    ("drop+frames", "drop+frames: each recording is in frames")])
def test_names_that_are_none(name, words):
    with pytest.raises(ValueError) as error:
        core_called(name)
    assert words in str(error.value)
    with pytest.raises(FaultPlanError) as error:
        FaultPlan.of_text(f'{{"core": "{name}", "steps": []}}')
    assert "core = " in str(error.value) and words in str(error.value)


def test_pairs_are_drawn_by_the_seed():
    assert drawn_pairs(20, 1) == drawn_pairs(20, 1) != drawn_pairs(20, 2)
    assert len({*drawn_pairs(20, 1)}) == 20 and {*drawn_pairs(20, 1)} <= {*pairs()}
    with pytest.raises(ValueError):
        drawn_pairs(len(pairs()) + 1, 1)


def test_no_command_on_drives_with_long_logical_sectors():
    """It counts the drive's own sectors."""
    plans = [random_plan(seed, ("lost",), ("4k+commands",)) for seed in range(60)]
    assert {(plan.logical > 1, any(step.command for step in plan.steps)) for plan in plans} == {
        (True, False), (False, False), (False, True)}
