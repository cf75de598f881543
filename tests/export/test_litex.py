"""The LiteX module: the SoC of the example with LiteSATA's PHY and the drive model, in Icarus; what is refused."""

import importlib.util
import json
import re
import runpy
import subprocess
import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace

import pytest

from sata_recorder import extras
from sata_recorder.export import yosys
from sata_recorder.interface.configuration import ConfigurationError

pytestmark = pytest.mark.wide

EXAMPLES = Path(__file__).resolve().parents[2] / "examples/litex"

if missing := extras.missing("litex"):
    pytest.skip(missing, allow_module_level=True)


SIMULATED = runpy.run_path(str(EXAMPLES / "simulated.py"))


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    """The folder of a build of the SoC."""
    return tmp_path_factory.mktemp("litex")


@pytest.fixture(scope="module")
def runner(build):
    return SIMULATED["built"](build)


@pytest.mark.parametrize("case", ["record_and_play", pytest.param("a_drive_comes_and_goes", marks=pytest.mark.long)])
def test_on_the_phy_of_litesata(runner, build, case):
    assert SIMULATED["results_of"](runner, build, "export.litex_bench", case) == (1, 0)


class Parts:
    """A platform, and a PHY of LiteSATA for Kintex-7."""

    def __init__(self, folder):
        from litesata.phy import LiteSATAPHY
        from litex.gen import LiteXModule
        from migen import ClockDomain, Record, Signal
        self.platform = SimpleNamespace(output_dir=folder, name="board", sources=[])
        self.platform.add_source = lambda path: self.platform.sources.append((path, "verilog", "work"))
        self.top = LiteXModule()
        for name in "sys", "adc":
            setattr(self.top.clock_domains, f"cd_{name}", ClockDomain(name))
        pads = Record([(pad, 1) for pad in ("tx_p", "tx_n", "rx_p", "rx_n")])
        self.top.phy = self.phy = LiteSATAPHY("xc7k325t-ffg900-2", pads, "gen3", 156.25e6, refclk=Signal())

    def add(self, name, clk_freq=156.25e6, **options):
        from sata_recorder.export.litex import LiteXRecorder
        recorder = LiteXRecorder(self.platform, self.phy, clk_freq, **options)
        setattr(self.top.submodules, name, recorder)
        return recorder

    def verilog(self):
        from litex.build.xilinx.common import xilinx_s7_special_overrides, xilinx_special_overrides
        from litex.gen.fhdl.verilog import convert
        clocks = {self.top.cd_sys.clk, self.top.cd_sys.rst, self.top.cd_adc.clk, self.top.cd_adc.rst}
        return str(convert(self.top, name="top", ios=clocks,
                           special_overrides=xilinx_special_overrides | xilinx_s7_special_overrides))


@pytest.fixture
def parts(tmp_path):
    return Parts(tmp_path)


@pytest.mark.wide
def test_every_port_has_its_place(parts, tmp_path):
    """A memory, pins that are no registers, a stream in another domain; at Gen3 on Kintex-7."""
    recorder = parts.add("recorder", config="modes", memory="16MiB", memory_width=128, sink_domain="adc",
                         source_width=64, pacing="programmable")
    assert {"source_trigger", "source_pps", "command_limit"} < set(recorder.pins)
    assert len(recorder.sink.data) == 64 and recorder.memory.data_width == 128
    text = parts.verilog()
    assert "GTXE2_CHANNEL" in text
    instance = text.partition("sata_recorder sata_recorder(")[2].partition(");")[0]
    found = dict(line.strip(" ,").split(None, 1) for line in instance.splitlines() if line.strip().startswith("."))
    assert set(found) == {f".{port['name']}" for port in recorder.description["ports"]}
    assert found[".s_axis_aclk"] == "(adc_clk)" and found[".phy_generation"] == "(2'd3)"
    assert 'clock_hz":156250000.0' in (tmp_path / "gateware/sata_recorder.v").read_text()


def test_two_recorders(tmp_path):
    """All of a SoC are the same module."""
    first, second, third = (Parts(tmp_path).add("recorder", config="minimal", buffer_words=words)
                            for words in (128, 128, 256))
    second.platform = third.platform = first.platform
    first.do_finalize()
    second.do_finalize()
    with pytest.raises(ConfigurationError, match="all recorders of a SoC have one configuration"):
        third.do_finalize()


@pytest.mark.quick
def test_all_bytes_of_a_last_word_count(parts):
    assert parts.add("recorder", config="files").pins["s_axis_tkeep"].reset.value == 0xF


