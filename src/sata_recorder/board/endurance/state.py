"""What the state file of a run must hold: somebody may have changed it, and it decides what is written to a drive."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

__all__ = ["damage"]

_Count = Annotated[int, Field(ge=0)]
_Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class _Drive(_Strict):
    model: str
    serial: str
    firmware: str | None
    capacity: Annotated[int, Field(gt=0)]


class _End(_Strict):
    kind: Literal["erases", "bytes", "seconds", "read-only"]
    limit: _Seconds | None


class _Request(_Strict):
    serial: str
    lba: _Count
    sectors: Annotated[int, Field(gt=0)]
    pattern: Literal["sequential", "ring"]
    rate: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None
    every: _Seconds
    end: _End
    verify: bool


class _Progress(_Strict):
    lap: _Count
    offset: _Count
    bytes: _Count
    seconds: _Seconds
    board_bytes: _Count
    board_seconds: _Seconds
    retries: _Count
    failures: _Count
    mismatches: _Count
    pending: Annotated[list[_Count], Field(min_length=2, max_length=2)] | None
    passed: list[Annotated[list[_Count], Field(min_length=3, max_length=3)]]


class _State(_Strict):
    drive: _Drive
    request: _Request
    progress: _Progress


def damage(state: dict[str, Any]) -> str | None:
    """What is wrong with the plain data of a run, in one line; None if nothing is."""
    try:
        found = _State.model_validate(state)
    except ValidationError as error:
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    request, progress = found.request, found.progress
    end = request.lba + request.sectors
    if request.end.limit is None and request.end.kind != "read-only":
        return f"request.end.limit: is missing, and the run would not end at its {request.end.kind}"
    if request.serial != found.drive.serial:
        return "request.serial is not that of the drive"
    if end > found.drive.capacity:
        return f"request.lba, request.sectors: the drive has {found.drive.capacity} sectors"
    if progress.offset >= request.sectors:
        return f"progress.offset: must be below {request.sectors}"
    for name, extents in ("pending", [progress.pending or [request.lba, 0]]), ("passed", progress.passed):
        if any(lba < request.lba or lba + sectors > end for lba, sectors, *_ in extents):
            return f"progress.{name}: is not within sectors {request.lba} to {end - 1}"
    return None
