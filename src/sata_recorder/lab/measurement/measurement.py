"""The measurement: does a job, and reports what came of it."""

import gc
import time
from collections.abc import Callable
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from ... import outputs
from ...facts.ata import LBA28_COMMAND_SECTORS
from ...facts.units import SECTOR_WORDS
from ...simulation import (Compiled, EngineError, Translator, UnwrittenFile, available_engines,
                          drive_model, drive_model_for, is_compiled, library, simulate)
from .array_run import ArrayRun
from .channel_run import ChannelRun
from .channels import has_channels
from .files import check_output
from .image_file import held_image
from .job import Job
from .job_error import JobError
from .limits import caveats, sustained
from .looks import waiting, without_looks
from .rates import exact_rate
from .recording_run import ArrayRecordingRun, RecordingRun
from .run import MeasurementRun
from .source_stage import clock_ratio, has_source_stage


@dataclass
class Measurement:
    """What came of ``job``; ``problems`` is empty if everything is as it must be.

    ``model``, ``serial``, ``firmware``, ``capacity`` and ``lba48`` are the drive's as the core
    found them; ``transfers`` one :class:`.transfer.Transfer` for each operation; ``clocks``
    simulated, and ``hash`` of the dwords that crossed the port in them. ``engine`` is the name of
    the one that ran, ``drive_compiled`` whether the drive was compiled, too, ``wall_seconds`` what it took
    without compiling the core. Of a stream that cannot wait,
    if it was requested: ``search`` the :class:`.source_rate.Search` of the highest rate,
    ``spread`` its :class:`.Spread`, ``needed_fifo`` the words of a FIFO that would have lost nothing. Of a
    recording in a mode: ``recording``, the :class:`.recording_plan.RecordingReport`. If the job
    has ``smart``: the :class:`...pc.maintenance.SmartReading` before and after. Of a core with channels: ``channels``,
    a :class:`.channel_run.ChannelReport` for each.
    """

    job: Job
    model: str
    serial: str
    firmware: str
    capacity: int
    lba48: bool
    transfers: list
    problems: list
    clocks: int
    hash: int
    engine: str = ""
    drive_compiled: bool = False
    wall_seconds: float = 0.0
    search: Any = None
    spread: Any = None
    needed_fifo: int | None = None
    recording: Any = None
    smart: tuple = ()
    channels: tuple = ()

    @property
    def longest_command(self) -> int | None:
        """The sectors of the longest command that the core could send."""
        longest = self.job.configuration.max_command_sectors
        if self.job.command_limit:
            longest = min(longest, self.job.command_limit)
        return longest if self.lba48 else min(longest, LBA28_COMMAND_SECTORS)

    def told_rate(self, bytes_per_second: float) -> str:
        """An input rate of ``bytes_per_second`` in MB/s, with as many digits as a run that repeats this one needs."""
        return exact_rate(bytes_per_second, self.job.configuration.clock_hz)

    @cached_property
    def caveats(self) -> list[str]:
        """Why a longer recording may go otherwise than this one: texts, see :mod:`.limits`."""
        return caveats(self)

    @property
    def sustained(self) -> float | None:
        """Bytes a second that the drive takes indefinitely, recorded as here; None if nothing was
        recorded, or if it is not known."""
        return next((sustained(self, transfer) for transfer in self.transfers
                     if transfer.operation == "record"), None)

    @property
    def verdict(self) -> str:
        """"wrong", "lost" if words were lost, "limited" if it holds for these bytes only, or "good"."""
        if self.problems:
            return "wrong"
        return "lost" if self.lost else "limited" if self.caveats else "good"

    @property
    def lost(self) -> int:
        """Words that were lost because the stream could not wait."""
        return sum(transfer.source.lost for transfer in self.transfers if transfer.source)


