"""Frames for Wireshark: each VRT packet as a UDP datagram in a capture file."""

import struct

from ...facts.vita49 import CONTEXT_WORDS
from .reader import VrlFrame

__all__ = ["capture_header", "datagrams"]

#: The port at which Wireshark expects VITA 49.
_PORT = 4991
_LINK_TYPE_RAW_IP = 101
_LONGEST = 65535


def capture_header() -> bytes:
    """The head of a capture file of IP packets with times in nanoseconds."""
    return struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, _LONGEST, _LINK_TYPE_RAW_IP)


def datagrams(frame: VrlFrame, clock_hz: float) -> bytes:
    """The two packets of the `VrlFrame` ``frame`` as records of a capture file.

    Their time is that of the recording, with ``clock_hz`` clocks a second.
    """
    seconds, rest = divmod(frame.clock, clock_hz)
    nanoseconds = rest * 10**9 // clock_hz
    context = len(frame.content) - 4 * CONTEXT_WORDS
    return b"".join(_record(part, seconds, nanoseconds) for part in (
        frame.content[8:context], frame.content[context:]))


def _record(content, seconds, nanoseconds):
    """A record of a capture file with one UDP datagram over IPv4, both without checksums."""
    udp = struct.pack(">HHHH", _PORT, _PORT, 8 + len(content), 0) + content
    head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0x4000, 64, 17, 0,
                       bytes((127, 0, 0, 1)), bytes((127, 0, 0, 1)))
    packet = head + udp
    return struct.pack("<IIII", seconds & 0xFFFFFFFF, nanoseconds, len(packet),
                       len(packet)) + packet
