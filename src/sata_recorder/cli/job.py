"""The arguments of `sata-recorder measure` become a job, or are refused before anything is done."""

import os
import re
import shutil

from ..ata import LBA28_SECTORS, LBA48_SECTORS
from ..measurement.measurement import Job
from ..measurement.rates import parse_rate, parse_size, words_per_clock
from ..measurement.source_rate import ENDLESS
from ..report import drives
from ..simulation.pattern import File, Pattern
from ..simulation.signals import Hold, Rate
from ..units import DWORD_HZ, SECTOR_BYTES, SECTOR_WORDS
from .common import Refusal, configuration

__all__ = ["make_job"]

#: Capacity of the drive where nothing else is asked for: 32 GB, as flash modules have it.
CAPACITY = 62_533_296
MAX_COMMAND = 2048
PATTERN_SECTORS = 8192


def make_job(*, operation, source, kind, image, drive, lba, sectors, capacity, lba28, max_command,
             turnaround_us, input_rate, find_rate, fifo_words, generation, holds, hostile, flush,
             seed, samples, config, written, trace, vcd):
    """The :class:`Job` for these options of the command line.

    ``written`` are the other files that will be written, by the name of their options.
    """
    _check_files({"--input": source, "--image": image, "--config": config},
                 {"--image": None if operation == "play" else image, "--trace": trace,
                  "--vcd": vcd, **written})
    if operation == "play" and flush:
        raise Refusal("--flush: nothing is recorded with --operation play")
    if operation == "play" and image is not None and not image.exists():
        raise Refusal(f"--image {image}: no such file to play from")
    if samples < 0:
        raise Refusal(f"--samples {samples}: must be at least 0")
    hold = _holds(holds)
    profile = _profile(drive, hold, hostile)
    generation = _generation(generation, profile)
    built = _configuration(config, max_command, generation, turnaround_us)
    length = _length(source)
    sectors = _sectors(sectors, source, length)
    lba28 = lba28 or profile is not None and not profile.lba48
    capacity = _capacity(capacity, image, operation, lba28, profile)
    _check_extent(lba, sectors, capacity)
    _check_space(image, operation, sectors)
    rate = _rate(input_rate, find_rate, fifo_words, operation, source, hold, built)
    words = SECTOR_WORDS * sectors
    if source is not None:
        data = File(str(source), words)
    elif operation == "play" and image is not None:
        data = None
    else:
        data = Pattern(kind, seed, words if rate is None else ENDLESS)
    return Job(configuration=built, operation=operation, lba=lba, sectors=sectors,
               capacity=capacity, data=data,
               image=None if image is None else str(image), lba48=not lba28,
               generation=generation, profile=profile, drive_hold=hold["drive"],
               host_hold=hold["host"], hostile=hostile, seed=seed, flush=flush,
               turnaround_clocks=0 if turnaround_us is None else _turnaround(turnaround_us, built),
               input_rate=rate, fifo_words=_fifo(fifo_words), samples=samples,
               trace=None if trace is None else str(trace), vcd=None if vcd is None else str(vcd))


def _check_files(read, written):
    """Files that are read exist, files that are written can be, and none has two purposes."""
    seen = {}
    for option, path in [*read.items(), *written.items()]:
        if path is None or (option == "--json" and str(path) == "-"):
            continue
        other = seen.setdefault(path.resolve(), option)
        if other != option:
            raise Refusal(f"{option} {path}: the same file as {other}")
        try:
            _check_file(option, path, option in written)
        except OSError as error:
            raise Refusal(f"{option} {path}: {error.strerror}") from None


def _check_file(option, path, written):
    if option == "--plots":
        if path.exists() and not path.is_dir():
            raise Refusal(f"{option} {path}: is no folder")
        _check_writable(option, path)
    elif path.is_dir():
        raise Refusal(f"{option} {path}: is a directory")
    if written:
        _check_writable(option, path)
    elif not path.exists():
        raise Refusal(f"{option} {path}: no such file")
    elif not os.access(path, os.R_OK):
        raise Refusal(f"{option} {path}: cannot be read: permission denied")


def _check_writable(option, path):
    folder = path.resolve().parent
    if not folder.is_dir():
        raise Refusal(f"{option} {path}: there is no folder {folder}")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise Refusal(f"{option} {path}: cannot be written: permission denied")


def _holds(texts):
    holds, seen = {"drive": Hold(), "host": Hold()}, set()
    for text in texts:
        found = re.fullmatch(r"(drive|host):([0-9]{1,9})/([0-9]{1,9})", text)
        if not found or int(found[2]) < 1:
            raise Refusal(f"--hold {text}: must be drive:ON/OFF or host:ON/OFF, with ON at least "
                          "1 and OFF at least 0, both below 10^9")
        if found[1] in seen:
            raise Refusal(f"--hold {text}: {found[1]} is given twice")
        seen.add(found[1])
        holds[found[1]] = Hold(int(found[2]), int(found[3]))
    return holds


def _profile(drive, hold, hostile):
    """The timing of the drive by name or file; None without one."""
    if drive is None:
        return None
    for option, given in (("--hold drive", hold["drive"].off), ("--hostile", hostile)):
        if given:
            raise Refusal(f"{option}: not together with --drive {drive}, which says when the drive "
                          "holds")
    try:
        return drives.load(drive)
    except drives.ProfileError as error:
        raise Refusal(f"--drive {drive}: {error}") from None


