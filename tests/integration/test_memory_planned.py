"""A memory of the size that a plan says: the stalls of a drive lose nothing, and with less they do."""

import pytest

from sata_recorder.lab.measurement import (DriveOptions, HostOptions, OutputOptions, StreamOptions, TransferOptions,
                                           execute, make_job)
from sata_recorder.lab.plan import Requirement, plan
from sata_recorder.simulation import load_profile

DRIVE, RATE = "vertex-plus", 100_000_000
#: What the two FIFOs of a core with a memory hold together, of which it is a multiple.
FIFOS = 32_768


def lost(memory):
    """Words that a stream loses in a recording with one stall, of 300 ms after 160 MiB."""
    measurement = execute(make_job(
        TransferOptions(operation="record", sectors="200MiB"), DriveOptions(drive=DRIVE),
        StreamOptions(input_rate=f"{RATE // 10 ** 6}MB/s"), HostOptions(memory=memory), OutputOptions(samples=0)))
    assert measurement.problems == []
    return measurement.lost


@pytest.mark.long
def test_the_planned_memory_loses_nothing_and_less_does():
    found = plan(Requirement(rate=RATE, seconds=300), load_profile(DRIVE))
    memory = found.memory_bytes
    assert memory % FIFOS == 0 and memory > RATE * 0.29
    assert lost(memory) == 0
    assert lost(memory * 95 // 100 // FIFOS * FIFOS) > 0
