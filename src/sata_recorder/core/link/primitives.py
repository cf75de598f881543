"""The primitives of the link layer (Serial ATA Revision 3.x, link layer, primitive encoding)."""

import enum

from amaranth.hdl import Mux
from amaranth.lib import data

__all__ = ["Primitive", "RxPrimitive", "TxPrimitive", "dword_of"]


class Primitive(enum.IntEnum):
    """Each primitive as a dword; byte 0 is the control character, K28.5 or K28.3."""

    ALIGN = 0x7B4A4ABC
    CONT = 0x9999AA7C
    DMAT = 0x3636B57C
    EOF = 0xD5D5B57C
    HOLD = 0xD5D5AA7C
    HOLDA = 0x9595AA7C
    PMACK = 0x9595957C
    PMNAK = 0xF5F5957C
    PMREQ_P = 0x1717B57C
    PMREQ_S = 0x7575957C
    R_ERR = 0x5656B57C
    R_IP = 0x5555B57C
    R_OK = 0x3535B57C
    R_RDY = 0x4A4A957C
    SOF = 0x3737B57C
    SYNC = 0xB5B5957C
    WTRM = 0x5858B57C
    X_RDY = 0x5757B57C


class RxPrimitive(data.Struct):
    """What the drive is sending. One bit is set, or none before the first primitive."""

    data: 1         # a dword that is no primitive
    dmat: 1         # it requests an early end of our frame
    eof: 1          # the dword before was the CRC
    hold: 1         # it has no data, or no room for ours
    holda: 1        # its answer to our HOLD
    pmreq: 1        # PMREQ_P or PMREQ_S: it requests a power saving state
    r_err: 1        # our frame was bad
    r_ok: 1         # our frame was good
    r_rdy: 1        # it is ready for our frame
    sof: 1          # a frame begins
    sync: 1         # it is idle
    wtrm: 1         # its frame is over and waits for our verdict
    x_rdy: 1        # it has a frame for us
    other: 1        # R_IP, PMACK or PMNAK: no state of a host acts upon them


class TxPrimitive(data.Struct):
    """What the host sends. One bit is set, or none for SYNC."""

    data: 1         # a scrambled dword of a frame
    eof: 1          # the dword before was the CRC
    hold: 1         # there is no data, or no room for that of the drive
    holda: 1        # the answer to the drive's HOLD
    pmnak: 1        # a power saving state is refused
    r_err: 1        # the drive's frame was bad
    r_ip: 1         # the drive's frame is being received
    r_ok: 1         # the drive's frame was good
    r_rdy: 1        # ready for the drive's frame
    sof: 1          # a frame begins
    wtrm: 1         # the frame is over and waits for the drive's verdict
    x_rdy: 1        # there is a frame for the drive


def dword_of(sent):
    """The dword of the primitive in ``sent``, a :class:`TxPrimitive` without ``data``."""
    differs = 0     # from SYNC
    for is_sent, primitive in (
            (sent.eof, Primitive.EOF), (sent.hold, Primitive.HOLD),
            (sent.holda, Primitive.HOLDA), (sent.pmnak, Primitive.PMNAK),
            (sent.r_err, Primitive.R_ERR), (sent.r_ip, Primitive.R_IP),
            (sent.r_ok, Primitive.R_OK), (sent.r_rdy, Primitive.R_RDY),
            (sent.sof, Primitive.SOF), (sent.wtrm, Primitive.WTRM),
            (sent.x_rdy, Primitive.X_RDY)):
        differs |= Mux(is_sent, primitive ^ Primitive.SYNC, 0)
    return differs ^ Primitive.SYNC.value
