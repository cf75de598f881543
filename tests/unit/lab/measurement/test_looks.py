"""The looks of a measurement: what a job with them can be, when they are asked for, and what is compared."""

from types import SimpleNamespace

import pytest

from sata_recorder.interface.configuration import Configuration
from sata_recorder.interface.look import LookState
from sata_recorder.lab.measurement import Job, JobError, LookPlan, RecordingPlan, look_sectors
from sata_recorder.lab.measurement import looks as measured_looks
from sata_recorder.lab.measurement.looks import LookRun, without_looks
from sata_recorder.simulation import ENDLESS, Pattern
from sata_recorder.simulation.look_watch import Moment, WatchedLook

DATA = Pattern("random", 3, ENDLESS)


def job(looks, *, sectors=64, **fields):
    configured = {"clock_hz": 75e6, "extents": "modes", "look_sectors": 16, "buffer_words": 1024}
    return Job(Configuration(**configured | fields.pop("configured", {})), "record", 0, sectors, data=DATA,
               recording=RecordingPlan("ring", stop_after=9, looks=looks), **fields)


@pytest.mark.parametrize("looks, fields, message", [
    (LookPlan(4), {"configured": {"look_sectors": 0}}, "look = 4: needs a core with look_sectors"),
    (LookPlan(0), {}, "look = 0: must be 1 to 16, the sectors of a readback and of what is recorded"),
    (LookPlan(17), {}, "look = 17: must be 1 to 16"),
    (LookPlan(9), {"sectors": 8}, "look = 9: must be 1 to 8"),
    (LookPlan(4), {"logical_sector": 4096, "configured": {"long_logical_sectors": True}},
     "look = 4: must be a multiple of 8 with logical_sector = 4096"),
    (LookPlan(4, every=0), {}, "look_every = 0: must be 1 to"),
    (LookPlan(4, room=1025), {}, "look_room = 1025: must be 0 to 1024, the words of the buffer"),
    (LookPlan(4, room=-1), {}, "look_room = -1: must be 0 to 1024"),
])
def test_what_cannot_be_looked_at(looks, fields, message):
    with pytest.raises(JobError) as refused:
        job(looks, **fields)
    assert message in str(refused.value)


def test_the_room_of_a_plan():
    assert LookPlan(4).room_of(4096) == 2048 and LookPlan(4, room=0).room_of(4096) == 0
    assert LookPlan(4).room_of(1 << 20) == 65535
    assert [look_sectors(sectors) for sectors in (0, 1, 8, 9, 16, 33, 64, 65)] == [64, 8, 8, 16, 16, 64, 64, 64]


def test_the_same_recording_without():
    plain = without_looks(job(LookPlan(4), vcd="waves.vcd", samples=5))
    assert plain.recording.looks is None and plain.vcd is None and plain.samples == 0
    assert plain.configuration.look_sectors == 16 and plain.recording.stop_after == 9


class Engine:
    """A core that shows a recording of which ``taken`` words have come."""

    stride = 50

    def __init__(self):
        self.cycle = self.taken = 0
        self.asked = []
        self.shown = {"recording_oldest": 0, "recording_newest": 0, "recording_state": 2, "sectors_done": 0,
                      "look_state": LookState.WAITS.value}

    def state(self):
        return self

    def output(self, name):
        return self.shown[name]

    def run(self, clocks, until):
        self.cycle += clocks
        self.taken += clocks
        self.shown["recording_newest"] = self.taken // 128
        self.shown["recording_oldest"] = max(0, self.taken // 128 - 64)
        return 0

    def set(self, **controls):
        self.asked.append((self.taken, controls))


@pytest.mark.parametrize("at", ["latest", "random"])
def test_when_and_where_it_looks(at):
    """No sooner than there are this many sectors, then with the words of the plan between two of them."""
    engine = Engine()
    run = LookRun(job(LookPlan(4, at=at, every=3000, room=7)), engine, DATA)
    while engine.taken < 90_000:
        run.run(20)
        engine.shown["look_state"] = LookState.GONE.value if engine.taken % 3000 > 1000 else LookState.WAITS.value
    starts = [(words, controls) for words, controls in engine.asked if "look_start" in controls]
    assert starts[0][0] >= 512 and 25 <= len(starts) <= 31
    assert all(3000 <= then - now < 4200 for (now, _), (then, _) in zip(starts, starts[1:]))
    for words, controls in starts:
        newest, first = words // 128, controls["look_sector"]
        assert (controls["look_count"], controls["look_room"]) == (4, 7)
        assert first == newest - 4 if at == "latest" else max(0, newest - 64) <= first <= newest - 4
    assert at == "latest" or len({words // 128 - controls["look_sector"] for words, controls in starts}) > 10


def test_what_is_compared_and_told(monkeypatch):
    watch = SimpleNamespace(looks=[], finish=lambda: None)
    monkeypatch.setattr(measured_looks, "LookWatch", lambda engine: watch)
    moment = Moment(0, 9, 0, 9, True)
    run = LookRun(job(LookPlan(1)), Engine(), DATA)

    def looked(state, sector, **fields):
        data = DATA.read(128 * sector, 128)
        words = [int.from_bytes(data[at:at + 4], "little") for at in range(0, 512, 4)]
        return WatchedLook(sector, 1, 0, None, moment, end=fields.pop("end", moment), state=state,
                    words=words if state is LookState.READY else [], **fields)

    watch.looks += [looked(LookState.READY, 5, waited=30), looked(LookState.READY, 6, waited=90),
                    looked(LookState.GONE, 1), looked(LookState.GONE, 1, end=Moment(0, 9, 0, 9, False))]
    run.finish()
    assert not run.problems
    told = run.report({"looks": 2, "look_clocks": 700})
    assert (told["asked"], told["ready"], told["gone"], told["unfinished"], told["failed"]) == (4, 2, 1, 1, 0)
    assert (told["checked_words"], told["mean_clocks"], told["longest_wait"]) == (256, 350, 90)
    wrong = looked(LookState.READY, 7)
    wrong.words[127] ^= 1 << 31
    watch.looks += [wrong, looked(LookState.FAILED, 8)]
    run.finish()
    assert ["sectors from 7" in run.problems[0], "failed" in run.problems[1]] == [True, True]
    run.report({"looks": 2, "look_clocks": 900})
    assert run.problems[2] == "2 readbacks are counted as ready, 3 are"
