# amaranth: UnusedElaboratable=no
"""A recorder that brings its drive to standby when power is about to fail, in place of the recorder."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ...interface import UserSignature
from ...core.phy import DwordPort
from ..frames import recorder as recorder_below
from .power_fail import PowerFail

__all__ = ["PowerFailRecorder", "recorder"]


class PowerFailRecorder(wiring.Component):
    """A recorder, and :class:`.power_fail.PowerFail` above all of it.

    Above, for only who stands there can end what any of the bricks below does, and wait for it.

    Parameters
    ----------
    configuration : Configuration   ``power_fail`` is true.

    Members
    -------
    user : In(UserSignature)        The user's side, with the group of power.
    phy : Out(DwordPort)            The dword port.
    """

    def __init__(self, configuration):
        self.configuration = configuration
        super().__init__({"user": In(UserSignature(*configuration.groups)),
                          "phy": Out(DwordPort())})

    def elaborate(self, platform):
        m = Module()
        config = self.configuration.model_copy(update={"power_fail": False})
        m.submodules.recorder = below = recorder_below(config)
        m.submodules.power = power = PowerFail(*config.groups)
        connect(m, below.phy, flipped(self.phy))
        connect(m, flipped(self.user), power.user)
        connect(m, power.core, below.user)
        return m


def recorder(configuration):
    """The component that ``configuration`` asks for: the core, with modes, with files, with frames,
    with what acts when power fails."""
    if configuration.power_fail:
        return PowerFailRecorder(configuration)
    return recorder_below(configuration)
