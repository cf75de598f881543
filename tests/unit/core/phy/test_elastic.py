"""The elastic buffer between two clocks: nothing lost, nothing twice, ALIGN dropped when needed."""

import random

import pytest

from sata_recorder.core.phy.elastic import ElasticBuffer
from unit.core.phy.compiled import Compiled

ALIGN = 1 << 32 | 0x7B4A4ABC
ERROR = 1 << 36
DUT = []


def crossed(words, ppm, *, period=10**7, every=1):
    """``words`` (37 bits, a dword every ``every`` clocks of ``rx``, which is ``ppm`` faster than
    ``sync``) as (word, dropped) in ``sync``."""
    if not DUT:
        DUT.append(Compiled(ElasticBuffer(), ("sync", "rx")))
    dut, = DUT
    dut.restart()
    times, periods = [137, 0], [period, round(period / every / (1 + ppm * 1e-6))]
    found, clock, left = [], 0, 40
    words = iter(words)
    while left:
        now = min(times)
        clocks = 0
        if times[1] == now:
            clocks = 2
            word = next(words, None) if clock % every == 0 else None
            clock += 1
            dut.set(write=word is not None, i=word or 0)
            left -= word is None and clock % every == 1 % every
        for n in (0, 1):
            if times[n] == now:
                clocks |= 1 << n
                times[n] += periods[n]
        dut.edge(clocks)
        if clocks & 1 and dut.get("valid"):
            found.append((dut.get("o"), dut.get("dropped")))
    return found


def stream(rng, count):
    """Dwords with an ALIGN pair in every 256."""
    return [ALIGN if n % 256 < 2 else n for n in range(count)]


@pytest.mark.parametrize("every", [1, 2])
@pytest.mark.parametrize("ppm", [0, 350, -350, 700, -700, 5700, -5700])
def test_rates(ppm, every, seed):
    words = stream(random.Random(seed), 6000)
    found = crossed(words, ppm, every=every)
    data = [word for word, _ in found if word != ALIGN]
    assert data == [word for word in words if word != ALIGN]
    kept, all_ = (sum(word == ALIGN for word in some)
                  for some in ([word for word, _ in found], words))
    surplus = 6000 * ppm * 1e-6
    assert all_ - kept <= max(0, 2 * surplus) + 4
    if ppm <= 0:
        assert kept == all_ and not any(dropped for _, dropped in found)
    # Each ALIGN that was dropped is reported, alone or as a pair, before the next dword.
    reported = sum(dropped for _, dropped in found)
    assert reported <= all_ - kept <= 2 * reported


def test_overflow():
    """Without ALIGN there is nothing to drop: what is lost shows as an error."""
    words = list(range(1, 4000))
    found = [word for word, _ in crossed(words, 20_000)]
    assert len(found) < 3999 - 40
    expected = 1
    for word in found:
        lost = (word & ~ERROR) - expected
        assert lost >= 0 and bool(lost) == bool(word & ERROR)
        expected = (word & ~ERROR) + 1


def test_errors_pass():
    words = [n | (ERROR if n % 7 == 0 else 0) for n in range(200)]
    assert [word for word, _ in crossed(words, 0)] == words


def test_align_with_an_error_is_kept():
    words = [n if n % 8 else ALIGN | ERROR for n in range(2000)]
    found = [word for word, _ in crossed(words, 4000)]
    assert found.count(ALIGN | ERROR) >= words.count(ALIGN | ERROR) - 8
