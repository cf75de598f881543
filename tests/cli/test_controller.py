"""The options of a controller become one, or none."""

from sata_recorder.cli.job import _controller
from sata_recorder.interface.configuration import Configuration
from sata_recorder.firmware import Controller


def test_defaults():
    core = Configuration(clock_hz=150e6)
    assert _controller(core, "hardwired", None, None, None) is None
    assert _controller(core, "serv", None, None, None) == Controller("serv", 150e6, "polling",
                                                                     "command")


def test_what_is_given():
    assert _controller(Configuration(), "picorv32", 5e6, "interrupt", "whole") == Controller(
        "picorv32", 5e6, "interrupt", "whole")
