"""The transport layer: frame information structures.

Serial ATA Revision 3.x, transport layer.
"""

from .activity import TransportActivity
from .fis import MAX_DATA_WORDS, FisType, ReceivedFis, Status, TaskFile
from .fis_parser import ResultRegisters
from .transport import Transport, TransportSignature

__all__ = ["FisType", "MAX_DATA_WORDS", "ReceivedFis", "ResultRegisters", "Status", "TaskFile", "Transport",
           "TransportActivity", "TransportSignature"]
