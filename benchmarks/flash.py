"""The flash model beside what was published, and how fast it is: what docs/flash.md quotes.

`law` compares write amplification with the closed law, `published` the model with published figures, `speed` measures
CPU time and memory, `jumps` compares lives by jumps with those in which every erase is simulated.
"""

import argparse
import random
import resource
import time

from sata_drive_model.disk import DiskDrive
from sata_drive_model.flash import (FlashDrive, Life, Rules, Timing, Translation, Work, closed_law, load_flash_drive,
                                    slice_of)

_GIB = 1 << 30
#: Blocks that hold nothing in the steady state: two are free, two open ones half full.
_IDLE = 3


def amplification(spare, victim="greedy", chunks=512, slots=256):
    """(simulated, by the law) flash writes for each random write of the host."""
    drive = Translation(Rules(blocks=round(chunks * (1 + spare)) + _IDLE, slots=slots, chunks=chunks, victim=victim))
    units, draw = drive.rules.units, random.Random(1).random
    drive.write_run(0, units)
    drive.write_all(int(draw() * units) for _ in range(int(units * (1 + 2 * spare))))
    before = drive.work.copy()
    drive.write_all(int(draw() * units) for _ in range(units))
    return (drive.work - before).amplification, closed_law((drive.rules.blocks - _IDLE) / chunks)


def law():
    """Write amplification by spare flash, rule and size of a block."""
    print(f"{'spare':>6} {'pages':>6} {'rule':<12} {'simulated':>9} {'law':>6} {'ratio':>6}")
    for spare in 0.057, 0.074, 0.12, 0.3, 0.6:
        for slots, victim in (256, "greedy"), (1024, "greedy"), (64, "greedy"), (256, "fifo"), (256, "best of ten"):
            found, by_law = amplification(spare, victim, slots=slots)
            print(f"{spare:>6.1%} {slots:>6} {victim:<12} {found:>9.2f} {by_law:>6.2f} {found / by_law:>6.3f}")


def _direct(name):
    """MB/s past the SLC cache: by the chips alone, and with what was measured of the controller."""
    work = Work(host=1 << 20, erases=1)
    return [Timing(load_flash_drive(name), caps=caps).rate(work) / 1e6 for caps in (False, True)]


def _worn(name, pattern, rate, cycles, end=None):
    """The last sample of a life, with a parameter at another end of its range."""
    drive = load_flash_drive(name)
    if end is not None:
        drive = next(other for _, value, other in drive.varied() if value == end)
    return Life(drive, pattern, rate).until(cycles=cycles)[-1]


def _bad_after(host_bytes):
    """Blocks of the 840 Pro that have failed once so many bytes were written."""
    life = Life(load_flash_drive("840-pro-256gb"), "ring", 250e6)
    samples = life.until(level=25)
    after = next(one for one in samples if one.host_bytes >= host_bytes)
    return after.bad_blocks, 100 * (1 - after.spare_left), samples[-1].host_bytes / 1e15


