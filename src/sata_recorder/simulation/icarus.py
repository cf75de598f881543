"""The slow engine: the exported Verilog in Icarus, through cocotb.

A function runs inside the simulator's process, with an engine like any other: the job and its
result travel in files.
"""

import json
import os
import pickle
import shutil
import sys
import tempfile
import threading
from contextlib import ExitStack, contextmanager
from pathlib import Path

from .. import extras
from ..export import verilog
from .engine import EngineError, MissingTool
from .icarus_bench import wrapper
from .icarus_waves import WavesFile

_WORKER = "sata_recorder.simulation.icarus_worker"
_POLL_SECONDS = 0.2
#: Names files whose assertions pytest explains; by default cocotb would make it compile all imports again.
_REWRITTEN = "COCOTB_REWRITE_ASSERTION_FILES"
#: A file that makes the worker stop.
_STOP = "stop"


def simulate(configuration, function, *arguments, progress=None, waves=None):
    """Returns ``function(open_engine, *arguments, progress)``, which runs in the simulator.

    ``function`` is found by its module and name, and arguments and result are pickled;
    ``open_engine(configuration, drive, trace=)`` gives it the engine, once. ``waves`` is an
    :class:`.engine.Waves` without a window. Raises what the function raises, :exc:`MissingTool`,
    :exc:`EngineError`.
    """
    if text := reason():
        raise MissingTool(text)
    from cocotb_tools.runner import get_runner
    with tempfile.TemporaryDirectory(prefix="sata-recorder-") as folder:
        folder = Path(folder)
        if progress:
            progress("build", 0, 0)
        sources = folder / "core.v", folder / "bench.v"
        # The bench has the plain pins, whatever the core will be exported with.
        sources[0].write_text(verilog(configuration.at_pins))
        sources[1].write_text(wrapper(configuration))
        (folder / "job.pickle").write_bytes(pickle.dumps((function, arguments)))
        runner = get_runner("icarus")
        try:
            runner.build(sources=sources, hdl_toplevel="bench", build_dir=folder,
                         timescale=("1ns", "1ps"), log_file=folder / "build.log")
            with _running(folder, waves.path if waves else None, progress) as vcd:
                # -n: an interrupt ends the simulator instead of opening its prompt.
                runner.test(test_module=_WORKER, hdl_toplevel="bench", build_dir=folder,
                            test_dir=Path.cwd(), results_xml=str(folder / "results.xml"),
                            test_args=["-n"], log_file=folder / "test.log",
                            plusargs=[f"+vcd={vcd}", *["+ports_only"] * waves.ports_only] if waves else [],
                            extra_env={"SATA_RECORDER_JOB": str(folder), _REWRITTEN: ""})
        except EngineError:
            raise
        except RuntimeError as error:
            raise EngineError(f"Icarus: {error}\n{_log(folder)}") from None
        except ValueError as error:
            if "libpython" not in str(error):
                raise
            raise MissingTool("the engine icarus needs Python's shared library: install the "
                              f"Debian package libpython3.{sys.version_info.minor}") from None
        return _result(folder)


@contextmanager
def _running(folder, vcd, progress):
    """While the simulator runs: follows it, and copies its waves from a pipe, which it yields, to
    the file ``vcd``."""
    from unittest.mock import patch     # slow to load, and only Icarus needs it
    # Icarus would add an ending to a name without one.
    pipe = folder / "waves.vcd" if vcd else None
    with ExitStack() as stack:
        # cocotb's runner ends vvp's arguments with -none, no waves; the last one counts.
        stack.enter_context(patch.dict(os.environ, SIM_CMD_SUFFIX="-vcd"))
        stack.enter_context(_Follower(folder / "progress.json", progress))
        if vcd:
            waves = WavesFile(pipe, vcd, (folder / _STOP).touch)
            stack.callback(waves.check)
            stack.enter_context(waves)
        yield pipe


def reason():
    """Why this engine does not work on this machine, or None if it does."""
    if not (shutil.which("iverilog") and shutil.which("vvp")):
        return ("the engine icarus needs Icarus Verilog: install the Debian package iverilog "
                "(apt install iverilog)")
    text = extras.missing("test")
    return text and f"the engine icarus {text}"


def _result(folder):
    try:
        good, result = pickle.loads((folder / "result.pickle").read_bytes())
    except FileNotFoundError:
        raise EngineError(f"the simulator ended without a result\n{_log(folder)}") from None
    if not good:
        raise result
    return result


def _log(folder):
    """The end of the newest log."""
    for name in ("test.log", "build.log"):
        path = folder / name
        if path.exists():
            return "\n".join(path.read_text(errors="replace").splitlines()[-20:])
    return ""


class _Follower(threading.Thread):
    """While it is entered, passes on what the worker writes about its progress."""

    def __init__(self, path, progress):
        super().__init__(daemon=True)
        self._path = path
        self._progress = progress
        self._ended = threading.Event()

    def __enter__(self):
        if self._progress:
            self.start()

    def __exit__(self, *exc):
        self._ended.set()
        if self._progress:
            self.join()

    def run(self):
        last = None
        while not self._ended.wait(_POLL_SECONDS):
            try:
                text = self._path.read_text()
            except FileNotFoundError:
                continue
            if text != last:
                last = text
                self._progress(*json.loads(text))


def write_progress(folder, *state):
    """The worker's side of the progress. Raises :exc:`EngineError` if it is to stop."""
    if (folder / _STOP).exists():
        raise EngineError("stopped")
    part = folder / "progress.part"
    part.write_text(json.dumps(state))
    os.replace(part, folder / "progress.json")
