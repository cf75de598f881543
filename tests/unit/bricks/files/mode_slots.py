"""What tests of files with modes share: the slots of their disks, the drive, and tables of segments."""

#: Of the logs.
DRIVE = {"model": "SATA DRIVE MODEL", "serial": "SN0001"}
#: Sectors of a slot.
SECTORS = 32


def entries(*firsts_and_ends):
    """Entries of a table, with all bits of their fields used."""
    return [(128 * first, 128 * first + 3, end, 1 << 63 | n, 2 << 60 | n, 3 << 40 | n, 1 << 62 | n,
             3 | 0xABC0 + n << 16) for n, (first, end) in enumerate(firsts_and_ends)]
