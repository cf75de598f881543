"""The back end for the ECP5 against a stand-in for its SERDES."""

import re

import pytest
from amaranth.hdl import Const

from unit.core.phy.ecp5_bench import WORDS, SerdesBench, follows, ready


@pytest.mark.parametrize("channel, options", [
    (0, {}), (1, {"tx_inverted": True, "rx_inverted": True})])
def test_words_both_ways(channel, options):
    """Bring-up, words to the line and from it, bit by bit, on both channels; no complaint."""
    received = []

    async def script(bench):
        assert bench.get("rate") == 0 and not bench.get("rx_locked")
        await ready(bench)
        assert bench.dcu.held
        assert not bench.get("rx_active")
        bench.set(tx_idle=0)
        await bench.wait(600)
        bench.set(send=1)
        await bench.wait(2000)
        # From the line: the clock recovery is released and follows.
        bench.dcu.line = lambda now: WORDS[now // 6666 % len(WORDS)]
        bench.set(rx_enable=1)
        await bench.wait(300)
        assert not bench.dcu.held
        await bench.until("rx_locked", 1)
        assert bench.get("rx_active")
        for _ in range(200):
            received.append(bench.received())
            await bench.wait(6.666)
        assert not bench.dcu.complaints

    bench = SerdesBench(script, channel=channel, **options)
    flip = 0xFFFFF if options else 0
    sent = [word for _, word in bench.dcu.transmitted]
    assert None in sent
    assert follows([word ^ flip for word in WORDS[:200]], sent)
    first = received[20]
    start = WORDS.index(first ^ flip)
    assert follows([word ^ flip for word in (WORDS * 2)[start:start + 100]], received)


def test_oob_without_electrical_idle():
    """A gap is a constant word, driven; only where no OOB is sent the line is idle."""
    async def script(bench):
        await ready(bench)
        await bench.wait(1000)
        bench.set(tx_oob=1)
        await bench.wait(900)
        bench.dcu.transmitted.clear()
        await bench.wait(100)
        assert {word for _, word in bench.dcu.transmitted} == {0}
        bench.set(tx_oob=0)
        await bench.wait(100)
        bench.dcu.transmitted.clear()
        await bench.wait(100)
        assert {word for _, word in bench.dcu.transmitted} == {None}
        assert not bench.dcu.complaints

    SerdesBench(script)


def test_clock_recovery_is_held_while_nothing_is_expected():
    async def script(bench):
        await ready(bench)
        bench.dcu.line = lambda now: 0x0F0F0
        for enable in 1, 0, 1, 0:
            bench.set(rx_enable=enable)
            await bench.wait(200)
            assert bench.dcu.held == (not enable)
            assert bench.dcu.registers[0x18] & ~0x40 == 0x05, "the other bits stay"
        assert bench.dcu.registers[0x02] == 0x0C
        assert not bench.dcu.complaints

    SerdesBench(script)


def test_signal_detector_without_glitches():
    """Changes of less than 3 clocks are not seen; gaps keep their length to the clock."""
    async def script(bench):
        await ready(bench)
        silent = {"now": True}
        bench.dcu.line = lambda now: None if silent["now"] else 0x5A5A5

        async def seen(ns, state):
            silent["now"] = state
            changes = []
            for _ in range(int(ns // 10)):
                changes.append(bench.get("rx_active"))
                await bench.wait(10)
            return changes

        assert 1 not in await seen(500, True)
        levels = (await seen(12, False)) + (await seen(300, True))
        assert 1 not in levels, "a spike"
        levels = (await seen(110, False) + await seen(320, True) + await seen(110, False)
                  + await seen(500, True))
        text = "".join(map(str, levels)).strip("0")
        burst, gap, _ = re.fullmatch("(1+)(0+)(1+)", text).groups()
        assert abs(len(gap) - 32) <= 3 and abs(len(burst) - 11) <= 3

    SerdesBench(script)


@pytest.mark.wide
def test_lost_locks():
    """A PLL that loses its lock takes the rate away; a clock recovery that cannot lock is reset
    again and again."""
    async def script(bench):
        await ready(bench)
        bench.dcu.pll_since = bench.dcu.now
        await bench.until("rate", 0, limit=500)
        await bench.wait(50)
        assert not bench.get("rx_locked")
        await ready(bench)
        bench.set(rx_enable=1)
        await bench.until("rx_locked", 0, limit=1000)
        resets = 0
        before = 0
        for _ in range(2500):
            now = bench.dcu.get("CH_FFC_RRST")
            resets += now and not before
            before = now
            await bench.wait(10)
        assert resets in (2, 3)
        bench.set(rx_enable=0)
        await bench.until("rx_locked", 1)
        assert not bench.dcu.complaints

    SerdesBench(script)


def test_reference_is_lost():
    """Everything is in reset while there is no reference, and begins again with it."""
    resets = ("D_FFC_DUAL_RST", "D_FFC_MACRO_RST", "D_FFC_TRST", "CH_FFC_LANE_TX_RST",
              "CH_FFC_RRST", "CH_FFC_LANE_RX_RST")

    async def script(bench):
        bench.set(referenced=0)
        await bench.wait(2000)
        assert all(bench.dcu.get(name) for name in resets)
        bench.set(referenced=1)
        await ready(bench)
        assert not any(bench.dcu.get(name) for name in resets)
        bench.set(referenced=0)
        await bench.wait(200)
        assert all(bench.dcu.get(name) for name in resets)
        assert bench.get("rate") == 0 and not bench.get("rx_locked")
        bench.set(referenced=1)
        await ready(bench)
        assert not bench.dcu.complaints

    SerdesBench(script)


def swapped(first, second):
    return lambda links, bench: {first: links[second], second: links[first]}


#: What is done to the cell's links, and a word of the complaint.
PLANTED = {
    "word clock": (lambda links, bench: {"p_D_SYNC_LOCAL_EN": "0b0"}, "stands still"),
    "CTC": (lambda links, bench: {"p_CH0_CTC_BYPASS": "0b0"}, "dropped"),
    "encoder": (lambda links, bench: {"p_CH0_ENC_BYPASS": "0b0"}, "twice"),
    "squelch": (lambda links, bench: {"p_CH0_PDEN_SEL": "0b1"}, "never starts"),
    "half rate": (lambda links, bench: {"p_D_TX_VCO_CK_DIV": "0b010"}, "3 Gb/s"),
    "idle in gaps": (lambda links, bench: {"i_CH0_FFC_EI_EN": bench.port.tx_idle}, "gap"),
    "idle register": (lambda links, bench: {f"i_D_SCIADDR{n}": Const(2 >> n & 1)
                                            for n in range(6)}, "0x02"),
    "another register": (lambda links, bench: {
        "i_D_SCIWDATA0": ~links["i_D_SCIWDATA0"]}, "other bits"),
    "characters back to back": (lambda links, bench: {
        f"i_CH0_FF_TX_D_{n}": links[f"i_CH0_FF_TX_D_{n + 2}"] for n in range(10, 20)}, "lines"),
    "PCS first": (swapped("i_CH0_FFC_LANE_TX_RST", "i_D_FFC_TRST"), "before the PLL"),
    "receiver first": (swapped("i_CH0_FFC_RRST", "i_D_FFC_TRST"), "before the PLL"),
    "receiver's PCS first": (swapped("i_CH0_FFC_RRST", "i_CH0_FFC_LANE_RX_RST"),
                             "before its clock recovery"),
    "dual last": (swapped("i_D_FFC_DUAL_RST", "i_D_FFC_TRST"), "before that of the dual"),
    "no reset": (lambda links, bench: {"i_D_FFC_MACRO_RST": Const(0)}, "at first"),
    "power": (lambda links, bench: {"i_CH0_FFC_TXPWDNB": Const(0)}, "power"),
    "clock": (lambda links, bench: {"i_CH0_FF_RXI_CLK": links["o_CH0_FF_TX_PCLK"]},
              "FF_RXI_CLK"),
}


@pytest.mark.sample(9)
@pytest.mark.parametrize("trap", PLANTED)
def test_stand_in_complains(trap):
    """Each trap that is planted is found: the stand-in is no rubber stamp."""
    planted, words = PLANTED[trap]

    async def script(bench):
        await bench.wait(4000)
        for _ in range(2):
            bench.set(tx_oob=1, send=1, rx_enable=1)
            await bench.wait(200)
            bench.set(tx_oob=0, rx_enable=0)
            await bench.wait(700)
            for idle in 0, 1, 0, 1:
                bench.set(tx_idle=idle, tx_oob=1)
                await bench.wait(107)

    bench = SerdesBench(script, planted=planted)
    assert any(words in text for text in bench.dcu.complaints), bench.dcu.complaints


def test_no_complaint_without_a_trap():
    async def script(bench):
        await bench.wait(4000)
        for _ in range(2):
            bench.set(tx_oob=1, send=1, rx_enable=1)
            await bench.wait(200)
            bench.set(tx_oob=0, rx_enable=0)
            await bench.wait(700)

    assert SerdesBench(script).dcu.complaints == []


@pytest.mark.parametrize("selected", [False, True])
def test_select_lines_of_the_dual(selected):
    """They follow the channel's only where that is asked for."""
    levels = set()

    async def script(bench):
        for _ in range(600):
            await bench.wait(10)
            levels.add((bench.dcu.get("CH_SCIEN"), bench.dcu.get("D_SCIENAUX"),
                        bench.dcu.get("D_SCISELAUX")))

    SerdesBench(script, select_dual=selected)
    assert levels == {(0, 0, 0), (1, selected, selected)}


@pytest.mark.wide
@pytest.mark.sample(2)
@pytest.mark.parametrize("remedy", ["hold", "reset"])
def test_recovery_that_was_pulled_away(remedy):
    """A signal of another rate, then one of the right rate: held for a moment, it follows again; and
    without that it does after a reset of the receiver."""
    async def script(bench):
        await ready(bench)
        dcu = bench.dcu
        dcu.line = lambda now: 0x0F0F0
        dcu.nominal = lambda now: False
        bench.set(rx_enable=1)
        await bench.wait(1500)
        dcu.nominal = lambda now: True
        assert dcu.astray and not bench.get("rx_locked")
        resets = []
        if remedy == "hold":
            bench.set(rx_enable=0)
            await bench.wait(1500)
            bench.set(rx_enable=1)
        for _ in range(1000):
            resets.append(dcu.get("CH_FFC_RRST"))
            await bench.wait(10)
        assert not dcu.astray and bench.get("rx_locked")
        assert any(resets) == (remedy == "reset")
        assert not dcu.complaints

    SerdesBench(script)
