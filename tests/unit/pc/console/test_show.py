"""Answers as tables for people."""

import io

import pytest
from rich.console import Console

from sata_recorder.pc.console.answer import Answer
from sata_recorder.pc.console.grammar import OPERATIONS, PARTS, help_lines
from sata_recorder.pc.console.show import as_data, show


def shown(*lines):
    """What a terminal of 80 columns would have of an answer."""
    console = Console(file=io.StringIO(), width=80)
    show(console, Answer(lines, None), 75e6)
    return console.file.getvalue()


@pytest.mark.parametrize("parts", [*((part,) for part in PARTS), PARTS], ids="+".join)
def test_help_of_a_board_with_this_part(parts):
    """Whatever the board can do: the names of its requests are not taken for an answer to one of them."""
    wanted = help_lines(parts)
    assert [line.strip() for line in shown(*wanted).splitlines()] == wanted


def test_a_histogram():
    assert "1.71 us to 3.41 us  3" in shown("histogram commands", "bin-6 0", "bin-7 3")
    assert "no time" in shown("histogram commands", "bin-6 0")



STATUS = ("link up", "generation 2", "ready yes", "last-error none", "drive-status 0x50", "drive-error 0x00",
          "capacity 1048576", "operation {}", "recovering no", "retries 0", "sectors-done 0", "words 256000",
          "clocks 150000")


@pytest.mark.parametrize("operation", ["none", *OPERATIONS])
def test_status_while_an_operation_runs(operation):
    """It names the operation, and is not taken for the answer to it."""
    lines = tuple(line.format(operation) for line in STATUS)
    rows = [row.split() for row in shown(*lines).splitlines()]
    assert ["operation", operation] in rows and ["capacity", "1,048,576", "sectors,", "0.54", "GB"] in rows
    assert as_data(Answer(lines, None), 75e6)["operation"] == operation
