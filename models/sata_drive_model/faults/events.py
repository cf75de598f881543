"""What an injected fault above the line does to a port and its drive when its clock has come."""

from typing import Any

from ..medium.image import DiskImage
from .fault import Fault
from .injector import strike

#: Clocks for which a COMINIT of the drive takes the link down.
COMINIT_CLOCKS = 64


def happen(fault: Fault, port: Any) -> bool:
    """Lets ``fault`` happen at ``port``; True for one of the link that has happened.

    Faults of frames, FISes and status are armed in the drive, which notes them when they strike.
    Without a drive nothing happens.
    """
    drive = port.drive
    if drive is None:
        return False
    if fault.kind == "link_loss":
        port.drop_link(max(1, fault.clocks) + 1)
    elif fault.kind == "cominit":
        port.drop_link(COMINIT_CLOCKS)
    elif fault.kind == "unplug":
        port.collect()
        if fault.power_lost:
            drive.power_off()
        port.plug(drive, max(1, fault.clocks) + 1)
    elif fault.kind == "blackout":
        port.collect()
        drive.power_off()
        port.plug(drive, max(1, fault.clocks) + 1)
    elif fault.kind == "altered":
        if drive.altered:       # it might become the first one again
            return False
        port.collect()
        port.plug(_altered(drive, fault.identity), max(1, fault.clocks) + 1)
    elif fault.kind == "exchange":
        port.collect()
        serial = f"SN{len(port.struck):04}X"
        other = drive.other(DiskImage(sectors=drive.image.sectors), serial=serial)
        port.plug(other, max(1, fault.clocks) + 1)
    else:
        strike(fault, drive, port.link)
        return False
    return True


def _altered(drive, identity):
    """Another drive that differs from ``drive`` in ``identity`` only."""
    sectors = drive.image.sectors
    more = {"smaller": -1, "larger": 1}.get(identity, 0)
    unit = drive.unit
    changes = {"serial": {"serial": unit["serial"][:-1] + "*"},
               "model": {"model": unit["model"][:-1] + "*"},
               "wwn": {"wwn": (unit["wwn"] or 0x5000000000000000) + 1},
               "lba48": {"lba48": not unit["lba48"]},
               "sector": {"logical_sector": 4096 if unit["logical_sector"] == 512 else 512,
                          "physical_sector": None, "alignment": 0},
               }.get(identity, {})
    other = drive.other(DiskImage(sectors=sectors + more * drive.blocks), **changes)
    other.altered = True
    return other
