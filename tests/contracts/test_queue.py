"""Who stands below a drive port with a queue keeps its contract: the SATA side, and a fake."""

import functools

import pytest

from contracts import checks
from contracts.drive_port import BrokenContract
from contracts.faults import QUEUE_FAULTS
from contracts.knobs import Remedy
from contracts.sides import SECTORS, on_fake, on_sata
from sata_recorder.core.drive_port import Operation


def queued_fake(check, *arguments, fake=None, **keywords):
    return on_fake(check, *arguments, fake={"queued": True} | (fake or {}), **keywords)


queued_sata = functools.partial(on_sata, queued=True)
moves_again = functools.partial(queued_fake, remedy=Remedy.AGAIN, retains=True)
skips = functools.partial(queued_fake, remedy=Remedy.SKIP)
sata_skips = functools.partial(queued_sata, retries=1, retain_sectors=0, on_failure="skip")
SIDES = pytest.mark.parametrize("on", [queued_fake, queued_sata])

#: Extents: apart, backward, side by side, and each of a sector.
APART = (5, 6), (40, 4), (20, 9)
SINGLE = (3, 1), (9, 1), (8, 1), (60, 1)


# Without a span the port is as it was -------------------------------------------------------------

@SIDES
def test_single_extents(on):
    on(checks.check_recording, lba=5, sectors=6, seed=1, gives=0.3, flush=True)
    on(checks.check_play_back, lba=5, sectors=6, seed=2, delivers=0.5)
    on(checks.check_refusal)
    on(checks.check_stop, Operation.RECORD, sectors=12, seed=4)


# Spans --------------------------------------------------------------------------------------------

@SIDES
@pytest.mark.parametrize("spans, operation", [
    (APART, Operation.RECORD), (SINGLE, Operation.RECORD_FLUSH),
    (((1, 2), (3, 2), (5, 2), (1, 2)), Operation.RECORD)])
def test_queue(on, spans, operation):
    port = on(checks.check_queue, *spans, operation=operation, seed=1)
    assert len(port.pauses) == port.commands - 1 > 0


@SIDES
def test_gathered(on):
    """Commands of what is in hand, also across boundaries; the recording waits for the rest."""
    port = on(checks.check_queue, *APART, seed=3, gathers=True)
    assert len(port.lengths) > 6 and max(port.lengths) > 1


@SIDES
def test_no_queue(on):
    on(checks.check_no_queue)


@SIDES
@pytest.mark.parametrize("span", [(30, 0), (SECTORS - 1, 2), (2**48 - 1, 2**48 - 1)])
def test_refused_span(on, span):
    on(checks.check_refused_span, span)


@pytest.mark.parametrize("on, first", [(queued_fake, 258), (queued_sata, 338)])
def test_late_span(on, first):
    """Around the clock in which the recording ends: some are taken, some are not."""
    taken = [len(on(checks.check_late_span, after=after).queue.taken)
             for after in range(first, first + 24, 3)]
    assert taken[0] == 1 and taken[-1] == 0 and sorted(taken, reverse=True) == taken


@SIDES
@pytest.mark.parametrize("after", [1, 127, 128, 129, 600, 770])
def test_gathered_stop(on, after):
    on(checks.check_gathered_stop, *APART, after=after, seed=after)


# Commands fail ------------------------------------------------------------------------------------

@pytest.mark.sample(5)
@pytest.mark.parametrize("on, failure, loses", [
    (moves_again, "begin", False), (moves_again, "middle", False), (moves_again, "end", False),
    (queued_sata, "abort", False), (queued_sata, "refused", False), (queued_sata, "link", False),
    (skips, "middle", True), (skips, "end", True), (sata_skips, "refused", True)])
@pytest.mark.parametrize("spans", [APART, SINGLE])
def test_failure(on, failure, loses, spans):
    port = on(checks.check_queue_failure, failure, *spans, seed=5, times=2 - (failure == "link"),
              loses=loses)
    assert len(port.extent.done | port.extent.skipped) == sum(sectors for _, sectors in spans)


@pytest.mark.sample(3)
@pytest.mark.parametrize("on, failure, loses", [
    (moves_again, "middle", False), (queued_sata, "refused", False), (queued_sata, "link", False),
    (skips, "middle", True), (sata_skips, "refused", True)])
def test_failure_of_gathered(on, failure, loses):
    on(checks.check_queue_failure, failure, *APART, seed=6, gathers=True, loses=loses)


# What breaks the contract is found ----------------------------------------------------------------

FOUND = {
    "secretive": (checks.check_queue, APART, {}, "after one that was refused"),
    "linear": (checks.check_queue, APART, {}, "the words that were given are on the disk"),
    "sluggish": (checks.check_queue, APART, {}, "makes a pause"),
    "unmeasured": (checks.check_refused_span, ((SECTORS - 1, 2),), {},
                   "the words that were given are on the disk"),
    "insatiable": (checks.check_refused_span, ((SECTORS - 1, 2),), {},
                   "a span is extended before the next is taken"),
    "greedier": (checks.check_queue, APART, {"gathers": True}, "more sectors than are pending"),
    "impatient": (checks.check_queue, APART, {"gathers": True},
                  "recording or playing follows"),
    "static": (checks.check_queue, APART, {}, "begun counts"),
    "obliging": (checks.check_no_queue, (), {}, "while a recording runs"),
}


@pytest.mark.sample(4)
@pytest.mark.parametrize("fault", QUEUE_FAULTS)
def test_fault_is_found(fault):
    """And what it is found by keeps quiet about a fake without it."""
    check, arguments, keywords, sentence = FOUND[fault]
    queued_fake(check, *arguments, **keywords)
    with pytest.raises(BrokenContract, match=sentence):
        queued_fake(check, *arguments, fault=fault, **keywords)
