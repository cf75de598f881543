"""HOLD in both directions, CONT or none, ALIGN anywhere, and long cables."""

import pytest
from integration.small import LONG, SMALL, content, works
from sata_drive_model.behaviour import NEVER

from sata_recorder.simulation import Hold

PLAIN = SMALL | {"send_cont": False}
CORES = [SMALL, PLAIN]
SECTORS = 20
WORDS = 128 * SECTORS


def there_and_back(b, sectors=SECTORS, hold=Hold()):
    """Accounts of a recording and of a playback whose data are right, with equal ledgers."""
    found = []
    data = content(sectors, sectors)
    recorded = b.record(data, 60, hold=hold)
    assert recorded.error == 0 and b.image.read_sectors(60, sectors) == data
    b.check()
    found.append(b.ledger().accounts)
    played = b.play(60, sectors, hold=hold)
    assert played.error == 0 and played.data == data and played.lasts == 1
    b.check()
    found.append(b.ledger().accounts)
    assert found[0]["payload"] == found[1]["payload"] == 128 * sectors
    return found


@pytest.mark.sample(5)
@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("options", [
    {"cont": 0.0}, {"cont": 0.5}, {"cont": 1.0}, {"cont_after": 5}, {"cont_after": (2, 9)},
    {"cont_hold": False}])
@pytest.mark.parametrize("pattern", [None, (50, 1), (50, 2), (50, 3), (31, 40), (1, 1), (2, 5)])
def test_hold_from_the_drive(bench, core, options, pattern):
    """Any number of HOLDs: alone, twice, with and without CONT."""
    b = bench(**core, throttle=pattern, underrun=pattern, **options)
    written, read = there_and_back(b)
    if pattern:
        holds = WORDS // pattern[0] * pattern[1]
        assert written["device_hold"] > holds // 8 and read["device_hold"] > holds // 2
    else:
        assert written["device_hold"] == read["device_hold"] == 0
    works(b)


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("holds", [1, 2, 3, 4, 30, (0, 3)])
@pytest.mark.parametrize("cont", [0.0, 1.0])
def test_hold_before_the_crc(bench, core, holds, cont):
    """HOLD, HOLD, one dword, EOF: that dword counts, with and without CONT before it."""
    b = bench(**core, hold_before_crc=holds, cont=cont, data_fis_dwords=128)
    _, read = there_and_back(b)
    assert read["device_hold"] > 0
    works(b)


@pytest.mark.parametrize("place", [1, 2, 3, 4, 128, 2047, 2048, 2049])
@pytest.mark.parametrize("length", [1, 2, 3, 60])
def test_one_hold_at_any_place(bench, place, length):
    b = bench(**LONG, underrun_at=((place, length),), throttle_at=((place, length),))
    written, read = there_and_back(b, 64)
    assert read["device_hold"] >= 4 * length
    # A frame of ours may be over before the HOLD has arrived.
    assert (written["device_hold"] > 0) == (place < 2045 and length > 1) or length == 1
    works(b)


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("hold", [Hold(1, 1), Hold(64, 64), Hold(500, 700), Hold(1, 20),
                                  Hold(300, 1000)])
@pytest.mark.parametrize("pattern", [(60, 20), ((20, 90), (1, 40))])
def test_hold_from_both_sides(bench, seed, core, hold, pattern):
    b = bench(**core, seed=seed, throttle=pattern, underrun=pattern, holda_delay=(0, 16))
    written, read = there_and_back(b, hold=hold)
    assert written["device_hold"] and read["device_hold"]
    if hold.off > hold.on:
        assert written["host_hold"] and read["host_hold"]
    works(b)


@pytest.mark.parametrize("delay", [0, 1, 7, 16, 20])
@pytest.mark.parametrize("hold", [Hold(1, 3), Hold(1, 9), Hold(150, 400)])
def test_drive_goes_on_after_our_hold(bench, delay, hold):
    """As long as it may; the buffer is almost full each time."""
    b = bench(**SMALL, holda_delay=delay)
    there_and_back(b, hold=hold)
    span = b.analyser.spans["dwords_after_hold"]
    assert span.count > 3 and span.maximum >= delay
    assert 128 + delay <= b.outputs()["high_water"] <= 258
    works(b)


@pytest.mark.parametrize("round_trip, holda_delay", [
    (0, 0), (1, 0), (2, 20), (5, 0), (10, 20), (20, 20), (37, 0), (37, 20), (60, 0)])
@pytest.mark.parametrize("hold", [Hold(), Hold(1, 3), Hold(150, 400)])
def test_round_trip(bench, round_trip, holda_delay, hold):
    b = bench(**SMALL, line={"round_trip": round_trip}, holda_delay=holda_delay,
              throttle=(100, 10), underrun=(100, 10), data_fis_dwords=700)
    written, read = there_and_back(b, hold=hold)
    assert read["handshake"] >= 2 * round_trip * WORDS // 2048
    works(b)


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("interval", [0, 1, 2, 3, 7, 100, (0, 30), (0, 254), NEVER])
def test_align_anywhere(bench, seed, core, interval):
    b = bench(**core, seed=seed, align_interval=interval, throttle=(40, 5), underrun=(40, 5),
              hold_before_crc=(0, 3))
    written, read = there_and_back(b, hold=Hold(100, 90))
    assert written["align"] > 0         # our own pairs
    if interval == NEVER:
        assert read["align"] == 0
    elif isinstance(interval, int):
        assert read["align"] >= 2 * WORDS // (max(1, interval) + 2) - 10
    works(b)


@pytest.mark.parametrize("sizes", [1, 2, 127, 128, 129, 1000, 2047, 2048, (1, 20), (1, 2048)])
def test_data_fises_of_any_size(bench, seed, sizes):
    b = bench(**SMALL, seed=seed, data_fis_dwords=sizes)
    before = b.drive.data_fises
    there_and_back(b, 16)
    assert b.drive.data_fises - before >= 1 + 2048 // (sizes if isinstance(sizes, int) else sizes[1])
    works(b)


@pytest.mark.parametrize("options", [
    {"r_rdy_delay": 100}, {"r_ok_delay": 100}, {"sof_delay": 100}, {"command_latency": 1000},
    {"activate_latency": 1000}, {"data_latency": 1000}, {"completion_latency": 1000},
    {"other_latency": 50}, {"r_rdy_delay": (0, 9), "r_ok_delay": (0, 9), "sof_delay": (0, 9)}])
def test_slow_drive(bench, seed, options):
    b = bench(**LONG, seed=seed, **options)
    written, read = there_and_back(b, 64)
    (name, latency), *_ = options.items()
    account = {"command_latency": ("activate_wait", "data_wait"),
               "activate_latency": ("activate_wait", None), "data_latency": (None, "data_wait"),
               "completion_latency": ("completion_wait",) * 2, "sof_delay": (None, "handshake"),
               "r_ok_delay": ("handshake", None), "r_rdy_delay": ("handshake", None)}
    for which, accounts in zip(account.get(name, ()), (written, read)):
        if which and isinstance(latency, int):
            assert accounts[which] >= latency - 2
    works(b)
