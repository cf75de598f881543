"""The states of the host's phy, why it left one without a link, and those of its own test.

Serial ATA Revision 3.x, phy layer, host phy initialization state machine.
"""

from ...facts.described_enum import DescribedEnum

__all__ = ["BistState", "Fall", "PhyState"]


class PhyState(DescribedEnum):
    """A state of the host phy initialization state machine, HP1 to HP8, under its own name.

    Of two states the one with the higher number is closer to a link.
    """

    HR_Reset = 0, "HP1: COMRESET goes out"
    HR_AwaitCOMINIT = 1, "HP2: the line is idle, COMINIT is answered"
    HR_AwaitNoCOMINIT = 2, "HP2B: COMINIT has not ended yet"
    HR_COMWAKE = 3, "HP4: COMWAKE goes out"             # HP3: HR_Calibrate is not needed
    HR_AwaitCOMWAKE = 4, "HP5: COMWAKE of the drive is awaited"
    HR_AwaitNoCOMWAKE = 5, "HP5B: COMWAKE has not ended yet"
    HR_AwaitAlign = 6, "HP6: D10.2 goes out, ALIGN is awaited"
    HR_SendAlign = 7, "HP7: ALIGN goes out, other primitives are awaited"
    HR_SendSync = 8, "between HP7 and HP8: SYNC goes out, the drive still sends ALIGN"
    HR_Ready = 9, "HP8: there is a link"


class Fall(DescribedEnum):
    """Why the latest try, or the latest link, ended."""

    NONE = 0, "none has ended yet"
    RESET = 1, "COMRESET was requested"
    RATE = 2, "the SERDES lost its line rate, or changes it"
    NO_COMWAKE = 3, "the drive did not answer COMWAKE"
    NO_ALIGN = 4, "it did, and no ALIGN could be received"
    NO_DWORDS = 5, "ALIGN was received, and nothing followed it"
    SIGNAL = 6, "the signal ended, and no good dword arrives"
    COMINIT = 7, "the drive started over"
    ALIGN_LOSS = 8, "no ALIGN arrives any more"
    BIST = 9, "the loop-back test began"


class BistState(DescribedEnum):
    """What the loop-back test has found."""

    NONE = 0, "it has not run"
    RUNNING = 1, "it runs"
    PASSED = 2, "all of the pattern came back"
    FAILED = 3, "dwords were wrong, or missing"
    NO_PATTERN = 4, "the pattern has not come back at all"
