"""Sidecars: what is known of a recording, and SigMF that its own package finds valid."""

import json
import re
from datetime import UTC, datetime

import pytest

from sata_recorder.pc.volume import (Drive, LogEntry, as_text, copy, finalise_image, item_bytes,
                                      sidecar, sigmf)

JOURNAL = (LogEntry(1, 0, 1000, 50, 999), LogEntry(1, 0, 3000, 25, 20), LogEntry(2, 4, None, 2))


@pytest.fixture
def made(image, recorded):
    """`made(size)`: the sidecar of a recording with gaps and a skipped range."""
    def made(size, algorithm="sha256"):
        recorded(1, size)
        with Drive(image) as drive:
            lba = drive.slots[0].lba
        journal = (*JOURNAL[:2], LogEntry(2, 4, lba + 10, 2))
        finalise_image(image, 1, size, lost_words=75, clock_hz=150_000_000, error=0, model="M 1",
                       serial="S1", journal=journal,
                       started=datetime(2026, 11, 22, 12, 0, 1, 250_000, UTC))
        with Drive(image) as drive:
            one = drive.recordings[0]
            copied = copy(drive.source, one.extents, one.bytes, None, algorithm=algorithm)
            return sidecar(one, copied, algorithm=algorithm)

    return made


def test_fields(made):
    found = made(50_001)
    assert json.loads(as_text(found)) == found
    assert (found["bytes"], found["started"]) == (50_001, "2026-11-22T12:00:01.250000Z")
    assert found["crc32_matches"] is True and found["lost_words"] == 75
    assert found["drive"] == {"model": "M 1", "serial": "S1"} and found["journal_is_complete"]
    assert found["journal"] == [
        {"kind": "gap", "offset": 4000, "lost_bytes": 200, "clocks": 999},
        {"kind": "gap", "offset": 12000, "lost_bytes": 100, "clocks": 20},
        {"kind": "skipped", "cause": 4, "bytes": 1024, "offset": 5120}]


def test_without_a_log(image, recorded):
    recorded(1, 100)
    finalise_image(image, 1, 100)
    with Drive(image) as drive:
        place = 512 * drive.slots[0].log_lba
    with open(image, "r+b") as file:
        file.seek(place)
        file.write(bytes(1536))
    with Drive(image) as drive:
        one = drive.recordings[0]
        found = sidecar(one, copy(drive.source, one.extents, one.bytes, None))
    assert found["lost_words"] is None and found["journal"] is None and found["bytes"] == 100


@pytest.mark.parametrize("size, name", [(48_000, "a.sigmf-data"), (48_000, "a.dat"),
                                        (48_002, "a.sigmf-data")])
def test_sigmf_is_valid(made, size, name):
    found = made(size, "sha512")
    meta = sigmf(found, datatype="ci16_le", sample_rate=1e6, dataset=name)
    assert meta["captures"] == [
        {"core:sample_start": 0, "core:global_index": 0,
         "core:datetime": "2026-11-22T12:00:01.250000Z"},
        {"core:sample_start": 1000, "core:global_index": 1050},
        {"core:sample_start": 3000, "core:global_index": 3075}]
    assert [(one["core:sample_start"], one["core:label"]) for one in meta["annotations"]] == [
        (1000, "gap"), (1280, "skipped"), (3000, "gap")]
    own = (size, name) != (48_000, "a.sigmf-data")
    assert ("core:dataset" in meta["global"]) is own
    assert meta["global"].get("core:trailing_bytes", 0) == size % 4
    assert re.fullmatch("[0-9a-f]{128}", meta["global"]["core:sha512"])
    validate = pytest.importorskip("sigmf.validate")
    validate.validate(json.loads(as_text(meta)))


@pytest.mark.parametrize("datatype, size", [
    ("cf32_le", 8), ("cf64_be", 16), ("rf32_le", 4), ("ci16_le", 4), ("ri32_be", 4), ("cu8", 2),
    ("ri8", 1), ("ru16_le", 2)])
def test_datatypes(datatype, size):
    assert item_bytes(datatype) == size


@pytest.mark.parametrize("datatype", ["", "cf32", "cf16_le", "ci64_le", "cu8_le", "xf32_le",
                                      "int16"])
def test_unknown_datatypes(datatype):
    with pytest.raises(ValueError, match="is no SigMF datatype"):
        item_bytes(datatype)
