"""A SoC for the Acorn CLE-215+ that records a counter on a SATA drive, and checks it when it is played back.

It has LiteSATA's PHY for Artix-7, the recorder in place of LiteSATACore, and no processor: a PC drives its bus over
JTAG, with host.py beside this file. The SATA cable is at the PCIe connector, as in LiteX-Boards' target for this board.

    python acorn_recorder.py                # writes Verilog and constraints into build/sqrl_acorn
    python acorn_recorder.py --build        # needs Vivado
    python acorn_recorder.py --load
"""

from argparse import ArgumentParser

from litesata.phy import LiteSATAPHY
from litex.build.generic_platform import Pins, Subsignal
from litex.gen import LiteXModule
from litex.soc.cores.clock import S7PLL
from litex.soc.integration.builder import Builder
from litex.soc.integration.soc import SoCRegion
from litex.soc.integration.soc_core import SoCMini
from litex.soc.interconnect import stream
from litex.soc.interconnect.csr import CSR, CSRStatus
from litex_boards.platforms import sqrl_acorn
from migen import ClockDomain, If, Signal

from sata_recorder.export.litex import LiteXRecorder
from sata_recorder.interface.configuration import ConfigurationError

SATA_PADS = ("sata", 0, Subsignal("tx_p", Pins("B6")), Subsignal("tx_n", Pins("A6")),
             Subsignal("rx_p", Pins("B10")), Subsignal("rx_n", Pins("A10")))
#: A clock of the 16-bit words of LiteSATA's PHY, for each generation.
WORD_HZ = {"gen1": 75e6, "gen2": 150e6, "gen3": 300e6}


class Clocks(LiteXModule):
    def __init__(self, platform, sys_clk_freq):
        self.rst = Signal()
        self.cd_sys = ClockDomain()
        self.cd_sata_refclk = ClockDomain()
        self.pll = pll = S7PLL()
        self.comb += pll.reset.eq(self.rst)
        pll.register_clkin(platform.request("clk200"), 200e6)
        pll.create_clkout(self.cd_sys, sys_clk_freq)
        pll.create_clkout(self.cd_sata_refclk, 150e6)
        platform.add_false_path_constraints(self.cd_sys.clk, pll.clkin)


class Pattern(LiteXModule):
    """A word in every clock, 0, 1, 2 and so on; and a check that the same words come back."""

    def __init__(self):
        self.source = source = stream.Endpoint([("data", 32)])
        self.sink = sink = stream.Endpoint([("data", 32)])
        self._restart = CSR()           # writing it begins at word 0 again, in both directions
        self._checked = CSRStatus(32, description="Words that came back.")
        self._mismatches = CSRStatus(32, description="Those that are not what was sent.")
        expected, wrong = Signal(32), Signal(32)
        self.comb += [source.valid.eq(1), sink.ready.eq(1),
                      self._checked.status.eq(expected), self._mismatches.status.eq(wrong)]
        self.sync += [
            If(source.ready, source.data.eq(source.data + 1)),
            If(sink.valid, expected.eq(expected + 1), If(sink.data != expected, wrong.eq(wrong + 1))),
            If(self._restart.re, source.data.eq(0), expected.eq(0), wrong.eq(0))]


class AcornRecorder(SoCMini):
    def __init__(self, gen="gen2", sys_clk_freq=100e6, with_jtagbone=True, **options):
        platform = sqrl_acorn.Platform()
        platform.add_extension([SATA_PADS])
        self.crg = Clocks(platform, sys_clk_freq)
        SoCMini.__init__(self, platform, sys_clk_freq, ident="SATA recorder on Acorn CLE-215+")
        if with_jtagbone:
            self.add_jtagbone()

        # The reference is from the PLL: the GTP accepts that, and Vivado's check of it becomes a warning.
        platform.add_platform_command("set_property SEVERITY {{Warning}} [get_drc_checks REQP-49]")
        self.sata_phy = LiteSATAPHY(platform.device, platform.request("sata"), gen, sys_clk_freq,
                                    refclk=self.crg.cd_sata_refclk.clk)
        for domain in self.sata_phy.crg.cd_sata_tx, self.sata_phy.crg.cd_sata_rx:
            platform.add_period_constraint(domain.clk, 1e9 / WORD_HZ[gen])
            platform.add_false_path_constraints(self.crg.cd_sys.clk, domain.clk)

        # The recorder: its registers on the bus, its interrupt, its streams.
        self.recorder = LiteXRecorder(platform, self.sata_phy, sys_clk_freq, **options)
        self.bus.add_slave("recorder", self.recorder.bus, SoCRegion(
            origin=0x1000_0000, size=0x1000, cached=False))
        if self.irq.enabled:                    # with a processor
            self.irq.add("recorder")
        self.pattern = Pattern()
        self.comb += [self.pattern.source.connect(self.recorder.sink),
                      self.recorder.source.connect(self.pattern.sink)]


def main():
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--gen", default="gen2", choices=WORD_HZ, help="the generation of the link")
    parser.add_argument("--sys-clk-freq", default=100e6, type=float, metavar="HZ", help="of the bus and the recorder")
    parser.add_argument("--config", metavar="FILE|NAME", help="configuration of the recorder")
    parser.add_argument("--build", action="store_true", help="run Vivado")
    parser.add_argument("--load", action="store_true", help="load the bitstream over JTAG")
    asked = parser.parse_args()
    try:
        soc = AcornRecorder(asked.gen, asked.sys_clk_freq, config=asked.config)
    except ConfigurationError as error:
        parser.error(str(error))
    builder = Builder(soc, csr_csv="csr.csv")
    builder.build(run=asked.build)
    if asked.load:
        soc.platform.create_programmer().load_bitstream(builder.get_bitstream_filename(mode="sram"))


if __name__ == "__main__":
    main()