def _generation(generation, profile):
    """What was asked for; else what the drive can, at most 2."""
    if generation is None:
        return 2 if profile is None else min(profile.generation, 2)
    if profile is not None and int(generation) > profile.generation:
        raise Refusal(f"--generation {generation}: the drive {profile.name} is of generation "
                      f"{profile.generation}")
    return int(generation)


def _turnaround(microseconds, built):
    limit = ((1 << 32) - 1) / built.clock_hz * 1e6
    if not 0 <= microseconds <= limit:
        raise Refusal(f"--turnaround-us {microseconds:g}: must be 0 to {limit:.0f}")
    return round(microseconds * 1e-6 * built.clock_hz)


def _rate(text, find, fifo_words, operation, source, hold, built):
    """Words in clocks of a stream that cannot wait; None for one that can."""
    asked = f"--input-rate {text}" if text is not None else "--find-rate" if find else None
    if asked is None:
        if fifo_words is not None:
            raise Refusal(f"--fifo-words {fifo_words}: needs --input-rate or --find-rate")
        return None
    for option, given in ((f"--operation {operation}", operation == "play"),
                          (f"--input {source}", source is not None),
                          ("--hold host", hold["host"].off),
                          ("--find-rate", find and text is not None),
                          ("--fifo-words endless", find and fifo_words == "endless")):
        if given:
            raise Refusal(f"{asked}: not together with {option}")
    if find:
        return Rate(1, 1)
    try:
        return Rate(*words_per_clock(parse_rate(text), built.clock_hz).as_integer_ratio())
    except ValueError as error:
        raise Refusal(f"--input-rate {error}") from None


def _fifo(words):
    """Depth of the FIFO before the core; None for an endless one."""
    if words == "endless":
        return None
    if words is None:
        return 1
    if not words.isdecimal() or not 1 <= int(words) <= 1 << 40:
        raise Refusal(f"--fifo-words {words}: must be 1 to {1 << 40}, or endless")
    return int(words)


def _configuration(path, max_command, generation, turnaround_us):
    options = {}
    if path is None:
        options = {"clock_hz": DWORD_HZ[generation], "max_command_sectors": MAX_COMMAND}
    if max_command is not None:
        options["max_command_sectors"] = max_command
    if turnaround_us is not None:
        options |= {"pacing": "programmable", "control": "pins"}
    built = configuration(path, options, {"max_command_sectors": "--max-command"}
                          if max_command is not None else None)
    if built.clock_hz < DWORD_HZ[generation]:
        raise Refusal(f"clock_hz = {built.clock_hz:g} of {path}: generation {generation} needs at "
                      f"least {DWORD_HZ[generation]:g}")
    if built.on_overflow == "drop":
        raise Refusal(f"on_overflow = drop of {path}: a measurement needs stall; for a stream that "
                      "cannot wait there are --input-rate and --fifo-words")
    return built


def _length(source):
    """Bytes of the input file, None without one."""
    if source is None:
        return None
    length = source.stat().st_size
    if length == 0:
        raise Refusal(f"--input {source}: is empty, there is nothing to record")
    return length


def _sectors(sectors, source, length):
    if sectors is None:
        return PATTERN_SECTORS if length is None else -(-length // SECTOR_BYTES)
    try:
        sectors = parse_size(sectors)
    except ValueError as error:
        raise Refusal(f"--sectors {sectors}: {error}") from None
    if length is not None and SECTOR_BYTES * sectors < length:
        raise Refusal(f"--sectors {sectors}: --input {source} has {length} bytes and needs "
                      f"{-(-length // SECTOR_BYTES)}")
    return sectors


def _capacity(capacity, image, operation, lba28, profile):
    usual = CAPACITY if profile is None else profile.capacity_sectors
    limit = LBA28_SECTORS if lba28 else LBA48_SECTORS
    if capacity is None:
        held = image.stat().st_size // SECTOR_BYTES if image is not None and image.exists() else 0
        playing = operation == "play" and image is not None
        capacity = min(held if playing else max(held, usual), limit)
        if capacity == 0:
            raise Refusal(f"--image {image}: holds no whole sector, {image.stat().st_size} bytes")
    if not 1 <= capacity <= limit:
        raise Refusal(f"--capacity {capacity}: must be 1 to {limit} sectors"
                      + (" with --lba28" if lba28 else ""))
    return capacity


def _check_extent(lba, sectors, capacity):
    if lba < 0 or lba >= capacity:
        raise Refusal(f"--lba {lba}: must be 0 to {capacity - 1}, the drive has {capacity} sectors")
    if lba + sectors > capacity:
        raise Refusal(f"--lba {lba}: {sectors} sectors from there end beyond the drive's capacity "
                      f"of {capacity}")


def _check_space(image, operation, sectors):
    """The host's disk has room for what will be written to the image."""
    if image is None or operation == "play":
        return
    room = shutil.disk_usage(image.resolve().parent).free
    held = image.stat().st_blocks * 512 if image.exists() else 0
    if SECTOR_BYTES * sectors > room + held:
        raise Refusal(f"--image {image}: {SECTOR_BYTES * sectors} bytes are to be written, and "
                      f"{room + held} are free")
