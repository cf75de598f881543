"""The parser: what is accepted, what is reported of it, and when."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sata_recorder.core.transport import ReceivedFis
from sata_recorder.core.transport.fis_parser import FisParser
from unit.bench import Bench

BENCH = Bench(FisParser())

#: Dwords of each FIS that a drive sends (Serial ATA specification, FIS types), and its report.
REGISTER_D2H, DMA_ACTIVATE, DMA_SETUP, DATA, BIST, PIO_SETUP, SET_DEVICE_BITS = (
    0x34, 0x39, 0x41, 0x46, 0x58, 0x5F, 0xA1)
FISES = {REGISTER_D2H: (5, "register_d2h"), DMA_ACTIVATE: (1, "dma_activate"),
         DMA_SETUP: (7, "other"), BIST: (3, "other"), PIO_SETUP: (5, "pio_setup"),
         SET_DEVICE_BITS: (2, "other")}
EVENTS = ["register_d2h", "dma_activate", "pio_setup", "other", "data", "data_bad"]
FIELDS = ["status", "error", "end_status", "transfer_bytes", "is_ata", "lba", "device"]
assert set(EVENTS + FIELDS) == set(ReceivedFis.as_shape().members)


async def receive(bench, frames, expect_data):
    """Each of ``frames`` is (dwords with the CRC, gaps before each and before EOF, CRC is good).

    Returns for each (accepted, events, fields, payload, largest delay of payload).
    """
    results = []
    bench.set(received__expect_data=expect_data)
    for dwords, gaps, good in frames:
        seen = {"payload": [], "clocks": [], "events": []}
        arrivals, clock, word = [], 0, None

        async def tick(arrives, **inputs):
            nonlocal clock
            bench.set(**{"frame__start": 0, "frame__done": 0, "frame__ok": 0} | inputs,
                      frame__arrives=arrives is not None, frame__valid=word is not None,
                      frame__word=word or 0, frame__count=min(len(arrivals), 4095))
            if bench.get("received__payload__valid"):
                seen["payload"].append(bench.get("received__payload__payload"))
                seen["clocks"].append(clock)
            events = [name for name in EVENTS if bench.get(f"received__fis__{name}")]
            fields = {name: bench.get(f"received__fis__{name}") for name in FIELDS}
            accept = bench.get("frame__accept")
            assert not events or inputs.get("frame__done"), "reported before its end"
            await bench.tick()
            clock += 1
            return accept, events, fields

        starting = 1
        for dword, gap in zip(dwords, gaps):
            for _ in range(gap):
                await tick(None, frame__start=starting)
                word, starting = None, 0
            await tick(dword, frame__start=starting)
            arrivals.append(clock)
            word, starting = dword, 0
        for _ in range(gaps[-1]):
            await tick(None, frame__start=starting)
            word, starting = None, 0
        accept, _, _ = await tick(None, frame__start=starting)      # EOF
        word = None
        _, events, fields = await tick(None, frame__done=1, frame__ok=accept and good)
        # A payload dword waits for the one after it, and no longer.
        assert all(out == arrivals[n + 2] for n, out in enumerate(seen["clocks"]))
        results.append((accept, events, fields, seen["payload"]))
    return results


def parse(*dwords, good=True, expect_data=1, gaps=None):
    """One frame with these dwords, and a CRC after them."""
    words = [*dwords, 0xC0FFEE]
    (result,) = BENCH.run(receive, [(words, gaps or [0] * (len(words) + 1), good)], expect_data)
    return result


def fis(kind, length):
    return [kind, *range(0x1000, 0x1000 + length - 1)] if length else []


@pytest.mark.parametrize("kind", FISES)
@pytest.mark.parametrize("length", range(1, 10))
def test_length(kind, length):
    """One length is right for each type; a good CRC alone does not do."""
    expected, name = FISES[kind]
    accept, events, _, payload = parse(*fis(kind, length))
    assert accept == (length == expected)
    assert events == ([name] if length == expected else [])
    assert payload == []


@pytest.mark.parametrize("kind", FISES)
def test_bad_crc_changes_nothing(kind):
    length, _ = FISES[kind]
    assert parse(*fis(kind, length), good=False)[1] == []


@pytest.mark.parametrize("kind", sorted({*range(256)} - {*FISES, DATA}))
def test_unknown_type(kind):
    for length in (1, 2, 3, 5, 7):
        assert parse(*fis(kind, length))[:2] == (0, [])


def test_crc_alone():
    """A frame of one dword has no type, even if that dword looks like one."""
    good = [0x39, 0xC0FFEE], [0, 0, 0], True
    first, second = BENCH.run(receive, [good, ([0x39], [0, 0], True)], 1)
    assert first[:2] == (1, ["dma_activate"]) and second[:2] == (0, [])


def test_nothing_of_the_frame_before():
    """A frame that ends before its first dword is no Data FIS, though the one before was."""
    frames = [([DATA, 1, 2], [0, 0, 0, 0], True), ([], [1], False)]
    first, second = BENCH.run(receive, frames, 1)
    assert first[:2] == (1, ["data"]) and second[1] == []


def test_register_d2h():
    _, events, fields, _ = parse(0xA5514034, 0x40112233, 0, 1, 0)
    assert events == ["register_d2h"]
    assert (fields["status"], fields["error"], fields["is_ata"]) == (0x51, 0xA5, 0)


def test_lba_of_a_status():
    fields = parse(0x40510034, 0x4A332211, 0x00665544, 0, 0)[2]
    assert (fields["lba"], fields["device"]) == (0x665544332211, 0xA)


@given(*[st.integers(0, 2**bits - 1) for bits in (8, 8, 24, 4, 24)])
@example(255, 255, 2**24 - 1, 15, 2**24 - 1)
@example(0, 0, 0, 0, 0)
def test_fields_of_a_status(status, error, low, device, high):
    """Each bit of them, and none of the bits around them."""
    fields = parse(error << 24 | status << 16 | 0xFF34, 0xF0 << 24 | device << 24 | low,
                   0xFF << 24 | high, 0xFFFFFFFF, 0xFFFFFFFF)[2]
    assert fields["status"] == status and fields["error"] == error
    assert fields["lba"] == high << 24 | low and fields["device"] == device


@given(*[st.integers(0, 2**bits - 1) for bits in (8, 8, 8, 16)])
@example(255, 255, 255, 65535)
@example(0, 0, 0, 0)
def test_fields_of_pio_setup(status, error, end_status, transfer_bytes):
    fields = parse(error << 24 | status << 16 | 0xFF5F, 0xFFFFFFFF, 0xFFFFFFFF,
                   end_status << 24 | 0xFFFFFF, 0xFFFF << 16 | transfer_bytes)[2]
    assert fields["status"] == status and fields["error"] == error
    assert (fields["end_status"], fields["transfer_bytes"]) == (end_status, transfer_bytes)


@pytest.mark.parametrize("lba, is_ata", [
    (0x00000001, 1),        # ATA device
    (0x00EB1401, 0),        # ATAPI device
    (0x00C33C01, 0),        # enclosure
    (0x00966901, 0),        # port multiplier
    (0x00000101, 0),
    (0x00800001, 0),
    (0xA0000001, 1),        # the device register does not count
])
def test_signature(lba, is_ata):
    assert parse(0x01500034, lba, 0, 1, 0)[2]["is_ata"] == is_ata


def test_pio_setup():
    _, events, fields, _ = parse(0x0158605F, 0xE0000000, 0, 0x50000001, 0x00000200)
    assert events == ["pio_setup"]
    assert (fields["status"], fields["error"]) == (0x58, 0x01)
    assert (fields["end_status"], fields["transfer_bytes"]) == (0x50, 0x200)


@pytest.mark.parametrize("length", [1, 2, 3, 128, 2047, 2048])
def test_data(length):
    words = [*range(7, 7 + length)]
    accept, events, _, payload = parse(DATA, *words)
    assert accept and events == ["data"] and payload == words


def test_data_with_bits_above_the_type():
    """Only the first byte is the type: the rest of the header is reserved, or a port."""
    assert parse(0xFFFFFF46, 1, 2)[1:] == (["data"], {**parse(0xFFFFFF46, 1, 2)[2]}, [1, 2])


def test_data_without_payload():
    assert parse(DATA)[:2] == (0, ["data_bad"])


@pytest.mark.parametrize("length", [2049, 2050])
def test_data_too_long(length):
    accept, events, _, _ = parse(DATA, *range(length))
    assert not accept and events == ["data_bad"]


def test_bad_data():
    accept, events, _, payload = parse(DATA, 1, 2, 3, good=False)
    assert events == ["data_bad"] and payload == [1, 2, 3]


def test_unwelcome_data():
    """Refused by R_ERR, and nothing of it gets out."""
    accept, events, _, payload = parse(DATA, 1, 2, 3, expect_data=0)
    assert not accept and events == ["data_bad"] and payload == []


@pytest.mark.parametrize("expect_data", [0, 1])
def test_escape(expect_data):
    """A frame longer than any FIS is abandoned, before its count can wrap."""
    async def script(bench):
        bench.set(received__expect_data=expect_data, frame__start=1)
        await bench.tick()
        bench.set(frame__start=0, frame__valid=1, frame__word=DATA, frame__arrives=1)
        seen = {}
        for count in (*range(1, 4), *range(2040, 2060), 4095, 4095):
            bench.set(frame__count=count)
            await bench.tick()
            seen[count] = bench.get("frame__escape")
        return seen
    # 2051 dwords are one more than a header, 2048 of payload and a CRC.
    assert BENCH.run(script) == {count: count > 2050 for count in BENCH.run(script)}


def test_hold():
    seen = BENCH.trace([{}, {"received__hold": 1}, {}], ["frame__hold"])
    assert [clock["frame__hold"] for clock in seen] == [0, 1, 0]


def test_header_and_pending():
    """``is_data`` with the header, ``pending`` from a first payload dword to the next frame."""
    rows = [{"frame__start": 1}] + [
        {"frame__valid": 1, "frame__word": word, "frame__count": n + 1}
        for n, word in enumerate([DATA, DATA, 2, 3])]
    rows += [{"frame__done": 1, "frame__count": 4}, {"frame__start": 1},
             {"frame__valid": 1, "frame__word": REGISTER_D2H, "frame__count": 1}, {}]
    seen = BENCH.trace(rows, ["is_data", "pending"])
    assert [clock["is_data"] for clock in seen] == [0, 1, 0, 0, 0, 0, 0, 0, 0]
    assert [clock["pending"] for clock in seen] == [0, 0, 0, 1, 1, 1, 1, 0, 0]


DWORD = st.integers(0, 2**32 - 1)
FRAME = st.tuples(st.sampled_from([*FISES, DATA, DATA, 0x27]), st.integers(0, 2**24 - 1),
                  st.lists(DWORD, max_size=8), st.booleans(),
                  st.lists(st.integers(0, 2), min_size=12, max_size=12))


@given(st.lists(FRAME, max_size=6), st.booleans())
def test_random_frames(frames, expect_data):
    """Frame after frame, none of them knows of the one before."""
    line = [([kind | rest << 8, *words, 0xC0FFEE], [*gaps[:len(words) + 2], gaps[-1]], good)
            for kind, rest, words, good, gaps in frames]
    results = BENCH.run(receive, line, expect_data)
    for (kind, rest, words, good, _), (accept, events, fields, payload) in zip(frames, results):
        length, name = FISES.get(kind, (None, None))
        fits = length == len(words) + 1 or (kind == DATA and len(words) > 0 and expect_data)
        assert accept == fits
        if kind == DATA:
            assert events == ["data" if fits and good else "data_bad"]
            assert payload == (words if expect_data else [])
            continue
        assert payload == [] and events == ([name] if fits and good else [])
        if kind in (REGISTER_D2H, PIO_SETUP) and fits:
            assert (fields["status"], fields["error"]) == (rest >> 8 & 0xFF, rest >> 16)
