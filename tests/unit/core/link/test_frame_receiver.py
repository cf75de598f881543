"""The receiver: the answer to everything a drive may send, and the frames that come of it."""

import pytest

from sata_recorder.core.link.frame_receiver import FrameReceiver
from sata_recorder.core.link.primitives import RxPrimitive, TxPrimitive
from unit.bench import Bench
from unit.core.link.reference import crc, keystream

BENCH = Bench(FrameReceiver())
FRAME = ("start", "word", "valid", "count", "arrives", "done", "ok")
OUTPUTS = ["reply", "idle", *(f"frame__{name}" for name in FRAME)]
KEYS = keystream(20)
REPLIES = {1 << index: name for index, name in enumerate(TxPrimitive.as_shape().members)} | {0: "sync"}
CURRENT = {name: 1 << index for index, name in enumerate(RxPrimitive.as_shape().members)}


def rows(items):
    """The inputs of each clock.

    An item is what arrives: "SOF", a dword of a frame (as it was before scrambling), "error"; or
    what continues, in small letters: "sof", "data". With it, as (item, inputs), further inputs.
    """
    passed, value, current = 0, crc([]), None
    for item in items:
        item, inputs = item if isinstance(item, tuple) else (item, {})
        if item == "X_RDY":
            passed, value = 0, crc([])
        key = KEYS[passed % len(KEYS)]
        row = {"allowed": 1, "frame__accept": 1, "code__keystream": key, "code__crc": value}
        if isinstance(item, int):
            current = "data"
            row |= {"rx__word": item ^ key, "rx__strobe": 1}
            passed, value = passed + 1, crc([item], value)
        elif item == "error":
            row["rx__error"] = 1
        else:
            current = item.lower()
            row["rx__strobe"] = item.isupper()
        drive_idle = current in ("sync", "x_rdy")
        yield row | {"rx__current": CURRENT.get(current, 0), "rx__drive_idle": drive_idle,
                     "rx__ending": drive_idle or current in ("eof", "wtrm")} | inputs


def run(*items):
    seen = BENCH.trace([*rows(items)], OUTPUTS)
    for clock in seen:
        clock["reply"] = REPLIES[clock["reply"]]
    return seen


def replies(*items):
    return [clock["reply"] for clock in run(*items)]


def ends(seen):
    """(clock, ok) of each ``done``."""
    return [(n, clock["frame__ok"]) for n, clock in enumerate(seen) if clock["frame__done"]]


WORDS = [0x11223344, 0xFFFFFFFF, 0]
GOOD = ["X_RDY", "x_rdy", "SOF", *WORDS, crc(WORDS)]
BAD = ["X_RDY", "x_rdy", "SOF", *WORDS, crc(WORDS) ^ 1]
TO_SOF = ["sync", "r_rdy", "r_ip"]
IN_FRAME = [*TO_SOF, *["r_ip"] * 4]
assert len(IN_FRAME) == len(GOOD)


