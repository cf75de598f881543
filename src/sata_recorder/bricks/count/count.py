"""Counts the words of the user's stream."""

from amaranth.hdl import Module

from ...interface import COUNT, STREAM_IN
from ..stage import Stage, StageRow

__all__ = ["WordCount"]


class WordCount(Stage):
    """Counts the words that the core takes, in all recordings together, since reset. Latency: a clock."""

    row = StageRow("count", adds={COUNT}, claims={STREAM_IN})

    def elaborate(self, platform):
        m = Module()
        self.hand_on(m, STREAM_IN)
        with m.If(self.user.i.valid & self.core.i.ready):
            m.d.sync += self.user.count.words.eq(self.user.count.words + 1)
        return m
