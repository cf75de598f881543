"""Random operations on random hostile drives against a mirror of the disk.

A failure prints the example: the same arguments repeat it, also as ``@example``.
"""

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st
from integration.benches import CoreBench, clock_of
from integration.small import SHORT, SMALL, connect, content
from sata_drive_model import Behaviour

from sata_recorder.interface.configuration import Configuration
from sata_recorder.simulation import Compiled, Hold
from sata_recorder.core.drive_port import Error

CAPACITY = 300
CORES = [SMALL, SMALL | {"send_cont": False}, SHORT]

holds = st.just(Hold()) | st.builds(Hold, st.integers(1, 300), st.integers(0, 400))
lines = st.just({}) | st.fixed_dictionaries({
    "line_rate": st.sampled_from([(1, 1), (1, 2), (2, 3), (3, 7), (9, 10)]),
    "skew": st.sampled_from([0, 0, 1, 4]), "round_trip": st.sampled_from([0, 0, 3, 15, 40])})


@dataclass(frozen=True)
class Step:
    """One operation: ``kind`` record, play or flush; a stop after this many words, or None."""

    kind: str
    lba: int = 0
    sectors: int = 0
    stop: int | None = None
    hold: Hold = Hold()
    flush: bool = False


extents = {"lba": st.integers(0, CAPACITY), "sectors": st.integers(1, 40),
           "stop": st.none() | st.none() | st.integers(0, 40 * 128), "hold": holds}
steps = st.builds(Step, st.just("record"), flush=st.booleans(), **extents) \
    | st.builds(Step, st.just("play"), **extents) | st.just(Step("flush"))


class Mirror:
    """What the disk should contain, and one step after the other on both."""

    def __init__(self, b):
        self.b = b
        self.disk = bytearray(CAPACITY * 512)
        self.number = 0

    def run(self, step):
        """One step that must succeed, or be refused."""
        b = self.b
        self.number += 1
        if step.kind == "flush":
            assert b.flush().error == 0
        elif step.lba + step.sectors > CAPACITY:
            outcome = self.start(step)
            assert outcome.error == Error.OUT_OF_RANGE
            assert (outcome.taken if step.kind == "record" else outcome.received) == 0
        elif step.kind == "record":
            self.recorded(step, self.start(step))
        else:
            self.played(step, self.start(step))
        assert b.disagreements() == []
        extremes, ledger = b.analyser.extremes(), b.ledger()
        assert ledger.commands == extremes["commands"]
        assert not b.violations(), b.violations()
        assert b.image.read_sectors(0, CAPACITY) == self.disk

    def start(self, step):
        if step.kind == "record":
            # One word more than fits: it must not be taken.
            data = content(self.number, step.sectors) + b"more"
            return self.b.record(data, step.lba, step.sectors, stop_after=step.stop,
                                 flush=step.flush, hold=step.hold)
        return self.b.play(step.lba, step.sectors, stop_after=step.stop, hold=step.hold)

    def recorded(self, step, outcome):
        words, done = outcome.taken, outcome.outputs["sectors_done"]
        assert outcome.error == 0 and outcome.outputs["words"] == words <= 128 * step.sectors
        if step.stop is None or step.stop > 128 * step.sectors:
            assert (words, done) == (128 * step.sectors, step.sectors)
        else:
            assert words >= min(step.stop, 128 * step.sectors)
            assert -(-words // 128) <= done <= step.sectors
        place = step.lba * 512
        data = content(self.number, step.sectors)[:4 * words]
        self.disk[place:place + 512 * done] = data + bytes(512 * done - len(data))

    def played(self, step, outcome):
        words = outcome.received
        assert outcome.error == 0 and outcome.outputs["words"] == words <= 128 * step.sectors
        if step.stop is None or step.stop > 128 * step.sectors:
            assert words == 128 * step.sectors
        assert outcome.lasts == (words == 128 * step.sectors)
        assert not outcome.lasts or outcome.last_at == words - 1
        assert outcome.data == self.disk[step.lba * 512:step.lba * 512 + 4 * words]


@given(seed=st.integers(0, 1 << 32), core=st.sampled_from(CORES), line=lines,
       lba48=st.booleans(), todo=st.lists(steps, min_size=1, max_size=6))
def test_random_traffic(seed, core, line, lba48, todo):
    port = connect(seed=seed, behaviour=Behaviour.random(seed), sectors=CAPACITY, line=line,
                   unit={"lba48": lba48})
    with Compiled(Configuration(**core), clock_of(port)) as engine:
        b = CoreBench(engine, port, limit=400_000)
        outputs = b.bring_up()
        assert outputs["ready"] and outputs["error"] == 0
        assert b.identify() == port.drive.page
        mirror = Mirror(b)
        for step in todo:
            mirror.run(step)
        # Nothing is left over, and the drive has nothing to add.
        b.run(2000)
        assert b.outputs()["ready"] and port.resets == 1
        assert not b.violations(), b.violations()
