"""Published figures of flash and disks next to the models of the inside of a drive.

These runs have no core and no link: only the medium's model is used, command by command, as a host at its limit
would. Each table states that.
"""

import functools
import hashlib
import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sata_drive_model.disk import DiskDrive, DiskMedium, disk_profile
from sata_drive_model.flash import FlashDrive, FlashPace, Life, Timing, Work, load_flash_drive
from sata_drive_model.flash.errors import rested, shown_exponent

from ...facts.units import DWORD_HZ, SECTOR_BYTES
from ..measurement import Store
from .figures import ComparedFigure, Reproduction

#: This file decides the figures, and is not among the sources of a measurement.
_SOURCE = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
_HZ = round(DWORD_HZ[2])
_FINE = 1 << 32
_GIB, _TB, _DAY, _YEAR = 1 << 30, 1e12, 86400, 365.25 * 86400
#: Dwords of a Data FIS, and clocks between two commands.
_FIS, _GAP = 2048, 500
#: Random writes that are averaged, after as many that fill the RAM.
_WRITES = 1500


@dataclass(frozen=True)
class MediumRun:
    """The run for the ``figure`` of this name in :data:`FIGURES`."""

    figure: str

    def __str__(self):
        return self.figure

    #: It has no clocks of the core, and counts as one.
    clocks = 1

    def key(self):
        """The key under which its result is kept."""
        return Store.key("medium", self.figure, _SOURCE)

    def perform(self, progress):
        """Computes the figure."""
        value = FIGURES[self.figure]()
        progress(1.0)
        return {"value": value, "problems": []}


def plan(table, portion, profile):
    """The runs, by row."""
    return {row.label: MediumRun(row.model) for row in table.rows}


def result(table, portion, runs, results):
    """The table reproduced; ``results`` are by run."""
    cells = [ComparedFigure.of(table, row, table.columns[0], results[runs[row.label]]["value"]) for row in table.rows]
    return Reproduction(table, cells, ["The models of flash and disk alone, without core and link; all of it is run."])


# Disks ------------------------------------------------------------------------------------------------


def _disk(name):
    disk = DiskDrive.load(name)
    return disk, DiskMedium(disk, disk_profile(disk), _HZ)


def _write(medium, now, lba, sectors):
    left = 128 * sectors
    now += medium.begin_write(now, lba, min(_FIS, left))
    while left:
        size = min(_FIS, left)
        left -= size
        now += size + sum(length for _, length in medium.plan_frame(now, size))
        now += medium.wrote(now, size, min(_FIS, left))
    return now + medium.end_write(now)


def _read(medium, now, lba, sectors):
    medium.begin_read(now, lba, sectors)
    left = 128 * sectors
    while left:
        size = min(_FIS, left)
        left -= size
        wait, holds = medium.next_read(now, size)
        now += wait + size + sum(length for _, length in holds)
        medium.sent(now, size)
    return now + medium.end_read(now)


