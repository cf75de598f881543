"""Long lines: whole in a pipe, broken between words in a terminal, each part below the text of its line."""

import io

import pytest
from rich.progress import Progress as Bars
from rich.text import Text

from sata_recorder.cli.progress import Done
from sata_recorder.cli.screen import Screen

LONG = "stall  unknown: none of this drive is published, and the FIFO has no reserve for one: each ms needs more words"


def printed(text, *, terminal, width=80, **options):
    screen = Screen(width=width, force_terminal=terminal, file=io.StringIO(), color_system=None)
    screen.print(text, **options)
    return screen.file.getvalue()


def test_a_line_is_whole_in_a_pipe():
    assert printed(LONG, terminal=False) == LONG + "\n"


@pytest.mark.parametrize("text, lines", [
    (LONG, ["stall  unknown: none of this drive is published, and the FIFO has no reserve for",
            "       one: each ms needs more words"]),
    ("       or one s4500-4tb\n" + 9 * " " + 20 * "words ",
     ["       or one s4500-4tb", 9 * " " + " ".join(12 * ["words"]), 9 * " " + " ".join(8 * ["words"])]),
    ("short", ["short"]), ("", [""]), (30 * "abc", [(30 * "abc")[:80], (30 * "abc")[80:]])])
def test_a_terminal_gets_lines_that_fit(text, lines):
    for one in text, Text(text):
        assert printed(one, terminal=True).splitlines() == lines


def test_markup_is_no_text():
    lines = printed("[bold]record[/]  " + 20 * "words ", terminal=True).splitlines()
    assert lines == ["record  " + " ".join(12 * ["words"]), 8 * " " + " ".join(8 * ["words"])]
    assert printed("a [b] c", terminal=True, markup=False) == "a [b] c\n"


def test_no_figures_while_it_is_compiled():
    """Nobody knows how far a compiler is."""
    column = Done()
    bars = Bars(column)
    bars.add_task("compiling", total=None)
    bars.add_task("recording", total=4096)
    assert [str(column.render(task)) for task in bars.tasks] == ["", "0.0/4.1 kB"]
