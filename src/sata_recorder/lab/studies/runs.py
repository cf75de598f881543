"""One run of a reproduction: a drive, an operation, a pause between commands; and its results."""

import functools
from dataclasses import dataclass

from ...facts.ata import LBA48_COMMAND_SECTORS
from ...interface.configuration import Configuration
from ...firmware import Controller
from ..measurement import DriveOptions, HostOptions, Store, TransferOptions, as_data, execute, make_job
from ...simulation import Profile
from ...facts.units import DWORD_HZ, SECTOR_BYTES, SECTOR_WORDS


@dataclass(frozen=True, eq=False)
class Run:
    """``sectors`` from ``lba`` on, recorded or played in one operation.

    ``profile`` is the drive, ``link`` the fastest generation of the host's side, ``pause`` the
    host's turn-around between two commands in us, ``flush`` whether FLUSH CACHE follows a
    recording. ``expected`` MB/s only serve to estimate how long the run takes. With a
    ``controller``, firmware runs the loop, an operation for each command of ``command_sectors``.
    """

    profile: Profile
    link: int
    operation: str
    sectors: int
    lba: int = 0
    pause: float = 0.0
    flush: bool = False
    expected: float = 100.0
    controller: Controller | None = None
    command_sectors: int = LBA48_COMMAND_SECTORS

    def __hash__(self):
        return hash(self._identity)

    def __eq__(self, other):
        return isinstance(other, Run) and self._identity == other._identity

    def __str__(self):
        verb = "write" if self.operation == "record" else "read"
        pause = f", {self.pause:g} us pause" if self.pause else ""
        flush = " and flush" if self.flush else ""
        if self.controller is not None:
            pause = f", {self.controller.processor} at {self.controller.hz / 1e6:g} MHz"
        return f"{self.profile.name} {verb}{flush}{pause}, {self.sectors / 2048:g} MiB"

    @property
    def generation(self):
        """The generation of the link: the fastest that both sides have."""
        return min(self.link, self.profile.generation)

    @property
    def clock_hz(self):
        """The clock of the core: the dword rate of the link."""
        return DWORD_HZ[self.generation]

    @property
    def clocks(self):
        """About how many clocks the run takes."""
        return round(SECTOR_BYTES * self.sectors / self.expected / 1e6 * self.clock_hz)

    @functools.cached_property
    def _identity(self):
        """Everything that decides the result: no texts of the profile, and not ``expected``."""
        timing = self.profile.model_dump_json(exclude={
            "name", "model", "description", "source", "notes", "estimates", "fitted"})
        return (timing, self.generation, self.operation, self.sectors,
                self.lba, self.pause, self.flush, self.controller, self.command_sectors)

    def key(self):
        """The key under which its result is kept; raises :exc:`..measurement.JobError`."""
        return Store.key("reproduce", self.job().conditions())

    def job(self):
        """What is measured: the longest commands without firmware, and a clock at the line's rate.

        Raises :exc:`..measurement.JobError` for what is impossible.
        """
        operated = self.controller is not None
        configuration = Configuration(clock_hz=self.clock_hz,
                                      max_command_sectors=LBA48_COMMAND_SECTORS,
                                      **({"control": "axi-lite"} if operated else
                                         {"pacing": "programmable"}))
        return make_job(
            TransferOptions(operation=self.operation, lba=self.lba, sectors=self.sectors, flush=self.flush),
            DriveOptions(drive=self.profile, capacity=self.profile.capacity_sectors, generation=self.generation),
            host=HostOptions(config=configuration, controller=self.controller or "hardwired",
                             command_limit=self.command_sectors if operated else 0, turnaround_us=self.pause))

    def perform(self, progress):
        """Performs the run; the result as dictionaries. ``progress`` is called with fractions of 1."""
        total = SECTOR_WORDS * self.sectors

        def follow(phase, done, words):
            if phase in ("record", "play"):
                progress(done / total)
        return as_data(execute(self.job(), progress=follow))


class RunFigures:
    """The figures of a run's result: clocks as seconds, from the first command on."""

    def __init__(self, result):
        self.problems = result["problems"]
        self._transfer = result["transfers"][0] if result["transfers"] else None
        if self._transfer:
            self._hz = self._transfer["clock_hz"]
            self._detail = self._transfer["commands_detail"]

    @property
    def commands(self):
        """How many commands the run had."""
        return self._transfer["commands"]

    @property
    def seconds(self):
        """Seconds from the first command to the last status, FLUSH CACHE included."""
        return self._transfer["total"] / self._hz

    @property
    def rate(self):
        """MB/s over the whole run."""
        return self._transfer["bytes"] / self.seconds / 1e6

    def until(self, count):
        """Seconds that a run of only the first ``count`` commands takes.

        The core and the drive are deterministic and know of no command that is not yet issued, so
        such a run is the beginning of this one; the time that follows the last command here is added.
        """
        detail = self._detail
        if detail["thinned"] != 1:
            raise ValueError("the times of single commands are not kept for this many commands")
        origin = detail["start"][0]
        ends = [start + clocks - origin
                for start, clocks in zip(detail["start"], detail["clocks"])]
        ending = self._transfer["total"] - ends[-1]
        return (ends[count - 1] + ending) / self._hz

    @property
    def steady(self):
        """MB/s of the second half, up to the start of the last command whose time is kept."""
        starts, lbas = self._detail["start"], self._detail["lba"]
        half = len(starts) // 2
        size = SECTOR_BYTES * (lbas[-1] - lbas[half])
        return size * self._hz / (starts[-1] - starts[half]) / 1e6

    @property
    def period(self):
        """Mean seconds from the start of a command to that of the next, with one overhead each."""
        starts = self._detail["start"]
        return (starts[-1] - starts[0]) / (len(starts) - 1) / self._hz

    def blocks(self):
        """Seconds of each command with what follows it, up to the next."""
        starts = self._detail["start"]
        times = [(after - start) / self._hz for start, after in zip(starts, starts[1:])]
        return [*times, self.seconds - sum(times)]

    def overhead(self, part="total"):
        """Mean overhead of a command in us: in "total", or the part of "host", "drive" or "protocol"."""
        return self._transfer["overhead"][part]["mean"] / self._hz * 1e6

    def timeline(self):
        """Two lists: seconds, and bytes of payload up to then."""
        timeline = self._transfer["timeline"]
        return ([clock / self._hz for clock in timeline["clock"]],
                [4 * words for words in timeline["words"]])
