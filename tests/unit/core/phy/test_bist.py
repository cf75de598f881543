"""The loop-back test: what it sends, and what it reports of what comes back."""

from collections import deque

import pytest
from sata_drive_model.phy.coding import encode_dword
from sata_drive_model.protocol.primitives import ALIGN, K, SYNC

from sata_recorder.core.phy.bist import FIXED, Bist
from sata_recorder.core.phy.states import BistState
from unit.core.phy.compiled import Compiled

BLOCKS = 24
BLOCK = 256
ERROR = 1 << 33         # of a word in the loop, beside its 33 bits
DUT = []


def bist():
    if not DUT:
        DUT.append(Compiled(Bist(BLOCKS)))
    DUT[0].restart()
    return DUT[0]


def run(alter=lambda n, word: [word], *, delay=30, steps=lambda n: True, limit=BLOCKS * BLOCK * 3):
    """One test: state, errors, the words that were sent, whether the receiver was released at each.

    `alter(n, word)`: what comes back for the nth word that was sent, a list. `delay`: words in the
    loop; `steps(n)`: whether the line takes a word in clock n.
    """
    dut = bist()
    sent, released = [], []
    loop = deque([[]] * delay)
    dut.set(start=1)
    dut.edge(1)
    dut.set(start=0)
    assert dut.get("running") and dut.get("state") == BistState.RUNNING
    for clock in range(limit):
        if not dut.get("running"):
            break
        dut.set(step=steps(clock), valid=0)
        if steps(clock):
            word = dut.get("data") | dut.get("k") << 32
            loop.append(alter(len(sent), word))
            sent.append(word)
            released.append(dut.get("receive"))
            back = loop.popleft()
            for word in back[:-1]:
                receive(dut, word)
                dut.set(step=0)
                dut.edge(1)
                dut.set(step=1)
            if back:
                receive(dut, back[-1])
        dut.edge(1)
        dut.set(valid=0)
    return dut.get("state"), dut.get("errors"), sent, released


def receive(dut, word):
    dut.set(valid=1, dword=word & 0xFFFFFFFF | (word >> 32 & 1) << 32
            | (3 << 36 if word & ERROR else 0), align=word == ALIGN)


def test_what_is_sent():
    state, errors, sent, _ = run()
    assert (state, errors) == (BistState.PASSED, 0)
    assert len(sent) == BLOCKS * BLOCK
    block = sent[:BLOCK]
    assert sent == block * BLOCKS
    assert block[:3] == [ALIGN, ALIGN, SYNC] and not any(word & K for word in block[3:])
    assert block[3:64] == [FIXED[n // 16] for n in range(3, 64)]
    data = {word >> 8 * place & 255 for word in block[3:] for place in range(4)}
    assert data == set(range(256))


def test_frequencies_of_the_fixed_patterns():
    """Half-bits of 1, 2 and 3 UI, and a single bit among four or more others."""
    runs = []
    for dword in FIXED:
        bits, disparity = encode_dword(dword, 0)
        more, _ = encode_dword(dword, disparity)
        text = f"{bits:040b}"[::-1] + f"{more:040b}"[::-1]
        runs.append(set(map(len, text.replace("01", "0 1").replace("10", "1 0").split())))
        if dword == FIXED[3]:
            assert "00001011" in text or "11110100" in text
    assert runs[0] == {1} and runs[1] <= {1, 2} and 3 in runs[2] and 1 in runs[3] and 4 in runs[3]


def test_no_loop():
    state, errors, _, released = run(lambda n, word: [])
    assert (state, errors) == (BistState.NO_PATTERN, 0)
    # The receiver is held in one block of eight.
    assert [released[BLOCK * n + 9] for n in range(16)] == 2 * [0, *[1] * 7]


@pytest.mark.parametrize("change, found", [
    (lambda word: [word ^ 1 << 5], 1),
    (lambda word: [word ^ K], 1),
    (lambda word: [word | ERROR], 1),
    (lambda word: [ALIGN, word, ALIGN], 0),         # as an elastic buffer may insert them
])
@pytest.mark.parametrize("place", [3, 77, 255])
def test_one_error(change, found, place):
    at = 10 * BLOCK + place
    state, errors, _, _ = run(lambda n, word: change(word) if n == at else [word])
    assert (state, errors) == (BistState.FAILED if found else BistState.PASSED, found)


def test_wrong_sync_is_one_error():
    at = 10 * BLOCK + 2
    state, errors, _, _ = run(lambda n, word: [word ^ 1] if n == at else [word])
    assert (state, errors) == (BistState.FAILED, 1)


def test_sync_within_a_block():
    """The rest of the block does not fit, and the next one does again."""
    at = 10 * BLOCK + 77
    state, errors, _, _ = run(lambda n, word: [SYNC] if n == at else [word])
    assert state == BistState.FAILED and 1 < errors <= BLOCK


def test_sync_where_none_is_due():
    """Each of the two that come then is an error."""
    at = 11 * BLOCK - 1
    state, errors, _, _ = run(lambda n, word: [SYNC] if n == at else [word])
    assert (state, errors) == (BistState.FAILED, 2)


def test_lost_and_doubled_dword():
    """From there to the end of the block nothing fits, then all does again."""
    for change in [], [7, 7]:
        at = 10 * BLOCK + 200
        state, errors, _, _ = run(lambda n, word: change if n == at else [word])
        assert state == BistState.FAILED and 1 <= errors <= 60, change


def test_loop_that_ends():
    """What does not come is an error, too, and the receiver is held again."""
    state, errors, _, released = run(lambda n, word: [word] if n < 9 * BLOCK else [])
    assert (state, errors) == (BistState.FAILED, 1)
    assert not all(released[10 * BLOCK:])


def test_loop_that_comes_late():
    """What was before the first SYNC is no error."""
    state, errors, _, _ = run(lambda n, word: [word ^ 5] if n < 5 * BLOCK + 100 else [word])
    assert (state, errors) == (BistState.PASSED, 0)


def test_line_that_waits():
    state, errors, sent, _ = run(steps=lambda n: n % 3 == 0, delay=7)
    assert (state, errors, len(sent)) == (BistState.PASSED, 0, BLOCKS * BLOCK)


def test_errors_saturate_and_begin_anew():
    dut = bist()
    dut.set(start=1)
    dut.edge(1)
    dut.set(start=0)
    receive(dut, SYNC)
    dut.edge(1)
    receive(dut, 0x1_2345_6789)
    for _ in range(70_000):
        dut.edge(1)
    assert dut.get("errors") == 0xFFFF
    dut.set(valid=0, step=1)
    for _ in range(BLOCKS * BLOCK):
        dut.edge(1)
    assert dut.get("state") == BistState.FAILED
    dut.set(start=1)
    dut.edge(1)
    assert dut.get("state") == BistState.RUNNING and dut.get("errors") == 0


def test_start_is_ignored_while_it_runs():
    dut = bist()
    dut.set(start=1, step=1)
    for _ in range(BLOCKS * BLOCK + 1):
        assert dut.get("state") in (BistState.NONE, BistState.RUNNING)
        dut.edge(1)
    assert dut.get("state") == BistState.NO_PATTERN
