# amaranth: UnusedElaboratable=no
"""What the cells of the 7-series get: attributes, ports, dividers, clocks; and what the stand-in finds."""

import json
import re
from pathlib import Path

import pyosys
import pytest
from amaranth.back import rtlil
from amaranth.hdl import Const, Fragment

from sata_recorder.core.phy.gtp import Gtp, GtpResetTimes
from sata_recorder.core.phy.gtp.attributes import CHANNEL, COMMON, SOURCES, channel_attributes, common_attributes
from sata_recorder.core.phy.gtp.rates import mmcm, pll
from sata_recorder.export import yosys
from unit.core.phy.gtp_bench import GtpBench, gtp_phy, pads_of
from unit.core.phy.gtp_cells import REQUIRED, GtpCells, links_of
from unit.core.phy.line_bench import TIMING, phy

FOLDER = Path(pyosys.__file__).parent / "share" / "xilinx"
LIBRARY = "".join((FOLDER / name).read_text() for name in ("cells_xtra.v", "cells_sim.v"))


def cell(kind):
    """The text of a cell in Yosys' library."""
    return re.search(rf"^module {kind}\b.*?^endmodule", LIBRARY, re.M | re.S)[0]


def parameters(kind):
    """Name of each parameter, to its width; None without one."""
    return {name: int(width) + 1 if width else None for width, name in re.findall(
        r"parameter (?:\[(\d+):0\] |integer |real )?(\w+)", cell(kind))}


def ports(kind):
    """(direction, name): bits."""
    return {(direction, name): int(width or 0) + 1 for direction, width, name in re.findall(
        r"(input|output) (?:\[(\d+):0\] )?(\w+)", cell(kind))}


def made(**options):
    component = gtp_phy(150e6, Gtp(**options), TIMING)
    Fragment.get(component, None)
    return component.made[0]


@pytest.mark.sample(2)
@pytest.mark.parametrize("generation", [1, 2, 3])
@pytest.mark.parametrize("reference", [{}, {"reference": "pll", "reference_hz": 100e6}, {"reference_hz": 250e6}])
def test_every_attribute_is_written_out(generation, reference):
    """A name that the cell does not have, a width that is not its own, or one that is left out: none."""
    cells = made(generation=generation, **reference)
    for kind in "GTPE2_CHANNEL", "GTPE2_COMMON":
        known, told = parameters(kind), {name[2:]: value for name, value in links_of(cells, kind).items()
                                         if name[:2] == "p_"}
        assert told.keys() == known.keys() and len(known) >= 28
        for name, value in told.items():
            assert known[name] == (len(value) if isinstance(value, Const) else None), name


def test_every_input_is_driven():
    """Of the channel all inputs, of the others all that they need; no port that a cell does not have, none of another
    width."""
    cells = made() + made(reference="pll", reference_hz=200e6)
    direction = {"i_": "input", "o_": "output"}
    kinds = {kind for kind, _ in cells}
    assert kinds == {"GTPE2_CHANNEL", "GTPE2_COMMON", "MMCME2_BASE", "BUFG", "BUFGCE", "IBUFDS_GTE2"}
    for kind, links in cells:
        known = ports(kind)
        told = {(direction[name[:2]], name[2:]): len(value) if hasattr(value, "__len__") else 1
                for name, value in links.items() if name[:2] in direction}
        assert told.items() <= known.items(), kind
        missing = {name for way, name in known if way == "input" and (way, name) not in told}
        assert not missing, (kind, missing)
        assert {name[2:] for name in links if name[:2] == "p_"} <= parameters(kind).keys()


def test_attributes_have_sources():
    for table in CHANNEL, COMMON:
        names = [one.name for one in table]
        assert len(names) == len(set(names))
        assert all(one.meaning and one.source in SOURCES for one in table)


def test_library_defaults_are_those_of_the_library():
    """What is marked as the default of the library is that, value by value."""
    defaults = {kind: dict(re.findall(r"parameter (?:\[\d+:0\] |integer )?(\w+) = (.*?);", cell(kind)))
                for kind in ("GTPE2_CHANNEL", "GTPE2_COMMON")}
    for kind, table in ("GTPE2_CHANNEL", CHANNEL), ("GTPE2_COMMON", COMMON):
        for one in table:
            if one.source == "library":
                assert defaults[kind][one.name] == one.value, one.name


