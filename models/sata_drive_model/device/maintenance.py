"""The maintenance commands of a drive, of one that knows its :class:`.health.Health`: SMART, logs,
TRIM, buffer, APM (ATA8-ACS); SANITIZE DEVICE (ACS-2)."""

import struct

from ..behaviour import pick
from ..protocol import fis
from . import opcodes
from .general import GeneralCommands
from .health import EXCEEDED, GOOD

_SMART_SIGNATURE = 0xC24F       # in LBA 23:8 of every SMART command
_ENABLE, _DISABLE, _READ_DATA, _READ_THRESHOLDS, _READ_LOG, _RETURN_STATUS, _AUTOSAVE = (
    0xD8, 0xD9, 0xD0, 0xD1, 0xD5, 0xDA, 0xD2)
_APM_ON, _APM_OFF = 0x05, 0x85
_TRIM = 1
_STATUS, _CRYPTO_SCRAMBLE, _BLOCK_ERASE = 0x0000, 0x0011, 0x0012
#: What must be in LBA 31:0 of them: "Cryp", "BkEr".
_KEYS = {_CRYPTO_SCRAMBLE: 0x43727970, _BLOCK_ERASE: 0x426B4572}
#: Count of SANITIZE STATUS: completed without an error, in progress.
_COMPLETED, _IN_PROGRESS = 1 << 15, 1 << 14
#: What is executed while the drive erases itself.
_MEANWHILE = (opcodes.IDENTIFY_DEVICE, opcodes.SANITIZE_DEVICE, opcodes.CHECK_POWER_MODE)
#: What takes sectors away or writes them.
_CHANGES = (*opcodes.WRITES, *opcodes.PIO_WRITES, opcodes.DATA_SET_MANAGEMENT)


