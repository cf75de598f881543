# amaranth: UnusedElaboratable=no
"""A linear array whose recordings go on with the next drive when one fails."""

from amaranth.hdl import Array, Mux, Signal
from amaranth.lib.wiring import connect, flipped

from ...core.drive_port import Error
from .kept_words import KeptWords

__all__ = ["go_on", "kept_words"]


def kept_words(configuration):
    """The :class:`KeptWords` of an array, or None if a failure ends its operations. What a lane has got and not written
    is at most a command and what its buffer holds, and a command fits into the buffer."""
    goes_on = configuration.on_failure == "next"
    return KeptWords(configuration.drives, 2 * configuration.buffer_words) if goes_on else None


def go_on(m, kept, array, cores, operation, router, progress, journal):
    """Connects the :class:`KeptWords` of an ``array`` to its user, its ``cores``, and what runs its operations."""
    m.submodules.kept = kept
    connect(m, flipped(array).user.i, kept.i)
    connect(m, kept.left_out, journal.left_out)
    done = Signal(48)
    errors = Array(Signal(Error, name=f"error{lane}") for lane in range(len(cores)))
    m.d.sync += done.eq(Array(core.user.status.sectors_done for core in cores)[kept.owner])
    for error, failed, of_lane in zip(errors, operation.lane_failed, operation.lane_errors):
        with m.If(failed):
            m.d.sync += error.eq(Mux(of_lane == Error.NOT_READY, Error.LINK_LOST, of_lane))
    m.d.comb += [
        kept.begin.eq(operation.divide.begin), kept.keeps.eq(operation.keeps), kept.stop.eq(operation.asked),
        kept.lane.eq(router.lane), kept.over.eq(router.over), kept.follows.eq(router.follows),
        kept.left.eq(router.left), router.passes.eq(kept.passes), kept.done.eq(done),
        kept.failed.eq(operation.failed), kept.runs.eq(operation.runs), kept.error.eq(errors[kept.owner]),
        operation.hands.eq(kept.hands), progress.passed.eq((kept.passed >> progress.lane)[0]),
    ]
