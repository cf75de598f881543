"""The bus of a processor: one access at a time, which the other side ends; and what it reaches."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..facts.described_enum import DescribedEnum
from ..interface import ADDRESS_BITS, AXIL

#: Below the bits of an address that choose a region.
_REGION_BITS = 30


class AddressRegion(DescribedEnum):
    """What a processor reaches, by first address; a region has 1 GiB."""

    PROGRAM = 0x0000_0000, "program memory, where the processor begins after reset"
    REQUEST = 0x4000_0000, "the request of the recorder's user"
    CORE = 0x8000_0000, "the registers of the core"


class BusSignature(wiring.Signature):
    """A bus of 32 bits, seen from the processor."""

    def __init__(self):
        super().__init__({
            "valid": Out(1),        # The processor wants an access. All members stay until ``ready``.
            "address": Out(32),     # With ``valid``: byte address; bits 1:0 have no meaning.
            "strobes": Out(4),      # With ``valid``: the bytes that are written; 0 for a read.
            "write_data": Out(32),  # With ``valid`` and ``strobes``: what is written.
            "ready": In(1),         # With ``valid`` and a tick of the processor's clock: the access is over.
            "read_data": In(32),    # With ``ready``: what was read.
        })


def route(m, bus, regions):
    """Gives each access of ``bus``, a processor's, to the bus that ``regions`` has for the
    :class:`AddressRegion` of its address. An access to any other region never ends."""
    for place in regions.values():
        m.d.comb += [place.address.eq(bus.address), place.strobes.eq(bus.strobes),
                     place.write_data.eq(bus.write_data)]
    with m.Switch(bus.address[_REGION_BITS:]):
        for region, place in regions.items():
            with m.Case(region >> _REGION_BITS):
                m.d.comb += [place.valid.eq(bus.valid), bus.ready.eq(place.ready),
                             bus.read_data.eq(place.read_data)]


class AxiLiteManager(wiring.Component):
    """Turns each access of a processor into one AXI4-Lite access.

    The AXI side runs with each clock, the processor with the ticks of its own: an access begins one
    clock after the processor shows it, and ends with the first tick after its response. A response
    other than OKAY is not reported; the firmware knows its registers.
    """

    bus: In(BusSignature())
    tick: In(1)     # The processor's clock ticks.
    axil: Out(AXIL.signature)

    def elaborate(self, platform):
        m = Module()
        bus, axil = self.bus, self.axil
        writes = Signal()
        has_address = Signal()      # the write address is through
        has_data = Signal()         # the data are through
        m.d.comb += [
            writes.eq(bus.strobes.any()),
            axil.awaddr.eq(bus.address[:ADDRESS_BITS]),
            axil.araddr.eq(bus.address[:ADDRESS_BITS]),
            axil.wdata.eq(bus.write_data),
            axil.wstrb.eq(bus.strobes),
        ]
        with m.FSM():
            with m.State("IDLE"):
                m.d.sync += [has_address.eq(0), has_data.eq(0)]
                with m.If(bus.valid & writes):
                    m.next = "WRITE"
                with m.Elif(bus.valid):
                    m.next = "READ"
            with m.State("WRITE"):
                m.d.comb += [axil.awvalid.eq(~has_address), axil.wvalid.eq(~has_data),
                             axil.bready.eq(1)]
                with m.If(axil.awready):
                    m.d.sync += has_address.eq(1)
                with m.If(axil.wready):
                    m.d.sync += has_data.eq(1)
                with m.If(axil.bvalid):
                    m.next = "END"
            with m.State("READ"):
                m.d.comb += axil.arvalid.eq(1)
                with m.If(axil.arready):
                    m.next = "DATA"
            with m.State("DATA"):
                m.d.comb += axil.rready.eq(1)
                with m.If(axil.rvalid):
                    m.d.sync += bus.read_data.eq(axil.rdata)
                    m.next = "END"
            with m.State("END"):
                m.d.comb += bus.ready.eq(1)
                with m.If(self.tick):
                    m.next = "IDLE"
        return m
