# amaranth: UnusedElaboratable=no
"""A recorder with a console for a KC705, with a SATA drive at an adapter in its SFP cage.

It writes what Vivado needs into a folder: the Verilog of the whole design, its pins and constraints, and a script. The
console is at the board's USB UART, 115200 baud; docs/console.md has its requests. Nothing here was run by Vivado or
on a board.

    python kc705_recorder.py --generation 1 kc705       # then, in that folder:
    vivado -mode batch -source kc705.tcl -tclargs kc705 kc705.xdc
"""

import sys
from argparse import ArgumentParser
from pathlib import Path

from amaranth.back import rtlil
from amaranth.hdl import ClockDomain, ClockSignal, Elaboratable, Instance, IOPort, Module, Signal
from amaranth.hdl._ir import PortDirection
from amaranth.lib.cdc import ResetSynchronizer
from amaranth.lib.wiring import connect

from sata_recorder import Configuration
from sata_recorder.core.phy.gtx import Gtx
from sata_recorder.core.phy.series7 import Mmcm, clock_constraints, script
from sata_recorder.export import yosys
from sata_recorder_platforms.console_recorder import ConsoleRecorder

NAME, PART = "kc705", "xc7k325tffg900-2"
OSCILLATOR_HZ = 200e6
#: The clock of the core: the dword rate of the generation, or what is above it and easily made.
CORE_HZ = {1: 100e6, 2: 100e6, 3: 150e6}
#: Name of a port to direction, package pin and I/O standard; of pads of the GTX none. From LiteX-Boards' platform and
#: target xilinx_kc705.py (github.com/litex-hub/litex-boards, version 2023.12 on PyPI): oscillator, UART, LEDs, and the
#: SFP cage, for which that target has an adapter to SATA (Trenz TE0424).
PINS = {
    "clk200_p": ("input", "AD12", "LVDS"), "clk200_n": ("input", "AD11", "LVDS"),
    "uart_tx": ("output", "K24", "LVCMOS25"), "uart_rx": ("input", "M19", "LVCMOS25"),
    "led_link": ("output", "AB8", "LVCMOS15"), "led_activity": ("output", "AA8", "LVCMOS15"),
    "led_error": ("output", "AC9", "LVCMOS15"), "led_transmitter": ("output", "AB9", "LVCMOS15"),
    "sata_tx_p": ("output", "H2", None), "sata_tx_n": ("output", "H1", None),
    "sata_rx_p": ("input", "G4", None), "sata_rx_n": ("input", "G3", None),
}
#: Of the board's configuration, from the same file.
_DEVICE = """\
set_property CFGBVS VCCO [current_design]
set_property CONFIG_VOLTAGE 2.5 [current_design]
set_property BITSTREAM.GENERAL.COMPRESS TRUE [current_design]
"""


def back_end(generation):
    """No oscillator at the reference pads of the cage's Quad makes 3 GHz, so the reference is made of that of the
    fabric."""
    return Gtx(generation=generation, reference="pll", reference_hz=OSCILLATOR_HZ, part=PART)


class Kc705(Elaboratable):
    """Everything that goes into the device. ``ports``: name to (value, direction), for RTLIL."""

    def __init__(self, generation):
        self._back_end = back_end(generation)
        self._core_hz = CORE_HZ[generation]
        self.ports = {name: ((IOPort if name.startswith("sata_") else Signal)(1, name=name), PortDirection(direction))
                      for name, (direction, _, _) in PINS.items()}

    def _port(self, name):
        return self.ports[name][0]

    def elaborate(self, platform):
        m = Module()
        single, oscillator = Signal(), Signal()
        m.submodules.oscillator = Instance(
            "IBUFDS", i_I=self._port("clk200_p"), i_IB=self._port("clk200_n"), o_O=single)
        m.submodules.oscillator_buffer = Instance("BUFG", i_I=single, o_O=oscillator)
        m.submodules.core_clocking = clocking = Mmcm(OSCILLATOR_HZ, [self._core_hz])
        m.domains.sync = ClockDomain()
        m.d.comb += [clocking.input.eq(oscillator), ClockSignal().eq(clocking.outputs[0])]
        m.submodules.reset = ResetSynchronizer(~clocking.locked)

        pads = {pin.name: self._port(pin.name) for pin in self._back_end.pins()}
        m.submodules.phy = phy = self._back_end.phy(self._core_hz, pads)
        m.submodules.console_recorder = recorder = ConsoleRecorder(
            Configuration(clock_hz=self._core_hz, histograms=True), phy_status=True)
        connect(m, recorder.phy, phy.port)
        connect(m, recorder.phy_status, phy.status)
        m.d.comb += [
            phy.reference_clk.eq(oscillator),
            recorder.uart_rx.eq(self._port("uart_rx")),
            self._port("uart_tx").eq(recorder.uart_tx),
            self._port("led_link").eq(recorder.link),
            self._port("led_activity").eq(recorder.activity),
            self._port("led_error").eq(recorder.error),
            self._port("led_transmitter").eq(phy.transmitting),
        ]
        return m


def pins():
    """The XDC file of the pins and of the oscillator."""
    lines = [f"create_clock -name clk200 -period {1e9 / OSCILLATOR_HZ:.3f} [get_ports clk200_p]"]
    for name, (_, pin, standard) in PINS.items():
        lines.append(f"set_property PACKAGE_PIN {pin} [get_ports {name}]")
        if standard:
            lines.append(f"set_property IOSTANDARD {standard} [get_ports {name}]")
    return "\n".join(lines) + "\n" + _DEVICE


def write(folder, generation):
    """Writes all files into ``folder``, and returns their names."""
    design = Kc705(generation)
    (folder / f"{NAME}.il").write_text(rtlil.convert(design, name=NAME, ports=design.ports, emit_src=False))
    yosys.run([f"read_rtlil {NAME}.il", "proc", "opt_clean", f"write_verilog -noattr {NAME}.v"], folder)
    (folder / f"{NAME}.il").unlink()
    files = {f"{NAME}.xdc": pins(),
             f"{NAME}_phy.xdc": clock_constraints(back_end(generation), "sata", "phy", "core_clocking/buffer_0/O"),
             f"{NAME}.tcl": script(PART, f"{NAME}.v", f"{NAME}_phy.xdc")}
    for name, text in files.items():
        (folder / name).write_text(text)
    return [f"{NAME}.v", *files]


def main():
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="it must not exist yet")
    parser.add_argument("--generation", type=int, choices=CORE_HZ, default=2, help="the generation of the link")
    asked = parser.parse_args()
    try:
        asked.folder.mkdir(parents=True)
    except OSError as error:
        sys.exit(f"{asked.folder}: cannot be made: {error.strerror}")
    for name in write(asked.folder, asked.generation):
        print(f"wrote {asked.folder / name}")


if __name__ == "__main__":
    main()
