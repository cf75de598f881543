"""Clocks a CPU-second of every simulation engine, on the same job in one run.

The job records into an empty drive and plays back, both in one command. Each engine does it whole:
core, drive, analyser, streams, the comparison of the data. What a much shorter job takes (compiling
and starting the simulator, bringing up the link) is subtracted.
"""

import platform
import re
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import tables
import times
from sata_recorder.interface.configuration import Configuration
from sata_recorder.core import SataRecorder
from sata_recorder.interface import named_ports
from sata_recorder.export import yosys
from sata_recorder.lab.measurement import Job, execute
from sata_recorder.lab.measurement.measurement import measure
from sata_recorder.simulation import (Compiled, Pattern, Translator, available_engines, compiler,
                                      drive_model)
from sata_recorder.simulation.build import rtlil
from sata_recorder.facts.units import SECTOR_WORDS

#: Sectors of the job that all engines do, of the one that is subtracted from it, and of the largest
#: command there is.
SECTORS, SHORT, LARGEST = 512, 8, 65536
#: What the fastest engine is to reach, in clocks of Icarus.
TARGET = 500
CONFIGURATION = Configuration(max_command_sectors=LARGEST)
MEANINGS = {"icarus": "Icarus through cocotb, drive in Python",
            "cxxrtl": "core by CXXRTL, drive in Python",
            "mixed": "core by CXXRTL, drive compiled",
            "compiled": "core and drive compiled"}


def job(operation, sectors):
    return Job(CONFIGURATION, operation, 0, sectors, 1 << 20,
               data=Pattern("random", 1, SECTOR_WORDS * sectors))


def cpu_seconds():
    """Of this process and of those that it has waited for."""
    return time.process_time() + times.children_seconds()


def run(engine, one):
    """(clocks, CPU-seconds) of the job `one`, compiling included where it is not cached."""
    print(f"speed: {engine}, {one.operation}, {one.sectors} sectors ...", file=sys.stderr,
          flush=True)
    begin = cpu_seconds()
    found = execute(one, engine) if engine != "mixed" else measure(
        partial(Compiled, translator=Translator.CXXRTL), one, lambda *_: None, drive_model(True))
    if found.problems:
        raise SystemExit(f"speed: {engine}: {'; '.join(found.problems)}")
    return found.clocks, cpu_seconds() - begin


def measured(engine, operation, sectors, repeats):
    """(clocks, CPU-seconds) between the short job and one of `sectors`: the fastest of `repeats`
    runs, the first one of the short job aside, which compiles. The first long one may learn a path."""
    run(engine, job(operation, SHORT))
    short, long = (min((run(engine, job(operation, size)) for _ in range(repeats)),
                       key=lambda result: result[1]) for size in (SHORT, sectors))
    return long[0] - short[0], long[1] - short[1]


def flops():
    """Flip-flops of the core, memories left out."""
    core = SataRecorder(CONFIGURATION)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "core.il").write_text(rtlil(core, named_ports(core)))
        log = yosys.run(["read_rtlil core.il", "hierarchy -auto-top", "proc", "flatten", "opt",
                         "opt_clean -purge", "dffunmap", "simplemap t:$dff", "stat"], folder)
    return int(re.findall(r"(\d+)\s+\S*\s*\$_DFF_P_|\$_DFF_P_\s+(\d+)", log)[-1][0])


def rows(speeds):
    for engine, speed in speeds.items():
        ratio = f"{speed / speeds['icarus']:,.0f}" if "icarus" in speeds else ""
        yield MEANINGS[engine], f"{speed:,.0f}", ratio


def large_rows(large):
    for (engine, operation), (clocks, seconds) in large.items():
        yield (f"{operation}, {MEANINGS[engine]}", f"{clocks:,}", f"{clocks / seconds:,.0f}",
               f"{seconds:.1f}")


def note(speeds, number):
    """The sentences below the table."""
    fastest = max(speeds, key=speeds.get)
    text = (f"The core has {number} flip-flops beside its memories, as Yosys counts them before "
            f"any mapping; a larger core is slower in proportion. The speed depends on the machine and "
            f"on the C++ compiler, here {compiler_name()} on {times.processor() or platform.machine()}.")
    if "icarus" in speeds:
        ratio = speeds[fastest] / speeds["icarus"]
        text += (f" The fastest engine is {ratio:,.0f} times as fast as Icarus: the target of "
                 f"{TARGET} is {'met' if ratio >= TARGET else 'missed'}.")
    return text


def compiler_name():
    version = compiler.identity().splitlines()
    return next(line for line in version if re.search(r"clang|g\+\+ ?\(|gcc|GCC", line))


def blocks():
    """(name, text) of all of the page."""
    names = available_engines()
    if "compiled" in names:
        # No engine of its own: what is left to the core's C++ alone.
        names.insert(1, "mixed")
    same, large = {}, {}
    for name in reversed(names):
        clocks, seconds = measured(name, "both", SECTORS, 1 if name == "icarus" else 5)
        same[name] = clocks / seconds
    for name in reversed(names):
        for operation in ("record", "play") if name != "icarus" else ():
            large[name, operation] = measured(name, operation, LARGEST, 2)
    yield "engines", tables.markdown(("engine", "clocks a CPU-second", "times icarus"), rows(same))
    yield "largest", tables.markdown(("65536 sectors (32 MiB) in one command", "clocks", "clocks a CPU-second",
                                      "CPU-seconds"), large_rows(large))
    yield "note", note(same, flops())


def main():
    arguments = tables.parser(__doc__, "docs/speed.md").parse_args()
    for name, text in blocks():
        tables.output(text, *[("speed.md", name)] * arguments.markdown)


if __name__ == "__main__":
    main()
