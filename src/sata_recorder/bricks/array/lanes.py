# amaranth: UnusedElaboratable=no
"""The cores of an array, one for each lane, and their PHYs and memories."""

from amaranth.lib.wiring import Out, connect, flipped

from ...core import SataRecorder
from ...core.phy import DwordPort
from ...interface import LANE_BUSES, LANE_PHYS, LANE_STATUS, MEMORY_BUSES, PHY_STATUS
from ...interface.face import part

__all__ = ["bus_groups", "connect_lanes", "lane_cores", "phy_members"]


def lane_cores(configuration, phy_status):
    """A core for each lane, which knows of no array, nor of modes above its queue. The memory of each is a region of
    its own: that of lane n is n regions after that of lane 0."""
    extents = "single" if configuration.extents == "single" else "queued"

    def of_lane(lane):
        base = configuration.memory_base + lane * configuration.memory_region
        return configuration.model_copy(update={
            "drives": 1, "array": "raid0", "memory_base": base, "extents": extents,
            "on_failure": "stop" if configuration.on_failure == "next" else configuration.on_failure})

    return [SataRecorder(of_lane(lane), aside=True, phy_status=phy_status) for lane in range(configuration.drives)]


def phy_members(lanes, phy_status):
    """The members for the PHYs of so many ``lanes``: ``phy``, ``phy1`` and so on, and what they report."""
    return {
        "phy": Out(DwordPort()), **{LANE_PHYS[lane].name: Out(DwordPort()) for lane in range(1, lanes)},
        **{LANE_STATUS[lane].name: LANE_STATUS[lane].member for lane in range(lanes) if phy_status},
    }


def bus_groups(configuration):
    """The groups of the memories of the lanes, in their order; none without memories."""
    if not configuration.memory:
        return []
    width = configuration.memory_width
    return [MEMORY_BUSES[width], *(LANE_BUSES[width, lane] for lane in range(1, configuration.drives))]


def connect_lanes(m, array, cores):
    """Makes the ``cores`` the lanes of an ``array``, with their PHYs and memories."""
    whole = flipped(array)
    for lane, core in enumerate(cores):
        m.submodules[f"lane{lane}"] = core
        connect(m, core.phy, part(whole, LANE_PHYS[lane]) if lane else whole.phy)
        if PHY_STATUS in array.groups:
            connect(m, core.phy_status, part(whole, LANE_STATUS[lane]))
    for group, core in zip(bus_groups(array.configuration), cores):
        connect(m, part(whole.user, group), core.user.m_axi)
