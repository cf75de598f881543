"""Dwords that the phy knows (Serial ATA 3.x, link layer, primitive encoding)."""

from amaranth.lib import data

__all__ = ["ALIGN", "RxDword", "PRIMITIVE_BYTE", "WAIT_BYTE"]

#: With its byte 0 a control character.
ALIGN = 0x7B4A4ABC
#: K28.3 begins all primitives but ALIGN.
PRIMITIVE_BYTE = 0x7C
#: D10.2: what a host sends until it has received ALIGN.
WAIT_BYTE = 0x4A

#: A received dword. ``error``: code or disparity error, or a control character beyond byte 0.
RxDword = data.StructLayout({"data": 32, "k": 4, "error": 1})
