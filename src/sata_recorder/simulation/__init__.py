"""The core against the drive model: this is the only place where the two meet.

| of interest | where |
| --- | --- |
| a core and its drive, operated as a user's logic would | :mod:`.session` |
| what an engine offers; which engines there are | :mod:`.engine`, :mod:`.engines` |
| the fast engines: the core compiled | :mod:`.compiled`, ``harness.cc``, ``bench.h`` |
| the C++ of a core, from its netlist | :mod:`.netlist` |
| what hardly changes in a core, learned and compiled as fast paths | :mod:`.fast_paths`, ``fast_path.h`` |
| how a core becomes a library, and its cache | :mod:`.build`, :mod:`.compiler`, :mod:`.cache` |
| the slow engine: the exported Verilog in Icarus | :mod:`.icarus`, :mod:`.icarus_worker` |
| the drive model, as it is or compiled | :mod:`.drive_package` |
| profiles of drives, and which of them are refused | :mod:`.profiles` |
| controls and outputs of the core; events, holds, rates | :mod:`.signals` |
| what is at the core's streams; the words in them | :mod:`.streams`, :mod:`.pattern` |
| the memory of a core that has one | :mod:`.simulated_memory` |
| an independent observer of the dword port, the judge of the core's ledger | :mod:`.analyser` |
| readbacks of a recording that runs | :mod:`.look_watch` |
| where the cycles went, and when | :mod:`.accounts`, :mod:`.timeline` |
| any other component of one clock domain, compiled | :mod:`.clocked` |
| a board with a UART and its drive, many clocks a call | :mod:`.uart_board`, ``uart_board.cc`` |
| work on all processors of this machine | :mod:`.processes` |
| what of all this works here, and what is compiled already | :mod:`.readiness` |
"""

from sata_drive_model.medium.profile import Profile, ProfileError
from sata_drive_model.medium.profile import names as profile_names
from sata_drive_model.medium.profile import text_of as profile_source
from sata_drive_model.medium.profile import timed_names as timed_profile_names

from .accounts import ACCOUNTS, WHOSE, LedgerReading
from .build import Translator, library
from .cache import cache_folder, writing
from .clocked import Clocked, compiled_component
from .compiled import Compiled
from .drive_package import (best_drive_model, compile_in_background, drive_model, drive_model_for, drive_port,
                            is_compiled, line_rate, qemu_missing)
from .drive_package import reason as uncompiled_reason
from .engine import Engine, EngineError, MissingTool, State, UnwrittenFile, Waves
from .engines import available_engines
from .icarus import simulate
from .look_watch import LookWatch
from .pattern import ENDLESS, PATTERNS, Bytes, File, Gapped, Pattern
from .processes import LocalWorkers, WorkerDied, processors
from .profiles import load_profile, simulated_profile
from .readiness import cache_found, compiled_already, compiler_found, engine_reasons, qemu_reason
from .session import Outcome, Session, Stuck
from .signals import COUNTERS, OPTIONAL_COUNTERS, Event, Hold, Rate
from .simulated_memory import SimulatedMemory, cells_rtlil
from .streams import MOST_GAPS
from .timeline import Timeline, command_columns, split_overhead
from .uart_board import UartBoard, uart_board_library
from .verilog_drive import verilog_drive

__all__ = ["ACCOUNTS", "Bytes", "COUNTERS", "Clocked", "Compiled", "ENDLESS", "Engine", "EngineError", "Event", "File",
           "Gapped", "Hold", "LedgerReading", "LocalWorkers", "LookWatch", "MOST_GAPS", "MissingTool",
           "OPTIONAL_COUNTERS", "Outcome", "PATTERNS", "Pattern", "Profile", "ProfileError", "Rate", "Session",
           "SimulatedMemory", "State", "Stuck", "Timeline", "Translator", "UartBoard", "UnwrittenFile", "WHOSE",
           "Waves", "WorkerDied", "available_engines", "best_drive_model", "cache_folder", "cache_found", "cells_rtlil",
           "command_columns", "compile_in_background", "compiled_already", "compiled_component", "compiler_found",
           "drive_model", "drive_model_for", "drive_port", "engine_reasons", "is_compiled", "library", "line_rate",
           "load_profile", "processors", "profile_names", "profile_source", "qemu_missing", "qemu_reason", "simulate",
           "simulated_profile", "split_overhead", "timed_profile_names", "uart_board_library", "uncompiled_reason",
           "verilog_drive", "writing"]
