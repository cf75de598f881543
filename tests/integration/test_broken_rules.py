"""A drive that breaks a rule once, and a link that fails once: together no wrong answer.

After the first failure of the link a playback is read again from the beginning of the command.
What the drive has put in the wrong place before must not stay there unnoticed.
"""

from collections import Counter

import pytest
from integration.small import RETRY, RETRY_UNRETAINED, connect, content, works
from sata_drive_model.faults import Fault
from short import short

from sata_recorder.core.drive_port import Error

LBA, SECTORS = 50, 16
#: By the depth of their buffers.
CORES = {core["buffer_words"]: core for core in (RETRY, RETRY_UNRETAINED)}

#: What a drive may do to a Data FIS against the rules, its CRC being good.
BROKEN = {
    "a word too many": {"kind": "overlong", "count": 1},
    "three words too many": {"kind": "overlong", "count": 3},
    "a sector too many": {"kind": "overlong", "count": 128},
    "twice": {"kind": "repeated", "count": 1},
    "three times": {"kind": "repeated", "count": 2},
    "left out": {"kind": "missing"},
}
#: What may then happen to the link or to a frame on it.
FAILURES = {
    "bad CRC": {"kind": "bad_crc", "fis": "data"},
    "SYNC in a frame": {"kind": "escape", "fis": "data", "dword": 40},
    "cut short": {"kind": "truncated", "fis": "data", "dword": 60},
    "link loss": {"kind": "link_loss", "clocks": 30},
    "pulled": {"kind": "unplug", "clocks": 200},
    "COMINIT": {"kind": "cominit"},
    "silence": {"kind": "stuck", "fis": "data", "dword": 30},
}


def outcomes(bench, broken, failure, nth, depth, endings):
    """Plays with the drive's fault in the Data FIS ``nth`` and the link's a little later."""
    data = content(nth, SECTORS)
    b = bench(connect(data_fis_dwords=256, data_latency=20), **CORES[depth])
    b.image.write(LBA * 512, data)
    for later in (0, 1, 2):
        second = dict(FAILURES[failure])
        if "fis" in second:
            second["nth"] = nth + 1 + later
        else:
            second["clock"] = 340 * (nth + 2 + later)
        b.port.inject([Fault(fis="data", nth=nth, **BROKEN[broken]), Fault(**second)])
        outcome = b.play(LBA, SECTORS)
        b.port.clear_faults()
        error = Error(outcome.error)
        done = outcome.outputs["sectors_done"]
        assert done == (0 if error else SECTORS)
        assert error or outcome.data == data, (broken, failure, nth, later)
        # With a small buffer a failure within a Data FIS ends the operation.
        assert depth < 4096 or error in (Error.NONE, Error.PROTOCOL, Error.SHORT_DATA), (
            broken, failure, nth, later, error.name)
        endings[error] += 1
        works(b)


@pytest.mark.sample(25)
@pytest.mark.parametrize("depth, broken", short(
    [(depth, broken) for depth in CORES for broken in BROKEN],
    [(4096, "a word too many"), (256, "a word too many"), (4096, "twice"), (4096, "left out")]))
@pytest.mark.parametrize("failure", FAILURES)
def test_rule_broken_once_and_link_failed_once(bench, broken, failure, depth):
    endings = Counter()
    for nth in (0, 1, 3):
        outcomes(bench, broken, failure, nth, depth, endings)
    # Both met in most of these runs: none of them ended as if nothing had been.
    assert endings.total() == 9
