"""Functions that run on either engine, inside Icarus too: importable, with plain arguments."""

import random

from integration.benches import CoreBench, drive_port
from sata_drive_model import Behaviour

from sata_recorder.simulation import Event, Hold


def record_and_play(open_engine, configuration, seed, hostile, progress):
    """Hash of the trace, clocks, whether the data came back, ledgers; with stalls everywhere."""
    behaviour = Behaviour.random(seed) if hostile else Behaviour()
    behaviour.throttle = behaviour.underrun = 50, 9
    port = drive_port(seed=seed, behaviour=behaviour)
    data = random.Random(seed).randbytes(5 * 512)
    with open_engine(configuration, port.clock) as engine:
        bench = CoreBench(engine, port)
        bench.bring_up()
        progress("record", 0, 1)
        recorded = bench.record(data, 3, hold=Hold(40, 7), flush=True)
        ledgers = [bench.ledger()]
        played = bench.play(3, 5, hold=Hold(23, 5))
        ledgers.append(bench.ledger())
        bench.check()
        state = engine.state()
    return (state.hash, state.cycle, recorded.outputs, played.outputs, played.data == data,
            played.lasts, played.last_at, [ledger.accounts for ledger in ledgers])


def gaps(open_engine, configuration, seed, progress):
    """The same through a PHY whose line is slower than the clock."""
    port = drive_port(seed=seed, line={"line_rate": (2, 3), "skew": 2})
    data = random.Random(seed).randbytes(2 * 512)
    with open_engine(configuration, port.clock) as engine:
        bench = CoreBench(engine, port, generation=1)
        bench.bring_up()
        bench.record(data, 0)
        played = bench.play(0, 2)
        return engine.state().hash, played.data == data


def failing_drive(open_engine, configuration, progress):
    """The drive raises at clock 50."""
    port = drive_port()

    def clock(core):
        if port.now == 50:
            raise ZeroDivisionError("the drive broke")
        return port.clock(core)

    with open_engine(configuration, clock) as engine:
        CoreBench(engine, port).bring_up()


def idle(open_engine, configuration, clocks, progress):
    """Lets the clock run."""
    port = drive_port()
    with open_engine(configuration, port.clock) as engine:
        engine.set(rst=1)
        engine.run(4)
        engine.set(rst=0)
        engine.run(clocks, Event.ERROR)
        return engine.state().cycle


def counting(open_engine, configuration, clocks, progress):
    """Lets the clock run, and reports how far it is."""
    port = drive_port()
    with open_engine(configuration, port.clock) as engine:
        for done in range(0, clocks, 500):
            progress("record", done, clocks)
            engine.run(500)
