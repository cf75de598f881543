"""Closed loops of core and drive that run on every engine, in Icarus too, with plain results.

``model`` is the drive model's package: the installed one, or the compiled copy.
"""

import random
import struct
from functools import partial
from unittest.mock import patch

import sata_drive_model
from integration.benches import CAPACITY, CoreBench

from sata_recorder.simulation import Hold, Translator, compiled, drive_package, icarus, streams
from sata_recorder.simulation.signals import Rate
from sata_recorder.core.drive_port import Operation

ENGINES = ("compiled", "cxxrtl", "icarus")
#: The core as in "compiled", with the drive in Python.
MIXED = "mixed"


def on(engine, function, configuration, *arguments):
    """What ``function(open_engine, model, configuration, *arguments)`` returns on ``engine``."""
    if engine == "icarus":
        return icarus.simulate(configuration, in_icarus, function, configuration, *arguments)
    model = drive_package.drive_model(compiled=engine == "compiled")
    translator = Translator.CXXRTL if engine == "cxxrtl" else Translator.NETLIST
    return function(partial(compiled.Compiled, translator=translator), model, configuration,
                    *arguments)


def in_icarus(open_engine, function, *arguments_and_progress):
    return function(open_engine, sata_drive_model, *arguments_and_progress[:-1])


def port_of(model, seed, hostile=True, line=None, trace=False, **behaviour):
    """A ``DrivePort`` of ``model``, and its image; ``hostile`` drives do all they may do."""
    own = model.Behaviour.random(seed) if hostile else model.Behaviour()
    for name, number in behaviour.items():
        setattr(own, name, number)
    image = model.DiskImage(sectors=CAPACITY)
    port = drive_package.drive_port(model.Drive(image, behaviour=own), model=model, seed=seed,
                                    trace=trace, **(line or {}))
    return port, image


def hostile(open_engine, model, configuration, seed, sectors=6, trace=None):
    """Record and play against a drive that does everything at random, bad CRCs included."""
    line = {"line_rate": (2, 3), "skew": 2} if seed % 3 == 2 else None
    port, image = port_of(model, seed, line=line, trace=True, bad_crc=2)
    rng = random.Random(seed)
    data = rng.randbytes(512 * sectors)
    with open_engine(configuration, port, trace=trace) as engine:
        bench = CoreBench(engine, port)
        bench.bring_up()
        bench.record(data, 3, hold=Hold(rng.randint(1, 40), rng.randint(0, 9)))
        ledger = bench.ledger().accounts
        played = bench.play(3, sectors, hold=Hold(rng.randint(1, 40), rng.randint(0, 9)))
        bench.check()
        assert image.read_sectors(3, sectors) == played.data == data
        accounts = dict(zip(ledger, port.observer.accounts()))
        assert accounts == bench.ledger().accounts
        return engine.state(), ledger, accounts, port.observer.fises, port.observer.log


def frames(open_engine, model, configuration, sectors):
    """(time, direction, type, dwords) of every FIS of a recording and of playing it."""
    port, image = port_of(model, 0, hostile=False, trace=True, throttle=(700, 90),
                          underrun=(900, 50))
    data = random.Random(1).randbytes(512 * sectors)
    with open_engine(configuration, port) as engine:
        bench = CoreBench(engine, port)
        bench.bring_up()
        assert bench.record(data, 0).error == 0
        assert bench.play(0, sectors).data == data
        bench.check()
        return engine.state().hash, port.observer.log


class ReplayedPort:
    """A drive that reports again, clock by clock, what another one has said."""

    def __init__(self, inputs):
        self._inputs = iter(inputs)
        self.link = None
        self.observer = self

    def reset(self):
        pass

    def clock(self, core):
        return next(self._inputs, 0)


def replayed(open_engine, model, configuration, seed, sectors, inputs):
    """The operations of :func:`hostile` against the recorded ``inputs`` of the core."""
    port = ReplayedPort(inputs)
    rng = random.Random(seed)
    data = rng.randbytes(512 * sectors)
    with open_engine(configuration, port) as engine:
        bench = CoreBench(engine, port)
        bench.bring_up()
        bench.record(data, 3, hold=Hold(rng.randint(1, 40), rng.randint(0, 9)))
        bench.ledger()
        bench.play(3, sectors, hold=Hold(rng.randint(1, 40), rng.randint(0, 9)))
        bench.ledger()
        bench.ledger()
        return engine.state()


class Counting:
    """The numbers 0, 1, ... as words; ``calls`` are what it was asked for."""

    def __init__(self, words):
        self.words = words
        self.calls = []

    def read(self, first_word, count):
        self.calls.append((first_word, count))
        return struct.pack(f"<{count}I", *range(first_word, first_word + count))


def chunks(open_engine, model, configuration, sectors, chunk):
    """A recording from a producer and a playback to a consumer, in chunks of ``chunk`` words."""
    with patch.object(streams, "CHUNK", chunk), patch.object(compiled, "CHUNK", chunk):
        port, image = port_of(model, 1)
        source, parts = Counting(128 * sectors), []
        with open_engine(configuration, port) as engine:
            bench = CoreBench(engine, port)
            bench.bring_up()
            recorded = bench.record(source, 0, sectors)
            bench.play(0, sectors, consumer=parts.append)
            return (engine.state(), recorded.taken, engine.received(), source.calls,
                    max(map(len, parts)), b"".join(parts), image.read_sectors(0, sectors))


def whole(open_engine, model, configuration, sectors):
    """The same from bytes, and into memory."""
    port, image = port_of(model, 1)
    with open_engine(configuration, port) as engine:
        bench = CoreBench(engine, port)
        bench.bring_up()
        data = Counting(128 * sectors).read(0, 128 * sectors)
        bench.record(data, 0)
        assert bench.play(0, sectors).data == data
        return engine.state()


def sensor(open_engine, model, configuration, seed, rate, depth, clocks,
           mark=None):
    """(taken, arrived, lost, backlog, high) after each clock, the gaps, what is on the disk."""
    port, image = port_of(model, seed, hostile=False, throttle=(40, 60), activate_latency=100)
    with open_engine(configuration, port) as engine:
        bench = CoreBench(engine, port)
        bench.bring_up()
        engine.source(Counting(5000), rate=Rate(*rate), depth=depth, mark=mark)
        bench.start(Operation.RECORD, 0, 40)
        rows = []
        for _ in range(clocks):
            engine.run(1)
            state = engine.state()
            rows.append((state.taken, state.arrived, state.lost, state.backlog,
                         state.backlog_high))
        return rows, engine.gaps(), image.read_sectors(0, 40), engine.state().hash
