"""What a user sees of one lane at a time: the one that is chosen."""

from amaranth.hdl import Array, Mux
from amaranth.lib.wiring import In

from ...interface import ALIGNMENT, HEALTH, HISTOGRAM, IDENTIFY, LEDGER, PACING, TEMPERATURE

__all__ = ["OF_A_LANE", "see_lane"]

#: Groups of one drive: all lanes get what they are told, and the user sees those of ``array_lane``.
OF_A_LANE = frozenset({ALIGNMENT, HEALTH, HISTOGRAM, IDENTIFY, LEDGER, PACING, TEMPERATURE})


def see_lane(m, user, lanes, chosen, *, only=False):
    """All ``lanes``, or ``only`` the one that is ``chosen``, get what the ``user`` tells them, who sees that one."""
    for (_, member, above), *below in zip(*(one.signature.flatten(one) for one in (user, *lanes))):
        values = [value for _, _, value in below]
        if member.flow is In:
            m.d.comb += [value.eq(Mux(chosen == lane, above, 0) if only else above)
                         for lane, value in enumerate(values)]
        else:
            m.d.comb += above.eq(Array(values)[chosen])
