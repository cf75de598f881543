"""The transmitter: what it sends in answer to everything a drive may send."""

import pytest

from sata_recorder.core.link.frame_transmitter import FrameTransmitter
from sata_recorder.core.link.primitives import RxPrimitive, TxPrimitive
from unit.bench import Bench

BENCH = Bench(FrameTransmitter())
SENT = {1 << index: name for index, name in enumerate(TxPrimitive.as_shape().members)} | {0: "sync"}
CURRENT = {name: 1 << index for index, name in enumerate(RxPrimitive.as_shape().members)}
CRC = 0xC0FFEE00
KEY = 0x13579BDF
FLAGS = ["idle", "code__restart", "code__step", "sends_crc", "frame__ready", "frame__done", "frame__ok"]


async def drive(bench, items, words, frames):
    """An item is what the drive sends in a clock, or (that, inputs). ``words``: of each frame.

    A word that is None is a clock in which the frame has no word to offer.
    """
    seen, position, left = [], 0, frames
    for item in items:
        current, inputs = item if isinstance(item, tuple) else (item, {})
        offers = left and position < len(words)
        word = words[position] if offers else None
        bench.set(**{"tx__advance": 1, "tx__take": 1, "receiver_idle": 0,
                     "allowed": 1} | inputs,
                  rx__current=CURRENT.get(current, 0),
                  rx__drive_idle=current in ("sync", "x_rdy"),
                  code__crc=CRC, code__keystream=KEY,
                  frame__valid=word is not None, frame__payload__word=word or 0,
                  frame__payload__last=position == len(words) - 1)
        clock = {name: bench.get(name) for name in FLAGS}
        clock["send"] = SENT[bench.get("tx__send")]
        if clock["send"] == "data":
            clock["send"] = bench.get("tx__word") ^ KEY
        seen.append(clock)
        if clock["frame__done"]:
            left, position = left - 1, 0
        elif offers and (word is None or clock["frame__ready"]):
            position += 1
        await bench.tick()
    return seen


def run(*items, words=(1, 2, 3), frames=1):
    return BENCH.run(drive, items, words, frames)


def sends(seen):
    return [clock["send"] for clock in seen]


def ends(seen):
    """(clock, ok) of each ``done``."""
    return [(n, clock["frame__ok"]) for n, clock in enumerate(seen) if clock["frame__done"]]


TO_DATA = ["sync", "sync", "r_rdy"]
SOF = ["x_rdy", "x_rdy", "sof"]
SENDING = [*TO_DATA, "r_rdy", "r_ip", "r_ip", "r_ip", "r_ip"]
COMPLETE = [*SOF, 1, 2, 3, CRC, "eof"]


def test_good_frame():
    """Each answer is in the clock of its cause."""
    seen = run(*SENDING, "r_ip", "r_ip", "r_ok", "r_ok", "sync")
    assert sends(seen) == [*COMPLETE, "wtrm", "wtrm", "sync", "sync", "sync"]
    assert ends(seen) == [(10, 1)]
    assert [clock["idle"] for clock in seen] == [1, *[0] * 10, 1, 1]
    assert [n for n, clock in enumerate(seen) if clock["sends_crc"]] == [6]
    # CRC and scrambler begin again before the first word and get every word once, in order.
    assert [clock["code__restart"] for clock in seen[:4]] == [0, 1, 1, 0]
    assert [clock["code__step"] for clock in seen[3:7]] == [1, 1, 1, 1]
    assert [n for n, clock in enumerate(seen) if clock["frame__ready"]] == [3, 4, 5]


def test_refused_frame():
    seen = run(*SENDING, "r_ip", "r_err", "sync")
    assert sends(seen)[8:] == ["wtrm", "sync", "sync"]
    assert ends(seen) == [(9, 0)]


def test_answer_before_wtrm_was_sent():
    seen = run(*SENDING[:-1], "r_ok", "r_ok")
    assert sends(seen) == [*COMPLETE, "sync"]
    assert ends(seen) == [(8, 1)]


