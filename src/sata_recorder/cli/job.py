"""The options of `sata-recorder measure` become a job, and its refusals get the options' names."""

import re
from contextlib import contextmanager

from ..firmware import EXTENTS, WAITS, Controller
from ..lab.measurement import (FIFO_LIMIT, MOST_WRITTEN, Job, JobError, LookPlan, RecordingPlan, check_files,
                           look_sectors, parse_rate, parse_size, turnaround_clocks, usual_generation,
                           words_per_clock)
from ..simulation import ENDLESS, File, Hold, Pattern, Profile, ProfileError, Rate, load_profile
from ..facts.units import DWORD_HZ, SECTOR_BYTES, SECTOR_WORDS
from .common import Refusal, configuration
from .spool import spooled

__all__ = ["check_seeds", "make_job", "refusing_jobs"]

MAX_COMMAND = 2048
PATTERN_SECTORS = 8192

#: Field of a job: its option.
_OPTIONS = {"operation": "--operation", "data": "--input", "image": "--image", "lba": "--lba",
            "sectors": "--sectors", "capacity": "--capacity", "lba48": "--lba28",
            "logical_sector": "--logical-sector",
            "generation": "--generation", "profile": "--drive", "backend": "--drive",
            "drive_hold": "--hold drive", "host_hold": "--hold host", "hostile": "--hostile",
            "flush": "--flush", "turnaround_us": "--turnaround-us", "turnaround_clocks": "--turnaround-us",
            "controller": "--controller",
            "controller_hz": "--controller-hz", "controller_wait": "--controller-wait",
            "controller_extent": "--controller-extent", "input_rate": "--input-rate",
            "fifo_words": "--fifo-words", "samples": "--samples", "seed": "--seed",
            "mode": "--mode", "words": "--words", "stop_after": "--stop-after",
            "triggers": "--trigger", "segments": "--segments", "extend": "--extend",
            "trim_ahead": "--trim-ahead", "trim_us": "--trim-us",
            "look": "--look", "look_at": "--look-at", "look_every": "--look-every",
            "look_room": "--look-room",
            "smart": "--smart", "written_bytes": "--written",
            "trace": "--trace", "vcd": "--vcd", "vcd_scope": "--vcd-scope",
            "overwrite": "--overwrite"}
#: Fields of the configuration that a job refuses.
_OF_CONFIGURATION = ("clock_hz", "on_overflow", "pacing", "extents", "long_logical_sectors", "commands")
#: Options without a value.
_FLAGS = ("lba48", "drive_hold", "host_hold", "hostile", "flush", "overwrite", "extend", "smart")


def make_job(context, *, written, **options):
    """The :class:`..lab.measurement.Job` for ``options`` of the command line, by their names.

    ``written`` are the other files that will be written, by the name of their options. Input that
    is no regular file is kept in one until ``context`` ends. Raises :exc:`.common.Refusal`.
    """
    with refusing_jobs(options):
        return _job(context, written, **options)


@contextmanager
def refusing_jobs(options):
    """A job that is refused is told by the names of ``options``."""
    try:
        yield
    except JobError as error:
        raise Refusal(error.told(lambda field, value=None: _told(options, field, value))) from None


def _told(options, field, value):
    """An option with its value, as the user gave it."""
    if field in _OF_CONFIGURATION and options["config"]:
        return f"{field} = {value} of {options['config']}"
    option = _OPTIONS.get(field, field)
    if value is not None and field.endswith("_hold"):
        return f"{option}:{value}"
    if value is None or field in _FLAGS:
        return option
    if field == "turnaround_clocks":
        value = f"{options['turnaround_us']:g}"
    if field == "data":
        value = options["source"]
    if field == "written_bytes":
        value = f"{options['gigabytes']:g}"
    if field in ("profile", "backend"):
        value = options["drive"]
    if field == "input_rate":
        return "--find-rate" if options["find_rate"] else f"{option} {options['input_rate']}"
    return f"{option} {value}"


