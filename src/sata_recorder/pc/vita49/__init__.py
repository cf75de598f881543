"""Reads the frames around the data of a recording, which show time, gaps and their own damage: VITA 49."""

from ...facts.vita49 import AROUND
from .capture import capture_header, datagrams
from .channels import ChannelPacket, ChannelReader, channel_packet
from .packets import Packet, PacketSplitter, packets
from .reader import Lost, VrlFrame, frames, newest, read_frame
from .ring import Ring

__all__ = ["AROUND", "ChannelPacket", "ChannelReader", "Lost", "Packet", "PacketSplitter", "Ring", "VrlFrame",
           "capture_header", "channel_packet", "datagrams", "frames", "newest", "packets", "read_frame"]
