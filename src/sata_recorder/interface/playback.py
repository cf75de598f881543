"""The stream that is played back where it is not of 32 bits in the core's clock."""

from typing import Any

from amaranth.lib import stream
from amaranth.lib.wiring import In

from .group import STREAM_WIDTHS, SUM, WORD, BareGroup, Group, input_row, output_row

__all__ = ["PLAYBACK", "PLAYBACK_AHEAD", "PLAYBACK_CLOCK", "PLAYBACK_ENDS", "PLAYBACK_STREAMS"]

#: Beats that may come before the core knows that the FIFO has no more room.
PLAYBACK_AHEAD = 4


def _differs(configuration: Any) -> bool:
    return configuration.playback_clock or configuration.playback_width != WORD


def _stream(width: int) -> BareGroup:
    """The stream of beats of ``width`` bits."""
    return BareGroup("o", In(stream.Signature(width)), lambda configuration: (
        _differs(configuration) and configuration.playback_width == width))


def _ends(width: int) -> Group:
    """What comes with a beat of ``width`` bits."""
    return Group("playback_end", (
        output_row("m_axis_tkeep", width // 8, "which bytes of m_axis_tdata were played back; none in a beat that is "
                   "there for its m_axis_tlast only", member="keep"),
        output_row("m_axis_tuser", 1, "with m_axis_tlast: the playback ended before its last word, or the rest of it "
                   "was dropped after a stop", member="cut"),
        output_row("playback_underrun", 1, "in the clock of m_axis: m_axis_tready found no beat within a playback; it "
                   "changes with m_axis_tready", member="underrun"),
    ), exists=lambda configuration: _differs(configuration) and configuration.playback_width == width)


#: By width.
PLAYBACK_STREAMS = {width: _stream(width) for width in STREAM_WIDTHS}
PLAYBACK_ENDS = {width: _ends(width) for width in STREAM_WIDTHS}

PLAYBACK_CLOCK = Group("playback_clock", (
    input_row("m_axis_aclk", 1, "clock of m_axis and of playback_underrun, of any frequency", member="clk"),
), exists=lambda configuration: configuration.playback_clock)

PLAYBACK = Group("playback", (
    output_row("playback_level", 16, "beats in the FIFO before m_axis, or words of 32 bits where a beat is shorter; "
               "one that leaves it counts some clocks longer", at=0xAB0, unit="beats"),
    output_row("playback_underruns", SUM, "clocks of m_axis in which playback_underrun was high, in this or the latest "
               "playback that has reached m_axis", at=0xAB8, unit="clocks"),
    output_row("playback_intact", SUM, "beats of that playback that m_axis gave before the first such clock",
               at=0xAC0, unit="beats"),
), exists=_differs)