def execute(job: Job, engine: str = "auto", progress: Callable[[str, int, int], object] | None = None) -> Measurement:
    """Does ``job`` on an engine of :mod:`...simulation.engines`; for "auto" with what is done sooner: the fastest one,
    with the drive in Python if a compiled one would be ready too late, or cannot be made.

    Returns the :class:`Measurement`. ``progress`` is called with the name of a phase ("drive" and "build" while drive
    and core are compiled, "record", "play", "without looks"), the words that are through and the words in all. Raises
    :exc:`...simulation.MissingTool` if a tool is missing, :exc:`...simulation.EngineError` if
    the simulation itself failed, :exc:`...simulation.Stuck` if the core made no progress,
    :exc:`.job_error.JobError` for an image that is in use, and ``OSError`` for a file. Trace and
    waves appear when they are complete; if this fails, nothing is left of them, nor of an image
    that it has made.
    """
    progress = progress or (lambda phase, done, total: None)
    name = available_engines()[0] if engine == "auto" else engine
    if job.controller is not None and (name == "icarus" or engine == "cxxrtl"):
        raise JobError("controller", job.controller.processor,
                       f"the engine {name} simulates the core alone")
    if job.recording is not None and name == "icarus":
        raise JobError("mode", job.recording.mode, "the engine icarus has no pins for it")
    if job.configuration.drives > 1 and name == "icarus":
        raise JobError("drives", job.configuration.drives, "the engine icarus has one drive")
    if job.configuration.memory and name == "icarus":
        raise JobError("memory", job.configuration.memory, "the engine icarus has no memory")
    if has_source_stage(job.configuration) and name == "icarus":
        raise JobError("source_width", job.configuration.source_width, "the engine icarus gives words of 32 bits in "
                       "the core's clock: not together with a width or a clock of the source")
    if has_channels(job.configuration) and name == "icarus":
        raise JobError("channels", job.configuration.channels, "the engine icarus gives one stream")
    if job.smart and name == "icarus":
        raise JobError("smart", None, "the engine icarus has no pins for it")
    with held_image(job), _parts(job) as begun:
        if name == "icarus":
            progress("build", 0, 0)
            measurement = simulate(job.configuration, measure, begun, progress=progress,
                                   waves=begun.waves)
        else:
            progress("drive", 0, 0)
            if engine == "auto":
                name, model = "compiled", drive_model_for(_about(job))
            else:
                model = drive_model(compiled=name == "compiled")
            progress("build", 0, 0)
            translator = Translator.CXXRTL if name == "cxxrtl" and job.controller is None else \
                Translator.NETLIST
            library(job.configuration, Translator.WAVES if job.vcd else translator, job.controller)
            measurement = measure(partial(Compiled, translator=translator, controller=job.controller,
                                          source_clock=clock_ratio(job)), begun, progress, model)
            if job.recording is not None and job.recording.looks is not None:
                def quiet(_, done, total):
                    progress("without looks", done, total)
                without = measure(partial(Compiled, translator=translator), without_looks(begun), quiet,
                                  model)
                _compare_looks(measurement, without)
            measurement.drive_compiled = is_compiled(model)
    measurement.job = job
    measurement.engine = name
    return measurement


def _about(job):
    """About how many clocks the job takes if the drive does not hold it up."""
    words = SECTOR_WORDS * job.sectors * (2 if job.operation == "both" else 1)
    return words if job.input_rate is None else words * job.input_rate.clocks // job.input_rate.words


def _compare_looks(measurement, without):
    """Puts how long words waited ``without`` readbacks next to how long they did with them."""
    measurement.problems += [f"without looks: {text}" for text in without.problems]
    if measurement.recording is not None and without.transfers:
        measurement.recording.looks["without"] = waiting(without.transfers[0])


@contextmanager
def _parts(job):
    """``job`` with files next to its trace and its waves, which take their places in the end."""
    paths = {name: path for name, path in (("trace", job.trace), ("vcd", job.vcd))
             if path is not None}
    parts = {}
    try:
        for name, path in paths.items():
            check_output(name, path, job.overwrite)
            parts[name] = outputs.part(path)
        yield replace(job, **{name: str(part) for name, part in parts.items()}) if parts else job
        for name in parts:                      # a long run may have passed since
            check_output(name, paths[name], job.overwrite)
        for name, part in parts.items():
            outputs.place(part, paths[name], overwrite=job.overwrite, beside=name == "trace")
    except UnwrittenFile as error:
        told = {str(part): paths[name] for name, part in parts.items()}
        raise UnwrittenFile(error.what, told.get(error.path, error.path), error.reason) from None
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)


def measure(open_engine, job, progress, model=None):
    """Does ``job`` on the engine that ``open_engine(configuration, drive, trace=, waves=)`` starts.

    Returns the :class:`Measurement`. ``progress`` is called as :func:`execute` describes; ``model`` is
    the drive model's package (None: that in Python). Raises as the engine does.
    """
    begin = time.monotonic()
    model = model or drive_model(compiled=False)
    with ExitStack() as stack:
        # What lives now lives on: the garbage collector need not scan it again and again.
        gc.freeze()
        stack.callback(gc.unfreeze)
        stack.enter_context(_qemu_failures(model))
        run = stack.enter_context(closing(_kind(job)(job, progress, model)))
        engine = stack.enter_context(open_engine(job.configuration, run.port, trace=job.trace, waves=job.waves))
        drive = run.perform(engine)
        state = engine.state()
    return Measurement(job, **drive, transfers=run.transfers, problems=run.problems,
                       clocks=state.cycle, hash=state.hash, wall_seconds=time.monotonic() - begin,
                       recording=None if job.recording is None else run.recording, smart=run.smart,
                       channels=run.channels if isinstance(run, ChannelRun) else ())


def _kind(job):
    """The class that does the job."""
    if job.configuration.drives > 1:
        return ArrayRun if job.recording is None else ArrayRecordingRun
    if has_channels(job.configuration):
        return ChannelRun
    return MeasurementRun if job.recording is None else RecordingRun


@contextmanager
def _qemu_failures(model):
    """Makes a failure of QEMU one of the simulation."""
    try:
        yield
    except model.QemuError as error:
        raise EngineError(str(error)) from None
