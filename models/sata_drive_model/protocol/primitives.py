"""Primitives and dword packing (Serial ATA Revision 3.x, link layer, primitive encoding).

A dword is an int: bits 31:0 are the four bytes, byte 0 lowest, bit 32 states that byte 0 is a control
character.
"""

K = 1 << 32

ALIGN = K | 0x7B4A4ABC
CONT = K | 0x9999AA7C
DMAT = K | 0x3636B57C
EOF = K | 0xD5D5B57C
HOLD = K | 0xD5D5AA7C
HOLDA = K | 0x9595AA7C
PMACK = K | 0x9595957C
PMNAK = K | 0xF5F5957C
PMREQ_P = K | 0x1717B57C
PMREQ_S = K | 0x7575957C
R_ERR = K | 0x5656B57C
R_IP = K | 0x5555B57C
R_OK = K | 0x3535B57C
R_RDY = K | 0x4A4A957C
SOF = K | 0x3737B57C
SYNC = K | 0xB5B5957C
WTRM = K | 0x5858B57C
X_RDY = K | 0x5757B57C

NAMES = {
    ALIGN: "ALIGN", CONT: "CONT", DMAT: "DMAT", EOF: "EOF", HOLD: "HOLD", HOLDA: "HOLDA",
    PMACK: "PMACK", PMNAK: "PMNAK", PMREQ_P: "PMREQ_P", PMREQ_S: "PMREQ_S", R_ERR: "R_ERR",
    R_IP: "R_IP", R_OK: "R_OK", R_RDY: "R_RDY", SOF: "SOF", SYNC: "SYNC", WTRM: "WTRM",
    X_RDY: "X_RDY",
}

#: What a cycle can bring that is no primitive: nothing crossed; a data dword.
NONE, DATA = -1, -2

#: Added to a dword in which the PHY of the host sees a code error.
CODE_ERROR = 1 << 40

#: Primitives that a transmitter may continue with CONT (repeated primitive suppression).
CONTINUABLE = frozenset({HOLD, HOLDA, PMREQ_P, PMREQ_S, R_ERR, R_IP, R_OK, R_RDY, SYNC, WTRM,
                         X_RDY})


def name(word: int) -> str:
    """Name of a 33-bit word; a data dword gives its hexadecimal value."""
    return NAMES.get(word) or f"{'K' if word >> 32 else 'D'}:{word & 0xFFFFFFFF:08X}"
