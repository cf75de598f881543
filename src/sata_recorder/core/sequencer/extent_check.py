"""Whether the extent of an operation can be moved."""

from amaranth.hdl import Mux, Signal

from ..drive_port import Error, Operation

__all__ = ["check_state"]

#: Clocks from the start of an operation until it is known whether the extent ends beyond the
#: capacity.
_BEYOND_CLOCKS = 3


def check_state(m, operation, clocks, clear_clocks, kind, empty, outside, unfit, gone, finish, flush, go_on,
                fails_before):
    """The state of ``operation`` in which its extent is checked, for ``clear_clocks`` in which the ledger is
    cleared.

    ``clocks`` counts them. ``kind``: the :class:`Operation`. ``empty``: it has no sectors; ``unfit``: it ends
    beyond the capacity or within a logical sector. ``outside`` and ``gone``, that the drive was lost
    meanwhile, are driven. ``finish(error)`` ends the operation, ``flush()`` and ``go_on()`` begin its first
    command, ``fails_before(m, kind)`` a recovery.
    Returns what calls ``go_on``, and what calls ``flush``, unless ``lost``.
    """
    cleared = Signal()          # the ledger is
    # That, and what begins then unless the drive is lost in that very clock; much depends on them.
    opens = Signal()
    flushes = Signal()
    refuses = (kind != Operation.FLUSH) & (empty | unfit)
    last = operation.phase.checks & (clocks == clear_clocks - 1)
    stays = ~operation.lost & ~gone
    m.d.sync += [
        cleared.eq(last),
        opens.eq(last & (kind != Operation.FLUSH) & ~refuses & stays),
        flushes.eq(last & (kind == Operation.FLUSH) & stays),
    ]
    with operation.states.state("CHECK"):
        # A drive that is lost meanwhile takes its capacity along.
        with m.If(clocks == _BEYOND_CLOCKS - 1):
            m.d.sync += outside.eq(operation.beyond)
        m.d.sync += gone.eq(operation.lost | gone)
        error = Mux(empty, Error.ZERO_SECTORS, Error.OUT_OF_RANGE)
        if unfit is not outside:
            error = Mux(operation.splits & ~empty, Error.SECTOR_SIZE, error)
        with m.If(cleared):
            with m.If(refuses):
                finish(error)
            # However short it was: what is there now has not been identified.
            with m.Elif(operation.lost | gone):
                fails_before(m, kind)
    with operation.states.state("CHECK", flushes & ~operation.lost):
        flush()
    # Stopped before there was anything to write: no more.
    with operation.states.state("CHECK", opens & ~operation.lost):
        go_on()
    return opens, flushes
