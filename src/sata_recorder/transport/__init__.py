"""The transport layer: frame information structures."""

from .activity import TransportActivity
from .fis import MAX_DATA_WORDS, FisType, Status, TaskFile
from .fis_parser import ReceivedFis
from .transport import Transport, TransportSignature

__all__ = ["MAX_DATA_WORDS", "FisType", "ReceivedFis", "Status", "TaskFile", "Transport",
           "TransportActivity", "TransportSignature"]
