"""Beats of several words that are played back, as a port for each word, which engines know."""

from amaranth.hdl import Cat, Elaboratable, Module, Signal
from amaranth.hdl._ir import PortDirection

from ..interface.group import WORD

__all__ = ["WordStreams"]


class WordStreams(Elaboratable):
    """The ``core`` with these ``ports``, but ``m_axis_tdata`` is the first word of a beat, ``m_axis_tdata1`` the next
    one, and so on. ``ports`` are those of the whole by name, ``stages`` those of the core."""

    def __init__(self, core, ports):
        self.stages = core.stages
        self._core = core
        self._beat = ports["m_axis_tdata"][0]
        self._words = [Signal(WORD, name=f"m_axis_tdata{place or ''}") for place in range(len(self._beat) // WORD)]
        self.ports = ports | {word.name: (word, PortDirection.Output) for word in self._words}

    def elaborate(self, platform):
        m = Module()
        m.submodules.core = self._core
        m.d.comb += Cat(self._words).eq(self._beat)
        return m
