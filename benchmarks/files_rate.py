"""What files cost in rate: the same recording without the files stage and with it.

Every clock is simulated. So that an interval need not be waited for, the core is told a clock that is
slower than its own: its second is 13.3 ms. How long one update takes is measured, and what it costs
at each interval follows from that. It takes some minutes.
"""

import tempfile
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from sata_drive_model.medium.profile import load

from sata_recorder.interface.configuration import Configuration
from sata_recorder.core.drive_port import Operation
from sata_recorder.interface.file import FileError, FileState
from sata_recorder.interface.recording import RecordingMode
from sata_recorder.pc.volume import prepare
from sata_recorder.simulation import Compiled, Event, Pattern, Session
from sata_recorder.simulation.drive_package import drive_model, drive_port
from sata_recorder.facts.units import SECTOR_BYTES, SECTOR_WORDS
from tables import Table, markdown

CLOCK_HZ = 75e6
#: How much slower the clock is that the core is told.
SLOWER = 75
WORDS = 2 << 20
#: Sectors of a ring, and of the part of each segment.
RING, PART = 4096, 2048
CHUNK = 64
_CONTROLS = dict.fromkeys(("extend", "ahead", "words", "position", "part", "chunk", "segments"), 0)
#: (name, profile or None for a drive that answers at once)
DRIVES = (("at once", None), ("x25-e", "x25-e"), ("hds721050cla362", "hds721050cla362"))
#: (name, inputs of the mode, words after which a trigger comes)
MODES = (
    ("fixed", None, ()),
    ("ring", {"mode": RecordingMode.RING}, ()),
    ("segments", {"mode": RecordingMode.TRIGGERED, "part": PART, "chunk": CHUNK, "words": 50_000},
     tuple(n * 250_000 for n in range(1, 9))),
)
#: Seconds between two updates, of the table.
INTERVALS = 1, 10, 60
ACCOUNTS = ("payload", "activate_wait", "device_hold", "host_hold", "turnaround", "completion_wait")


class Result(NamedTuple):
    """``clocks`` from the start to the last word, ``rest`` from there to done, ``pauses`` the
    clocks of each update; ``ledger`` of the data."""

    clocks: int
    rest: int
    pauses: list
    ledger: object

    @property
    def rate(self):
        """MB/s."""
        return 4e-6 * WORDS / (self.clocks / CLOCK_HZ)


@contextmanager
def session(drive, modes, files):
    """(session, the first sector of a slot) on a prepared image."""
    model = drive_model(compiled=True)
    configuration = Configuration(clock_hz=CLOCK_HZ / SLOWER, files=files,
                                  extents="modes" if modes else "single")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "disk.img"
        layout = prepare(path, sectors=(4 * WORDS + (64 << 20)) // SECTOR_BYTES, recordings=1,
                         align=1 << 20,
                         recording_bytes=SECTOR_BYTES * RING if modes == "ring" else 4 * WORDS
                         if modes is None else 9 * SECTOR_BYTES * PART)
        profile = drive and load(drive)
        options = {} if profile is None else {
            "model": profile.model, "medium": model.Medium(profile.drawn(1), int(CLOCK_HZ))}
        image = model.DiskImage(path)
        port = drive_port(model.Drive(image, behaviour=model.Behaviour(), **options), model=model,
                          seed=1)
        with closing(image), Compiled(configuration, port) as engine:
            yield Session(engine, port), layout.slots[0]


