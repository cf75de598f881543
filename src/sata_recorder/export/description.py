"""What other programs need to know of an exported core, as plain data."""

from collections.abc import Iterable
from typing import Any

from amaranth.hdl import Signal
from amaranth.hdl._ir import PortDirection

from .. import __version__
from ..bricks.modes import FIELDS as SEGMENT_FIELDS
from ..core.drive_port import Error, JournalKind, Operation
from ..core.ledger import Account, Entry, WholeAccount
from ..core.phy import BackEnd, BistState, Fall, PhyState
from ..core.recorder import FIELDS
from ..facts.described_enum import DescribedEnum
from ..interface import PHY_STATUS, registers_with
from ..interface.configuration import Configuration
from ..interface.file import FileError, FileState
from ..interface.array import MemberState
from ..interface.health import HealthVerdict
from ..interface.histogram import HistogramKind
from ..interface.look import LookState
from ..interface.recording import RecordingMode, RecordingState, SegmentState
from ..interface.registers import Word
from ..interface.temperature import HeatVerdict
from ..interface.trim import TrimState
from .netlist import TOP
from .top import described, top

__all__ = ["array_codes", "codes", "description", "file_codes", "health_codes", "histogram_codes", "look_codes",
           "phy_codes", "recording_codes", "temperature_codes", "trim_codes"]


def description(configuration: Configuration, back_end: BackEnd | None = None) -> dict[str, Any]:
    """The interface of the core for ``configuration``, ready for `json`.

    ``module``, ``version``; ``configuration``; with a ``back_end`` ``phy``: its name and its
    options; ``ports`` in the order of the Verilog file: name,
    direction, width, meaning; ``registers``, if there are any: name, offset in bytes, ``count`` of
    them and the bytes from one to the next, access, ``reset`` value of the bits in ``reset_mask``,
    meaning, and ``fields``: name, lowest bit, width, access, unit, meaning; and the tables of
    :func:`codes`.
    """
    # clk and rst belong to the clock domain, not to the component.
    signals = dict.fromkeys(("clk", "rst"), (Signal(), PortDirection.Input))
    _, ports = top(configuration, back_end)
    signals |= ports
    modes = configuration.extents == "modes"

    def port(name: str, meaning: str) -> dict[str, Any]:
        value, direction = signals[name]
        return {"name": name, "direction": direction.value, "width": len(value),
                "meaning": meaning}

    return {
        "module": TOP,
        "version": __version__,
        "configuration": configuration.model_dump(),
        **({"phy": back_end.as_dict()} if back_end else {}),
        "ports": [port(name, meaning) for name, meaning in described(ports, back_end).items()],
        "registers": ([_register(word) for register in
                       registers_with(*configuration.groups, *[PHY_STATUS] * (back_end is not None))
                       for word in register.words]
                      if configuration.control == "axi-lite" else []),
        **codes(),
        **(phy_codes() if back_end else {}),
        **(histogram_codes() if configuration.histograms else {}),
        **(health_codes() if configuration.smart_commands else {}),
        **(temperature_codes() if configuration.smart_temperature else {}),
        **(recording_codes() if modes else {}),
        **(trim_codes() if configuration.trim_ahead else {}),
        **(look_codes() if configuration.look_sectors else {}),
        **(file_codes() if configuration.files else {}),
        **(array_codes() if configuration.drives > 1 else {}),
    }


def _named(members: type[DescribedEnum]) -> list[dict[str, Any]]:
    return [{"name": one.name, "code": int(one), "meaning": one.meaning} for one in members]


def _addressed(entries: Iterable[Any]) -> list[dict[str, Any]]:
    return [{"name": one.name.lower(), "address": int(one), "meaning": one.meaning} for one in entries]


def phy_codes() -> dict[str, list[dict[str, Any]]]:
    """The numbers that the status of a PHY carries: ``phy_states``, ``phy_falls`` and
    ``phy_bist_states``; name, code, meaning."""
    return {"phy_states": _named(PhyState), "phy_falls": _named(Fall),
            "phy_bist_states": _named(BistState)}


def histogram_codes() -> dict[str, list[dict[str, Any]]]:
    """What the histograms count: ``histograms``; name, code, meaning."""
    return {"histograms": _named(HistogramKind)}


def health_codes() -> dict[str, list[dict[str, Any]]]:
    """What a drive reports about its health: ``drive_health``; name, code, meaning."""
    return {"drive_health": _named(HealthVerdict)}


def temperature_codes() -> dict[str, list[dict[str, Any]]]:
    """How hot a drive reports that it is: ``drive_heat``; name, code, meaning."""
    return {"drive_heat": _named(HeatVerdict)}


def recording_codes() -> dict[str, list[dict[str, Any]]]:
    """The numbers that the modes of a recording carry: ``recording_modes``, ``recording_states``
    and ``segment_states``; name, code, meaning; ``segments``: name, field, meaning."""
    return {"recording_modes": _named(RecordingMode), "recording_states": _named(RecordingState),
            "segment_states": _named(SegmentState),
            "segments": [{"name": name, "field": number, "meaning": meaning}
                         for number, (name, meaning) in enumerate(SEGMENT_FIELDS.items())]}


def trim_codes() -> dict[str, list[dict[str, Any]]]:
    """The states of TRIM ahead of a ring: ``trim_states``; name, code, meaning."""
    return {"trim_states": _named(TrimState)}


def look_codes() -> dict[str, list[dict[str, Any]]]:
    """The states of a readback: ``look_states``; name, code, meaning."""
    return {"look_states": _named(LookState)}


def file_codes() -> dict[str, list[dict[str, Any]]]:
    """The numbers that the ports of the files carry: ``file_states`` and ``file_errors``; name, code,
    meaning."""
    return {"file_states": _named(FileState), "file_errors": _named(FileError)}


def array_codes() -> dict[str, list[dict[str, Any]]]:
    """What a drive is to an array: ``array_members``; name, code, meaning. What the ledger of the array as a whole
    has besides: ``array_ledger``; name, address, meaning."""
    return {"array_members": _named(MemberState), "array_ledger": _addressed(WholeAccount)}


def codes() -> dict[str, list[dict[str, Any]]]:
    """The numbers that ports and registers carry.

    ``operations``, ``errors`` and ``marks``: name, code, meaning; ``ledger``: name, address,
    meaning; ``journal``: name, field, meaning.
    """
    return {
        "operations": _named(Operation),
        "errors": _named(Error),
        "marks": _named(JournalKind),
        "journal": [{"name": name, "field": number, "meaning": meaning}
                    for number, (name, meaning) in enumerate(FIELDS.items())],
        "ledger": _addressed((*Account, *Entry)),
    }


def _register(word: Word) -> dict[str, Any]:
    reset, mask = word.reset
    return {
        "name": word.name, "offset": word.offset, "count": word.register.count,
        "stride": word.register.stride, "access": "rw" if word.writable else "ro",
        "reset": reset, "reset_mask": mask, "meaning": word.meaning,
        "fields": [{"name": field.name, "low": field.low, "width": field.width,
                    "access": field.access.value, "unit": field.unit, "meaning": field.meaning}
                   for field in word.fields],
    }
