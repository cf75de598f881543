"""What travels through the channels of AXI4 (AMBA AXI, IHI 0022), as far as it is not constant."""

from amaranth.lib import data

__all__ = ["Burst", "ReadBeat", "WriteBeat"]

from ....interface.memory import MEMORY_ADDRESS_BITS


class Burst(data.Struct):
    """A burst of reads or writes: AW and AR."""

    #: Of its first byte.
    address: MEMORY_ADDRESS_BITS
    #: Beats, less one.
    length: 8


class WriteBeat(data.StructLayout):
    """A beat of ``width`` bits on W."""

    def __init__(self, width):
        super().__init__({"data": width, "strobes": width // 8, "last": 1})


class ReadBeat(data.StructLayout):
    """A beat of ``width`` bits on R; ``response`` is an error if bit 1 is set."""

    def __init__(self, width):
        super().__init__({"data": width, "response": 2, "last": 1})
