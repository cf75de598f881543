"""The configuration of a core: one frozen, validated description."""

import tomllib
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from . import GROUPS
from .look import LOOK_SECTORS
from ..facts.units import DWORD_HZ, LONG_SECTOR_BLOCKS, SECTOR_WORDS

__all__ = ["Configuration"]

_Seconds = Annotated[float, Field(gt=0, le=3600)]


class Configuration(BaseModel):
    """What is fixed when the core is built.

    A value outside its limits raises :class:`pydantic.ValidationError`, which names the field,
    the value and the limit. Times are seconds and become clock counts through ``clock_hz``, which may be
    slower than any link for a simulation: see `too_slow`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    #: Frequency of ``clk``; at least the dword rate (37.5, 75 or 150 MHz for Gen1, 2, 3). Commands and
    #: files refuse less than 37.5 MHz.
    clock_hz: Annotated[float, Field(ge=1e6, le=1e9)] = 75e6
    #: Depth of the recorder's buffer in words of 32 bits; a power of two.
    buffer_words: Annotated[int, Field(ge=128, le=32768)] = 4096
    #: Longest command in sectors; 28-bit commands are limited to 256 in any case.
    max_command_sectors: Annotated[int, Field(ge=1, le=65536)] = 65536
    #: Whether repeated primitives are replaced by CONT and scrambled junk on the transmitter.
    send_cont: bool = True
    #: Whether the core sends at least one SYNC between two frames, as the link layer's state L_IDLE
    #: does. If not, X_RDY follows R_OK at once when the drive is idle, which saves a clock.
    sync_between_frames: bool = True
    #: How an exported core is controlled: by plain pins, or by registers behind AXI4-Lite.
    control: Literal["pins", "axi-lite"] = "pins"
    #: Whether command length and the pause between commands are fixed, or inputs of the core
    #: (``command_limit``, ``turnaround``); needs plain pins.
    pacing: Literal["fixed", "programmable"] = "fixed"
    #: Whether a recording has one extent; can go on with others from a queue (``queue_valid`` and
    #: its kin), which needs plain pins; or has modes, such as rings and triggers
    #: (``recording_mode`` and its kin).
    extents: Literal["single", "queued", "modes"] = "single"
    #: Whether drives are used whose logical sectors have 4096 bytes (ATA8-ACS, Long Logical Sector
    #: feature set), beside those of 512. All lengths stay in sectors of 512 bytes.
    long_logical_sectors: bool = False
    #: Longest wait from link-up to the signature; drives that spin up need up to 31 s.
    signature_timeout: _Seconds = 31.0
    #: Longest silence of the drive during IDENTIFY DEVICE.
    identify_timeout: _Seconds = 5.0
    #: Longest silence of the drive during a read or write command.
    command_timeout: _Seconds = 30.0
    #: Longest silence of the drive during FLUSH CACHE.
    flush_timeout: _Seconds = 30.0
    #: How often one command is issued again before ``on_failure`` decides; 0: never.
    retries: Annotated[int, Field(ge=0, le=255)] = 3
    #: Pause before a failed command is issued again; it doubles with each retry of the command. If
    #: the drive is idle, the first retry comes at once.
    retry_delay: _Seconds = 0.01
    #: Longest time of one recovery, including the wait for a drive that is absent.
    recovery_timeout: _Seconds = 60.0
    #: The words of a write command of at most so many sectors stay in the buffer until the command
    #: is completed, so that it can be replayed.
    retain_sectors: Annotated[int, Field(ge=0, le=256)] = 0
    #: After how many write commands of a recording FLUSH CACHE follows, so that a power cut takes no
    #: more than what they wrote; 0: none, but at the end where the operation has it.
    flush_commands: Annotated[int, Field(ge=0, le=65535)] = 0
    #: After how many write commands of a recording SMART RETURN STATUS follows, which comes ahead of the
    #: first one, too: ``drive_health`` has the drive's answer. 0: never.
    smart_commands: Annotated[int, Field(ge=0, le=65535)] = 0
    #: Whether the drive's temperature is read with each SMART RETURN STATUS of ``smart_commands``:
    #: ``drive_heat`` and ``drive_temperature``.
    smart_temperature: bool = False
    #: Whether what a write command of a recording has written is on the drive's medium before the next
    #: one begins: WRITE DMA FUA EXT where the drive has it, else FLUSH CACHE behind each command.
    fua: bool = False
    #: What happens when a command has failed and cannot be replayed. ``stop``: the operation ends.
    #: ``skip``: its sectors are marked in the journal, and the operation goes on behind them.
    on_failure: Literal["stop", "skip"] = "stop"
    #: Whether a recording can be put into frames that tell time, gaps and their own damage
    #: (``frame_enable`` and its kin). With ``on_overflow = drop`` each one is: words are dropped
    #: ahead of the frames, which tell the gaps in place of the journal.
    frames: bool = False
    #: What a recording does while the buffer is full. ``stall``: the stream waits. ``drop``: words
    #: are dropped and counted, and the journal marks the gap.
    on_overflow: Literal["stall", "drop"] = "stall"
    #: Whether a failed command is issued again or passed over. Without: the operation ends at the
    #: first one, and ``retries``, ``retry_delay`` and ``recovery_timeout`` have no effect.
    recovery: bool = True
    #: Whether there is a journal. Without: it has no entries.
    journal: bool = True
    #: Whether there is the operation COMMAND: any ATA command, by its registers.
    commands: bool = False
    #: Whether recordings become files of a prepared drive (``file_start`` and its kin), without a
    #: processor.
    files: bool = False
    #: Whether TRIM can go ahead of a ring (``trim_ahead`` and its kin), on a drive that has it.
    trim_ahead: bool = False
    #: The most sectors of one look, which reads what the recording that runs has written (``look_start``
    #: and its kin): a power of two, 8 to 64. 0: there is none.
    look_sectors: Annotated[int, Field(ge=0, le=LOOK_SECTORS[1])] = 0
    #: Whether there is a ledger. Without: each entry is 0.
    ledger: bool = True
    #: Whether there are histograms of the times of commands and of standstills of the drive
    #: (``histogram_address`` and its kin).
    histograms: bool = False
    #: Whether write commands of a recording that begin or end within a physical sector of the drive
    #: are counted (``misaligned`` and its kin).
    alignment: bool = False
    #: Whether an input (``power_fail``) ends what runs and brings the drive to standby with STANDBY
    #: IMMEDIATE, before power goes; needs ``commands``.
    power_fail: bool = False

    @field_validator("retain_sectors")
    @classmethod
    def _retained_in_buffer(cls, value, info):
        words = info.data.get("buffer_words")
        if words is not None and 128 * value > words:
            raise ValueError(f"retain_sectors is {value}, which are {128 * value} words, and "
                             f"buffer_words is {words}")
        return value

    @field_validator("buffer_words")
    @classmethod
    def _power_of_two(cls, value):
        if value & (value - 1):
            raise ValueError(f"buffer_words is {value}, it must be a power of two")
        return value

    @field_validator("smart_temperature")
    @classmethod
    def _temperature_comes_with_the_verdict(cls, value, info):
        if value and info.data.get("smart_commands") == 0:
            raise ValueError("smart_temperature is true, and smart_commands is 0: the temperature is read "
                             "with the drive's verdict, it must be at least 1")
        return value

    @field_validator("fua")
    @classmethod
    def _flushes_anyway(cls, value, info):
        if value and info.data.get("flush_commands"):
            raise ValueError(f"fua is true, and flush_commands is {info.data['flush_commands']}: with fua "
                             "each write command is on the medium")
        return value

    @field_validator("recovery")
    @classmethod
    def _recovery_is_needed(cls, value, info):
        if not value and info.data.get("on_failure") == "skip":
            raise ValueError("recovery is false, and on_failure is skip, which is a recovery")
        if not value and info.data.get("retain_sectors"):
            raise ValueError(f"recovery is false, and retain_sectors is "
                             f"{info.data['retain_sectors']}, for a recovery")
        return value

    @field_validator("on_overflow")
    @classmethod
    def _modes_count_words(cls, value, info):
        if value == "drop" and info.data.get("extents") == "modes":
            raise ValueError("on_overflow is drop, and extents is modes, which counts the words "
                             "that are accepted: it must be stall")
        return value

    @field_validator("frames")
    @classmethod
    def _frames_know_their_room(cls, value, info):
        if value and info.data.get("extents") == "queued":
            raise ValueError("frames is true, and extents is queued: the framer knows the first "
                             "extent only, it needs single or modes")
        return value

    @field_validator("journal")
    @classmethod
    def _journal_is_needed(cls, value, info):
        for field, loses in ("on_failure", "skip"), ("on_overflow", "drop"):
            if not value and info.data.get(field) == loses and not (
                    field == "on_overflow" and info.data.get("frames")):
                raise ValueError(f"journal is false, and {field} is {loses}: nothing would say "
                                 f"what is missing")
        return value

    @field_validator("pacing")
    @classmethod
    def _pacing_has_pins(cls, value, info):
        if value == "programmable" and info.data.get("control") == "axi-lite":
            raise ValueError("pacing is programmable, which needs control = pins, not axi-lite")
        return value

    @field_validator("extents")
    @classmethod
    def _queue_has_pins(cls, value, info):
        if value == "queued" and info.data.get("control") == "axi-lite":
            raise ValueError("extents is queued, which needs control = pins, not axi-lite")
        return value

    @field_validator("long_logical_sectors")
    @classmethod
    def _long_sectors_are_whole(cls, value, info):
        longest, words = info.data.get("max_command_sectors"), info.data.get("buffer_words")
        if value and longest is not None and longest % LONG_SECTOR_BLOCKS:
            raise ValueError(f"long_logical_sectors is true, and max_command_sectors is {longest}: "
                             f"it must be a multiple of {LONG_SECTOR_BLOCKS}")
        least = LONG_SECTOR_BLOCKS * SECTOR_WORDS
        if value and words is not None and words < least and info.data.get("extents") != "single":
            raise ValueError(f"long_logical_sectors is true, and extents is "
                             f"{info.data.get('extents')}, whose commands are of what is in the "
                             f"buffer: buffer_words is {words}, it must be at least {least}")
        return value

    @field_validator("alignment")
    @classmethod
    def _alignment_is_of_short_sectors(cls, value, info):
        if value and info.data.get("long_logical_sectors"):
            raise ValueError("alignment is true, and long_logical_sectors is true: it counts in logical "
                             "sectors of 512 bytes")
        return value

    @field_validator("commands")
    @classmethod
    def _command_is_one_extent(cls, value, info):
        extents = info.data.get("extents", "single")
        if value and extents == "queued":
            raise ValueError(f"commands is true, and extents is {extents}: COMMAND has one extent, "
                             "it needs extents = single or modes")
        return value

    @field_validator("files")
    @classmethod
    def _files_have_one_slot(cls, value, info):
        if value and info.data.get("long_logical_sectors"):
            raise ValueError("files is true, and long_logical_sectors is true: log and directory of "
                             "a file are single sectors of 512 bytes")
        for field, wrong, why in (
                ("extents", "queued", "a file is in one slot: it needs single or modes"),
                ("on_failure", "skip", "a log or a directory would be passed over: it needs stop"),
                ("on_overflow", "drop", "the file would not tell what is missing: it needs stall")):
            if value and info.data.get(field) == wrong:
                raise ValueError(f"files is true, and {field} is {wrong}: {why}")
        return value

    @field_validator("trim_ahead")
    @classmethod
    def _trim_is_ahead_of_a_ring(cls, value, info):
        extents = info.data.get("extents", "modes")
        if value and extents != "modes":
            raise ValueError(f"trim_ahead is true, and extents is {extents}: TRIM goes ahead of a ring, "
                             "which needs modes")
        if value and info.data.get("files"):
            raise ValueError("trim_ahead is true, and files is true: the log of a file does not tell what "
                             "TRIM has taken of its ring")
        return value

    @field_validator("look_sectors")
    @classmethod
    def _look_is_at_a_recording(cls, value, info):
        if value and (value & (value - 1) or value < LOOK_SECTORS[0]):
            raise ValueError(f"look_sectors is {value}, it must be 0 or a power of two, {LOOK_SECTORS[0]} to "
                             f"{LOOK_SECTORS[1]}")
        extents = info.data.get("extents", "modes")
        if value and extents != "modes":
            raise ValueError(f"look_sectors is {value}, and extents is {extents}: a look is at what a "
                             "recording in a mode has written, it needs modes")
        if value and info.data.get("files"):
            raise ValueError(f"look_sectors is {value}, and files is true: the brick of files interrupts "
                             "recordings, and a look would end with them")
        return value

    @field_validator("power_fail")
    @classmethod
    def _power_fail_is_a_command(cls, value, info):
        if value and not info.data.get("commands", True):
            raise ValueError("power_fail is true, and commands is false: STANDBY IMMEDIATE is a "
                             "COMMAND, it needs commands = true")
        return value

    @property
    def groups(self):
        """The :class:`.group.Group` objects that there are beside those of every core."""
        return frozenset(group for group in GROUPS if group.exists(self))

    def clocks(self, seconds):
        """The number of clocks that ``seconds`` take, at least 1."""
        return max(1, round(seconds * self.clock_hz))

    @property
    def too_slow(self):
        """Why no link runs with this clock, which names the value and the limit; None where one may."""
        slowest = min(DWORD_HZ.values())
        if self.clock_hz >= slowest:
            return None
        return (f"clock_hz = {self.clock_hz:g}: it must be at least {slowest:g}, the dword rate of the slowest "
                "link, Gen1")

    def told(self):
        """The configuration as one line of JSON, for the head of what is exported: an option that came late
        is named where it is used only, so that a text without it stays as it was."""
        unused = {"smart_temperature": not self.smart_temperature, "trim_ahead": not self.trim_ahead,
                  "look_sectors": not self.look_sectors}
        return self.model_dump_json(exclude={name for name, left_out in unused.items() if left_out})

    @classmethod
    def from_toml(cls, path):
        """Reads the configuration from the TOML file ``path``; every key is a field's name. Raises
        ``ValueError`` for a clock with which no link runs, too."""
        found = cls(**tomllib.loads(Path(path).read_text()))
        if found.too_slow:
            raise ValueError(found.too_slow)
        return found
