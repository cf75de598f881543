"""Dwords that the phy knows (Serial ATA Revision 3.x, link layer, primitive encoding)."""

from amaranth.lib import data

__all__ = ["ALIGN", "PRIMITIVE_BYTE", "RxDword", "WAIT_BYTE"]

#: With its byte 0 a control character.
ALIGN = 0x7B4A4ABC
#: K28.3 begins all primitives but ALIGN.
PRIMITIVE_BYTE = 0x7C
#: D10.2: what a host sends until it has received ALIGN.
WAIT_BYTE = 0x4A


class RxDword(data.Struct):
    """A received dword."""

    data: 32        # byte 0, in bits 7:0, came first
    k: 4            # which bytes are control characters
    error: 1        # code or disparity error, or a control character beyond byte 0
