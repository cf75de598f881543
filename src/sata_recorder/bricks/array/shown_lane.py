"""What a user sees of one lane at a time: the one that is chosen."""

from amaranth.hdl import Array, Mux
from amaranth.lib.wiring import In

from ...interface import ALIGNMENT, HEALTH, HISTOGRAM, IDENTIFY, LEDGER, PACING, PHY_STATUS, TEMPERATURE
from ...interface.face import part

__all__ = ["see_lanes"]

#: Groups of one drive: all lanes get what they are told, and the user sees those of ``array_lane``.
_OF_A_LANE = (ALIGNMENT, HEALTH, HISTOGRAM, IDENTIFY, LEDGER, PACING, TEMPERATURE)


def see_lanes(m, user, groups, lanes, chosen, ledger=None):
    """The ``user`` sees ``groups`` of the lane that is ``chosen``, of which ``lanes`` are the users. The ``ledger`` of
    the array, if there is one, is seen while ``user.array.whole`` is high."""
    for group in _OF_A_LANE:
        if group in groups:
            seen, which = [part(lane, group) for lane in lanes], chosen
            if group is LEDGER and ledger is not None:
                seen.append(ledger.user)
                which = Mux(user.array.whole, len(lanes), chosen)
            _see(m, part(user, group), seen, which)
    if PHY_STATUS in groups:
        _see(m, user.phy_status, [lane.phy_status for lane in lanes], chosen, only=True)


def _see(m, user, lanes, chosen, *, only=False):
    """All ``lanes``, or ``only`` the one that is ``chosen``, get what the ``user`` tells them, who sees that one."""
    for (_, member, above), *below in zip(*(one.signature.flatten(one) for one in (user, *lanes))):
        values = [value for _, _, value in below]
        if member.flow is In:
            m.d.comb += [value.eq(Mux(chosen == lane, above, 0) if only else above)
                         for lane, value in enumerate(values)]
        else:
            m.d.comb += above.eq(Array(values)[chosen])
