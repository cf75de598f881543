"""Turns the requests for a measurement into a job: one place for command line, sweep, plan, studies and callers."""

import os
import re

from ...facts.units import DWORD_HZ, SECTOR_BYTES, SECTOR_WORDS
from ...firmware import EXTENTS, WAITS, Controller
from ...interface.configuration import Configuration, configuration_file, configured
from ...simulation import ENDLESS, File, Hold, Pattern, Profile, ProfileError, Rate, load_profile, simulated_profile
from .channels import channel_options, channel_words, filled_sectors, has_channels
from .drive_health import MOST_WRITTEN
from .files import check_files
from .inside import inside_of
from .job import Job, usual_generation
from .job_checks import FIFO_LIMIT, turnaround_clocks
from .job_error import JobError
from .looks import LookPlan, look_sectors
from .options import DriveOptions, HostOptions, OutputOptions, StreamOptions, TransferOptions
from .rates import parse_frequency, parse_rate, parse_size, reason, words_per_clock
from .recording_plan import RecordingPlan
from .source_stage import carried

#: Sectors of a command, and of a transfer, if nothing else is requested.
_MAX_COMMAND, _SECTORS = 2048, 8192


def make_job(transfer: TransferOptions = TransferOptions(), drive: DriveOptions = DriveOptions(),
             stream: StreamOptions = StreamOptions(), host: HostOptions = HostOptions(),
             outputs: OutputOptions = OutputOptions()) -> Job:
    """The :class:`.job.Job` that is requested.

    Raises :exc:`.job_error.JobError`, which names the field of one of these, or of the job; and
    :exc:`...interface.configuration.ConfigurationError`.
    """
    sectors = None if transfer.sectors is None else _size(transfer.sectors)
    _check_files(transfer, drive, stream, host, outputs)
    holds = _holds(stream.hold)
    backend = "qemu" if drive.drive == "qemu" else "model"
    inside = _inside(drive)
    profile = _profile(None if backend == "qemu" else drive.drive, drive.assume_rate, drive.jitter_us) \
        if inside is None else _jittery(inside.profile, drive.jitter_us)
    generation = drive.generation or usual_generation(profile)
    recording = _recording(transfer)
    built = _configuration(transfer, drive, stream, host, generation)
    if sectors is None:
        sectors = _sectors(stream.input, drive.logical_sector)
    if recording is not None and stream.find_rate:
        raise JobError("find_rate", None, "not together with ", ("mode", transfer.mode))
    if has_channels(built):
        if stream.find_rate:
            raise JobError("find_rate", None, "not together with ", ("channels", built.channels))
        if stream.input is None and channel_words(built, sectors) > 0:
            sectors = filled_sectors(built, sectors, drive.logical_sector)
    rate = _rate(stream, built)
    return Job(
        configuration=built, operation=_operation(transfer), lba=transfer.lba, sectors=sectors, capacity=drive.capacity,
        data=_data(transfer, drive, stream, sectors, rate), **_images(drive), lba48=not drive.lba28,
        logical_sector=drive.logical_sector, generation=generation, profile=profile, backend=backend,
        medium=inside and inside.parameters, medium_state=inside and inside.state,
        drive_hold=holds["drive"], host_hold=holds["host"], hostile=drive.hostile, seed=stream.seed,
        flush=transfer.flush,
        turnaround_clocks=0 if host.turnaround_us is None else turnaround_clocks(host.turnaround_us, built.clock_hz),
        command_limit=host.command_limit, controller=_controller(built, host), input_rate=rate,
        fifo_words=_fifo(stream.fifo_words), source_hz=_frequency(stream.source_clock), recording=recording,
        smart=drive.smart, written_bytes=_bytes(drive.written),
        samples=outputs.samples, trace=_text(outputs.trace), vcd=_text(outputs.vcd), vcd_scope=outputs.vcd_scope,
        overwrite=outputs.overwrite)


def _operation(transfer):
    # What a mode has recorded cannot be played in order.
    return "record" if transfer.mode is not None and transfer.operation == "both" else transfer.operation


