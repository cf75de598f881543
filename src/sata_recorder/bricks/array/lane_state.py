"""What the operation of an array goes by, of each of its lanes."""

from amaranth.hdl import Signal
from amaranth.lib import data

from ...core.drive_port import Error

__all__ = ["LaneState", "tell_checks", "watch"]


class LaneState(data.Struct):
    """Of a core's :class:`...interface.Face`; ``failed`` is an ``error`` with ``done``, ``skipped`` that sectors were
    passed over, and ``lost_before`` an error of which an earlier operation is the cause."""

    ready: 1
    busy: 1
    done: 1
    failed: 1
    skipped: 1
    error: Error
    lost_before: 1
    unflushed: 1
    away: 1


def watch(m, cores):
    """The :class:`LaneState` of each of the ``cores``, a clock ago: lanes are apart on the chip."""
    states = []
    for lane, core in enumerate(cores):
        state = Signal(LaneState, name=f"state{lane}")
        status = core.user.status
        m.d.sync += [
            state.ready.eq(status.ready), state.busy.eq(status.busy), state.done.eq(status.done),
            state.failed.eq(status.done & status.error.any()), state.error.eq(status.error),
            state.skipped.eq(status.skipped_sectors.any()),
            state.lost_before.eq((status.error == Error.LINK_LOST) & (status.cause == Error.NONE)),
            state.unflushed.eq(status.unflushed), state.away.eq(core.user.away),
        ]
        states.append(state)
    return states


def tell_checks(m, checks, reads):
    """While superblocks are read, ``checks`` is high, and until what follows from them is known."""
    known = Signal(3)
    m.d.sync += known.eq(known << 1 | reads)
    m.d.comb += checks.eq(reads | known.any())