@pytest.mark.parametrize("hz, dividers", [
    (150e6, (5, 4, 1)), (200e6, (3, 5, 1)), (250e6, (3, 4, 1)), (300e6, (2, 5, 1)), (600e6, (1, 5, 1)),
    (100e6, None), (125e6, None), (50e6, None)])
def test_pll(hz, dividers):
    if dividers is None:
        with pytest.raises(ValueError, match=f"reference_hz is {hz:g}".replace("+", "[+]")):
            pll(hz)
        return
    assert pll(hz) == dividers
    told = common_attributes(hz, 1)
    assert hz * told["PLL0_FBDIV"] * told["PLL0_FBDIV_45"] / told["PLL0_REFCLK_DIV"] == 3e9


@pytest.mark.parametrize("generation", [1, 2, 3])
def test_line_rate(generation):
    """3 GHz, both edges, divided."""
    told = channel_attributes(generation, 150e6)
    assert 2 * 3e9 / told["TXOUT_DIV"] == 2 * 3e9 / told["RXOUT_DIV"] == 1.5e9 * (1 << generation - 1)


@pytest.mark.parametrize("hz, outputs", [(300e6, [300e6, 150e6]), (150e6, [150e6, 75e6]), (75e6, [75e6, 37.5e6]),
                                         (200e6, [150e6]), (100e6, [150e6]), (13e6, [150e6])])
def test_mmcm(hz, outputs):
    """Exactly, within the limits that all speed grades have; 13 MHz makes no 150."""
    if hz == 13e6:
        with pytest.raises(ValueError, match="no MMCM makes 1.5e[+]08 Hz of 1.3e[+]07"):
            mmcm(hz, outputs)
        return
    multiplier, divider, dividers = mmcm(hz, outputs)
    vco = hz * multiplier / divider
    assert 600e6 <= vco <= 1200e6 and [vco / one for one in dividers] == outputs


def driver(module, bit):
    """(kind, links, port) of the cell that drives a bit of a flat netlist."""
    for one in module["cells"].values():
        for name, bits in one["connections"].items():
            if bit in bits and one["port_directions"][name] == "output":
                return one["type"], one["connections"], name
    return None


def test_clocks_lead_where_they_must(tmp_path):
    """In a flat netlist: TXUSRCLK and TXUSRCLK2 from one MMCM, that from TXOUTCLK; RXUSRCLK and RXUSRCLK2 the buffered
    RXOUTCLK, and the words' flops on every second pulse of it; the DRP on the core's clock."""
    back_end = Gtp(observed=False)
    (tmp_path / "phy.il").write_text(rtlil.convert(back_end.phy(150e6, pads_of(back_end)), name="top", emit_src=False))
    (tmp_path / "buffer.v").write_text("(* blackbox *) module BUFG(output O, input I); endmodule\n")
    yosys.run(["read_verilog -lib +/xilinx/cells_xtra.v", "read_verilog buffer.v", "read_rtlil phy.il",
               "hierarchy -check -top top", "proc", "flatten", "opt_clean", "write_json flat.json"], tmp_path)
    module = json.loads((tmp_path / "flat.json").read_text())["modules"]["top"]
    (channel,) = [one["connections"] for one in module["cells"].values() if one["type"] == "GTPE2_CHANNEL"]
    clk = module["ports"]["clk"]["bits"]
    assert channel["DRPCLK"] == clk
    for name, output in ("TXUSRCLK", "CLKOUT0"), ("TXUSRCLK2", "CLKOUT1"):
        kind, links, _ = driver(module, channel[name][0])
        assert kind == "BUFG"
        kind, links, port = driver(module, links["I"][0])
        assert (kind, port) == ("MMCME2_BASE", output)
        kind, links, _ = driver(module, links["CLKIN1"][0])
        assert kind == "BUFG" and driver(module, links["I"][0])[2] == "TXOUTCLK"
    assert channel["RXUSRCLK"] == channel["RXUSRCLK2"]
    kind, links, _ = driver(module, channel["RXUSRCLK"][0])
    assert kind == "BUFG" and driver(module, links["I"][0])[2] == "RXOUTCLK"
    (second,) = [one["connections"] for one in module["cells"].values() if one["type"] == "BUFGCE"]
    assert driver(module, second["I"][0])[2] == "RXOUTCLK"
    clocks = {one["connections"]["CLK"][0] for one in module["cells"].values() if "CLK" in one["connections"]
              and one["type"].startswith(("$dff", "$sdff", "$adff"))}
    assert clocks == {clk[0], channel["TXUSRCLK2"][0], channel["RXUSRCLK"][0], second["O"][0]}