def _job(context, written, *, operation, source, kind, image, drive, lba, sectors, capacity, lba28,
         logical_sector, max_command, turnaround_us, controller, controller_hz, controller_wait,
         controller_extent,
         input_rate, find_rate, fifo_words, jitter_us, generation, holds,
         hostile, flush, seed, samples, config, trace, vcd, vcd_scope,
         overwrite, mode, words, stop_after, triggers, segments, extend, trim_ahead, trim_us,
         look, look_at, look_every, look_room, smart, gigabytes):
    if sectors is not None:
        sectors = _size(sectors)
    source = spooled(context, source, sectors)
    check_files({"--input": source, "--image": image, "--config": config},
                {"--image": None if operation == "play" else image, "--trace": trace, "--vcd": vcd,
                 **written}, folders=("--plots",), overwrite=overwrite)
    hold = _holds(holds)
    backend = "qemu" if drive == "qemu" else "model"
    profile = _profile(None if backend == "qemu" else drive, jitter_us)
    generation = usual_generation(profile) if generation is None else int(generation)
    looks = _looks(mode, look, look_at, look_every, look_room)
    recording = _recording(mode, words, stop_after, triggers, segments, extend, trim_ahead, trim_us, looks)
    if recording is not None and operation == "both":
        operation = "record"
    logical_sector = int(logical_sector)
    built = _configuration(config, max_command, generation, turnaround_us, mode, logical_sector, smart,
                           trim_ahead is not None, look)
    operated = _controller(built, controller, controller_hz, controller_wait, controller_extent)
    if sectors is None:
        sectors = _sectors(source, logical_sector)
    if recording is not None and find_rate:
        raise Refusal(f"--find-rate: not together with --mode {mode}")
    rate = _rate(input_rate, find_rate, fifo_words, built)
    if source is not None:
        data = File(str(source), SECTOR_WORDS * sectors)
    elif operation == "play" and image is not None:
        data = None
    else:
        data = Pattern(kind, seed, SECTOR_WORDS * sectors if rate is None and mode is None else ENDLESS)
    return Job(configuration=built, operation=operation, lba=lba, sectors=sectors,
               capacity=capacity, data=data, image=_text(image), lba48=not lba28,
               logical_sector=logical_sector, generation=generation, profile=profile,
               backend=backend, drive_hold=hold["drive"], host_hold=hold["host"],
               hostile=hostile, seed=seed, flush=flush,
               turnaround_clocks=0 if turnaround_us is None else
               turnaround_clocks(turnaround_us, built.clock_hz), controller=operated,
               input_rate=rate, fifo_words=_fifo(fifo_words), recording=recording,
               smart=smart, written_bytes=_bytes(gigabytes),
               samples=samples, trace=_text(trace),
               vcd=_text(vcd), vcd_scope=vcd_scope, overwrite=overwrite)


def _bytes(gigabytes):
    # The job's own error has bytes in it.
    most = MOST_WRITTEN / 1e9
    if not 0 <= gigabytes <= most:
        raise Refusal(f"--written {gigabytes:g}: must be 0 to {int(most)} GB")
    return round(1e9 * gigabytes)


def _text(path):
    return None if path is None else str(path)


def _holds(texts):
    holds = {}
    for text in texts:
        found = re.fullmatch(r"(drive|host):([0-9]{1,30})/([0-9]{1,30})", text)
        if not found or int(found[2]) < 1:
            raise Refusal(f"--hold {text}: must be drive:ON/OFF or host:ON/OFF, with ON at least "
                          "1 and OFF at least 0")
        if found[1] in holds:
            raise Refusal(f"--hold {text}: {found[1]} is given twice")
        holds[found[1]] = Hold(int(found[2]), int(found[3]))
    return {"drive": Hold(), "host": Hold()} | holds


def check_seeds(job, seeds, find_rate):
    """Refuses a spread over ``seeds`` that cannot be, or has nothing that varies."""
    if seeds is None:
        return
    if not find_rate:
        raise Refusal(f"--seeds {seeds}: needs --find-rate")
    if not 2 <= seeds <= 1000:
        raise Refusal(f"--seeds {seeds}: must be 2 to 1000")
    if job.profile is None or not job.profile.varies:
        raise Refusal(f"--seeds {seeds}: the drive is the same with every seed; give one whose "
                      "profile has a variation, or --jitter-us")


def _profile(drive, jitter_us):
    """The timing of the drive by name or file; None without one."""
    if drive is None:
        if jitter_us is not None:
            raise Refusal(f"--jitter-us {jitter_us:g}: needs --drive with a profile")
        return None
    try:
        profile = load_profile(drive)
    except ProfileError as error:
        raise Refusal(f"--drive {drive}: {error}") from None
    return profile if jitter_us is None else _jittery(profile, jitter_us)


