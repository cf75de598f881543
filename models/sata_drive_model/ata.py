"""The drive above its link: FISes and ATA commands (ATA8-ACS; Serial ATA Revision 3.x, device
command layer)."""

from typing import NamedTuple

from . import fis
from .behaviour import NEVER, Behaviour, pick
from .frame import Frame
from .identify import identify_page
from .link import DEAD
from .medium import Instant
from .sender import Sender

READ_DMA, WRITE_DMA, READ_DMA_EXT, WRITE_DMA_EXT = 0xC8, 0xCA, 0x25, 0x35
FLUSH_CACHE, FLUSH_CACHE_EXT, IDENTIFY_DEVICE = 0xE7, 0xEA, 0xEC
_EXT = (READ_DMA_EXT, WRITE_DMA_EXT)
_READS = (READ_DMA, READ_DMA_EXT)
_WRITES = (WRITE_DMA, WRITE_DMA_EXT)
_RESENDS = 8    # attempts for a non-data FIS before the drive gives the command up


class Completed(NamedTuple):
    """One command that got its status."""

    command: int
    lba: int
    sectors: int
    status: int
    error: int


class Drive(Sender):
    """FIS and command level of a drive without queueing.

    Parameters: ``image`` where the data are; ``behaviour``; ``medium`` a `Medium` that gives the
    timing of a drive, None answers at once; IDENTIFY strings ``model`` (40), ``serial`` (20),
    ``firmware`` (8 characters); ``lba48`` 48-bit commands; ``dma``, ``lba`` capabilities;
    ``logical_sector`` bytes; ``atapi`` gives the signature of a packet device. ``model`` and
    ``lba48`` default to those of the medium's profile. Members: ``completed`` list of
    ``Completed``, ``data_fises`` counted both ways.
    """

    def __init__(self, image, *, behaviour=None, medium=None, model=None, serial="SN0001",
                 firmware="1.0", lba48=None, dma=True, lba=True, logical_sector=512, atapi=False):
        super().__init__(behaviour or Behaviour())
        self.image = image
        self.medium = medium or Instant()
        profile = self.medium.profile
        if model is None:
            model = profile.model if profile else "SATA DRIVE MODEL"
        if lba48 is None:
            lba48 = profile.lba48 if profile else True
        self.lba48 = lba48
        self.dma = dma
        self.atapi = atapi
        self.sectors = image.sectors
        if not lba48:
            self.sectors = min(self.sectors, 0x0FFFFFFF)
        self.page = identify_page(sectors=self.sectors * 512 // logical_sector, model=model,
                                  serial=serial, firmware=firmware, lba48=lba48, dma=dma, lba=lba,
                                  logical_sector=logical_sector,
                                  speeds=profile.generation if profile else 3)
        self.completed = []
        self.data_fises = 0
        self.reset()

    def attach(self, link, rng):
        """Join the drive to its link layer and the random numbers."""
        super().attach(link, rng)
        self.medium.power_on()

    def reset(self):
        """COMRESET: the command in flight is forgotten."""
        self.command = None         # of the command in flight
        self.lba = 0
        self.count = 0
        self.position = 0           # dwords moved
        self.total = 0              # dwords to move
        self.fis_index = 0          # Data FISes of this command so far
        self.expecting = False      # a DMA Activate is out
        self.ready = False          # the signature has been sent
        self.medium.reset()

    def link_up(self):
        """Communication is established: the signature follows."""
        self.reset()
        if "link" in self.behaviour.mute:
            self.link.state = DEAD
        if "signature" not in self.behaviour.mute:
            self.command = "signature"
            self._queue(self._signature(), self.behaviour.signature_latency, "signature",
                        extras=False)

    def _signature(self):
        if self.atapi:
            return fis.register_d2h(0x00, 0x01, 0xEB1401, 1, device=0)
        return fis.register_d2h(self.behaviour.good_status, 0x01, 0x000001, 1, device=0)

    def _status(self, status, error=0, latency=0, lba=0, wait=0):
        """Final Register D2H, with the copies and forerunners the behaviour asks for."""
        behaviour = self.behaviour
        self.expecting = False
        if "status" in behaviour.mute:
            return
        for _ in range(behaviour.busy_status_fises):
            self._queue(fis.register_d2h(0xD0), latency, "busy", wait=wait)
        data = fis.register_d2h(status, error, lba)
        self.result = Completed(self.command, self.lba, self.count, status, error)
        self._queue(data, latency, "status", wait=wait)
        for _ in range(behaviour.repeated_status_fises):
            self.link.send(Frame(data, self.link.now, tag="copy"))

    def _fail(self, error=None, latency=0, lba=0):
        behaviour = self.behaviour
        if error is None:
            self._status(behaviour.fail_status, behaviour.fail_error, latency, lba)
        else:
            self._status(fis.DRDY | 0x10 | fis.ERR, error, latency, lba)

    def _link_error(self):
        """A Data FIS was lost on the way: the command ends with ICRC and ABRT."""
        self.medium.reset()
        self._fail(fis.ICRC | fis.ABRT)

    # Commands -------------------------------------------------------------------------------------

    def _execute(self, register):
        behaviour = self.behaviour
        command = self.command = register.command
        # What was still queued belongs to the last command.
        self.link.queue = [frame for frame in self.link.queue if frame.words is None]
        self.position = self.total = self.fis_index = 0
        self.lba, self.count = register.lba, register.count
        if "command" in behaviour.mute:
            return
        if self.atapi:
            self._status(fis.DRDY | fis.ERR, fis.ABRT, behaviour.other_latency, 0xEB1401)
        elif command == IDENTIFY_DEVICE:
            self._identify()
        elif command == FLUSH_CACHE or command == FLUSH_CACHE_EXT and self.lba48:
            self._status(behaviour.good_status, 0, behaviour.flush_latency,
                         wait=self.medium.flush(self.link.now))
        elif command in _READS + _WRITES and self.dma and (self.lba48 or command not in _EXT):
            self._data_command(register)
        else:
            self._fail(fis.ABRT, behaviour.other_latency)

    def _data_command(self, register):
        behaviour = self.behaviour
        if not register.device & 0x40:
            self.link.violate("data command without the LBA bit in the device register")
        if self.command in _EXT:
            self.count = register.count or 65536
        else:
            self.lba = register.lba28
            self.count = register.count & 0xFF or 256
        if self.lba + self.count > self.sectors:
            self._fail(fis.IDNF, behaviour.command_latency, max(self.lba, self.sectors))
            return
        if self._use("reject_command"):
            self._fail(latency=behaviour.command_latency)
            return
        self.total = self.count * 128
        if self.command in _READS:
            self.total += behaviour.extra_data - behaviour.short_data
            self.medium.begin_read(self.link.now, self.lba)
            self._next_read(behaviour.command_latency)
        else:
            self._activate(behaviour.command_latency, self.medium.begin_write(
                self.link.now, self.lba, self._next_size()))

    def _limit(self):
        """Dwords before the failing sector, None when this command does not touch one."""
        fail = self.behaviour.fail_lba
        if fail is None or not self.lba <= fail < self.lba + self.count:
            return None
        return (fail - self.lba) * 128

    def _fails_here(self):
        """Whether the next Data FIS is not wanted any more because of a fault."""
        return (self.behaviour.fail_after_data == self.fis_index and self.fis_index > 0
                or self._limit() is not None and self.position >= self._limit())

    def _next_size(self):
        """Dwords of the Data FIS that a write is given next, 0 at the end."""
        return min(fis.MAX_DATA_DWORDS, self.total - self.position)

    def _activate(self, latency, wait):
        if "activate" not in self.behaviour.mute:
            self._queue(fis.dma_activate(), latency, "activate", wait=wait)

    def _next_read(self, latency):
        behaviour = self.behaviour
        if self._fails_here():
            self._fail(latency=behaviour.completion_latency, lba=behaviour.fail_lba or 0)
            return
        if "data" in behaviour.mute:
            return
        size = min(pick(self.rng, behaviour.data_fis_dwords), self.total - self.position)
        limit = self._limit()
        if limit is not None:
            size = min(size, limit - self.position)
        inside = max(0, min(size, self.count * 128 - self.position))
        data = self.image.read(self.lba * 512 + self.position * 4, inside * 4) + bytes(4 * (size -
                               inside))
        options = {}
        for fault, vanish in ((behaviour.escape_read, False), (behaviour.stuck_read, True)):
            if fault and fault[0] == self.fis_index:
                options.update(stop_at=fault[1] + 2, vanish=vanish)
        if behaviour.bad_data_crc == self.fis_index:
            behaviour.bad_data_crc = None
            options["damage"] = 0x80000000
        wait, holds = self.medium.next_read(self.link.now, size)
        self._queue(fis.data(data), latency, "data", wait=wait,
                    holds=self._underruns(size) + holds, **options)

    def _identify(self):
        behaviour = self.behaviour
        if self._use("abort_identify"):
            self._fail(fis.ABRT, behaviour.identify_latency)
        elif "identify" not in behaviour.mute:
            self.total = 128
            self.data = self.page
            if self._use("corrupt_identify"):
                self.data = self.page[:-1] + bytes([self.page[-1] ^ 0xFF])
            self._next_pio()

    def _next_pio(self):
        behaviour = self.behaviour
        self.moving = min(pick(self.rng, behaviour.pio_dwords), self.total - self.position)
        last = self.position + self.moving == self.total
        self._queue(fis.pio_setup(0x58, 0x50 if last else 0xD0, 4 * self.moving),
                    behaviour.identify_latency, "pio setup")

    # What the link reports ------------------------------------------------------------------------

    def link_sent(self, frame, outcome):
        """A frame has been answered: True R_OK, False R_ERR, None SYNC escape by either side."""
        tag = frame.tag
        if tag is None or tag in ("power", "busy", "copy"):
            return
        if tag.startswith("bad"):
            if outcome:
                self.link.violate(f"R_OK for a FIS with a fault ({tag[5:]})")
        elif tag == "data":
            self._data_sent(len(frame.fis) // 4 - 1, outcome)
        elif not outcome:
            if frame.resends < _RESENDS:
                again = Frame(frame.fis, self.link.now, tag=tag)
                again.resends = frame.resends + 1
                self.link.queue.insert(0, again)
        elif tag == "activate":
            self.expecting = True
        elif tag == "pio setup":
            start = 4 * self.position
            self._queue(fis.data(self.data[start:start + 4 * self.moving]),
                        self.behaviour.identify_latency, "data",
                        holds=self._underruns(self.moving))
        elif tag == "status":
            self.completed.append(self.result)
            self.command = None
        elif tag == "signature":
            self.ready = True
            self.command = None

    def _data_sent(self, dwords, outcome):
        behaviour = self.behaviour
        self.data_fises += 1
        self.fis_index += 1
        if self.command == IDENTIFY_DEVICE:
            if not outcome:
                self._link_error()
                return
            self.position += dwords
            if self.position < self.total:
                self._next_pio()
            else:
                self.completed.append(Completed(self.command, 0, 0, 0x50, 0))
                self.command = None
            return
        if not outcome:
            self._link_error()
            return
        self.position += dwords
        self.medium.sent(self.link.now, dwords)
        if self.position < self.total:
            self._next_read(behaviour.data_latency)
        else:
            self._status(behaviour.good_status, 0, behaviour.completion_latency,
                         wait=self.medium.end_read(self.link.now))

    def link_plan_receive(self):
        """X_RDY came: delay of R_RDY, or None for a collision (the first queued frame starts
        now)."""
        behaviour = self.behaviour
        if self._chance(behaviour.collision) and self.ready:
            queue = self.link.queue
            if not queue or queue[0].ready_at > self.link.now or queue[0].words is None:
                queue.insert(0, Frame(fis.set_device_bits(behaviour.good_status), self.link.now))
            return None
        if "r_rdy" in behaviour.mute:
            return NEVER
        return pick(self.rng, behaviour.r_rdy_delay)

    def link_plan_frame(self):
        """SOF came: set the link's HOLD places and faults for this frame."""
        behaviour, link = self.behaviour, self.link
        link.escape_at = link.stuck_at = link.dmat_at = NEVER
        link.holds = self._pattern(behaviour.throttle, fis.MAX_DATA_DWORDS + 2)
        if not self.expecting:
            if self._use("escape_command"):
                link.escape_at = 2
            return
        link.holds += behaviour.throttle_at
        link.holds += self.medium.plan_frame(link.now, self._next_size())
        for name, attribute in (("escape_write", "escape_at"), ("stuck_write", "stuck_at"),
                                ("dmat_data", "dmat_at")):
            fault = getattr(behaviour, name)
            if fault and fault[0] == self.fis_index:
                setattr(link, attribute, fault[1])

    def link_aborted(self, dwords):
        """A frame from the host ended in SYNC, sent by either side, after ``dwords``."""
        if self.expecting:
            self.expecting = False
            self._link_error()

    def link_received(self, data, good):
        """A frame with its EOF: (R_OK or R_ERR, delay of the answer)."""
        behaviour = self.behaviour
        delay = NEVER if "r_ok" in behaviour.mute else pick(self.rng, behaviour.r_ok_delay)
        kind = data[0] if data else 0
        if kind == fis.DATA and (self.expecting or not good):
            return self._data_received(data, good), delay
        if not good:
            return False, delay
        if kind != fis.REGISTER_H2D or len(data) != 20:
            self.link.violate(f"unexpected FIS {kind:02X}h of {len(data) // 4} dwords")
            return False, delay
        register = fis.parse_register_h2d(data)
        if self._use("refuse_command"):
            return False, delay
        if not register.update:
            self.link.violate("Register H2D FIS without the C bit")
            return True, delay
        if self.command is not None:
            self.link.violate(f"command {register.command:02X}h while one is in flight")
        self._execute(register)
        return True, delay

    def _data_received(self, data, good):
        behaviour = self.behaviour
        if not self.expecting:
            return False
        size = len(data) // 4 - 1
        if good and not 1 <= size <= min(fis.MAX_DATA_DWORDS, self.total - self.position):
            self.link.violate(f"Data FIS of {size} dwords, {self.total - self.position} wanted")
            good = False
        self.expecting = False
        index = self.fis_index
        self.fis_index += 1
        self.data_fises += 1
        if not good or behaviour.refuse_data == index:
            if good:
                behaviour.refuse_data = None
            self._link_error()
            return False
        limit = self._limit()
        keep = size if limit is None else max(0, min(size, limit - self.position))
        self.image.write(self.lba * 512 + self.position * 4, data[4:4 + 4 * keep])
        self.position += size
        wait = self.medium.wrote(self.link.now, size, self._next_size())
        if self._fails_here() or limit is not None and self.position > limit:
            self._fail(latency=behaviour.completion_latency, lba=behaviour.fail_lba or 0)
        elif self.position < self.total:
            self._activate(behaviour.activate_latency, wait)
        else:
            self._status(behaviour.good_status, 0, behaviour.completion_latency,
                         wait=self.medium.end_write(self.link.now))
        return True

    # Idle time ------------------------------------------------------------------------------------

    def link_idle(self, over=False):
        """Dwords of idle time after which the drive speaks by itself; ``over`` when they have
        passed."""
        behaviour = self.behaviour
        if over and self.ready:
            bits = behaviour.set_device_bits_idle != NEVER
            if bits and (behaviour.pm_request_idle == NEVER or self.rng.random() < 0.5):
                self.link.send(Frame(fis.set_device_bits(behaviour.good_status), self.link.now))
            else:
                self.link.send(self._power_request(self.link.now))
        return max(1, min(pick(self.rng, behaviour.set_device_bits_idle),
                          pick(self.rng, behaviour.pm_request_idle)))
