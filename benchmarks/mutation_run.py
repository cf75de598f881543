"""One mutant of the gateware: whether it is one at all, and which test notices it."""

import hashlib
import os
import re
import resource
import shutil
import signal
import sys
import tempfile
import traceback
from pathlib import Path

# Each mutant is judged in forked processes: what they all need is loaded here, once. The gateware
# itself must not be.
import amaranth.back.rtlil
import amaranth.sim
import hypothesis
import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src/sata_recorder"
CORE = PACKAGE / "core"

#: What of each layer is elaborated, in configurations that have all of it between them, to compare
#: it with the original.
LAYERS = {
    "link": "from sata_recorder.core.link import Link; parts = [Link(), Link(send_cont=False)]",
    "transport": "from sata_recorder.core.transport import Transport; parts = [Transport()]",
    "command": "from sata_recorder.core.command import Command; parts = [Command()]",
    "sequencer": "from sata_recorder.interface.configuration import Configuration as C; from "
                 "sata_recorder.core.sequencer import Sequencer as S; L = dict(clear_clocks=37, "
                 "settle_clocks=69); parts = [S(C(), **L), S(C(retries=1), **L), "
                 "S(C(retries=0, on_failure='skip', pacing='programmable'), **L), "
                 "S(C(recovery=False, retain_sectors=0), **L), "
                 "S(C(extents='modes', trim_ahead=True, look_sectors=8, smart_commands=2, "
                 "smart_temperature=True, flush_commands=3, alignment=True, commands=True), **L), "
                 "S(C(extents='queued', fua=True, long_logical_sectors=True), **L)]",
    "ledger": "from sata_recorder.core.ledger import Ledger; parts = [Ledger()]",
    "recorder": "from sata_recorder.core.drive_port import DrivePort; "
                "from sata_recorder.core.recorder import Recorder as R; "
                "from sata_recorder.core.recorder.memory import MemoryShape; parts = [R(depth=512), "
                "R(depth=8192, retain=True, skips=False, drop=True), "
                "R(depth=512, retain=True, drop=True), R(depth=8192), "
                "R(depth=98304, retain=True, memory=MemoryShape(98304, width=64, fifo=64), "
                "port=DrivePort(queued=True, long_sectors=True, looks=True))]",
}
#: Without memories, so that a solver can compare them.
PROVABLE = ("link", "transport", "command")
#: Against the whole core, in two configurations, and in one: so often it is compiled.
_WHOLE = ["tests/integration/clauses"]
_LOWER = [*_WHOLE, "-k", "not retried"]
#: Against three cores with random faults of the drive and the line.
_CAMPAIGN = ["tests/integration/test_campaign.py", "-k", "two_hundred_runs"]
#: Against the whole core in many.
_LAST = [f"tests/integration/test_{name}.py" for name in (
    "commands", "flow_control", "frame_faults", "drive_errors", "ledger", "one_error", "link_loss",
    "identify", "bring_up", "stop_recording", "stop_playing", "refusals", "streams", "timeouts",
    "recovery", "short_link_loss", "broken_rules", "storm", "start")]
#: Seconds of CPU of a run of tests, some times what it needs with the original.
_LIMITS = {"unit": 75, "proof": 60, "clauses": 120, "campaign": 300, "integration": 400}
_WALL_SECONDS = 1800


