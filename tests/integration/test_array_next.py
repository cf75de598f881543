"""A linear array whose recordings go on with the next drive when one fails: no word is lost, and what is passed over is
named."""

import pytest
from integration.arrays import OFFSET
from integration.small import content
from integration.test_array import brought_up
from sata_drive_model import Behaviour

from sata_recorder.core.drive_port import Error, JournalKind, Operation
from sata_recorder.simulation import Event, Hold
from sata_recorder.simulation.pattern import Bytes

pytestmark = pytest.mark.wide

#: Sectors of the array on each lane.
ROOM = 256


def next_array(drives=3, **options):
    return brought_up(drives, kind="linear", chunk=128, sectors=[OFFSET + ROOM + 5] * drives, on_failure="next",
                      **options)


def journal(bench):
    """(kind, error, lane, first LBA, sectors, first LBA on the drive) of each entry."""
    count = bench.outputs()["journal_count"]
    assert count <= 32
    fields = bench.engine.table("journal_address", "journal_data", range(4 * count), 3)
    return [(JournalKind(head & 15), Error(head >> 4 & 15), head >> 8, lba, length, own)
            for head, lba, length, own in zip(*[iter(fields)] * 4)]


def _checked(bench, lane, lba, length, own):
    """The sectors of an entry, whose places are those that it states."""
    assert (bench.place(lba), bench.place(lba + length - 1)) == ((lane, own), (lane, own + length - 1))
    return range(lba, lba + length)


def passed_over(bench):
    """The sectors that the journal names as passed over, each once."""
    named = [sector for kind, _, lane, lba, length, own in journal(bench) if kind == JournalKind.SKIPPED
             for sector in _checked(bench, lane, lba, length, own)]
    assert len({*named}) == len(named)
    return {*named}


class NextRecording:
    """A recording on all lanes but for some sectors, of random ``data``, on ``drives``."""

    def __init__(self, operation=Operation.RECORD, *, lanes=3, hold=Hold(1, 0), **options):
        self.bench = next_array(lanes, **options)
        self.drives = [port.drive for port in self.bench.ports]
        self.lba, self.sectors = 20, lanes * ROOM - 30
        self.data = content(lanes, self.sectors)
        self.bench.engine.source(Bytes(self.data), hold=hold)
        self.bench.start(operation, self.lba, self.sectors)

    def until(self, words):
        while self.bench.outputs()["words"] < words:
            self.bench.run(20)
        return self

    def unplug(self, *lanes):
        for lane in lanes:
            self.bench.ports[lane].unplug()

    def end(self):
        """The outputs with done; what they state is true of the drives."""
        if not self.bench.outputs()["done"]:
            self.bench.wait(Event.DONE)
        outputs = self.bench.outputs()
        self.bench.run(2)
        done, taken, left_out = outputs["sectors_done"], 4 * outputs["words"], passed_over(self.bench)
        assert len(left_out) == outputs["skipped_sectors"]
        places = [lba for lba in range(self.lba, self.lba + self.sectors) if lba not in left_out]
        held = b"".join(self.drives[lane].image.read_sectors(own, 1)
                        for lane, own in map(self.bench.place, places[:done]))
        assert held == self.data[:min(taken, 512 * done)] + bytes(max(512 * done - taken, 0))
        return outputs

    def skipped(self):
        """(lane, error, whether to its end) of what was left out."""
        return [(lane, error, own + length == OFFSET + ROOM) for kind, error, lane, _, length, own in
                journal(self.bench) if kind == JournalKind.SKIPPED]


def is_complete(recording, outputs):
    done = outputs["sectors_done"]
    return done + outputs["skipped_sectors"] == recording.sectors and outputs["words"] == 128 * done


@pytest.mark.parametrize("operation", [Operation.RECORD, Operation.RECORD_FLUSH])
@pytest.mark.parametrize("words", [0, 300, 5000, 12_000, 20_000])
def test_goes_on(operation, words):
    """With the next lane, and then with that after it."""
    recording = NextRecording(operation).until(words)
    recording.unplug(0)
    outputs = recording.end()
    assert (outputs["error"], outputs["array_failed"], outputs["array_first"]) == (Error.LINK_LOST, 1, 0)
    assert is_complete(recording, outputs) and recording.skipped() == [(0, Error.LINK_LOST, True)]


def test_two_at_once():
    recording = NextRecording().until(9_000)
    recording.unplug(0, 1)
    outputs = recording.end()
    assert outputs["array_failed"] == 3 and is_complete(recording, outputs)
    assert recording.skipped() == [(0, Error.LINK_LOST, True), (1, Error.LINK_LOST, True)]


def test_one_that_has_had_no_word():
    recording = NextRecording().until(9_000)
    recording.unplug(1)
    outputs = recording.end()
    assert outputs["array_failed"] == 2 and is_complete(recording, outputs)
    assert recording.skipped() == [(1, Error.LINK_LOST, True)] and outputs["skipped_sectors"] == ROOM


