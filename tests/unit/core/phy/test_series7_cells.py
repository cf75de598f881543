# amaranth: UnusedElaboratable=no
"""What the cells of the 7-series get: attributes, ports, dividers, clocks; and what the stand-in finds."""

import json
import re
from pathlib import Path

import pyosys
import pytest
from amaranth.back import rtlil
from amaranth.hdl import Const, Fragment

from sata_recorder.core.phy.gtp import Gtp
from sata_recorder.core.phy.gtx import Gtx
from sata_recorder.core.phy.gtx import attributes as gtx_attributes
from sata_recorder.core.phy.gtx.rates import cpll, oob_clock_hz
from sata_recorder.core.phy.series7 import TransceiverResetTimes
from sata_recorder.core.phy.gtp.attributes import CHANNEL, COMMON, SOURCES, channel_attributes, common_attributes
from sata_recorder.core.phy.gtp.rates import pll
from sata_recorder.core.phy.series7.rates import mmcm
from sata_recorder.export import yosys
from short import short
from unit.core.phy.series7_bench import BACK_ENDS, CELLS, Series7Bench, pads_of, phy_alone
from unit.core.phy.series7_cells import REQUIRED, links_of
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


def made(kind="gtp", **options):
    component = phy_alone(150e6, BACK_ENDS[kind](**options), TIMING)
    Fragment.get(component, None)
    return component.made[0]


@pytest.mark.parametrize("generation", [1, 2, 3])
@pytest.mark.parametrize("reference", [{}, {"reference": "pll", "reference_hz": 100e6}, {"reference_hz": 250e6}])
@pytest.mark.parametrize("back_end, kinds", [("gtp", ["GTPE2_CHANNEL", "GTPE2_COMMON"]), ("gtx", ["GTXE2_CHANNEL"])])
def test_every_attribute_is_written_out(back_end, kinds, generation, reference):
    """A name that the cell does not have, a width that is not its own, or one that is left out: none."""
    if (back_end, generation, reference.get("reference_hz")) == ("gtx", 1, 250e6):
        reference = {"reference_hz": 120e6}
    cells = made(back_end, generation=generation, **reference)
    for kind in kinds:
        known, told = parameters(kind), {name[2:]: value for name, value in links_of(cells, kind).items()
                                         if name[:2] == "p_"}
        assert told.keys() == known.keys() and len(known) >= 28
        for name, value in told.items():
            assert known[name] == (len(value) if isinstance(value, Const) else None), name


@pytest.mark.wide
def test_every_input_is_driven():
    """Of the channel all inputs, of the others all that they need; no port that a cell does not have, none of another
    width."""
    cells = [one for back_end in BACK_ENDS for generation in (1, 2, 3) for options in (
        {}, {"reference": "pll", "reference_hz": 200e6}) for one in made(back_end, generation=generation, **options)]
    direction = {"i_": "input", "o_": "output"}
    kinds = {kind for kind, _ in cells}
    assert kinds == {"GTPE2_CHANNEL", "GTPE2_COMMON", "GTXE2_CHANNEL", "MMCME2_BASE", "BUFG", "BUFGCE", "IBUFDS_GTE2"}
    for kind, links in cells:
        known = ports(kind)
        told = {(direction[name[:2]], name[2:]): len(value) if hasattr(value, "__len__") else 1
                for name, value in links.items() if name[:2] in direction}
        assert told.items() <= known.items(), kind
        missing = {name for way, name in known if way == "input" and (way, name) not in told}
        assert not missing, (kind, missing)
        assert {name[2:] for name in links if name[:2] == "p_"} <= parameters(kind).keys()


def test_attributes_have_sources():
    for table, sources in ((CHANNEL, SOURCES), (COMMON, SOURCES), (gtx_attributes.CHANNEL, gtx_attributes.SOURCES)):
        names = [one.name for one in table]
        assert len(names) == len(set(names))
        assert all(one.meaning and one.source in sources for one in table)


def test_library_defaults_are_those_of_the_library():
    """What is marked as the default of the library is that, value by value."""
    defaults = {kind: dict(re.findall(r"parameter (?:\[\d+:0\] |integer )?(\w+) = (.*?);", cell(kind)))
                for kind in ("GTPE2_CHANNEL", "GTPE2_COMMON", "GTXE2_CHANNEL")}
    for kind, table in (("GTPE2_CHANNEL", CHANNEL), ("GTPE2_COMMON", COMMON),
                        ("GTXE2_CHANNEL", gtx_attributes.CHANNEL)):
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


@pytest.mark.parametrize("hz, dividers", [
    (120e6, (5, 5, 1)), (150e6, (5, 4, 1)), (250e6, (3, 4, 1)), (600e6, (1, 5, 1)), (100e6, None), (125e6, None),
    (50e6, None), (750e6, None)])
def test_cpll(hz, dividers):
    if dividers is None:
        with pytest.raises(ValueError, match=f"reference_hz is {hz:g}".replace("+", "[+]")):
            cpll(hz)
        return
    assert cpll(hz) == dividers
    told = gtx_attributes.channel_attributes(3, hz, 1)
    assert hz * told["CPLL_FBDIV"] * told["CPLL_FBDIV_45"] / told["CPLL_REFCLK_DIV"] == 3e9


