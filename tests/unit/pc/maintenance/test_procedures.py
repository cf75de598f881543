"""SMART, standby, TRIM and SANITIZE as sequences of requests, without a board."""

import pytest

from sata_recorder.pc.maintenance import (NotOffered, ProcedureFailed, enter_standby, identify_words, read_smart,
                                       sanitize_drive, simulated_drive, trim_range)
from unit.pc.maintenance.real_drives import Answer

#: IDENTIFY DEVICE words: SMART is there and enabled, TRIM, SANITIZE BLOCK ERASE.
OFFERED = {82: 1, 85: 1, 169: 1, 59: 1 << 15}


def words(**absent):
    found = [OFFERED.get(number, 0) for number in range(256)]
    for name, value in absent.items():
        found[int(name[1:])] = value
    return found


def led(procedure, *answers):
    """What it returns, and the steps it took."""
    steps, answer, left = [], None, list(answers)
    while True:
        try:
            steps.append(procedure.send(answer))
        except StopIteration as end:
            assert not left
            return end.value, steps
        answer = left.pop(0)


def page(*rows):
    """A page of SMART data with these attributes: (number, value, raw)."""
    content = bytearray(512)
    for place, (number, value, raw) in enumerate(rows):
        content[2 + 12 * place:14 + 12 * place] = bytes([number, 0, 0, value, value]) \
            + raw.to_bytes(6, "little") + b"\0"
    content[511] = -sum(content) & 0xFF
    return bytes(content)


GOOD = Answer(result_lba=0xC24F00)


def test_smart():
    (found, health), steps = led(read_smart(words(), simulated_drive()),
                                 Answer(data=page((9, 100, 1200), (194, 60, 41))),
                                 Answer(data=page((194, 55, 0))), GOOD)
    assert [step.line.split()[0] for step in steps] == ["command"] * 3
    assert [step.share for step in steps] == [0, 1 / 3, 2 / 3]
    assert (found[9].raw, health.hours, health.celsius, health.verdict.value) == (1200, 1200, 41, "good")


def test_smart_without_thresholds():
    (found, _), _ = led(read_smart(words()), Answer(data=page((9, 100, 7))), Answer("drive-error"), GOOD)
    assert found[9].threshold == 0


@pytest.mark.parametrize("absent, why", [({"w82": 0}, "no SMART"), ({"w85": 0}, "it is disabled")])
def test_no_smart(absent, why):
    with pytest.raises(NotOffered, match=why):
        led(read_smart(words(**absent)))


def test_smart_data_that_are_none():
    with pytest.raises(NotOffered, match="the sum of its bytes is 0x01"):
        led(read_smart(words()), Answer(data=bytes(511) + b"\1"), Answer("drive-error"), GOOD)


def test_a_request_that_fails():
    with pytest.raises(ProcedureFailed, match="command: timeout") as caught:
        led(read_smart(words()), Answer("timeout"))
    assert caught.value.error == "timeout"


def test_an_answer_without_its_number():
    """Noise on the line took it, or spoilt it."""
    for spoilt in Answer(), Answer(result_count="x"):
        with pytest.raises(ProcedureFailed, match="command: spoilt-answer"):
            led(enter_standby(), Answer(), Answer(), spoilt)


def test_standby():
    mode, steps = led(enter_standby(), Answer(), Answer(), Answer(result_count=0))
    assert mode == 0 and steps[0].line == "flush"
    with pytest.raises(ProcedureFailed, match="flush: drive-error"):
        led(enter_standby(), Answer("drive-error"))


def test_trim():
    done, steps = led(trim_range(words(), 1000, 100, 250, 100), *[Answer()] * 3)
    assert done == 250
    assert [(step.line, step.share) for step in steps] == [
        ("trim 100 100", 0), ("trim 200 100", 0.4), ("trim 300 50", 0.8)]


@pytest.mark.parametrize("arguments, why", [
    ((words(w169=0), 1000, 0, 10), "no TRIM"), ((words(), 1000, 0, 0), "SECTORS = 0"),
    ((words(), 1000, 991, 10), "sectors 991 to 1000: the drive has 1000"),
    ((words(w106=0x5000, w117=2048), 1000, 4, 8), "sectors 4 to 11: .* 8 of 512 bytes"),
    ((words(w106=0x5000, w117=2048), 1000, 8, 12), "sectors 8 to 19")])
def test_no_trim(arguments, why):
    with pytest.raises(NotOffered, match=why):
        led(trim_range(*arguments, 100))


def test_sanitize():
    under_way = Answer(result_count=1 << 14, result_lba=0x8000)
    good, steps = led(sanitize_drive(words(), "block"), Answer(), under_way,
                      Answer(result_count=1 << 15, result_lba=0))
    assert good and steps[1].share == 0 and 0.5 < steps[2].share < 0.51
    assert not led(sanitize_drive(words(), "block"), Answer(), Answer(result_count=0, result_lba=0))[0]
    with pytest.raises(NotOffered, match="word 59 of IDENTIFY DEVICE, bit 13"):
        led(sanitize_drive(words(), "crypto"))


def test_words_of_a_page():
    assert identify_words(bytes(range(256)) * 2)[:2] == [0x0100, 0x0302]