def test_good_frame():
    """X_RDY is answered at once, and so are SOF and EOF; R_OK lasts until SYNC."""
    seen = run("SYNC", *GOOD, "EOF", "WTRM", "wtrm", "SYNC", "sync")
    assert [clock["reply"] for clock in seen] == [
        "sync", "r_rdy", "r_rdy", *["r_ip"] * 5, "r_ok", "r_ok", "r_ok", "sync", "sync"]
    assert [clock["idle"] for clock in seen] == [1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    assert [n for n, clock in enumerate(seen) if clock["frame__start"]] == [4]
    assert [clock["frame__word"] for clock in seen if clock["frame__valid"]] == [*WORDS, crc(WORDS)]
    assert [n for n, clock in enumerate(seen) if clock["frame__valid"]] == [5, 6, 7, 8]
    assert [n for n, clock in enumerate(seen) if clock["frame__arrives"]] == [4, 5, 6, 7]
    assert [clock["frame__count"] for clock in seen[4:9]] == [0, 1, 2, 3, 4]
    assert ends(seen) == [(9, 1)]


def test_gaps_in_a_frame():
    """Gaps, ALIGN and junk show as the same thing continuing."""
    items = ["X_RDY", "x_rdy", "SOF", "sof", "sof", WORDS[0], "data", WORDS[1], "data", "data",
             WORDS[2], crc(WORDS), "data", "EOF", "eof", "SYNC"]
    seen = run(*items)
    assert [clock["frame__word"] for clock in seen if clock["frame__valid"]] == [*WORDS, crc(WORDS)]
    assert ends(seen) == [(14, 1)]
    assert [clock["reply"] for clock in seen[2:]] == ["r_ip"] * 11 + ["r_ok", "r_ok", "sync"]


@pytest.mark.parametrize("frame", [
    BAD,
    [*GOOD[:-1], (GOOD[-1], {"frame__accept": 0})],
    [*GOOD[:-1], "error", GOOD[-1]],
    [*GOOD[:3], "error", *GOOD[3:]],
    [*GOOD, "error"],
    [*GOOD[:4], "SOF", *GOOD[4:]],
    [*GOOD[:-1]],
    [*GOOD, 1],
    ["X_RDY", "x_rdy", "SOF", WORDS[0]],
    ["X_RDY", "x_rdy", "SOF"],
], ids=["crc", "not accepted", "error", "error first", "error last", "second SOF", "dword lost",
        "dword too many", "one dword", "empty"])
def test_bad_frame(frame):
    """R_ERR until SYNC, and the frame ends without ``ok``."""
    accepted = not isinstance(frame[-1], tuple)
    # A good frame first: nothing of it may do for the bad one.
    seen = run(*GOOD, "EOF", "SYNC", "sync", *frame, ("EOF", {"frame__accept": accepted}),
               "wtrm", "wtrm", "SYNC", "sync")
    after = seen[len(GOOD) + 3 + len(frame):]
    assert [clock["reply"] for clock in after] == ["r_err", "r_err", "r_err", "sync", "sync"]
    assert [ok for _, ok in ends(seen)] == [1, 0] and ends(after) == [(1, 0)]
    assert after[-1]["idle"]


def test_first_frame_without_a_dword():
    """Before any good frame there is nothing that could pass for a CRC."""
    assert replies("X_RDY", "SOF", "EOF", "eof")[-2:] == ["r_err", "r_err"]


@pytest.mark.parametrize("before", [GOOD, BAD, GOOD[:4], GOOD[:3]])
def test_wtrm_without_eof(before):
    seen = run(*before, "WTRM", "wtrm", "wtrm", "SYNC")
    assert [clock["reply"] for clock in seen[-4:]] == ["r_err", "r_err", "r_err", "sync"]
    assert ends(seen) == [(len(before) + 1, 0)]


@pytest.mark.parametrize("before", [GOOD, BAD, GOOD[:4], GOOD[:3]])
def test_sync_in_a_frame(before):
    """SYNC escape: the frame ends without an answer."""
    seen = run(*before, "SYNC", "sync", "X_RDY")
    assert [clock["reply"] for clock in seen[-3:]] == ["sync", "sync", "r_rdy"]
    assert ends(seen) == [(len(before) + 1, 0)]
    assert seen[len(before) + 1]["idle"]


@pytest.mark.parametrize("before", [GOOD, GOOD[:4], GOOD[:3]])
def test_x_rdy_in_a_frame(before):
    """The drive has begun again: its EOF and SYNC were lost."""
    seen = run(*before, "X_RDY", "x_rdy", "SOF", *GOOD[3:], "EOF", "eof")
    assert [clock["reply"] for clock in seen[len(before):len(before) + 3]] == [
        "sync", "r_rdy", "r_ip"]
    assert ends(seen) == [(len(before) + 1, 0), (len(seen) - 1, 1)]


@pytest.mark.parametrize("word", ["dmat", "pmreq", "r_ok", "r_err", "r_rdy", "other", "holda"])
def test_primitive_without_meaning_in_a_frame(word):
    """It is as if it had not been there."""
    seen = run(*GOOD[:5], word.upper(), word, *GOOD[5:], "EOF", "eof")
    assert [clock["reply"] for clock in seen[2:]] == ["r_ip"] * (len(GOOD)) + ["r_ok", "r_ok"]
    assert ends(seen) == [(len(seen) - 1, 1)]


def test_hold_is_answered_at_once():
    seen = replies(*GOOD[:5], "HOLD", "HOLD", "hold", GOOD[5], "HOLD", GOOD[6], "EOF")
    assert seen[5:] == ["holda", "holda", "holda", "r_ip", "holda", "r_ip", "r_ok"]


def test_our_hold():
    """HOLD continues until it is withdrawn, whatever the drive sends but the end of the frame."""
    hold = {"frame__hold": 1}
    items = [*GOOD[:5], ("HOLDA", hold), (GOOD[5], hold), ("HOLD", hold), "HOLD", (GOOD[6], hold),
             ("EOF", hold), ("eof", hold), "SYNC"]
    seen = run(*items)
    assert [clock["reply"] for clock in seen[5:]] == [
        "hold", "hold", "hold", "holda", "hold", "r_ok", "r_ok", "sync"]
    # What arrives while we hold is not lost.
    assert [clock["frame__word"] for clock in seen if clock["frame__valid"]] == [*WORDS, crc(WORDS)]
    assert ends(seen) == [(11, 1)]


@pytest.mark.parametrize("last, end", [("wtrm", "r_err"), ("sync", "sync"), ("x_rdy", "sync")])
def test_frame_cut_short_while_we_hold(last, end):
    seen = run(*GOOD[:5], ("HOLDA", {"frame__hold": 1}), (last.upper(), {"frame__hold": 1}), "sync")
    assert [clock["reply"] for clock in seen[5:7]] == ["hold", end]
    assert ends(seen) == [(7, 0)]


@pytest.mark.parametrize("inputs", [{"allowed": 0}, {"frame__hold": 1}])
def test_frame_is_not_let_in(inputs):
    seen = run(("X_RDY", inputs), ("x_rdy", inputs), ("x_rdy", inputs), "x_rdy", "x_rdy")
    assert [clock["reply"] for clock in seen] == ["sync"] * 3 + ["r_rdy"] * 2


def test_hold_after_r_rdy_is_too_late():
    """R_RDY is not taken back; HOLD follows in the frame."""
    hold = {"frame__hold": 1}
    assert replies("X_RDY", ("x_rdy", hold), ("SOF", hold), (WORDS[0], hold)) == [
        "r_rdy", "r_rdy", "r_ip", "hold"]


@pytest.mark.parametrize("name", [name for name in RxPrimitive.as_shape().members if name not in ("x_rdy",)])
def test_idle_answers_only_x_rdy(name):
    seen = run(name.upper(), name)
    assert [clock["reply"] for clock in seen] == ["sync", "sync"]
    assert all(clock["idle"] and not clock["frame__done"] and not clock["frame__valid"]
               for clock in seen)


@pytest.mark.parametrize("name", [name for name in RxPrimitive.as_shape().members
                                  if name not in ("x_rdy", "sof", "data")])
def test_anything_but_sof_after_r_rdy(name):
    """The frame does not come: back to idle, no frame begins or ends."""
    seen = run("X_RDY", "x_rdy", name.upper(), name, "X_RDY", "SOF")
    assert [clock["reply"] for clock in seen] == ["r_rdy", "r_rdy", "sync", "sync", "r_rdy", "r_ip"]
    assert not any(clock["frame__start"] or clock["frame__done"] for clock in seen)


@pytest.mark.parametrize("name", ["SYNC", "EOF", "WTRM", "HOLD"])
def test_sof_without_x_rdy(name):
    """R_RDY does not last: the drive has to ask again."""
    seen = run("X_RDY", "x_rdy", name, "SOF", *WORDS, "EOF", "WTRM")
    assert {clock["reply"] for clock in seen[2:]} == {"sync"}
    assert not any(clock["frame__start"] or clock["frame__valid"] for clock in seen)


def test_data_after_r_rdy():
    """A frame without SOF is none."""
    seen = run("X_RDY", "x_rdy", 1, 2, 3, "EOF", "WTRM", "SYNC")
    assert [clock["reply"] for clock in seen[2:]] == ["sync"] * 6
    assert not any(clock["frame__valid"] or clock["frame__done"] for clock in seen)


def test_x_rdy_after_the_answer():
    """The drive has been idle and its SYNC was lost."""
    for frame, answer in (GOOD, "r_ok"), (BAD, "r_err"):
        assert replies(*frame, "EOF", "X_RDY", "x_rdy", "SOF")[-4:] == [
            answer, "sync", "r_rdy", "r_ip"]


@pytest.mark.parametrize("name", [name for name in RxPrimitive.as_shape().members
                                  if name not in ("sync", "x_rdy", "data")])
def test_answer_lasts(name):
    for frame, answer in (GOOD, "r_ok"), (BAD, "r_err"):
        seen = run(*frame, "EOF", name.upper(), name, "SYNC")
        assert [clock["reply"] for clock in seen[-4:]] == [answer, answer, answer, "sync"]
        assert len(ends(seen)) == 1


def test_escape():
    """SYNC until the drive gives way; what it still sends is not part of any frame."""
    seen = run(*GOOD[:5], ("data", {"frame__escape": 1}), 1, 2, "EOF", "WTRM", "wtrm", "SYNC",
               "X_RDY")
    assert [clock["reply"] for clock in seen[6:]] == ["sync"] * 6 + ["r_rdy"]
    assert ends(seen) == [(6, 0)]
    assert not any(clock["frame__valid"] for clock in seen[7:])


def test_escape_with_eof():
    """An EOF in that clock does not end the frame well."""
    seen = run(*GOOD, ("EOF", {"frame__escape": 1, "frame__accept": 0}), "SYNC", "sync")
    assert ends(seen) == [(len(GOOD) + 1, 0)]
    assert seen[-1]["idle"]


def test_count_saturates():
    """A frame without end does not look short again."""
    seen = run("X_RDY", "x_rdy", "SOF", *range(4200))
    assert [clock["frame__count"] for clock in seen[3:]] == [min(n, 4095) for n in range(4200)]


def test_count_begins_anew():
    seen = run(*GOOD, "EOF", "SYNC", *GOOD[:4], "data")
    assert seen[-1]["frame__count"] == 1
