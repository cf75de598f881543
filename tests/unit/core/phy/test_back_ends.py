"""The options of the back ends: what is refused, with the value and the limit."""

import re

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Fragment, Module, Signal

from sata_recorder.core.phy import BACK_ENDS, BackEnd
from sata_recorder.core.phy.ecp5 import Ecp5, PadReference, PllReference
from sata_recorder.core.phy.ecp5.pads import LANES, REFERENCES
from unit.core.phy.test_ecp5_cells import LIBRARY


@pytest.mark.parametrize("name", BACK_ENDS)
def test_options_are_described(name):
    made = BACK_ENDS[name]()
    assert isinstance(made, BackEnd)
    for option, (default, meaning) in made.options().items():
        assert getattr(made, option) == default and meaning
    names = [pin.name for pin in made.pins()]
    assert len(names) == len(set(names)) and all(pin.meaning for pin in made.pins())
    assert {pin.direction for pin in made.pins()} == {"input", "output"}


def test_parse():
    made = Ecp5.parse({"dual": "1", "package": "CABGA554", "reference_hz": "25e6",
                       "rx_inverted": "true"})
    assert made == Ecp5(dual=1, package="CABGA554", reference_hz=25e6, rx_inverted=True)


@pytest.mark.parametrize("options, words", [
    ({"lane": "1"}, "no option lane; options: dual, channel"),
    ({"dual": "two"}, "dual is two, it must be an integer"),
    ({"dual": "2"}, "dual is 2, it must be 0 or 1"),
    ({"channel": "-1"}, "channel is -1, it must be 0 or 1"),
    ({"tx_inverted": "yes"}, "tx_inverted is yes, it must be true or false"),
    ({"reference": "crystal"}, "reference is crystal, it must be pll or pads"),
    ({"reference_hz": "fast"}, "reference_hz is fast, it must be a number"),
    ({"reference_hz": "0"}, "reference_hz is 0, it must be positive"),
    ({"reference_hz": "nan"}, "reference_hz is nan, it must be positive"),
    ({"reference_hz": "12e6"}, "reference_hz is 1.2e[+]07: no PLL makes 1.5e[+]08"),
    ({"reference": "pads", "reference_hz": "125e6"}, "reference_hz is 1.25e[+]08, .* 1.5e[+]08"),
    ({"package": "BG756"}, "package is BG756, pads are known of CABGA381, CABGA554"),
    ({"package": "CABGA554"}, "dual is 0 and channel 0: .* only those of dual 1 channel 0"),
    ({"package": "CABGA554", "dual": "1", "reference": "pads"}, "package is CABGA554: .*CABGA381"),
])
def test_refused(options, words):
    with pytest.raises(ValueError, match=words):
        Ecp5.parse(options)


@pytest.mark.parametrize("clock_hz", [37.5e6, 74.9e6])
def test_clock_that_is_too_slow(clock_hz):
    with pytest.raises(ValueError, match="clock_hz is .* at least 75e6"):
        Ecp5().check(clock_hz)
    Ecp5().check(75e6)


def test_pads():
    """No pad belongs to two lanes; the sites are those of the lane, in the order of the pins."""
    for package, lanes in LANES.items():
        pads = [pad for lane in (*lanes.values(), *REFERENCES.get(package, {}).values())
                for pad in lane]
        assert len(pads) == len(set(pads))
    made = Ecp5(dual=0, channel=1, package="CABGA381", reference="pads")
    assert made.sites() == {"sata_tx_p": "W8", "sata_tx_n": "W9", "sata_rx_p": "Y7",
                            "sata_rx_n": "Y8", "sata_refclk_p": "Y11", "sata_refclk_n": "Y12"}
    assert Ecp5().sites() == {}


def cells(component):
    """The cells of a component, by kind: links."""
    made = {}

    def cell(kind, **links):
        made[kind] = links
        return Module()

    Fragment.get(component(cell), None)
    return made


def test_reference_of_a_pll():
    """A PLL that makes nothing else, at 750 MHz, and a buffer on the way to the DCU."""
    made = cells(lambda cell: PllReference(100e6, cell=cell))
    assert set(made) == {"EHXPLLL", "DCCA"}
    pll = made["EHXPLLL"]
    assert {name for name in pll if re.match("o_CLK", name)} == {"o_CLKOP"}
    assert (pll["p_CLKI_DIV"], pll["p_CLKFB_DIV"], pll["p_CLKOP_DIV"]) == (2, 3, 5)


def test_reference_of_pads():
    pads = Signal(name="p"), Signal(name="n")
    made = cells(lambda cell: PadReference(*pads, cell=cell))
    cell = re.search(r"^module EXTREFB\(.*?^endmodule", LIBRARY.read_text(), re.M | re.S)[0]
    (links,) = made.values()
    assert {name[2:] for name in links if name[:2] == "p_"} == set(
        re.findall(r"parameter (\w+)", cell))
    assert {name[2:] for name in links if name[:2] in ("i_", "o_")} == set(
        re.findall(r"^ +(?:input|output) (\w+);", cell, re.M))


@pytest.mark.parametrize("observed", [True, False])
def test_status_may_be_left_out(observed):
    """Then there is nothing of it in the netlist, and the status reads 0."""
    made = Ecp5(observed=observed)
    component = made.phy(100e6, {pin.name: Signal(name=pin.name) for pin in made.pins()})
    assert component.status.state.init == 0
    text = rtlil.convert(component)
    assert ("observer" in text) == observed
