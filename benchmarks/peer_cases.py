"""What the two cores do when the drive or the line does something unusual."""

import sys
from collections import Counter
from dataclasses import replace
from typing import NamedTuple

from sata_drive_model import Behaviour
from sata_drive_model.behaviour import NEVER

from peer_runs import NONE, operate
from sata_recorder.simulation.signals import Hold

#: Of a case, if it states nothing else: four commands.
SECTORS, LIMIT = 256, 64
#: Drives of the campaign of legal behaviour, the sectors that each moves, and in which commands.
DRIVES, LEGAL_SECTORS, LEGAL_LIMIT = 100, 64, 16
#: How often a case is tried, each time with other random numbers; an event comes at other clocks.
TRIES = 5
STEP = 1277
#: Dwords for which the line is down when it falls.
DOWN = 2000


class Case(NamedTuple):
    """One unusual event: ``fields`` of the drive's behaviour, or the link is lost where it ``falls``, while
    ``SECTORS`` sectors are moved in commands of ``limit``."""

    name: str
    direction: str
    fields: dict = {}
    falls: bool = False
    limit: int = LIMIT


def _both(name, *options):
    return [Case(name, direction, *options) for direction in ("read", "write")]


CASES = (
    *_both("R_ERR to the Register H2D FIS", {"refuse_command": 1}),
    Case("SYNC in the middle of the Register H2D FIS", "read", {"escape_command": 1}),
    Case("a Register D2H FIS with a wrong CRC, then sent again", "read", {"bad_crc": 1}),
    Case("a FIS of an unknown type", "read", {"unknown_fis": 1}),
    *_both("PMREQ before every FIS", {"pm_request": 1.0}),
    Case("a Data FIS with a wrong CRC", "read", {"bad_data_crc": 3}),
    Case("R_ERR to a Data FIS", "write", {"refuse_data": 3}),
    Case("SYNC in each command's fourth Data FIS", "read", {"escape_read": (3, 100)}),
    Case("SYNC in each command's fourth Data FIS", "write", {"escape_write": (3, 100)}),
    *_both("status with ERR", {"fail_lba": 50}),
    *_both("status with DF, without ERR", {"fail_lba": 50, "fail_status": 0x60, "fail_error": 0}),
    Case("four dwords too many, good status", "read", {"extra_data": 4}),
    Case("four dwords too few, good status", "read", {"short_data": 4}),
    *_both("no status, ever", {"mute": frozenset(["status"])}),
    *_both("the link lost, and back, in the first of four commands", {}, True),
    *_both("the link lost, and back, in the only command", {}, True, SECTORS),
)


def _link_loss(port):
    port.drop_link(DOWN)


def legal_drive(seed):
    """A drive with random latencies, HOLD, ALIGN spacing, CONT, collisions and Data FIS sizes, all
    within the Serial ATA specification; the same seed gives the same drive."""
    return replace(Behaviour.random(seed), busy_status_fises=0, repeated_status_fises=0,
                   set_device_bits=0.0, set_device_bits_idle=NEVER, pm_request=0.0,
                   pm_request_idle=NEVER)


def faults(cores):
    """Each case on each core: (case, [Counter of verdicts of each core], [Counter of violations
    of each core])."""
    for case in CASES:
        print(f"compare: {case.name}, {case.direction} ...", file=sys.stderr, flush=True)
        yield case, *_tallies(
            [operate(core, case.direction, sectors=SECTORS, limit=case.limit, later=case.fields,
                     event=_link_loss if case.falls else None, seed=seed, at=1000 + STEP * seed)
             for seed in range(TRIES)] for core in cores)


def _tallies(runs_of_cores):
    """([Counter of verdicts of each core], [Counter of runs with each violation of each core])."""
    verdicts, violations = [], []
    for runs in runs_of_cores:
        verdicts.append(Counter(one.verdict for one in runs))
        violations.append(Counter(what for one in runs for what in sorted(set(one.violations))))
    return verdicts, violations


def legal(cores):
    """Each core against ``DRIVES`` legal drives, the user's stream stalling in every other run:
    (direction, [Counter of verdicts of each core], [Counter of violations of each core])."""
    for direction in "read", "write":
        print(f"compare: {direction}, {DRIVES} legal drives ...", file=sys.stderr, flush=True)
        yield direction, *_tallies(
            [operate(core, direction, sectors=LEGAL_SECTORS, limit=LEGAL_LIMIT, seed=seed,
                     hold=Hold(64, 40) if seed % 2 else NONE, behaviour=legal_drive(seed))
             for seed in range(DRIVES)] for core in cores)


def told(counter):
    """A tally in words: the one thing that always happened, or all of them with their numbers."""
    if len(counter) == 1:
        return next(iter(counter))
    return ", ".join(f"{what}: {count}" for what, count in counter.most_common())


def fault_rows(found):
    """The rows of the table of faults: a column for each core."""
    for case, verdicts, _ in found:
        yield case.name, case.direction, *map(told, verdicts)


def violation_rows(found, cores):
    """What the drive model objected to in the cases: (case, direction, core, texts)."""
    for case, _, violations in found:
        for core, texts in zip(cores, violations):
            if texts:
                yield case.name, case.direction, core.name, "; ".join(sorted(texts))


def legal_rows(found, cores):
    """The rows of the table of legal drives."""
    for direction, verdicts, violations in found:
        for core, verdict, texts in zip(cores, verdicts, violations):
            yield (f"{direction}, {DRIVES} drives", core.name,
                   ", ".join(f"{what}: {count}" for what, count in verdict.most_common()),
                   ", ".join(f"{what}: {count}" for what, count in texts.most_common()) or "none")
