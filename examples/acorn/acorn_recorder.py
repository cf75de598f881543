# amaranth: UnusedElaboratable=no
"""A recorder with a console for an Acorn CLE-215+ on LiteX's baseboard, with a SATA drive at its connector.

It writes what Vivado needs into a folder: the Verilog of the whole design, its pins and constraints, and a script. The
console is at the baseboard's serial port, 115200 baud; docs/console.md has its requests. Nothing here was run by Vivado
or on a board.

    python acorn_recorder.py --generation 1 acorn       # then, in that folder:
    vivado -mode batch -source acorn.tcl -tclargs acorn acorn.xdc
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
from sata_recorder.core.phy.gtp import Gtp
from sata_recorder.core.phy.series7 import Mmcm, clock_constraints, script
from sata_recorder.export import yosys
from sata_recorder_platforms.console_recorder import ConsoleRecorder

NAME, PART = "acorn", "xc7a200tfbg484-3"
OSCILLATOR_HZ = 200e6
#: The clock of the core: the dword rate of the generation, or what is above it and easily made.
CORE_HZ = {1: 100e6, 2: 100e6, 3: 150e6}
#: Name of a port to direction, package pin and I/O standard; of pads of the GTP none. From LiteX-Boards' platform
#: sqrl_acorn.py (github.com/litex-hub/litex-boards, 2f06d08): the card's oscillator and LEDs, which are on at 0, and of
#: the baseboard the serial port and the SATA connector.
PINS = {
    "clk200_p": ("input", "J19", "DIFF_SSTL15"), "clk200_n": ("input", "H19", "DIFF_SSTL15"),
    "uart_tx": ("output", "G1", "LVCMOS33"), "uart_rx": ("input", "Y13", "LVCMOS18"),
    "led_link": ("output", "G3", "LVCMOS33"), "led_activity": ("output", "H3", "LVCMOS33"),
    "led_error": ("output", "G4", "LVCMOS33"), "led_transmitter": ("output", "H4", "LVCMOS33"),
    "sata_tx_p": ("output", "B6", None), "sata_tx_n": ("output", "A6", None),
    "sata_rx_p": ("input", "B10", None), "sata_rx_n": ("input", "A10", None),
}
#: Of the card's configuration, from the same file.
_DEVICE = """\
set_property CFGBVS VCCO [current_design]
set_property CONFIG_VOLTAGE 3.3 [current_design]
set_property BITSTREAM.GENERAL.COMPRESS TRUE [current_design]
"""


def back_end(generation):
    """The board has no oscillator for the reference, so it is made of that of the card. The card and the baseboard swap
    P and N of pairs; the PHY finds out by itself which."""
    return Gtp(generation=generation, reference="pll", reference_hz=OSCILLATOR_HZ, part=PART)


class Acorn(Elaboratable):
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
            self._port("led_link").eq(~recorder.link),
            self._port("led_activity").eq(~recorder.activity),
            self._port("led_error").eq(~recorder.error),
            self._port("led_transmitter").eq(~phy.transmitting),
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
    design = Acorn(generation)
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
