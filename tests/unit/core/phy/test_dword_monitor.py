"""The judge of what arrives, against a list of what was heard."""

import random

import pytest

from sata_recorder.core.phy.dword_monitor import ALIGNS, GOOD, OTHERS, DwordMonitor
from unit.core.phy.compiled import Compiled

CLOCKS = 20
OUTPUTS = ("aligned", "others_in_a_row", "others", "arriving", "absent")


@pytest.fixture(scope="module")
def dut():
    return Compiled(DwordMonitor(CLOCKS))


def outputs(dut, kinds, expected=1, negotiating=1):
    """What it reports in each clock of ``kinds``: a, p, d, b, or . for nothing."""
    dut.restart()
    said = []
    for kind in kinds:
        dut.set(expected=expected, negotiating=negotiating, heard__align=kind == "a",
                heard__primitive=kind == "p", heard__data=kind == "d", heard__bad=kind == "b")
        dut.edge(0)
        said.append({name for name in OUTPUTS if dut.get(name)})
        dut.edge(1)
    return said


def strobes(dut, kinds, name, **options):
    return [n for n, said in enumerate(outputs(dut, kinds, **options)) if name in said]


def test_align_in_a_row(dut):
    assert ALIGNS == 4
    assert strobes(dut, "aaa.a", "aligned") == [4]
    for broken in "pdb":
        assert strobes(dut, f"aaa{broken}aaa", "aligned") == []
    assert strobes(dut, "aaaa", "aligned", expected=0) == []


def test_primitives(dut):
    """In a row for the specification's way, all in all for that with SYNC."""
    assert OTHERS == 3
    assert strobes(dut, "pp.p", "others_in_a_row") == [3]
    for broken in "adb":
        kinds = f"pp{broken}p.."
        assert strobes(dut, kinds, "others_in_a_row") == []
        assert strobes(dut, kinds, "others") == [4, 5]
    assert strobes(dut, "ppppp", "others", negotiating=0) == []


@pytest.mark.parametrize("kinds, absent", [
    ("." * 45, [19, 39]), ("b" * 45, [19, 39]), ("dddb" * 10, [19, 39]),
    ("d" * 45, []), ("b" * 15 + "apda" + "b" * 25, [38]), ("adp" * 15, [])])
def test_good_dwords(dut, kinds, absent):
    """Four in a row count, of any kind; without them it reports again and again."""
    assert GOOD == 4
    assert strobes(dut, kinds, "absent") == absent
    assert strobes(dut, kinds, "absent", expected=0) == []


def test_noise_is_absence(dut, seed):
    """Noise in which one dword of 200 seems good."""
    rng = random.Random(seed)
    kinds = "".join("d" if rng.random() < 0.005 else "b" for _ in range(4000))
    assert len(strobes(dut, kinds, "absent")) > 150
