"""The comparison of the simulation's CPU time with an earlier state of the sources."""

import importlib
import sys
from pathlib import Path

import pytest

from sata_recorder.lab.campaign.configurations import CORES

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def against(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("against")


@pytest.fixture
def tree(against, tmp_path):
    """A function: sources whose program is the shell script of these lines."""
    def made(*lines):
        program = tmp_path / ".venv/bin/sata-recorder"
        program.parent.mkdir(parents=True)
        program.write_text("\n".join(["#!/bin/sh", *lines]) + "\n")
        program.chmod(0o755)
        return against.Tree(tmp_path, tmp_path / "cache")

    return made


def test_the_campaign_tells_its_cores(tree):
    """As it is told today, so that later states can be compared with this one."""
    assert tree(f'exec {Path(sys.executable).with_name("sata-recorder")} "$@"').cores() == [*CORES]


def test_an_earlier_state_without_a_campaign_is_refused(tree):
    with pytest.raises(SystemExit, match="no campaign that tells its cores:\nno such verb"):
        tree("echo no such verb >&2; exit 2").cores()


def test_a_job_that_fails_ends_it(tree):
    with pytest.raises(SystemExit, match="measure ended with status 1:\nwrong data"):
        tree("echo wrong data >&2; exit 1").seconds("measure")


@pytest.mark.parametrize("turns, seconds", [([(5, 1), (4, 2), (6, 3)], 3), ([(5,), (4,)], 4)])
def test_the_fastest_turns_count(against, turns, seconds):
    assert against.difference(turns) == seconds
