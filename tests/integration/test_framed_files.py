"""Recordings in frames that become files, and whose end is whose."""

import pytest
from integration.benches import FAST, CoreBench, drive_port
from integration.framed import CORE, PAYLOAD, check, good, on_drive
from integration.modes import Numbers
from integration.test_file_recorder import searched, wait
from short import short

from sata_recorder.interface.configuration import Configuration
from sata_recorder.core.drive_port import Operation
from sata_recorder.interface.file import FileError, FileState
from sata_recorder.pc.volume import prepare, verify
from sata_recorder.simulation import Compiled, Event
from unit.bricks.frames.framed import Bytes

pytestmark = pytest.mark.wide

#: Clocks in which whatever it is has happened.
_PATIENCE = 300_000


@pytest.fixture(params=short([{}, {"extents": "modes"}], [{"extents": "modes"}]))
def filing(request, tmp_path):
    """A bench whose drive is prepared."""
    path = tmp_path / "disk.img"
    prepare(path, sectors=4096, recordings=3, align=16 << 10)
    port = drive_port(sectors=4096)
    port.drive.image.write(0, path.read_bytes())
    configuration = Configuration(**FAST, **CORE, files=True, **request.param)
    with Compiled(configuration, port) as engine:
        for level in 1, 0:
            engine.set(rst=level)
            engine.run(4)
        yield CoreBench(engine, port)


def test_files(filing, seen):
    """Three files of frames: of a length, until `file_stop`, until the word with the mark."""
    b, engine = filing, filing.engine
    wait(b, searched)
    taken = []
    engine.set(frame_enable=1)
    for number in range(3):
        engine.source(Numbers(number))
        engine.set(frame_stream_id=10 + number, file_length=0 if number else 20 * 512 + 3,
                   file_start=1)
        engine.run(2)
        if number == 1:
            wait(b, lambda _: engine.state().taken >= 3000)
            engine.set(file_stop=1)
        elif number == 2:
            wait(b, lambda _: engine.state().taken >= 700)
            engine.set(s_axis_tlast=1)
            engine.run(40)
            engine.set(s_axis_tlast=0)
        wait(b, searched)
        told = engine.outputs()
        assert told["file_error"] == FileError.NONE and told["file_slot"] == number + 1
        taken.append(engine.state().taken)
        assert told["file_bytes"] % 512 == 0
    assert taken[0] == PAYLOAD
    drive = seen(b.image.read(0, 512 * 4096))
    assert verify(drive).problems == []
    for number, words in enumerate(taken):
        file = Bytes(drive.memmap(drive.find(number + 1)).tobytes())
        assert check(file, Numbers(number), 10 + number) == words
    assert b.violations() == []


def test_a_slot_that_is_full(filing, seen):
    """It ends in the middle of a frame: what was taken and is not there is told."""
    b, engine = filing, filing.engine
    wait(b, searched)
    engine.source(Numbers(1))
    engine.set(frame_enable=1, frame_stream_id=3, file_start=1)
    engine.run(2)
    wait(b, searched)
    told = engine.outputs()
    assert told["file_error"] == FileError.NONE
    drive = seen(b.image.read(0, 512 * 4096))
    found = good(Bytes(drive.memmap(drive.find(1)).tobytes()))
    for frame in found:
        assert frame.payload == Numbers(1).read(frame.first, frame.words)
    words = sum(frame.words for frame in found)
    assert words <= told["frame_kept"] <= words + PAYLOAD
    assert told["frame_kept"] < told["frame_offered"] - told["frame_lost"]
    assert 4 * told["frame_offered"] > told["file_bytes"]


def test_each_owner_has_its_own_end(filing):
    """What ends a file does not end a recording of the user's with frames, nor the other way round;
    a file that is refused meanwhile changes nothing."""
    b, engine = filing, filing.engine
    wait(b, searched)
    engine.set(frame_enable=1, frame_stream_id=1, file_length=60 * 512, file_start=1)
    engine.source(Numbers(1))
    engine.run(3000)
    engine.set(stop=1)
    wait(b, searched)
    told = engine.outputs()
    assert (told["file_error"], told["file_bytes"]) == (FileError.NONE, 49 * 512)
    engine.set(file_release=1)
    wait(b, lambda outputs: outputs["file_state"] == FileState.RELEASED)
    engine.set(s_axis_tlast=1, frame_stream_id=2)
    engine.source(Numbers(5))
    b.start(Operation.RECORD, 3000, 50)
    engine.run(2000)
    engine.set(file_stop=1)
    engine.run(300)
    engine.set(file_start=1)
    engine.run(2)
    assert engine.outputs()["file_error"] == FileError.RELEASED
    assert engine.run(_PATIENCE, Event.DONE)
    assert check(on_drive(b, 3000, 50), Numbers(5), 2) == 3 * PAYLOAD == engine.state().taken


def test_a_file_that_is_refused_takes_no_word(filing):
    b, engine = filing, filing.engine
    wait(b, searched)
    engine.source(Numbers(1))
    engine.set(frame_enable=1, file_length=1 << 40, file_start=1)
    engine.run(200)
    assert (engine.outputs()["file_error"], engine.state().taken) == (FileError.TOO_LONG, 0)