def test_shortest_frame():
    seen = run(*TO_DATA, "r_ip", "r_ip", "r_ip", "r_ok", words=(7,))
    assert sends(seen) == [*SOF, 7, CRC, "eof", "sync"]


def test_nothing_to_send():
    for name in CURRENT:
        seen = run("sync", name, name, frames=0)
        assert sends(seen) == ["sync"] * 3 and all(clock["idle"] for clock in seen)


def test_gives_way_to_x_rdy():
    """Both want to send: the drive's frame comes first, ours is kept."""
    seen = run("sync", "sync", "x_rdy", "x_rdy", "sof", "data", "eof", "sync", "r_rdy", "r_ip")
    assert [clock["idle"] for clock in seen[2:4]] == [1, 1]
    assert sends(seen)[2:7] == ["sync"] * 5
    assert sends(seen)[7:] == ["x_rdy", "sof", 1]
    assert ends(seen) == []


def test_x_rdy_of_the_drive_comes_first():
    assert sends(run("x_rdy", "x_rdy", "sync")) == ["sync", "sync", "x_rdy"]


def test_data_outside_of_a_frame():
    """The junk of a CONT that was lost: SYNC may never come again."""
    idle = {"receiver_idle": 1}
    assert sends(run("data", "data", ("data", idle), "data", "r_rdy")) == [
        "sync", "sync", "x_rdy", "x_rdy", "sof"]


@pytest.mark.parametrize("name", [name for name in CURRENT if name not in ("r_rdy", "x_rdy")])
def test_x_rdy_lasts(name):
    seen = run("sync", name, name, "r_rdy", "r_ip")
    assert sends(seen) == ["x_rdy", "x_rdy", "x_rdy", "sof", 1]


def test_next_frame_waits_for_sync():
    """The answer to the frame before is no SYNC."""
    seen = run(*SENDING, "r_ok", "r_ok", "r_ok", "sync", "r_rdy", "r_ip", frames=2)
    assert sends(seen)[8:] == ["sync", "sync", "sync", "x_rdy", "sof", 1]


def test_hold_is_answered_at_once():
    seen = run(*TO_DATA, "hold", "r_ip", "hold", "hold", "r_ip", "r_ip", "r_ip")
    assert sends(seen) == [*SOF, "holda", 1, "holda", "holda", 2, 3, CRC]
    assert [clock["frame__ready"] for clock in seen[3:]] == [0, 1, 0, 0, 1, 1, 0]


def test_hold_after_the_last_word():
    """CRC and EOF are not held back."""
    assert sends(run(*SENDING[:6], "hold", "hold", "hold")) == [*COMPLETE, "wtrm"]


def test_no_word_in_time():
    seen = run(*TO_DATA, *["r_ip"] * 7, words=(1, None, None, 2, 3))
    assert sends(seen) == [*SOF, 1, "hold", "hold", 2, 3, CRC, "eof"]


def test_no_word_and_hold():
    """Both throttle: HOLD is answered all the same."""
    seen = run(*TO_DATA, "r_ip", "hold", "hold", "r_ip", words=(1, None, None, 2))
    assert sends(seen)[3:] == [1, "holda", "holda", 2]


@pytest.mark.parametrize("early", ["r_ok", "r_err", "pmreq", "eof", "wtrm", "sof", "holda", "data",
                                   "other", "r_rdy"])
def test_primitive_without_meaning_in_a_frame(early):
    seen = run(*TO_DATA, "r_ip", early, early, "r_ip", "r_ip", "r_ip")
    assert sends(seen)[:8] == COMPLETE
    assert ends(seen) == []


@pytest.mark.parametrize("name", [name for name in CURRENT
                                  if name not in ("r_ok", "r_err", "sync", "x_rdy")])
def test_wtrm_lasts(name):
    seen = run(*SENDING, name, name, "r_ok")
    assert sends(seen)[8:] == ["wtrm", "wtrm", "sync"]