def test_words_are_where_the_guide_has_them():
    """UG482, table 3-2: of each character TXDATA, then TXCHARDISPVAL, then TXCHARDISPMODE."""
    links = links_of(made(), "GTPE2_CHANNEL")
    assert [len(links[f"i_{name}"]) for name in ("TXDATA", "TXCHARDISPVAL", "TXCHARDISPMODE")] == [32, 4, 4]
    assert [len(links[f"o_{name}"]) for name in ("RXDATA", "RXCHARISK", "RXDISPERR")] == [32, 4, 4]


class _Nothing:
    """The place of a line."""


def judged(change, generation=3, reference_hz=150e6):
    """What the stand-in complains of where ``change(kind, links)`` plants a mistake."""
    cells = made(generation=generation)
    for kind, links in cells:
        change(kind, links)
    return GtpCells(None, None, cells, generation, reference_hz, _Nothing()).complaints


@pytest.mark.sample(11)
@pytest.mark.parametrize("name", [*REQUIRED, "TXOUT_DIV", "RXOUT_DIV", "RX_CLK25_DIV"])
def test_a_wrong_attribute_is_noticed(name):
    def change(kind, links):
        if kind == "GTPE2_CHANNEL":
            links[f"p_{name}"] = {"RX_CLK25_DIV": 9}.get(name, 16)
    assert judged(lambda kind, links: None) == []
    assert any(name in text or "Gb/s" in text for text in judged(change))


@pytest.mark.parametrize("name", ["RX8B10BEN", "TXPD", "RXDLYBYPASS", "RXOUTCLKSEL", "TXINHIBIT"])
def test_a_wrong_input_is_noticed(name):
    def change(kind, links):
        if kind == "GTPE2_CHANNEL":
            links[f"i_{name}"] = Const(3, 3)
    assert any(name in text for text in judged(change))


def test_a_wrong_reference_is_noticed():
    assert judged(lambda kind, links: None, reference_hz=100e6)


#: What is planted between the gateware and a cell, and what is noticed of it.
PLANTED = {
    "GTRXRESET": ("i_GTRXRESET", Const(0), "no link"),
    "TXUSERRDY": ("i_TXUSERRDY", Const(1), "TXUSERRDY before the clocks are stable"),
    "RXCDRHOLD": ("i_RXCDRHOLD", Const(0), "the clock recovery is released while the receiver is in reset"),
    "RST": ("i_RST", Const(0), "the MMCM is not in reset while its clock is away"),
    "GTTXRESET": ("i_GTTXRESET", Const(1), "a reset within 500 ns of the configuration"),
    "DRPADDR": ("i_DRPADDR", Const(0x12, 9), "an access to register 012h"),
    "DRPWE": ("i_DRPWE", Const(0), "the receiver's reset ends with RX_DATA_WIDTH as it was"),
    "TXELECIDLE": ("i_TXELECIDLE", Const(0), "an OOB signal is requested while words go out"),
    "TXCOMINIT": ("i_TXCOMINIT", Const(0), "no COMRESET"),
    "CE": ("i_CE", Const(1), "no link"),
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name in ("RXCDRHOLD", "CE") else pytest.mark.long)
                                  for name in PLANTED])
def test_a_wrong_connection_is_noticed(name):
    link, value, words = PLANTED[name]

    def planted(kind, links):
        if link in links and not (kind == "MMCME2_BASE" and "o_CLKOUT1" not in links):
            links[link] = value

    bench = GtpBench(phy(generations=(1, 3)), planted=planted)
    bench.run(120e-6)
    if words == "no link":
        assert not bench.up
    elif words == "no COMRESET":
        assert bench.comresets == []
    else:
        assert any(words in text for text in bench.cells.complaints), bench.story()


def test_refused():
    with pytest.raises(ValueError, match="reset"):
        GtpResetTimes(reset=0)