def _data(transfer, drive, stream, sectors, rate):
    if stream.input is not None:
        return File(str(stream.input), SECTOR_WORDS * sectors)
    if transfer.operation == "play" and drive.images:
        return None
    endless = rate is not None or transfer.mode is not None
    return Pattern(stream.pattern, stream.seed, ENDLESS if endless else SECTOR_WORDS * sectors)


def _check_files(transfer, drive, stream, host, outputs):
    file = host.config is not None and not isinstance(host.config, Configuration)
    # What is neither a file nor a name is refused later, with a list of all names.
    given = {"config": path} if file and os.path.exists(path := configuration_file(host.config)) else {}
    to_stdout = outputs.json_file is not None and str(outputs.json_file) == "-"
    for image in drive.images or (None,):
        check_files({"input": stream.input, "image": image, **given},
                    {"image": None if transfer.operation == "play" else image, "trace": outputs.trace,
                     "vcd": outputs.vcd, "json_file": None if to_stdout else outputs.json_file,
                     "report": outputs.report, "plots": outputs.plots},
                    folders=("plots",), overwrite=outputs.overwrite)


def _images(drive):
    """The fields of a job: one image, or those of an array."""
    paths = tuple(map(str, drive.images))
    return {"image": paths[0]} if len(paths) == 1 else {"images": paths}


def _bytes(gigabytes):
    # The job's own error would name bytes.
    most = MOST_WRITTEN / 1e9
    if not 0 <= gigabytes <= most:
        raise JobError("written", f"{gigabytes:g}", f"must be 0 to {int(most)} GB")
    return round(1e9 * gigabytes)


def _text(path):
    return None if path is None else str(path)


def _holds(texts):
    holds = {}
    for text in texts:
        found = re.fullmatch(r"(drive|host):([0-9]{1,30})/([0-9]{1,30})", text)
        if not found or int(found[2]) < 1:
            raise JobError("hold", text, "must be drive:ON/OFF or host:ON/OFF, with ON at least 1 and OFF at least 0")
        if found[1] in holds:
            raise JobError("hold", text, f"{found[1]} is given twice")
        holds[found[1]] = Hold(int(found[2]), int(found[3]))
    return {"drive": Hold(), "host": Hold()} | holds


def _profile(drive, assume_rate, jitter_us):
    """The timing of the drive: a profile, or one by its name or file; None without one."""
    if drive is None:
        if jitter_us is not None:
            raise JobError("jitter_us", f"{jitter_us:g}", "needs ", ("drive",), " with a profile")
        if assume_rate is not None:
            raise JobError("assume_rate", assume_rate, "needs ", ("drive",), " with a profile")
        return None
    try:
        profile = drive if isinstance(drive, Profile) else load_profile(drive)
    except ProfileError as error:
        raise JobError("drive", drive, str(error)) from None
    if assume_rate is not None:
        profile = assuming(profile, assume_rate)
    try:
        simulated_profile(profile)
    except ProfileError as error:
        raise JobError("drive", profile.name, str(error), ", or give ", ("assume_rate",)) from None
    return _jittery(profile, jitter_us)


def _inside(drive):
    """The medium inside the drive; None if its profile stands for the drive."""
    if drive.medium is None:
        if drive.medium_state is not None:
            raise JobError("medium_state", drive.medium_state, "needs ", ("medium",))
        return None
    if drive.assume_rate is not None:
        raise JobError("assume_rate", drive.assume_rate, "not together with ", ("medium", drive.medium),
                       ", from which the rates follow")
    return inside_of(drive.medium, drive.drive, drive.medium_state)


def assuming(profile: Profile, rate: str) -> Profile:
    """``profile`` with ``rate``, a text such as "200MB/s", for what it does not know. Raises
    :exc:`.job_error.JobError`."""
    try:
        return profile.assuming(float(parse_rate(rate)) / 1e6)
    except ValueError as error:
        raise JobError("assume_rate", rate, reason(error, rate)) from None