@pytest.mark.parametrize("sent", [0, 1, 2, 3])
def test_dmat_ends_the_frame(sent):
    """With a good CRC, but not before there are two dwords; the others are not taken."""
    seen = run(*TO_DATA, *["r_ip"] * sent, *["dmat"] * 4, *["r_ip"] * 4, "r_ok", "sync", "sync",
               words=(1, 2, 3, 4, 5, 6))
    taken = max(sent, 2)
    sequence = [name for name in sends(seen) if name != "hold"]
    assert sequence[:6 + taken] == [*SOF, *range(1, taken + 1), CRC, "eof", "wtrm"]
    assert sum(clock["frame__ready"] for clock in seen) == taken
    assert [ok for _, ok in ends(seen)] == [1]


def test_dmat_too_late():
    assert sends(run(*SENDING[:6], "dmat", "dmat", "dmat", "r_ok")) == [*COMPLETE, "wtrm", "sync"]


@pytest.mark.parametrize("name", ["sync", "x_rdy"])
@pytest.mark.parametrize("clocks", [3, 4, 5, 6, 8])
def test_drive_leaves_the_frame(name, clocks):
    """SYNC escape, or the drive begins to send: the frame is over without an answer."""
    seen = run(*[*SENDING, "r_ip", "r_ip"][:clocks], name, name)
    assert sends(seen)[clocks:] == ["sync", "sync"]
    assert ends(seen) == [(clocks, 0)]
    assert seen[-1]["idle"]


@pytest.mark.parametrize("name", ["sync", "x_rdy"])
def test_drive_leaves_the_frame_with_eof(name):
    seen = run(*SENDING[:7], name, name, name)
    assert ends(seen) == [(8, 0)]
    assert sends(seen)[7:] == ["eof", "sync", "sync"]


def test_drive_leaves_the_frame_while_it_has_no_word():
    seen = run(*TO_DATA, "r_ip", "sync", "sync", words=(1, None, None, 2))
    assert sends(seen)[3:] == [1, "sync", "sync"]
    assert ends(seen) == [(4, 0)]


def test_drive_leaves_in_the_clock_of_a_word():
    """That word is not taken: it would be lost with the frame."""
    seen = run(*TO_DATA, "r_ip", "sync")
    assert [clock["frame__ready"] for clock in seen] == [0, 0, 0, 1, 0]


def test_nothing_is_lost_when_the_encoder_stands_still():
    """Every clock once with ``advance`` low, before it is gone on."""
    still = {"tx__advance": 0, "tx__take": 0}
    currents = [*SENDING, "r_ip"]
    items = [x for current in currents for x in ((current, still), (current, still), current)]
    seen = run(*items)
    assert sends(seen)[2::3] == [*COMPLETE, "wtrm"]
    assert all(sends(seen)[n] == sends(seen)[n + 1] == sends(seen)[n + 2]
               for n in range(0, len(items), 3))
    assert not any(clock["code__step"] or clock["frame__ready"] for n, clock in enumerate(seen)
                   if n % 3 != 2)


def test_data_waits_until_it_is_taken():
    """The encoder sends a primitive once more before data: ``advance`` without ``take``."""
    seen = run(*TO_DATA, "hold", "hold", ("r_ip", {"tx__take": 0}), "r_ip", "r_ip", "r_ip",
               ("r_ip", {"tx__take": 0}), "r_ip", "r_ip")
    assert sends(seen)[3:] == ["holda", "holda", 1, 1, 2, 3, CRC, CRC, "eof"]
    assert [n for n, clock in enumerate(seen) if clock["code__step"]] == [6, 7, 8, 10]


def test_answer_is_seen_while_the_encoder_stands_still():
    """R_OK may come in a clock in which nothing can be sent."""
    still = {"tx__advance": 0, "tx__take": 0}
    seen = run(*SENDING, ("r_ok", still), ("r_ok", still), "sync")
    assert ends(seen) == [(8, 1)]
