# amaranth: UnusedElaboratable=no
"""What the cells of the ECP5 get: parameters, ports, dividers."""

import re
from pathlib import Path

import pyosys
import pytest
from amaranth.hdl import Fragment, Module

from sata_recorder.core.phy.ecp5 import Pll, ResetTimes
from sata_recorder.core.phy.ecp5.parameters import PARAMETERS, SOURCES, dcu_parameters
from sata_recorder.core.phy.ecp5.pll import plan
from unit.core.phy.dcua import number
from unit.core.phy.ecp5_bench import SerdesBench

LIBRARY = Path(pyosys.__file__).parent / "share" / "ecp5" / "cells_bb.v"


def test_parameters_exist_in_the_cell():
    """A name that the cell does not have would be dropped without a word; of those that it has only texts, which have
    no bits in the bitstream, are left to the tools."""
    cell = re.search(r"^module DCUA\(.*?^endmodule", LIBRARY.read_text(), re.M | re.S)[0]
    known = set(re.findall(r"parameter (\w+)", cell))
    for channel in 0, 1:
        own = {name for name in known if name.startswith(("D_", f"CH{channel}_"))}
        texts = {name for name in own if name.endswith(("PROTOCOL", "_MAX_RATE", "TXAMPLITUDE", "TXDEPRE", "TXDEPOST"))}
        assert set(dcu_parameters(channel)) == own - texts and len(texts) == 6


def test_ports_exist_in_the_cell():
    cell = re.search(r"^module DCUA\(.*?^endmodule", LIBRARY.read_text(), re.M | re.S)[0]
    known = set(re.findall(r"^ +(input|output) (\w+);", cell, re.M))
    flow = {"i_": "input", "o_": "output"}

    async def script(bench):
        pass

    links = {}
    SerdesBench(script, planted=lambda found, bench: links.update(found) or {}, channel=1)
    ports = {(flow[name[:2]], name[2:]) for name in links if name[:2] in flow}
    assert ports <= known and len(ports) >= 100


def test_parameters_are_well_formed():
    names = [one.name for one in PARAMETERS]
    assert len(names) == len(set(names))
    for one in PARAMETERS:
        assert one.name.startswith(("D_", "CH_")) and one.meaning and one.source in SOURCES
        assert number(one.value) >= 0


@pytest.mark.parametrize("hz, outputs, dividers", [
    (100e6, [150e6, 100e6], (2, 3, [4, 6])), (100e6, [150e6, 75e6], (2, 3, [5, 10])),
    (12e6, [150e6], None), (25e6, [150e6, 100e6], (1, 6, [4, 6])),
])
def test_pll(hz, outputs, dividers):
    if dividers is None:
        with pytest.raises(ValueError, match="1.2e.07"):
            plan(hz, outputs)
    else:
        assert plan(hz, outputs) == dividers


def test_pll_cell():
    links = {}

    def cell(kind, **given):
        links.update(given, kind=kind)
        return Module()

    Fragment.get(Pll(100e6, [150e6, 100e6], cell=cell), None)
    cell = re.search(r"^module EHXPLLL\(.*?^endmodule", LIBRARY.read_text(), re.M | re.S)[0]
    assert links["kind"] == "EHXPLLL"
    assert {name[2:] for name in links if name[:2] == "p_"} <= set(
        re.findall(r"parameter (\w+)", cell))
    assert {name[2:] for name in links if name[:2] in ("i_", "o_")} <= set(
        re.findall(r"^ +(?:input|output) (\w+);", cell, re.M))


def test_refused():
    with pytest.raises(ValueError, match="reset"):
        ResetTimes(reset=0)
