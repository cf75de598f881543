"""The core against the drive model: `bench` runs any configuration against any drive.

    def test_it(bench, seed):
        b = bench(seed=seed, behaviour=Behaviour.random(seed), buffer_words=256)
        data = random.Random(seed).randbytes(40 * 512)
        assert b.record(data, lba=7).error == 0
        assert b.image.read_sectors(7, 40) == data
        assert b.play(7, 40).data == data
        b.check()

`VCD=file` in the environment writes the waves of the last bench of a test, `TRACE=file` the words
of the dword port. `SEED=n` repeats a run whose test uses the fixture `seed`.
"""

import os

import pytest
from sata_drive_model import Behaviour, DiskImage, Drive, DrivePort

from sata_recorder.config import Configuration
from sata_recorder.measure import Cxxrtl, Session

#: Configuration fields of a bench that names no others: timeouts that a test can wait for.
FAST = {"clock_hz": 1e6, "signature_timeout": 0.05, "identify_timeout": 0.05,
        "command_timeout": 0.05, "flush_timeout": 0.05}
CAPACITY = 1 << 20


def drive_port(*, seed=0, behaviour=None, sectors=CAPACITY, drive=None, port=None, **options):
    """A `DrivePort`: `drive` are keywords of `Drive`, `port` of `DrivePort`, the others of `Behaviour`."""
    behaviour = behaviour or Behaviour(**options)
    unit = Drive(DiskImage(sectors=sectors), behaviour=behaviour, **(drive or {}))
    return DrivePort(unit, seed=seed, **(port or {}))


class Bench(Session):
    """A session with what tests look at: `drive`, `behaviour`, `image`, `analyser`, and `check()`."""

    drive = property(lambda self: self.port.drive)
    behaviour = property(lambda self: self.port.drive.behaviour)
    image = property(lambda self: self.port.drive.image)
    analyser = property(lambda self: self.port.analyser)

    def check(self):
        """The drive saw no violation, and both ledgers of the latest operation are equal."""
        assert not self.violations()
        assert not self.disagreements()


@pytest.fixture
def bench():
    """Makes running benches: `bench(port=None, *, configuration=None, up=True, **options)`.

    `port` is a `DrivePort` or anything like it; without one, options that are fields of
    `Behaviour`, and `seed`, `behaviour`, `sectors`, `drive`, `line` (keywords of `DrivePort`), describe
    the drive. Options that are fields of `Configuration` describe the core; without `configuration`
    its timeouts are short (`FAST`). `generation`, `limit`, `trace`, `vcd` and `window` go to session
    and engine. With `up` the core is brought up, and must be ready.
    """
    engines = []

    def make(port=None, *, configuration=None, up=True, generation=2, limit=2_000_000,
             trace=os.environ.get("TRACE"), vcd=os.environ.get("VCD"), window=None, line=None,
             **options):
        fields = {name: options.pop(name) for name in [*options]
                  if name in Configuration.model_fields}
        if configuration is None:
            configuration = Configuration(**(FAST | fields))
        elif fields:
            raise TypeError(f"configuration= and {', '.join(fields)}: give one of them")
        if port is None:
            port = drive_port(port=line, **options)
        elif options:
            raise TypeError(f"port= and {', '.join(options)}: give one of them")
        engine = Cxxrtl(configuration, port.clock, trace=trace, vcd=vcd, window=window)
        engines.append(engine)
        session = Bench(engine, port, generation=generation, limit=limit)
        if up:
            outputs = session.bring_up()
            assert outputs["ready"] and not outputs["error"], outputs
        return session

    yield make
    for engine in engines:
        engine.close()
