"""Streams of beats of several words, as a port for each of them: what an engine knows."""

from amaranth.hdl import Cat, Elaboratable, Module, Signal
from amaranth.hdl._ir import PortDirection

from ..interface import named_ports
from ..interface.group import WORD

__all__ = ["WordStreams"]


class WordStreams(Elaboratable):
    """A core whose streams have beats of ``words`` words: ``s_axis_tdata`` is the first word of each, ``s_axis_tdata1``
    the next one, and so on. ``ports`` are those of the whole by name."""

    def __init__(self, core, words):
        self._core = core
        self._in, self._out = ([Signal(WORD, name=f"{side}_axis_tdata{place or ''}") for place in range(words)]
                               for side in "sm")
        ports = named_ports(core)
        self._beat_in, self._beat_out = (ports.pop(f"{side}_axis_tdata")[0] for side in "sm")
        self.ports = ports | {one.name: (one, PortDirection.Input) for one in self._in} | {
            one.name: (one, PortDirection.Output) for one in self._out}

    def elaborate(self, platform):
        m = Module()
        m.submodules.core = self._core
        m.d.comb += [self._beat_in.eq(Cat(self._in)), Cat(self._out).eq(self._beat_out)]
        return m
