"""Stand-ins in Verilog for the cells of the ECP5 that an exported PHY has.

Ports and parameters are those of the cells that Yosys knows (`cells_bb.v`), so an instance with a
name that does not exist is refused by every tool. `declarations` are empty; `stand_ins` behave.
"""

import re
from pathlib import Path

import pyosys

__all__ = ["declarations", "stand_ins"]

_LIBRARY = Path(pyosys.__file__).parent / "share" / "ecp5" / "cells_bb.v"
CELLS = ("DCUA", "DCCA", "EHXPLLL", "EXTREFB")

#: Raw words of a channel. The bench drives `rx_word`, `rx_signal` and `rx_follows` at each edge of
#: `word_clk`, and takes `tx_word` and `tx_silent`. The PLL locks after 150 words; the transmitter
#: is silent for 427 ns after electrical idle; register 0x18 holds the clock recovery; a recovery
#: that is neither held nor follows has no lock. Resets that end too early leave no clock.
_DCU = """
  wire word_clk = D_REFCLKI;
  reg [19:0] rx_word = 0;
  reg rx_signal = 0, rx_follows = 0;

  wire off = D_FFC_MACRO_RST | D_FFC_DUAL_RST | D_FFC_TRST;
  reg [7:0] pll = 0;
  always @(posedge word_clk or posedge off)
    if (off) pll <= 0; else if (pll != 150) pll <= pll + 1;
  wire locked = pll == 150 && D_SYNC_LOCAL_EN == "0b1";
  assign D_FFS_PLOL = !locked;
  reg running = 0;
  always @(negedge word_clk) running <= locked;
  assign CH{c}_FF_TX_PCLK = word_clk & running;

  reg [6:0] muted = 0;
  reg [19:0] tx_word = 0;
  wire tx_silent = !running | CH{c}_FFC_LANE_TX_RST | CH{c}_FFC_EI_EN | muted != 0;
  always @(posedge CH{c}_FF_TXI_CLK) begin
    muted <= CH{c}_FFC_EI_EN ? 64 : muted != 0 ? muted - 1 : 0;
    tx_word <= {{{tx}}};
  end

  reg [7:0] recovery = 8'h05;
  wire selected = CH{c}_SCIEN & CH{c}_SCISEL;
  wire [5:0] address = {{D_SCIADDR5, D_SCIADDR4, D_SCIADDR3, D_SCIADDR2, D_SCIADDR1, D_SCIADDR0}};
  wire [7:0] data = {{D_SCIWDATA7, D_SCIWDATA6, D_SCIWDATA5, D_SCIWDATA4,
                     D_SCIWDATA3, D_SCIWDATA2, D_SCIWDATA1, D_SCIWDATA0}};
  reg wrong_access = 0;
  always @(posedge D_SCIWSTN) if (selected) begin
    if (address == 6'h18) recovery <= data;
    if (address != 6'h18 || ((data ^ recovery) & ~8'h40)) wrong_access <= 1;
  end
  wire [7:0] read = selected && D_SCIRD && address == 6'h18 ? recovery : 0;
  assign {{D_SCIRDATA7, D_SCIRDATA6, D_SCIRDATA5, D_SCIRDATA4,
          D_SCIRDATA3, D_SCIRDATA2, D_SCIRDATA1, D_SCIRDATA0}} = read;

  wire held = recovery[6];
  reg [6:0] lasted = 0;
  always @(posedge word_clk or posedge CH{c}_FFC_RRST)
    if (CH{c}_FFC_RRST) lasted <= 0;
    else if (!held & !rx_follows) lasted <= 0;
    else if (lasted != 75) lasted <= lasted + 1;
  assign CH{c}_FFS_RLOL = !(running && lasted == 75);
  assign CH{c}_FFS_RLOS = !rx_signal;
  assign CH{c}_FF_RX_PCLK = word_clk & running;
  reg [23:0] rx = 0;
  always @(negedge CH{c}_FF_RXI_CLK) rx <= {{2'b0, rx_word[19:10], 2'b0, rx_word[9:0]}};
  assign {{{rx}}} = rx;
"""
_BODIES = {
    "DCCA": "  assign CLKO = CLKI & CE;\n",
    "EXTREFB": "  assign REFCLKO = REFCLKP;\n",
    "EHXPLLL": """
  realtime latest = 0, period = 0;
  integer edges = 0;
  reg out = 0;
  always @(posedge CLKI) begin
    period = $realtime - latest;
    latest = $realtime;
    edges = edges + 1;
  end
  initial forever
    if (edges < 20) @(posedge CLKI); else #(period * CLKI_DIV / CLKFB_DIV / 2) out = !out;
  assign CLKOP = out;
  assign LOCK = edges > 40;
""",
}


def _module(kind):
    """The head of a cell: its ports and parameters, with `0b` texts and numbers alike."""
    text = re.search(rf"^module {kind}\(.*?^endmodule", _LIBRARY.read_text(), re.M | re.S)[0]
    return re.sub(r"\(\*.*?\*\)", "", text).removesuffix("endmodule")


def declarations():
    """The cells without a body, for linters; what their own text does wrong is not looked at."""
    return ("/* verilator lint_off UNDRIVEN */\n/* verilator lint_off UNUSED */\n"
            "/* verilator lint_off DECLFILENAME */\n/* verilator lint_off MULTITOP */\n"
            + "".join(f"{_module(kind)}endmodule\n" for kind in CELLS))


def stand_ins(channel):
    """The cells with what of them a simulation needs, the DCU with one channel."""
    lines = [*range(10), *range(12, 22)]
    tx = ", ".join(f"CH{channel}_FF_TX_D_{line}" for line in reversed(lines))
    rx = ", ".join(f"CH{channel}_FF_RX_D_{line}" for line in reversed(range(24)))
    bodies = {"DCUA": _DCU.format(c=channel, tx=tx, rx=rx), **_BODIES}
    return "`timescale 1ps/1ps\n" + "".join(
        f"{_module(kind)}{bodies[kind]}endmodule\n" for kind in CELLS)