class MaintenanceCommands(GeneralCommands):
    """Executes them where ``health`` is not None; all else is `GeneralCommands`'.

    ``pages`` are the data of the command in flight where these are no sectors, else None.
    """

    health = None
    pages = None
    sanitized_at = None             # when SANITIZE DEVICE will have ended, or has

    def dispatch(self, register):
        self.pages = None
        health, command = self.health, register.command
        answer = _ANSWERS.get(command)
        if health is None or self.atapi or self.locked and command in opcodes.NOT_LOCKED:
            super().dispatch(register)
        elif self._erasing() and command not in _MEANWHILE:
            self.fail(fis.ABRT, self.behaviour.command_latency)
        elif command in _CHANGES and health.read_only:
            self.fail(fis.ABRT, self.behaviour.command_latency)
        elif answer and (self.lba48 or command not in opcodes.EXT):
            self.lba = self.count = 0       # no sectors of the medium
            answer(self, register)
        else:
            super().dispatch(register)

    # Data of the command's own --------------------------------------------------------------------

    def _give(self, pages, *, dma=False):
        """Data to the host: by PIO in blocks of 512 bytes, or by DMA. None: there are none."""
        if pages is None:
            self.fail(fis.ABRT, self.behaviour.other_latency)
            return
        self.pages = self.data = pages
        self.total = len(pages) // 4
        self.pio = not dma
        if dma:
            self._next_read(self.behaviour.command_latency)
        else:
            self._next_pio()

    def _take(self, size, *, dma=False):
        """Data of the host, ``size`` bytes: the command continues in `_finish`."""
        self.pages = bytearray()
        self.total = size // 4
        self.pio = not dma
        self.block = 0 if dma else 128
        self._activate(self.behaviour.command_latency, 0)

    def _next_read(self, latency):
        if self.pages is None:
            super()._next_read(latency)
            return
        size = min(pick(self.rng, self.behaviour.data_fis_dwords), self.total - self.position)
        self.enqueue(fis.data(self.pages[4 * self.position:4 * (self.position + size)]), latency,
                    "data", holds=self._underruns(size))

    def _store(self, data):
        if self.pages is None:
            if self.health is not None:
                self.health.written_bytes += len(data)
            super()._store(data)
        else:
            self.pages += data

    def _took(self, dwords):
        return super()._took(dwords) if self.pages is None else 0

    def _gave(self, dwords):
        if self.pages is None:
            if self.health is not None:
                self.health.read_bytes += 4 * dwords
            super()._gave(dwords)

    def _finish(self, latency, wait=0):
        if self.pages is None or not isinstance(self.pages, bytearray):
            super()._finish(latency, wait)
        elif self.command == opcodes.DATA_SET_MANAGEMENT:
            self.trim(latency)
        else:
            self.buffer = bytes(self.pages)
            super()._finish(latency, wait)

    # What is counted ------------------------------------------------------------------------------

    def _begin_data(self, register):
        begins = super()._begin_data(register)
        if begins and self.health is not None:
            self.health.write_commands += register.command in opcodes.WRITES + opcodes.PIO_WRITES
            self.health.read_commands += register.command in opcodes.READS + opcodes.PIO_READS
            self.health.misaligned += register.command in opcodes.WRITES + opcodes.PIO_WRITES \
                and self._splits()
        return begins

    def _link_error(self):
        if self.health is not None:
            self.health.crc_errors += 1
        super()._link_error()

    def conclude(self, status, error=0, *arguments, **keywords):
        if self.health is not None and status & fis.ERR and error & fis.UNC:
            self.health.uncorrectable += 1
        super().conclude(status, error, *arguments, **keywords)

    # Commands -------------------------------------------------------------------------------------

    def _smart(self, register):
        health, feature = self.health, register.features & 0xFF
        known = register.lba >> 8 & 0xFFFF == _SMART_SIGNATURE
        if not known or not (health.enabled or feature == _ENABLE):
            self.fail(fis.ABRT, self.behaviour.other_latency)
        elif feature in (_ENABLE, _DISABLE):
            health.enabled = feature == _ENABLE
            self._set(True)
        elif feature == _AUTOSAVE:
            self._done()
        elif feature == _READ_DATA:
            self._give(health.data())
        elif feature == _READ_THRESHOLDS:
            self._give(health.thresholds())
        elif feature == _READ_LOG:
            self._give(health.smart_log(register.lba & 0xFF, register.count & 0xFF))
        elif feature == _RETURN_STATUS:
            good = self.behaviour.good_status
            signature = (EXCEEDED if health.failing() else GOOD) << 8
            self.conclude(good, 0, self.behaviour.other_latency,
                         sent=fis.register_d2h(good, 0, signature, register.count & 0xFF))
        else:
            self.fail(fis.ABRT, self.behaviour.other_latency)

    def _read_log(self, register):
        page = register.lba >> 8 & 0xFF | register.lba >> 24 & 0xFF00
        self._give(self.health.log(register.lba & 0xFF, page, register.count, self.blocks),
                   dma=register.command == opcodes.READ_LOG_DMA_EXT)

    def _buffer(self, register):
        dma = register.command in (opcodes.READ_BUFFER_DMA, opcodes.WRITE_BUFFER_DMA)
        if register.command in (opcodes.READ_BUFFER, opcodes.READ_BUFFER_DMA):
            self._give(self.buffer, dma=dma)
        else:
            self._take(512, dma=dma)

    def _data_set_management(self, register):
        blocks = self.health.trim_blocks
        if register.features & 0xFF != _TRIM or not 1 <= register.count <= blocks:
            self.fail(fis.ABRT, self.behaviour.other_latency)
        else:
            self._take(512 * register.count, dma=True)

    def trim(self, latency):
        """The ranges have come: what they name reads as zeros from now on."""
        ranges = [(self.blocks * (entry & (1 << 48) - 1), self.blocks * (entry >> 48))
                  for entry, in struct.iter_unpack("<Q", self.pages)]
        beyond = [first for first, count in ranges if count and first + count > self.sectors]
        if beyond:
            self.fail(fis.IDNF | fis.ABRT, latency, beyond[0])
            return
        for first, count in ranges:
            if not count:
                continue        # an entry that is none
            self.image.discard(first, count)
            self.medium.trim(first, count)
            self.health.trimmed += count
        super()._finish(latency, self.health.trim_dwords)

    def _erasing(self):
        return self.sanitized_at is not None and self.link.now < self.sanitized_at

    def _sanitize(self, register):
        feature, duration = register.features, self.health.sanitize_dwords
        good = self.behaviour.good_status
        if not duration:
            self.fail(fis.ABRT, self.behaviour.other_latency)
            return
        if feature in _KEYS and register.lba & 0xFFFFFFFF == _KEYS[feature] and not self._erasing():
            self.sanitized_at = self.link.now + duration
            self.image.discard(0, self.sectors)
            self.medium.trim(0, self.sectors)
        elif feature != _STATUS:
            self.fail(fis.ABRT, self.behaviour.other_latency)
            return
        count, progress = 0, 0xFFFF
        if self._erasing():
            count = _IN_PROGRESS
            progress = 0xFFFF - 0xFFFF * (self.sanitized_at - self.link.now) // duration
        elif self.sanitized_at is not None:
            count = _COMPLETED
        self.conclude(good, 0, self.behaviour.other_latency,
                     sent=fis.register_d2h(good, 0, progress, count))

    def _set_features(self, register):
        feature, level = register.features & 0xFF, register.count & 0xFF
        if feature not in (_APM_ON, _APM_OFF):
            super()._set_features(register)
        elif feature == _APM_ON:
            known = 0x01 <= level <= 0xFE
            if known:
                self.settings.apm = level
            self._set(known)
        else:
            self.settings.apm = 0
            self._set(True)


_ANSWERS = {
    opcodes.SMART: MaintenanceCommands._smart,
    **dict.fromkeys((opcodes.READ_LOG_EXT, opcodes.READ_LOG_DMA_EXT),
                    MaintenanceCommands._read_log),
    **dict.fromkeys((opcodes.READ_BUFFER, opcodes.READ_BUFFER_DMA, opcodes.WRITE_BUFFER,
                     opcodes.WRITE_BUFFER_DMA), MaintenanceCommands._buffer),
    opcodes.SANITIZE_DEVICE: MaintenanceCommands._sanitize,
    opcodes.SET_FEATURES: MaintenanceCommands._set_features,
    opcodes.DATA_SET_MANAGEMENT: MaintenanceCommands._data_set_management,
}
