"""The queue of an array whose drives leave, change or are slow, and drives with sectors of 4096 bytes."""

import pytest
from integration.small import content
from integration.test_array_queue import ArrayRecording
from sata_drive_model import Behaviour

from sata_recorder.core.drive_port import Error


@pytest.mark.parametrize("shape, lbas", [("linear", (0, 300, 400, 500)), ("five", (0, 8, 16, 24))])
def test_sectors_done_covers_the_words_of_all_spans_at_a_stop(shape, lbas):
    """The lane of the first one is the last to end: the others were done long before."""
    made = ArrayRecording(shape, behaviours={0: Behaviour(command_latency=6000)})
    b = made.bench
    made.begin(content(3, len(lbas)), (lbas[0], 1), flush=False)
    assert all(made.queue((lba, 1)) for lba in lbas[1:])
    b.run(5000)
    assert (b.outputs()["words"], b.outputs()["sectors_done"]) == (128 * len(lbas), 0)
    b.stop()
    outputs = made.end()
    assert (outputs["error"], outputs["sectors_done"]) == (Error.NONE, len(lbas))
    made.check(outputs)
