"""Dwords that the phy knows (Serial ATA Revision 3.x, link layer, primitive encoding)."""

from amaranth.lib import data

__all__ = ["ALIGN", "CONT", "INVERTED_ALIGN", "PRIMITIVES", "SYNC", "RxDword", "WAIT_BYTE", "X_RDY"]

#: With its byte 0 a control character, as all primitives.
ALIGN = 0x7B4A4ABC
#: What ALIGN becomes where P and N are swapped: K28.5 and D27.3 are their own complements at the
#: other disparity, D10.2 becomes D21.5.
INVERTED_ALIGN = 0x7BB5B5BC
SYNC = 0xB5B5957C
CONT = 0x9999AA7C
X_RDY = 0x5757B57C
#: All primitives but ALIGN: CONT, DMAT, EOF, HOLD, HOLDA, PMACK, PMNAK, PMREQ_P, PMREQ_S, R_ERR,
#: R_IP, R_OK, R_RDY, SOF, SYNC, WTRM, X_RDY.
PRIMITIVES = (
    CONT, 0x3636B57C, 0xD5D5B57C, 0xD5D5AA7C, 0x9595AA7C, 0x9595957C, 0xF5F5957C, 0x1717B57C,
    0x7575957C, 0x5656B57C, 0x5555B57C, 0x3535B57C, 0x4A4A957C, 0x3737B57C, SYNC, 0x5858B57C,
    X_RDY)
#: D10.2: what a host sends until it has received ALIGN.
WAIT_BYTE = 0x4A


class RxDword(data.Struct):
    """A received dword."""

    data: 32        # byte 0, in bits 7:0, came first
    k: 4            # which bytes are control characters
    error: 1        # code or disparity error, or a control character beyond byte 0
    code_error: 1   # with `error`: a character is not in the code
    disparity_error: 1  # with `error`: a character is in the code, but not at this disparity
