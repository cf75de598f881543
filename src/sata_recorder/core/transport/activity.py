"""What the transport layer shows of its work, for the cycle ledger."""

from amaranth.lib import data

from .fis import ReceivedFis

__all__ = ["TransportActivity"]


class TransportActivity(data.Struct):
    """What the transport layer did in a clock."""

    #: A FIS from the drive whose CRC was found good, or its end if it was bad.
    received: ReceivedFis
    #: The dword that arrived is the header of a Data FIS.
    is_data: 1
    #: A dword that may be payload or the CRC waits for the next one, which decides it.
    pending: 1
    #: The drive has acknowledged the Register FIS; a clock before the link layer shows it.
    registers_done: 1
    #: The Register FIS is to be sent once more; a clock before the link layer shows it.
    registers_again: 1
    #: The Data FIS has ended, well or not; a clock before the link layer shows it.
    data_done: 1
