"""What an injected fault above the line does to a port and its drive when its clock has come."""

from ..medium.image import DiskImage
from .injector import strike

#: Clocks for which a COMINIT of the drive takes the link down.
COMINIT_CLOCKS = 64


def happen(fault, port) -> bool:
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
    elif fault.kind == "exchange":
        port.collect()
        serial = f"SN{len(port.struck):04}X"
        other = drive.other(DiskImage(sectors=drive.image.sectors), serial=serial)
        port.plug(other, max(1, fault.clocks) + 1)
    else:
        strike(fault, drive, port.link)
        return False
    return True
