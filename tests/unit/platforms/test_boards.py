"""The boards, elaborated: pins, clocks and what is refused."""

import re

import pytest

from sata_recorder import Configuration
from sata_recorder.export import yosys
from sata_recorder_platforms.boards import BOARDS
from short import short

pytest.importorskip("amaranth_boards", reason="the extra `build` is not installed")

from sata_recorder_platforms.build import NAME, PARTS, board_of, prepare  # noqa: E402

CONFIGURATION = Configuration(clock_hz=100e6)
#: Board: pins of the transmitter, of the receiver, place of the DCU (boards' schematics).
PINS = {"ecpix5-85f": ("AD16 AD17", "AF15 AF16", "DCU1", "CH0"),
        "ecpix5-45f": ("AD16 AD17", "AF15 AF16", "DCU1", "CH0"),
        "versa-5g": ("W8 W9", "Y7 Y8", "DCU0", "CH1")}


@pytest.fixture(scope="module", params=list(BOARDS))
def prepared(request):
    return request.param, *prepare(board_of(request.param, {}), CONFIGURATION)


@pytest.mark.wide
@pytest.mark.sample(3)
def test_pins(prepared):
    name, platform, top, files = prepared
    sites = dict(re.findall(r'LOCATE COMP "(\S+)" SITE "(\w+)"', files[f"{NAME}.lpf"]))
    tx, rx, dual, channel = PINS[name]
    assert [sites[f"sata_0__tx__{leg}"] for leg in "pn"] == tx.split()
    assert [sites[f"sata_0__rx__{leg}"] for leg in "pn"] == rx.split()
    assert platform.device.startswith("LFE5UM5G-")
    cell = re.search(r"^ *attribute \\CHAN.*?cell \\DCUA.*?^ *end$", files[f"{NAME}.il"],
                     re.M | re.S)
    text = files[f"{NAME}.il"]
    assert f'attribute \\LOC "{dual}"' in text and f'attribute \\CHAN "{channel}"' in text
    assert cell is not None and f"\\{channel}_HDINP" in text
    other = "CH1" if channel == "CH0" else "CH0"
    assert f"\\{other}_HDINP" not in text, "the other channel is left alone"


@pytest.mark.wide
def test_handles(monkeypatch):
    """Options of the PHY take the place of the board's: one of the cell, one of its select lines, one of the PHY."""
    board = board_of("ecpix5-85f", {"los_level": "5", "select_dual": "true", "dwell_us": "40"})
    assert (board.phy.channel, board.phy.dual, board.phy.dwell_us) == (0, 1, 40)
    text = prepare(board, CONFIGURATION)[2][f"{NAME}.il"]
    usual = prepare(board_of("ecpix5-85f", {}), CONFIGURATION)[2][f"{NAME}.il"]
    level = r"parameter \\CH0_RX_LOS_LVL \"0b(\d+)\""
    assert re.search(level, text)[1] == "101" and re.search(level, usual)[1] == "010"
    dwell = r"wire width (\d+) \\dwell_left"
    assert (int(re.search(dwell, usual)[1]), int(re.search(dwell, text)[1])) == (11, 12), "of 2000 and 4000 clocks"
    line = r"connect \\D_SCIENAUX (.*)"
    assert re.search(line, usual)[1] == "1'0" != re.search(line, text)[1]


@pytest.mark.sample(3)
def test_clocks_are_constrained(prepared):
    _, _, top, files = prepared
    asked = {name: float(hz) for name, hz in re.findall(
        r'FREQUENCY NET "(\S+)" ([\d.]+) HZ', files[f"{NAME}.lpf"])}
    assert asked == top.clocks
    assert asked["phy.serdes.serdes_rx_clk"] == asked["phy.serdes.serdes_tx_clk"] == 150e6
    # A net without `keep` may lose its name, and its constraint with it.
    for net in [*asked, *top.derived]:
        wire = net.rpartition(".")[2]
        assert re.search(rf"attribute \\keep 1(?:\n *attribute.*)*\n *wire width 1 \\{wire}\n",
                         files[f"{NAME}.il"]), net


@pytest.mark.wide
def test_parts_are_in_the_hierarchy(prepared):
    modules = set(re.findall(r"^module \\(\S+)$", prepared[3][f"{NAME}.il"], re.M))
    assert modules.issuperset(PARTS.values())


@pytest.mark.parametrize("clock_hz, baud, words", [
    (50e6, 115200, "75e6"), (81e6, 115200, "no PLL"), (100e6, 0, "baud is 0"),
    (100e6, 20_000_000, "12500000")])
def test_refused(clock_hz, baud, words):
    with pytest.raises(ValueError, match=words):
        prepare(board_of("ecpix5-85f", {}), Configuration(clock_hz=clock_hz), baud=baud)


@pytest.mark.wide
@pytest.mark.parametrize("end", short(["coarse", "map_gates"], ["coarse"]))
def test_synthesis(tmp_path, end):
    """The whole top level is synthesised, for one board: no cell that the device does not have,
    both serial cells, a PLL for the core and one for the reference, no latch and no loop."""
    _, _, files = prepare(board_of("ecpix5-85f", {}), Configuration(clock_hz=100e6, buffer_words=128))
    (tmp_path / f"{NAME}.il").write_text(files[f"{NAME}.il"])
    log = yosys.run([f"read_rtlil {NAME}.il", f"synth_ecp5 -top {NAME} -run begin:{end}",
                     "check -assert", "stat"], tmp_path)
    for cell, count in ("DCUA", 1), ("DCCA", 1), ("EHXPLLL", 2):
        assert re.search(rf"^ +{count} +(?:\S+ +)?{cell}$", log, re.M), cell
    assert "Latch inferred" not in log


def test_a_board_that_would_drop_words_is_refused():
    with pytest.raises(ValueError, match="on_overflow = drop"):
        prepare(board_of("ecpix5-85f", {}), Configuration(clock_hz=100e6, on_overflow="drop"), baud=115200)


@pytest.mark.parametrize("options, words", [
    ({"source_clock": True}, "source_clock = true: the boards of the console recorder have no other clock"),
    ({"playback_width": 8}, "playback_width and playback_clock: the console"),
    ({"playback_clock": True}, "playback_width and playback_clock: the console")])
def test_a_board_with_streams_of_its_own_is_refused(options, words):
    """The words of its console come from a pattern in the core's clock."""
    with pytest.raises(ValueError, match=words):
        prepare(board_of("ecpix5-85f", {}), Configuration(clock_hz=100e6, **options), baud=115200)


@pytest.mark.wide
def test_a_board_takes_a_pattern_of_another_width():
    """In the core's clock: the stage of the source is in its netlist, and no crossing."""
    _, _, files = prepare(board_of("ecpix5-85f", {}), Configuration(clock_hz=100e6, source_width=64), baud=115200)
    modules = re.findall(r"^module \\(\S+)$", files[f"{NAME}.il"], re.M)
    assert any(one.endswith(".splitter") for one in modules)
    assert not any("source" in one and "crossing" in one for one in modules)


@pytest.mark.parametrize("field", ["journal", "ledger"])
def test_a_board_without_what_its_console_prints_is_refused(field):
    with pytest.raises(ValueError, match=f"{field} = false: .* prints the {field}"):
        prepare(board_of("ecpix5-85f", {}), Configuration(clock_hz=100e6, **{field: False}), baud=115200)
