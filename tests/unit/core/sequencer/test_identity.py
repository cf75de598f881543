"""IDENTIFY DEVICE data: word numbers and bits as in ATA8-ACS, IDENTIFY DEVICE data."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sata_recorder.core.sequencer.identity import Identity
from short import short
from unit.compiled_bench import CompiledBench

BENCH = CompiledBench(Identity())
RESULTS = {"capacity": "capacity", "lba48": "lba48", "flush_ext": "flush_ext", "trim": "trim",
           **{name: f"check__{name}" for name in ("dma", "lba", "packet", "long_sectors")}}


async def identify(bench, *blocks, gaps=(0,)):
    """Gives ``blocks`` of 256 words each; the results, and all data as it reads back."""
    for block in blocks:
        await bench.pulse(check__begin=1)
        await bench.tick()
        assert [bench.get(member) for member in RESULTS.values()] == [0] * len(RESULTS)
        for index in range(0, len(block), 2):
            await bench.tick(gaps[index // 2 % len(gaps)])
            await bench.pulse(payload__valid=1, payload__payload=block[index + 1] << 16
                              | block[index])
    results = {name: bench.get(member) for name, member in RESULTS.items()}
    await judge(bench)
    data = []
    for address in range(128):
        bench.set(user__address=address)
        await bench.tick()
        data.append(bench.get("user__data"))
    return results, data


async def judge(bench, result="differs"):
    """Has the data that have come compared; by default whether the drive is another one."""
    await bench.pulse(check__check=1)
    for _ in range(20):
        if bench.get("check__checked"):
            break
        await bench.tick()
    else:
        raise AssertionError("checked does not come")
    judged = bench.get(result)
    await bench.tick()
    assert not bench.get("check__checked")
    return judged


def page(**words):
    """256 words that are 0 but for ``w83=...``."""
    return [words.get(f"w{n}", 0) for n in range(256)]


def results(*pages, **options):
    return BENCH.run(identify, *pages, **options)[0]


NOTHING = dict.fromkeys(RESULTS, 0)


@pytest.mark.parametrize("words, expected", [
    ({}, {}),
    ({"w0": 0x8000}, {"packet": 1}),
    ({"w0": 0x7FFF}, {}),
    ({"w0": 0x848A}, {}), ({"w0": 0x844A}, {}),             # a card of CompactFlash or CFast
    ({"w0": 0x848B}, {"packet": 1}), ({"w0": 0x84CA}, {"packet": 1}), ({"w0": 0x800A}, {"packet": 1}),
    ({"w49": 0x0100}, {"dma": 1}),
    ({"w49": 0x0200}, {"lba": 1}),
    ({"w49": 0xFCFF}, {}),
    ({"w60": 0x5678, "w61": 0x0234}, {"capacity": 0x02345678}),
    ({"w60": 0x5678, "w61": 0x0A34}, {"capacity": 0x0A345678}),
    ({"w60": 0x0000, "w61": 0x1000}, {"capacity": 2**28 - 1}),     # more than 28 bits can reach
    ({"w83": 0x4400}, {"lba48": 1}),
    ({"w83": 0x6000}, {"flush_ext": 1}),
    ({"w169": 0x0001}, {"trim": 1}), ({"w168": 0xFFFF, "w169": 0xFFFE, "w170": 0xFFFF}, {}),
    ({"w106": 0x5000}, {"long_sectors": 1}),
    ({"w106": 0x6000}, {}),                     # long physical sectors are no obstacle
])
def test_each_word(words, expected):
    assert results(page(**words)) == NOTHING | expected


@pytest.mark.parametrize("validity", [0x0000, 0x8000, 0xC000])
def test_word_that_is_not_valid(validity):
    """Words 83 and 106 count only with 01 in bits 15:14."""
    assert results(page(w83=0x2400 | validity, w106=0x1000 | validity)) == NOTHING


def test_capacity_of_48_bits():
    words = {"w60": 0xFFFF, "w61": 0x0FFF, "w100": 0x1111, "w101": 0x2222, "w102": 0x3333,
             "w103": 0x4444}
    assert results(page(w83=0x4400, **words))["capacity"] == 0x333322221111
    assert results(page(w83=0x4000, **words))["capacity"] == 0x0FFFFFFF


def test_nothing_stays_of_the_block_before():
    full = [0xFFFF] * 256
    full[83] = full[106] = 0x7FFF
    assert results(full) == {"capacity": 2**48 - 1} | dict.fromkeys([*RESULTS][1:], 1)
    assert results(full, page(w60=5)) == NOTHING | {"capacity": 5}


def test_block_cut_short():
    """The next one is read from its beginning."""
    assert results([0x8000] + [0] * 99, page(w49=0x0300)) == NOTHING | {"dma": 1, "lba": 1}


@settings(max_examples=settings().max_examples // 4)
@given(st.integers(0, 2**32 - 1), st.lists(st.integers(0, 3), min_size=1, max_size=5))
def test_random_data(seed, gaps):
    words = [random.Random(seed + n).getrandbits(16) for n in range(256)]
    found, data = BENCH.run(identify, words, gaps=gaps)
    valid83 = words[83] >> 14 == 1
    lba48 = valid83 and words[83] >> 10 & 1
    capacity = words[100] | words[101] << 16 | words[102] << 32
    if not lba48:
        capacity = min(words[60] | words[61] << 16, 2**28 - 1)
    assert found == {
        "capacity": capacity, "lba48": lba48, "flush_ext": valid83 and words[83] >> 13 & 1,
        "trim": words[169] & 1, "dma": words[49] >> 8 & 1, "lba": words[49] >> 9 & 1, "packet": words[0] >> 15,
        "long_sectors": words[106] >> 14 == 1 and words[106] >> 12 & 1}
    assert data == [words[2 * n] | words[2 * n + 1] << 16 for n in range(128)]


#: Data of a drive, without a checksum.
SOUND = {"w0": 0x0040, "w2": 0xC837, "w10": 0x4142}


def summed(block, signature=0xA5):
    """``block`` with the checksum in word 255."""
    block = [*block[:255], signature]
    total = sum(word & 0xFF for word in block) + sum(word >> 8 for word in block)
    return [*block[:255], signature | (-total & 0xFF) << 8]


@pytest.mark.parametrize("words, unsound", [
    ({}, False), ({"w2": 0}, False), ({"w2": 0x37C9}, False), ({"w0": 0xFFFB}, False),
    ({"w0": 0x0044}, True), ({"w0": 0x0044, "w2": 0x37C8}, True), ({"w2": 0x37C8}, True),
    ({"w2": 0x738C}, True), ({"w2": 0x8C73}, True), ({"w1": 0x37C8, "w3": 0x37C8}, False)])
def test_incomplete_data(words, unsound):
    """Word 0 bit 2; word 2, which may say as well that the drive waits for SET FEATURES."""
    block = page(**SOUND | words)
    for one in block, summed(block):
        assert BENCH.run(soundness, one, page(**SOUND)) == [unsound, False]


@pytest.mark.parametrize("spun_up", [0, 1])
@pytest.mark.parametrize("word, needs", [
    (0, False), (0x37C8, True), (0x738C, True), (0x8C73, False), (0xC837, False), (0x738D, False)])
def test_word_2_with_complete_data(word, needs, spun_up):
    """It is of the drive after power-up: it counts until SET FEATURES has been answered, and no longer."""
    async def script(bench):
        bench.set(check__spun_up=spun_up)
        found = [await give(bench, page(**SOUND | {"w49": 0x0300, "w60": 8, "w2": word}), result)
                 for result in ("check__unsound", "check__spins_up")]
        bench.set(check__spun_up=0)
        return found
    assert BENCH.run(script) == [needs and not spun_up, needs]


@pytest.mark.parametrize("words", [
    {"w49": 0}, {"w49": 0x0100}, {"w49": 0x0200}, {"w0": 0x0044, "w49": 0x0300}, {"w49": 0x0300, "w60": 0},
    {"w49": 0x0300, "w83": 0x4400}])
@pytest.mark.parametrize("word", [0x37C8, 0x8C73])
def test_what_incomplete_data_do_not_say_is_unknown(word, words):
    """Without DMA, LBA and a capacity they are taken for incomplete, as word 2 reports, and not for a drive without
    them."""
    async def script(bench):
        bench.set(check__spun_up=1)
        found = await soundness(bench, page(**SOUND | {"w60": 8} | words | {"w2": word}))
        bench.set(check__spun_up=0)
        return found
    assert BENCH.run(script) == [1]


@pytest.mark.parametrize("word", [0, 1, 2, 60, 127, 128, 254, 255])
@pytest.mark.parametrize("bit", [0, 7, 8, 15])
def test_damaged_data(word, bit):
    """The sum of all bytes is 0 where word 255 has A5h in bits 7:0; else nothing is known."""
    block = summed(page(**SOUND | {f"w{n}": 0x1357 * n & 0xFFFF for n in range(20, 255)}))
    damaged = [*block]
    damaged[word] ^= 1 << bit
    unsigned = word == 255 and bit < 8
    assert BENCH.run(soundness, block, damaged, block) == [False, not unsigned, False]


async def soundness(bench, *blocks):
    """Whether each of ``blocks`` is incomplete or damaged."""
    return [await give(bench, block, "check__unsound") for block in blocks]


def test_unsound_data_are_not_kept():
    """What comes next is compared with the drive before."""
    other = page(w0=0x0044, w10=0x4342)
    assert BENCH.run(compare, page(**SOUND), page(**SOUND), other, page(**SOUND))[1::2] == [0, 0]


async def compare(bench, *blocks):
    """Whether each of ``blocks`` is of another drive than the one before."""
    return [await give(bench, block) for block in blocks]


async def give(bench, block, result="differs"):
    """What is judged of the data ``block``."""
    await bench.pulse(check__begin=1)
    for index in range(0, len(block), 2):
        await bench.pulse(payload__valid=1, payload__payload=block[index + 1] << 16 | block[index])
    return await judge(bench, result)


#: The words by which a drive is known: serial number, model number, World Wide Name, capacity,
#: 48-bit addresses.
KNOWN_BY = {*range(10, 20), *range(27, 47), *range(108, 112), 60, 61, 83, *range(100, 104)}
BORDERS = {n + step for n in KNOWN_BY for step in (-1, 0, 1)} | {0, 255}
FULL = page(**{f"w{n}": 0x4100 + n for n in range(1, 255)})


@pytest.mark.parametrize("word", short(range(256), BORDERS))
def test_words_a_drive_is_known_by(word):
    """Each of them, and nothing beside them."""
    for bit in range(16) if word in (10, 26, 46, 47, 82, 111) else (word % 16,):
        other = [value ^ (1 << bit) * (n == word) for n, value in enumerate(FULL)]
        seen = BENCH.run(compare, FULL, FULL, other, other, FULL)
        assert seen[1:] == [0, word in KNOWN_BY, 0, word in KNOWN_BY]


@pytest.mark.parametrize("words, named", [
    ({}, False), ({f"w{n}": 0x2020 for n in range(10, 20)}, False),
    ({"w12": 0x2000, "w13": 0x0020}, False), ({"w27": 0x4142, "w23": 0x4344}, False),
    ({"w10": 0x4100}, True), ({"w19": 0x2030}, True), ({"w14": 0x2120}, True),
    ({"w108": 0x5000, "w111": 1}, False), ({"w111": 1, "w84": 0x0100, "w87": 0x0100}, False),
    ({"w111": 1, "w84": 0x4000, "w87": 0x4000}, False),
    ({"w111": 1, "w84": 0xC100, "w87": 0x8100}, False),
    ({"w111": 1, "w84": 0x4100}, True), ({"w108": 0x5000, "w87": 0x4100}, True),
    ({"w84": 0x4100, "w87": 0x4100}, False)])
def test_drive_without_a_name(words, named):
    """With a blank serial number and no World Wide Name it cannot be told from another one."""
    block = page(**words)
    assert BENCH.run(compare, block, block, block) == [1, not named, not named]


def test_reference_stays_where_data_are_cut_short():
    """Or do not succeed: the next ones are compared with those of the last check."""
    async def script(bench):
        other = page(w10=0x4101)
        assert await compare(bench, FULL, FULL) == [1, 0]
        for _ in range(2):
            await bench.pulse(check__begin=1)
            for index in range(0, 200, 2):
                await bench.pulse(payload__valid=1, payload__payload=other[index])
        assert await compare(bench, FULL, other, FULL) == [0, 1, 1]
        # The check that was asked for is given up.
        await bench.pulse(check__check=1)
        await bench.pulse(check__begin=1)
        for _ in range(10):
            assert not bench.get("check__checked")
            await bench.tick()
        assert await compare(bench, FULL) == [0]
    BENCH.run(script)
