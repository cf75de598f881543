"""Hashes of all dwords that cross the port, for many seeds, drives and configurations.

    PYTHONPATH=tests .venv/bin/python -m integration.traces

writes them again, after a change that is meant to be seen at the port. Each is recorded for cores
that send a SYNC before each X_RDY, and for cores that do not.
"""

import json
from pathlib import Path

from sata_recorder.lab.campaign import CORES, kinds, prepare, random_plan, replay
from sata_recorder.interface.configuration import Configuration
from sata_recorder.lab.measurement import Job, execute
from sata_recorder.simulation import (ENDLESS, Hold, Pattern, Rate, Translator, library,
                                      load_profile)
from sata_recorder.facts.units import DWORD_HZ

RECORDED = Path(__file__).with_name("traces.json")

#: Plans of the campaign: a core, a hostile drive, operations and their faults by seed.
SEEDS = range(160)
#: The cores that they were recorded with.
SINGLE = {name: core for name, core in CORES.items()
          if core.extents == "single" and not core.commands and not core.long_logical_sectors and not core.memory
          and not name.startswith(("named-", "source"))}

#: What the cores do before X_RDY, by its name in the file: fields of their configuration.
WAYS = {"sync": {"sync_between_frames": True}, "no sync": {"sync_between_frames": False}}

#: Measurements: what of a job is not as usual, and of its configuration.
JOBS = {
    "generation 2": ({}, {}),
    "generation 3": ({"generation": 3}, {}),
    "a clock above the line rate": ({"sectors": 300}, {"clock_hz": 100e6}),
    "28-bit commands": ({"lba48": False, "capacity": 1 << 20}, {}),
    "both sides hold": ({"drive_hold": Hold(64, 16), "host_hold": Hold(50, 30)}, {}),
    "pacing": ({"turnaround_clocks": 1000, "command_limit": 32}, {"pacing": "programmable"}),
    "flush": ({"operation": "record", "flush": True}, {}),
    "a sensor": ({"operation": "record", "input_rate": Rate(1, 2), "fifo_words": 4096}, {}),
    **{f"hostile {seed}": ({"hostile": True, "seed": seed}, {}) for seed in (1, 2)},
    **{f"profile {name}": ({"profile": name, "operation": "record"}, {})
       for name in ("x25-e", "870-qvo", "st8000as0002")},
}


def job(changes, configuration):
    """A recording of 400 sectors that is played back, with these changes."""
    fields = {"operation": "both", "lba": 1000, "sectors": 400, "capacity": 1 << 21,
              "generation": 2, "samples": 0} | changes
    if "profile" in fields:
        fields["profile"] = load_profile(fields["profile"])
        fields["capacity"] = fields["profile"].capacity_sectors
    words = ENDLESS if "input_rate" in fields else 128 * fields["sectors"]
    fields["data"] = Pattern("random", 7, words)
    configured = {"clock_hz": DWORD_HZ[fields["generation"]], "max_command_sectors": 128}
    return Job(configuration=Configuration(**configured | configuration), **fields)


def of_job(name, way):
    """(hash, clocks) of a measurement."""
    changes, configuration = JOBS[name]
    measurement = execute(job(changes, configuration | WAYS[way]))
    assert not measurement.problems, measurement.problems
    return f"{measurement.hash:016x}", measurement.clocks


def of_plans(seeds, kinds, way):
    """(hash, clocks) of the plans with these seeds and ``kinds`` of faults, by seed."""
    paths = {name: str(library(core.model_copy(update=WAYS[way]), Translator.NETLIST))
             for name, core in SINGLE.items()}
    _, compiled = prepare(())
    results = {}
    for seed in seeds:
        plan = random_plan(seed, tuple(kinds), tuple(paths))
        # What came later than the hashes is left out.
        result = replay(plan.model_copy(update={"power_up": None, "silent": None}), (paths, compiled))
        assert not result.problems, (seed, result.problems)
        results[str(seed)] = f"{result.trace:016x}", result.clocks
    return results


if __name__ == "__main__":
    known = list(kinds(None))
    found = {"kinds": known} | {way: {"jobs": {name: of_job(name, way) for name in JOBS},
                                      "plans": of_plans(SEEDS, known, way)} for way in WAYS}
    RECORDED.write_text(json.dumps(found, indent=1) + "\n")
