"""The options of a controller become one, or none."""

from sata_recorder.firmware import Controller
from sata_recorder.interface.configuration import Configuration
from sata_recorder.lab.measurement import HostOptions, make_job


def controller_of(core, **options):
    """The controller of a job on the configuration ``core``."""
    return make_job(host=HostOptions(config=core, **options)).controller


def test_defaults():
    core = Configuration(clock_hz=150e6)
    assert controller_of(core) is None
    core = Configuration(clock_hz=150e6, control="axi-lite")
    assert controller_of(core, controller="serv") == Controller("serv", 150e6, "polling", "command")


def test_what_is_given():
    assert controller_of(Configuration(control="axi-lite"), controller="picorv32", controller_hz=5e6,
                         controller_wait="interrupt", controller_extent="whole") == Controller(
        "picorv32", 5e6, "interrupt", "whole")
