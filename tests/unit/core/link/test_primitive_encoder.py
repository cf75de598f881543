"""The encoder: every dword that leaves the core, seen as a PHY and a receiver see it."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sata_recorder.core.link.primitive_encoder import PrimitiveEncoder
from sata_recorder.core.link.primitives import TxPrimitive
from unit.bench import Bench
from unit.core.link.reference import check_aligns, expanded, named

BENCHES = {send_cont: Bench(PrimitiveEncoder(send_cont=send_cont)) for send_cont in (False, True)}
BITS = {name: 1 << index for index, name in enumerate(TxPrimitive.as_shape().members)} | {"sync": 0}

#: What CONT may continue (Serial ATA specification, link layer, CONT primitive).
CONTINUED = {"HOLD", "HOLDA", "PMREQ_P", "PMREQ_S", "R_ERR", "R_IP", "R_OK", "R_RDY", "SYNC",
             "WTRM", "X_RDY"}


def item(send, word):
    return word if send == "data" else send.upper()


async def run(bench, program, ready):
    """Sends ``program``, [(what, word)], each until it is taken; ``ready(clock)``: the PHY.

    Returns the (dword, k) that the PHY took, what they should be once expanded, and what the
    encoder said of them.
    """
    line, wanted, said = [], ["SYNC"], []       # SYNC: what stands at the port after reset
    position, clock, before = 0, 0, None
    while position < len(program):
        send, word = program[position]
        tx_ready = ready(clock)
        bench.set(tx_ready=tx_ready, tx__send=BITS[send], tx__word=word)
        port = bench.get("tx_data"), bench.get("tx_k")
        assert before in (None, port), "the port moved while the PHY was not ready"
        advance, take = bench.get("tx__advance"), bench.get("tx__take")
        assert advance <= tx_ready and take <= advance
        before = None if tx_ready else port
        if tx_ready:
            line.append(port)
            said.append((bench.get("sent"), bench.get("align")))
        if advance and (send != "data" or take):
            wanted.append(item(send, word))
            position += 1
        elif advance:
            wanted.append(wanted[-1])           # once more before data
        await bench.tick()
        clock += 1
    return line, wanted, said


def check(send_cont, program, ready=lambda clock: True):
    """Runs ``program`` and returns the names of what was sent."""
    line, wanted, said = BENCHES[send_cont].run(run, program, ready)
    seen = named(line)
    check_aligns(line)
    # At most the newest one is still on its way to the port.
    meant = expanded(line)
    assert wanted[:len(meant)] == meant and len(wanted) - len(meant) <= 1
    assert [align for _, align in said] == [name == "ALIGN" for name in seen]
    assert [sent for sent, align in said if not align] == [
        BITS["data"] if isinstance(name, int) else BITS[name.lower()] for name in meant]
    for n, name in enumerate(seen):
        if name == "CONT":
            assert send_cont
            assert [x for x in seen[:n] if x != "ALIGN"][-1] in CONTINUED
    return seen


def frame(rng):
    """A frame as the link sends one: HOLD and HOLDA may come before and between data."""
    yield from [("sof", 0)]
    for _ in range(rng.randint(1, 6)):
        for _ in range(rng.choice([0, 0, 1, 2, 3, 4, 9])):
            yield rng.choice([("hold", 0), ("hold", 0), ("holda", 0)])
        for _ in range(rng.choice([1, 1, 2, 3, 40])):
            yield "data", rng.getrandbits(32)
    yield "eof", 0


def traffic(rng, length):
    program = []
    while len(program) < length:
        if rng.random() < 0.3:
            program += frame(rng)
        else:
            which = rng.choice([name for name in BITS if name not in ("data", "sof", "eof")])
            program += [(which, 0)] * rng.choice([1, 1, 2, 3, 4, 5, 20])
    return program


def idle(count, which="sync"):
    return [(which, 0)] * count


def test_sync_comes_first():
    assert check(True, idle(8))[:2] == ["SYNC", "SYNC"]


def test_cont_after_two():
    seen = check(True, idle(2) + idle(2, "x_rdy") + idle(6, "r_ip"))
    assert seen[1:6] == ["SYNC", "CONT", "X_RDY", "X_RDY", "R_IP"]
    assert seen[6:8] == ["R_IP", "CONT"] and all(isinstance(x, int) for x in seen[8:])


@pytest.mark.parametrize("which", sorted(CONTINUED & {name.upper() for name in BITS}))
def test_what_is_continued(which):
    seen = check(True, idle(3) + idle(20, which.lower()) + idle(1, "wtrm"))
    start = seen.index("CONT", 3) if which != "SYNC" else seen.index("CONT")
    assert seen[start - 2:start] == [which, which]
    assert all(isinstance(x, int) for x in seen[start + 1:start + 10])


def test_pmnak_is_not_continued():
    seen = check(True, idle(5) + idle(20, "pmnak") + idle(1))
    assert seen.count("PMNAK") == 20


def test_without_cont():
    seen = check(False, idle(20) + idle(20, "hold"))
    assert set(seen) == {"SYNC", "HOLD"}


def test_primitive_once_more_before_data():
    data = [("data", 0xEE), ("data", 0x22)]
    seen = check(True, idle(2) + [("sof", 0)] + data + idle(5, "hold") + data)
    start = seen.index("HOLD")
    assert seen[start:start + 3] == ["HOLD", "HOLD", "CONT"]
    assert seen[start + 5:start + 7] == ["HOLD", 0xEE]


@pytest.mark.parametrize("holds", [1, 2])
def test_data_at_once_when_there_is_no_junk(holds):
    data = ("data", 7)
    seen = check(True, idle(2) + [("sof", 0), data] + idle(holds, "hold") + [data] * 2)
    start = seen.index("HOLD")
    assert seen[start:start + holds + 1] == ["HOLD"] * holds + [7]


def test_junk_is_scrambled():
    """Junk never repeats within a while: it is there to spread the spectrum."""
    junk = [x for x in check(True, idle(2000)) if isinstance(x, int)]
    assert len(junk) > 1900 and len(set(junk)) > 0.999 * len(junk)


def test_254_of_256_clocks_carry_something():
    line, _, _ = BENCHES[True].run(run, [("data", n) for n in range(254 * 4)], lambda clock: 1)
    assert abs(len(line) - 256 * 4) <= 2


def test_a_dword_is_at_the_port_one_clock_later():
    rows = [{"tx_ready": 1}, {"tx_ready": 1, "tx__send": BITS["x_rdy"]}, {"tx_ready": 1}]
    seen = BENCHES[True].trace(rows, ["tx_data", "tx_k"])
    assert named([(clock["tx_data"], clock["tx_k"]) for clock in seen]) == [
        "SYNC", "SYNC", "X_RDY"]


@settings(max_examples=settings().max_examples // 4)
@given(st.integers(0, 2**32 - 1), st.booleans(), st.sampled_from([1, 0.5, 0.8, 0.2, 0.95]))
def test_random_traffic(seed, send_cont, rate):
    rng = random.Random(seed)
    check(send_cont, traffic(rng, 550), lambda clock: rng.random() < rate)


@pytest.mark.parametrize("send_cont", [False, True])
def test_first_pair(send_cont):
    """The pairs end where 256 dwords from reset on do, the SYNC at the port then included."""
    seen = check(send_cont, idle(600))
    assert [n for n, name in enumerate(seen) if name == "ALIGN"] == [254, 255, 510, 511]


@pytest.mark.parametrize("offset", range(250, 260))
def test_cont_beside_align(offset):
    """A run of HOLD that begins anywhere around a pair, with data right after it."""
    data = [("data", n) for n in range(offset)]
    for holds in range(1, 7):
        check(True, [("sof", 0), *data, *idle(holds, "hold"), *data[:5]])
