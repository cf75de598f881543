# amaranth: UnusedElaboratable=no
"""The core with the modes of a recording, in place of the core alone."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ...core import SataRecorder
from ...interface import LOOK, RECORDING, TASK, TRIM, UserSignature
from ..pass_through import OPTIONS
from ...core.phy import DwordPort
from .recording import RecordingController
from .suspension import SuspensionSignature

__all__ = ["RecordingRecorder", "recorder"]


class RecordingRecorder(wiring.Component):
    """A :class:`..core.SataRecorder` with a queue, and :class:`.recording.RecordingController`
    above it.

    Parameters
    ----------
    configuration : Configuration   ``extents`` is "modes".
    suspendable : bool              A recording can be interrupted: there is ``suspension``.

    Members
    -------
    user : In(UserSignature)        The user's side, with the group of the modes.
    phy : Out(DwordPort)            The dword port.
    suspension : In(SuspensionSignature)
    """

    def __init__(self, configuration, *, suspendable=False):
        self.configuration = configuration
        self._suspendable = suspendable
        self._groups = configuration.groups & (OPTIONS | {TASK})
        super().__init__({
            "user": In(UserSignature(*self._groups, RECORDING,
                                     *[TRIM] * configuration.trim_ahead,
                                     *[LOOK] * (configuration.look_sectors > 0))),
            "phy": Out(DwordPort()),
            **({"suspension": In(SuspensionSignature())} if suspendable else {}),
        })

    def elaborate(self, platform):
        m = Module()
        m.submodules.core = core = SataRecorder(self.configuration)
        m.submodules.recording = recording = RecordingController(
            *self._groups, suspendable=self._suspendable, trims=self.configuration.trim_ahead,
            look_sectors=self.configuration.look_sectors)
        if self._suspendable:
            connect(m, flipped(self.suspension), recording.suspension)
        connect(m, flipped(self.user), recording.user)
        connect(m, recording.core, core.user)
        m.d.comb += core.coming.eq(recording.coming)
        if self.configuration.trim_ahead:
            connect(m, recording.trim, core.trim)
        if self.configuration.look_sectors:
            connect(m, recording.look, core.look)
        connect(m, core.phy, flipped(self.phy))
        return m


def recorder(configuration, *, suspendable=False):
    """The component that ``configuration`` asks for: the core, or the core with modes; with these a
    recording may be ``suspendable``."""
    if configuration.extents == "modes":
        return RecordingRecorder(configuration, suspendable=suspendable)
    return SataRecorder(configuration)
