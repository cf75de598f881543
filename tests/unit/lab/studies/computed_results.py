"""Results as a measurement gives them, computed by a formula instead of a run."""

from sata_recorder.lab.studies.media import MediumRun
from sata_recorder.simulation import ACCOUNTS, WHOSE

__all__ = ["FIRMWARE_TICKS", "STAY_CLOCKS", "computed", "performed"]

#: What firmware takes between two commands: clocks of its processor, and of the core.
FIRMWARE_TICKS, STAY_CLOCKS = 300, 150


def computed(run, *, problems=()):
    """What a run would say if the medium's rate and the latency of a command were all."""
    if isinstance(run, MediumRun):
        return {"value": 12.5, "problems": list(problems)}
    side = run.profile.write if run.operation == "record" else run.profile.read
    knots = side.knots or ((0.0, 150.0 * run.generation),)
    rate = knots[0][1] * run.profile.scale
    size = min(65536 if run.profile.lba48 else 256, run.command_sectors)
    clock_hz = run.clock_hz
    count = run.sectors // size
    payload = 512 * size / rate / 1e6
    latency = side.command_us * 1e-6
    clocks = round((payload + latency) * clock_hz)
    gap = round(run.pause * 1e-6 * clock_hz)
    if run.controller is not None:
        gap += STAY_CLOCKS + round(FIRMWARE_TICKS * clock_hz / run.controller.hz)
    overhead = round(latency * clock_hz) + gap
    total = count * clocks + (count - 1) * gap
    if run.flush:
        total += round(run.profile.write.flush_us * 1e-6 * clock_hz)
    starts = [1000 + number * (clocks + gap) for number in range(count)]
    points = range(1, 201)
    statistics = {"count": count - 1, "minimum": overhead, "mean": overhead, "maximum": overhead,
                  "histogram": []}
    return {"problems": list(problems), "transfers": [{
        "clock_hz": clock_hz, "total": total, "commands": count, "bytes": 512 * run.sectors,
        "ledger": [{"account": name, "whose": WHOSE[name], "clocks": 0} for name in ACCOUNTS],
        "overhead": dict.fromkeys(("host", "drive", "protocol", "recovery", "total"), statistics),
        "timeline": {"clock": [total * point // 200 for point in points],
                     "words": [128 * run.sectors * point // 200 for point in points]},
        "commands_detail": {"thinned": 1, "start": starts, "clocks": [clocks] * count,
                            "lba": [run.lba + size * number for number in range(count)]},
    }]}


def performed(runs, *, store=None, processes=1, fresh=False, progress=None):
    """Stands for ``parallel.perform``."""
    return {run: computed(run) for run in runs}
