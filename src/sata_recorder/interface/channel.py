"""The streams of several channels in one recording, and the ports that report what became of each."""

from amaranth.lib import stream
from amaranth.lib.wiring import Out

from ..facts.channels import MOST_CHANNELS
from .group import WORD, BareGroup, Group, input_row, output_row

__all__ = ["CHANNEL", "CHANNEL_PORTS", "CHANNEL_STREAMS", "CHANNEL_WIDTHS"]

#: Bits of a beat of a channel.
CHANNEL_WIDTHS = (8, 16, 32)

CHANNEL = Group("channel", (
    input_row("channel_select", 4, "the channel of channel_lost and channel_left; one that does not exist reads as 0",
              at=0x9B0),
    output_row("channel_lost", WORD, "words of the channel that were lost in this or the latest recording because "
               "there was no room, with channel_waits = false", at=0x9B4, unit="words"),
    output_row("channel_left", 16, "words of the channel that are not in a packet yet; after a recording that has "
               "ended by itself, those that are not in the recording", at=0x9B8, unit="words"),
), exists=lambda configuration: configuration.channels > 1)


def _ports(number: int) -> Group:
    """The stream of a channel as ports; its beats may have fewer bits."""
    name = f"s{number}_axis"
    return Group(f"s{number}", (
        input_row(f"{name}_tdata", WORD, f"beat of channel {number}; bits 7:0 are its first byte",
                  member="payload"),
        input_row(f"{name}_tvalid", 1, f"{name}_tdata is valid", member="valid"),
        output_row(f"{name}_tready", 1, f"the core takes {name}_tdata in this clock", member="ready"),
    ), exists=lambda configuration: configuration.channels > max(number, 1))


def _beats(number: int, width: int) -> BareGroup:
    return BareGroup(f"s{number}", Out(stream.Signature(width)), lambda configuration: (
        configuration.channels > max(number, 1) and configuration.channel_width == width))


#: The ports of each channel, in the order of the Verilog.
CHANNEL_PORTS = tuple(_ports(number) for number in range(MOST_CHANNELS))
#: By number and width of a channel: its stream.
CHANNEL_STREAMS = {(number, width): _beats(number, width)
                   for number in range(MOST_CHANNELS) for width in CHANNEL_WIDTHS}
