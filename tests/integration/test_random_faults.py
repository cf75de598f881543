"""Random faults in random operations: an honest end each time, and a core that continues working."""

from hypothesis import given
from hypothesis import strategies as st
from integration.benches import CoreBench, clock_of
from integration.small import connect, content, works
from integration.test_random import CAPACITY, CORES, holds, lines
from sata_drive_model import Behaviour

from sata_recorder.interface.configuration import Configuration
from sata_recorder.simulation import Compiled, Event
from sata_recorder.core.drive_port import Operation

place = st.tuples(st.integers(0, 3), st.integers(0, 2050))
index = st.integers(0, 3)
few = st.integers(1, 3)
#: Faults of the drive: field of its behaviour and value.
drive_faults = st.one_of(
    st.tuples(st.just("fail_lba"), st.integers(0, 40)),
    st.tuples(st.just("fail_after_data"), few),
    st.tuples(st.just("fail_status"), st.sampled_from([0x51, 0x71, 0x11, 0x59])),
    st.tuples(st.just("good_status"), st.sampled_from([0x50, 0x51, 0x70, 0x10, 0x00])),
    st.tuples(st.sampled_from(["reject_command", "unknown_fis", "wrong_length", "short_length",
                               "bad_crc", "refuse_command", "escape_command"]), few),
    st.tuples(st.sampled_from(["short_data", "extra_data"]), st.integers(1, 127)),
    st.tuples(st.sampled_from(["bad_data_crc", "refuse_data"]), index),
    st.tuples(st.sampled_from(["dmat_data", "escape_write", "escape_read", "stuck_read",
                               "stuck_write"]), place),
    st.tuples(st.just("mute"), st.frozensets(st.sampled_from(
        ["command", "activate", "data", "status", "r_rdy", "r_ok"]), min_size=1, max_size=1)))
#: Faults of the line, at a clock of the operation.
line_faults = st.tuples(st.sampled_from(["errors", "fall", "unplug"]), st.integers(1, 6000))
operations = st.sampled_from([Operation.PLAY, Operation.RECORD, Operation.RECORD_FLUSH])
steps = st.tuples(operations, st.integers(0, 40), st.integers(1, 40), holds,
                  st.lists(drive_faults, max_size=2), st.none() | line_faults, st.integers(1, 30))

FAULTS = ("fail_lba", "fail_after_data", "fail_status", "good_status", "reject_command",
          "unknown_fis", "wrong_length", "short_length", "bad_crc", "refuse_command",
          "escape_command", "short_data", "extra_data", "bad_data_crc", "refuse_data", "dmat_data",
          "escape_write", "escape_read", "stuck_read", "stuck_write", "mute")
FRIENDLY = Behaviour()


def disturbed(b, step, number, disk):
    """One operation with its faults; checks what it reports; True if it was a success."""
    operation, lba, sectors, hold, faults, line, length = step
    lba += number
    data = content(number, sectors)
    drive, image = b.drive, b.image
    for name, value in faults:
        setattr(drive.behaviour, name, value)
    b.engine.source(data, hold=hold)
    b.engine.sink(128 * sectors, hold=hold)
    b.start(operation, lba, sectors)
    b.run(1)
    if line:
        what, clocks = line
        if not b.engine.run(clocks, Event.DONE):
            if what == "errors":
                b.port.inject_rx_error(length)
            elif what == "fall":
                b.port.drop_link(length + 2)
            else:
                b.port.unplug()
    if not b.outputs()["done"]:
        b.wait(Event.DONE)
    outputs = b.outputs()
    b.run(8)
    state, error, done = b.engine.state(), outputs["error"], outputs["sectors_done"]

    for name in FAULTS:
        setattr(drive.behaviour, name, getattr(FRIENDLY, name))
    if b.port.drive is None:
        b.port.plug(drive)
    where = slice(lba * 512, (lba + sectors) * 512)
    now = bytearray(image.read_sectors(0, CAPACITY))
    # What was not asked for is not touched.
    assert now[:where.start] + now[where.stop:] == disk[:where.start] + disk[where.stop:]
    assert done <= sectors and (done == sectors or error)
    if operation == Operation.PLAY:
        assert now == disk and outputs["words"] == state.received
        if not error:
            assert state.received == 128 * sectors and b.engine.received() == now[where]
            assert (state.lasts, state.last_at) == (1, state.received - 1)
        # Sectors of completed commands were sound, as far as they were delivered.
        sound = min(512 * done, 4 * state.received)
        assert b.engine.received()[:sound] == now[where][:sound]
    else:
        assert outputs["words"] == state.taken <= 128 * sectors
        assert now[where][:512 * done] == data[:512 * done]
        assert error or state.taken == 128 * sectors
        disk[:] = now       # the range in doubt is what it is
    if not error:
        assert not b.disagreements(), b.disagreements()
    return not error


@given(seed=st.integers(0, 1 << 32), hostile=st.booleans(), core=st.sampled_from(CORES),
       line=lines, lba48=st.booleans(), todo=st.lists(steps, min_size=1, max_size=5))
def test_random_faults(seed, hostile, core, line, lba48, todo):
    port = connect(seed=seed, behaviour=Behaviour.random(seed) if hostile else Behaviour(),
                   sectors=CAPACITY, line=line, unit={"lba48": lba48})
    disk = bytearray(content(seed, CAPACITY))
    port.drive.image.write(0, disk)
    with Compiled(Configuration(**core), clock_of(port)) as engine:
        b = CoreBench(engine, port, limit=400_000)
        assert b.bring_up()["ready"]
        noise = False
        for number, step in enumerate(todo):
            disturbed(b, step, number, disk)
            noise |= bool(step[5]) and step[5][0] == "errors"
            works(b, seed=number, lba=150 + number, sectors=5, clean=not noise)
            disk[(150 + number) * 512:(155 + number) * 512] = content(number, 5)
            assert b.image.read_sectors(0, CAPACITY) == disk
