"""What a memory must carry that the core's full rate goes in and out at once: the words of both a clock.

    .venv/bin/python benchmarks/memory_rate.py

The memory of the simulation, with beats of 128 bits in some of its clocks, in one direction at a time, and without
refreshes. A recording at a word in each clock whose drive stands still at first, so that words go in and out from then
on; a command whose words go to the drive again after the link was down; and a playback.
"""

import functools
import random
from fractions import Fraction
from typing import NamedTuple

from amaranth.hdl import Signal

from sata_recorder import Configuration
from sata_recorder.bricks.stack import STAGES, stack
from sata_recorder.core.drive_port import Operation
from sata_recorder.interface import named_ports
from sata_recorder.simulation import Compiled, Event, Session, drive_package
from sata_recorder.simulation.build import Translator, compiled, rtlil
from sata_recorder.simulation.signals import controls, outputs
from sata_recorder.simulation.simulated_memory import SimulatedMemory, cells_rtlil

__all__ = ["PERIOD", "Rates", "rates_of", "words_of"]

#: Clocks after which the pauses of the memory are the same again, and words of a beat.
PERIOD, BEAT = 64, 4
_CORE = Configuration(
    clock_hz=1e6, signature_timeout=0.05, identify_timeout=0.05, command_timeout=1.0, flush_timeout=0.05,
    memory=1 << 20, memory_width=32 * BEAT, retain_sectors=512, max_command_sectors=512, retry_delay=0.001,
    recovery_timeout=0.5)
_SECTORS, _STALL, _LIMIT = 4000, 30_000, 3_000_000
#: Clocks of a link that is down: COMRESET, COMINIT and COMWAKE alone take 10 us.
_DOWN = 1000


class Rates(NamedTuple):
    """Of a recording, one with a command whose words go to the drive again, and a playback: clocks in which the memory
    was too slow; of the recordings also those in which the stream was held up, or the core throttled the drive because
    it had no words; ``replays`` of the second one, and whether all data were right."""

    waits: int
    held: int
    throttled: int
    again_held: int
    again_throttled: int
    replays: int
    play_waits: int
    right: bool


def words_of(beats):
    """Words that a memory moves in a clock of the core with so many ``beats`` in a period."""
    return Fraction(BEAT * beats, PERIOD)


class PacedMemory(SimulatedMemory):
    """A memory that moves ``beats`` in a period, evenly, and needs no refreshes."""

    beats = PERIOD

    def rests(self, m):
        phase, rests = Signal(range(2 * PERIOD)), Signal()
        low = phase & (PERIOD - 1)
        m.d.sync += [phase.eq(low + self.beats), rests.eq(low + self.beats < PERIOD)]
        return rests


@functools.cache
def library(beats):
    """The core with that memory, compiled."""
    core = stack(_CORE.at_pins, (type("Paced", (PacedMemory,), {"beats": beats}), *STAGES))
    text = rtlil(core, named_ports(core)) + cells_rtlil(_CORE)
    return compiled(text, controls(_CORE), Translator.NETLIST, outputs(_CORE))


def rates_of(beats):
    """The :class:`Rates` with a memory that moves so many ``beats`` in a period."""
    model = drive_package.best_drive_model()
    behaviour = model.Behaviour()
    drive = model.Drive(model.DiskImage(sectors=2 * _SECTORS), behaviour=behaviour)
    port = drive_package.drive_port(drive, model=model)
    with Compiled(_CORE, port, path=library(beats)) as engine:
        session = Session(engine, port, limit=_LIMIT)
        assert session.bring_up()["ready"]
        (wrote, throttled, right), (again, again_throttled, right_again) = (
            _recorded(session, random.Random(drops), drops) for drops in (False, True))
        played = session.play(0, _SECTORS)
        return Rates(wrote["memory_waits"], wrote["held_cycles"], throttled, again["held_cycles"], again_throttled,
                     again["retries"], played.outputs["memory_waits"],
                     right and right_again and played.data == drive.image.read(0, 512 * _SECTORS))


def _recorded(session, rng, drops):
    """(outputs, clocks of throttling the drive, whether the data are right) of a recording; with ``drops``
    the link is down once."""
    data, behaviour = rng.randbytes(512 * _SECTORS), session.port.drive.behaviour
    session.engine.source(data)
    behaviour.command_latency = _STALL
    session.start(Operation.RECORD, 0, _SECTORS)
    session.run(2 * _STALL)
    behaviour.command_latency = 0       # from the next command on both sides move a word a clock
    session.run(150_000)
    if drops:
        session.port.drop_link(_DOWN)
    session.wait(Event.DONE)
    state, ledger = session.outputs(), session.ledger()
    session.wait(Event.READY)
    return state, ledger.accounts["host_hold"], session.port.drive.image.read(0, len(data)) == data


def main():
    print("words    recording            with a replay           playback")
    print("a clock  waits   held throttled  held throttled replays  waits")
    for beats in (24, 30, 32, 36, 40, 64):
        found = rates_of(beats)
        assert found.right
        print(f"{float(words_of(beats)):7.3f} {found.waits:6,} {found.held:6,} {found.throttled:9,} "
              f"{found.again_held:6,} {found.again_throttled:9,} {found.replays:7} {found.play_waits:6,}", flush=True)


if __name__ == "__main__":
    main()
