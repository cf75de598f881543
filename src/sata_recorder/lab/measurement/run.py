"""One job on a running engine: record, play back, compare."""

from typing import Any

from ...facts.ata import FIRMWARE_WORDS, MODEL_WORDS, SERIAL_WORDS
from ...core.drive_port import Error
from ...simulation import Gapped, Session, Timeline, drive_port, line_rate
from ...facts.units import SECTOR_BYTES, SECTOR_WORDS
from .comparison import Comparison, Tally
from .drive_health import smart_reading
from .source_stage import beat_rate, unit_bytes
from .transfer import SourceReport, Transfer

#: Clocks between the first samples of a timeline.
_STRIDE = 2048
#: Added to the longest silence that the core itself permits the drive.
_PATIENCE_SECONDS = 5
#: Bytes with which a disk is filled at a time.
_PIECE_BYTES = 1 << 20


class MeasurementRun:
    """The disk and the drive of ``job``, and what is found when they run.

    ``progress`` is called with the name of a phase, the words that are through and the words in
    all; ``model`` is the drive model's package. Members: ``port`` is what the engine's drive must
    be; after :meth:`perform`, ``transfers`` and ``problems`` (texts; none if all is well), and
    ``smart``, the :class:`...pc.maintenance.SmartReading` before and after, if the job has it. Close it
    at the end.
    """

    #: What becomes of an operation.
    _transfer = Transfer

    def __init__(self, job, progress, model):
        self.job = job
        self.problems = []
        self.transfers = []
        self.smart = ()
        self._report = progress
        self._engine = self._session = None
        self._data = job.data
        if job.input_rate is not None:
            self._data = Gapped(job.data, lambda first: self._engine.gaps(first), unit_bytes(job.configuration))
        self._words = job.sectors * SECTOR_WORDS
        self._image = self._made_image(model)
        self.port = self._made_port(model)

    def _made_port(self, model):
        job = self.job
        return drive_port(job.drive(model, self._image), model=model, generation=job.generation, seed=job.seed,
                          line_rate=line_rate(job.configuration.clock_hz, job.generation))

    def _made_image(self, model):
        job = self.job
        if job.backend == "qemu":
            return self._qemu_disk(model)
        if job.image is not None or job.data is None or job.recording is not None:
            return model.DiskImage(job.image, sectors=job.capacity,
                                   writable=job.operation != "play")
        return model.GeneratedImage(
            sectors=job.capacity, extent=(job.lba, job.sectors), filled=job.operation == "play",
            expected=lambda offset, size: self._expected(offset - SECTOR_BYTES * job.lba, size))

    def _qemu_disk(self, model):
        """QEMU's disk on the image, or on a temporary file that holds what is to be played."""
        job = self.job
        disk = model.QemuDisk(job.image, sectors=job.capacity, writable=job.operation != "play"
                              or job.image is None)
        if job.operation == "play" and job.image is None:
            size = SECTOR_BYTES * job.sectors
            for offset in range(0, size, _PIECE_BYTES):
                piece = self._expected(offset, min(_PIECE_BYTES, size - offset))
                disk.write(SECTOR_BYTES * job.lba + offset, piece)
        return disk

    def close(self):
        """Closes the disk."""
        self._image.close()

    def perform(self, engine):
        """Brings the core up on ``engine`` and does the operations.

        Returns what is known of the drive: its ``model``, ``serial``, ``firmware``, ``capacity``
        and ``lba48``.
        """
        job = self.job
        self._engine = engine
        self._session = session = Session(engine, self.port, generation=job.generation,
                                          limit=patience(job))
        if job.controller is not None:
            engine.set(operation_sectors=job.controller.operation_sectors(job.configuration,
                                                                          job.command_limit))
        elif job.configuration.pacing == "programmable":
            engine.set(command_limit=job.command_limit, turnaround=job.turnaround_clocks)
        outputs = session.bring_up()
        if not outputs["ready"]:
            self.problems.append(f"bring-up ended with error {error_text(outputs)}")
            page = bytes(SECTOR_BYTES)
        else:
            page = session.identify()
            before = smart_reading(session, job.backend == "model") if job.smart else None
            if job.operation == "play" or self._record():
                if job.operation != "record":
                    self._play()
            if job.smart:
                self.smart = before, smart_reading(session, job.backend == "model")
        self.problems += [f"violation at {text}" for text in session.violations()]
        return identity(page, outputs)

    def _record(self):
        """Records; False if that failed."""
        job = self.job
        tally = Tally(job.data)
        self._follow("record")
        outcome = self._session.record(tally, job.lba, job.sectors, hold=job.host_hold,
                                       flush=job.flush, rate=beat_rate(job), depth=job.fifo_words)
        source = None
        if job.input_rate is not None:
            source = SourceReport.of(job, self._engine.state(), self._data)
            self.problems += source.counted_otherwise(job, outcome)
        crc = 0 if outcome.error else self._check_image(tally)
        return self._finish("record", outcome, crc, source)

    def _play(self):
        """Plays, and checks what came."""
        job = self.job
        comparison = Comparison(self._stored if job.operation == "play" else self._expected)
        self._follow("play")
        outcome = self._session.play(job.lba, self._words // SECTOR_WORDS, hold=job.host_hold, consumer=comparison)
        if not self._finish("play", outcome, comparison.crc, None):
            return
        if comparison.difference:
            self.problems.append("the stream played back differs from what it must be, "
                                 + comparison.difference)
        if job.operation == "play" and job.kept_images and job.data is not None:
            self._compare("the stream played back", job.data.size)
        words = self._words
        # Each operation of the core ends with tlast.
        lasts = len(self.port.observer.commands) if job.single_commands else 1
        if (outcome.received, outcome.lasts, outcome.last_at) != (words, lasts, words - 1):
            self.problems.append(
                f"play: {outcome.received} words with {outcome.lasts} tlast, the latest at "
                f"{outcome.last_at}, instead of {words} with {lasts}, one at the end")

    def _follow(self, phase):
        """Reports the progress of what follows, and samples its timeline."""
        total = self._words
        self._report(phase, 0, total)
        self._session.progress = lambda _: self._report(phase, min(self._payload(), total), total)
        self._session.timeline = Timeline(self.job.samples, _STRIDE) if self.job.samples else None

    def _finish(self, operation, outcome, crc, source):
        """Books the operation; False if it failed."""
        job, outputs, total = self.job, outcome.outputs, self._words
        self._report(operation, total if not outcome.error else outputs["words"], total)
        transfer = self._transfer.of(job, operation, outcome, self._session, crc32=crc, source=source)
        self.transfers.append(transfer)
        if outcome.error:
            self.problems.append(f"{operation} ended with error {error_text(outputs)} after "
                                 f"{outputs['sectors_done']} of {job.sectors} sectors")
            return False
        self._check_ledger(operation, transfer)
        return True

    def _payload(self):
        """Words of payload that have crossed so far."""
        return self.port.observer.payload

    def _commands(self):
        """What the analyser knows about each command."""
        return self.port.observer.commands

    def _check_ledger(self, operation, transfer):
        """Checks that the accounts of core and analyser agree, and add up."""
        self.problems += [f"{operation}: the ledgers of core and drive model disagree: {text}"
                          for text in self._session.disagreements()]
        for record in self._commands():
            if record.overhead is not None and sum(record.overhead_split) != record.overhead:
                self.problems.append(
                    f"{operation}: the overhead at LBA {record.lba} does not add up")
        self._check_payload(operation, transfer)

    def _check_payload(self, operation, transfer):
        words = transfer.ledger.accounts["payload"]
        if words != self._words:
            self.problems.append(f"{operation}: {words} words of payload in the ledger instead of {self._words}")

    def _check_image(self, tally):
        """Compares what is stored with what was recorded; returns its CRC."""
        compared = self.job.image is None and self.job.backend == "model"
        whole = tally.crc is not None and tally.position == self._words
        if compared and whole and self._image.unexpected() is None:
            return tally.crc    # the image compared every sector when it was written
        return self._compare("the image", SECTOR_BYTES * self.job.sectors)

    def _compare(self, what, size, stored=None):
        """Compares the first ``size`` bytes that ``stored`` gives (None: those of the image) with the data; returns
        their CRC."""
        comparison = Comparison(self._expected).run(stored or self._stored, size)
        if comparison.difference:
            self.problems.append(f"{what} differs from what it must be, {comparison.difference}")
        return comparison.crc

    def _expected(self, offset, size):
        return self._data.read(offset // 4, -(-size // 4))[:size]

    def _stored(self, offset, size):
        return self._image.read(SECTOR_BYTES * self.job.lba + offset, size)


def identity(page: bytes, outputs: dict[str, int]) -> dict[str, Any]:
    """What is known about a drive, by name, from its IDENTIFY DEVICE data ``page`` and the ``outputs`` of the core:
    ``model``, ``serial``, ``firmware``, ``capacity`` and ``lba48``."""
    return {"model": _text(page, MODEL_WORDS), "serial": _text(page, SERIAL_WORDS),
            "firmware": _text(page, FIRMWARE_WORDS), "capacity": outputs["capacity"],
            "lba48": bool(outputs["lba48"])}


def patience(job: Any) -> int:
    """Clocks without progress that can only mean that the core is stuck."""
    configuration = job.configuration
    longest = max(configuration.signature_timeout, configuration.identify_timeout,
                  configuration.command_timeout, configuration.flush_timeout,
                  configuration.recovery_timeout)
    return configuration.clocks(longest + _PATIENCE_SECONDS) + job.turnaround_clocks


def error_text(outputs: dict[str, int]) -> str:
    """The error of the core, and the registers of the drive, from ``outputs`` by the names of the core's ports."""
    return (f"{Error(outputs['error']).name} ({outputs['error']}), drive status "
            f"{outputs['drive_status']:02x}h, drive error {outputs['drive_error']:02x}h")


def _text(page, words):
    """The string in these ``words`` of IDENTIFY DEVICE data: two characters per word, the first in
    bits 15:8."""
    pairs = (page[2 * n:2 * n + 2][::-1] for n in words)
    return b"".join(pairs).decode("ascii", "replace").strip(" \0")
