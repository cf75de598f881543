"""A memory in block RAM, with nothing built round it."""

from amaranth.hdl import Signal
from amaranth.lib import memory

__all__ = ["BlockMemory"]


class BlockMemory(memory.Memory):
    """A memory in block RAM. What :meth:`late_port` reads of a word that is written in the same clock is undefined.

    A read port of Amaranth's in a clock domain gives the word of before. Block RAM with two ports does not, so Yosys
    builds registers and multiplexers round it for such a port: some hundred LUTs and flops. Where a word must be read
    as it was while it is written, use a plain memory: a tool that reads the exported Verilog takes the attributes of
    this one to be about all its ports.

    Parameters
    ----------
    shape, depth            As of Amaranth's :class:`~amaranth.lib.memory.Memory`.
    """

    def __init__(self, *, shape, depth):
        super().__init__(shape=shape, depth=depth, init=[], attrs={"ram_style": "block", "no_rw_check": 1})

    def read_port(self, **_):
        raise TypeError("a BlockMemory has late ports only: any other one would lose the word of before")

    def late_port(self, m, enable=1):
        """A read port in ``m``: its address, and its data a clock later, which stay while ``enable`` is low."""
        port = super().read_port(domain="comb")
        data = Signal(self.shape, reset_less=True)
        with m.If(enable):
            m.d.sync += data.eq(self.given(port))
        return port.addr, data

    def given(self, port):
        """What a late port gives of what its ``port`` reads. A check may let it be what block RAM gives at worst."""
        return port.data
