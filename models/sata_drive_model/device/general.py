"""The commands of the General and the Power Management feature set that move no data by DMA
(ATA8-ACS)."""

from ..protocol import fis
from . import opcodes
from .commands import Commands
from .settings import ACTIVE_MODE, IDLE_MODE, MAX_MULTIPLE, SPIN_UP, STANDBY_MODE


class GeneralCommands(Commands):
    """Executes data by PIO, READ VERIFY, settings and power modes; all else is `Commands`'.

    ``locked``, it aborts what a drive that is locked by ATA Security does. The standby timer of STANDBY and IDLE is
    taken, and never runs out. ``settings`` and ``page``
    are the drive's.
    """

    locked = False

    def dispatch(self, register):
        command = register.command
        answer = _ANSWERS.get(command)
        if self.locked and command in opcodes.NOT_LOCKED:
            self.fail(fis.ABRT, self.behaviour.command_latency)
        elif answer and not self.atapi and (self.lba48 or command not in opcodes.EXT):
            answer(self, register)
        else:
            super().dispatch(register)

    def _done(self, count=0, wait=0):
        """Good status of a command without data."""
        good = self.behaviour.good_status
        self.conclude(good, 0, self.behaviour.other_latency, wait=wait,
                     sent=fis.register_d2h(good, 0, 0, count))

    def _set(self, known):
        """The end of a command that sets something, if that is ``known``."""
        if known:
            self.renew_page()
            self._done()
        else:
            self.fail(fis.ABRT, self.behaviour.other_latency)

    # Data by PIO ----------------------------------------------------------------------------------

    def _pio_data(self, register):
        multiple = register.command in opcodes.MULTIPLES
        if multiple and not self.settings.multiple:
            self.fail(fis.ABRT, self.behaviour.command_latency)
        elif self._begin_data(register):
            self.block = 128 * self.blocks * (self.settings.multiple if multiple else 1)
            self.total = self.count * 128
            self.pio = True
            if register.command in opcodes.PIO_READS:
                self.medium.begin_read(self.link.now, self.lba, self.count)
                self._next_pio()
            else:
                self._begin_write()

    def _next_size(self):
        """Dwords of the Data FIS that a write is given next: one block, by PIO."""
        size = super()._next_size()
        return min(size, self.block) if self.block else size

    def _activate(self, latency, wait):
        """Requests the next Data FIS: PIO Setup where the data come by PIO."""
        if not self.block:
            super()._activate(latency, wait)
        elif "activate" not in self.behaviour.mute:
            setup = fis.pio_setup(0x58, 0xD0, 4 * self._next_size(), to_host=False,
                                  interrupt=self.position > 0)
            self.enqueue(setup, latency, "activate", wait=wait)

    def _next_pio(self):
        """The next block to the host."""
        behaviour = self.behaviour
        if not self.block:
            super()._next_pio()
        elif self._fails_here():
            self.fail(latency=behaviour.completion_latency, lba=self._bad_sector())
        else:
            self.moving, limit = self._next_size(), self._limit()
            if limit is not None:
                self.moving = min(self.moving, limit - self.position)
            self.data = self.image.read(512 * self.lba + 4 * self.position, 4 * self.moving)
            last = self.position + self.moving == self.total
            wait, _ = self.medium.next_read(self.link.now, self.moving)
            latency = behaviour.data_latency if self.position else behaviour.command_latency
            self.enqueue(fis.pio_setup(0x58, behaviour.good_status if last else 0xD0,
                                      4 * self.moving), latency, "pio setup", wait=wait)

    def _verify(self, register):
        behaviour = self.behaviour
        if not self._begin_data(register):
            return
        if self._limit() is not None:
            self.fail(latency=behaviour.completion_latency, lba=self._bad_sector())
            return
        self.medium.begin_read(self.link.now, self.lba, self.count)
        wait, _ = self.medium.next_read(self.link.now, self.count * 128)
        self.conclude(behaviour.good_status, 0, behaviour.command_latency, wait=wait)

    # Settings and power modes ---------------------------------------------------------------------

    def _set_features(self, register):
        power_up = self.unit["power_up"]
        if register.features & 0xFF == SPIN_UP and power_up is not None:
            self._spin_up(power_up)
            return
        cached = self.settings.write_cache
        known = self.settings.set_feature(register.features & 0xFF, register.count, self.dma)
        if cached and not self.settings.write_cache:
            self.renew_page()
            self._done(wait=self.medium.flush(self.link.now))
        else:
            self._set(known)

    def _spin_up(self, power_up):
        behaviour = self.behaviour
        if power_up.answer == "abort":
            self.fail(fis.ABRT, behaviour.spin_up_latency)
            return
        if power_up.answer == "fault":
            self.conclude(fis.DRDY | fis.DF, 0, behaviour.spin_up_latency)
            return
        self.asleep = False
        self.renew_page()
        self.conclude(behaviour.good_status, 0, behaviour.spin_up_latency)

    def _set_multiple(self, register):
        fits = (register.count & 0xFF) * self.blocks <= MAX_MULTIPLE
        self._set(fits and self.settings.set_multiple(register.count & 0xFF))

    def _diagnostic(self, register):
        self.conclude(self.behaviour.good_status, 0x01, self.behaviour.other_latency,
                     sent=self._signature())

    def _check_power(self, register):
        self._done(self.settings.power)

    def _idle(self, register):
        self.settings.power = IDLE_MODE
        self._done()

    def _stop(self, register):
        self.settings.power = STANDBY_MODE
        self._done(wait=self.medium.flush(self.link.now))

    def _begin_data(self, register):
        """As of `Commands`; the medium is used, so the drive is active."""
        self.settings.power = ACTIVE_MODE
        return super()._begin_data(register)

    def _finish(self, latency, wait=0):
        """All data have been moved. Without a write cache they are on the medium first."""
        if self._flushes():
            wait = max(wait, self.medium.flush(self.link.now))
        elif self.command == opcodes.WRITE_DMA_FUA_EXT:
            wait = max(wait, self.medium.write_through(self.link.now))
        super()._finish(latency, wait)

    def _flushes(self):
        """Whether what was written is on the medium when the command in flight succeeds."""
        command = self.command
        return command in (*opcodes.FLUSHES, *opcodes.STOPS) or not self.settings.write_cache and (
            command in (*opcodes.WRITES, *opcodes.PIO_WRITES, opcodes.SET_FEATURES))


_ANSWERS = {
    **dict.fromkeys((*opcodes.PIO_READS, *opcodes.PIO_WRITES), GeneralCommands._pio_data),
    **dict.fromkeys(opcodes.VERIFIES, GeneralCommands._verify),
    opcodes.SET_FEATURES: GeneralCommands._set_features,
    opcodes.SET_MULTIPLE_MODE: GeneralCommands._set_multiple,
    opcodes.EXECUTE_DEVICE_DIAGNOSTIC: GeneralCommands._diagnostic,
    opcodes.CHECK_POWER_MODE: GeneralCommands._check_power,
    **dict.fromkeys((opcodes.IDLE, opcodes.IDLE_IMMEDIATE), GeneralCommands._idle),
    **dict.fromkeys(opcodes.STOPS, GeneralCommands._stop),
}
