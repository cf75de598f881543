"""The parts of a configuration: its fields, with their defaults and limits.

Times are seconds. Which options exclude each other is in :mod:`.rules`.
"""

import re
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator

from ..facts.channels import MOST_CHANNELS, MOST_WORDS, PACKET_WORDS
from ..facts.array import CHUNKS, DEFAULT_CHUNK, MOST_DRIVES, RAID0
from ..facts.sizes import UNITS, parse_bytes
from .group import STREAM_DEPTH
from .look import LOOK_SECTORS
from .memory import MEMORY_ADDRESS_BITS

__all__ = ["BLOCK_RAM_WORDS", "MEMORY_BYTES", "ArrayOptions", "CoreOptions", "ExportOptions",
           "RecordingOptions", "RecoveryOptions", "WatchOptions"]

#: The most words of a buffer in block RAM.
BLOCK_RAM_WORDS = 32768
#: The least and the most bytes of a memory.
MEMORY_BYTES = (1 << 20, 16 << 30)

_Seconds = Annotated[float, Field(gt=0, le=3600)]


def _bytes(value: object) -> object:
    """A size of any unit as a number of bytes."""
    if not isinstance(value, str):
        return value
    try:
        size = parse_bytes(value)
    except ValueError:
        raise ValueError(f"must be a number of bytes, or one with a unit: {', '.join(UNITS)}") from None
    if size.denominator != 1:
        raise ValueError("must be whole bytes")
    return int(size)


def _address(value: object) -> object:
    """An address in bytes, in hexadecimal or of any unit, as a number."""
    return int(value, 16) if isinstance(value, str) and re.fullmatch("0[xX][0-9a-fA-F]{1,16}", value) else _bytes(value)


def _power_of_two(value: int) -> int:
    if value & (value - 1):
        raise ValueError("must be a power of two")
    return value


class _Options(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True, use_attribute_docstrings=True)


class CoreOptions(_Options):
    """What every core has."""

    clock_hz: Annotated[float, Field(ge=1e6, le=1e9)] = 75e6
    """Frequency of ``clk``; at least the dword rate (37.5, 75 or 150 MHz for Gen1, 2, 3). The tools refuse
    less than 37.5 MHz."""
    buffer_words: Annotated[int, Field(ge=128, le=BLOCK_RAM_WORDS)] = 4096
    """Depth of the recorder's buffer in words of 32 bits; a power of two."""
    memory: Annotated[int, BeforeValidator(_bytes)] = 0
    """Size of a memory at an AXI4 port (``m_axi_awaddr`` and related ports) that is the recorder's buffer, in bytes or
    with a unit, such as 256MiB; 1 MiB to 16 GiB. 0: the buffer is block RAM. With a memory ``buffer_words`` is the
    depth of each of the two FIFOs between it and the core, of which it must be a multiple."""
    memory_width: Literal[64, 128] = 64
    """Bits of ``m_axi_wdata`` and ``m_axi_rdata``."""
    memory_base: Annotated[int, BeforeValidator(_address), Field(ge=0, lt=1 << MEMORY_ADDRESS_BITS)] = 0
    """Address of the first byte of the ``memory``, such as 0x40000000 or 1GiB: a multiple of its size, or of the next
    power of two."""
    max_command_sectors: Annotated[int, Field(ge=1, le=65536)] = 65536
    """Longest command in sectors; 28-bit commands are limited to 256 in any case."""
    send_cont: bool = True
    """Whether repeated primitives are replaced by CONT and scrambled junk on the transmitter."""
    sync_between_frames: bool = True
    """Whether the core sends at least one SYNC between two frames, as the link layer's state L_IDLE does. If not,
    X_RDY follows R_OK at once when the drive is idle, which saves a clock."""
    pacing: Literal["fixed", "programmable"] = "fixed"
    """Whether command length and the pause between commands are fixed, or inputs of the core (``command_limit``,
    ``turnaround``), which are pins even with registers."""
    long_logical_sectors: bool = False
    """Whether the core takes drives whose logical sectors have 4096 bytes (ATA8-ACS, Long Logical Sector feature set),
    besides those of 512. All lengths stay in sectors of 512 bytes."""
    commands: bool = False
    """Whether there is the operation COMMAND, which issues any ATA command that its registers describe."""
    signature_timeout: _Seconds = 31.0
    """Longest wait from link-up to the signature; drives that spin up need up to 31 s."""
    identify_timeout: _Seconds = 5.0
    """Longest silence of the drive during IDENTIFY DEVICE."""
    command_timeout: _Seconds = 30.0
    """Longest silence of the drive during a read or write command."""
    flush_timeout: _Seconds = 30.0
    """Longest silence of the drive during FLUSH CACHE."""

    _buffer_words_power = field_validator("buffer_words")(_power_of_two)

    @field_validator("memory")
    @classmethod
    def _memory_size(cls, value: int) -> int:
        if value and (not MEMORY_BYTES[0] <= value <= MEMORY_BYTES[1] or value % 4096):
            raise ValueError(f"must be 0 or a multiple of 4096, {MEMORY_BYTES[0]} to {MEMORY_BYTES[1]} (1 MiB to "
                             "16 GiB)")
        return value

    @property
    def memory_region(self) -> int:
        """The memory's size, or the next power of two: what its first address is a multiple of."""
        return 1 << (self.memory - 1).bit_length() if self.memory else 0

    @property
    def buffered_words(self) -> int:
        """The words that the recorder's buffer holds, whichever it is."""
        return self.memory // 4 or self.buffer_words


