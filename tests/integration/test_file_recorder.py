"""The recorder with files as it is exported: files while the stage has the core, any operation of the
user's while it is released."""

import pytest
from sata_drive_model import Fault, Health
from integration.benches import FAST, CoreBench, drive_port
from integration.looks import shown
from integration.modes import Numbers

from sata_recorder.interface.configuration import Configuration
from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.interface.file import FileError, FileState
from sata_recorder.interface.look import LookState
from sata_recorder.interface.trim import TrimState
from sata_recorder.pc.volume import Timestamp, prepare, verify
from sata_recorder.simulation import Compiled, Event

pytestmark = pytest.mark.wide

SECTORS, ALIGN = 4096, 16 << 10
TIME = Timestamp(46 << 25 | 11 << 21 | 22 << 16 | 13 << 11, 150, 0x84)
#: Clocks in which whatever it is has happened.
_PATIENCE = 300_000
_SHORT = 2


@pytest.fixture(params=[{"commands": True}, {"extents": "modes"}], ids=["commands", "modes"])
def bench(request, tmp_path):
    path = tmp_path / "disk.img"
    prepare(path, sectors=SECTORS, recordings=3, align=ALIGN)
    port = drive_port(sectors=SECTORS, drive={"health": Health()})
    port.drive.image.write(0, path.read_bytes())
    configuration = Configuration(**FAST, buffer_words=512, max_command_sectors=8,
                                  files=True, **request.param)
    with Compiled(configuration, port) as engine:
        bench = CoreBench(engine, port)
        for level in 1, 0:
            engine.set(rst=level)
            engine.run(4)
        if configuration.commands:
            # A task file that is left over: it is nothing to what the stage starts.
            engine.set(task_operation=1, task_command=0xE5)
        yield bench


def content(bench):
    return bench.image.read(0, 512 * SECTORS)


