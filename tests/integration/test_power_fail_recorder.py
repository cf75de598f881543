"""The recorder as it is exported with `power_fail`, whatever is in it: after `power_safe` nothing is in
the drive's cache, and what was said to be recorded is there; a file is whole, or was none before."""

import random

import pytest
from integration.benches import FAST, CoreBench, port_of
from integration.framed import CORE
from integration.modes import Numbers
from integration.test_file_recorder import searched, wait
from sata_drive_model import Behaviour, DiskImage, Drive, Health, VolatileImage
from short import short
from unit.bricks.frames.framed import Bytes

from sata_recorder.interface.configuration import Configuration
from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.interface.file import FileError, FileState
from sata_recorder.interface.recording import RecordingMode
from sata_recorder.pc.volume import prepare, verify
from sata_recorder.simulation import Compiled, Event
from sata_recorder.pc.vita49 import Lost, frames

pytestmark = pytest.mark.wide

SECTORS, LBA, ROOM = 4096, 1000, 300
#: Clocks in which whatever it is has happened.
_PATIENCE = 300_000
SLOW = {"command_latency": 60, "completion_latency": 40, "activate_latency": 20}


class SwitchedOffCore:
    """A core whose drive loses all of its cache when it is switched off."""

    def __init__(self, content=None, loss=1.0, seed=0, **options):
        self.disk = DiskImage(sectors=SECTORS)
        if content is not None:
            self.disk.write(0, content)
        image = VolatileImage(self.disk, loss=loss, seed=seed)
        drive = Drive(image, behaviour=Behaviour(**SLOW), health=Health())
        port = port_of(drive)
        self.engine = Compiled(Configuration(**FAST | CORE | options), port)
        self.b = CoreBench(self.engine, port)
        for level in 1, 0:
            self.engine.set(rst=level)
            self.engine.run(4)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.engine.close()

    def get(self, name):
        return self.engine.output(name)

    def content(self):
        return self.disk.read(0, 512 * SECTORS)

    def fail(self, most=_PATIENCE):
        """Power fails; runs until the drive is safe, and is switched off."""
        self.engine.set(power_fail=1)
        wait(self.b, lambda outputs: outputs["power_safe"] or outputs["power_failed"], most)
        assert self.get("power_safe") and not self.get("power_failed") and self.get("busy")
        self.off()
        assert self.b.image.lost == [], "after power_safe nothing is in the cache"

    def off(self):
        self.b.image.power_off()


@pytest.fixture
def board():
    made = []

    def make(**options):
        made.append(SwitchedOffCore(**options))
        return made[-1]

    yield make
    for one in made:
        one.engine.close()


def ready(board):
    board.b.wait(Event.READY)
    return board


#: With this each stage that can be above a core is there, but that of files.
ALL = {"extents": "modes"}

MODES = {
    "single": ({}, {}),
    "fixed": (ALL, {"recording_mode": RecordingMode.FIXED}),
    "ring": (ALL, {"recording_mode": RecordingMode.RING}),
    "segments": (ALL, {
        "recording_mode": RecordingMode.TRIGGERED, "recording_part": 40, "recording_chunk": 8,
        "recording_words": 900}),
    "frames": (ALL, {"frame_enable": 1, "frame_stream_id": 3}),
    "frames of a ring": (ALL, {
        "recording_mode": RecordingMode.RING, "frame_enable": 1, "frame_stream_id": 3}),
}


@pytest.mark.parametrize("clocks", short([0, 1, 2, 9, 12, 40, 900, 3000, 9000, 20_000, 35_000],
                                         [1, 12, 9000]))
