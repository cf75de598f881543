"""Files appear complete or not at all, whatever an earlier process has left there."""

import os
from pathlib import Path

import pytest

from sata_recorder.cli.common import Refusal
from sata_recorder.cli.files import written


def test_what_a_killed_process_left_is_no_hindrance(tmp_path):
    left = tmp_path / f".a.csv.{os.getpid()}"
    left.write_text("begun")
    with written({"--csv": tmp_path / "a.csv"}) as contents:
        contents["--csv"] = "x\n"
    assert (tmp_path / "a.csv").read_text() == "x\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == [left.name, "a.csv"]


def test_usual_permissions(tmp_path):
    before = os.umask(0o027)
    try:
        with written({"--csv": tmp_path / "a.csv"}) as contents:
            contents["--csv"] = b"x"
    finally:
        assert os.umask(before) == 0o027
    assert (tmp_path / "a.csv").stat().st_mode & 0o777 == 0o640


def test_nothing_is_left_of_a_failure(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        with written({"--csv": tmp_path / "a.csv"}):
            raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_standard_output_is_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Refusal, match="--svd -: must be a file"):
        with written({"--svd": Path("-")}):
            pass