class Workplace:
    """A copy of the package in which one file at a time is a mutant; a context manager.

    Its process must not have imported the package: those it forks would have it, too.
    """

    def __enter__(self):
        assert PACKAGE.name not in sys.modules
        self._folder = tempfile.TemporaryDirectory(prefix="sata-recorder-mutant-")
        self.folder = Path(self._folder.name)
        self._package = self.folder / "src/sata_recorder"
        shutil.copytree(PACKAGE, self._package, ignore=shutil.ignore_patterns("__pycache__"))
        return self

    def __exit__(self, *exc):
        self._folder.cleanup()

    def netlist(self, layer):
        """The digest of the layer's netlists as the files are now; None if there are none."""
        status, text = self._fork(lambda: print("netlist", _netlist(layer)), "unit")
        return _digest_in(text) if status == 0 else None

    def sound(self, layers, *, last=False):
        """The first test of those of ``layers`` that fails without a mutant, or None."""
        stages = [("unit", unit_tests(layer)) for layer in layers]
        for stage, tests in [*stages, *later_stages(layers, last)]:
            status, text = self._fork(lambda: _pytest(tests), stage)
            if status:
                return _failed(status, text)
        return None

    def judge(self, mutant, original, *, last=False):
        """What became of ``mutant``: a dictionary with ``verdict`` (stillborn, equivalent, killed,
        survived), ``stage`` and ``by`` (the test), ``netlist``, ``seconds`` of CPU.

        ``original`` is the digest of the netlists without it; ``last`` runs the tests for those
        that survive all others.
        """
        path = self._package / CORE.name / mutant.path
        source = path.read_text()
        assert source[mutant.start:mutant.end] == mutant.old, f"{mutant.path} has changed"
        begin = _cpu()
        layer = mutant.path.partition("/")[0]
        if layer in PROVABLE and not (self.folder / f"{layer}0.il").exists():
            self._fork(lambda: _keep(layer, self.folder), "unit")
        path.write_text(mutant.apply(source))
        try:
            found = self._judge(mutant, original, last)
        finally:
            path.write_text(source)
            for file in self.folder.glob("cache/*"):
                if file.is_file():      # a core; the compiled drive is a folder
                    file.unlink()
        return found | {"seconds": round(_cpu() - begin, 1)}

    def _judge(self, mutant, original, last):
        layer = mutant.path.partition("/")[0]

        def unit():
            try:
                netlist = _netlist(layer)
            except Exception:
                traceback.print_exc()
                return _STILLBORN
            print("netlist", netlist)
            if netlist == original:
                return _EQUIVALENT
            return _pytest(unit_tests(layer, Path(mutant.path).stem))

        status, text = self._fork(unit, "unit")
        netlist = _digest_in(text)
        if status == _STILLBORN:
            return {"verdict": "stillborn"}
        if status == _EQUIVALENT or not status and self._proved(mutant, layer):
            return {"verdict": "equivalent"}
        stage = "unit"
        for next_stage, tests in later_stages([layer], last):
            if status:
                break
            stage = next_stage
            status, text = self._fork(lambda: _pytest(tests), stage)
        assert status != _NO_TESTS, f"no tests: {stage}"
        if not status:
            return {"verdict": "survived", "stage": stage, "netlist": netlist}
        return {"verdict": "killed", "stage": stage, "by": _failed(status, text),
                "netlist": netlist}

    def _proved(self, mutant, layer):
        """Whether no input sequence can tell it from the original."""
        # The proof takes the first states for equal.
        return layer in PROVABLE and "init" not in mutant.text and \
            self._fork(lambda: _prove(layer, self.folder), "proof")[0] == 0

    def _fork(self, work, stage):
        """(status, text) of ``work()`` in a process of its own, limited as for ``stage``."""
        log = self.folder / "log"
        child = os.fork()
        if not child:
            self._child(work, _LIMITS[stage], log)
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status), log.read_text(errors="replace")

    def _child(self, work, seconds, log):
        status = 1
        try:
            output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            os.dup2(output, 1)
            os.dup2(output, 2)
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(_WALL_SECONDS)
            os.chdir(ROOT)
            sys.path[:0] = [str(self.folder / "src"), *(str(ROOT / name) for name in
                                                        ("models", "platforms", "benchmarks"))]
            sys.dont_write_bytecode = True
            os.environ |= {"SATA_RECORDER_CACHE": str(self.folder / "cache"), "SEED": "1"}
            status = work() or 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)


