"""Drives that somebody has changed: each tool gives the verdict that the case has."""

import contextlib
import json

import pytest
from click.testing import CliRunner

from drive_images import ALL, CASES, SECTORS, Unavailable, data_of, made, pc_of, saved
from sata_recorder import outputs
from sata_recorder.cli.verbs import cli
from sata_recorder.pc.volume import Drive, Refused, finalise_image, harm

SIZE = 70_001


@pytest.fixture(scope="module", params=CASES)
def case(request, tmp_path_factory):
    """(case, path of its image, its content, layout)."""
    found = CASES[request.param]
    try:
        image, planned = made(found)
    except Unavailable as error:
        pytest.skip(str(error))
    path = tmp_path_factory.mktemp("case") / "disk.img"
    saved(image, path)
    outputs.mark(path)
    return found, path, bytes(image), planned


def run(*arguments):
    result = CliRunner().invoke(cli, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@contextlib.contextmanager
def restored(path, content):
    """The image is as before afterwards."""
    yield
    with open(path, "r+b") as file:
        step = 1 << 20
        for place in range(0, len(content), step):
            part = content[place:place + step]
            if file.read(step) != part:
                file.seek(place)
                file.write(part)
    outputs.mark(path)


def files_of(image, planned):
    """What a PC sees there; nothing where it sees no volume."""
    try:
        pc = pc_of(bytearray(image), planned)
        return {name: data for name, data in pc.files().items() if not name.endswith(".unused")}
    except (AssertionError, AttributeError, TypeError, IndexError):
        return {}


@pytest.mark.sample(5)
def test_drive(case):
    found, path, _, _ = case
    try:
        with Drive(path) as drive:
            states = {slot.number: drive.state(slot) for slot in drive.slots}
            assert (not drive.changes) == found.as_prepared, drive.changes
    except Refused:
        assert not found.as_prepared
        return
    for state, wanted in ("free", found.free), ("unfinished", found.unfinished):
        assert tuple(number for number in states if states[number] == state) == wanted, states


@pytest.mark.sample(8)
def test_recordings(case):
    found, path, _, _ = case
    result = run("recordings", path)
    if not found.as_prepared:
        assert result.exit_code in (1, 2) and ("prepare" in result.output), result.output
    if result.exit_code == 2:
        return
    assert f"free      {len(found.free) or 'none'}" in result.stdout
    listed = json.loads(run("recordings", path, "--json").stdout)
    assert tuple(slot["slot"] for slot in listed["slots"] if slot["state"] == "free") == found.free
    assert bool(listed["problems"]) == bool(result.exit_code)


@pytest.mark.sample(2)
def test_verify(case):
    found, path, _, _ = case
    result = run("verify", path)
    if not found.as_prepared:
        assert result.exit_code in (1, 2) and "prepare" in result.output, result.output
    if result.exit_code == 0:
        assert "WRONG" not in result.stdout
    else:
        lines = result.stdout.splitlines()
        assert len(lines) == len(set(lines)), "each of them once"


@pytest.mark.sample(19)
def test_finalise(case):
    """Where it is free, there is the recording and nothing else has changed; elsewhere nothing is
    written."""
    found, path, image, planned = case
    before = files_of(image, planned)
    for number in ALL:
        with restored(path, image):
            slot, data = planned.slots[number - 1], data_of(100 + number, SIZE)
            with open(path, "r+b") as file:
                if number in found.free:
                    file.seek(512 * slot.lba)
                    file.write(data)
            outputs.mark(path)
            if number not in found.free:
                with pytest.raises(Refused):
                    finalise_image(path, number, SIZE)
                assert path.read_bytes() == image
                continue
            finalise_image(path, number, SIZE)
            after = files_of(path.read_bytes(), planned)
            assert after.pop(f"RECORDINGS/REC{number:05}.dat") == data
            assert after == before
            with Drive(path) as drive:
                assert drive.find(number).bytes == SIZE


@pytest.mark.sample(4)
def test_harm(case):
    """`measure` records on an image into a free slot, and nowhere else."""
    found, path, image, planned = case
    if image[1024 * 512:][:8] != b"SATA REC":
        assert harm(path, planned.slots[0].lba, 8) is None, "no prepared image"
        return
    for slot in planned.slots:
        told = harm(path, slot.lba, 8)
        assert (told is None) == (slot.number in found.free), told
    assert harm(path, SECTORS - 40, 8)
