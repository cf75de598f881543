"""The drive above its link: FISes and ATA commands (ATA8-ACS; Serial ATA Revision 3.x, device
command layer)."""

from collections import deque
from random import Random
from typing import Any

from ..behaviour import NEVER, Behaviour, pick
from ..link.frame import Frame
from ..link.states import DEAD
from ..medium.medium import Instant
from ..protocol import fis
from ..protocol.rules import Rule
from .commands import Completed
from .health import Health
from .identify import identify_page
from .maintenance import MaintenanceCommands
from .opcodes import SLEEP, WRITE_DMA_FUA_EXT
from .settings import PowerUp, Settings

_RECENT = 1024  # commands that are remembered
_RESENDS = 8    # attempts for a non-data FIS before the drive gives the command up


class Drive(MaintenanceCommands):
    """FIS and command level of a drive without queueing.

    Parameters: ``image`` where the data are; ``behaviour``; ``medium`` a `Medium` that gives the
    timing of a drive, None answers at once; IDENTIFY strings ``model`` (40), ``serial`` (20),
    ``firmware`` (8 characters); ``wwn`` the World Wide Name of 64 bits or None; ``lba48`` 48-bit
    commands; ``dma``, ``lba`` capabilities; ``logical_sector`` bytes, a multiple of 512;
    ``physical_sector`` bytes, None where both are the same, and ``alignment`` of LBA 0 in a physical
    sector, in logical ones; ``atapi`` gives the signature of a packet device; ``fua`` the drive has
    WRITE DMA FUA EXT; ``general`` word 0 of its IDENTIFY DEVICE data, such as 848Ah for a CFast card;
    ``power_up`` a `PowerUp`: the drive has Power-Up In Standby; ``health`` a `Health`: it then has SMART,
    logs, TRIM, APM and a buffer; ``locked`` by ATA Security, so that it aborts what touches the medium.
    ``model``, ``lba48``, ``fua`` and ``physical_sector`` default to those of the medium's profile. Image,
    behaviour, medium and faults count sectors of 512 bytes, however long the logical ones are. Members:
    ``sectors`` of 512 bytes that commands reach, whole logical ones; ``completed`` the latest 1024
    commands, each a ``Completed``; ``unit`` what it reports about itself; ``data_fises`` in both directions.
    Raises ``ValueError`` for a ``logical_sector`` that is no multiple of 512, or more than the image,
    and for a shorter ``physical_sector``.
    """

    def __init__(self, image: Any, *, behaviour: Behaviour | None = None, medium: Instant | None = None,
                 model: str | None = None, serial: str = "SN0001", firmware: str = "1.0", lba48: bool | None = None,
                 dma: bool = True, lba: bool = True, logical_sector: int = 512, atapi: bool = False,
                 wwn: int | None = None, health: Health | None = None, physical_sector: int | None = None,
                 alignment: int = 0, fua: bool | None = None, general: int = 0x0040,
                 power_up: PowerUp | None = None, locked: bool = False) -> None:
        super().__init__(behaviour or Behaviour())
        self.image = image
        self.medium = medium or Instant()
        profile = self.medium.profile
        if model is None:
            model = profile.model if profile else "SATA DRIVE MODEL"
        if lba48 is None:
            lba48 = profile.lba48 if profile else True
        if fua is None:
            fua = profile is not None and profile.fua
        if physical_sector is None and profile and profile.physical_sector > logical_sector:
            physical_sector = profile.physical_sector
        self.lba48 = lba48
        self.dma = dma
        self.atapi = atapi
        self.health = health
        self.locked = locked
        self.buffer = bytes(512)    # of READ BUFFER and WRITE BUFFER
        self.blocks = logical_sector // 512     # sectors of 512 bytes in a logical one
        if logical_sector != 512 * self.blocks or not self.blocks or image.sectors < self.blocks:
            raise ValueError(f"drive: logical_sector = {logical_sector}: must be a multiple of 512, "
                             f"and no more than the image of {image.sectors} sectors of 512 bytes")
        if physical_sector is not None and physical_sector < logical_sector:
            raise ValueError(f"drive: physical_sector = {physical_sector}: must be at least "
                             f"logical_sector, {logical_sector}")
        sectors = image.sectors // self.blocks
        if not lba48:
            sectors = min(sectors, 0x0FFFFFFF)
        self.sectors = sectors * self.blocks
        self.unit = {"model": model, "serial": serial, "firmware": firmware, "lba48": lba48,
                      "dma": dma, "lba": lba, "logical_sector": logical_sector, "atapi": atapi,
                      "wwn": wwn, "physical_sector": physical_sector, "alignment": alignment,
                      "fua": fua and lba48, "general": general, "power_up": power_up}
        self.asleep = power_up is not None and power_up.asleep
        self.dead = 0               # resets after which it stays silent
        self.settings = None
        self.altered = False        # it is like another one except for its identity
        self.completed = deque(maxlen=_RECENT)
        self.data_fises = 0
        self.reset()

    def renew_page(self) -> None:
        """Writes the IDENTIFY DEVICE data again: something in them was set."""
        unit = {name: value for name, value in self.unit.items() if name != "atapi"}
        profile = self.medium.profile
        self.page = identify_page(sectors=self.sectors // self.blocks, settings=self.settings,
                                  speeds=profile.generation if profile else 3,
                                  health=self.health, asleep=self.asleep, locked=self.locked, **unit)

    def attach(self, link: Any, rng: Random) -> None:
        """Join the drive to its link layer and the random numbers."""
        super().attach(link, rng)
        self.medium.power_on()

    def reset(self) -> None:
        """COMRESET: the command in flight is forgotten."""
        self.command = None         # opcode of the command in flight
        self.lba = 0
        self.count = 0
        self.position = 0           # dwords moved
        self.total = 0              # dwords to move
        self.pio = False            # ... by PIO
        self.block = 0              # dwords of a block of sectors by PIO
        self.fis_index = 0          # Data FISes of this command so far
        self.expecting = False      # a DMA Activate is out
        self.ready = False          # the signature has been sent
        if self.settings != Settings():
            self.settings = Settings()
            self.renew_page()
        self.medium.reset()

    def die(self, resets: int) -> None:
        """Nothing but SYNC comes from now on, and after ``resets`` - 1 resets, too."""
        self.link.state = DEAD
        self.link.event_at = 0
        self.dead = resets - 1

    def power_off(self) -> None:
        """The power fails: what the cache had not written may be gone."""
        if self.link is not None:
            self.settle(0, 0)
        self.image.power_off()
        self.medium.power_off()
        if self.health is not None:
            self.health.power_cycles += 1
        self.dead = 0
        if self.unit["power_up"] is not None:
            self.asleep = self.unit["power_up"].asleep
            self.renew_page()
        self.reset()

    def other(self, image: Any, **changes: Any) -> "Drive":
        """Another drive of the same behaviour, with ``image``; all else is the same except for the
        ``changes``, parameters of a drive."""
        health = None if self.health is None else Health()
        return Drive(image, behaviour=self.behaviour, medium=self.medium,
                     **self.unit | {"health": health} | changes)

    def link_up(self):
        """Communication is established: the signature follows."""
        self.reset()
        if "link" in self.behaviour.mute or self.dead:
            self.dead = max(0, self.dead - 1)
            self.link.state = DEAD
            return
        if "signature" not in self.behaviour.mute:
            self.command = "signature"
            self.enqueue(self._signature(), self.behaviour.signature_latency, "signature",
                        extras=False)

    def _signature(self):
        if self.atapi:
            return fis.register_d2h(0x00, 0x01, 0xEB1401, 1, device=0)
        return fis.register_d2h(self.behaviour.good_status, 0x01, 0x000001, 1, device=0)

    # What the link reports ------------------------------------------------------------------------

    def link_sends(self, frame):
        """A frame begins to go out: what its status states is done."""
        if frame.tag == "status" and self._flushes():
            self.image.flush()
        elif frame.tag == "status" and self.command == WRITE_DMA_FUA_EXT:
            self.image.flush(self.lba, self.count)

    def link_sent(self, frame, outcome):
        """A frame has been answered: True R_OK, False R_ERR, None SYNC escape by either side."""
        tag = frame.tag
        if tag is None or tag in ("power", "busy", "copy"):
            return
        if tag == "storm":
            self.link.send(Frame(frame.fis, self.link.now, tag=tag))
            return
        if tag.startswith("bad"):
            if outcome:
                self.link.violate(Rule.ACCEPTED_FAULT, tag[5:])
        elif tag == "data":
            self._data_sent(len(frame.fis) // 4 - 1 - frame.extra, outcome)
        elif not outcome:
            if frame.resends < _RESENDS:
                again = Frame(frame.fis, self.link.now, tag=tag)
                again.resends = frame.resends + 1
                self.link.queue.insert(0, again)
        elif tag == "activate":
            self.expecting = True
        elif tag == "pio setup":
            start = 0 if self.block else 4 * self.position
            self.enqueue(fis.data(self.data[start:start + 4 * self.moving]),
                        self.behaviour.identify_latency, "data",
                        holds=self._underruns(self.moving))
        elif tag == "status":
            self.completed.append(self.result)
            if self.command == SLEEP and not self.result.error:
                self.die(1)         # until COMRESET
            self.command = None
        elif tag == "signature":
            self.ready = True
            self.command = None

    def _data_sent(self, dwords, outcome):
        behaviour = self.behaviour
        self.data_fises += 1
        self.fis_index += 1
        if self.pio:
            if not outcome:
                self._link_error()
                return
            self.position += dwords
            if self.block:
                self._gave(dwords)
            if self.position < self.total:
                self._next_pio()
            else:
                where = (self.lba, self.count) if self.block else (0, 0)
                self.completed.append(Completed(self.command, *where, 0x50, 0))
                self.command = None
            return
        if not outcome:
            self._link_error()
            return
        self.position += dwords
        self._gave(dwords)
        if self.position < self.total:
            self._next_read(behaviour.data_latency)
        else:
            self._finish(behaviour.completion_latency, self.medium.end_read(self.link.now))

    def link_plan_receive(self):
        """X_RDY came: delay of R_RDY, or None for a collision (the first queued frame starts
        now)."""
        behaviour = self.behaviour
        if self._chance(behaviour.collision) and self.ready:
            queue = self.link.queue
            if not queue or queue[0].ready_at > self.link.now or queue[0].words is None:
                queue.insert(0, Frame(fis.set_device_bits(behaviour.good_status), self.link.now))
            return None
        if "r_rdy" in behaviour.mute or self.injector.armed and self.injector.due("unready"):
            return NEVER
        return pick(self.rng, behaviour.r_rdy_delay)

    def link_plan_frame(self):
        """SOF came: set the link's HOLD places and faults for this frame."""
        behaviour, link = self.behaviour, self.link
        link.escape_at = link.stuck_at = link.dmat_at = NEVER
        link.holds = self._pattern(behaviour.throttle, fis.MAX_DATA_DWORDS + 2)
        if self.injector.armed:
            self.injector.plan(link, "data" if self.expecting else "register h2d")
        if not self.expecting:
            if self._use("escape_command"):
                link.escape_at = 2
            return
        link.holds += behaviour.throttle_at
        link.holds += self.medium.plan_frame(link.now, self._next_size())
        link.give_up(escape_at=self._place(behaviour.escape_write),
                     stuck_at=self._place(behaviour.stuck_write),
                     dmat_at=self._place(behaviour.dmat_data))

    def _place(self, fault):
        """The dword of a fault (Data FIS, dword) of a behaviour if it is of this Data FIS."""
        return fault[1] if fault and fault[0] == self.fis_index else None

    def link_aborted(self, dwords):
        """A frame from the host ended without EOF after ``dwords``: in SYNC, sent by either side,
        or in WTRM."""
        if self.expecting:
            self.expecting = False
            self._link_error()

    def link_received(self, data, good):
        """A frame with its EOF: (R_OK or R_ERR, delay of the answer)."""
        behaviour = self.behaviour
        delay = NEVER if "r_ok" in behaviour.mute else pick(self.rng, behaviour.r_ok_delay)
        kind = data[0] if data else 0
        refused = False
        if self.injector.armed:
            name = "data" if self.expecting else "register h2d"
            refused = self.injector.due("refused", name) is not None
            if self.injector.due("unanswered", name):
                delay = NEVER
        if kind == fis.DATA and (self.expecting or not good):
            return self._data_received(data, good, refused), delay
        if not good:
            return False, delay
        if kind != fis.REGISTER_H2D or len(data) != 20:
            self.link.violate(Rule.FIS, f"{kind:02X}h of {len(data) // 4} dwords")
            return False, delay
        register = fis.parse_register_h2d(data)
        if refused or self._use("refuse_command"):
            return False, delay
        if not register.update:
            self.link.violate(Rule.COMMAND_BIT)
            return True, delay
        if self.command is not None:
            self.link.violate(Rule.COMMAND_IN_FLIGHT, f"{register.command:02X}h")
        self._execute(register)
        return True, delay

    def _data_received(self, data, good, refused):
        behaviour = self.behaviour
        if not self.expecting:
            return False
        size = len(data) // 4 - 1
        wanted = self._next_size()
        if good and not (wanted if self.block else 1) <= size <= wanted:
            self.link.violate(Rule.DATA_LENGTH,
                              f"{size} dwords, {self.total - self.position}")
            good = False
        self.expecting = False
        index = self.fis_index
        self.fis_index += 1
        self.data_fises += 1
        if not good or refused or behaviour.refuse_data == index:
            if good and not refused:
                behaviour.refuse_data = None
            self._link_error()
            return False
        limit = self._limit()
        keep = size if limit is None else max(0, min(size, limit - self.position))
        self._store(data[4:4 + 4 * keep])
        self.position += size
        wait = self._took(size)
        if self._fails_here() or limit is not None and self.position > limit:
            self.fail(latency=behaviour.completion_latency, lba=self._bad_sector())
        elif self.position < self.total:
            self._activate(behaviour.activate_latency, wait)
        else:
            self._finish(behaviour.completion_latency, self.medium.end_write(self.link.now))
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
