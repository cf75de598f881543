"""A drive's life on the flash model: what becomes of it as it is written, until a given end.

:class:`.WearRequest` is the question (:mod:`.request`), :func:`.wear` answers it (:mod:`.outlook`) with a life of the
drive's flash, the band that results from parameters nobody knows exactly, and what can be read after a rest;
:mod:`.smart` has what such a drive reports, :mod:`.reporting` the same for a simulated drive while it is written,
:mod:`.table` the log as files.
"""

from .outlook import Band, Wear, wear
from .reporting import Reporting
from .request import WearRequest, flash_drive, flash_names, flash_source
from .smart import reported
from .table import as_csv, as_parquet

__all__ = ["Band", "Reporting", "Wear", "WearRequest", "as_csv", "as_parquet", "flash_drive", "flash_names",
           "flash_source", "reported", "wear"]