def _jittery(profile, jitter_us):
    """The profile with a latency of commands that varies, marked as an estimate; unchanged without ``jitter_us``."""
    if jitter_us is None:
        return profile
    plain = profile.model_dump(exclude_unset=True)
    for side in ("write", "read"):
        plain.setdefault(side, {})["jitter_us"] = jitter_us
        plain.setdefault("estimates", {})[f"{side}.jitter_us"] = "chosen with --jitter-us"
    try:
        return Profile.from_data(plain, profile.name)
    except ProfileError:
        raise JobError("jitter_us", f"{jitter_us:g}", "must be 0 to 60000000 us") from None


def _recording(transfer):
    """What is requested of a recording in a mode; None for one extent."""
    if transfer.mode is None:
        given = {"look": transfer.look, "words": transfer.words, "stop_after": transfer.stop_after,
                 "trigger": next(iter(transfer.trigger), None), "segments": transfer.segments,
                 "trim_ahead": transfer.trim_ahead, "trim_us": transfer.trim_us}
        for name, value in given.items():
            if value is not None:
                raise JobError(name, value, "needs ", ("mode",))
        if transfer.extend:
            raise JobError("extend", None, "needs ", ("mode",))
    looks = _looks(transfer)
    if transfer.mode is None:
        return None
    return RecordingPlan(transfer.mode, transfer.words or 0, transfer.stop_after, transfer.trigger,
                         1 if transfer.segments is None else transfer.segments, transfer.extend,
                         trim_ahead=transfer.trim_ahead or 0, trim_us=transfer.trim_us or 0.0, looks=looks)


def _looks(transfer):
    """The readbacks while it records; None without one."""
    given = {"at": transfer.look_at, "every": transfer.look_every, "room": transfer.look_room}
    given = {name: value for name, value in given.items() if value is not None}
    if transfer.look is not None:
        return LookPlan(transfer.look, **given)
    for name, value in given.items():
        raise JobError(f"look_{name}", value, "needs ", ("look",))
    return None


def _configuration(transfer, drive, stream, host, generation):
    """The core: as it is given, else as the other options need it."""
    if isinstance(host.config, Configuration):
        for name, value in (("max_command", host.max_command), ("memory", host.memory), ("width", stream.width),
                            ("channels", stream.channels)):
            if value is not None:
                raise JobError(name, value, "not together with a Configuration as ", ("config",))
        return host.config
    options = {}
    if host.config is None:
        options = {"clock_hz": DWORD_HZ[generation], "max_command_sectors": _MAX_COMMAND}
        if drive.logical_sector != SECTOR_BYTES:
            options["long_logical_sectors"] = True
        if drive.smart:
            options["commands"] = True
    if host.max_command is not None:
        options["max_command_sectors"] = host.max_command
    if host.memory is not None:
        options["memory"] = host.memory
        if host.config is None:
            options["memory_width"] = 128
    options |= _array(drive, host)
    options |= channel_options(stream) or _source(stream, host.config is None)
    if host.turnaround_us is not None:
        options |= {"pacing": "programmable", "control": "pins"}
    if transfer.mode is not None:
        options["extents"] = "modes"
        options |= {} if transfer.trim_ahead is None else {"trim_ahead": True}
        options |= {} if transfer.look is None else {"look_sectors": look_sectors(transfer.look)}
    return configured(host.config, options)


