"""An operation while it runs: its progress, speeds and ledger from what the board reports."""

import pytest

from sata_recorder.pc.console.answer import Answer
from sata_recorder.board.panel.live import LiveOperation, thinned
from sata_recorder.pc.console.sound import ACCOUNTS


def status(clocks, words, sectors=0):
    return {"clocks": clocks, "words": words, "sectors_done": sectors, "retries": 0}


def counters(high_water=10, held=0, **accounts):
    return dict.fromkeys(ACCOUNTS, 0) | accounts | {"high_water": high_water, "held_cycles": held}


@pytest.fixture
def operation():
    return LiveOperation("record", 1e6, lba=1000, sectors=100, pattern="inc32", begun=50.0)


def test_speed_is_that_of_the_board(operation):
    """Words in clocks of the core, whatever time passes here."""
    operation.told_status(status(1000, 500), now=60.0)
    operation.told_status(status(3000, 2500), now=61.0)
    assert list(operation.speeds()) == [
        (0.0005, pytest.approx(2.0), pytest.approx(1000 + 250 / 128)),
        (0.002, pytest.approx(4.0), pytest.approx(1000 + 1500 / 128))]


def test_progress_and_time_left(operation):
    assert operation.share == 0 and operation.left() is None
    operation.told_status(status(1000, 3200), now=58.0)
    operation.told_status(status(2000, 6400), now=60.0)
    assert operation.share == 0.5
    # 3200 words in 2 s, 6400 are left.
    assert operation.left() == pytest.approx(4.0)


def test_unknown_extent():
    """An operation that was found running has no whole, and no places."""
    operation = LiveOperation("play", 1e6)
    operation.told_status(status(1000, 500))
    assert operation.share is None and operation.left() is None
    assert [lba for _, _, lba in operation.speeds()] == [None]


def test_clocks_that_stand_still_or_go_back_are_no_interval(operation):
    for clocks, words in ((1000, 500), (1000, 500), (900, 600), (1200, 400)):
        operation.told_status(status(clocks, words))
    assert [point.clocks for point in operation.progress] == [0, 1000]


def test_shares_are_those_of_each_interval(operation):
    operation.told_counters(counters(payload=90, align=10))
    operation.told_counters(counters(payload=100, align=10, device_hold=90))
    (_, first), (seconds, second) = operation.shares()
    assert first[ACCOUNTS.index("payload")] == 90 and first[ACCOUNTS.index("align")] == 10
    assert second[ACCOUNTS.index("payload")] == 10
    assert second[ACCOUNTS.index("device_hold")] == 90 and sum(second) == 100
    assert seconds == 200 / 1e6


def test_buffer(operation):
    operation.told_counters(counters(high_water=7, held=20, payload=100))
    operation.told_counters(counters(high_water=9, held=120, payload=300))
    assert list(operation.buffer()) == [(1e-4, 7, 20), (3e-4, 9, 50)]


@pytest.mark.parametrize("lines, error, state", [
    (("record 1000 100 inc32", "sectors-done 100", "words 12800", "clocks 20000",
      "mb-per-s 2.56", "stopped no", "retries 0", "skipped-sectors 0"), None, "done"),
    (("record 1000 100 inc32", "sectors-done 10", "words 1280", "clocks 20000", "mb-per-s 0.25",
      "stopped yes", "retries 0", "skipped-sectors 0"), None, "stopped"),
    (("record 1000 100 inc32", "sectors-done 0", "words 1280", "clocks 20000", "mb-per-s 0.25",
      "stopped no", "retries 2", "skipped-sectors 0", "error-lba 1005"), "drive-error", "failed"),
])
def test_end(operation, lines, error, state):
    operation.end(Answer(lines, error))
    assert operation.state == state and operation.error == error and not operation.running
    assert operation.words == operation.fields["words"]
    assert operation.retries == operation.fields["retries"]
    assert operation.left() is None


def test_end_of_a_file():
    """Its answer has bytes; the words of all of them were through."""
    operation = LiveOperation("file", 1e6, numbers=(13,))
    operation.end(Answer(("file 13 inc32", "slot 1", "bytes 13", "clocks 2000"), None))
    assert (operation.words, operation.fields["words"], operation.state) == (4, 4, "done")


def test_end_without_an_answer(operation):
    operation.end()
    assert operation.state == "lost" and operation.fields == {}


def test_answer_tells_what_was_not_known():
    found = LiveOperation("record", 1e6)
    found.end(Answer(("record 7 8 dec32 flush", "sectors-done 8", "words 1024", "clocks 2000",
                      "stopped no", "retries 0"), None))
    assert (found.lba, found.sectors, found.pattern) == (7, 8, "dec32") and found.fields["flush"]


def test_thinned_series_lose_no_words(operation):
    """Figures are cumulative: however many points are left out, all words are in the intervals."""
    for n in range(1, 3001):
        operation.told_status(status(10 * n, 3 * n))
        operation.told_counters(counters(payload=n))
    assert len(operation.progress) <= 401 and len(operation.ledger) <= 401
    clocks = [point.clocks for point in operation.progress]
    assert clocks == sorted(clocks) and operation.words == 9000
    assert operation.progress[0].clocks == 0 and operation.progress[-1].clocks == 30_000
    assert all(rate == pytest.approx(1.2) for _, rate, _ in operation.speeds())


def test_thinning_keeps_both_ends():
    points = list(range(402))
    assert thinned(points)[0] == 0 and thinned(points)[-1] == 401 and len(thinned(points)) == 202
    assert thinned(points[:400]) == points[:400]


def test_a_file_that_is_brought_up_to_date():
    """The board counts again after each update: the sum continues, and no rate is told across one."""
    operation = LiveOperation("file", 1e6, begun=50.0, numbers=(8000,))
    for clocks, words in ((100, 100), (300, 300), (400, 50), (500, 150), (600, 20)):
        operation.told_status(status(clocks, words))
    assert [(point.words, point.part) for point in operation.progress] == [
        (0, 0), (100, 0), (300, 0), (350, 1), (450, 1), (470, 2)]
    assert [rate for *_, rate, _ in operation.speeds()] == [4.0, 4.0, 4.0]
    assert operation.share == 470 / 2000
    # In the end the length of the file tells what was missed.
    operation.end(Answer(("file 8000 inc32", "every 1", "slot 1", "bytes 8000", "clocks 2000"), None))
    assert operation.words == 2000 and operation.share == 1
    assert [rate for *_, rate, _ in operation.speeds()] == [4.0, 4.0, 4.0]


def test_its_ledger():
    operation = LiveOperation("ring", 1e6)
    for high_water, held, payload, align in ((7, 20, 90, 10), (3, 5, 30, 30), (9, 5, 60, 60)):
        operation.told_counters(counters(high_water=high_water, held=held, payload=payload, align=align))
    assert [point.clocks for point in operation.ledger] == [100, 160, 220]
    assert [shares[ACCOUNTS.index("payload")] for _, shares in operation.shares()] == [90, 50, 50]
    assert [high_water for _, high_water, _ in operation.buffer()] == [7, 7, 9]
    assert operation.ledger[-1].held == 25
