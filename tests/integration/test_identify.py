"""What the core learns from IDENTIFY DEVICE, and what the user can read of it."""

import struct

import pytest
from integration.small import RETRY, SMALL, commands, connect, content, log, works
from sata_drive_model import Drive
from sata_drive_model.device.identify import checksum
from sata_drive_model.protocol import fis

from sata_recorder.simulation import Event
from sata_recorder.core.drive_port import Error, Operation


def text(page, first, last):
    """The string in the words first to last."""
    words = struct.unpack_from(f">{last - first + 1}H", page[2 * first:2 * last + 2])
    return struct.pack(f"<{len(words)}H", *words).decode()


def with_words(words):
    """A class of drive whose IDENTIFY page has these words changed, {number: value}."""
    class Changed(Drive):
        def link_up(self):
            page = bytearray(self.page)
            for number, value in words.items():
                struct.pack_into("<H", page, 2 * number, value)
            if 255 not in words:
                page[510:] = struct.pack("<H", checksum(page))
            self.page = bytes(page)
            super().link_up()
    return Changed


def test_strings_and_raw_words(bench):
    names = {"model": "Recorder's friend, model 40 characters...", "serial": "S/N 0123456789ABCDE",
             "firmware": "FW 1.2.3"}
    names["model"] = names["model"][:40]
    b = bench(**SMALL, drive=names)
    page = b.identify()
    assert page == b.drive.page
    assert text(page, 27, 46) == names["model"]
    assert text(page, 10, 19) == names["serial"].ljust(20)
    assert text(page, 23, 26) == names["firmware"]
    assert sum(page) % 256 == 0
    # It can be read again after operations have moved other data.
    works(b)
    assert b.identify() == page


@pytest.mark.parametrize("dwords, blocks", [(128, 1), (64, 2), (32, 4), (16, 8), (1, 128), (100, 2)])
def test_data_in_several_fises(bench, dwords, blocks):
    b = bench(**SMALL, pio_dwords=dwords, fis_log=True)
    sizes = [size - 1 for _, size in log(b, fis.DATA, "in")]
    assert len(log(b, fis.PIO_SETUP)) == len(sizes) == blocks and sum(sizes) == 128
    assert b.identify() == b.drive.page
    works(b)


def test_data_in_fises_of_random_sizes(bench, seed):
    b = bench(**SMALL, pio_dwords=(1, 40), identify_latency=(0, 50), seed=seed,
              fis_log=True)
    assert len(log(b, fis.PIO_SETUP)) > 3
    assert b.identify() == b.drive.page
    works(b)


@pytest.mark.parametrize("sectors", [1, 0xFFFF, 0x10000, 0x0FFFFFFF, 0x10000000, 0x1234567890AB,
                                     (1 << 48) - 1])
def test_capacity_with_48_bits(bench, sectors):
    b = bench(**SMALL, sectors=sectors)
    outputs = b.outputs()
    assert outputs["lba48"] and outputs["capacity"] == sectors


@pytest.mark.parametrize("sectors, capacity", [
    (1, 1), (0x10000, 0x10000), (0x0FFFFFFF, 0x0FFFFFFF), (1 << 30, 0x0FFFFFFF)])
def test_capacity_with_28_bits(bench, sectors, capacity):
    b = bench(**SMALL, sectors=sectors, drive={"lba48": False})
    outputs = b.outputs()
    assert not outputs["lba48"] and outputs["capacity"] == capacity


@pytest.mark.parametrize("word83", [0x0000, 0x3400, 0x8000 | 0x3400, 0xC000 | 0x3400])
def test_word_83_counts_only_with_its_validity_bits(bench, word83):
    b = bench(connect(with_words({83: word83}), sectors=5000), **SMALL)
    assert not b.outputs()["lba48"] and b.outputs()["capacity"] == 5000
    works(b)
    assert {record[0] for record in commands(b)} == {0xEC, 0xCA, 0xE7, 0xC8}


@pytest.mark.parametrize("word106, error", [
    (0x5000, Error.SECTOR_SIZE), (0x7003, Error.SECTOR_SIZE), (0x6003, Error.NONE),
    (0x1000, Error.NONE), (0x9000, Error.NONE), (0xD000, Error.NONE)])
def test_word_106_counts_only_with_its_validity_bits(bench, word106, error):
    """Several logical sectors in a physical one (bit 13) are no obstacle."""
    b = bench(connect(with_words({106: word106, 117: 2048})), **SMALL, up=False)
    outputs = b.bring_up()
    assert (outputs["error"], outputs["ready"]) == (error, error == Error.NONE)


def test_48_bit_drive_without_flush_ext(bench):
    b = bench(connect(with_words({83: 0x5400, 86: 0x1400})), **SMALL)
    assert b.flush().error == 0
    assert commands(b)[-1][0] == 0xE7


def test_capacity_beyond_32_bits_is_used(bench):
    sectors = 1 << 40
    b = bench(**SMALL, sectors=sectors)
    data = content(3, 5)
    assert b.record(data, sectors - 5).error == 0
    assert b.image.read_sectors(sectors - 5, 5) == data
    assert b.play(sectors - 5, 5).data == data
    b.check()


def test_another_drive_is_another_identity(bench):
    b = bench(**SMALL, sectors=5000)
    first = b.identify()
    b.port.plug(connect(sectors=777, unit={"lba48": False, "serial": "other"}).drive)
    assert not b.engine.run(20, Event(0))
    assert not b.outputs()["ready"]
    b.wait(Event.READY)
    assert b.outputs()["capacity"] == 777 and not b.outputs()["lba48"]
    assert b.identify() == b.drive.page != first
    assert b.record(content(1, 3), 774).error == 0
    assert b.play(0, 778).error == Error.OUT_OF_RANGE


@pytest.mark.parametrize("words", [
    {0: 0x0044, 2: 0x37C8}, {0: 0x0044, 2: 0x8C73}, {0: 0x0044, 2: 0x738C}, {0: 0x0044}, {255: 0x12A5}],
    ids=str)
def test_data_that_are_incomplete_or_damaged(bench, words):
    """The drive is not used; IDENTIFY DEVICE is tried again after a COMRESET, for ever."""
    b = bench(connect(with_words(words), sectors=5000), **SMALL, up=False)
    outputs = b.bring_up()
    assert (outputs["error"], outputs["ready"]) == (Error.IDENTIFY_FAILED, 0)
    resets = b.port.resets
    b.run(20_000)
    assert b.port.resets > resets + 2
    # As a drive does that has spun up meanwhile.
    good = connect(sectors=5000).drive
    b.drive.link_up = lambda: (setattr(b.drive, "page", good.page), Drive.link_up(b.drive))
    works(b)


def test_data_damaged_once_do_not_make_another_drive(bench):
    """In a recovery it is reset and read again."""
    b = bench(connect(sectors=5000), **RETRY)
    good = b.drive.page
    broken = iter([True])
    data = content(1, 40)

    def link_up():
        b.drive.page = good[:20] + b"??" + good[22:] if next(broken, False) else good
        Drive.link_up(b.drive)
    b.drive.link_up = link_up
    b.engine.source(data)
    b.start(Operation.RECORD, 50, 40)
    b.run(300)
    b.port.drop_link(20)
    b.wait(Event.DONE)
    assert b.outputs()["error"] == 0 and b.port.resets == 2
    assert b.image.read_sectors(50, 40) == data
