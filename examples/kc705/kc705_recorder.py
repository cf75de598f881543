"""A recorder with a console for a KC705, with a SATA drive at an adapter in its SFP cage.

It writes what Vivado needs into a folder: the Verilog of the whole design, its pins and constraints, and a script. The
console is at the board's USB UART, 115200 baud; docs/console.md has its requests. Nothing here was run by Vivado or
on a board.

    python kc705_recorder.py --generation 1 kc705       # then, in that folder:
    vivado -mode batch -source kc705.tcl -tclargs kc705 kc705.xdc
"""

from sata_recorder.core.phy.gtx import Gtx
from sata_recorder_platforms.series7 import ConsoleBoard

PART, OSCILLATOR_HZ = "xc7k325tffg900-2", 200e6


def back_end(generation):
    """No oscillator at the reference pads of the cage's Quad makes 3 GHz, so the reference is made of that of the
    fabric. Boards before revision 1.1 swap P and N of the cage's pairs; the PHY finds out by itself."""
    return Gtx(generation=generation, reference="pll", reference_hz=OSCILLATOR_HZ, part=PART)


#: Pins and configuration: from LiteX-Boards' platform and target xilinx_kc705.py (github.com/litex-hub/litex-boards,
#: version 2023.12 on PyPI): oscillator, UART, LEDs, and the SFP cage, for which that target has an adapter to SATA
#: (Trenz TE0424).
BOARD = ConsoleBoard(
    "kc705", PART, OSCILLATOR_HZ, {1: 100e6, 2: 100e6, 3: 150e6}, back_end, {
        "clk200_p": ("input", "AD12", "LVDS"), "clk200_n": ("input", "AD11", "LVDS"),
        "uart_tx": ("output", "K24", "LVCMOS25"), "uart_rx": ("input", "M19", "LVCMOS25"),
        "led_link": ("output", "AB8", "LVCMOS15"), "led_activity": ("output", "AA8", "LVCMOS15"),
        "led_error": ("output", "AC9", "LVCMOS15"), "led_transmitter": ("output", "AB9", "LVCMOS15"),
        "sata_tx_p": ("output", "H2", None), "sata_tx_n": ("output", "H1", None),
        "sata_rx_p": ("input", "G4", None), "sata_rx_n": ("input", "G3", None),
    }, leds_inverted=False, device="""\
set_property CFGBVS VCCO [current_design]
set_property CONFIG_VOLTAGE 2.5 [current_design]
set_property BITSTREAM.GENERAL.COMPRESS TRUE [current_design]
""")


if __name__ == "__main__":
    BOARD.main(__doc__.partition("\n")[0])