def _first_bytes(name, size):
    """Seconds for the first ``size`` bytes of an empty drive."""
    drive, part, flash = _whole(name)
    flash.write_run(0, size // drive.policy.map_bytes)
    return Timing(drive).seconds(flash.work)


def _whole(name):
    """A drive as large as it is, not a slice of it."""
    drive = load_flash_drive(name)
    part = slice_of(drive, 1 << 40)
    return drive, part, part.translation()


def _entered(name, caps=True):
    """How many parameters of each kind the file of a drive gives: physical, policies, caps; "none" without a file."""
    if name is None:
        return "none"
    drive = DiskDrive.load(name) if name in DiskDrive.names() else load_flash_drive(name)
    kinds = [kind for _, kind, _ in drive.parameters()]
    return "+".join(str(kinds.count(kind) if caps or kind != "cap" else 0) for kind in ("physical", "policy", "cap"))


def comparisons():
    """(figure, published, simulated, parameters entered of each kind, what decides it) of each comparison."""
    from sata_recorder.lab.studies.media import FIGURES     # here, because `speed` measures memory
    c300 = _entered("c300-256gb")
    for flash in 252, 256:
        per_erase = flash / _worn("c300-256gb", "random", 55e6, 1500, flash * _GIB).amplification
        yield f"C300, GiB an erase at random, {flash} GiB of flash", 31, per_erase, c300, "physical; greedy (policy)"
    yield "C300, random writes of 4 KiB a second", 16_299, FIGURES["c300-256gb aligned"](), c300, \
        "physical; greedy (policy)"
    for rule in "gathered", "alone":
        yield f"C300, the same, not aligned, parts {rule}", 1802, FIGURES[f"c300-256gb unaligned {rule}"](), c300, \
            f"{rule} (policy)"
    for kib in 16, 32, 64:
        yield f"Vertex 30 GB, not aligned / aligned, units of {kib} KiB", 1951 / 2285, FIGURES[f"crossing {kib}"](), \
            "none", "the rule of crossing; units (policy)"
    yield "WD20EARS, ms more for a write not aligned", 12.03, FIGURES["wd20ears difference"](), _entered("wd20ears"), \
        "physical: a turn"
    yield "HDS721050CLA362, MB/s of writing at half its LBAs", 111.8, FIGURES["hds721050cla362 write half"](), \
        _entered("hds721050cla362"), "physical: bits equally dense"
    yield "Onyx, days to 5,000 erases at 55 MB/s", 33.67, \
        _worn("onyx-32gb", "ring", 55e6, 5000).seconds / 86400, _entered("onyx-32gb"), "physical"
    yield from _after_the_cache()
    blocks, used, end = _bad_after(1.5e15)
    pro = _entered("840-pro-256gb")
    yield "840 Pro, blocks failed at 1.5 PB", 3400, blocks, pro, "physical, fitted to this"
    blocks, used, _ = _bad_after(2e15)
    yield "840 Pro, % of its reserve used at 2 PB", 60, used, pro, "physical, fitted to 1.5 PB"
    yield "840 Pro, PB until its end", 2.4, end, pro, "physical, fitted to 1.5 PB"
    # Of five blocks of 32 MiB four are published as 250 ms and one as 550; whatever drains evenly makes all alike.
    mean = (4 * 250 + 550) / 5
    yield "Vertex Plus, ms for four blocks of five", 250, mean, _entered(None), "a RAM that drains evenly"
    yield "Vertex Plus, ms for the fifth", 550, mean, _entered(None), "a RAM that drains evenly"


def _after_the_cache():
    for name, published, what in (
            ("970-evo-plus", 1600, "970 EVO Plus 1 TB"), ("870-qvo", 80, "870 QVO 1 TB"),
            ("870-qvo-2tb", 150, "870 QVO 2 TB"), ("870-qvo-4tb", 169.45, "870 QVO 4 TB"),
            ("870-evo-4tb", 400, "870 EVO 4 TB")):
        chips, capped = _direct(name)
        yield f"{what}, MB/s after the cache, chips alone", published, chips, _entered(name, caps=False), "physical"
        if capped < 0.999 * chips:
            yield f"{what}, the same, as entered", published, capped, _entered(name), "cap, this figure"
    yield "870 QVO 2 TB, s for the first 450 GB", 2686, _first_bytes("870-qvo-2tb", 450 * 10 ** 9), \
        _entered("870-qvo-2tb"), "cap (both rates); policy (cache)"


def published():
    """The model beside what was published; entered: physical parameters, policies and caps in the drive's file."""
    print(f"{'figure':<52} {'published':>9} {'model':>8} {'differs':>8} {'entered':>7}  decided by")
    for figure, theirs, ours, entered, kinds in comparisons():
        model = f"{ours:,.0f}" if ours >= 1e4 else f"{ours:,.4g}"
        print(f"{figure:<52} {theirs:>9,.5g} {model:>8} {ours / theirs - 1:>+8.1%} {entered:>7}  {kinds}")


def _timed(what, run):
    start = time.process_time()
    note = run()
    print(f"{what:<58} {time.process_time() - start:>7.1f} CPU-s  {note}", flush=True)


def _random_million():
    units = 1_000_000
    drive = Translation(Rules(blocks=542 + _IDLE, slots=256, chunks=512))
    draw = random.Random(1).random
    drive.write_run(0, drive.rules.units)
    targets = [int(draw() * drive.rules.units) for _ in range(2 * units)]
    drive.write_all(targets[:units])
    before, start = drive.work.copy(), time.process_time()
    drive.write_all(targets[units:])
    return f"{time.process_time() - start:.1f} of them for the second million, at WA " \
        f"{(drive.work - before).amplification:.2f}"


def _terabyte():
    drive, part, flash = _whole("870-qvo-2tb")
    flash.write_run(0, 10 ** 12 // drive.policy.map_bytes)
    return f"a drive of {part.rules.units * drive.policy.map_bytes / 1e12:.2f} TB, {part.rules.blocks:,} blocks"


def _commands():
    drive, part, flash = _whole("870-evo-4tb")
    flash.write_run(0, part.rules.units)
    command = (1 << 20) // drive.policy.map_bytes
    for start in range(0, 10 ** 12 // drive.policy.map_bytes, command):
        flash.write_run(start, command)
    return f"over a full drive of 4.00 TB, {_memory()}"


def _memory():
    return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB of memory at most"


def _four():
    drive, part, flash = _whole("870-qvo-4tb")
    units = part.rules.units
    for start in range(0, units, 1 << 24):
        flash.write_run(start, min(1 << 24, units - start))
    draw = random.Random(1).random
    flash.write_all(int(draw() * units) for _ in range(10_000))
    return _memory()


def _life(name, pattern):
    last = _worn(name, pattern, 55e6, 5000)
    return f"mean {last.mean:,.0f} erases, WA {last.amplification:.2f}"


def speed():
    """CPU time and memory; no test asserts them."""
    _timed("2 million random writes of 4 KiB", _random_million)
    _timed("a terabyte in order", _terabyte)
    _timed("C300 256 GB to 5,000 erases at random", lambda: _life("c300-256gb", "random"))
    _timed("C300 256 GB to 5,000 erases in order", lambda: _life("c300-256gb", "ring"))
    _timed("870 QVO 4 TB filled, then 10,000 random writes", _four)
    _timed("a terabyte in order, in commands of 1 MiB", _commands)


def _small(blocks):
    """A drive of so many blocks of 32 pages, all of which is simulated, whose blocks fail."""
    physical = {"flash_bytes": blocks * 32 * 4096, "user_bytes": blocks * 4 // 5 * 32 * 4096, "page_bytes": 4096,
                "pages": 32, "cell_bits": 2, "dies": 4, "planes": 2, "program_us": 1000, "read_us": 50,
                "erase_us": 2000, "failures": {"first_cycles": 120, "share_per_1000": 0.8}}
    names = [*(f"physical.{name}" for name in physical if name != "failures"), "physical.failures.first_cycles",
             "physical.failures.share_per_1000"]
    return FlashDrive.from_data({"name": "small", "description": "a small drive", "physical": physical,
                                 "estimates": dict.fromkeys(names, "for this comparison")})


def _lives(blocks, pattern, seed, jump):
    """(bytes of the host, mean erases) at the end of a small drive."""
    last = Life(_small(blocks), pattern, 10e6, jumps=jump, chunks=blocks * 4 // 5, seed=seed).until(level=20)[-1]
    return last.host_bytes, last.mean


def jumps():
    """Lives by jumps beside those in which every erase is simulated, until the drive is read-only."""
    print(f"{'':<27} {'bytes written at the end':>27} {'mean erases at the end':>27}\n"
          f"{'pattern':<10} {'blocks':>7} {'drives':>8}" + 2 * f" {'least':>9} {'mean':>8} {'most':>8}")
    for pattern, blocks, seeds in (("random", 160, 12), ("random", 640, 6), ("ring", 160, 2), ("ring", 640, 2),
                                   ("sequential", 160, 2), ("sequential", 640, 2)):
        every, jumped = ([_lives(blocks, pattern, seed, jump) for seed in range(seeds)] for jump in (False, True))
        row = f"{pattern:<10} {blocks:>7} {seeds:>8}"
        for ours, theirs in zip(zip(*jumped), zip(*every)):
            ratios = [mine / its for mine, its in zip(ours, theirs)]
            row += f" {min(ratios):>9.3f} {sum(ours) / sum(theirs):>8.3f} {max(ratios):>8.3f}"
        print(row)


_PARTS = {"law": law, "published": published, "speed": speed, "jumps": jumps}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=_PARTS)
    _PARTS[parser.parse_args().part]()


if __name__ == "__main__":
    main()
