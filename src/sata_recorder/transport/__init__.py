"""The transport layer: frame information structures."""

from .activity import TransportActivity
from .fis import MAX_DATA_WORDS, FisType, TaskFile, Status
from .fis_parser import ReceivedFis
from .transport import Transport, TransportSignature

__all__ = ["Transport", "TransportActivity", "TransportSignature", "FisType", "TaskFile", "Status", 
           "ReceivedFis", "MAX_DATA_WORDS"]
