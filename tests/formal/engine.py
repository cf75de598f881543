"""From a harness to a verdict: Yosys writes the design as AIGER, ABC decides.

Both come with the `pyosys` package.
"""

import re
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pyosys
from amaranth.back import rtlil

from sata_recorder.export import yosys

__all__ = ["Verdict", "FormalModel"]

_ABC = Path(pyosys.__file__).with_name("yosys-abc")

#: Clocks in a row in which a check holds before it must hold in the next, for an induction.
_STEPS = 9


@dataclass
class Verdict:
    """What became of a check.

    ``proved``: False with a counterexample, None if nothing was decided in time. ``frame``: the
    last clock of the trace that was found. ``clauses``: of the invariant.
    """

    name: str
    proved: bool | None
    method: str
    frame: int | None
    clauses: int
    seconds: float
    log: str


class FormalModel:
    """The design of a harness in ``folder``, ready for questions. Raises YosysError."""

    def __init__(self, harness, folder):
        self.folder = Path(folder)
        module = harness.finish()
        probes = harness.probes
        outputs = {"bad": harness.bad, "wrong": harness.wrong, "cover": harness.reached}
        self._path("top.il").write_text(rtlil.convert(module, name="top", emit_src=False, ports=[
            harness.domain.clk, *harness.inputs, *probes.values(), *outputs.values()]))
        self.checks = {"bad": [*harness.lemmas, *harness.checks], "wrong": [*harness.checks]}
        self.covers = [*harness.covers]
        def connect(in_memory):
            return [command for path, signal in probes.items() if ("[" in path) == in_memory
                    for command in (f"select -assert-count 1 w:{path.replace('[', '?')[:-1]}?"
                                    if in_memory else f"select -assert-count 1 w:{path}",
                                    f"delete -input w:{signal.name}",
                                    f"connect -nounset -set \\{signal.name} \\{path}")]

        # Flops with a clock of their own: what they show depends on whether it has risen since the step before.
        clocked = [command for name in harness.clocked for command in (
            f"memory top.{name}*", f"opt_clean top.{name}*", f"clk2fflogic top.{name}*")]
        script = ["read_rtlil top.il", "hierarchy -top top", "proc -norom", *clocked, "flatten",
                  "cd top", *connect(False), "cd", "opt_clean", "memory -nomap", "memory_map",
                  "cd top", *connect(True)]
        script += ["cd", "opt -full", "techmap",
                   "opt -fast", "dffunmap", "setundef -anyseq", "aigmap", "opt_clean",
                   "write_rtlil gates.il"]
        for output in outputs:
            others = " ".join(f"top/w:{other}" for other in outputs if other != output)
            script += ["design -save gates", f"delete -output {others}", "opt_clean -purge",
                       f"write_aiger -zinit -map {output}.aim {output}.aig", "design -load gates"]
        self._path("yosys.log").write_text(yosys.run(script, folder))

    def _path(self, name):
        return self.folder / name

    def _ask(self, file, index, question, seconds=600):
        """ABC's log about output ``index`` of ``file`` (None: all), and how long it took."""
        one = "" if index is None else f"cone -O {index} -R 1; scleanup;"
        script = f"read_aiger {file}.aig; strash; {one} {question}; write_cex -a {file}.aiw"
        begun = time.monotonic()
        try:
            log = subprocess.run([_ABC, "-q", script], cwd=self.folder, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 timeout=2 * seconds).stdout
        except subprocess.TimeoutExpired:
            log = f"nothing after {2 * seconds} s"
        return log, time.monotonic() - begun

    def _verdict(self, name, method, log, seconds):
        found = re.search(r"asserted in frame +(\d+)", log)
        invariant = re.search(r"Invariant F\[\d+\] : (\d+) clauses", log)
        frame = int(found[1]) if found else None
        proved = False if found else True if "Property proved" in log else None
        return Verdict(name, proved, method, frame, int(invariant[1]) if invariant else 0,
                       seconds, log)

    def _constant(self):
        """Whether the output that ABC has written is 0 without any logic."""
        lines = self._path("reduced.aig").read_bytes().split(b"\n", 2)
        _, _, _, latches, outputs, gates = lines[0].split()[:6]
        return (latches, outputs, gates, lines[1]) == (b"0", b"1", b"0", b"0")

    def prove(self, index, seconds):
        """Check ``index`` in all traces.

        Signal correspondence first: where it leaves nothing, that is the proof. Then induction
        over a few clocks, where it is quick, then property directed reachability, whose invariant
        ABC verifies. Both are asked of the check as it is and of what correspondence has left of it:
        that is smaller, but signals that it has merged may be those that an induction needs apart. Of a
        function the BDD is built, which must be that of 0.
        """
        name = self.checks["bad"][index]
        log, took = self._ask("bad", index, "comb; collapse; strash; write_aiger reduced.aig"
                              if self._is_function() else "scorr; write_aiger reduced.aig")
        if self._constant():
            method = "BDD" if self._is_function() else "correspondence"
            return Verdict(name, True, method, None, 0, took, log)
        if self._is_function():
            return Verdict(name, False, "BDD", 0, 0, took, log)
        forms = (("bad", index), ("reduced", None))
        for form in forms:
            log, more = self._ask(*form, f"bmc3 -F {_STEPS} -T {seconds};"
                                  f" ind -F {_STEPS} -C 10000000 -T 200")
            took += more
            if (f"No output asserted in {_STEPS} frames" in log
                    and "Networks are equivalent" in log):
                return Verdict(name, True, "induction", None, 0, took, log)
        # Which of the two is decided soon differs from check to check.
        for part in (60, 10, 1):
            limit = max(seconds // part, 1)     # 0 would be none
            for form in forms:
                log, more = self._ask(*form, f"pdr -T {limit}", limit)
                took += more
                verdict = self._verdict(name, "PDR", log, took)
                if verdict.proved is not None:
                    return verdict
        return verdict

    def examine(self, index, frames, seconds):
        """Check ``index`` in the first ``frames`` clocks of all traces, which is no proof; where correspondence leaves
        nothing of it, it is one."""
        name = self.checks["bad"][index]
        log, took = self._ask("bad", index, "scorr; write_aiger reduced.aig")
        if self._constant():
            return Verdict(name, True, "correspondence", None, 0, took, log)
        log, more = self._ask("bad", index, f"bmc3 -F {frames} -T {seconds}")
        verdict = self._verdict(name, f"the first {frames} clocks only", log, took + more)
        if f"No output asserted in {frames} frames" in log:
            verdict.proved = True
        return verdict

    def _is_function(self):
        return self._path("bad.aig").read_bytes().split(maxsplit=4)[3] == b"0"

    def search(self, frames, seconds):
        """A counterexample to any check in the first ``frames`` clocks; proves nothing."""
        if self._is_function():
            return next((verdict for index in range(len(self.checks["wrong"]))
                         if not (verdict := self.prove(index, seconds)).proved),
                        Verdict("", None, "BDD", None, 0, 0, ""))
        log, took = self._ask("wrong", None, f"bmc3 -F {frames} -T {seconds}")
        found = re.search(r"Output +(\d+) .*asserted", log)
        name = self.checks["wrong"][int(found[1])] if found else ""
        return self._verdict(name, "BMC", log, took)

    def cover(self, index, frames, seconds):
        """The shortest trace to cover ``index``; ``proved`` is False where there is one."""
        log, took = self._ask("cover", index, f"bmc3 -F {frames} -T {seconds}")
        return self._verdict(self.covers[index], "BMC", log, took)

    def trace(self, file="wrong"):
        """Writes the trace of the last search (or with ``cover`` cover) as VCD; returns its path.
        """
        # ABC has forgotten the latches without a function. All are 0 at first.
        witness, latches = self._path(f"{file}.aiw"), self._path(f"{file}.aig").read_bytes()
        _, *rows = witness.read_text().splitlines(keepends=True)
        witness.write_text("0" * int(latches.split(maxsplit=4)[3]) + "\n" + "".join(rows))
        yosys.run(["read_rtlil gates.il", f"sim -clock clk -zinit -r {file}.aiw -map {file}.aim"
                   f" -vcd {file}.vcd top"], self.folder)
        return self._path(f"{file}.vcd")