def wait(bench, what, most=_PATIENCE):
    """Until ``what(outputs)`` holds."""
    for _ in range(most // _SHORT):
        if what(bench.engine.outputs()):
            return
        bench.engine.run(_SHORT)
    raise AssertionError(bench.engine.outputs())


def record(bench, words, *, length=0, **inputs):
    """A recording that becomes a file; what the outputs are when it is done."""
    engine = bench.engine
    engine.source(words)
    engine.set(file_length=length, file_start=1, **inputs)
    engine.run(2)
    assert engine.outputs()["file_busy"]
    if not length:
        wait(bench, lambda outputs: engine.state().taken >= 700)
        engine.set(file_stop=1)
        engine.run(1)
    wait(bench, lambda outputs: outputs["file_state"] not in (FileState.RECORDING,
                                                              FileState.CLOSING))
    return engine.outputs()


def searched(outputs):
    return outputs["file_state"] in (FileState.READY, FileState.FULL)


def test_files_and_other_operations(bench, seen):
    engine = bench.engine
    wait(bench, lambda outputs: outputs["file_state"] == FileState.SEARCHING)
    outputs = engine.outputs()
    assert (outputs["busy"], outputs["ready"], outputs["file_busy"]) == (1, 0, 1)
    # What is not the user's now is not started, and the stage's own operations have no `done`.
    engine.set(start=1, operation=Operation.PLAY, lba=0, sectors=1)
    assert not engine.run(4000, Event.DONE)
    wait(bench, searched)
    words = Numbers(1000)
    told = record(bench, words, length=4001, file_dated=1, file_time=TIME.seconds,
                  file_time_ten_ms=TIME.ten_ms, file_time_offset=TIME.offset, file_time_valid=1)
    assert (told["file_error"], told["file_slot"], told["file_bytes"]) == (FileError.NONE, 1, 4001)
    wait(bench, searched)
    told = record(bench, Numbers(5), file_dated=0)
    assert (told["file_error"], told["file_slot"]) == (FileError.NONE, 2)
    size = told["file_bytes"]
    drive = seen(content(bench))
    assert verify(drive).problems == []
    first, second = drive.find(1), drive.find(2)
    assert first.name == "R2611220001.dat" and first.created == TIME.datetime()
    assert drive.memmap(first).tobytes() == words.read(0, 1001)[:4001]
    assert size >= 2800 and drive.memmap(second).tobytes() == Numbers(5).read(0, size // 4)

    # The core is the user's: the file is played back, and a range beside all slots is recorded.
    engine.set(file_release=1)
    wait(bench, lambda outputs: outputs["file_state"] == FileState.RELEASED)
    assert engine.outputs()["ready"]
    engine.set(file_start=1)
    engine.run(2)
    assert engine.outputs()["file_error"] == FileError.RELEASED
    if "task_result_lba" in engine.outputs():
        engine.set(task_operation=0)
    engine.sink(128 * 8)
    bench.start(Operation.PLAY, first.log.lba, 8)
    assert engine.run(_PATIENCE, Event.DONE) and engine.outputs()["error"] == Error.NONE
    assert engine.received()[:4001] == words.read(0, 1001)[:4001]
    engine.source(Numbers(77))
    bench.start(Operation.RECORD, SECTORS - 60, 4)
    # The stage takes the core back when that is over.
    engine.set(file_release=0)
    assert engine.run(_PATIENCE, Event.DONE)
    outputs = engine.outputs()
    assert (outputs["error"], outputs["words"]) == (Error.NONE, 512)
    assert content(bench)[512 * (SECTORS - 60):][:2048] == Numbers(77).read(0, 512)
    wait(bench, searched)
    assert engine.outputs()["file_state"] == FileState.READY
    assert record(bench, words, length=100)["file_slot"] == 3
    wait(bench, searched)
    assert engine.outputs()["file_state"] == FileState.FULL
    assert bench.violations() == []


@pytest.mark.parametrize("bench", [{"extents": "modes"}], indirect=True)
def test_segments_at_the_pins(bench, seen):
    """The modes' own pins say what file_start begins; the last segment ends it."""
    engine = bench.engine
    wait(bench, searched)
    engine.source(Numbers(1))
    engine.set(file_start=1, recording_mode=3, recording_part=24, recording_chunk=4,
               recording_segments=1000, recording_words=300)
    engine.run(30)
    # The slot has no room for this many.
    assert engine.outputs()["file_error"] == FileError.PARTS_DO_NOT_FIT
    engine.set(file_start=1, recording_segments=2)
    hits = []
    for taken in 5000, 9000:
        wait(bench, lambda outputs: engine.state().taken >= taken)
        hits.append(engine.state().taken)
        engine.set(recording_trigger=1)
        engine.run(1)
    wait(bench, lambda outputs: outputs["file_state"] not in (FileState.RECORDING,
                                                              FileState.CLOSING))
    outputs = engine.outputs()
    assert outputs["file_error"] == FileError.NONE
    assert (outputs["recording_segment_count"], outputs["recording_triggers"]) == (2, 2)
    wait(bench, searched)
    drive = seen(content(bench))
    assert verify(drive).problems == []
    recording = drive.find(1)
    for one, hit in zip(recording.segments, hits, strict=True):
        assert (one.entry.trigger, one.entry.end) == (hit, hit + 300)
        assert drive.read(recording, segment=one.number).tobytes() == Numbers(1).read(
            one.first_word, hit + 300 - one.first_word)
        # This many words before the trigger as the part has room for.
        assert hit - one.first_word > 128 * 8
    assert bench.violations() == []


@pytest.mark.parametrize("bench", [{"extents": "modes", "look_sectors": 8}], indirect=True)
@pytest.mark.parametrize("length", [0, 400_000])
def test_a_look_at_the_pins(bench, length):
    """At a ring and at a file of known length; and at what is recorded while the
    core is released."""
    engine = bench.engine
    wait(bench, searched)

    def look(sector, count):
        engine.set(look_start=1, look_sector=sector, look_count=count)
        engine.run(2)
        wait(bench, lambda outputs: outputs["look_state"] not in (LookState.WAITS, LookState.READS))
        return LookState(engine.outputs()["look_state"])

    assert look(0, 1) == LookState.GONE
    engine.source(Numbers(9))
    engine.set(file_start=1, file_length=length, recording_mode=0 if length else 2)
    for newest in 20, 60, 300:
        wait(bench, lambda outputs: outputs["recording_newest"] >= newest)
        assert look(newest - 4, 4) == LookState.READY
        assert shown(bench, 4) == [*range(9 + 128 * (newest - 4), 9 + 128 * newest)]
    engine.set(file_stop=1)
    wait(bench, searched)
    assert look(0, 1) == LookState.GONE
    engine.set(file_release=1)
    wait(bench, lambda outputs: outputs["file_state"] == FileState.RELEASED)
    engine.source(Numbers(5))
    engine.set(recording_mode=1)
    bench.start(Operation.RECORD, SECTORS - 90, 80)
    wait(bench, lambda outputs: outputs["recording_state"] == 2)
    wait(bench, lambda outputs: 40 <= outputs["recording_newest"] < 70)
    assert look(3, 2) == LookState.READY and shown(bench, 2) == [*range(5 + 384, 5 + 640)]
    assert bench.violations() == []


@pytest.mark.parametrize("bench", [{"extents": "modes", "trim_ahead": True}], indirect=True)
def test_trim_at_the_pins(bench, seen):
    """It is taken with the start, of a ring as a file, and of one of the user's."""
    engine = bench.engine
    wait(bench, searched)
    slot = seen(content(bench)).slots[0]
    trimmed = []
    discard = bench.image.discard
    bench.image.discard = lambda lba, count: (trimmed.append((lba, count)), discard(lba, count))
    engine.source(Numbers(3))
    engine.set(file_start=1, recording_mode=2, trim_ahead=16)
    engine.run(2)
    engine.set(trim_ahead=0)
    wait(bench, lambda outputs: outputs["recording_newest"] >= 3 * slot.sectors // 2)
    assert engine.outputs()["trim_state"] == TrimState.ON
    engine.set(file_stop=1)
    wait(bench, searched)
    assert sum(count for _, count in trimmed) == engine.outputs()["trim_sectors"] > slot.sectors
    assert all(slot.lba <= lba and lba + count <= slot.lba + slot.sectors for lba, count in trimmed)
    drive = seen(content(bench))
    recording = drive.find(1)
    one, = recording.segments
    assert drive.read(recording).tobytes() == Numbers(3).read(one.first_word, one.bytes // 4)
    assert verify(drive).problems == []
    trimmed.clear()
    engine.set(file_release=1)
    wait(bench, lambda outputs: outputs["file_state"] == FileState.RELEASED)
    engine.set(trim_ahead=4)
    bench.start(Operation.RECORD, SECTORS - 90, 40)
    wait(bench, lambda outputs: outputs["recording_state"] == 2)
    wait(bench, lambda outputs: 90 <= outputs["recording_newest"] < 140)
    assert trimmed and all(SECTORS - 90 <= lba and lba + count <= SECTORS - 50 for lba, count in trimmed)
    assert bench.violations() == []


@pytest.mark.parametrize("bench", [{"commands": True}], indirect=True)
def test_doubt_is_not_cleared_by_the_user(bench):
    """What the drive's cache may have lost of a file is reported, though the user clears ``unflushed`` meanwhile; that
    acts on what he records himself."""
    engine = bench.engine
    wait(bench, searched)
    engine.source(Numbers(1))
    engine.set(file_length=4096, file_start=1)
    engine.run(2)
    wait(bench, lambda outputs: outputs["sectors_done"] == 8)
    bench.port.drop_link(50)
    wait(bench, lambda outputs: outputs["unflushed"])
    engine.set(clear_unflushed=1)
    engine.run(2)
    engine.set(clear_unflushed=0)
    assert engine.outputs()["unflushed"]
    wait(bench, searched)
    assert (engine.outputs()["file_error"], engine.outputs()["file_bytes"]) == (FileError.IN_DOUBT, 4096)
    engine.set(file_release=1, task_operation=0)
    wait(bench, lambda outputs: outputs["file_state"] == FileState.RELEASED)
    assert bench.record(Numbers(5), SECTORS - 60, 4).error == Error.NONE and not engine.outputs()["unflushed"]
    bench.port.drop_link(50)
    wait(bench, lambda outputs: outputs["unflushed"])
    engine.set(clear_unflushed=1)
    engine.run(2)
    assert not engine.outputs()["unflushed"]


@pytest.mark.parametrize("after, clock", [(9, 20), (9, 150), (7, 20)])
def test_a_drive_that_changes_while_a_slot_is_looked_for(bench, seen, after, clock):
    """In a read, which the core repeats, or between two: what was proved before counts no longer."""
    engine, port = bench.engine, bench.port
    place = 512 * seen(content(bench)).table.partition_lba
    wait(bench, lambda outputs: len(port.drive.completed) == after)
    sector = bytearray(bench.image.read(place, 512))
    sector[100] ^= 1
    port.inject([Fault(kind="link_loss", clock=clock, clocks=50)])
    engine.run(clock + 20)
    bench.image.write(place, bytes(sector))
    wait(bench, lambda outputs: outputs["file_state"] not in (FileState.SEARCHING, FileState.OFFLINE))
    outputs = engine.outputs()
    assert (outputs["file_state"], outputs["file_refusal"]) == (FileState.REFUSED, FileError.CHANGED)
