"""An array that makes files of what it records, on drives that keep all that was written to them, and what those files
must be."""

from integration.benches import port_of
from integration.files_station import LoggedImage
from integration.test_file_recorder import TIME
from sata_drive_model import Behaviour, Drive

from sata_recorder.interface.file import FileError, FileState
from sata_recorder.pc.volume import verify
from sata_recorder.simulation.pattern import Bytes

#: Clocks between two looks at what the user is told.
_LOOK = 20
STATES = {FileState.READY, FileState.FULL}


class ArrayRecorder:
    """An array that was reset, on drives with these ``contents`` and the options ``unit``. ``bench_of`` makes its bench
    of the ports; all that it waits for must come before the clock ``limit``. ``promises`` has (clock, slot, bytes) of
    each time that the user was told of the bytes of a file."""

    def __init__(self, contents, bench_of, *, limit, **unit):
        self.images = [LoggedImage(content) for content in contents]
        ports = [port_of(Drive(image, behaviour=Behaviour(completion_latency=40 + 70 * lane, activate_latency=20),
                               serial=f"LANE{lane}", **unit), seed=lane) for lane, image in enumerate(self.images)]
        for image in self.images:
            image.unit = unit.get("logical_sector", 512) // 512
            image.clock_of = lambda: self.clock
        self.bench, self._limit = bench_of(ports), limit
        self.promises, self._told = [], 0
        for level in 1, 0:
            self.bench.engine.set(rst=level)
            self.bench.run(4)

    @property
    def clock(self):
        return self.bench.engine.state().cycle

    def until(self, states):
        while True:
            outputs = self.bench.outputs()
            if outputs["file_bytes"] != self._told:
                self._told = outputs["file_bytes"]
                if self._told:
                    self.promises.append((self.clock, outputs["file_slot"], self._told))
            if outputs["file_state"] in states:
                return outputs
            assert self.clock < self._limit, outputs
            self.bench.run(_LOOK)

    def record(self, data, unplug=None):
        """A recording that becomes a file, in which a lane is unplugged; its slot."""
        assert self.until(STATES)["file_state"] == FileState.READY
        self.bench.engine.source(Bytes(data))
        self.bench.engine.set(file_length=len(data), file_start=1, file_time=TIME.seconds, file_time_valid=1)
        self.bench.run(2)
        if unplug is not None:
            self.bench.run(5000)
            self.bench.ports[unplug].unplug()
        outputs = self.until({*STATES, FileState.SEARCHING})
        assert outputs["file_error"] == FileError.NONE, outputs
        return outputs["file_slot"]


def check_files(volume, data, promises, clock, whole):
    """What the user was told of before the ``clock`` is there; what is there is right, and ``whole`` if nothing is left
    for the hardware to do. The recordings by slot."""
    found = {one.slot: one for one in volume.recordings if one.is_file}
    for when, slot, size in promises:
        assert when > clock or slot in found and found[slot].bytes >= size
    for slot, recording in found.items():
        assert volume.read(recording, "uint8").tobytes() == data[slot][:recording.bytes]
    assert not whole or verify(volume).problems == []
    return found
