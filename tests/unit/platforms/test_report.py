"""What is read out of the logs and reports of the tools, on small samples of them."""

import json

import pytest

from sata_recorder_platforms import report
from sata_recorder_platforms.ecp5.checks import parameter_faults

PREFERENCES = """\
LOCATE COMP "clk100_0__io" SITE "K23";
FREQUENCY NET "core_clk" 100000000.0 HZ;
FREQUENCY NET "serdes.serdes_tx_clk" 150000000.0 HZ;
FREQUENCY PORT "clk100_0__io" 100000000.0 HZ;
"""
LOG = """\
Info: constraining clock net 'core_clk' to 100.00 MHz
Info: constraining clock net 'serdes.serdes_tx_clk' to 150.00 MHz
Info: constraining clock net 'clk100_0__io' to 100.00 MHz

Info: Generating derived timing constraints...
Info:     Input frequency of PLL 'pll.pll' is constrained to 100.0 MHz
Info:     Derived frequency constraint of 150.0 MHz for net pll.outputs[0]
Info:     Derived frequency constraint of 150.0 MHz for net serdes.serdes_reference
"""
NETLIST = {"modules": {"top": {"netnames": {
    "clk": {"bits": [17]}, "core_clk": {"bits": [17]}, "core_clk.wide": {"bits": [17, 18]},
    "phy.tx_clk": {"bits": [9]}, "serdes.serdes_tx_clk": {"bits": [9]}}}}}
NAMES = report.aliases(NETLIST, "top")
EXPECTED = {"core_clk": 100e6, "serdes.serdes_tx_clk": 150e6}
FMAX = {"$glbnet$phy.tx_clk": {"achieved": 200.0, "constraint": 150.015},
        "$glbnet$clk": {"achieved": 125.0, "constraint": 100}}


def test_all_constrained():
    assert report.constraint_faults(LOG, PREFERENCES, {"serdes.serdes_reference": 150e6}) == []


@pytest.mark.parametrize("gone, name", [
    ("Info: constraining clock net 'serdes.serdes_tx_clk' to 150.00 MHz\n", "tx_clk"),
    ("Info: constraining clock net 'clk100_0__io' to 100.00 MHz\n", "clk100"),
    ("Info:     Derived frequency constraint of 150.0 MHz for net serdes.serdes_reference\n",
     "reference")])
def test_dropped_without_a_word(gone, name):
    """nextpnr reports nothing at all about a FREQUENCY NET that it does not find."""
    assert gone in LOG
    (fault,) = report.constraint_faults(LOG.replace(gone, ""), PREFERENCES,
                                        {"serdes.serdes_reference": 150e6})
    assert name in fault


def test_dropped_with_a_warning():
    line = "Warning: net 'no_such_port' does not exist in design, ignoring clock constraint\n"
    (fault,) = report.constraint_faults(line + LOG, PREFERENCES)
    assert "no_such_port" in fault


def test_other_frequency():
    (fault,) = report.constraint_faults(LOG.replace("to 150.00", "to 15.00"), PREFERENCES)
    assert "15.0" in fault and "150" in fault


def test_clocks():
    """Under our names, in our order, with the slack at the constraint."""
    found, faults = report.clocks({"fmax": FMAX}, NAMES, EXPECTED)
    assert not faults
    assert [clock.name for clock in found] == ["core_clk", "serdes.serdes_tx_clk"]
    assert found[0].slack == pytest.approx(2.0) and found[0].met
    slow = report.Clock("a", 100.0, 80.0)
    assert slow.slack == pytest.approx(-2.5) and not slow.met


@pytest.mark.parametrize("changed, words", [
    ({"$glbnet$clk": None}, "core_clk: no such clock"),
    ({"$glbnet$clk": {"achieved": 125.0, "constraint": 12.0}}, "12.00 MHz"),
    ({"$glbnet$other": {"achieved": 300.0, "constraint": 12.0}}, "other"),
])
def test_clocks_that_are_not_as_expected(changed, words):
    fmax = {name: told for name, told in (FMAX | changed).items() if told}
    _, faults = report.clocks({"fmax": fmax}, NAMES, EXPECTED)
    assert len(faults) == 1 and words in faults[0]


@pytest.mark.parametrize("delay, met", [(6.6, True), (6.7, False)])
def test_crossing(delay, met):
    """The longest one counts, under our names, against the shorter of both periods."""
    paths = [{"from": "posedge $glbnet$clk", "to": "posedge $glbnet$phy.tx_clk",
              "path": [{"delay": 0.3}, {"delay": one - 0.3}]} for one in (1.0, delay, 2.0)]
    (found,), faults = report.crossings({"critical_paths": paths}, NAMES, EXPECTED,
                                        [("core_clk", "serdes.serdes_tx_clk")])
    assert (found.source, found.target) == ("core_clk", "serdes.serdes_tx_clk")
    assert found.delay == pytest.approx(delay) and found.limit == pytest.approx(6.667, abs=1e-3)
    assert found.met == met and len(faults) == (not met)


def test_derived_under_another_name():
    """nextpnr tells one of the names of a net."""
    log = LOG.replace("for net serdes.serdes_reference", "for net phy.reference")
    names = {"phy.reference": {"phy.reference", "serdes.serdes_reference"}}
    assert report.constraint_faults(log, PREFERENCES, {"serdes.serdes_reference": 150e6},
                                    names) == []


def test_layers():
    statistics = json.dumps({"modules": {
        "\\t": {"num_cells_by_type": {"LUT4": 3, "t.a": 1}},
        "\\t.a": {"num_cells_by_type": {"LUT4": 40, "TRELLIS_FF": 7, "DP16KD": 2}}}})
    found = report.layers(statistics, {"a": "t.a", "top": "t"}, {
        "LUT4": "LUT4", "TRELLIS_FF": "FF", "DP16KD": "BRAM", "CCU2C": "carry"})
    assert [(one.name, one.cells["LUT4"]) for one in found] == [("a", 40), ("top", 3)]
    assert found[0].cells == {"LUT4": 40, "carry": 0, "FF": 7, "BRAM": 2}


CONFIGURED = """\
word: DCU.CH0_RTERM_TX 10011
word: DCU.D_SYNC_LOCAL_EN 1
"""


@pytest.mark.parametrize("parameters, words", [
    ({"CH0_RTERM_TX": "0d19", "D_SYNC_LOCAL_EN": "0b1"}, None),
    ({"CH0_RTERM_TX": "0d22"}, "10011"), ({"CH0_PROTOCOL": "0b1"}, "not in"),
    ({"CH0_RTERM_TX": "0x13"}, None)])
def test_serdes_parameters(parameters, words):
    faults = parameter_faults(CONFIGURED, parameters)
    assert len(faults) == bool(words) and all(words in fault for fault in faults)
