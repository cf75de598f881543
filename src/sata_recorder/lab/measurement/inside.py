"""The medium inside the simulated drive: a model of its flash or its disk, in place of the table of its profile."""

from pathlib import Path
from typing import Any, Literal, NamedTuple

from sata_drive_model.disk import DiskDrive, disk_profile
from sata_drive_model.flash import STATES, FlashDrive, check_flash_rate, flash_profile

from ...simulation import Profile, ProfileError, load_profile
from .job_error import JobError

Medium = Literal["flash", "disk"]
MediumState = Literal["new", "filled", "rested", "steady"]

_KINDS: dict[str, Any] = {"flash": FlashDrive, "disk": DiskDrive}
#: What a drive of the other kind is.
_OTHERS = {"flash": "disk", "disk": "flash"}


class Inside(NamedTuple):
    """The ``parameters`` of a drive's flash or disk; the ``profile`` that it shows the host; and what was done with it
    before, its ``state``."""

    parameters: Any
    profile: Profile
    state: str


def inside_parameters(medium: Medium, drive: Any = None) -> list[Any]:
    """The parameters of ``drive``, or of all drives that are supplied. Raises :exc:`.job_error.JobError`."""
    kind = _KINDS[medium]
    try:
        return [kind.load(name) for name in kind.names()] if drive is None else [_found(kind, drive)]
    except ProfileError as error:
        raise JobError("drive", drive, str(error)) from None


def inside_source(medium: Medium, drive: Any) -> str:
    """The file of the parameters of ``drive``. Raises :exc:`.job_error.JobError`."""
    (one,) = inside_parameters(medium, drive)
    path = Path(drive)
    return (path if path.suffix == ".toml" else one.FOLDER / f"{one.name}.toml").read_text(encoding="utf-8")


def inside_of(medium: Medium, drive: Any, state: str | None) -> Inside:
    """The inside of ``drive``: a name as people write it, or a file of parameters. Raises :exc:`.job_error.JobError`,
    which names the option."""
    kind = _KINDS[medium]
    if drive is None or drive == "qemu":
        limit = ("needs ", ("drive",), " with a drive whose inside is known") if drive is None else \
            ("not together with ", ("drive", "qemu"), ": QEMU's disk has no timing")
        raise JobError("medium", medium, *limit)
    try:
        parameters = drive if isinstance(drive, kind) else _found(kind, drive)
        if medium == "flash":
            check_flash_rate(parameters)
    except ProfileError as error:
        raise JobError("drive", drive, str(error)) from None
    if state is not None and state not in STATES:
        raise JobError("medium_state", state, f"must be one of {', '.join(STATES)}")
    if state not in (None, "new") and medium == "disk" and (parameters.policy.shingles is None or state != "filled"):
        raise JobError("medium_state", state, "is of flash" if state == "steady" else
                       "a disk keeps nothing that makes it slower" if parameters.policy.shingles is None else
                       "a shingled disk that was idle is as a new one")
    profile = (flash_profile if medium == "flash" else disk_profile)(parameters, _timing(parameters.name))
    return Inside(parameters, profile, state or "new")


def _found(kind, drive):
    """The parameters of a drive by its own name, or by that of its timing profile."""
    try:
        return kind.load(drive)
    except ProfileError as error:
        names = kind.names()
        try:
            name = load_profile(drive).name
        except ProfileError:
            name = None
        if name in names:
            return kind.load(name)
        other = _KINDS[_OTHERS[kind.WHAT]].names()
        hint = f"; it is {'a disk' if kind is FlashDrive else 'flash'}: --medium {_OTHERS[kind.WHAT]}" \
            if drive in other or name in other else ""
        raise ProfileError(f"{error}; known are {', '.join(names)}{hint}"
                           if str(error).startswith("no ") else str(error)) from None


def _timing(name):
    """The timing profile of the drive with this name; None if it has none."""
    try:
        found = load_profile(name)
    except ProfileError:
        return None
    return found if found.name == name else None


def inside_data(job: Any) -> dict[str, Any] | None:
    """What the medium inside is and rests on, as plain data; None: there is none."""
    one = job.medium
    if one is None:
        return None
    return inside_rows(one) | {"state": job.medium_state}


def inside_rows(one: Any) -> dict[str, Any]:
    """What is known about an inside, and where it is from, as plain data."""
    return {"medium": one.WHAT, "drive": one.name, "description": one.description,
            "parameters": [{"name": name, "value": value, "kind": kind, "origin": one.origin(name),
                            "estimate": name in one.estimates} for name, kind, value in one.parameters()],
            "unknown": dict(one.unknown)}


def inside_caveats(job: Any, size: int) -> list[str]:
    """What more recording or playing back on this medium may meet, and these ``size`` bytes have not."""
    one = job.medium
    found = [f"its {one.WHAT} was simulated for these bytes only; how it goes on is in no arithmetic"]
    if job.operation == "play":     # it meets no cache of writes
        return found
    if one.WHAT == "flash":
        if not one.cap.is_known:
            why = one.unknown.get("cap.write_mb_per_s", "not in its file")
            found.append(f"what its controller takes at most is unknown ({why}): the rates are those of its flash")
        cache = one.policy.cache_bytes + one.policy.dynamic_bytes
        if job.medium_state == "steady":
            found.append("a slice of its flash stands for all of it, and room is made for a block at a time: a "
                         "firmware that spreads this has shorter waits")
        elif cache and job.medium_state != "filled":
            found.append(f"it may all have gone to its SLC cache of up to {cache:,} bytes: --medium-state filled shows "
                         "what comes after it")
    elif one.policy.shingles and job.medium_state == "new":
        found.append(f"it went to the cache of {one.policy.shingles.cache_bytes:,} bytes before the shingled bands: "
                     "--medium-state filled shows what comes once that is full")
    else:
        found.append("the disk is slower the higher the LBA: --lba goes elsewhere")
    return found
