"""FISes and commands as both directions show them (Serial ATA Revision 3.x, transport layer;
ATA8-ACS)."""

from ..protocol import fis
from ..protocol.rules import HOST, Rule

READ_DMA, WRITE_DMA, READ_DMA_EXT, WRITE_DMA_EXT = 0xC8, 0xCA, 0x25, 0x35
WRITE_DMA_FUA_EXT = 0x3D
_READS, _WRITES = (READ_DMA, READ_DMA_EXT), (WRITE_DMA, WRITE_DMA_EXT, WRITE_DMA_FUA_EXT)
_LONG = (READ_DMA_EXT, WRITE_DMA_EXT, WRITE_DMA_FUA_EXT)
#: Commands whose FISes are known: of any other one only types and lengths are checked.
_PLAIN = (*_READS, *_WRITES, 0xE7, 0xEA, 0xEC)
_TYPES = {
    True: (fis.REGISTER_H2D, fis.DMA_SETUP, fis.BIST_ACTIVATE, fis.DATA),
    False: (fis.REGISTER_D2H, fis.SET_DEVICE_BITS, fis.DMA_ACTIVATE, fis.DMA_SETUP,
            fis.BIST_ACTIVATE, fis.PIO_SETUP, fis.DATA),
}
_SRST = 0x04


class Transport:
    """Follows the commands of one link, a FIS a call. Parameter: ``violate(direction, rule,
    detail)``."""

    def __init__(self, violate):
        self._violate = violate
        self.reset()

    def reset(self):
        """COMRESET, or a link that has fallen: no command is in flight."""
        self._command = None        # opcode in flight
        self._total = self._moved = 0   # dwords of it
        self._wanted = False        # a DMA Activate is out
        self._pio = None            # dwords that a PIO Setup has announced
        self._last = False          # ... and its E_STATUS ends the command
        self._control = 0
        self._sector = 128          # dwords of a logical sector
        self._page = b""            # IDENTIFY DEVICE data so far
        self._pending = {}          # the latest FIS of each direction

    def sent(self, direction, data, fault):
        """A frame has ended: what is wrong with it, a text, or None."""
        self._pending[direction] = None
        if fault:
            return fault
        kind, dwords = data[0], len(data) // 4
        long = dwords != fis.LENGTHS.get(kind) if kind != fis.DATA else dwords < 2
        if kind not in _TYPES[direction == HOST] or long or len(data) % 4:
            self._violate(direction, Rule.FIS, f"{kind:02X}h of {dwords} dwords")
            return "type or length"
        self._pending[direction] = data
        if kind == fis.DATA:
            return self._data(direction, dwords - 1)
        if kind == fis.REGISTER_H2D:
            self._register(fis.parse_register_h2d(data))
        elif kind == fis.DMA_ACTIVATE and self._command in _PLAIN and (
                self._command not in _WRITES or self._wanted):
            self._violate(direction, Rule.FIS, "39h that no write waits for")
        return None

    def _register(self, register):
        if not register.update:
            if not (register.control | self._control) & _SRST:
                self._violate(HOST, Rule.COMMAND_BIT, "")
            return
        if self._command is not None:
            self._violate(HOST, Rule.COMMAND_IN_FLIGHT, f"{register.command:02X}h")
        if register.command in _READS + _WRITES and not register.device & 0x40:
            self._violate(HOST, Rule.LBA_BIT, "")

    def _data(self, direction, size):
        left = min(fis.MAX_DATA_DWORDS, self._total - self._moved)
        if self._command not in _PLAIN and self._command is not None:
            left = fis.MAX_DATA_DWORDS
        elif direction == HOST and not self._wanted or \
                direction != HOST and self._pio is None and self._command not in _READS:
            self._violate(direction, Rule.FIS, f"46h of {size + 1} dwords")
            return "not asked for"
        if direction != HOST and self._pio is not None:
            if size != self._pio:
                return self._length(direction, size, self._pio)
        elif size > left:
            return self._length(direction, size, left)
        return None

    def _length(self, direction, size, wanted):
        self._violate(direction, Rule.DATA_LENGTH, f"{size} dwords, {wanted}")
        return "length"

    def accepted(self, direction):
        """The latest FIS of ``direction`` has got R_OK."""
        data = self._pending.pop(direction, None)
        if data is None:
            return
        kind = data[0]
        if kind == fis.REGISTER_H2D:
            self._start(fis.parse_register_h2d(data))
        elif kind == fis.DATA:
            self._moved += len(data) // 4 - 1
            if self._command == 0xEC and direction != HOST:
                self._identified(data[4:])
            self._wanted = False
            if direction != HOST and self._pio is not None:
                self._pio = None
                if self._last or self._command == 0xEC and self._moved >= self._total:
                    self._command = None
        elif kind == fis.DMA_ACTIVATE:
            self._wanted = True
        elif kind == fis.PIO_SETUP:
            self._pio = int.from_bytes(data[16:18], "little") // 4
            to_host = data[1] >> 5 & 1
            self._last = to_host and not data[15] & (fis.BSY | fis.DRQ)
        elif kind == fis.REGISTER_D2H and not data[2] & (fis.BSY | fis.DRQ):
            self._end(data[2])

    def refused(self, direction):
        """The latest FIS of ``direction`` has got R_ERR, or its answer never came."""
        data = self._pending.pop(direction, None)
        if data is not None and data[0] == fis.DATA:
            self._wanted, self._pio = False, None

    def _start(self, register):
        self._control = register.control
        if not register.update:
            return
        self._command = register.command
        self._moved = self._total = 0
        self._page = b""
        self._wanted, self._pio = False, None
        if register.command in _LONG:
            self._total = self._sector * (register.count or 65536)
        elif register.command in _READS + _WRITES:
            self._total = self._sector * (register.count & 0xFF or 256)
        elif register.command == 0xEC:
            self._total = 128

    def _identified(self, data):
        """How long the logical sectors are: IDENTIFY DEVICE words 106, 117 and 118."""
        self._page += data
        if len(self._page) == 512:
            size, words = (int.from_bytes(self._page[2 * number:2 * number + length], "little")
                           for number, length in ((106, 2), (117, 4)))
            self._sector = words // 2 if size >> 12 & 0b1101 == 0b0101 else 128

    def _end(self, status):
        good = not status & (fis.ERR | fis.DF)
        if good and self._command in _READS + _WRITES and self._moved < self._total:
            self._violate("device", Rule.DATA_LENGTH, f"{self._moved} dwords in all, {self._total}")
        self._command = None
        self._wanted, self._pio = False, None
