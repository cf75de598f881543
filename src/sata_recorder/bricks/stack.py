# amaranth: UnusedElaboratable=no
"""The core and the stages above it: the table of all stages in their order, and what connects them."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, connect, flipped

from ..core import SataRecorder
from ..interface import AWAY, BASE, LINK, PHY_STATUS, Face
from .array import DriveArray, DriveMirror
from .channels import ChannelStage
from .files import FileStage
from .frames import FrameStage
from .modes import RecordingController
from .playback import PlaybackStage
from .power_fail import PowerFail
from .registers import RegisterStage
from .source import SourceStage
from .stage import Part, rest

__all__ = ["STAGES", "Stack", "stack"]

#: All stages, each above the one before it. A stage can end what the stages below it do, and wait for that end.
STAGES = (RecordingController, FileStage, FrameStage, PowerFail, ChannelStage, SourceStage, PlaybackStage,
          RegisterStage)


class Stack(wiring.Component):
    """A core and the ``stages`` above it. A group that a stage neither takes nor claims is connected past it.

    It adds no clock of latency. ``ValueError`` for a stage that needs a group which nothing below it offers, adds one
    that is offered already, or stands above one that it excludes.

    Parameters
    ----------
    core : Component
    offers : dict       The groups that the core has for what is above it, each with the interface of which
                        it is a member: ``core.user`` or ``core``.
    stages : list       :class:`.stage.Stage` objects from bottom to top.

    Members
    -------
    user : In(Face)     The groups that the core or a stage offers, and no stage takes.

    All other members of the core are there, too: its dword ports, and what its PHYs report if they do.
    """

    def __init__(self, core, offers, stages):
        self.core, self.stages = core, stages
        self._beside = rest(core, "user", *(group.name for group, whole in offers.items() if whole is core))
        self._offers = dict(offers)
        self._joints = []           # groups, with the interfaces above and below that have them
        for stage in stages:
            self._place(stage)
        super().__init__({"user": In(Face(*self._offers)), **self._beside.signature.members})

    def _place(self, stage):
        row = stage.row
        for group in stage.below:
            if group not in self._offers:
                raise ValueError(f"{row.name} needs {group.name}, which nothing below it offers")
            self._joints.append((group, stage.core, self._offers.pop(group)))
        for group, why in row.excludes.items():
            if group in self._offers:
                raise ValueError(f"{row.name} cannot stand above {group.name}: {why}")
        for group in stage.above:
            if group.name in {one.name for one in self._offers}:
                raise ValueError(f"{row.name} adds {group.name}, which something below it offers")
            self._offers[group] = stage.user

    def elaborate(self, platform):
        m = Module()
        m.submodules.core = self.core
        for stage in self.stages:
            m.submodules[stage.row.name] = stage
        top = flipped(self.user)
        connect(m, self._beside, rest(flipped(self), "user"))
        for group, above, below in (*self._joints, *((group, top, below)
                                                     for group, below in self._offers.items())):
            connect(m, Part(above, group.name), Part(below, group.name))
        return m


def stack(configuration, kinds=STAGES, *, phy_status=False):
    """The core that ``configuration`` describes, below those of the stages ``kinds`` that the configuration has;
    ``phy_status``: see :class:`..core.SataRecorder`."""
    stages = []
    files = configuration.files
    for kind in reversed(kinds):
        if kind.exists(configuration):
            stages.insert(0, kind(configuration, [PHY_STATUS] * phy_status))
            configuration = configuration.model_copy(update=kind.row.below)
    if configuration.drives == 1:
        core = SataRecorder(configuration, phy_status=phy_status)
    elif configuration.array == "raid1":
        core = DriveMirror(configuration, files=files, phy_status=phy_status)
    else:
        core = DriveArray(configuration, phy_status=phy_status)
    offers = dict.fromkeys((*core.streams, AWAY, LINK, *BASE, *core.groups), core.user)
    return Stack(core, offers | dict.fromkeys(core.inner, core), stages)