class RecoveryOptions(_Options):
    """What follows a command that fails, and what a failure may cost."""

    recovery: bool = True
    """Whether a failed command is issued again or passed over. If not, the operation ends at the first one, and
    ``retries``, ``retry_delay`` and ``recovery_timeout`` have no effect."""
    retries: Annotated[int, Field(ge=0, le=255)] = 3
    """How many times one command is issued again before ``on_failure`` decides; 0: never."""
    retry_delay: _Seconds = 0.01
    """Pause before a command that has failed again is issued once more; it doubles with each retry of the command. The
    first retry comes at once."""
    recovery_timeout: _Seconds = 60.0
    """Longest time of one recovery, including the wait for a drive that is absent."""
    retain_sectors: Annotated[int, Field(ge=0, le=65536)] = 0
    """The words of a write command of at most this many sectors stay in the buffer until the command is completed, so
    that it can be replayed."""
    on_failure: Literal["stop", "skip", "next"] = "stop"
    """What happens when a command has failed and cannot be replayed. ``stop``: the operation ends. ``skip``: its
    sectors are marked in the journal, and the operation continues after them. ``next``: a recording on a linear array
    continues with the next drive, from the first word that was not written."""
    journal: bool = True
    """Whether there is a journal. If not, it has no entries."""
    flush_commands: Annotated[int, Field(ge=0, le=65535)] = 0
    """Number of write commands of a recording after which FLUSH CACHE follows, so that a power cut takes no more than
    what they wrote; 0: no FLUSH CACHE, except at the end of an operation that has it."""
    fua: bool = False
    """Whether what a write command of a recording has written is on the drive's medium before the next one begins:
    WRITE DMA FUA EXT where the drive has it, else FLUSH CACHE after each command."""


class WatchOptions(_Options):
    """What the core watches of itself and of the drive."""

    ledger: bool = True
    """Whether there is a ledger. If not, each entry is 0."""
    histograms: bool = False
    """Whether there are histograms of the times of commands and of stalls of the drive (``histogram_address`` and
    related ports)."""
    alignment: bool = False
    """Whether write commands of a recording that begin or end within a physical sector of the drive are counted
    (``misaligned`` and related ports)."""
    smart_commands: Annotated[int, Field(ge=0, le=65535)] = 0
    """Number of write commands of a recording after which SMART RETURN STATUS follows; it also comes before the first
    one. ``drive_health`` has the drive's answer. 0: never."""
    smart_temperature: bool = False
    """Whether the drive's temperature is read with each SMART RETURN STATUS of ``smart_commands``: ``drive_heat`` and
    ``drive_temperature``."""


class RecordingOptions(_Options):
    """What a recording can be."""

    extents: Literal["single", "queued", "modes"] = "single"
    """Whether a recording has one extent; can continue with others from a queue (``queue_valid`` and related ports,
    which are pins even with registers); or has modes, such as rings and triggers (``recording_mode`` and related
    ports)."""
    on_overflow: Literal["stall", "drop"] = "stall"
    """What a recording does while the buffer is full. ``stall``: the stream waits. ``drop``: words are dropped and
    counted, and the journal marks the gap."""
    trim_ahead: bool = False
    """Whether TRIM can run ahead of a ring (``trim_ahead`` and related ports), on a drive that has it."""
    look_sectors: int = 0
    """The most sectors of one readback, which reads what the current recording has written (``look_start`` and
    related ports): a power of two, 8 to 64. 0: no readback."""
    frames: bool = False
    """Whether a recording can be put into frames that show time, gaps and their own damage (``frame_enable`` and
    related ports). With ``on_overflow = drop`` each one is: words are dropped before the frames, which show the gaps
    in place of the journal."""
    frame_packets: bool = False
    """Whether ``s_axis_tlast`` ends a packet, whose frames show where it begins and ends; needs ``frames``."""
    files: bool = False
    """Whether recordings become files of a prepared drive (``file_start`` and related ports), without a processor."""
    file_lines: bool = False
    """Whether ``s_axis_tlast`` ends a line, not the file, whose log keeps the lengths of lines; needs ``files``."""
    power_fail: bool = False
    """Whether an input (``power_fail``) ends what runs and puts the drive into standby with STANDBY IMMEDIATE before
    power is lost; needs ``commands``."""
    power_hold_up: Annotated[float, Field(ge=0, le=3600)] = 0.0
    """With ``power_fail`` and a ``memory``: seconds after ``power_fail`` for which a recording goes on writing what the
    memory holds. Then the words that are left are given up, and counted (``power_lost``)."""

    @field_validator("look_sectors")
    @classmethod
    def _sectors_of_a_look(cls, value: int) -> int:
        if value and (value & (value - 1) or not LOOK_SECTORS[0] <= value <= LOOK_SECTORS[1]):
            raise ValueError(f"must be 0 or a power of two, {LOOK_SECTORS[0]} to {LOOK_SECTORS[1]}")
        return value


