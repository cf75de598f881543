"""Operations of either core against the drive model, on the same bench."""

import random
from types import SimpleNamespace
from typing import NamedTuple

from sata_drive_model import Behaviour, DiskImage, Drive

import latency
import peer_user
from peer_environment import rtlil
from sata_recorder.interface.configuration import Configuration
from sata_recorder.simulation import Compiled, build
from sata_recorder.simulation.analyser import Span
from sata_recorder.simulation.drive_package import drive_port
from sata_recorder.simulation.signals import Event, Hold

LONGEST = 65536
CAPACITY = 1 << 20
NONE = Hold()
#: Clocks of a link that is up, in which the drive's signature comes and nothing else happens.
SETTLE = 3000
#: Clocks from the start in which the first SOF is sent.
FIRST = 64
#: Clocks after which an operation that has not ended is given up.
PATIENCE = 300_000
#: Timeouts of this project's core, so short that all its retries end before PATIENCE does: they
#: are 15,000 and 30,000 clocks. The longest silence of a drive that is well takes 300.
TIMEOUTS = {"command_timeout": 2e-4, "identify_timeout": 2e-4, "signature_timeout": 4e-4,
            "recovery_timeout": 4e-4, "retry_delay": 1e-5}


class Recorder:
    """This project's core in its default configuration, but for the timeouts."""

    name = "SATA Recorder"

    def __init__(self):
        self.library = None

    def configuration(self, limit):
        return Configuration(max_command_sectors=limit, **TIMEOUTS)

    def controls(self, limit):
        return {}


class LiteSata:
    """LiteSATA's core with the logic of :mod:`peer_user`; ``peer`` as peer_environment made it."""

    name = "LiteSATA"

    def __init__(self, peer):
        text = peer_user.netlist() + rtlil(peer.core, "litesata", peer_user.MODULE)
        self.library = build.compiled(text, peer_user.CONTROLS, build.Translator.CXXRTL)

    def configuration(self, limit):
        return Configuration(pacing="programmable")

    def controls(self, limit):
        return {"command_limit": limit}


class Run(NamedTuple):
    """One operation: whether it ``ended`` within ``PATIENCE`` clocks, the ``error`` that the core told (0:
    none), whether the data arrived as it was sent (``right``); ``transfer``, a ``latency.Run`` as the
    analyser booked it; ``violations`` of the host, texts."""

    ended: bool
    error: int
    right: bool
    transfer: latency.Run
    violations: tuple

    @property
    def verdict(self):
        """How it ended, in a few words."""
        if not self.ended:
            return "hangs"
        if self.error:
            return "error reported"
        return "done" if self.right else "done, data wrong"


def operate(core, direction, *, sectors, limit=LONGEST, hold=NONE, seed=0, behaviour=None,
            later=None, event=None, at=1000):
    """Moves ``sectors`` sectors from LBA 0 on in commands of ``limit`` sectors; returns a :class:`Run`.

    ``direction`` is "read" or "write"; ``hold`` the stall pattern of the user's stream;
    ``behaviour`` a ``Behaviour``; ``later`` fields of it that are set when the core is ready;
    ``event`` is called with the ``DrivePort`` once, ``at`` clocks after the start.
    """
    data = random.Random(seed).randbytes(512 * sectors)
    image = DiskImage(sectors=CAPACITY)
    behaviour = behaviour or Behaviour()
    port = drive_port(Drive(image, behaviour=behaviour), seed=seed)
    turns = latency.Turns()

    def clock(word):
        turns.observe(port.now, word, port.inputs)
        return port.clock(word)

    with Compiled(core.configuration(limit), clock, path=core.library) as engine:
        engine.set(rst=1, phy_generation=2, **core.controls(limit))
        engine.run(4)
        engine.set(rst=0)
        if not engine.run(PATIENCE, Event.READY):
            raise SystemExit(f"compare: {core.name} never was ready: {engine.outputs()}")
        engine.run(SETTLE)
        for name, value in (later or {}).items():
            setattr(behaviour, name, value)
        analyser = port.observer
        analyser.reset()
        if direction == "write":
            engine.source(data, hold=hold)
        else:
            image.write(0, data)
            engine.sink(len(data), hold=hold)
        engine.set(start=1, operation=int(direction == "write"), lba=0, sectors=sectors)
        ended = engine.run(FIRST, Event.DONE)
        # The first command does not follow upon a status: it came when it was requested.
        analyser.spans.update((name, Span()) for name in analyser.spans)
        if event:
            ended = ended or engine.run(at - FIRST, Event.DONE)
            event(port)
        ended = ended or engine.run(PATIENCE, Event.DONE)
        error = engine.outputs()["error"]
        engine.run(64)  # the last words of the stream
        right = (image.read(0, len(data)) if direction == "write" else engine.received()) == data
        accounts = analyser.ledger()
        total = accounts.pop("total")
        commands = analyser.commands
        waited = turns.clocks(commands[0].start, commands[-1].end) if ended and commands else 0
        ledger = SimpleNamespace(accounts=accounts, total=total)
        return Run(bool(ended), error, right, latency.Run(direction, ledger, waited, dict(analyser.spans), 1),
                   tuple(map(str, port.link.violations)))
