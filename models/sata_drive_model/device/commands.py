"""What a drive makes of a command: status, data, IDENTIFY, FLUSH CACHE (ATA8-ACS)."""

from typing import NamedTuple

from ..behaviour import NEVER, pick
from ..link.frame import Frame
from ..protocol import fis
from ..protocol.rules import Rule
from .opcodes import (EXT, FLUSH_CACHE, FLUSH_CACHE_EXT, IDENTIFY_DEVICE, LONG_LBA, READS, SET_FEATURES,
                      UNANSWERED, WRITE_DMA_FUA_EXT, WRITES)
from .sender import Sender
from .settings import SPIN_UP


class Completed(NamedTuple):
    """One command that got its status; ``lba`` and ``sectors`` of data on the medium are of 512
    bytes."""

    command: int
    lba: int
    sectors: int
    status: int
    error: int


class Commands(Sender):
    """Executes commands: queues the FISes of the drive's side. ``Drive`` has the state."""

    def conclude(self, status, error=0, latency=0, lba=0, wait=0, sent=None):
        """Final Register D2H (``sent``, where that is given), with the copies and forerunners the
        behaviour requests."""
        behaviour = self.behaviour
        self.expecting = False
        if "status" in behaviour.mute:
            return
        for _ in range(behaviour.busy_status_fises):
            self.enqueue(fis.register_d2h(0xD0), latency, "busy", wait=wait)
        # Bits 27:24 are in Device, where the command has 28 bits.
        low, device = (lba, 0x40) if self.command in LONG_LBA else (lba & 0xFFFFFF, 0x40 | lba >> 24)
        data = sent or fis.register_d2h(status, error, low, device=device)
        self.result = Completed(self.command, self.lba, self.count, status, error)
        self.enqueue(data, latency, "status", wait=wait)
        for _ in range(behaviour.repeated_status_fises):
            self.link.send(Frame(data, self.link.now, tag="copy"))

    def fail(self, error=None, latency=0, lba=0):
        """The command ends with an error at the sector ``lba`` of 512 bytes."""
        behaviour = self.behaviour
        if error is None:
            status = behaviour.fail_status, behaviour.fail_error
            if self._limit() is not None:
                self.injector.met()
                behaviour.fail_times -= 1
                if behaviour.fail_times <= 0:
                    behaviour.fail_lba, behaviour.fail_times = None, NEVER
            self.conclude(*status, latency, lba // self.blocks)
        else:
            self.conclude(fis.DRDY | 0x10 | fis.ERR, error, latency, lba // self.blocks)

    def _link_error(self):
        """A Data FIS was lost on the way: the command ends with ICRC and ABRT."""
        self.medium.reset()
        self.fail(fis.ICRC | fis.ABRT)

    # Commands -------------------------------------------------------------------------------------

    def _execute(self, register):
        behaviour = self.behaviour
        self.command = register.command
        # What was still queued belongs to the last command.
        self.link.queue = [frame for frame in self.link.queue if frame.words is None]
        self.position = self.total = self.fis_index = 0
        self.pio, self.block = False, 0
        self.lba, self.count = register.lba, register.count
        if "command" not in behaviour.mute and not self._unanswered(register) & behaviour.mute:
            self.dispatch(register)

    def _unanswered(self, register):
        """What `Behaviour.mute` calls this command: a set."""
        spins_up = register.command == SET_FEATURES and register.features & 0xFF == SPIN_UP
        return {"spin-up"} if spins_up else {UNANSWERED.get(register.command)}

    def dispatch(self, register):
        """Begins to answer a command."""
        behaviour, command = self.behaviour, register.command
        if self.atapi:
            self.conclude(fis.DRDY | fis.ERR, fis.ABRT, behaviour.other_latency, 0xEB1401)
        elif command == IDENTIFY_DEVICE:
            self._identify()
        elif command == FLUSH_CACHE or command == FLUSH_CACHE_EXT and self.lba48:
            self.conclude(behaviour.good_status, 0, behaviour.flush_latency,
                         wait=self.medium.flush(self.link.now))
        elif command in READS + WRITES and self.dma and (self.lba48 or command not in EXT) and (
                self.unit["fua"] or command != WRITE_DMA_FUA_EXT):
            self._data_command(register)
        else:
            self.fail(fis.ABRT, behaviour.other_latency)

    def _begin_data(self, register):
        """Takes address and count of a command that reaches the medium; False where it has ended
        at once."""
        behaviour = self.behaviour
        if not register.device & 0x40:
            self.link.violate(Rule.LBA_BIT)
        if self.asleep:
            self.fail(fis.ABRT, behaviour.command_latency)
            return False
        if self.command in EXT:
            self.count = register.count or 65536
        else:
            self.lba = register.lba28
            self.count = register.count & 0xFF or 256
        self.lba, self.count = self.lba * self.blocks, self.count * self.blocks
        if self.lba + self.count > self.sectors:
            self.fail(fis.IDNF, behaviour.command_latency, max(self.lba, self.sectors))
            return False
        if self._use("reject_command"):
            self.fail(latency=behaviour.command_latency)
            return False
        if self.injector.armed and (fault := self.injector.due("abort")):
            self.conclude(fault.value, fault.error, behaviour.command_latency,
                         self.lba // self.blocks)
            return False
        return True

    def _data_command(self, register):
        behaviour = self.behaviour
        if not self._begin_data(register):
            return
        self.total = self.count * 128
        if self.command in READS:
            self.total += behaviour.extra_data - behaviour.short_data
            self.medium.begin_read(self.link.now, self.lba, self.count)
            self._next_read(behaviour.command_latency)
        else:
            self._begin_write()

    def _begin_write(self):
        """Requests the first data of a write."""
        self._activate(self.behaviour.command_latency, self.medium.begin_write(
            self.link.now, self.lba, self._next_size(), self._splits()))

    def _splits(self):
        """Whether the command in flight begins or ends within a physical sector."""
        size = (self.unit["physical_sector"] or 512 * self.blocks) // 512
        offset = self.blocks * self.unit["alignment"]
        return any((at + offset) % size for at in (self.lba, self.lba + self.count))

    def _limit(self):
        """Dwords before the failing sector, None when this command does not touch one."""
        fail = self.behaviour.fail_lba
        if fail is None or not self.lba <= fail < self.lba + self.count:
            return None
        return (self._bad_sector() - self.lba) * 128

    def _bad_sector(self):
        """The first sector of the logical one that fails; 0 without one."""
        fail = self.behaviour.fail_lba or 0
        return fail - fail % self.blocks

    def _fails_here(self):
        """Whether the next Data FIS is not wanted any more because of a fault."""
        return (self.behaviour.fail_after_data == self.fis_index and self.fis_index > 0
                or self._limit() is not None and self.position >= self._limit())

    def _next_size(self):
        """Dwords of the Data FIS that a write is given next, 0 at the end."""
        return min(fis.MAX_DATA_DWORDS, self.total - self.position)

    def _activate(self, latency, wait):
        if "activate" not in self.behaviour.mute:
            self.enqueue(fis.dma_activate(), latency, "activate", wait=wait)

    def _next_read(self, latency):
        behaviour = self.behaviour
        if self._fails_here():
            self.fail(latency=behaviour.completion_latency, lba=self._bad_sector())
            return
        if "data" in behaviour.mute:
            return
        size = min(pick(self.rng, behaviour.data_fis_dwords), self.total - self.position)
        limit = self._limit()
        if limit is not None:
            size = min(size, limit - self.position)
        data = self._payload(size)
        options = {}
        for fault, vanish in ((behaviour.escape_read, False), (behaviour.stuck_read, True)):
            if fault and fault[0] == self.fis_index:
                options.update(stop_at=fault[1] + 2, vanish=vanish)
        if behaviour.bad_data_crc == self.fis_index:
            behaviour.bad_data_crc = None
            options["damage"] = 0x80000000
        wait, holds = self.medium.next_read(self.link.now, size)
        self.enqueue(fis.data(data), latency, "data", wait=wait,
                    holds=self._underruns(size) + holds, **options)

    def _payload(self, size):
        """The next ``size`` dwords of a read; zeros beyond what was requested."""
        inside = max(0, min(size, self.count * 128 - self.position))
        return self.image.read(self.lba * 512 + self.position * 4, inside * 4).ljust(4 * size,
                                                                                     b"\0")

    def _store(self, data):
        """The next data of a write have come."""
        self.settle(self.lba + self.position // 128, -(-len(data) // 512))
        self.image.write(self.lba * 512 + self.position * 4, data)

    def settle(self, lba, sectors):
        """The image hears what has reached the medium before these sectors are written."""
        for first, count in self.medium.settled(self.link.now, lba, sectors):
            self.image.flush(first, count)

    def _took(self, dwords):
        """A Data FIS of the host was taken: dwords until the next DMA Activate."""
        return self.medium.wrote(self.link.now, dwords, self._next_size())

    def _gave(self, dwords):
        """A Data FIS has gone to the host."""
        self.medium.sent(self.link.now, dwords)

    def _finish(self, latency, wait=0):
        """All data have been moved."""
        self.conclude(self.behaviour.good_status, 0, latency, wait=wait)

    def _identify(self):
        behaviour = self.behaviour
        if self._use("abort_identify"):
            self.fail(fis.ABRT, behaviour.identify_latency)
        elif "identify" not in behaviour.mute:
            self.pio, self.total = True, 128
            self.data = self.page
            if self._use("corrupt_identify"):
                self.data = self.page[:-1] + bytes([self.page[-1] ^ 0xFF])
            self._next_pio()

    def _next_pio(self):
        behaviour = self.behaviour
        self.moving = min(pick(self.rng, behaviour.pio_dwords), self.total - self.position)
        last = self.position + self.moving == self.total
        self.enqueue(fis.pio_setup(0x58, 0x50 if last else 0xD0, 4 * self.moving),
                    behaviour.identify_latency, "pio setup")