@pytest.mark.parametrize("generation, hz, clock_hz", [
    (1, 120e6, 60e6), (1, 150e6, 75e6), (1, 200e6, 100e6), (1, 250e6, None), (2, 150e6, 150e6), (2, 300e6, 150e6),
    (2, 600e6, None), (3, 300e6, 300e6), (3, 600e6, 300e6)])
def test_clock_of_the_oob_circuit(generation, hz, clock_hz):
    """At most the line rate / (3 x run length); else half the reference at CLKRSVD[0], and the circuit is told so."""
    if clock_hz is None:
        with pytest.raises(ValueError, match="takes half of it"):
            Gtx(generation=generation, reference_hz=hz)
        return
    assert oob_clock_hz(generation, hz) == clock_hz
    told = gtx_attributes.channel_attributes(generation, hz, 1)["PCS_RSVD_ATTR"].value
    assert told == (0x100 if clock_hz == hz else 0x108)
    cells = made("gtx", generation=generation, reference_hz=hz)
    assert ("o_ODIV2" in links_of(cells, "IBUFDS_GTE2")) == (clock_hz != hz)


@pytest.mark.parametrize("attributes", [channel_attributes, lambda *told: gtx_attributes.channel_attributes(*told, 1)])
@pytest.mark.parametrize("generation", [1, 2, 3])
def test_line_rate(generation, attributes):
    """3 GHz, both edges, divided."""
    told = attributes(generation, 150e6)
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


def flat(back_end, folder):
    """The flat netlist of the PHY alone."""
    (folder / "phy.il").write_text(rtlil.convert(back_end.phy(150e6, pads_of(back_end)), name="top", emit_src=False))
    (folder / "buffer.v").write_text("(* blackbox *) module BUFG(output O, input I); endmodule\n")
    yosys.run(["read_verilog -lib +/xilinx/cells_xtra.v", "read_verilog buffer.v", "read_rtlil phy.il",
               "hierarchy -check -top top", "proc", "flatten", "opt_clean", "write_json flat.json"], folder)
    return json.loads((folder / "flat.json").read_text())["modules"]["top"]


def test_clocks_lead_where_they_must(tmp_path):
    """In a flat netlist: TXUSRCLK and TXUSRCLK2 from one MMCM, that from TXOUTCLK; RXUSRCLK and RXUSRCLK2 the buffered
    RXOUTCLK, and the words' flops on every second pulse of it; the DRP on the core's clock."""
    module = flat(Gtp(observed=False), tmp_path)
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


def test_clocks_of_the_gtx_lead_where_they_must(tmp_path):
    """In a flat netlist: TXUSRCLK and TXUSRCLK2 are the buffered TXOUTCLK, RXUSRCLK and RXUSRCLK2 the buffered
    RXOUTCLK; at Gen1 half the reference, through a buffer, is the clock of the OOB circuit."""
    back_end = Gtx(generation=1, observed=False)
    module = flat(back_end, tmp_path)
    (channel,) = [one["connections"] for one in module["cells"].values() if one["type"] == "GTXE2_CHANNEL"]
    for way in "TX", "RX":
        assert channel[f"{way}USRCLK"] == channel[f"{way}USRCLK2"]
        kind, links, _ = driver(module, channel[f"{way}USRCLK"][0])
        assert kind == "BUFG" and driver(module, links["I"][0])[2] == f"{way}OUTCLK"
    kind, links, _ = driver(module, channel["CLKRSVD"][0])
    assert kind == "BUFG" and driver(module, links["I"][0])[::2] == ("IBUFDS_GTE2", "ODIV2")
    assert driver(module, channel["GTREFCLK0"][0])[::2] == ("IBUFDS_GTE2", "O")
    clocks = {one["connections"]["CLK"][0] for one in module["cells"].values() if "CLK" in one["connections"]
              and one["type"].startswith(("$dff", "$sdff", "$adff"))}
    assert clocks == {module["ports"]["clk"]["bits"][0], channel["TXUSRCLK2"][0], channel["RXUSRCLK"][0]}


def test_words_are_where_the_guide_has_them():
    """UG482, table 3-2: of each character TXDATA, then TXCHARDISPVAL, then TXCHARDISPMODE."""
    for back_end, characters in ("gtp", 4), ("gtx", 8):
        links = links_of(made(back_end), CELLS[back_end].channel)
        widths = [8 * characters, characters, characters]
        assert [len(links[f"i_{name}"]) for name in ("TXDATA", "TXCHARDISPVAL", "TXCHARDISPMODE")] == widths
        assert [len(links[f"o_{name}"]) for name in ("RXDATA", "RXCHARISK", "RXDISPERR")] == widths


class _Nothing:
    """The place of a line."""


