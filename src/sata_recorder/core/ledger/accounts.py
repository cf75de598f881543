"""The accounts of the ledger and its other entries: address, meaning, and who causes the cycles."""

from ...facts.described_enum import DescribedEnum

__all__ = ["Account", "Entry", "WholeAccount"]


class Account(DescribedEnum):
    """Each cycle of a transfer belongs to exactly one account.

    The value is the address in the ledger; ``whose`` is "drive", "host" or "protocol", or None
    where no side is to blame or the answer depends on what failed.
    """

    def __init__(self, address, whose, meaning):
        super().__init__(address, meaning)
        self.whose = whose

    PAYLOAD = 0, None, "a payload dword crossed"
    FRAMING = 1, "protocol", "SOF, FIS header, CRC, EOF of a Data FIS"
    ALIGN = 2, "protocol", "ALIGN in a data frame"
    PHY_WAIT = 3, "protocol", "in a data frame the PHY took or delivered nothing"
    HANDSHAKE = 4, "protocol", "X_RDY, R_RDY, WTRM, R_OK and SYNC around Data FISes"
    DEVICE_HOLD = 5, "drive", "the drive throttles"
    HOST_HOLD = 6, "host", "the user's stream throttles"    # HOLD, or no R_RDY to the drive
    ACTIVATE_WAIT = 7, "drive", "write: waiting for DMA Activate"
    DATA_WAIT = 8, "drive", "read: waiting for the drive's next Data FIS"
    COMPLETION_WAIT = 9, "drive", "from the last data to the status"
    COMMAND = 10, "protocol", "the frame of the command"
    TURNAROUND = 11, "host", "from a status to the next command's X_RDY"
    RECOVERY = 12, None, ("from a refused command FIS, or a failed command, to the next X_RDY of a"
                          " command")
    FLUSH = 13, "drive", "FLUSH CACHE, SMART RETURN STATUS, TRIM or a readback, after a data command"


class WholeAccount(DescribedEnum):
    """An account that only the ledger of an array as a whole has.

    The value is the address in the ledger.
    """

    LANE_PAYLOAD = 14, ("of an array as a whole: a lane moved words, and no word crossed the stream, which waited for"
                        " it or had ended")


class Entry(DescribedEnum):
    """What the ledger holds besides the accounts: extremes over all commands, and their number.

    The value is the address in the ledger; a minimum has an even one.
    """

    TURNAROUND_MIN = 16, ("fewest clocks from a status to the next X_RDY; 2^48 - 1 for"
                          " none")
    TURNAROUND_MAX = 17, "most clocks from a status to the next X_RDY; 0 for none"
    OVERHEAD_MIN = 18, ("fewest clocks between two commands' payload, without FLUSH CACHE; "
                        "2^48 - 1 for none")
    OVERHEAD_MAX = 19, ("most clocks between two commands' payload, without FLUSH CACHE; 0 for "
                        "none")
    COMMANDS = 20, "data commands completed"
