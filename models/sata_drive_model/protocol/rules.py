"""The rules that a host or a device may break on the wire, each with its clause.

Serial ATA Revision 3.x, link layer and transport layer; ATA8-ACS for what a command may hold.
"""

from enum import Enum
from typing import NamedTuple

#: Who broke a rule, and so in which direction its dwords went.
HOST, DEVICE = "host", "device"

#: Dword times in which a HOLD must be answered.
HOLD_LATENCY = 20
#: Dwords between two ALIGN pairs: a pair in every 256.
ALIGN_DISTANCE = 254
#: Dwords of the longest frame between SOF and EOF: header, 2048 of payload, CRC.
MAX_FRAME = 2050

_LINK = "Serial ATA Revision 3.x, link layer, "
_TRANSPORT = "Serial ATA Revision 3.x, transport layer, "


class Rule(Enum):
    """One rule. ``text`` states in a few words how it was violated; ``clause`` where it is specified;
    ``report`` is the text with a place, {}, for what was seen."""

    ALIGN_PAIR = ("ALIGN not in pairs", _LINK + "ALIGN")
    ALIGN_DISTANCE = (f"more than {ALIGN_DISTANCE} dwords without an ALIGN pair", _LINK + "ALIGN")
    CONTROL_CHARACTER = ("control character outside byte 0", _LINK + "primitive encoding")
    UNKNOWN_PRIMITIVE = ("unknown primitive", _LINK + "primitive encoding",
                         "unknown primitive {}")
    CONT_EARLY = ("CONT without two of the primitive before it", _LINK + "CONT", "CONT after {}")
    CONT_PRIMITIVE = ("CONT after a primitive that may not be continued", _LINK + "CONT",
                      "CONT after {}")
    STATE = ("a primitive or data dword that the state does not allow", _LINK + "state diagrams",
             "{}")
    X_RDY_KEPT = ("the host keeps X_RDY against the drive's X_RDY",
                  _LINK + "state HL_SendChkRdy")
    X_RDY_WITHOUT_SYNC = ("X_RDY without SYNC after a frame", _LINK + "state L_Wait")
    X_RDY_AFTER_ANSWER = ("X_RDY right after R_OK or R_ERR, with no SYNC between",
                          _LINK + "states L_GoodEnd and L_BadEnd, which L_IDLE follows")
    POWER_REQUEST = ("power request from the host",
                     _LINK + "state L_IDLE; ATA8-ACS, IDENTIFY DEVICE, word 76")
    HOLD_NOT_OBEYED = (f"HOLD not obeyed within {HOLD_LATENCY} dwords",
                       _LINK + "flow control, state L_SendData", "HOLD not obeyed within {} dwords")
    HOLDA_WITHOUT_HOLD = ("HOLDA without HOLD", _LINK + "flow control, state L_RcvrHold")
    WTRM_WITHOUT_EOF = ("WTRM without EOF", _LINK + "state L_RcvData")
    FRAME_LENGTH = (f"a frame of more than {MAX_FRAME} dwords", _TRANSPORT + "Data FIS",
                    "frame of {} dwords")
    CRC = ("bad CRC or empty frame", _LINK + "CRC", "bad CRC or empty frame, {} dwords")
    ACCEPTED_FAULT = ("R_OK for a FIS with a fault", _LINK + "state L_GoodCRC",
                      "R_OK for a FIS with a fault ({})")
    FIS = ("a FIS of a type or length that does not belong here", _TRANSPORT + "FIS types",
           "unexpected FIS {}")
    DATA_LENGTH = ("a Data FIS of another length than is wanted", _TRANSPORT + "Data FIS",
                   "Data FIS of {} wanted")
    COMMAND_BIT = ("Register H2D FIS without the C bit", _TRANSPORT + "Register H2D FIS")
    LBA_BIT = ("data command without the LBA bit in the device register",
               "ATA8-ACS, READ DMA and WRITE DMA")
    COMMAND_IN_FLIGHT = ("a command while one is in flight", _TRANSPORT + "Register H2D FIS",
                         "command {} while one is in flight")

    def __init__(self, text, clause, report=None):
        self.text = text
        self.clause = clause
        self.report = report or text


class Violation(NamedTuple):
    """What was done against a rule: when, as ``clock`` of the port, against which, what was seen, and by whom."""

    clock: int
    rule: Rule
    detail: str = ""
    direction: str = HOST

    def __str__(self):
        return self.rule.report.format(self.detail)
