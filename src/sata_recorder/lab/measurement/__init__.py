"""One measurement: a job, what came of it, and where its cycles went.

:func:`.make_job` makes a :class:`.Job` of what is requested (:mod:`.options`, :mod:`.request`); it states what is
measured and refuses what cannot be (:mod:`.job`, :mod:`.job_checks`, :mod:`.files`); :func:`.execute` does it
(:mod:`.measurement`, :mod:`.run`, :mod:`.comparison`) and gives a :class:`.Measurement` with a :class:`.Transfer` for
each operation; :func:`.as_data` and :func:`.as_row` make plain data of it. :mod:`.source_rate` finds what a
stream that cannot wait needs, :mod:`.rates` reads rates and sizes as people write them, and :mod:`.store` keeps
results.
"""

from .data import as_data, as_row, simulation_data
from .drive_health import MOST_WRITTEN
from .files import check_files
from .inside import inside_caveats, inside_data, inside_parameters, inside_rows, inside_source
from .job import Job, usual_generation
from .job_checks import FIFO_LIMIT, turnaround_clocks
from .job_error import JobError
from .looks import LookPlan, look_sectors
from .measurement import Measurement, execute
from .options import DriveOptions, HostOptions, OutputOptions, StreamOptions, TransferOptions
from .recording_plan import MODES, RecordingPlan, RecordingReport
from .rates import exact_rate, format_rate, parse_frequency, parse_rate, parse_size, reason, words_per_clock
from .request import assuming, make_job
from .run import error_text, identity, patience
from .source_stage import SOURCE_HZ, carried, check_beats, has_source_stage
from .source_rate import (ProbeFailed, Search, Spread, highest_rate, needed_fifo, probe,
                          spread_of_rates)
from .statistics import Statistics
from .store import SOURCES, Store
from .transfer import SourceReport, Transfer, error_number

__all__ = ["DriveOptions", "FIFO_LIMIT", "HostOptions", "LookPlan", "MODES", "MOST_WRITTEN",
           "OutputOptions", "SOURCES", "SOURCE_HZ", "Job", "JobError",
           "Measurement", "ProbeFailed", "RecordingPlan", "RecordingReport", "Search", "SourceReport",
           "Spread", "Statistics", "Store", "StreamOptions", "Transfer", "TransferOptions", "as_data", "assuming",
           "as_row", "carried", "check_beats", "check_files", "error_number", "error_text",
           "exact_rate", "execute", "format_rate", "has_source_stage", "highest_rate", "identity",
           "inside_caveats", "inside_data", "inside_parameters", "inside_rows", "inside_source", "look_sectors",
           "make_job", "needed_fifo", "patience", "probe",
           "parse_frequency", "parse_rate", "parse_size", "reason", "simulation_data", "spread_of_rates",
           "turnaround_clocks",
           "usual_generation",
           "words_per_clock"]
