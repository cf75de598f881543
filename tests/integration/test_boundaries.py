"""At no boundary of two extents is a word refused that the buffer has room for.

The source offers a word in each clock, more than the link can take, so the buffer is full.
"""

import random
import struct

import pytest
from integration.benches import CoreBench
from integration.boundaries import CORE, WriteLog, check_writes, extents, go_on, probed
from integration.modes import Numbers
from short import short

import sata_drive_model as model
from sata_recorder.interface.configuration import Configuration
from sata_recorder.core.drive_port import Error
from sata_recorder.simulation import Compiled, drive_port
from sata_recorder.facts.units import SECTOR_WORDS

pytestmark = pytest.mark.wide

#: With room to keep the words of a command until it has been completed.
RETAINING = Configuration(**CORE.model_dump() | {"buffer_words": 4096, "retain_sectors": 8})


@pytest.fixture
def world(request):
    """Makes a bench with the compiled drive model and a probed core that is up."""
    engines = []

    def make(seed=0, core=CORE, **options):
        image = WriteLog()
        port = drive_port(model.Drive(image, behaviour=model.Behaviour(**options)), model=model,
                          generation=2, line_rate=(1, 1), seed=seed)
        engine = Compiled(core, port, path=probed(core))
        engines.append(engine)
        bench = CoreBench(engine, port, generation=2, limit=2_000_000)
        assert bench.bring_up()["ready"]
        return bench, image
    yield make
    for engine in engines:
        engine.close()


@pytest.mark.parametrize("ahead, boundaries", short(
    [(ahead, boundaries) for ahead in (0, 65536) for boundaries in (400, 10_000)],
    [(0, 400)]))
def test_no_word_is_refused(world, ahead, boundaries):
    """At random boundaries, with the buffer full: 0 words refused for which there was room."""
    bench, image = world()
    rng = random.Random(f"boundaries {ahead}")
    first, *others = spans = extents(rng, boundaries + 1)
    total = sum(sectors for _, sectors in spans)
    source = Numbers()
    source.words = SECTOR_WORDS * total
    bench.engine.source(source)
    outputs = go_on(bench, first, others, ahead=ahead)
    assert outputs["error"] == Error.NONE
    assert outputs["words"] == SECTOR_WORDS * total and outputs["sectors_done"] == total
    assert outputs["dropped"] == 0, "a word was refused though there was room"
    # The buffer was full: the source had to wait for most of the overhead of the commands.
    assert outputs["high_water"] >= CORE.buffer_words and outputs["held_cycles"] > boundaries
    check_writes(image, spans)
    assert bench.violations() == [] and bench.disagreements() == []


def test_the_probe_finds_what_is_refused(world):
    """Extents that come late: the words of the next one wait although there is room."""
    bench, image = world()
    source = Numbers()
    source.words = SECTOR_WORDS * 40
    bench.engine.source(source)
    bench.engine.set(queue_ahead=0)
    bench.start(1, 100, 20)
    while bench.outputs()["sectors_done"] < 12:
        bench.engine.run(10)
    bench.engine.run(600)
    outputs = go_on_late(bench)
    assert outputs["dropped"] > 0 and outputs["error"] == Error.NONE
    check_writes(image, [(100, 20), (300, 20)])


def go_on_late(bench):
    """The second extent, for a recording whose first one has been accepted."""
    assert bench.outputs()["queue_ready"] and bench.outputs()["words"] == 20 * SECTOR_WORDS
    bench.engine.set(queue_valid=1, queue_lba=300, queue_sectors=20)
    bench.wait(2)
    return bench.outputs()


@pytest.mark.sample(2)
@pytest.mark.parametrize("boundaries", short([100, 3000], [100]))
@pytest.mark.parametrize("options", [{}, {"throttle": (50, 13), "command_latency": (0, 30),
                                           "completion_latency": (0, 40)}],
                         ids=["friendly", "throttled"])
def test_a_boundary_costs_no_clock(world, boundaries, options):
    """Extents of whole commands take as long as one extent of as many sectors, to the clock."""
    spans = extents(random.Random(7), boundaries + 1, whole=CORE.max_command_sectors)
    total = sum(sectors for _, sectors in spans)
    told = []
    for first, *others in ([(5, total)], spans):
        bench, _ = world(**options)
        source = Numbers()
        source.words = SECTOR_WORDS * total
        bench.engine.source(source)
        outputs = go_on(bench, first, others, ahead=65536)
        ledger = bench.ledger()
        told.append(({name: outputs[name] for name in
                      ("error", "words", "sectors_done", "clocks", "held_cycles", "high_water",
                       "longest_stall", "dropped")}, ledger))
    assert told[0] == told[1]
    assert told[0][0]["dropped"] == 0


@pytest.mark.parametrize("ahead, boundaries", short(
    [(ahead, boundaries) for ahead in (0, 65536) for boundaries in (40, 1000)],
    [(0, 40)]))
def test_faults_at_boundaries(world, ahead, boundaries):
    """The link is lost, a FIS is damaged, a command refused, anywhere: each word is there, once."""
    bench, image = world(core=RETAINING)
    rng = random.Random(f"faults {ahead}")
    lba, spans = 7, []
    for _ in range(boundaries + 1):
        lba += rng.randrange(9)
        spans.append((lba, rng.randrange(36, 60)))
        lba += spans[-1][1]
    total = sum(sectors for _, sectors in spans)
    source = Numbers()
    source.words = SECTOR_WORDS * total
    bench.engine.source(source)
    told = []

    def faults(bench):
        if rng.random() < 0.5:
            kind = rng.choice(["link_loss", "rx_error", "media"])
            clock = rng.randrange(1, 8000)
            if kind == "link_loss":
                fault = model.Fault(kind=kind, clock=clock, clocks=rng.randrange(1, 200))
            elif kind == "rx_error":
                bench.port.inject_rx_error(rng.randrange(1, 20))
                fault = None
            else:
                bench.behaviour.reject_command = 1
                fault = None
            told.append(kind)
            bench.port.inject([fault] if fault else [])

    outputs = go_on(bench, spans[0], spans[1:], ahead=ahead, faults=faults)
    assert outputs["error"] == Error.NONE and outputs["retries"] > 0 and len({*told}) == 3
    assert outputs["dropped"] == 0, "a word was refused though there was room"
    number = 1
    for lba, sectors in spans:
        words = struct.unpack(f"<{SECTOR_WORDS * sectors}I", image.read_sectors(lba, sectors))
        assert words == tuple(range(number, number + len(words))), lba
        number += len(words)
