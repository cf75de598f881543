"""The primitives of the link layer (Serial ATA 3.x, link layer, primitive encoding)."""

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


#: What the drive is sending: one bit is set, none before the first primitive. ``pmreq`` is
#: PMREQ_P or PMREQ_S; ``other`` a primitive that no state of a host acts upon.
RxPrimitive = data.StructLayout({name: 1 for name in (
    "data", "dmat", "eof", "hold", "holda", "pmreq", "r_err", "r_ok", "r_rdy", "sof", "sync",
    "wtrm", "x_rdy", "other")})

#: What the host sends: one bit is set, or none for SYNC. ``data`` is a scrambled dword of a frame.
TxPrimitive = data.StructLayout({name: 1 for name in (
    "data", "eof", "hold", "holda", "pmnak", "r_err", "r_ip", "r_ok", "r_rdy", "sof", "wtrm",
    "x_rdy")})


def dword_of(sent):
    """The dword of the primitive in ``sent``, a view of :data:`TxPrimitive` without ``data``."""
    dword = Primitive.SYNC.value
    for name in TxPrimitive.members:
        if name != "data":
            dword ^= Mux(sent[name], Primitive[name.upper()] ^ Primitive.SYNC, 0)
    return dword