def _array(drive, host):
    """The options of an array, and a clock in which words come as fast as two drives of Gen2 take them."""
    array = {"0": "raid0", "1": "raid1", "linear": "linear", None: None}[drive.raid]
    options = {"drives": drive.drives, "array": array, "chunk_sectors": drive.chunk_sectors,
               "array_width": drive.array_width}
    found = {name: value for name, value in options.items() if value is not None}
    if drive.chunk_sectors is not None and drive.raid in ("1", "linear"):
        raise JobError("chunk_sectors", drive.chunk_sectors, "not together with ", ("raid", drive.raid),
                       ", which has no chunks")
    if drive.smart and drive.drives not in (None, 1):
        raise JobError("smart", None, "not together with ", ("drives", drive.drives), ": a COMMAND and its data are "
                       "for one drive")
    if drive.raid == "1" and drive.drives not in (None, 2):
        raise JobError("raid", drive.raid, "not together with ", ("drives", drive.drives), ": RAID 1 is of two drives "
                       "that hold the same")
    if host.config is None:
        for name in ("raid", "chunk_sectors", "array_width"):
            if vars(drive)[name] is not None and drive.drives is None:
                raise JobError(name, vars(drive)[name], "needs ", ("drives",))
        if drive.drives is not None and drive.raid in (None, "0"):
            found["clock_hz"] = max(DWORD_HZ.values())
            # Two drives of Gen2 take a word in each of these clocks.
            found.setdefault("array_width", 32 if drive.drives < 3 else 64 if drive.drives < 5 else 128)
    return found


def _source(stream, is_free):
    """What the core needs for the source; if it ``is_free``, a source that cannot wait is one that loses words."""
    options = {} if stream.width is None else {"source_width": stream.width}
    if stream.source_clock is not None:
        options["source_clock"] = True
        if is_free and stream.fifo_words is None and (stream.input_rate is not None or stream.find_rate):
            options["source_waits"] = False
    return options


def _frequency(given):
    """Hertz of the clock of the source; None without one."""
    try:
        return float(parse_frequency(given)) if isinstance(given, str) else given
    except ValueError as error:
        raise JobError("source_clock", given, reason(error, given)) from None


def _controller(built, host):
    """The processor that operates the core ``built``; None for its own sequencer."""
    if isinstance(host.controller, Controller):
        return host.controller
    hz, wait, extent = host.controller_hz, host.controller_wait, host.controller_extent
    if host.controller == "hardwired":
        for name, given in (("hz", hz and f"{hz:g}"), ("wait", wait), ("extent", extent)):
            if given is not None:
                raise JobError(f"controller_{name}", given, "needs ", ("controller",), " with a processor")
        return None
    return Controller(host.controller, built.clock_hz if hz is None else hz, wait or WAITS[0], extent or EXTENTS[0])


def _size(given):
    try:
        return parse_size(given) if isinstance(given, str) else given
    except ValueError as error:
        raise JobError("sectors", given, reason(error, given)) from None


def _sectors(source, logical_sector):
    """The sectors that the input file fills, whole logical ones."""
    if source is None:
        return _SECTORS
    return max(1, -(-source.stat().st_size // logical_sector)) * (logical_sector // SECTOR_BYTES)


def _rate(stream, built):
    """The rate, words in clocks, of a stream that cannot wait; None for one that can."""
    given, fifo_words = stream.input_rate, stream.fifo_words
    if given is None and not stream.find_rate:
        if fifo_words is not None:
            raise JobError("fifo_words", fifo_words, "needs ", ("input_rate",), " or ", ("find_rate",))
        return None
    if stream.find_rate:
        if given is not None:
            raise JobError("input_rate", given, "not together with ", ("find_rate",))
        if fifo_words == "endless":
            raise JobError("find_rate", None, "not together with ", ("fifo_words", fifo_words))
        fastest = words_per_clock(carried(built, _frequency(stream.source_clock)), built.clock_hz)
        return Rate(*fastest.as_integer_ratio())
    try:
        rate = parse_rate(given) if isinstance(given, str) else given
        return given if isinstance(given, Rate) else Rate(*words_per_clock(rate, built.clock_hz).as_integer_ratio())
    except ValueError as error:
        raise JobError("input_rate", given, reason(error, str(given))) from None


def _fifo(words):
    """Depth of the FIFO before the core; None for an endless one."""
    if words == "endless":
        return None
    if isinstance(words, str) and not words.isdecimal():
        raise JobError("fifo_words", words, FIFO_LIMIT)
    return 1 if words is None else int(words)
