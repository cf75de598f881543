"""How much several channels give to a recording."""

import itertools
from types import SimpleNamespace

import pytest

from sata_recorder.lab.measurement.channels import channel_words, filled_sectors


def sectors_of(words, packet):
    """Of a channel with so many words, a packet after the other, and its end."""
    full, rest = divmod(words, packet)
    return full * -(-(packet + 16) // 128) + -(-(rest + 16) // 128)


@pytest.mark.parametrize("channels, packet", list(
    itertools.product((2, 3, 16), (1, 111, 112, 113, 496, 2032))))
def test_as_many_as_there_is_room_for(channels, packet):
    core = SimpleNamespace(channels=channels, channel_words=packet)
    for sectors in (*range(1, 120), 1000, 99_999):
        words = channel_words(core, sectors)
        if sectors < channels + 1 or packet == 1 and sectors < 2 * channels + 1:
            assert words < 1
            continue
        filled = channels * sectors_of(words, packet) + 1
        assert 0 < words and filled <= sectors < channels * sectors_of(words + 1, packet) + 1
        assert filled_sectors(core, sectors) == filled
        # And it is the same again for what is filled.
        assert channel_words(core, filled) == words
        assert filled_sectors(core, sectors, 4096) == -(-filled // 8) * 8
