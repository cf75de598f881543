"""The port of the registers: AXI4-Lite with 32 bits of data (AMBA AXI, IHI 0022, AXI4-Lite), and its interrupt."""

from .base import ADDRESS_BITS
from .group import Group, PortRow, input_row, output_row

__all__ = ["AXIL"]


def _input(name: str, width: int, meaning: str) -> PortRow:
    return input_row(f"s_axil_{name}", width, meaning)


def _output(name: str, width: int, meaning: str) -> PortRow:
    return output_row(f"s_axil_{name}", width, meaning)


AXIL = Group("axil", (
    _input("awaddr", ADDRESS_BITS, "write address in bytes; bits 1:0 are ignored"),
    _input("awprot", 3, "ignored"),
    _input("awvalid", 1, "s_axil_awaddr is valid"),
    _output("awready", 1, "the bank takes s_axil_awaddr in this clock"),
    _input("wdata", 32, "data to write"),
    _input("wstrb", 4, "which bytes of s_axil_wdata are written"),
    _input("wvalid", 1, "s_axil_wdata and s_axil_wstrb are valid"),
    _output("wready", 1, "the bank takes s_axil_wdata in this clock"),
    _output("bresp", 2, "response to a write: OKAY, or SLVERR where nothing can be written"),
    _output("bvalid", 1, "s_axil_bresp is valid"),
    _input("bready", 1, "the manager takes s_axil_bresp in this clock"),
    _input("araddr", ADDRESS_BITS, "read address in bytes; bits 1:0 are ignored"),
    _input("arprot", 3, "ignored"),
    _input("arvalid", 1, "s_axil_araddr is valid"),
    _output("arready", 1, "the bank takes s_axil_araddr in this clock"),
    _output("rdata", 32, "data read"),
    _output("rresp", 2, "response to a read: OKAY, or SLVERR where there is no register"),
    _output("rvalid", 1, "s_axil_rdata and s_axil_rresp are valid"),
    _input("rready", 1, "the manager takes s_axil_rdata in this clock"),
    output_row("irq", 1, "interrupt, a level: an operation has ended, and its interrupt is enabled"),
), exists=lambda configuration: configuration.control == "axi-lite", prefix="s_axil_")
