"""Laws of bit errors, and what error correction makes of them."""

import math

import pytest
from sata_drive_model.flash import errors
from sata_drive_model.flash.parameters import Errors, Physical

_YEAR = 365.25 * 86400
_CHIP = {"flash_bytes": 1 << 30, "user_bytes": 10 ** 9, "page_bytes": 4096, "pages": 64, "cell_bits": 2}


def binomial_tail(rate, bits, corrected):
    """In plain sums of exact terms."""
    return 1 - math.fsum(math.comb(bits, k) * rate ** k * (1 - rate) ** (bits - k) for k in range(corrected + 1))


@pytest.mark.parametrize("rate, bits, corrected", [(1e-3, 900, 1), (1e-2, 500, 4), (0.2, 60, 20), (0.4, 40, 39)])
def test_uncorrectable_is_the_tail(rate, bits, corrected):
    assert errors.uncorrectable(rate, bits, corrected) == pytest.approx(binomial_tail(rate, bits, corrected), rel=1e-6)


def test_ends_of_the_tail():
    assert errors.uncorrectable(0, 100, 3) == 0
    assert errors.uncorrectable(0.5, 100, 3) == 1
    assert errors.uncorrectable(0.1, 10, 10) == 0


def test_published_limit():
    """Hetzler: BCH of 15 bits in 512 bytes, 4,291 bits in all, reaches 1e-15 at 3.4e-4."""
    assert errors.codeword_size(512, 15) == 4291
    assert errors.limit(512, 15) == pytest.approx(3.4e-4, rel=0.02)


@pytest.mark.parametrize("law", errors.WEAR_LAWS)
def test_wear_meets_both_ends(law):
    at = [errors.worn(law, cycles, 1e-8, 3000, 1e-5) for cycles in (0, 1000, 2000, 3000, 6000)]
    assert at[0] == pytest.approx(1e-8) and at[3] == pytest.approx(1e-5)
    assert at == sorted(at)


def test_wear_laws_contradict_each_other():
    half = {law: errors.worn(law, 1500, 1e-8, 3000, 1e-5) for law in errors.WEAR_LAWS}
    assert half["field"] > half["power"] > half["exponential"]
    beyond = {law: errors.worn(law, 6000, 1e-8, 3000, 1e-5) for law in errors.WEAR_LAWS}
    assert beyond["exponential"] > 100 * beyond["power"] > 100 * beyond["field"]


@pytest.mark.parametrize("law", errors.REST_LAWS)
def test_rest_meets_both_ends(law):
    assert errors.rested(law, 0, 100) == pytest.approx(1)
    assert errors.rested(law, _YEAR, 100) == pytest.approx(100)
    assert errors.rested(law, 10 * _YEAR, 1e9) >= errors.rested(law, _YEAR, 1e9)


def test_heat_is_as_the_standard_has_it():
    """JESD218's own times: 500 hours at 52 degrees, 96 at 66, for a year at 30."""
    for hours, celsius in (500, 52), (96, 66):
        assert errors.rested("exponential", 3600 * hours, 100, celsius) == pytest.approx(100, rel=0.2)


def test_outlooks():
    chip = Physical(**_CHIP, rated_cycles=3000.0, errors=Errors(
        fresh=1.7e-8, rest_year=100.0, codeword_bytes=512, codeword_bits=15))
    at_end = errors.outlooks(chip, 3000, _YEAR)
    assert len(at_end) == len(errors.WEAR_LAWS) * len(errors.REST_LAWS)
    # By its own anchor the chip just meets the standard there, by each law.
    for one in at_end:
        assert one.bit_error_rate == pytest.approx(errors.limit(512, 15), rel=1e-6)
        assert one.unreadable / 4291 == pytest.approx(1e-15, rel=0.01)
    assert max(one.unreadable for one in errors.outlooks(chip, 3000, 3 * _YEAR)) > 1e-6


def test_outlooks_refuse_what_is_unknown():
    with pytest.raises(ValueError, match=r"physical.rated_cycles, physical.errors.fresh, .*codeword_bits"):
        errors.outlooks(Physical(**_CHIP), 100, _YEAR)


@pytest.mark.parametrize("rate, shown", [(5.61e-8, 7), (7.5e-10, 9), (2.23e-8, 7), (1.6e-6, 5), (9.9e-8, 7)])
def test_the_exponent_is_that_of_real_drives(rate, shown):
    assert errors.shown_exponent(rate) == shown
