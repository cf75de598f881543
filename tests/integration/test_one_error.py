"""One dword of a transfer is damaged, each in turn: no silence, no wrong data, no lasting harm."""

from collections import Counter
from itertools import cycle, islice

import pytest
from integration.small import SMALL, Altered, connect, content, works
from sata_drive_model.protocol.primitives import name

from sata_recorder.simulation import Event
from sata_recorder.core.drive_port import Error, Operation

VALID, RX_ERROR, WORD = 1 << 36, 1 << 39, 0xF_FFFF_FFFF
START, CLOCKS = 34, 330     # of a transfer of one sector, from start on
WHAT = {"SOF", "EOF", "X_RDY", "R_RDY", "R_OK", "SYNC", "HOLD", "ALIGN"}


def damaged(kind, at, hits):
    """Damages the dword of the clock ``at``; notes what it was."""
    def alter(clock, word):
        if clock != at or not word & VALID:
            return word
        hits.append(name(word & 0x1_FFFF_FFFF))
        return word & ~WORD | RX_ERROR | 0x12345678 if kind == "code error" else word & ~VALID
    return alter


@pytest.mark.sample(6)
@pytest.mark.parametrize("kind, cont", [
    ("code error", 1.0), ("lost", 0.0),
    pytest.param("lost", 1.0, marks=pytest.mark.long),
    pytest.param("code error", 0.0, marks=pytest.mark.long)])
@pytest.mark.parametrize("operation", [Operation.RECORD, Operation.PLAY])
def test_each_dword(bench, operation, cont, kind):
    data = content(1, 1)
    hits, endings = [], Counter()
    b = bench(connect(port=Altered, cont=cont, throttle=(40, 3), underrun=(40, 3)), **SMALL)
    # ALIGN pairs move what comes at a place: what one sweep missed another one meets.
    for place in islice(cycle(range(START, START + CLOCKS)), 4 * CLOCKS):
        if endings.total() >= CLOCKS and WHAT <= set(hits):
            break
        b.image.write(50 * 512, data if operation == Operation.PLAY else bytes(512))
        b.engine.source(data)
        b.engine.sink(128)
        b.port.alter = damaged(kind, b.port.now + place, hits)
        b.start(operation, 50, 1)
        b.run(1)
        b.wait(Event.DONE)
        b.run(10 + endings.total() % 13)    # ALIGN pairs elsewhere in the next one
        error, state = Error(b.outputs()["error"]), b.engine.state()
        endings[error] += 1
        if error == Error.NONE:
            if operation == Operation.RECORD:
                assert state.taken == 128 and b.image.read_sectors(50, 1) == data
            else:
                assert state.received == 128 and b.engine.received() == data
        else:
            assert state.received < 128 or state.lasts == 1
        assert error in (Error.NONE, Error.DATA_CRC, Error.DRIVE_ERROR), (place, hits[-1])
        try:
            works(b, sectors=1, clean=False)
        except AssertionError as failed:
            pytest.fail(f"after {hits[-1]} at {place} ({error.name}): {failed!r}")
    b.port.alter = None
    # Every dword of a frame of data counts, those beside it do not.
    if operation == Operation.PLAY:
        assert endings[Error.DATA_CRC] > 120 and endings[Error.NONE] > 40
    else:
        assert [*endings] == [Error.NONE]
    assert WHAT <= set(hits)
    assert ("CONT" in hits) == (cont > 0)
