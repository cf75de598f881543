"""What bring-up needs to know from the IDENTIFY DEVICE data."""

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["DriveCheck"]


class DriveCheck(wiring.Signature):
    """The check of an identified drive, seen from bring-up.

    Members
    -------
    begin : Out(1)          New IDENTIFY DEVICE data comes: all results become 0.
    check : Out(1)          The data are complete: compare them with those of the last check.
    checked : In(1)         The data have been compared, and are kept; for one clock.
    spins_up : In(1)        With ``checked``: the drive needs SET FEATURES to spin up, or did at power-up.
    spun_up : Out(1)        It has been answered: the data count, whatever they state about it. It stays from
                            ``begin`` to ``checked``.
    unsound : In(1)         With ``checked``: the data are incomplete or damaged, or the drive is to spin
                            up. They are not kept.
    dma : In(1)             The drive takes DMA commands.
    lba : In(1)             The drive takes logical block addresses.
    packet : In(1)          The device is no ATA device.
    long_sectors : In(1)    The logical sectors are longer than 512 bytes, and not of a length that the
                            core uses.
    """

    def __init__(self):
        super().__init__({
            "begin": Out(1), "check": Out(1), "checked": In(1), "unsound": In(1),
            "spins_up": In(1), "spun_up": Out(1),
            "dma": In(1), "lba": In(1), "packet": In(1), "long_sectors": In(1),
        })
