"""Signals have names, for whoever looks at waves or at a netlist.

Amaranth takes them from the assignment. It does not see into `a, b = Signal(), Signal()`.
"""

import re

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from sata_recorder.interface.configuration import Configuration
from sata_recorder.core import SataRecorder
from sata_recorder.bricks.stack import stack
from sata_recorder.core.phy import Phy
from sata_recorder_platforms.console_recorder import ConsoleRecorder

OPTIONS = {"on_failure": "skip", "on_overflow": "drop", "pacing": "programmable",
           "extents": "queued"}
ABOVE = {"control": "axi-lite", "extents": "modes", "files": True, "frames": True, "commands": True,
         "power_fail": True, "look_sectors": 8, "trim_ahead": True, "on_failure": "skip",
         "long_logical_sectors": True}
LEFT_OUT = {"recovery": False, "journal": False, "ledger": False}


class Nameless(wiring.Component):
    i: In(1)
    o: Out(1)

    def elaborate(self, platform):
        m = Module()
        first, second = Signal(), Signal()
        m.d.sync += [first.eq(self.i), second.eq(first), self.o.eq(second)]
        return m


def nameless(component):
    """The lines of the sources that made a signal without a name."""
    text = rtlil.convert(component)
    return re.findall(r'attribute \\src "([^"]*)"\n(?:\s+attribute [^\n]*\n)*'
                      r'\s+wire [^\n]*\\\$signal', text)


class Indexed(wiring.Component):
    o: Out(2)

    def elaborate(self, platform):
        m = Module()
        pair = Signal(data.ArrayLayout(1, 2))
        m.d.comb += self.o.eq(pair[0] + pair[1])
        return m


def indexed(component):
    """Names of wires that end with an index: Yosys takes such a wire for a bit of another one, where it maps tables
    (`read_aiger`, wide ports), and stops."""
    return re.findall(r"^ *wire [^\n]*?(\\\S*\[\d+\]\S*)$", rtlil.convert(component), re.MULTILINE)


def test_what_is_looked_for():
    assert nameless(Nameless())
    assert indexed(Indexed())


# The one with registers has all that stands above the core inside.
@pytest.mark.sample(10)
@pytest.mark.parametrize("make", [
    lambda: SataRecorder(Configuration(**OPTIONS)), lambda: SataRecorder(Configuration(**LEFT_OUT)),
    lambda: SataRecorder(Configuration(memory=1 << 20)), lambda: Phy(75e6), lambda: stack(Configuration(**ABOVE)),
    lambda: ConsoleRecorder(Configuration(clock_hz=75e6))],
    ids=["core with options", "core without options", "core with a memory", "PHY",
         "all above the core", "console recorder"])
def test_names(make):
    assert not nameless(make())
    assert not indexed(make())
