"""8b/10b encoder and decoder against the published tables, for every character and 10-bit word."""

import random

import pytest

from sata_recorder.core.phy.decoder_8b10b import Decoder8b10b
from sata_recorder.core.phy.encoder_8b10b import Encoder8b10b
from unit.core.phy.compiled import Compiled
from unit.core.phy.tables import CODE, CONTROLS

WIDTHS = [2, 4]
CHARACTERS = [(byte, 0) for byte in range(256)] + [(byte, 1) for byte in CONTROLS]


@pytest.fixture(scope="module")
def encoders():
    return {n: Compiled(Encoder8b10b(n)) for n in WIDTHS}


@pytest.fixture(scope="module")
def decoders():
    return {n: Compiled(Decoder8b10b(n)) for n in WIDTHS}


def grouped(items, count):
    return [items[n:n + count] for n in range(0, len(items) - count + 1, count)]


def packed(values, width):
    return sum(value << n * width for n, value in enumerate(values))


def encode(encoder, count, characters):
    """The codes of ``characters``, (byte, k), from reset on."""
    encoder.restart()
    codes = []
    groups = grouped(characters, count)
    for group in groups + groups[:2]:
        encoder.set(i=packed([byte for byte, k in group], 8), k=packed([k for _, k in group], 1))
        encoder.edge(1)
        word = encoder.get("o")
        codes += [word >> 10 * n & 1023 for n in range(count)]
    return codes[count:][:len(groups) * count]


def decode(decoder, count, codes):
    """(byte, k, code error, disparity error) of each, from reset on."""
    decoder.restart()
    found = []
    groups = grouped(codes, count)
    for group in groups + groups[:2]:
        decoder.set(i=packed(group, 10))
        decoder.edge(1)
        data, *flags = (decoder.get(name) for name in
                        ("o", "k", "code_error", "disparity_error"))
        found += [(data >> 8 * n & 255, *(flag >> n & 1 for flag in flags)) for n in range(count)]
    return found[count:][:len(groups) * count]


def reference(characters):
    disparity, codes = 0, []
    for byte, k in characters:
        code, disparity = CODE[byte, k, disparity]
        codes.append(code)
    return codes


def test_table():
    """What is known of the code: DC balance, no run of more than five, the comma, the counts."""
    codes = {code for code, _ in CODE.values()}
    assert len(CODE) == 2 * (256 + 12)
    for (_byte, _k, disparity), (code, after) in CODE.items():
        assert code.bit_count() in ((5,) if after == disparity else (6,) if after else (4,))
    assert CODE[0xBC, 1, 0] == (int("0011111010"[::-1], 2), 1)
    assert len(codes) == sum(len({CODE[byte, k, d][0] for d in (0, 1)}) for byte, k in CHARACTERS)


@pytest.mark.parametrize("count", WIDTHS)
def test_encoder(encoders, count, seed):
    """Every character at both disparities in every place, and random ones."""
    rng = random.Random(seed)
    characters = []
    for _ in range(12 * count):
        some = CHARACTERS[:]
        rng.shuffle(some)
        characters += some
    codes = encode(encoders[count], count, characters)
    assert codes == reference(characters)
    disparity, met = 0, set()
    for n, (byte, k) in enumerate(characters):
        met.add((byte, k, disparity, n % count))
        disparity = CODE[byte, k, disparity][1]
    assert len(met) > 0.97 * count * len(CODE)


@pytest.mark.parametrize("count", WIDTHS)
def test_decoder_on_the_code(decoders, count, seed):
    rng = random.Random(seed)
    characters = [rng.choice(CHARACTERS) for _ in range(4000 * count)]
    found = decode(decoders[count], count, reference(characters))
    assert found == [(byte, k, 0, 0) for byte, k in characters]


@pytest.mark.parametrize("count", WIDTHS)
def test_decoder_on_everything(decoders, count, seed):
    """Every 10-bit word after either disparity in every place: value, control and both errors."""
    rng = random.Random(seed)
    meanings = {0: {}, 1: {}}
    for (byte, k, disparity), (code, after) in CODE.items():
        meanings[disparity][code] = byte, k, after
    words = [word for _ in range(24) for word in rng.sample(range(1024), 1024)]
    found = decode(decoders[count], count, words)
    disparity, met = 0, set()
    for n, (word, (byte, k, code_error, disparity_error)) in enumerate(zip(words, found)):
        met.add((word, disparity, n % count))
        here, there = (meanings[d].get(word) for d in (disparity, 1 - disparity))
        assert code_error == (here is None and there is None), f"{word:010b}"
        assert disparity_error == (here is None and there is not None), f"{word:010b}"
        if not code_error:
            assert (byte, k) == (here or there)[:2], f"{word:010b}"
        if here:
            disparity = here[2]
        else:
            # What follows is arbitrary: put an end to it by what the decoder must have seen.
            six, four = (word & 63).bit_count(), (word >> 6).bit_count()
            between = disparity if six == 3 else int(six > 3)
            disparity = between if four == 2 else int(four > 2)
    assert len(met) > 0.9 * 2048 * count


@pytest.mark.parametrize("count", WIDTHS)
def test_one_bit_wrong_is_noticed(decoders, count, seed):
    """At the latest by the disparity of what follows (Franaszek and Widmer)."""
    rng = random.Random(seed)
    for _ in range(40):
        characters = [rng.choice(CHARACTERS) for _ in range(10 * count)]
        characters += [(0, 0)] * 2 * count          # each turns the disparity
        codes = reference(characters)
        place = rng.randrange(10 * count)
        codes[place] ^= 1 << rng.randrange(10)
        found = decode(decoders[count], count, codes)
        assert not any(c or d for _, _, c, d in found[:place])
        assert any(c or d for _, _, c, d in found[place:])