def _jittery(profile, jitter_us):
    """The profile with a latency of commands that varies, marked as an estimate."""
    plain = profile.model_dump(exclude_unset=True)
    for side in ("write", "read"):
        plain.setdefault(side, {})["jitter_us"] = jitter_us
        plain.setdefault("estimates", {})[f"{side}.jitter_us"] = "chosen with --jitter-us"
    try:
        return Profile.from_data(plain, profile.name)
    except ProfileError:
        raise Refusal(f"--jitter-us {jitter_us:g}: must be 0 to 60000000") from None


def _looks(mode, sectors, at, every, room):
    """The looks while it records; None without one."""
    if mode is None and sectors is not None:
        raise Refusal(f"--look {sectors}: needs --mode")
    if sectors is None:
        for option, given in ("--look-at", at), ("--look-every", every), ("--look-room", room):
            if given is not None:
                raise Refusal(f"{option} {given}: needs --look")
        return None
    return LookPlan(sectors, **{name: given for name, given in (("at", at), ("every", every), ("room", room))
                                if given is not None})


def _recording(mode, words, stop_after, triggers, segments, extend, trim_ahead, trim_us, looks):
    """What is asked for of a recording in a mode; None for one extent."""
    if mode is None:
        for option, given in (("--words", words), ("--stop-after", stop_after),
                              ("--trigger", triggers[0] if triggers else None),
                              ("--segments", segments), ("--trim-ahead", trim_ahead),
                              ("--trim-us", trim_us)):
            if given is not None:
                raise Refusal(f"{option} {given}: needs --mode")
        if extend:
            raise Refusal("--extend: needs --mode")
        return None
    return RecordingPlan(mode, words or 0, stop_after, triggers,
                         1 if segments is None else segments, extend,
                         trim_ahead=0 if trim_ahead is None else trim_ahead, trim_us=trim_us or 0.0,
                         looks=looks)


def _configuration(path, max_command, generation, turnaround_us, mode, logical_sector, smart, trims, look):
    options = {}
    if path is None:
        options = {"clock_hz": DWORD_HZ[generation], "max_command_sectors": MAX_COMMAND}
    if max_command is not None:
        options["max_command_sectors"] = max_command
    if turnaround_us is not None:
        options |= {"pacing": "programmable", "control": "pins"}
    if mode is not None:
        options["extents"] = "modes"
        options |= {"trim_ahead": True} if trims else {}
        options |= {} if look is None else {"look_sectors": look_sectors(look)}
    if path is None and logical_sector != SECTOR_BYTES:
        options["long_logical_sectors"] = True
    if path is None and smart:
        options["commands"] = True
    return configuration(path, options, {"max_command_sectors": "--max-command"}
                         if max_command is not None else None)


def _controller(built, processor, hz, wait, extent):
    """The processor that operates the core ``built``; None for its own sequencer."""
    if processor == "hardwired":
        for option, given in (("hz", hz and f"{hz:g}"), ("wait", wait), ("extent", extent)):
            if given is not None:
                raise Refusal(f"--controller-{option} {given}: needs --controller with a processor")
        return None
    return Controller(processor, built.clock_hz if hz is None else hz, wait or WAITS[0],
                      extent or EXTENTS[0])


def _size(text):
    try:
        return parse_size(text)
    except ValueError as error:
        raise Refusal(f"--sectors {text}: {error}") from None


def _sectors(source, logical_sector):
    """What the input file fills, whole logical sectors."""
    if source is None:
        return PATTERN_SECTORS
    return max(1, -(-source.stat().st_size // logical_sector)) * (logical_sector // SECTOR_BYTES)


def _rate(text, find, fifo_words, built):
    """Words in clocks of a stream that cannot wait; None for one that can."""
    if text is None and not find:
        if fifo_words is not None:
            raise Refusal(f"--fifo-words {fifo_words}: needs --input-rate or --find-rate")
        return None
    if find:
        if text is not None:
            raise Refusal(f"--input-rate {text}: not together with --find-rate")
        if fifo_words == "endless":
            raise Refusal("--find-rate: not together with --fifo-words endless")
        return Rate(1, 1)
    try:
        return Rate(*words_per_clock(parse_rate(text), built.clock_hz).as_integer_ratio())
    except ValueError as error:
        raise Refusal(f"--input-rate {error}") from None


def _fifo(words):
    """Depth of the FIFO before the core; None for an endless one."""
    if words == "endless":
        return None
    if words is not None and not words.isdecimal():
        raise JobError("fifo_words", words, FIFO_LIMIT)
    return 1 if words is None else int(words)