@pytest.mark.parametrize("kind", [*MODES])
def test_a_recording_is_stopped(board, kind, clocks):
    """At any moment: all words that were taken are on the drive."""
    options, controls = MODES[kind]
    one = ready(board(**options))
    engine, words = one.engine, Numbers(1 << 20)
    engine.source(words)
    sectors = 40 if "ring" in kind else ROOM
    engine.set(**controls)
    one.b.start(Operation.RECORD, LBA, sectors)
    engine.run(clocks + 1)
    if kind == "segments":
        engine.set(recording_trigger=1)
    ended = engine.run(1, Event.DONE)
    one.fail()
    taken = engine.state().taken
    assert clocks < 9000 or taken
    assert engine.outputs()["power_error"] == Error.NONE
    # What has a status of the drive is what `power_sectors` names: all that was begun.
    written = -(-taken // 128)
    assert ended or one.get("power_sectors") >= written
    found = one.disk.read_sectors(LBA, sectors)
    if "frames" in kind:
        check_frames(found, words, taken, ring="ring" in kind)
    elif kind == "ring":
        data = words.read(0, taken).ljust(512 * written, b"\0")
        for sector in range(max(0, written - sectors + 8), written):
            assert found[512 * (sector % sectors):][:512] == data[512 * sector:][:512]
    elif kind != "segments":
        assert found.rstrip(b"\0") == words.read(0, taken).rstrip(b"\0")
    else:
        # Whatever segments there are, the words that came last are in one of them.
        latest = words.read(max(0, taken - 30), min(30, taken))
        assert all(latest[at:at + 4] in found for at in range(0, len(latest), 4))
    assert one.b.violations() == []


def check_frames(found, words, taken, *, ring):
    """Each word that was taken is in a frame, but in a ring those that were written over."""
    good = [frame for frame in frames(Bytes(found)) if not isinstance(frame, Lost)]
    if not taken:
        assert not any(frame.words for frame in good)
        return
    good.sort(key=lambda frame: frame.first)
    assert good[-1].next_word == taken and good[-1].last
    assert ring or good[0].first == 0
    for before, after in zip(good, good[1:]):
        assert before.next_word == after.first
    for frame in good:
        assert frame.payload == words.read(frame.first, frame.words)


@pytest.mark.parametrize("options", [{}, ALL], ids=["single", "modes"])
@pytest.mark.parametrize("operation, registers", [
    (Operation.PLAY, {"command": 0xEC, "pio": 1, "blocks": 1}),
    (Operation.RECORD, {"command": 0x06, "features": 1, "count": 1, "blocks": 1}),
    (Operation.FLUSH, {"command": 0xE5})], ids=["PIO in", "DMA out", "no data"])
def test_a_command_that_runs(board, options, operation, registers):
    """COMMAND is the user's in any configuration, and comes to its end; the next one is STANDBY
    IMMEDIATE, with its own registers."""
    one = ready(board(**options))
    found = one.b.command(operation, data=bytes(512) if operation == Operation.RECORD else b"",
                          **registers)
    assert found.error == Error.NONE and one.b.drive.completed[-1].command == registers["command"]
    blocks = registers.get("blocks", 0)
    one.engine.set(task_operation=1, task_command=registers["command"],
                   task_count=registers.get("count", 0), task_features=registers.get("features", 0),
                   task_pio=registers.get("pio", 0))
    one.engine.sink(128)
    one.engine.source(Numbers(0))
    one.b.start(operation, 0, blocks)
    one.engine.run(40)
    one.fail()
    assert [done.command for done in one.b.drive.completed][-2:] == [registers["command"], 0xE0]
    assert one.get("power_error") == Error.NONE and one.b.violations() == []


def test_a_command_is_no_recording(board):
    """What the modes are told stays as it is, and no word of a COMMAND is one of a recording."""
    one = ready(board(**ALL))
    one.engine.set(recording_mode=RecordingMode.TRIGGERED, recording_part=8, recording_words=5)
    found = one.b.command(Operation.RECORD, data=random.Random(1).randbytes(4 * 512), lba=LBA,
                          blocks=4, count=4, command=0x35)
    assert found.error == Error.NONE
    assert one.disk.read_sectors(LBA, 4) == random.Random(1).randbytes(4 * 512)
    assert one.get("recording_segment_count") == 0 and one.get("recording_state") == 0
    assert one.get("recording_triggers") == 0


FILES = {"core": {"files": True}, "all": {"files": True, **ALL}}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    path = tmp_path_factory.mktemp("power") / "disk.img"
    prepare(path, sectors=SECTORS, recordings=3, align=16 << 10)
    return path.read_bytes()


#: Inputs with which files are recorded in turn.
KINDS_OF_FILES = [{"recording_mode": RecordingMode.FIXED}, {"recording_mode": RecordingMode.RING},
                  {"frame_enable": 1, "frame_stream_id": 3}]
#: What the user does until the power fails: the clocks of `file_start`, when the table is read and the drive
#: is proved, and of `file_stop`; the end of all.
_BEGIN, _STOP, _END = 20_000, 25_000, 33_000


def recorded(one, clocks, **controls):
    """A user who records a file, up to this clock; the outputs when he was told that it is one."""
    engine, told = one.engine, None
    engine.source(Numbers(7))
    engine.set(**controls)
    for begin, inputs in (0, {}), (_BEGIN, {"file_start": 1}), (_STOP, {"file_stop": 1}):
        if clocks < begin:
            break
        engine.set(**inputs)
        until = {0: _BEGIN, _BEGIN: _STOP, _STOP: _END}[begin]
        for _ in range(min(clocks, until) - begin):
            engine.run(1)
            if one.get("file_done"):
                told = engine.outputs()
        assert clocks < _BEGIN or begin or one.get("file_ready"), "the table is not read yet"
    return told


@pytest.mark.parametrize("kind", short([*FILES], ["all"]))
@pytest.mark.parametrize("count", short([3, 60], [3]))
@pytest.mark.parametrize("safe", [True, False], ids=["safe", "cut before"])
def test_files_in_every_phase(board, prepared, seen, kind, count, safe):
    """While the table is read, before and after the start, while words come, while log and directory
    are written, and while the next slot is looked for."""
    rng = random.Random(kind)
    moments = [_STOP + 1, *(_BEGIN + rng.randrange(_END - _BEGIN) for _ in range(count)),
               rng.randrange(200, _BEGIN), _BEGIN, _BEGIN + 1]
    ends = set()
    for number, clock in enumerate(moments):
        one = board(content=prepared, loss=1.0 if safe else 0.5, seed=number, **FILES[kind])
        told = recorded(one, clock, **KINDS_OF_FILES[number % 3] if kind == "all" else {})
        if safe:
            one.fail()
            assert one.get("file_state") == FileState.RELEASED and not one.get("file_ready")
            ends.add(one.get("file_error") if clock >= _BEGIN else None)
        else:
            one.engine.set(power_fail=1)
            one.engine.run(rng.randrange(1, 4000))
            one.off()
        check_disk(one, seen, told, safe and clock > _BEGIN + 500,
                   framed=kind == "all" and number % 3 == 2)
    assert not safe or FileError.NONE in ends


def check_disk(one, seen, told, must_be, *, framed):
    """The file system is in order, and a file has its words; there is one if that ``must_be``."""
    drive = seen(one.content())
    result = verify(drive)
    if must_be:
        assert result.problems == []
    files = [recording for recording in drive.recordings if recording.is_file]
    assert len(files) >= (must_be or bool(told and not told["file_error"]))
    for recording in files:
        data = drive.read(recording).tobytes()
        if framed:
            check_frames(data, Numbers(7), one.get("frame_kept"), ring=False)
        else:
            assert data == Numbers(7).read(recording.segments[0].first_word if recording.segments
                                           else 0, len(data) // 4)


def test_the_core_comes_back(board, prepared, seen):
    """Power was only about to fail: the next recording is as if nothing had been."""
    one = board(content=prepared, **FILES["all"])
    recorded(one, _BEGIN + 3000)
    one.fail()
    # No start counts, and a file is refused.
    one.engine.set(start=1, operation=Operation.FLUSH, file_start=1)
    one.engine.run(2)
    assert one.get("file_error") == FileError.RELEASED
    assert not one.engine.run(3000, Event.DONE)
    one.engine.set(power_fail=0)
    one.engine.run(3)
    assert not one.get("power_safe") and one.get("busy")
    wait(one.b, searched)
    one.engine.source(Numbers(9))
    one.engine.set(file_start=1, file_length=5000)
    one.engine.run(2)
    wait(one.b, searched)
    assert (one.get("file_error"), one.get("file_slot")) == (FileError.NONE, 2)
    drive = seen(one.content())
    assert verify(drive).problems == []
    assert drive.read(drive.find(2)).tobytes() == Numbers(9).read(0, 1250)


def test_the_users_core_is_stopped(board, prepared):
    """While files are released: a recording of the user's own."""
    one = board(content=prepared, **FILES["all"])
    wait(one.b, searched)
    one.engine.set(file_release=1)
    wait(one.b, lambda outputs: outputs["file_state"] == FileState.RELEASED)
    one.engine.source(Numbers(3))
    one.b.start(Operation.RECORD, SECTORS - 100, 90)
    one.engine.run(4000)
    one.engine.set(file_release=0)
    one.fail()
    taken = one.engine.state().taken
    assert taken > 1000 and one.get("power_sectors") >= taken // 128
    assert one.disk.read_sectors(SECTORS - 100, 90)[:4 * taken] == Numbers(3).read(0, taken)


@pytest.mark.parametrize("options", [{}, {"files": True, **ALL}], ids=["core", "files"])
def test_without_a_drive(board, prepared, options):
    one = board(content=prepared, **options)
    if not options:
        ready(one)
    else:
        wait(one.b, searched)
    one.b.port.unplug()
    one.engine.run(100)
    one.engine.set(power_fail=1)
    wait(one.b, lambda outputs: outputs["power_failed"])
    assert not one.get("power_safe") and one.get("busy")
    one.engine.set(power_fail=0)
    one.engine.run(4)
    assert not one.get("power_failed") and not one.get("ready")


@pytest.mark.parametrize("options", [{}, {"files": True, **ALL}], ids=["core", "files"])
@pytest.mark.parametrize("clocks", short([0, 40, 300], [40]))
def test_link_that_falls_while_the_drive_writes_its_cache(board, prepared, options, clocks):
    """The core brings the drive up within its recovery; STANDBY IMMEDIATE is issued once more."""
    one = board(content=prepared, **options)
    if options:
        recorded(one, _BEGIN + 3000)
    else:
        ready(one)
        one.engine.source(Numbers(7))
        one.b.start(Operation.RECORD, LBA, 20)
        assert one.b.wait(Event.DONE) is not None and one.get("error") == Error.NONE
    one.b.drive.behaviour.other_latency = 500
    one.engine.set(power_fail=1)
    while not one.b.drive.command == 0xE0:
        one.engine.run(1)
    one.engine.run(clocks)
    one.b.port.drop_link(50)
    wait(one.b, lambda outputs: outputs["power_failed"])
    wait(one.b, lambda outputs: outputs["power_safe"])
    one.fail()
