"""A recorder with a console for an Acorn CLE-215+ on LiteX's baseboard, with a SATA drive at its connector.

It writes what Vivado needs into a folder: the Verilog of the whole design, its pins and constraints, and a script. The
console is at the baseboard's serial port, 115200 baud; docs/console.md has its requests. Nothing here was run by Vivado
or on a board.

    python acorn_recorder.py --generation 1 acorn       # then, in that folder:
    vivado -mode batch -source acorn.tcl -tclargs acorn acorn.xdc
"""

from sata_recorder.core.phy.gtp import Gtp
from sata_recorder_platforms.series7 import ConsoleBoard

PART, OSCILLATOR_HZ = "xc7a200tfbg484-3", 200e6


def back_end(generation):
    """The board has no oscillator for the reference, so it is made of that of the card. The card and the baseboard swap
    P and N of pairs; the PHY finds out by itself which."""
    return Gtp(generation=generation, reference="pll", reference_hz=OSCILLATOR_HZ, part=PART)


#: Pins and configuration: from LiteX-Boards' platform sqrl_acorn.py (github.com/litex-hub/litex-boards, 2f06d08): the
#: card's oscillator and LEDs, which are on at 0, and of the baseboard the serial port and the SATA connector.
BOARD = ConsoleBoard(
    "acorn", PART, OSCILLATOR_HZ, {1: 100e6, 2: 100e6, 3: 150e6}, back_end, {
        "clk200_p": ("input", "J19", "DIFF_SSTL15"), "clk200_n": ("input", "H19", "DIFF_SSTL15"),
        "uart_tx": ("output", "G1", "LVCMOS33"), "uart_rx": ("input", "Y13", "LVCMOS18"),
        "led_link": ("output", "G3", "LVCMOS33"), "led_activity": ("output", "H3", "LVCMOS33"),
        "led_error": ("output", "G4", "LVCMOS33"), "led_transmitter": ("output", "H4", "LVCMOS33"),
        "sata_tx_p": ("output", "B6", None), "sata_tx_n": ("output", "A6", None),
        "sata_rx_p": ("input", "B10", None), "sata_rx_n": ("input", "A10", None),
    }, leds_inverted=True, device="""\
set_property CFGBVS VCCO [current_design]
set_property CONFIG_VOLTAGE 3.3 [current_design]
set_property BITSTREAM.GENERAL.COMPRESS TRUE [current_design]
""")


if __name__ == "__main__":
    BOARD.main(__doc__.partition("\n")[0])