def judged(change, kind="gtp", generation=3, reference_hz=150e6):
    """What the stand-in complains of where ``change(cell, links)`` plants a mistake."""
    cells = made(kind, generation=generation)
    for cell_kind, links in cells:
        change(cell_kind, links)
    return CELLS[kind](None, None, cells, generation, reference_hz, _Nothing()).complaints


@pytest.mark.sample(9)
@pytest.mark.parametrize("kind, name", [
    (kind, name) for kind in BACK_ENDS
    for name in [*REQUIRED, *CELLS[kind].required, "TXOUT_DIV", "RXOUT_DIV", "RX_CLK25_DIV"]]
    + [("gtx", name) for name in ("PCS_RSVD_ATTR", "SIM_CPLLREFCLK_SEL", "CPLL_FBDIV")])
def test_a_wrong_attribute_is_noticed(kind, name):
    def change(cell_kind, links):
        if cell_kind == CELLS[kind].channel:
            links[f"p_{name}"] = {"RX_CLK25_DIV": 9, "SIM_CPLLREFCLK_SEL": 2}.get(name, 16)
    assert judged(lambda cell_kind, links: None, kind) == []
    words = {"SIM_CPLLREFCLK_SEL": "another reference", "CPLL_FBDIV": "the CPLL runs at 9.6 GHz"}.get(name, name)
    assert any(words in text or "Gb/s" in text for text in judged(change, kind))


@pytest.mark.sample(5)
@pytest.mark.parametrize("kind, name", [
    *((kind, name) for kind in BACK_ENDS
      for name in ("RX8B10BEN", "TXPD", "RXDLYBYPASS", "RXOUTCLKSEL", "TXINHIBIT")),
    ("gtx", "CPLLLOCKEN"), ("gtx", "RXLPMEN"), ("gtx", "CPLLREFCLKSEL"), ("gtx", "GTREFCLK0")])
def test_a_wrong_input_is_noticed(kind, name):
    def change(cell_kind, links):
        if cell_kind == CELLS[kind].channel:
            links[f"i_{name}"] = Const(3, 3)
    words = "the PLL has no reference" if name in ("CPLLREFCLKSEL", "GTREFCLK0") else name
    assert any(words in text for text in judged(change, kind))


@pytest.mark.parametrize("kind", BACK_ENDS)
def test_a_wrong_reference_is_noticed(kind):
    assert judged(lambda cell_kind, links: None, kind, reference_hz=100e6)


#: What is planted between the gateware and a cell, and what is noticed of it, by back end.
PLANTED = {
    ("gtp", "GTRXRESET"): (Const(0), "no link"),
    ("gtp", "TXUSERRDY"): (Const(1), "TXUSERRDY before the clocks are stable"),
    ("gtp", "RXCDRHOLD"): (Const(0), "the clock recovery is released while the receiver is in reset"),
    ("gtp", "RST"): (Const(0), "the MMCM is not in reset while its clock is away"),
    ("gtp", "GTTXRESET"): (Const(1), "a reset within 500 ns of the configuration"),
    ("gtp", "DRPADDR"): (Const(0x12, 9), "an access to register 012h"),
    ("gtp", "DRPWE"): (Const(0), "the receiver's reset ends with RX_DATA_WIDTH as it was"),
    ("gtp", "TXELECIDLE"): (Const(0), "an OOB signal is requested while words go out"),
    ("gtp", "TXCOMINIT"): (Const(0), "no COMRESET"),
    ("gtp", "CE"): (Const(1), "no link"),
    ("gtx", "GTRXRESET"): (Const(0), "no link"),
    ("gtx", "TXUSERRDY"): (Const(1), "TXUSERRDY before the clocks are stable"),
    ("gtx", "RXCDRHOLD"): (Const(0), "the clock recovery is released while the receiver is in reset"),
    ("gtx", "CPLLPD"): (Const(0), "the PLL has power before its reference is known to run"),
    ("gtx", "CPLLRESET"): (Const(0), "the PLL gets power while it is not in reset"),
    ("gtx", "GTTXRESET"): (Const(1), "a reset within 500 ns of the configuration"),
    ("gtx", "TXELECIDLE"): (Const(0), "an OOB signal is requested while words go out"),
    ("gtx", "TXCOMINIT"): (Const(0), "no COMRESET"),
}


@pytest.mark.wide
@pytest.mark.parametrize("kind, name", short([*PLANTED], [("gtp", "RXCDRHOLD"), ("gtp", "CE"), ("gtx", "CPLLPD")]))
def test_a_wrong_connection_is_noticed(kind, name):
    value, words = PLANTED[kind, name]

    def planted(cell_kind, links):
        if f"i_{name}" in links and not (cell_kind == "MMCME2_BASE" and "o_CLKOUT1" not in links):
            links[f"i_{name}"] = value

    bench = Series7Bench(phy(generations=(1, 3)), kind=kind, planted=planted)
    bench.run(120e-6)
    if words == "no link":
        assert not bench.up
    elif words == "no COMRESET":
        assert bench.comresets == []
    else:
        assert any(words in text for text in bench.cells.complaints), bench.story()


def test_refused():
    with pytest.raises(ValueError, match="reset"):
        TransceiverResetTimes(reset=0)
