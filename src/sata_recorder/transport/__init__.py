"""The transport layer: frame information structures."""

from ..link import Activity
from .fis import MAX_DATA_WORDS, FisType, RegisterFields, Status
from .fis_parser import Received
from .transport import Transport, TransportSignature

__all__ = ["Transport", "TransportSignature", "FisType", "RegisterFields", "Status", "Received",
           "Activity", "MAX_DATA_WORDS"]