@pytest.mark.quick
@pytest.mark.parametrize("options, words", [
    ({"clk_freq": 150e6}, "clk_freq = 150000000.0: it must be at least 150075000"),
    ({"bufer_words": 1024}, "bufer_words = 1024: there is no such key; did you mean buffer_words?"),
    ({"clock_hz": 1e6}, "clock_hz = 1000000.0: it is not free: it is clk_freq"),
    ({"source_clock": True}, "source_clock = True: it is not free: sink_domain sets it"),
    ({"buffer_words": 3}, "buffer_words = 3: must be a whole number, 128 to 32768"),
    ({"drives": 2}, "drives = 2: must be 1: phy is that of one drive"), ({"config": "none"}, "none: cannot be read")])
def test_refused(parts, options, words):
    with pytest.raises(ConfigurationError) as error:
        parts.add("recorder", **options)
    assert str(error.value).startswith(words)


@pytest.mark.long
def test_interrupt_of_a_processor(tmp_path):
    pytest.importorskip("pythondata_cpu_vexriscv", reason="tools/setup firmware installs pythondata-cpu-vexriscv")
    from litesata.phy import LiteSATAPHY
    from litex.soc.integration.soc import SoCRegion
    from litex.soc.integration.soc_core import SoCCore
    from litex_boards.platforms import sqrl_acorn

    from sata_recorder.export.litex import LiteXRecorder
    example = runpy.run_path(str(EXAMPLES / "acorn_recorder.py"))

    class ProcessorSoc(SoCCore):
        def __init__(self):
            platform = sqrl_acorn.Platform()
            platform.output_dir = tmp_path
            platform.add_extension([example["SATA_PADS"]])
            self.crg = example["Clocks"](platform, 100e6)
            SoCCore.__init__(self, platform, 100e6, cpu_type="vexriscv", uart_name="stub", integrated_rom_size=0x8000,
                             integrated_rom_init=[0], integrated_main_ram_size=0x1000)
            self.phy = LiteSATAPHY(platform.device, platform.request("sata"), "gen2", 100e6,
                                   refclk=self.crg.cd_sata_refclk.clk)
            self.recorder = LiteXRecorder(platform, self.phy, 100e6)
            self.bus.add_slave("recorder", self.recorder.bus, SoCRegion(size=0x1000, cached=False))
            self.irq.add("recorder")

    soc = ProcessorSoc()
    soc.finalize()
    number = soc.irq.locs["recorder"]
    assert soc.bus.regions["recorder"].origin >= 0x8000_0000        # where this processor does not cache
    made = soc.platform.get_verilog(soc, name="top")
    cause, to = (made.ns.get_name(signal) for signal in (soc.recorder.ev.irq, soc.cpu.interrupt))
    assert f"{to}[{number}] <= {cause};" in str(made)


@pytest.mark.long
def test_soc_of_the_page(tmp_path):
    """docs/litex.md, "A complete SoC", as a user copies it."""
    page = (EXAMPLES.parents[1] / "docs/litex.md").read_text()
    block = re.search(r"(?:^(?: {4}.*)?\n)+", page[page.index("    from litesata.phy"):], re.MULTILINE)
    (tmp_path / "my_soc.py").write_text(textwrap.dedent(block[0]))
    subprocess.run([sys.executable, "my_soc.py"], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    build = tmp_path / "build/sqrl_acorn"
    assert {"sqrl_acorn.v", "sqrl_acorn.xdc", "sqrl_acorn.tcl", "sata_recorder.v", "sata_recorder.json",
            "sata_recorder.h"} <= {path.name for path in (build / "gateware").iterdir()}
    assert json.loads((build / "csr.json").read_text())["memories"]["recorder"]["base"] == 0x1000_0000


def test_nobody_else_needs_it():
    assert importlib.util.find_spec("litex")
    program = ("import sys, sata_recorder.export, sata_recorder.cli.verilog\n"
               "assert not {'litex', 'migen'} & set(sys.modules)")
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.long
def test_synth_xilinx_maps_it(runner, build):
    """Yosys knows each cell and each port, and finds no problem; it prints the count of cells with -s."""
    log = yosys.run(["read_verilog sqrl_acorn.v sata_recorder.v", "read_verilog -lib +/xilinx/cells_xtra.v",
                     "synth_xilinx -family xc7 -top sqrl_acorn -flatten", "hierarchy -check", "check -assert", "stat"],
                    build / "gateware")
    print(log.rpartition("Printing statistics")[2])
    assert re.search(r"\b1   GTPE2_CHANNEL\n", log)
