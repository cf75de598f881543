"""The low bits of the sums of all accounts."""

from amaranth.hdl import Module, Mux
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from .accounts import Account

__all__ = ["LOW_BITS", "AccountCounters"]

#: Bits of a sum that are counted clock by clock.
LOW_BITS = 6


class AccountCounters(wiring.Component):
    """Counts the clocks of each account, modulo 64, in a small memory.

    Members
    -------
    book : In(1)            this clock belongs to ``account``
    account : In(Account)
    clear : In(1)           the counter of ``slot`` becomes 0; none counts meanwhile
    slot : In(4)            an account
    low : Out(6)            its counter, in the same clock
    """

    book: In(1)
    account: In(Account)
    clear: In(1)
    slot: In(4)
    low: Out(LOW_BITS)

    def elaborate(self, platform):
        m = Module()
        # In which kind of memory is the tool's choice: not each device has LUTs that can be one.
        m.submodules.memory = counters = memory.Memory(shape=LOW_BITS, depth=16, init=[])
        write = counters.write_port()
        counted = counters.read_port(domain="comb")
        scanned = counters.read_port(domain="comb")
        m.d.comb += [
            counted.addr.eq(self.account),
            scanned.addr.eq(self.slot),
            self.low.eq(scanned.data),
            write.en.eq(self.book | self.clear),
            write.addr.eq(Mux(self.clear, self.slot, self.account)),
            write.data.eq(Mux(self.clear, 0, counted.data + 1)),
        ]
        return m
