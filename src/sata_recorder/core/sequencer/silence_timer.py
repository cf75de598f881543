"""The end of a wait for the drive in bring-up or in a command; a recovery has its own timers."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .bring_up import PAUSE_BITS
from .phase import Phase
from .timer import CLOCKS_BITS, Timer

__all__ = ["SilenceTimer"]


class SilenceTimer(wiring.Component):
    """Reports when the drive has been silent for too long, with one timer for bring-up and commands.

    Parameters
    ----------
    signature, identify, command, flush : int       Clocks that the drive may be silent before its
                            signature or in SET FEATURES, in IDENTIFY DEVICE, in a data command and in FLUSH CACHE.

    Members
    -------
    usable : In(1)          The drive has been brought up: the commands of an operation are timed.
                            While it is low, the signature and IDENTIFY DEVICE are.
    waits : In(1)           While ``usable`` is low: a pause begins, or the wait for the signature,
                            IDENTIFY DEVICE or SET FEATURES.
    pause : In(7)           A clock after ``waits``: the length of the pause in ticks of ``identify``, see
                            :class:`.timer.Timer`; 0: it is no pause.
    identifying : In(1)     IDENTIFY DEVICE is in flight.
    phase : In(Phase)       Which command of an operation is in flight.
    between : In(1)         What comes between two data commands is in flight.
    patient : In(1)         With ``between``: the drive has the time of FLUSH CACHE for it.
    done : In(1)            A command has ended: the next one may begin in this clock.
    clocks : In(32)         A count of clocks that never stops.
    pausing : In(1)         No command is in flight but the pause between two.
    progress : In(1)        The command got further, or it waits for the user.
    expired : Out(1)        The drive has been silent for too long.
    """

    def __init__(self, *, signature, identify, command, flush):
        self._limits = [signature, identify, command, flush]
        super().__init__({
            "usable": In(1), "waits": In(1), "pause": In(PAUSE_BITS), "identifying": In(1),
            "phase": In(Phase), "done": In(1), "pausing": In(1),
            "progress": In(1), "expired": Out(1), "between": In(1), "patient": In(1),
            "clocks": In(CLOCKS_BITS),
        })

    def elaborate(self, platform):
        m = Module()
        signature, identify, command, flush = range(4)
        m.submodules.timer = timer = Timer(self._limits)
        patient = self.phase.flushes | (self.between & self.patient)
        flies = self.phase.moves | self.phase.flushes | self.between
        # What restarts it is known late in a clock: the timer starts again in the next one, in which a command that
        # has begun is in flight.
        restart = Signal()
        m.d.comb += [
            timer.clocks.eq(self.clocks), timer.restart.eq(restart), self.expired.eq(timer.expired & ~restart),
        ]
        with m.If(self.usable):
            m.d.comb += timer.select.eq(Mux(patient, flush, command))
            m.d.sync += restart.eq(self.done | self.pausing | ~flies | self.progress)
        with m.Else():
            m.d.comb += [
                # A pause is counted in ticks of the limit of IDENTIFY DEVICE.
                timer.select.eq(Mux(self.identifying | (self.pause != 0), identify, signature)),
                timer.ticks.eq(self.pause),
            ]
            m.d.sync += restart.eq(self.waits | (self.identifying & self.progress))
        return m