def test_with_its_last_words():
    """A lane that has got all its words, and has not written the last ones."""
    recording = NextRecording()
    own = recording.bench.rooms[0] - recording.lba
    recording.until(128 * own)
    assert recording.bench.outputs()["words"] == 128 * own
    recording.unplug(0)
    outputs = recording.end()
    assert is_complete(recording, outputs) and recording.skipped() == [(0, Error.LINK_LOST, True)]
    assert outputs["skipped_sectors"] <= 64


def test_the_last_lane():
    """There is none after it: the recording ends, as far as it has come."""
    recording = NextRecording().until(128 * 2 * ROOM + 9_000)
    recording.unplug(2)
    outputs = recording.end()
    assert (outputs["error"], outputs["array_failed"], outputs["skipped_sectors"]) == (Error.LINK_LOST, 4, 0)
    assert 2 * ROOM < outputs["sectors_done"] < recording.sectors and outputs["words"] > 128 * outputs["sectors_done"]


@pytest.mark.parametrize("later", [0, 200, 20_000])
def test_a_stop_after_a_failure(later):
    """All words that were accepted are written."""
    recording = NextRecording(hold=Hold(3, 2)).until(9_000)
    recording.unplug(0)
    recording.bench.run(later)
    recording.bench.stop()
    outputs = recording.end()
    assert 9_000 <= outputs["words"] <= 128 * outputs["sectors_done"] < 128 * recording.sectors
    assert outputs["array_failed"] == 1 and recording.skipped() == [(0, Error.LINK_LOST, True)]


def test_a_failure_after_a_stop():
    recording = NextRecording(hold=Hold(3, 2)).until(9_000)
    recording.bench.stop()
    recording.unplug(0)
    outputs = recording.end()
    assert outputs["words"] <= 128 * outputs["sectors_done"] and outputs["array_failed"] == 1


def test_a_stop_without_a_failure():
    recording = NextRecording(hold=Hold(3, 2)).until(9_000)
    recording.bench.stop()
    outputs = recording.end()
    assert (outputs["error"], outputs["skipped_sectors"]) == (0, 0)
    assert 0 <= 128 * outputs["sectors_done"] - outputs["words"] < 128 * 16
    recording.bench.check()


@pytest.mark.parametrize("operation", [Operation.RECORD, Operation.RECORD_FLUSH])
def test_without_a_failure(operation):
    """From one lane to the next, with a true ledger; and a playback."""
    recording = NextRecording(operation)
    outputs = recording.end()
    assert outputs["error"] == 0 and is_complete(recording, outputs) and not recording.skipped()
    recording.bench.check()
    played = recording.bench.play(recording.lba, recording.sectors)
    assert (played.error, played.data) == (0, recording.data)
    recording.bench.check()


def test_a_flush_that_fails():
    """Its words are all written: the next lane gets none of them, and what may be lost is named."""
    recording = NextRecording(Operation.RECORD_FLUSH, behaviours={0: Behaviour(flush_latency=30_000)})
    recording.until(128 * (recording.bench.rooms[0] - recording.lba) + 200)
    recording.unplug(0)
    outputs = recording.end()
    assert outputs["error"] == Error.LINK_LOST and outputs["array_failed"] == 1 and is_complete(recording, outputs)
    assert not recording.skipped() and outputs["unflushed"] and outputs["unflushed_lba"] == recording.lba


def test_a_playback_ends():
    bench = next_array()
    bench.ports[0].drive.behaviour.fail_lba = OFFSET + 40
    played = bench.play(20, 300)
    assert played.error == Error.DRIVE_ERROR and played.outputs["array_failed"] == 1
    assert played.outputs["sectors_done"] == 20 and played.outputs["skipped_sectors"] == 0
    bench.ports[0].drive.behaviour.fail_lba = None
    data = content(3, 300)
    assert bench.record(data, 20).error == 0 and bench.read(20, 300) == data
    assert not passed_over(bench)


def test_no_word_waits_after_a_stop():
    """None is accepted then, however long the drive writes those that were."""
    recording = NextRecording().until(9_000)
    recording.bench.stop()
    recording.bench.run(2)
    held = recording.bench.outputs()["held_cycles"]
    outputs = recording.end()
    assert outputs["error"] == 0 and outputs["held_cycles"] == held


def test_a_stream_that_waits_for_a_drive_is_not_booked_to_its_user():
    """The last words of a drive are written before the next one gets any: its account counts meanwhile."""
    recording = NextRecording()
    outputs = recording.end()
    accounts = recording.bench.whole_ledger().accounts
    assert outputs["error"] == 0 and outputs["held_cycles"] > 1000
    assert accounts["host_hold"] < outputs["held_cycles"] // 10
