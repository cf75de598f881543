"""A processor beside the core, whose firmware runs the loop of commands.

| of interest | where |
| --- | --- |
| which processor, how fast, how it waits | :mod:`.controller` |
| the soft cores and their buses | :mod:`.processors`, :mod:`.bus` |
| the block RAM with the program; the C | :mod:`.program_memory`, :mod:`.compiler`, ``c/`` |
| what the user requests, what the firmware answers; as C | :mod:`.request`, :mod:`.cheader` |
| ledger and counters over all operations of a request | :mod:`.sums` |
| all of it with the face of a core; as one netlist | :mod:`.recorder`, :mod:`.netlist` |
"""

from .bus import AddressRegion, AxiLiteManager, route
from .compiler import FIRMWARE_FOLDER, FirmwareError, compiler_identity, program, unavailable
from .controller import EXTENTS, SLOWEST, WAITS, Controller
from .netlist import processor_rtlil, whole_rtlil
from .processors import PROCESSORS, Processor
from .program_memory import ProgramMemory
from .recorder import OPERATED, FirmwareRecorder

__all__ = ["AddressRegion", "AxiLiteManager", "Controller", "EXTENTS", "FIRMWARE_FOLDER",
           "FirmwareError", "FirmwareRecorder", "OPERATED", "PROCESSORS", "Processor",
           "ProgramMemory", "SLOWEST", "WAITS", "compiler_identity", "processor_rtlil", "program",
           "route", "unavailable", "whole_rtlil"]
