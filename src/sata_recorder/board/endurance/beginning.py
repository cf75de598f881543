"""What must hold before the first write of a new run, and of one that resumes."""

import copy
from dataclasses import replace
from typing import Any

from ...facts.units import SECTOR_BYTES
from ...pc.maintenance import NotOffered, ProcedureFailed, has_trim, logical_blocks
from .board import Board, EnduranceError
from .log import EnduranceLog
from .request import EnduranceRequest
from .state import damage

__all__ = ["begin", "go_on"]

#: The fewest sectors of a span: less would be written to a drive's RAM, and seldom to its flash.
_LEAST = 2048
_PROGRESS = {"lap": 0, "offset": 0, "bytes": 0, "seconds": 0.0, "board_bytes": 0, "board_seconds": 0.0, "retries": 0,
             "failures": 0, "mismatches": 0, "pending": None, "passed": []}


def begin(client: Any, wanted: EnduranceRequest) -> tuple[EnduranceRequest, dict[str, Any]]:
    """The request with the sectors of its span (``wanted.sectors`` of 0: to the drive's end), and the state of a new
    run. Nothing is written. Raises :class:`.board.EnduranceError`, whose text names the option at fault, if any."""
    board = Board(client)
    if (busy := board.running()) is not None:
        raise EnduranceError(f"the board is busy with `{busy}`; `sata-recorder console stop` ends that")
    found = board.identity()
    if wanted.serial != found["serial"]:
        raise EnduranceError(f"--serial {wanted.serial}: the drive's is {found['serial']}")
    capacity = found["capacity"]
    sectors = wanted.sectors or capacity - wanted.lba
    last = wanted.lba + sectors - 1
    if wanted.lba >= capacity or last >= capacity:
        raise EnduranceError(f"--lba {wanted.lba}, --sectors {max(0, sectors)}: the drive has {capacity} sectors")
    if sectors < _LEAST:
        raise EnduranceError(f"--sectors {sectors}: must be at least {_LEAST}, {_LEAST * SECTOR_BYTES // 1024} KiB")
    try:
        words = board.words()
    except ProcedureFailed as error:
        raise EnduranceError(str(error)) from None
    blocks = logical_blocks(words)
    if wanted.lba % blocks or sectors % blocks:
        raise EnduranceError(f"--lba {wanted.lba}, --sectors {sectors}: must be multiples of {blocks}, a logical "
                             "sector of the drive")
    if (reason := board.refusal()) is not None:
        raise EnduranceError(reason)
    if wanted.pattern == "sequential" and not has_trim(words):
        raise EnduranceError("--pattern sequential: the drive has no TRIM, which it needs before each lap; ring needs "
                             "none")
    _trim_is_there(board, wanted)
    if wanted.end.kind == "erases":
        _mean_erases(board, wanted, found)
    return replace(wanted, sectors=sectors), {
        "drive": found, "request": replace(wanted, sectors=sectors).as_data(), "progress": copy.deepcopy(_PROGRESS)}


def go_on(client: Any, log: EnduranceLog, serial: str) -> EnduranceRequest:
    """The request of a run that resumes on the same drive; ends an operation of it that still runs on the board.
    Raises :class:`.board.EnduranceError`."""
    if (wrong := damage(log.state)) is not None:
        raise EnduranceError(f"{log.path}.state: is damaged: {wrong}")
    request, drive = EnduranceRequest.of(log.state["request"]), log.state["drive"]
    known = drive["serial"]
    if serial != known:
        raise EnduranceError(f"--serial {serial}: the log is of the drive {known}")
    board = Board(client)
    busy = board.running()
    if busy not in (None, "record", "play", "command", "trim"):
        raise EnduranceError(f"the board is busy with `{busy}`, which is not of this run; `sata-recorder console stop` "
                             "ends that")
    found = board.identity()
    if found["serial"] != known or found["model"] != drive["model"] or found["capacity"] != drive["capacity"]:
        raise EnduranceError(f"the drive is another one: {found['model']}, {found['serial']}, {found['capacity']} "
                             f"sectors; the log is of {drive['model']}, {known}, {drive['capacity']} sectors")
    if busy is not None:
        board.stop()
    _trim_is_there(board, request)
    return request


def _trim_is_there(board, wanted):
    """Refuses a pattern that the board cannot write."""
    if wanted.pattern == "sequential" and not board.has_commands():
        raise EnduranceError("--pattern sequential: the board has no `commands`, by which it would TRIM before each "
                             "lap; ring needs none")


def _mean_erases(board, wanted, drive):
    """Refuses an end by mean erases that the drive does not report: nobody would notice it."""
    try:
        health, _ = board.smart(drive)
    except (NotOffered, ProcedureFailed) as error:
        raise EnduranceError(f"--until {wanted.end.limit:.0f}: erases are not known: {error}") from None
    if health.erased is None or health.erased[1] is None:
        by = health.known_by or "nobody knows what its attributes mean"
        raise EnduranceError(f"--until {wanted.end.limit:.0f}: the drive reports no mean erases that are known ({by}); "
                             "read-only, a time or a size can be given")
