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
import signal

import pytest

from sata_recorder.interface.configuration import Configuration
from sata_recorder.simulation import Compiled, Waves, icarus

pytest.register_assert_rewrite("integration.benches")

from integration.benches import FAST, CoreBench, clock_of, drive_port  # noqa: E402 (after the rewriting)


@pytest.fixture
def bench():
    """Makes running benches: `bench(port=None, *, configuration=None, up=True, **options)`.

    `port` is a `DrivePort` or anything like it; without one, options go to `drive_port`, which
    makes it. Options that are fields of `Configuration` describe the core; its timeouts are short
    (`FAST`) unless `configuration` is given. A `controller` operates the core. `generation`,
    `limit`, `trace`, `vcd` and `window` go to session and engine. With `up` the core is brought
    up, and must be ready.
    """
    engines = []

    def make(port=None, *, configuration=None, up=True, generation=2, limit=2_000_000,
             trace=os.environ.get("TRACE"), vcd=os.environ.get("VCD"), window=None,
             controller=None, **options):
        fields = {name: options.pop(name) for name in [*options]
                  if name in Configuration.model_fields}
        if configuration is None:
            configuration = Configuration(**(FAST | fields))
        elif fields:
            raise TypeError(f"configuration= and {', '.join(fields)}: give one of them")
        if port is None:
            port = drive_port(**options)
        elif options:
            raise TypeError(f"port= and {', '.join(options)}: give one of them")
        engine = Compiled(configuration, clock_of(port), trace=trace, waves=vcd and Waves(vcd, window),
                          controller=controller)
        engines.append(engine)
        session = CoreBench(engine, port, generation=generation, limit=limit)
        if up:
            outputs = session.bring_up()
            assert outputs["ready"] and not outputs["error"], outputs
        return session

    yield make
    for engine in engines:
        engine.close()


@pytest.fixture(scope="session", autouse=True)
def exported_once():
    """The Verilog that Icarus gets of a configuration."""
    export, texts = icarus.verilog, {}

    def verilog(configuration):
        key = configuration.model_dump_json()
        if key not in texts:
            texts[key] = export(configuration)
        return texts[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(icarus, "verilog", verilog)
        yield


@pytest.fixture
def interruptible():
    """Ctrl-C raises KeyboardInterrupt, even where the tests run in the background of a shell."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