class ArrayOptions(_Options):
    """How many drives there are, and what each of them holds."""

    drives: Annotated[int, Field(ge=1, le=MOST_DRIVES)] = 1
    """Number of drives, which act as one: an array of this many lanes, each with a core and a dword port of its own
    (``phy1_tx_data`` and related ports). The options of one drive hold for each lane."""
    array: Literal["raid0", "raid1", "linear"] = "raid0"
    """With ``drives``: what the lanes hold. ``raid0``: chunks in turn, so that rates add up. ``raid1``: two drives
    hold the same. ``linear``: one drive after the other. Linux md assembles each of these."""
    chunk_sectors: int = DEFAULT_CHUNK[RAID0]
    """With ``array = raid0``: sectors of a chunk, a power of two, 8 to 128."""

    array_width: Literal[32, 64, 128] = 32
    """With ``drives``: bits of ``s_axis_tdata`` and ``m_axis_tdata``, so that more than one word comes in a clock. Each
    lane has a FIFO of a chunk for that; bits 7:0 are the first byte on the disk."""

    @field_validator("chunk_sectors")
    @classmethod
    def _sectors_of_a_chunk(cls, value: int) -> int:
        if value not in CHUNKS:
            raise ValueError(f"must be a power of two, {CHUNKS[0]} to {CHUNKS[-1]}")
        return value


class ExportOptions(_Options):
    """How an exported core is controlled, and what its streams are like."""

    control: Literal["pins", "axi-lite"] = "pins"
    """How an exported core is controlled: by plain pins, or by registers on AXI4-Lite."""
    source_width: Literal[8, 16, 32, 64, 128] = 32
    """Bits of ``s_axis_tdata``; bits 7:0 are the first byte on the disk."""
    source_clock: bool = False
    """Whether ``s_axis`` has a clock of its own, ``s_axis_aclk``, of any frequency."""
    source_depth: Annotated[int, Field(ge=8, le=8192)] = STREAM_DEPTH
    """With ``source_clock``: beats of the FIFO between the clocks, or words where a beat is shorter; a power of two."""
    source_waits: bool = True
    """Whether the source waits for ``s_axis_tready``. If not, what comes before a recording is dropped, and beats that
    find no room during one are counted (``source_lost``, ``source_intact``); needs ``source_clock``."""
    channels: Annotated[int, Field(ge=1, le=MOST_CHANNELS)] = 1
    """Number of streams that are recorded together, each with a FIFO (``s0_axis_tdata`` and related ports, in place of
    ``s_axis``). Channels take turns, one packet each, whose frames show the channel; more than 1 need
    ``frame_packets``."""
    channel_width: Literal[8, 16, 32] = 32
    """With ``channels``: bits of ``s0_axis_tdata`` and so on."""
    channel_words: Annotated[int, Field(ge=1, le=MOST_WORDS)] = PACKET_WORDS
    """With ``channels``: words of 32 bits in a packet. 112, 496 and 2032 fill their sectors. The FIFO of a channel has
    room for at least two packets; its depth is a power of two."""
    channel_waits: bool = True
    """With ``channels``: whether they wait for room. If not, words that find none are counted (``channel_lost``), and
    the packets show where they are missing."""
    playback_width: Literal[8, 16, 32, 64, 128] = 32
    """Bits of ``m_axis_tdata``; bits 7:0 are the first byte on the disk."""
    playback_clock: bool = False
    """Whether ``m_axis`` has a clock of its own, ``m_axis_aclk``, of any frequency."""
    playback_depth: Annotated[int, Field(ge=16, le=8192)] = STREAM_DEPTH
    """With ``playback_clock`` or a ``playback_width`` other than 32: beats of the FIFO before ``m_axis``, or words
    where a beat is shorter; a power of two."""
    playback_fill: Annotated[int, Field(ge=0, le=8192)] = 0
    """With that FIFO: beats that are in it before a playback begins; at most ``playback_depth`` - 4."""

    @property
    def stream_clocks(self) -> dict[str, str]:
        """The clocks besides ``clk``: whose they are, and their ports."""
        return {name: port for name, port, there in (
            ("source", "s_axis_aclk", self.source_clock), ("playback", "m_axis_aclk", self.playback_clock)) if there}

    _depth_power = field_validator("source_depth", "playback_depth")(_power_of_two)
