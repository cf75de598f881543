"""The link layer at the dword port: latencies, whole frames, a partner that takes liberties."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sata_recorder.core.link import Link
from sata_recorder.core.link.primitives import RxPrimitive, TxPrimitive
from unit.bench import Bench
from unit.core.link.partner import LinkPartner
from unit.core.link.reference import PRIMITIVES, check_aligns, expanded, frame, keystream, named

BENCHES = {send_cont: Bench(Link(send_cont=send_cont)) for send_cont in (True, False)}
SHORT = Bench(Link(send_cont=False, sync_between_frames=False))
PORT = ["phy__tx_data", "phy__tx_k"]
SENT = {name: 1 << index for index, name in enumerate(TxPrimitive.as_shape().members)} | {"sync": 0}
ENDS = ["send__done", "send__ok", "receive__start", "receive__valid",
        "receive__done", "receive__ok"]


def port(item, **inputs):
    """The inputs of a clock in which the drive sends ``item``; None is a gap."""
    dword, k = item if isinstance(item, tuple) else (PRIMITIVES.get(item, item), 1)
    return {"phy__link_up": 1, "phy__tx_ready": 1, "phy__rx_valid": item is not None,
            "phy__rx_data": dword or 0, "phy__rx_k": k, "receive__accept": 1} | inputs


def line(*rows, send_cont=False, outputs=(), bench=None):
    """What the core sends in each clock, and the further ``outputs``."""
    seen = (bench or BENCHES[send_cont]).trace(
        [row if isinstance(row, dict) else port(row) for row in rows], [*PORT, *outputs])
    sent = named([(clock["phy__tx_data"], clock["phy__tx_k"]) for clock in seen])
    return (sent, seen) if outputs else sent


WORDS = [0x00500034, 0x12345678, 0]
OFFER = ["X_RDY", "X_RDY", "X_RDY"]
OURS = {"send__valid": 1, "send__payload__word": 0xABCD, "send__payload__last": 1}
MORE = OURS | {"send__payload__last": 0}
TO_DATA = [port("SYNC", **OURS)] * 4 + [port("R_RDY", **OURS)] * 3
TO_MORE = [port("SYNC", **MORE)] * 4 + [port("R_RDY", **MORE)] * 3


@pytest.mark.parametrize("before, item, answer", [
    (["SYNC"] * 3, "X_RDY", "R_RDY"),
    ([*["SYNC"] * 3, *OFFER], frame(WORDS)[0], "R_IP"),
    ([*OFFER, *frame(WORDS)[:3]], "HOLD", "HOLDA"),
    ([*OFFER, *frame(WORDS)[:-1]], "EOF", "R_OK"),
    ([*OFFER, *frame(WORDS)[:-2]], "EOF", "R_ERR"),
    ([*OFFER, *frame(WORDS)[:-1]], "WTRM", "R_ERR"),
    ([*OFFER, *frame(WORDS)[:-2]], "SYNC", "SYNC"),
    ([*OFFER, *frame(WORDS), "WTRM"], "SYNC", "SYNC"),
    ([*OFFER, *frame(WORDS)[:3], "HOLD", "HOLD", "HOLD"], frame(WORDS)[3], "R_IP"),
    (["SYNC"] * 3, "PMREQ_P", "PMNAK"),
    (["SYNC"] * 3, "PMREQ_S", "PMNAK"),
    (["SYNC"] * 3 + ["PMREQ_S"] * 3, "SYNC", "SYNC"),
], ids=lambda value: value if isinstance(value, str) else "")
def test_answer_after_2_clocks(before, item, answer):
    sent = line(*before, item, item, item)
    assert sent[len(before) + 1] != answer and sent[len(before) + 2] == answer


@pytest.mark.parametrize("before, item, answer", [
    (TO_DATA[:4], port("R_RDY", **OURS), "SOF"),
    ([port("SYNC", **OURS)] * 4, port("X_RDY", **OURS), "R_RDY"),
    ([*TO_DATA, *[port("R_IP")] * 8], "R_OK", "SYNC"),
    ([*TO_DATA, *[port("R_IP")] * 8], "R_ERR", "SYNC"),
    ([*TO_MORE, *[port("R_IP", **MORE)] * 4], port("HOLD", **MORE), "HOLDA"),
    ([*TO_MORE, *[port("R_IP", **MORE)] * 4], port("SYNC"), "SYNC"),
], ids=["SOF", "gives way", "R_OK", "R_ERR", "HOLDA", "SYNC"])
def test_our_frame_goes_on_after_2_clocks(before, item, answer):
    sent = line(*before, item, item, item)
    assert sent[len(before) + 1] != answer and sent[len(before) + 2] == answer


@pytest.mark.parametrize("before", [["X_RDY"] * 3, [*OFFER, *frame(WORDS), *["WTRM"] * 3]],
                         ids=["an offer", "a frame"])
def test_our_frame_comes_3_clocks_after_sync(before):
    """2 without ``sync_between_frames``."""
    rows = [port(item, **OURS) for item in [*before, *["SYNC"] * 4]]
    assert line(*rows)[len(before) + 2:] == ["SYNC", "X_RDY"]
    sent = line(*rows, bench=SHORT)
    assert sent[len(before) + 1] != "X_RDY" and sent[len(before) + 2] == "X_RDY"


def test_hold_needs_2_clocks():
    """Ours, and its end: within 2 clocks of the request of the layer above."""
    before = [*OFFER, *frame([1, 2, 3, 4, 5, 6, 7, 8])[:4]]
    items = frame([1, 2, 3, 4, 5, 6, 7, 8])[4:8]
    sent = line(*before, *(port(item, receive__hold=n < 2) for n, item in enumerate(items)))
    assert sent[len(before):] == ["R_IP", "HOLD", "HOLD", "R_IP"]


def test_escape():
    """SYNC until the drive sends SYNC; the frame is over for the layer above."""
    sent, seen = line(*OFFER, *frame(WORDS)[:3], port("R_IP", receive__escape=1), *frame(WORDS)[3:],
                      "WTRM", "WTRM", "SYNC", "X_RDY", "X_RDY", "X_RDY", outputs=ENDS)
    assert sent[6:8] == ["R_IP"] * 2
    assert sent[8:15] == ["SYNC"] * 7 and sent[-1] == "R_RDY"
    assert sum(clock["receive__done"] for clock in seen) == 1
    assert not any(clock["receive__ok"] for clock in seen)


def test_pmreq_is_refused_only_between_frames():
    sent = line(*OFFER, *frame(WORDS)[:3], "PMREQ_P", "PMREQ_P", *frame(WORDS)[3:], "WTRM", "WTRM")
    assert "PMNAK" not in sent and sent[-1] == "R_OK"
    sent = line(*TO_DATA, *[port("PMREQ_S")] * 9)
    assert "PMNAK" not in sent and sent[-1] == "WTRM"


def test_frame_waits_while_power_management_is_refused():
    rows = ["SYNC", "PMREQ_P", *[port("PMREQ_P", **OURS)] * 5, *[port("SYNC", **OURS)] * 4]
    assert line(*rows)[3:] == ["PMNAK"] * 6 + ["SYNC", "X_RDY"]
    assert line(*rows, bench=SHORT)[3:] == ["PMNAK"] * 6 + ["X_RDY"] * 2


def test_no_frame_of_ours_inside_one_of_the_drive():
    """A frame to be sent waits until the drive sends SYNC again."""
    rows = [port(item, **OURS) for item in [*OFFER, *frame(WORDS), *["WTRM"] * 3, *["SYNC"] * 4]]
    for bench, last in (None, ["SYNC", "X_RDY"]), (SHORT, ["X_RDY"] * 2):
        sent = line(*rows, bench=bench)
        assert "X_RDY" not in sent[:-2] and sent[-2:] == last
        assert sent.count("R_OK") == 4


BEFORE = {
    "R_OK": [*OFFER, *frame(WORDS), "WTRM", "WTRM"],
    "R_ERR": [*OFFER, *frame(WORDS)[:-2], "EOF", "WTRM", "WTRM"],
    "PMNAK": ["SYNC", "PMREQ_S", "PMREQ_S", "PMREQ_S"],
    "R_RDY": ["SYNC", *OFFER],
}


@pytest.mark.parametrize("last", BEFORE)
@pytest.mark.parametrize("stalled", [0, 1, 2, 5])
def test_sync_before_x_rdy(last, stalled):
    """L1: L_IDLE sends SYNC before a frame is offered, however long the PHY takes none. Without
    ``sync_between_frames`` X_RDY goes out in its place."""
    idle = port("SYNC", **OURS)
    letter, short = after(last, [*[idle | {"phy__tx_ready": 0}] * stalled, *[idle] * 6])
    assert short and set(short) == {"X_RDY"}
    assert letter == ["SYNC", *short[1:]]


@pytest.mark.parametrize("last", ["R_OK", "R_ERR"])
@pytest.mark.parametrize("stalled", [2, 3, 5])
def test_sync_before_r_rdy(last, stalled):
    """The same when the drive offers a frame and the PHY takes nothing while it sends SYNC."""
    stop = {"phy__tx_ready": 0}
    letter, short = after(last, [port("SYNC", **stop), *[port("X_RDY", **stop)] * stalled,
                                 *[port("X_RDY")] * 4])
    assert short and set(short) == {"R_RDY"}
    assert letter == ["SYNC", *short[1:]]


def after(last, rows):
    """What the PHY takes after the last ``last`` while the drive sends ``rows`` after BEFORE, with
    ``sync_between_frames`` and without."""
    rows = [*map(port, BEFORE[last]), *rows]
    tails = []
    for bench in (None, SHORT):
        on_line = [item for item, row in zip(line(*rows, bench=bench), rows)
                   if row["phy__tx_ready"]]
        tails.append(on_line[len(on_line) - on_line[::-1].index(last):])
    return tails


def test_align_is_no_sync():
    """An ALIGN pair between R_OK and X_RDY does not stand for the SYNC."""
    seen = set()
    for wait in range(220, 256):
        rows = [port(item, **OURS) for item in (
            *OFFER, *["X_RDY"] * wait, *frame(WORDS), "WTRM", "WTRM", *["SYNC"] * 9)]
        sent = line(*rows)
        after = sent[len(sent) - sent[::-1].index("R_OK"):]
        assert [item for item in after if item != "ALIGN"][:2] == ["SYNC", "X_RDY"]
        seen.add(tuple(after[:4]))
    assert {("ALIGN", "ALIGN", "SYNC", "X_RDY"), ("SYNC", "ALIGN", "ALIGN", "X_RDY")} <= seen


def test_frame_of_ours_after_a_lost_cont():
    """Junk that looks like data is no frame: it does not keep ours waiting."""
    junk = [port((n, 0), **OURS) for n in range(5)]
    sent = line("SYNC", "SYNC", port("CONT", phy__rx_error=1), *junk, port("R_RDY", **OURS),
                *[port("R_IP", **OURS)] * 3)
    assert sent[-5:-1] == ["X_RDY", "X_RDY", "X_RDY", "SOF"] and isinstance(sent[-1], int)


@pytest.mark.parametrize("send_cont", [True, False])
@pytest.mark.parametrize("before", [
    ["SYNC"] * 20, ["X_RDY"] * 20, [*OFFER, *frame(WORDS)[:3]], [*OFFER, *["HOLD"] * 9],
    TO_DATA, [*TO_DATA, *["R_IP"] * 20]])
@pytest.mark.parametrize("clocks", range(4))
def test_link_comes_back(send_cont, before, clocks):
    """It begins with SYNC, as after reset: no frame, no junk, no ALIGN of before continues."""
    down = [port("SYNC", phy__link_up=0)] * (1 + clocks)
    sent, seen = line(*before, *down, *["SYNC"] * 5, "X_RDY", "X_RDY", "X_RDY",
                      send_cont=send_cont, outputs=ENDS)
    after = sent[len(before) + len(down):]
    assert after[:2] == ["SYNC"] * 2 and after[-1] == "R_RDY"
    assert after[:-1] == (["SYNC", "SYNC", "CONT", *after[3:-1]] if send_cont else ["SYNC"] * 7)
    assert not any(clock[name] for clock in seen[len(before) + 1:] for name in ENDS)


@pytest.mark.parametrize("offset", range(-3, 4))
def test_link_falls_beside_align(offset):
    """A pair that was begun is not gone on with: ALIGN would stand alone."""
    before = line(*["SYNC"] * 300).index("ALIGN") + offset
    sent = line(*["SYNC"] * before, *[port(None, phy__link_up=0)] * 3, *["SYNC"] * 240)
    assert "ALIGN" not in sent[before + 3:]


ACTIVITY = [f"activity__{name}" for name in (
    "taken", "sent", "sent_align", "sent_crc", "arrived", "strobe", "align", "received")]


def test_activity():
    """What was at the port two clocks ago, in both directions."""
    items = ["SYNC", None, "SYNC", "CONT", (5, 0), "ALIGN", *TO_DATA, *["R_IP"] * 8, *["R_OK"] * 2]
    rows = [(item if isinstance(item, dict) else port(item)) | {"phy__tx_ready": n % 5 != 4}
            for n, item in enumerate(items)]
    sent, seen = line(*rows, *["SYNC"] * 4, outputs=ACTIVITY)
    assert sent.index("EOF") < len(rows)
    sent_crc = [item for item in sent if isinstance(item, int)][-1]
    names = [None if isinstance(item, dict) else item for item in items]
    for n, row in enumerate(rows):
        assert [seen[n + 2][name] for name in ACTIVITY[:-1]] == [
            row["phy__tx_ready"],
            SENT["data" if isinstance(sent[n], int) else sent[n].lower()],
            0,
            sent[n] == sent_crc,
            row["phy__rx_valid"],
            n not in (1, 3, 4, 5),
            names[n] == "ALIGN",
        ], f"clock {n}"
    received = [clock["activity__received"] for clock in seen[2:]]
    assert received[:6] == [1 << [*RxPrimitive.as_shape().members].index("sync")] * 6
    assert received[10] == 1 << [*RxPrimitive.as_shape().members].index("r_rdy")


def test_activity_of_align():
    sent, seen = line(*["SYNC"] * 600, outputs=ACTIVITY)
    assert sent.count("ALIGN") == 4
    assert [clock["activity__sent_align"] for clock in seen[2:]] == [
        item == "ALIGN" for item in sent[:-2]]


async def talk(bench, partner, rng, frames, clocks, eager):
    """Sends ``frames`` to the partner and receives its frames until both are done."""
    line, received, words, answers = [], [], [], []
    frames, position = [list(frame) for frame in frames], 0
    answer, hold = (0, 0, 0, 1), 0
    bench.set(phy__link_up=1, receive__accept=1)
    for clock in range(clocks):
        dword, k, valid, ready = answer
        hold ^= rng.random() < 0.1 * (1 - eager)
        offers = bool(frames) and position < len(frames[0]) and (
            rng.random() < eager or 0 < position < 2)
        bench.set(phy__rx_data=dword, phy__rx_k=k, phy__rx_valid=valid, phy__tx_ready=ready,
                  send__valid=offers, send__payload__word=frames[0][position] if offers else 0,
                  send__payload__last=offers and position == len(frames[0]) - 1,
                  receive__hold=hold)
        sent = bench.get("phy__tx_data"), bench.get("phy__tx_k")
        if ready:
            line.append(sent)
        if offers and bench.get("send__ready"):
            position += 1
        if bench.get("send__done"):
            answers.append(bench.get("send__ok"))
            assert position == len(frames.pop(0))
            position = 0
        if bench.get("receive__valid"):
            words.append(bench.get("receive__word"))
        if bench.get("receive__done"):
            assert bench.get("receive__ok")
            assert bench.get("receive__count") == len(words)
            received.append(words[:-1])
            words = []
        answer = partner.clock(*sent, ready)
        if partner.idle and not frames and clock > 20:
            return line, received, answers, clock
        await bench.tick()
    raise AssertionError(f"not done after {clocks} clocks: {frames}, {partner.__dict__}")


def converse(seed, *, liberties, eager, cont, send_cont, sizes):
    rng = random.Random(seed)
    theirs, ours = ([[rng.getrandbits(32) for _ in range(rng.choice(sizes))]
                     for _ in range(rng.randint(0, 4))] for _ in range(2))
    partner = LinkPartner(rng, theirs, liberties=liberties, cont=cont)
    line, received, answers, clocks = BENCHES[send_cont].run(
        talk, partner, rng, ours, 20_000, eager)
    assert received == theirs and partner.answers == ["R_OK"] * len(theirs)
    assert partner.received == ours and answers == [1] * len(ours)
    check_aligns(line)
    expanded(line)


@settings(max_examples=settings().max_examples // 4)
@given(st.integers(0, 2**32 - 1), st.booleans(), st.booleans(),
       st.sampled_from([0, 0.02, 0.1, 0.3]), st.sampled_from([1, 0.8, 0.3]))
def test_conversation(seed, cont, send_cont, liberties, eager):
    converse(seed, liberties=liberties, eager=eager, cont=cont, send_cont=send_cont,
             sizes=[1, 1, 2, 5, 5, 30, 130])


@pytest.mark.parametrize("outward", [True, False])
def test_longest_frame_at_full_rate(outward):
    """A dword a clock, but for ALIGN and the handshake."""
    words = [random.Random(7).getrandbits(32) for _ in range(2049)]
    partner = LinkPartner(random.Random(7), [] if outward else [words])
    _, received, _, clocks = BENCHES[True].run(
        talk, partner, random.Random(7), [words] if outward else [], 5000, 1)
    assert (partner.received if outward else received) == [words]
    assert clocks < 2052 * 256 / 254 + 32


def test_sample_of_the_specification_on_the_line():
    """The sample (see test_crc) under the published keystream (see test_scrambler)."""
    sample = [0x00308027, 0xE1234567, 0x00000000, 0x00000002, 0x00000000]
    sent, _, _, _ = BENCHES[False].run(
        talk, LinkPartner(random.Random(0)), random.Random(0), [sample], 100, 1)
    items = named(sent)
    body = items[items.index("SOF") + 1:items.index("EOF")]
    assert body[:3] == [0x00308027 ^ 0xC2D2768D, 0xE1234567 ^ 0x1F26B368, 0xA508436C]
    assert body[5:] == [0x319FFF6F ^ keystream(6)[-1]]
