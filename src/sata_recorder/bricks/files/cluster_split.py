"""Where the clusters of a recording end, and the remaining ones begin."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["ClusterSplit"]

#: A sector is 1 << 9 bytes.
_SECTOR_SHIFT = 9


class ClusterSplit(wiring.Component):
    """Divides the clusters of a slot between a recording and the rest, bit by bit.

    Latency: 2 x (9 + ``cluster_shift``) + 4 clocks from ``start`` to ``done``.

    Members
    -------
    start : In(1)           One clock: the others are valid, and stay so until ``done``.
    bytes : In(48)          Bytes of the recording.
    cluster_shift : In(5)   A cluster has 1 << ``cluster_shift`` sectors.
    first_cluster, clusters : In(32)    The slot.
    done : Out(1)           One clock: what follows is valid, until the next ``start``.
    unused_cluster : Out(32)    The first cluster that is left over.
    unused_bytes : Out(48)  The bytes of all of them.
    beyond : Out(1)         The recording has more bytes than the slot.
    """

    start: In(1)
    bytes: In(48)
    cluster_shift: In(5)
    first_cluster: In(32)
    clusters: In(32)
    done: Out(1)
    unused_cluster: Out(32)
    unused_bytes: Out(48)
    beyond: Out(1)

    def elaborate(self, platform):
        m = Module()
        number = Signal(48)         # bytes, clusters of the recording, clusters left over, bytes
        rest = Signal()             # a part of a cluster was shifted out
        steps = Signal(6)
        m.d.comb += self.unused_bytes.eq(number)
        with m.FSM():
            with m.State("IDLE"):
                with m.If(self.start):
                    m.d.sync += [number.eq(self.bytes), rest.eq(0),
                                 steps.eq(self.cluster_shift + _SECTOR_SHIFT - 1)]
                    m.next = "DOWN"
            with m.State("DOWN"):
                m.d.sync += [number.eq(number[1:]), rest.eq(rest | number[0]),
                             steps.eq(steps - 1)]
                with m.If(steps == 0):
                    m.next = "ROUND"
            with m.State("ROUND"):
                m.d.sync += number.eq(number + rest)
                m.next = "SUBTRACT"
            with m.State("SUBTRACT"):
                m.d.sync += [
                    self.unused_cluster.eq(self.first_cluster + number[:32]),
                    self.beyond.eq(number > self.clusters),
                    number.eq(self.clusters - number[:32]),
                    steps.eq(self.cluster_shift + _SECTOR_SHIFT - 1),
                ]
                m.next = "UP"
            with m.State("UP"):
                m.d.sync += [number.eq(number << 1), steps.eq(steps - 1)]
                with m.If(steps == 0):
                    m.next = "DONE"
            with m.State("DONE"):
                m.d.comb += self.done.eq(1)
                m.next = "IDLE"
        return m
