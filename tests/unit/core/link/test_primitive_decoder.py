"""The decoder: from dwords to what the drive is sending."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sata_recorder.core.link.primitive_decoder import PrimitiveDecoder
from sata_recorder.core.link.primitives import RxPrimitive
from unit.bench import Bench
from unit.core.link.reference import PRIMITIVES

BENCH = Bench(PrimitiveDecoder())
OUTPUTS = ["current", "drive_idle", "ending", "strobe", "word", "align", "error", "arrived"]
BITS = {name: 1 << index for index, name in enumerate(RxPrimitive.as_shape().members)}

#: Under which name each primitive is received.
RECEIVED = {name: name.lower() for name in PRIMITIVES if name not in ("ALIGN", "CONT")} | {
    "PMREQ_P": "pmreq", "PMREQ_S": "pmreq", "R_IP": "other", "PMACK": "other", "PMNAK": "other"}


def row(item, **inputs):
    """The inputs of a clock: a primitive by name, a dword, "-" for a gap, "?" for no primitive."""
    dword, k = {"-": (PRIMITIVES["SOF"], 1), "?": (0x1234567C, 1)}.get(
        item, (PRIMITIVES.get(item, item), isinstance(item, str)))
    return {"link_up": 1, "valid": item != "-", "dword": dword, "k": k} | inputs


def decoded(*items):
    """What is seen of each of ``items``, one clock later."""
    rows = [item if isinstance(item, dict) else row(item) for item in items]
    seen = BENCH.trace([*rows, row("-")], [f"rx__{name}" for name in OUTPUTS])[1:]
    return [{name: clock[f"rx__{name}"] for name in OUTPUTS} for clock in seen]


def clock(current, *, strobe=0, **others):
    """The outputs of a clock, but for ``word``."""
    drive_idle = current in ("sync", "x_rdy")
    return {"current": BITS.get(current, 0), "drive_idle": drive_idle,
            "ending": drive_idle or current in ("eof", "wtrm"), "strobe": strobe,
            "align": 0, "error": 0, "arrived": 1} | others


def check(seen, expected):
    for number, (found, wanted) in enumerate(zip(seen, expected, strict=True)):
        assert {name: found[name] for name in wanted} == wanted, f"clock {number}"


@pytest.mark.parametrize("name", RECEIVED)
def test_primitive(name):
    check(decoded(name), [clock(RECEIVED[name], strobe=1)])


def test_data():
    check(decoded("SOF", 0x12345678, PRIMITIVES["EOF"]), [
        clock("sof", strobe=1),
        clock("data", strobe=1, word=0x12345678),
        clock("data", strobe=1, word=PRIMITIVES["EOF"])])      # without K it is data


def test_nothing_before_the_first_dword():
    check(decoded("-", "-"), [clock(None, arrived=0)] * 2)


def test_gaps_and_align_change_nothing():
    check(decoded("HOLD", "-", "ALIGN", "ALIGN", "-", 5), [
        clock("hold", strobe=1),
        clock("hold", arrived=0),
        clock("hold", align=1),
        clock("hold", align=1),
        clock("hold", arrived=0),
        clock("data", strobe=1, word=5)])


def test_junk_goes_on_with_the_primitive():
    check(decoded("SYNC", "SYNC", "CONT", 1, "ALIGN", "ALIGN", 2, "-", 3, "X_RDY", 4), [
        clock("sync", strobe=1),
        clock("sync", strobe=1),
        clock("sync"),
        clock("sync"),
        clock("sync", align=1),
        clock("sync", align=1),
        clock("sync"),
        clock("sync", arrived=0),
        clock("sync"),
        clock("x_rdy", strobe=1),
        clock("data", strobe=1, word=4)])


@pytest.mark.parametrize("name", RECEIVED)
def test_any_primitive_ends_junk(name):
    check(decoded("HOLD", "HOLD", "CONT", 1, name, 2)[4:], [
        clock(RECEIVED[name], strobe=1), clock("data", strobe=1, word=2)])


def test_the_same_primitive_after_junk_is_new():
    check(decoded("HOLD", "HOLD", "CONT", 1, "HOLD", 2)[3:], [
        clock("hold"), clock("hold", strobe=1), clock("data", strobe=1, word=2)])


@pytest.mark.parametrize("bad", [
    row("?"), row(7, error=1), row("EOF", error=1), row("ALIGN", error=1),
    row(0x00000000, k=1), row(PRIMITIVES["EOF"] ^ 0x01000000, k=1)])
def test_undecodable_dword_changes_nothing(bad):
    check(decoded("SOF", 5, bad, 6)[1:], [
        clock("data", strobe=1, word=5), clock("data", error=1),
        clock("data", strobe=1, word=6)])
    check(decoded("HOLDA", "HOLDA", "CONT", 9, bad, 8)[3:], [
        clock("holda"), clock("holda", error=1), clock("holda")])


def test_damaged_cont_begins_no_junk():
    check(decoded("HOLD", "HOLD", row("CONT", error=1), 8)[2:], [
        clock("hold", error=1), clock("data", strobe=1, word=8)])


@pytest.mark.parametrize("before", [["SOF"], ["SYNC", "SYNC", "CONT", 1], ["X_RDY"], ["EOF"]])
def test_link_down_forgets(before):
    """Neither the primitive nor junk outlives the link."""
    seen = decoded(*before, row("SYNC", link_up=0), row("-"), row(3))
    check(seen[len(before):], [
        clock(None), clock(None, arrived=0), clock("data", strobe=1, word=3)])


ITEMS = st.one_of(st.sampled_from([*PRIMITIVES, "CONT", "CONT", "ALIGN", "-", "?"]),
                  st.integers(0, 2**32 - 1))


@given(st.lists(st.tuples(ITEMS, st.integers(0, 15).map(lambda n: n == 0)), max_size=60))
def test_random_dwords(items):
    current, junk, expected = None, False, []
    for item, error in items:
        if item == "-":
            expected.append(clock(current, arrived=0))
        elif error or item == "?":
            expected.append(clock(current, error=1))
        elif item == "ALIGN":
            expected.append(clock(current, align=1))
        elif item == "CONT":
            junk = True
            expected.append(clock(current))
        elif isinstance(item, str):
            current, junk = RECEIVED[item], False
            expected.append(clock(current, strobe=1))
        elif junk:
            expected.append(clock(current))
        else:
            current = "data"
            expected.append(clock(current, strobe=1, word=item))
    check(decoded(*(row(item, error=error) for item, error in items)), expected)
