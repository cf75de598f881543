"""The options of `sata-recorder measure` become a job, and its refusals get the options' names."""

from contextlib import contextmanager

from ..interface.configuration import Configuration, ConfigurationError
from ..lab.measurement import (DriveOptions, HostOptions, JobError, OutputOptions, StreamOptions, TransferOptions,
                               make_job, parse_size, reason)
from .common import Refusal, refusal
from .spool import spooled

#: What the options fill, in the order of the help.
OPTIONS = {"transfer": TransferOptions, "drive": DriveOptions, "stream": StreamOptions, "host": HostOptions,
           "outputs": OutputOptions}
#: Fields of a job that have another name as options.
_FIELDS = {"data": "input", "lba48": "lba28", "profile": "drive", "backend": "drive",
           "turnaround_clocks": "turnaround_us", "source_hz": "source_clock", "source_width": "width",
           "triggers": "trigger", "written_bytes": "written"}
_HOLDS = {"drive_hold": "--hold drive", "host_hold": "--hold host"}
#: Whose value is shown as the user gave it.
_AS_GIVEN = ("input", "drive", "assume_rate", "input_rate", "turnaround_us", "written", "source_clock", "sectors")


def job_of(context, asked):
    """The job for ``asked``, the objects of :data:`OPTIONS`. Input that is no regular file is kept in one until
    ``context`` ends. Raises :exc:`.common.Refusal`."""
    with refusing_jobs(asked):
        stream, sectors = asked["stream"], asked["transfer"].sectors
        if stream.input is not None:
            size = None if sectors is None else _size(sectors)
            stream = stream.model_copy(update={"input": spooled(context, stream.input, size)})
        return make_job(**(asked | {"stream": stream}))


def _size(text):
    try:
        return parse_size(text)
    except ValueError as error:
        raise JobError("sectors", text, reason(error, text)) from None


@contextmanager
def refusing_jobs(asked):
    """A job that is refused is reported by the names of the options ``asked``."""
    try:
        yield
    except ConfigurationError as error:
        host, drive, stream = asked["host"], asked["drive"], asked["stream"]
        given = {"max_command_sectors": ("--max-command", host.max_command), "memory": ("--memory", host.memory),
                 "drives": ("--drives", drive.drives), "chunk_sectors": ("--chunk-sectors", drive.chunk_sectors),
                 "array_width": ("--array-width", drive.array_width), "source_width": ("--width", stream.width),
                 "source_clock": ("--source-clock", stream.source_clock), "channels": ("--channels", stream.channels)}
        raise refusal(error, {name: option for name, (option, value) in given.items()
                              if value is not None}) from None
    except JobError as error:
        raise Refusal(error.told(lambda field, value=None: _told(asked, field, value))) from None


def _told(asked, field, value):
    """An option with its value, as the user gave it."""
    if field in _HOLDS:
        return _HOLDS[field] if value is None else f"{_HOLDS[field]}:{value}"
    name = _FIELDS.get(field, field)
    for one in asked.values():
        if name in type(one).model_fields:
            flag, given = one.flag(name), vars(one)[name]
            if given is None and field in Configuration.model_fields and asked["host"].config:
                break
            if value is None or given is True or type(one).model_fields[name].annotation is bool:
                return flag
            if name in _AS_GIVEN and given is not None:
                value = f"{given:g}" if isinstance(given, float) else given
            return f"{flag} {repr(value) if value == '' else value}"
    if field in Configuration.model_fields and asked["host"].config:
        return f"{field} = {value} of {asked['host'].config}"
    return field if value is None else f"{field} {value}"


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
