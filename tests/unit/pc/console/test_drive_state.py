"""A drive that is not ready: one that spins up is told apart from one without a supply, and from none."""

import io

import pytest
from rich.console import Console

from sata_recorder.pc.console.answer import Answer
from sata_recorder.pc.console.show import show


def shown(link="up", ready="no", last_error="none"):
    """What `status` looks like."""
    output = io.StringIO()
    show(Console(file=output, width=100), Answer((
        f"link {link}", "generation 2", f"ready {ready}", f"last-error {last_error}", "drive-status 0x00",
        "drive-error 0x00", "capacity 0", "operation none", "words 0", "clocks 0"), None), 75e6)
    return " ".join(output.getvalue().split())


@pytest.mark.parametrize("fields, wanted, not_wanted", [
    ({}, "takes up to 31 s", "12 V"), ({"last_error": "timeout"}, "12 V", "takes up to"),
    ({"link": "down"}, "`phy` shows", "12 V"), ({"link": "down", "last_error": "timeout"}, "`phy` shows", "12 V"),
    ({"last_error": "identify-failed"}, "why the drive cannot be used", "12 V"),
    ({"ready": "yes", "last_error": "timeout"}, "ready yes", "drive acknowledges")])
def test_what_it_waits_for(fields, wanted, not_wanted):
    text = shown(**fields)
    assert wanted in text and not_wanted not in text
