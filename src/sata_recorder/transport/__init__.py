"""The transport layer: frame information structures."""

from ..link import Activity
from .fis import MAX_DATA_WORDS, FisType, TaskFile, Status
from .fis_parser import ReceivedFis
from .transport import Transport, TransportSignature

__all__ = ["Transport", "TransportSignature", "FisType", "TaskFile", "Status", "ReceivedFis",
           "Activity", "MAX_DATA_WORDS"]