def _disk_rate(name, command, place):
    """MB/s of 128 MiB in commands of 1 MiB, once the RAM is full, at this share of the LBAs."""
    disk, medium = _disk(name)
    sectors = disk.physical.user_bytes // SECTOR_BYTES
    lba, now, times = min(int(sectors * place) // 8 * 8, sectors - 200 * 2048), 0, []
    for number in range(200):
        now = command(medium, now, lba + 2048 * number, 2048)
        times.append(now)
    return 128 * 2048 * SECTOR_BYTES / ((times[-1] - times[-129]) / _HZ) / 1e6


@functools.cache
def _random_ms(offset, span=None, sectors=8):
    """Milliseconds of a random write of ``sectors`` to the WD20EARS that begins ``offset`` sectors after the start of
    a physical one, within ``span`` bytes (None: the whole drive)."""
    disk, medium = _disk("wd20ears")
    blocks = (span or disk.physical.user_bytes) // 4096 - 1
    draw, now, begin = random.Random(1).randrange, 0, 0
    for number in range(2 * _WRITES):
        now = _write(medium, now + _GAP, 8 * draw(blocks) + offset, sectors)
        if number == _WRITES - 1:
            now += medium.flush(now)
            begin = now
    return 1e3 * (now + medium.flush(now) - begin) / _HZ / _WRITES


def _part_of_a_sector(size):
    """The rate of random writes of ``size`` bytes to the WD20EARS, relative to that of unaligned ones of 4 KiB."""
    return _random_ms(1) / _random_ms(0, sectors=size // SECTOR_BYTES)


def _cached_read(size):
    """MB/s of a read of ``size`` bytes that a hybrid disk has done often, with pauses."""
    disk, medium = _disk("momentus-xt-500gb")
    now, sectors, took = 0, size // SECTOR_BYTES, 0
    places = [1 << 20, 1 << 24, 1 << 28]
    for _ in range(disk.policy.read_cache.uses + 1):
        for lba in places:
            begin = now
            now = _read(medium, now, lba, sectors)
            took = now - begin
            now += _HZ // 2         # it learns in pauses
    return size / (took / _HZ) / 1e6


# Flash ------------------------------------------------------------------------------------------------


@functools.cache
def _life(name, pattern, cycles, end=None):
    """The last sample of a life at 55 MB/s, with the parameter whose range has this ``end`` set to it, if given."""
    drive = load_flash_drive(name)
    if end is not None:
        drive = next(other for _, value, other in drive.varied() if value == end)
    return Life(drive, pattern, 55e6).until(cycles=cycles)[-1]


def _gib_an_erase(flash_gib):
    return flash_gib / _life("c300-256gb", "random", 1500, flash_gib * _GIB).amplification


def _gib_in_order():
    last = _life("c300-256gb", "sequential", 500)
    return last.host_bytes / last.mean / _GIB


def _c300_random(partial=0, alone=False):
    """Random writes of 4 KiB a second in the steady state; each writes ``partial`` units only in part."""
    timing = Timing(load_flash_drive("c300-256gb"))
    units = max(1, partial)
    return 1 / (units * 4096 / _life("c300-256gb", "random", 1500).taken + timing.partial(partial, alone))


def _crossing(unit):
    """The rate of unaligned random writes of 4 KiB relative to aligned ones, on flash with a map of such units."""
    given = {"flash_bytes": 80 << 20, "user_bytes": 64 << 20, "page_bytes": unit, "pages": 16, "cell_bits": 2,
             "dies": 4, "program_us": 900}
    drive = FlashDrive.from_data({
        "name": "units", "description": "units of a map", "physical": given, "policy": {"map_bytes": unit},
        "estimates": dict.fromkeys([*(f"physical.{field}" for field in given), "policy.map_bytes"], "for the rule")})
    times, draw = [], random.Random(9).randrange
    places = [8 * draw(14_000) for _ in range(20_000)]
    for offset in 0, 1:
        pace = FlashPace(drive, _HZ)
        before = pace.flash.work.copy()
        for place in places:
            pace.take(place + offset, 4096)
        times.append((pace.flash.work - before).host)
    return times[0] / times[1]


def _past_cache(name, caps):
    """MB/s past the SLC cache: limited by the chips alone, or also by what was measured of the controller."""
    return Timing(load_flash_drive(name), caps=caps).rate(Work(host=1 << 20, erases=1)) / 1e6


def _overwriting():
    """MB/s of a 970 EVO Plus that has just been filled and is written in order once more."""
    pace = FlashPace(load_flash_drive("970-evo-plus"), _HZ, "filled")
    count = 100_000
    fine = sum(pace.take(16 * number, 8192)[0] for number in range(count))
    return count * 8192 / (fine / _HZ / _FINE) / 1e6


@functools.cache
def _840_pro():
    life = Life(load_flash_drive("840-pro-256gb"), "ring", 250e6)
    return life.until(level=25)


def _840_pro_at(host_bytes):
    return next(one for one in _840_pro() if one.host_bytes >= host_bytes)


def _rested(law):
    errors = load_flash_drive("mlc-3xnm-256gb").physical.errors
    return rested(law, 1.5 * _YEAR, errors.rest_year)


def _hours_like_a_year(celsius):
    """Hours at a temperature that age flash as a year at 30 degrees does."""
    return _YEAR / 3600 / math.log(rested("exponential", _YEAR, math.e, celsius))


def _bit_error_rate():
    # Total error bits; sectors read, of 4,096 bits.
    return 36_951 / (160_699_137 * 4096)


FIGURES: dict[str, Callable[[], Any]] = {
    **{f"hds721050cla362 {name} {place}": functools.partial(_disk_rate, "hds721050cla362", command, share)
       for name, command in (("write", _write), ("read", _read))
       for place, share in (("first", 0), ("half", 0.5), ("last", 1))},
    "wd20ears aligned": lambda: 1e3 / _random_ms(0),
    "wd20ears unaligned": lambda: 1e3 / _random_ms(1),
    "wd20ears aligned 64 GB": lambda: 1e3 / _random_ms(0, 64 * 10 ** 9),
    "wd20ears unaligned 64 GB": lambda: 1e3 / _random_ms(1, 64 * 10 ** 9),
    "wd20ears difference": lambda: _random_ms(1) - _random_ms(0),
    **{f"wd20ears {size} B": functools.partial(_part_of_a_sector, size) for size in (512, 1024, 2048)},
    "c300-256gb aligned": _c300_random,
    "c300-256gb unaligned gathered": functools.partial(_c300_random, 2),
    "c300-256gb unaligned alone": functools.partial(_c300_random, 2, True),
    # The same by either rule, and for any part of a unit.
    **{f"c300-256gb {size} B": lambda: _c300_random(1, True) / _c300_random(2, True) for size in (512, 1024, 2048)},
    **{f"crossing {kib}": functools.partial(_crossing, kib << 10) for kib in (16, 32, 64)},
    **{f"momentus-xt-500gb {kib}": functools.partial(_cached_read, kib << 10) for kib in (4, 256, 512, 1024)},
    "c300-256gb in order": _gib_in_order,
    "c300-256gb random 252": functools.partial(_gib_an_erase, 252),
    "c300-256gb random 256": functools.partial(_gib_an_erase, 256),
    "onyx-32gb 5000": lambda: _life("onyx-32gb", "ring", 5000).seconds / _DAY,
    "onyx-32gb 10000": lambda: _life("onyx-32gb", "ring", 10_000).seconds / _DAY,
    "840-pro-256gb failed": lambda: _840_pro_at(1.5e15).bad_blocks,
    "840-pro-256gb reserve": lambda: 100 * (1 - _840_pro_at(2e15).spare_left),
    "840-pro-256gb end": lambda: _840_pro()[-1].host_bytes / 1e15,
    **{f"{name} {what}": functools.partial(_past_cache, name, what == "entered")
       for name in ("970-evo-plus", "870-qvo", "870-qvo-2tb", "870-qvo-4tb") for what in ("chips", "entered")},
    "970-evo-plus overwriting": _overwriting,
    "bit errors": lambda: 1e8 * _bit_error_rate(),
    "exponent": lambda: shown_exponent(_bit_error_rate()),
    "exponent slc": lambda: shown_exponent(7.5e-10),
    **{f"mlc-3xnm-256gb {law}": functools.partial(_rested, law) for law in ("exponential", "power")},
    "hours 52": functools.partial(_hours_like_a_year, 52),
    "hours 66": functools.partial(_hours_like_a_year, 66),
    # 12 drives of 30 TB; 100 Gb/s; 1 drive write a day is taken as 1,800 overwrites.
    "recorder hours": lambda: 12 * 30 * _TB / 12.5e9 / 3600,
    "recorder years": lambda: 1800 * 12 * 30 * _TB / 12.5e9 / _YEAR,
}
