"""What a recording leaves over of the clusters of its slot."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...facts.units import SECTOR_SHIFT

__all__ = ["ClusterSplit"]

_BITS, _CLUSTER_BITS = 48, 32
_BYTES_SHIFT = SECTOR_SHIFT + 2     # a sector has 1 << 9 bytes


class ClusterSplit(wiring.Component):
    """Keeps a size and a first cluster: of a recording, then of what it leaves over of its slot.

    Bit by bit, the lowest one first: each bit leaves ``size`` at the bottom and comes back at the top.
    Latency: 65 clocks from ``start`` to ``done``.

    Members
    -------
    load : In(1)            One clock: a recording of ``bytes`` begins at ``first_cluster``.
    bytes : In(48), first_cluster : In(32)
    start : In(1)           One clock: ``size`` is compared with the slot; the next three stay until ``done``.
    replaces : In(1)        Then ``size`` and ``cluster`` become those of what is left over; else they stay.
    sectors : In(48)        Those of the slot; less than 1 << 39.
    cluster_shift : In(5)   A cluster has 1 << ``cluster_shift`` sectors, at most 1 << 16.
    done : Out(1)           One clock: it is over.
    beyond : Out(1)         With ``done``: the recording has more bytes than the slot.
    size : Out(48)          Bytes; of what is left over, all of its clusters.
    some : Out(1)           After ``done`` of one that ``replaces``: ``size`` is not 0.
    cluster : Out(32)       The first cluster.
    """

    load: In(1)
    bytes: In(_BITS)
    first_cluster: In(_CLUSTER_BITS)
    start: In(1)
    replaces: In(1)
    sectors: In(_BITS)
    cluster_shift: In(5)
    done: Out(1)
    beyond: Out(1)
    size: Out(_BITS)
    some: Out(1)
    cluster: Out(_CLUSTER_BITS)

    def elaborate(self, platform):
        m = Module()
        place = Signal(6)           # of the bit that leaves ``size``; zeros come after it
        runs = Signal()
        within = Signal()           # it is one of the place in a cluster
        of_number = Signal()        # it is one of the number of clusters
        left = Signal(6)            # bits of the same kind after it
        borrow = Signal()
        carry = Signal()            # in front of the number: a part of a cluster is used
        turns = ~place[4:].all()    # there is such a bit
        bit = self.size[0] & turns
        total = Signal()
        kept = Signal()
        slot = Cat(Const(0, _BYTES_SHIFT), self.sectors)[:_BITS].bit_select(place, 1)
        m.d.comb += [
            total.eq(self.cluster[0] ^ bit ^ carry),
            kept.eq(Mux(self.replaces, ~within & (slot ^ bit ^ borrow), bit)),
            self.beyond.eq(borrow),
        ]
        m.d.sync += self.done.eq(runs & place.all())
        with m.If(self.start):
            m.d.sync += [
                runs.eq(1), place.eq(0), within.eq(1), of_number.eq(0), borrow.eq(0), carry.eq(0), self.some.eq(0),
                left.eq(self.cluster_shift + _BYTES_SHIFT - 1),
            ]
        with m.Elif(runs):
            m.d.sync += [
                place.eq(place + 1), left.eq(left - 1),
                carry.eq(Mux(within, carry | bit, (self.cluster[0] & (bit | carry)) | (bit & carry))),
            ]
            with m.If(turns):
                m.d.sync += [borrow.eq(Mux(slot, bit & borrow, bit | borrow)), self.some.eq(self.some | kept)]
            with m.If(left == 0):
                m.d.sync += [within.eq(0), of_number.eq(within), left.eq(_CLUSTER_BITS - 1)]
            with m.If(place.all()):
                m.d.sync += runs.eq(0)
        with m.If(self.load):
            m.d.sync += [self.size.eq(self.bytes), self.cluster.eq(self.first_cluster)]
        with m.Elif(runs):
            with m.If(turns):
                m.d.sync += self.size.eq(Cat(self.size[1:], kept))
            with m.If(of_number & self.replaces):
                m.d.sync += self.cluster.eq(Cat(self.cluster[1:], total))
        return m
