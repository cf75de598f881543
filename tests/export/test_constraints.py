"""The constraints of the crossings between the clocks, run by Tcl with stand-ins for the commands of the tools."""

import itertools

import pytest

from sata_recorder.export import INSTANCE, crossing_constraints, description
from sata_recorder.interface.configuration import Configuration

#: Nanoseconds of the clock at each pin.
PERIODS = {"clk": 13.333, "s_axis_aclk": 10.0, "m_axis_aclk": 16.276}
CONFIGURATIONS = [Configuration(source_clock=True), Configuration(playback_clock=True),
                  Configuration(source_clock=True, playback_clock=True)]
#: A clock is named like its pin; each call is kept.
TOOL = """
set calls {{}}
proc get_pins {{pin}} {{ return $pin }}
proc get_clocks {{args}} {{ return [lindex [split [lindex $args end] /] end] }}
proc get_property {{name clock}} {{ array set periods {{{periods}}}; return $periods($clock) }}
foreach name {{set_max_delay set_min_delay}} {{ proc $name {{args}} "lappend ::calls \\[concat $name \\$args\\]" }}
"""


def calls(text, before=""):
    tcl = pytest.importorskip("tkinter").Tcl()
    tcl.eval(TOOL.format(periods=" ".join(f"{name} {period}" for name, period in PERIODS.items())))
    tcl.eval(before + text)
    return [tcl.splitlist(call) for call in tcl.splitlist(tcl.eval("set calls"))]


def crossings(configuration):
    """Both ways between the core's clock and each other one: (from, to): the shorter period."""
    names = [port["name"] for port in description(configuration)["ports"] if port["name"] in PERIODS]
    assert names[0] == "clk" and set(names[1:]) == set(configuration.stream_clocks.values())
    return {pair: min(PERIODS[name] for name in pair) for other in names[1:]
            for pair in itertools.permutations(("clk", other))}


@pytest.mark.parametrize("configuration", CONFIGURATIONS, ids=["source", "playback", "both"])
def test_xdc(configuration):
    found = calls(crossing_constraints(INSTANCE, configuration, "xdc"))
    assert all(call[:3] == ("set_max_delay", "-datapath_only", "-from") and call[4] == "-to" for call in found)
    assert {(call[3], call[5]): float(call[6]) for call in found} == crossings(configuration)
    assert len(found) == len(crossings(configuration))


@pytest.mark.parametrize("configuration", CONFIGURATIONS, ids=["source", "playback", "both"])
def test_sdc(configuration):
    """SDC's user states clocks and periods first, as the head of the file asks him to."""
    clocks = {"core": "clk"} | configuration.stream_clocks
    before = "".join(f"set {INSTANCE}_{name}_clock {pin}; set {INSTANCE}_{name}_period {PERIODS[pin]}\n"
                     for name, pin in clocks.items())
    text = crossing_constraints(INSTANCE, configuration, "sdc")
    assert all(f"#   set {INSTANCE}_{name}_clock" in text for name in clocks)
    found = calls(text, before)
    for command, sign in ("set_max_delay", 1), ("set_min_delay", -1):
        assert {(call[2], call[4]): sign * float(call[5]) for call in found if call[0] == command} == \
            crossings(configuration)