_STILLBORN, _EQUIVALENT, _NO_TESTS = 100, 101, 102


class JudgingPlugin:
    """The first failure counts, so nothing is shrunk, and each run of a test is the same; the ``tests`` run in their
    order."""

    def __init__(self, tests):
        self._tests = tests

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        # pytest forgets the order of a folder and a file in it.
        items.sort(key=lambda item: next(
            (place for place, test in enumerate(self._tests) if item.nodeid.startswith(test)), len(self._tests)))

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config):
        settings = hypothesis.settings
        settings.register_profile("mutation", settings.get_profile("default"), derandomize=True,
                                  database=None, phases=(hypothesis.Phase.explicit,
                                                         hypothesis.Phase.generate))
        settings.load_profile("mutation")


def later_stages(layers, last):
    """(name, tests) of what comes after the unit tests."""
    whole = _LOWER if set(layers) <= set(PROVABLE) else _WHOLE
    stages = [("clauses", whole), ("campaign", _CAMPAIGN), ("integration", _LAST)]
    return stages if last else stages[:1]


def unit_tests(layer, name=None):
    """The folder of the layer's unit tests; before it, if there is one, the file of those of the source ``name``,
    which most likely notice."""
    folder = f"tests/unit/core/{layer}"
    first = f"{folder}/test_{name}.py"
    return [first, folder] if (ROOT / first).exists() else [folder]


def _pytest(tests):
    status = int(pytest.main(["-x", "-q", "-n", "0", "--no-header", "--tb=no", "-p",
                              "no:cacheprovider", *tests], [JudgingPlugin(tests)]))
    return _NO_TESTS if status == pytest.ExitCode.NO_TESTS_COLLECTED else status


def _texts(layer):
    """RTLIL of the parts of ``layer``."""
    names = {}
    exec(LAYERS[layer], names)
    for part in names["parts"]:
        top = amaranth.hdl.Module()
        top.submodules.part = part
        values = [amaranth.hdl.Value.cast(view) for _, _, view in part.signature.flatten(part)]
        ports = [value for value in values if isinstance(value, amaranth.hdl.Signal)]
        yield amaranth.back.rtlil.convert(top, ports=ports, emit_src=False)


def _netlist(layer):
    return digest("".join(_texts(layer)))


def _prove(layer, folder):
    """Raises an exception unless the parts are proved to be those that ``folder`` keeps: the same
    outputs in every clock that begins in the same state, whatever the inputs."""
    from sata_recorder.export import yosys
    for number, text in enumerate(_texts(layer)):
        Path(folder, "gate.il").write_text(text)
        script = []
        for name, file in ("gold", f"{layer}{number}.il"), ("gate", "gate.il"):
            # Bit by bit, or else a register that is too wide has no counterpart.
            script += [f"read_rtlil {file}", "hierarchy -top top", "flatten", "proc", "opt -full",
                       "splitnets", f"rename top {name}", f"design -stash {name}"]
        script += [f"design -copy-from {name} -as {name} {name}" for name in ("gold", "gate")]
        yosys.run([*script, "equiv_make gold gate equiv", "hierarchy -top equiv", "opt_clean",
                   "equiv_simple", "equiv_induct", "equiv_status -assert"], folder)


def _keep(layer, folder):
    for number, text in enumerate(_texts(layer)):
        Path(folder, f"{layer}{number}.il").write_text(text)


def _digest_in(text):
    """The digest of netlists that was printed, or None."""
    found = re.search(r"^netlist (.*)$", text, re.MULTILINE)
    return found and found[1]


def _failed(status, text):
    """The test that failed."""
    if status < 0:
        return f"(stopped by {signal.Signals(-status).name}: no end)"
    lines = [line for line in text.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    return lines[0].partition(" ")[2].partition(" - ")[0] if lines else f"(status {status})"


def digest(text):
    """A short name for ``text``."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _cpu():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
