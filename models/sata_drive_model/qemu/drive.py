"""A drive whose commands QEMU executes: link and framing of FISes are the drive model's."""

from ..device import Drive
from ..protocol import fis
from .disk import QemuDisk

_WRITE_DMA, _WRITE_DMA_EXT, _WRITE_DMA_FUA_EXT, _DATA_SET_MANAGEMENT = 0xCA, 0x35, 0x3D, 0x06
#: Data commands to the device by PIO, and queued ones: they are not framed.
_UNFRAMED = (0x30, 0x34, 0x39, 0xC5, 0xCE, 0x60, 0x61)


class QemuDrive(Drive):
    """The drive model's link and framing of FISes with QEMU's ATA disk to execute the commands.

    Signature, IDENTIFY data, the content of reads, status and error of each command are QEMU's;
    DMA Activate, PIO Setup and the length of Data FISes are the model's, so `Behaviour` and
    faults of frames work as usual. A command is executed at once; a write when all of its data
    have come. PIO data-out and queued commands are aborted here: they are not framed.

    Parameters: ``disk`` a `QemuDisk`; ``behaviour``.
    """

    def __init__(self, disk, *, behaviour=None):
        super().__init__(disk, behaviour=behaviour, serial=disk.serial)
        self.page = disk.command(fis.register_h2d(0xEC)).data
        self._answer = self._order = None
        # Commands with 48-bit LBA whose data come by DMA, if IDENTIFY states that they are there.
        self._dma_out = {_WRITE_DMA_EXT}
        self._dma_out |= {_WRITE_DMA_FUA_EXT} if self._word(84) & 1 << 6 else set()
        self._dma_out |= {_DATA_SET_MANAGEMENT} if self._word(169) & 1 else set()

    def other(self, image, *, serial=None):
        """Another drive of the same behaviour, on an empty disk of the capacity of ``image``."""
        disk = QemuDisk(sectors=image.sectors, serial=serial or self.image.serial)
        return QemuDrive(disk, behaviour=self.behaviour)

    def _word(self, number):
        return int.from_bytes(self.page[2 * number:2 * number + 2], "little")

    def _signature(self):
        return self.image.reset()

    def dispatch(self, register):
        behaviour, command = self.behaviour, register.command
        self._answer = None
        self._order = fis.register_h2d(command, register.lba, register.count, register.device,
                                       register.features, register.control)
        if command in _UNFRAMED:
            self.fail(fis.ABRT, behaviour.other_latency)
            return
        blocks = self._blocks_out(register)
        if blocks:
            self.count, self.total, self.data = blocks, blocks * 128, bytearray()
            self._activate(behaviour.command_latency, 0)
            return
        self._answer = answer = self.image.command(self._order)
        if answer.pio_setup is not None:
            self.pio, self.data, self.total = True, answer.data, len(answer.data) // 4
            self._next_pio()
        elif answer.data:
            self.data, self.total = answer.data, len(answer.data) // 4
            self.count = len(answer.data) // 512
            self._next_read(behaviour.command_latency)
        else:
            self._finish(behaviour.other_latency)

    def _blocks_out(self, register):
        """Blocks of 512 bytes that the host sends; 0 where there are none, or QEMU will refuse
        the extent."""
        if register.command == _WRITE_DMA:
            self.lba, blocks = register.lba28, register.count & 0xFF or 256
        elif register.command in self._dma_out:
            blocks = register.count or 65536
        else:
            return 0
        if register.command == _DATA_SET_MANAGEMENT:
            return blocks
        return blocks if self.lba + blocks <= self.sectors else 0

    def _payload(self, size):
        return self.data[4 * self.position:4 * (self.position + size)]

    def _store(self, data):
        self.data += data

    def _finish(self, latency, wait=0):
        if self._answer is None:
            self._answer = self.image.command(self._order, bytes(self.data))
        status = self._answer.register_d2h
        if status is not None:      # QEMU leaves a few commands without an answer
            self.conclude(status[2], status[3], latency, wait=wait, sent=status)
