"""A file that somebody puts where a command will write, while it runs, is not replaced."""

from pathlib import Path

import pytest

from sata_recorder.cli import extract, frames
from sata_recorder.cli.common import Refusal
from sata_recorder.cli.files import written

REFUSED = "exists, and sata-recorder has not made it; --overwrite permits writing to it"


@pytest.fixture
def appears(monkeypatch):
    """`appears(module, name, path)`: when that function of the module is called, the file comes to be there."""
    def appears(module, name, path):
        def call(*arguments, function=getattr(module, name), **options):
            Path(path).write_text("mine")
            return function(*arguments, **options)
        monkeypatch.setattr(module, name, call)
    return appears


def left(tmp_path):
    return sorted(path.name for path in tmp_path.iterdir())


def test_of_a_set_none_is_written(tmp_path):
    paths = {"--csv": tmp_path / "a", "--json": tmp_path / "b"}
    with pytest.raises(Refusal, match="--json .*b: it exists"), written(paths) as texts:
        paths["--json"].write_text("mine")
        texts |= dict.fromkeys(paths, "theirs")
    assert left(tmp_path) == ["b"] and paths["--json"].read_text() == "mine"


def test_of_frames_nothing_is_written(run, tmp_path, appears):
    (tmp_path / "disk.img").write_bytes(bytes(1024))
    appears(frames, "frames_of", "packets.csv")
    order = "frames", "disk.img", "-o", "words", "--packets", "packets.csv"
    result = run(*order)
    assert result.exit_code == 2 and f"--packets packets.csv: it {REFUSED}" in result.stderr
    assert left(tmp_path) == ["disk.img", "packets.csv"] and Path("packets.csv").read_text() == "mine"
    assert run(*order, "--overwrite").exit_code == 1 and Path("words").read_bytes() == b""


@pytest.mark.parametrize("file", ["copy", "copy.json"])
def test_a_copy_is_not_made(recorded_with_log, run, tmp_path, appears, file):
    recorded_with_log(5000)
    appears(extract, "copy", file)
    order = "extract", "disk.img", "1", "-o", "copy"
    result = run(*order)
    assert result.exit_code == 2 and f"-o {file}: it {REFUSED}" in result.stderr
    assert left(tmp_path) == sorted(["disk.img", file]) and Path(file).read_text() == "mine"
    assert run(*order, "--overwrite").exit_code == 0 and left(tmp_path) == ["copy", "copy.json", "disk.img"]