def record(drive, name, mode, triggers, files, interval=0):
    """A recording of ``WORDS`` words, as a :class:`Result`."""
    with session(drive, name if mode else None, files) as (bench, slot):
        engine = bench.engine
        if mode:
            engine.set(**{f"recording_{name}": int(number) for name, number in (_CONTROLS | mode).items()})
        if files:
            engine.set(file_release=1)
        bench.bring_up()
        if files:
            engine.set(file_release=0)
            while engine.output("file_state") != FileState.READY:
                bench.run(1000)
        stops = bool(mode)
        engine.source(Pattern("random", 1, WORDS), mark=WORDS)
        bench.port.observer.reset()
        if files:
            engine.set(file_start=1, file_interval=interval, file_length=0 if stops else 4 * WORDS)
        else:
            engine.set(start=1, operation=Operation.RECORD_FLUSH, lba=slot.lba,
                       sectors=slot.sectors if stops else WORDS // SECTOR_WORDS)
        begin = engine.state().cycle
        pauses = follow(engine, triggers, files)
        last = engine.state().cycle
        if stops:
            engine.set(**{"file_stop" if files else "stop": 1})
        ledger = end(bench, files)
        error = engine.output("file_error" if files else "error")
        if error or bench.violations():
            raise SystemExit(f"{drive}, {name}: error {FileError(error).name if files else error}, "
                             f"{bench.violations()}")
        return Result(last - begin, engine.state().cycle - last, pauses, ledger)


def follow(engine, triggers, files):
    """Runs until the last word has been taken; the clocks of each update."""
    pauses, since, waiting = [], None, list(triggers)
    while not engine.run(100, Event.SOURCE):
        if waiting and engine.state().taken >= waiting[0]:
            waiting.pop(0)
            engine.set(recording_trigger=1)
        if not files:
            continue
        state, now = engine.output("file_state"), engine.state().cycle
        if state == FileState.CLOSING and since is None:
            since = now
        elif state == FileState.RECORDING and since is not None:
            pauses.append(now - since)
            since = None
    return pauses


def end(bench, files):
    """Runs to done; the ledger of the latest operation with data of the recording."""
    engine, ledger = bench.engine, None
    if not files:
        bench.wait(Event.DONE)
        return bench.ledger()
    before = None
    while engine.output("file_state") in (FileState.RECORDING, FileState.CLOSING):
        # It stays until the stage writes the log.
        found = bench.ledger()
        if ledger is None and found.accounts["payload"] and found == before:
            ledger = found
        before = found
    return ledger


def price(pause, interval):
    """The part of the time that updates of this many clocks take, in percent."""
    seconds = pause / CLOCK_HZ
    return f"{100 * seconds / (interval + seconds):.3f} %"


def measured(name, drive, *mode):
    """(name, without, with, with an interval) of a row."""
    return name, *(record(drive, *mode, *options) for options in ((False,), (True,), (True, 1)))


def text(results):
    """Both tables."""
    rate, books = [], []
    for name, without, files, updated in results:
        pauses = updated.pauses
        mean = sum(pauses) / len(pauses) if pauses else None
        rate.append((name, f"{without.rate:.2f}", f"{files.rate:.2f}",
                     f"{100 * (files.rate / without.rate - 1):+.4f} %",
                     f"{1e3 * without.rest / CLOCK_HZ:.3f}", f"{1e3 * files.rest / CLOCK_HZ:.3f}",
                     *(("-",) * 4 if mean is None else (
                         f"{1e3 * mean / CLOCK_HZ:.2f}", *(price(mean, n) for n in INTERVALS)))))
        drive, _, mode = name.partition(": ")
        if drive == DRIVES[0][0]:
            books += [(f"{mode}, {what}", *(f"{one.ledger.accounts[account]:,}" for account in ACCOUNTS))
                      for what, one in (("without", without), ("with files", files))]
    return (
        f"{4 * WORDS:,} bytes, a stream that always has a word, Gen2; a ring of "
        f"{SECTOR_BYTES * RING:,} bytes, parts of {SECTOR_BYTES * PART:,}:\n\n"
        + markdown(("drive: recording", "MB/s without", "with files", "difference",
                    "ms to `done`, without", "with files", "ms per update",
                    *(f"every {n} s" for n in INTERVALS)), rate)
        + f"\nThe ledger of the operation with the data, in clocks; drive: {DRIVES[0][0]}:\n\n"
        + markdown(("", *(f"`{account}`" for account in ACCOUNTS)), books))


TABLES = (
    Table("files.md", "rate", tuple((f"{told}: {mode[0]}", drive, *mode) for told, drive in DRIVES
                                    for mode in MODES), measured, text),
)
