"""What the analyser keeps of a data command: opcode, extent, and where its cycles went."""

#: Opcodes of READ DMA and of FLUSH CACHE, each with its 48-bit form.
READS, FLUSHES = (0xC8, 0x25), (0xE7, 0xEA)
#: DATA SET MANAGEMENT, which brings data that are no payload.
TRIM = 0x06
#: With what a host brings a drive up: IDENTIFY DEVICE, SET FEATURES. Whatever else it issues between two data
#: commands is booked to ``flush``.
BRING_UP = (0xEC, 0xEF)


class Record:
    """One data command: where its cycles went; clocks are those of the port, sectors of 512 bytes.

    ``turnaround`` and ``overhead`` are None for the first command of an operation;
    ``overhead_split`` has one number per account; records with equal splits share the tuple.
    """

    __slots__ = ("opcode", "lba", "sectors", "start", "end", "status", "turnaround", "overhead",
                 "overhead_split")

    def __init__(self, opcode, lba, sectors, start):
        self.opcode = opcode
        self.lba = lba
        self.sectors = sectors
        self.start = start
        self.end = None
        self.status = None
        self.turnaround = None
        self.overhead = None
        self.overhead_split = None

    @classmethod
    def of(cls, head, start, blocks=1):
        """The record of the Register H2D FIS with the dwords ``head``, None for a command that
        moves no data by DMA; ``blocks`` sectors are a logical one."""
        opcode = head[0] >> 16 & 0xFF
        lba = head[1] & 0xFFFFFF
        if opcode in (0xC8, 0xCA):
            lba, count = lba | (head[1] >> 24 & 15) << 24, head[3] & 0xFF or 256
        elif opcode in (0x25, 0x35, 0x3D):
            lba, count = lba | (head[2] & 0xFFFFFF) << 24, head[3] & 0xFFFF or 65536
        else:
            return None
        return cls(opcode, blocks * lba, blocks * count, start)

    @property
    def kind(self):
        """"read" or "write"."""
        return "read" if self.opcode in READS else "write"


def extremes(commands) -> dict:
    """turnaround_min, turnaround_max, overhead_min, overhead_max and commands, as the core counts
    them, of a list of `Record`.

    Without a sample a minimum is 2^48 - 1 and a maximum 0.
    """
    result = {}
    for name, samples in (("turnaround", [record.turnaround for record in commands]),
                          ("overhead", [record.overhead for record in commands])):
        samples = [sample for sample in samples if sample is not None]
        result[f"{name}_min"] = min(samples, default=(1 << 48) - 1)
        result[f"{name}_max"] = max(samples, default=0)
    result["commands"] = len(commands)
    return result
