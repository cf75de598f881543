"""The registers in the place of the pins."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import Out, connect, flipped

from ...interface import AXIL, BASE, GROUPS, LINK, POWER, RECORDING, BareGroup
from ...interface.face import part
from ..stage import Part, Stage, StageRow, rest
from .register_bank import RegisterBank

__all__ = ["RegisterStage"]


def _pins(group, **members):
    """Those members of ``group`` that keep their pins, next to their registers or in place of them."""
    return BareGroup(group.name, Out(wiring.Signature(members)),
                     lambda configuration: AXIL.exists(configuration) and group.exists(configuration))


#: What must not wait for a bus, or belongs to a word.
_RECORDING = _pins(RECORDING, trigger=Out(1), pps=Out(1))
_POWER = _pins(POWER, **{name: POWER.signature.members[name] for name in ("fail", "safe", "failed")})


class RegisterStage(Stage):
    """Controls what is below it through :data:`...interface.REGISTERS`, and those of its groups.

    Triggers and the pulse per second have pins, too, and so has the failure of power. Groups without registers keep
    their pins: they bypass it.

    Members
    -------
    user : In(Face)     The user, with the port of the registers.
    core : Out(Face)    What the registers control.
    """

    row = StageRow("registers", adds={AXIL, _RECORDING, _POWER},
                   takes={LINK, *BASE, *(group for group in GROUPS if group.registers)}, needs={LINK, *BASE})

    def elaborate(self, platform):
        m = Module()
        groups = [group for group in self.below if group is not LINK and group not in BASE]
        m.submodules.bank = bank = RegisterBank(*groups)
        shown, user, core = bank.user, flipped(self.user), flipped(self.core)
        connect(m, user.axil, bank.axil)
        for group in self.below:
            pins = {RECORDING: _RECORDING, POWER: _POWER}.get(group)
            owned = pins.member.signature.members if pins else ()
            connect(m, rest(part(shown, group), *owned), rest(part(core, group), *owned))
        if RECORDING in groups:
            pins, triggered = self.user.recording, Signal()
            m.d.sync += triggered.eq(pins.trigger)
            # An edge: the pin may stay high.
            m.d.comb += [core.recording.trigger.eq(shown.recording.trigger | (pins.trigger & ~triggered)),
                         core.recording.pps.eq(pins.pps)]
        if POWER in groups:
            below, pins = core.power, self.user.power
            m.d.comb += [below.fail.eq(shown.power.fail | pins.fail),
                         shown.power.safe.eq(below.safe), shown.power.failed.eq(below.failed)]
            connect(m, rest(user.power, "fail"), Part(core.power, "safe", "failed"))
        return m
