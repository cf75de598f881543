"""What a controller is told."""

import pytest

from sata_recorder.interface.configuration import Configuration
from sata_recorder.firmware import Controller


@pytest.mark.parametrize("hz, clock_hz, ticks", [
    (75e6, 75e6, (1, 1)), (50e6, 75e6, (2, 3)), (25e6, 150e6, (1, 6)), (75e3, 75e6, (1, 1000)),
    (74.99e6, 75e6, (1, 1))])
def test_ticks(hz, clock_hz, ticks):
    assert Controller("serv", hz).ticks(clock_hz) == ticks


@pytest.mark.parametrize("extent, limit, sectors", [
    ("command", 0, 2048), ("command", 100, 100), ("command", 5000, 2048), ("whole", 0, 0)])
def test_operation_sectors(extent, limit, sectors):
    configuration = Configuration(max_command_sectors=2048)
    controller = Controller("serv", 75e6, "polling", extent)
    assert controller.operation_sectors(configuration, limit) == sectors
