"""PHYs of a back end next to each other, one for each drive of an array."""

from types import SimpleNamespace

from amaranth.hdl import DomainRenamer
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ...interface.phy_status import PHY_STATUS
from .port import DwordPort

__all__ = ["LaneSignature", "add_lanes", "lane_members", "lane_name", "lane_pads", "lanes_of"]


class LaneSignature(wiring.Signature):
    """What the PHY of one drive has, seen from what it leads to.

    Members
    -------
    port : Out(DwordPort)
        The dword port leads to the link layer.
    status : Out(PHY_STATUS.signature)
        The PHY reports about itself here, see the table in :mod:`...interface`; all is 0 if it is not observed.
    transmitting : In(1)
        The PLL is locked and the transmitter out of reset. It is for an indicator.
    receiving : In(1)
        The receiver is out of reset. It is for an indicator.
    """

    def __init__(self):
        super().__init__({"port": Out(DwordPort()), "status": Out(PHY_STATUS.signature), "transmitting": In(1),
                          "receiving": In(1)})


def lane_name(name, lane):
    """``name`` of a pad, a submodule or a domain, for a ``lane``: that of the first one has no number."""
    return f"{name}{lane or ''}"


def lane_pads(pads, lane):
    """The pads of the transmitter and of the receiver of a ``lane``, each with ``p`` and ``n``."""
    return [SimpleNamespace(**{pole: pads[f"{lane_name('sata', lane)}_{way}_{pole}"] for pole in "pn"})
            for way in ("tx", "rx")]


def lane_members(lanes):
    """The members of a component with ``lanes`` PHYs: those of the first one, and ``others``, an array."""
    return {**LaneSignature().flip().members, **({"others": In(LaneSignature()).array(lanes - 1)} if lanes > 1 else {})}


def lanes_of(component):
    """The lanes of a component with :func:`lane_members`, each as a :class:`LaneSignature` has it."""
    return [component, *(component.others if "others" in component.signature.members else ())]


def add_lanes(m, component, parts, domains, *, observed):
    """Puts ``parts``, a PHY and the SERDES below it a lane, into ``m``, the module of ``component``.

    ``domains`` makes the clock domains of one lane.
    """
    for lane, ((phy, serdes), user) in enumerate(zip(parts, lanes_of(component), strict=True)):
        names = {domain.name: lane_name(domain.name, lane) for domain in domains()}
        for domain in domains():
            domain.rename(names[domain.name])
            m.domains += domain
        for name, one in ("phy", phy), ("serdes", serdes):
            m.submodules[lane_name(name, lane)] = DomainRenamer(names)(one) if lane else one
        connect(m, phy.serdes, serdes.port)
        connect(m, flipped(user.port), phy.port)
        if observed:
            connect(m, flipped(user.status), phy.status)
        m.d.comb += [user.transmitting.eq(serdes.transmitting), user.receiving.eq(serdes.receiving)]
