"""The arguments of `sata-recorder measure` become a job, or are refused before anything is done."""

import os
import re
from pathlib import Path

from ..measure.experiment import DWORD_HZ, Job, pattern
from ..measure.signals import Hold
from .common import Refusal, configuration

__all__ = ["make_job"]

#: Capacity of the drive where nothing else is asked for: 32 GB, as flash modules have it.
CAPACITY = 62_533_296
#: The most that one measurement moves; its data are kept in memory.
MAX_SECTORS = 1 << 21
MAX_COMMAND = 2048
PATTERN_SECTORS = 8192
LBA28_SECTORS = (1 << 28) - 1
LBA48_SECTORS = (1 << 48) - 1


def make_job(*, operation, source, image, lba, sectors, capacity, lba28, max_command, generation,
             holds, hostile, flush, seed, config, json_output, trace, vcd):
    """The :class:`Job` for these options of the command line."""
    generation = int(generation)
    _check_files({"--input": source, "--image": image, "--config": config},
                 {"--image": None if operation == "play" else image, "--json": json_output,
                  "--trace": trace, "--vcd": vcd})
    if operation == "play" and image is None:
        raise Refusal("--operation play: needs --image, the disk to play from")
    if operation == "play" and flush:
        raise Refusal("--flush: nothing is recorded with --operation play")
    if operation == "play" and not image.exists():
        raise Refusal(f"--image {image}: no such file to play from")
    hold = _holds(holds)
    built = _configuration(config, max_command, generation)
    length = _length(source)
    sectors = _sectors(sectors, source, length)
    capacity = _capacity(capacity, image, operation, lba28)
    _check_extent(lba, sectors, capacity)
    if source is not None:
        data = _read(source)
        if operation != "play":
            data += bytes(512 * sectors - len(data))
    else:
        data = None if operation == "play" else pattern(seed, sectors)
    return Job(configuration=built, operation=operation, lba=lba, sectors=sectors,
               capacity=capacity, data=data,
               image=None if image is None else str(image), lba48=not lba28,
               generation=generation, drive_hold=hold["drive"], host_hold=hold["host"],
               hostile=hostile, seed=seed, flush=flush,
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
    if path.is_dir():
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
        found = re.fullmatch(r"(drive|host):(\d{1,9})/(\d{1,9})", text)
        if not found or int(found[2]) < 1:
            raise Refusal(f"--hold {text}: must be drive:ON/OFF or host:ON/OFF, with ON at least "
                          "1 and OFF at least 0, both below 10^9")
        if found[1] in seen:
            raise Refusal(f"--hold {text}: {found[1]} is given twice")
        seen.add(found[1])
        holds[found[1]] = Hold(int(found[2]), int(found[3]))
    return holds


def _configuration(path, max_command, generation):
    options = {}
    if path is None:
        options = {"clock_hz": DWORD_HZ[generation], "max_command_sectors": MAX_COMMAND}
    if max_command is not None:
        options["max_command_sectors"] = max_command
    built = configuration(path, options, {"max_command_sectors": "--max-command"}
                          if max_command is not None else None)
    if built.clock_hz < DWORD_HZ[generation]:
        raise Refusal(f"clock_hz = {built.clock_hz:g} of {path}: generation {generation} needs at "
                      f"least {DWORD_HZ[generation]:g}")
    return built


def _length(source):
    """Bytes of the input file, None without one."""
    if source is None:
        return None
    length = source.stat().st_size
    if length == 0:
        raise Refusal(f"--input {source}: is empty, there is nothing to record")
    if length > 512 * MAX_SECTORS:
        raise Refusal(f"--input {source}: {length} bytes, at most {512 * MAX_SECTORS} are moved "
                      "in one measurement")
    return length


def _sectors(sectors, source, length):
    if sectors is None:
        return PATTERN_SECTORS if length is None else -(-length // 512)
    if not 1 <= sectors <= MAX_SECTORS:
        raise Refusal(f"--sectors {sectors}: must be 1 to {MAX_SECTORS}")
    if length is not None and 512 * sectors < length:
        raise Refusal(f"--sectors {sectors}: --input {source} has {length} bytes and needs "
                      f"{-(-length // 512)}")
    return sectors


def _capacity(capacity, image, operation, lba28):
    limit = LBA28_SECTORS if lba28 else LBA48_SECTORS
    if capacity is None:
        held = image.stat().st_size // 512 if image is not None and image.exists() else 0
        capacity = min(held if operation == "play" else max(held, CAPACITY), limit)
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


def _read(source: Path):
    try:
        return source.read_bytes()
    except OSError as error:
        raise Refusal(f"--input {source}: cannot be read: {error.strerror}") from None
