"""The stream that is recorded where it is not of 32 bits in the core's clock."""

from typing import Any

from amaranth.lib import stream, wiring
from amaranth.lib.wiring import Out

from .file import FILE_END
from .group import STREAM_WIDTHS, SUM, WORD, BareGroup, Group, input_row, output_row

__all__ = ["SOURCE", "SOURCE_CLOCK", "SOURCE_ENDS", "SOURCE_LOSS", "SOURCE_STREAMS", "SOURCE_TRIGGER"]


def _differs(configuration: Any) -> bool:
    return configuration.source_clock or configuration.source_width != WORD


def _of_width(name: str, members: dict[str, Any], width: int, group: Group | None = None) -> BareGroup:
    """The group ``name`` of an input of ``width`` bits, where there is the ``group``, too."""
    return BareGroup(name, Out(wiring.Signature(members)), lambda configuration: (
        _differs(configuration) and configuration.source_width == width
        and (group is None or group.exists(configuration))))


#: By width: the stream, and the end of a file in it.
SOURCE_STREAMS = {width: _of_width("i", stream.Signature(width).members, width) for width in STREAM_WIDTHS}
SOURCE_ENDS = {width: _of_width("file_end", {"last": Out(1), "keep": Out(width // 8)}, width, FILE_END)
              for width in STREAM_WIDTHS}

SOURCE_CLOCK = Group("source_clock", (
    input_row("s_axis_aclk", 1, "clock of s_axis and of source_stop, source_trigger and source_pps, of any frequency",
              member="clk"),
), exists=lambda configuration: configuration.source_clock)

SOURCE = Group("source", (
    input_row("source_stop", 1, "in the clock of s_axis: its rising edge is a stop of the recording; a beat that is "
              "accepted in its clock is the last one before it"),
), exists=_differs)

SOURCE_TRIGGER = Group("source_trigger", (
    input_row("source_trigger", 1, "in the clock of s_axis: its rising edge is a trigger, as on recording_trigger; a "
              "beat that is accepted in its clock is the first one after it", member="trigger"),
    input_row("source_pps", 1, "in the clock of s_axis: during a recording its rising edge is one of recording_pps, "
              "and reaches the core together with the beat of its clock", member="pps"),
), exists=lambda configuration: _differs(configuration) and configuration.extents == "modes")

SOURCE_LOSS = Group("source_loss", (
    output_row("source_lost", SUM, "beats that found s_axis_tready low, between those of this or the latest recording",
               member="lost", at=0x9A0, unit="beats"),
    output_row("source_intact", SUM, "words of this or the latest recording before the first beat that was lost",
               member="intact", at=0x9A8, unit="words"),
), exists=lambda configuration: not configuration.source_waits)
