"""Which options of a core exclude each other, and why: one list for the configuration and its users.

Limits of one option by itself are next to it, in :mod:`.configuration`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..facts.array import DEFAULT_CHUNK, RAID0
from ..facts.channels import PACKET_WORDS
from ..facts.units import LONG_SECTOR_BLOCKS, SECTOR_WORDS
from .group import STREAM_DEPTH, WORD
from .memory import MEMORY_ADDRESS_BITS, MEMORY_WIDTHS
from .playback import PLAYBACK_AHEAD

__all__ = ["RULES", "Rule", "broken"]

#: The least ``buffer_words`` with a memory.
_LEAST_FIFO = 512
#: With so many a word of a playback is delivered after it was found good: two Data FISes.
_VERIFIED_WORDS = 4096
_LONG_WORDS = LONG_SECTOR_BLOCKS * SECTOR_WORDS


@dataclass(frozen=True)
class Rule:
    """A reason to refuse a configuration.

    ``field`` is the option to blame, ``breaks(configuration)`` whether the rule is broken; ``sentence`` states why,
    with ``{c.NAME}`` for the value of an option.
    """

    field: str
    breaks: Callable
    sentence: str


#: In the order in which they are reported.
RULES = (
    Rule("retain_sectors", lambda c: not c.memory and SECTOR_WORDS * c.retain_sectors > c.buffer_words,
         "retain_sectors is {c.retain_sectors}, which are {words} words, and buffer_words is "
         "{c.buffer_words}"),
    Rule("retain_sectors", lambda c: c.memory and SECTOR_WORDS * c.retain_sectors >= c.buffered_words,
         "retain_sectors is {c.retain_sectors}, which are {words} words, and a memory of {c.memory} bytes has room for "
         "one word less than {c.buffered_words}"),
    Rule("buffer_words", lambda c: c.memory and c.buffer_words < _LEAST_FIFO,
         "buffer_words is {c.buffer_words}, and memory is {c.memory}: the FIFOs between it and the core have at least "
         f"{_LEAST_FIFO} words"),
    # Words for a command, of which some come though the memory has failed: the command shows that it has.
    Rule("buffer_words", lambda c: c.memory and c.long_logical_sectors and c.buffer_words < 2 * _LONG_WORDS,
         "buffer_words is {c.buffer_words}, and memory is {c.memory}: with long_logical_sectors the FIFOs between it "
         f"and the core have at least {2 * _LONG_WORDS} words"),
    Rule("memory", lambda c: c.memory % (8 * c.buffer_words),
         "memory is {c.memory} bytes, and must be a multiple of 8 x {c.buffer_words}, both FIFOs of buffer_words "
         "between it and the core, as all whole MiB are"),
    Rule("memory_width", lambda c: not c.memory and c.memory_width != MEMORY_WIDTHS[0],
         "memory_width is {c.memory_width}, and memory is 0: m_axi is the port of a memory, whose size memory states"),
    Rule("memory_base", lambda c: not c.memory and c.memory_base,
         "memory_base is {c.memory_base}, and memory is 0: it is the address of a memory, whose size memory states"),
    Rule("memory_base", lambda c: c.memory and c.memory_base % c.memory_region,
         "memory_base is {c.memory_base}, and must be a multiple of {c.memory_region}, the size of the memory or the "
         "next power of two"),
    Rule("memory_base", lambda c: c.memory and c.memory_base + c.drives * c.memory_region > 1 << MEMORY_ADDRESS_BITS,
         "memory_base is {c.memory_base}, and drives is {c.drives}: the regions of {c.memory_region} bytes that begin "
         f"there, one for each, end beyond an address of {MEMORY_ADDRESS_BITS} bits"),
    Rule("power_hold_up", lambda c: c.power_fail and c.memory and not c.power_hold_up,
         "power_hold_up is 0, power_fail is true, and memory is {c.memory}: power does not last until all that the "
         "memory holds is written; power_hold_up states for how many seconds it does"),
    Rule("power_hold_up", lambda c: c.power_hold_up and not (c.power_fail and c.memory),
         "power_hold_up is {c.power_hold_up}, and limits what power_fail writes of a memory: it needs both"),
    Rule("smart_temperature", lambda c: c.smart_temperature and not c.smart_commands,
         "smart_temperature is true, and smart_commands is 0: the temperature is read with the drive's "
         "verdict, so smart_commands must be at least 1"),
    Rule("fua", lambda c: c.fua and c.flush_commands,
         "fua is true, and flush_commands is {c.flush_commands}: with fua each write command is on the "
         "medium"),
    Rule("recovery", lambda c: not c.recovery and c.on_failure == "skip",
         "recovery is false, and on_failure is skip, which is a recovery"),
    Rule("recovery", lambda c: not c.recovery and c.retain_sectors,
         "recovery is false, and retain_sectors is {c.retain_sectors}, for a recovery"),
    Rule("on_overflow", lambda c: c.on_overflow == "drop" and c.extents == "modes",
         "on_overflow is drop, and extents is modes, which counts the words that are accepted: "
         "on_overflow must be stall"),
    Rule("frames", lambda c: c.frames and c.extents == "queued",
         "frames is true, and extents is queued: the framer knows the first extent only: extents must be "
         "single or modes"),
    Rule("journal", lambda c: not c.journal and c.on_failure == "skip",
         "journal is false, and on_failure is skip: nothing would record what is missing"),
    # Frames show what is missing themselves.
    Rule("journal", lambda c: not c.journal and c.on_overflow == "drop" and not c.frames,
         "journal is false, and on_overflow is drop: without frames nothing would record what is missing"),
    Rule("long_logical_sectors", lambda c: c.long_logical_sectors and c.max_command_sectors % LONG_SECTOR_BLOCKS,
         "long_logical_sectors is true, and max_command_sectors is {c.max_command_sectors}: it must be a "
         f"multiple of {LONG_SECTOR_BLOCKS}"),
    Rule("long_logical_sectors",
         lambda c: c.long_logical_sectors and c.extents != "single" and c.buffered_words < _LONG_WORDS,
         "long_logical_sectors is true, and extents is {c.extents}, whose commands are of what is in the "
         f"buffer: buffer_words is {{c.buffer_words}}, and must be at least {_LONG_WORDS}"),
    Rule("alignment", lambda c: c.alignment and c.long_logical_sectors,
         "alignment is true, and long_logical_sectors is true: alignment counts in logical sectors of 512 bytes"),
    Rule("frame_packets", lambda c: c.frame_packets and not c.frames,
         "frame_packets is true, and frames is false: frames show the packets"),
    Rule("frame_packets", lambda c: c.frame_packets and c.files and c.channels == 1,
         "frame_packets is true, and files is true: s_axis_tlast ends the file, not a packet in its frames"),
    Rule("frame_packets", lambda c: c.frame_packets and not c.source_waits,
         "frame_packets is true, and source_waits is false: the frames would not show that a packet has lost a beat "
         "before them"),
    Rule("channels", lambda c: c.channels > 1 and not c.frame_packets,
         "channels is {c.channels}, and frame_packets is false: the packets of a channel are those of the frames"),
    Rule("channels", lambda c: c.channels > 1 and c.extents == "modes",
         "channels is {c.channels}, and extents is modes: a trigger belongs to a word of one channel, and words of the "
         "others around it are in packets before and after"),
    Rule("channels", lambda c: c.channels > 1 and c.on_overflow == "drop",
         "channels is {c.channels}, and on_overflow is drop: words would be dropped that have become packets; "
         "channel_waits = false drops them before"),
    Rule("channels", lambda c: c.channels > 1 and c.commands,
         "channels is {c.channels}, and commands is true: the data of a COMMAND come at s_axis, which they replace"),
    Rule("channels", lambda c: c.channels > 1 and (c.source_width != WORD or c.source_clock),
         "channels is {c.channels}: they replace s_axis, and have channel_width bits and the core's clock, so "
         "source_width must be 32 and source_clock false"),
    Rule("channels", lambda c: c.channels == 1 and (c.channel_width != WORD or not c.channel_waits),
         "channels is 1, and channel_width is {c.channel_width}, channel_waits is {c.channel_waits}: s_axis has "
         "source_width and source_waits"),
    Rule("channel_words", lambda c: c.channels == 1 and c.channel_words != PACKET_WORDS,
         "channel_words is {c.channel_words}, and channels is 1: it is the length of the packets in which several "
         "channels take turns"),
    Rule("file_lines", lambda c: c.file_lines and not c.files,
         "file_lines is true, and files is false: the log of a file keeps the lengths of lines"),
    Rule("file_lines", lambda c: c.file_lines and c.frames,
         "file_lines is true, and frames is true: a file of frames has other words than the lines; without files "
         "frame_packets keeps lines"),
    Rule("files", lambda c: c.files and c.extents == "queued",
         "files is true, and extents is queued: a file is in one slot, so extents must be single or modes"),
    Rule("files", lambda c: c.files and c.on_overflow == "drop",
         "files is true, and on_overflow is drop: the file would not show what is missing, so on_overflow must "
         "be stall"),
    Rule("trim_ahead", lambda c: c.trim_ahead and c.extents != "modes",
         "trim_ahead is true, and extents is {c.extents}: TRIM runs ahead of a ring, which needs modes"),
    Rule("look_sectors", lambda c: c.look_sectors and c.extents != "modes",
         "look_sectors is {c.look_sectors}, and extents is {c.extents}: a readback reads what a recording in "
         "a mode has written, which needs modes"),
    Rule("source_waits", lambda c: not c.source_waits and not c.source_clock,
         "source_waits is false, and source_clock is false: a source in the core's clock that does not wait is what "
         "on_overflow = drop is for"),
    Rule("source_depth", lambda c: c.source_depth != STREAM_DEPTH and not c.source_clock,
         "source_depth is {c.source_depth}, and source_clock is false: the FIFO is between s_axis_aclk and clk, and "
         "needs source_clock = true; in the core's clock buffer_words or memory is the buffer"),
    Rule("playback_depth",
         lambda c: c.playback_depth != STREAM_DEPTH and not c.playback_clock and c.playback_width == WORD,
         "playback_depth is {c.playback_depth}, and m_axis has 32 bits and the core's clock: there is a FIFO with "
         "another playback_width or playback_clock = true only"),
    Rule("playback_fill", lambda c: c.playback_fill > c.playback_depth - PLAYBACK_AHEAD,
         "playback_fill is {c.playback_fill}, and playback_depth is {c.playback_depth}, which must be at least "
         f"{PLAYBACK_AHEAD} more"),
    Rule("playback_fill", lambda c: c.playback_fill and not c.playback_clock and c.playback_width == 32,
         "playback_fill is {c.playback_fill}, and m_axis has 32 bits and the core's clock: there is a FIFO with "
         "another playback_width or playback_clock only"),
    Rule("drives", lambda c: c.drives > 1 and c.array == "raid1" and c.extents != "single",
         "drives is {c.drives}, array is raid1, and extents is {c.extents}: what one of two mirrors has begun is not "
         "what both have: extents must be single"),
    Rule("drives", lambda c: c.drives > 1 and c.extents == "modes" and (c.files or c.on_failure == "skip"),
         "drives is {c.drives}, extents is modes, files is {c.files}, and on_failure is {c.on_failure}: what of a ring "
         "is there is known for raw recordings that pass over nothing: files must be false and on_failure stop"),
    Rule("drives", lambda c: c.drives > 1 and (c.trim_ahead or c.look_sectors),
         "drives is {c.drives}, trim_ahead is {c.trim_ahead}, and look_sectors is {c.look_sectors}: TRIM and a "
         "readback come between the commands of one drive"),
    Rule("drives", lambda c: c.drives > 1 and c.files and c.on_failure == "skip",
         "drives is {c.drives}, files is true, and on_failure is skip: the log of a file would name what a lane passes "
         "over with the sectors of other lanes between"),
    Rule("commands", lambda c: c.drives > 1 and c.array == "raid1" and c.commands,
         "commands is true, and array is raid1: a COMMAND is for one drive, and what it writes or erases would make "
         "the mirrors differ, with no mark of that in their superblocks"),
    Rule("power_fail", lambda c: c.drives > 1 and c.power_fail,
         "power_fail is true, and drives is {c.drives}: STANDBY IMMEDIATE would be a COMMAND, which goes to one drive, "
         "and the others could lose their caches"),
    Rule("array", lambda c: c.drives == 1 and c.array == "linear",
         "array is {c.array}, and drives is 1: it states what several drives hold"),
    Rule("chunk_sectors", lambda c: c.chunk_sectors != DEFAULT_CHUNK[RAID0] and (c.drives == 1 or c.array != "raid0"),
         "chunk_sectors is {c.chunk_sectors}, drives is {c.drives}, and array is {c.array}: several drives with raid0 "
         "have chunks"),
    Rule("array_width", lambda c: c.array_width > WORD and c.drives == 1,
         "array_width is {c.array_width}, and drives is 1: a drive takes a word of 32 bits a clock at most"),
    Rule("array_width", lambda c: c.array_width > WORD and (c.files or c.frames),
         "array_width is {c.array_width}, and files is {c.files}, frames is {c.frames}: both count and sum words of 32 "
         "bits, one a clock"),
    Rule("array_width", lambda c: c.array_width > WORD and (
        c.source_width != WORD or c.source_clock or c.playback_width != WORD or c.playback_clock),
         "array_width is {c.array_width}: s_axis and m_axis have it and the core's clock, so source_width and "
         "playback_width must be 32, source_clock and playback_clock false"),
    Rule("array", lambda c: c.array == "raid1" and c.drives != 2,
         "array is raid1, and drives is {c.drives}: RAID 1 is of two drives that hold the same"),
    Rule("memory", lambda c: c.drives > 1 and c.array == "raid1" and c.memory,
         "memory is {c.memory}, and array is raid1: a drive that fails is marked when the other one has written all "
         "that its buffer holds, which must not take long"),
    Rule("buffer_words", lambda c: c.drives > 1 and c.array == "raid1" and c.buffer_words < _VERIFIED_WORDS,
         "buffer_words is {c.buffer_words}, and array is raid1: with less than "
         f"{_VERIFIED_WORDS} a playback delivers words before their CRC is known, and goes on with the other drive "
         "though they were wrong"),
    Rule("array_width", lambda c: c.array == "raid1" and c.array_width > WORD,
         "array_width is {c.array_width}, and array is raid1: each drive gets every word, and takes one of 32 bits a "
         "clock at most"),
    Rule("on_failure", lambda c: c.array == "raid1" and c.on_failure == "skip",
         "on_failure is skip, and array is raid1: the other drive has what one would pass over, so on_failure must be "
         "stop"),
    Rule("on_failure", lambda c: c.on_failure == "next" and (c.drives == 1 or c.array != "linear"),
         "on_failure is next, drives is {c.drives}, and array is {c.array}: the next drive is that of a linear array"),
    Rule("on_failure", lambda c: c.on_failure == "next" and not (c.recovery and c.journal),
         "on_failure is next, recovery is {c.recovery}, and journal is {c.journal}: the recovery decides that a drive "
         "has failed, and the journal names the sectors that are left out"),
    Rule("on_failure", lambda c: c.on_failure == "next" and (c.files or c.extents != "single"),
         "on_failure is next, files is {c.files}, and extents is {c.extents}: sectors at the end of the drive that has "
         "failed are left out, within one extent, so files must be false and extents single"),
    Rule("on_failure", lambda c: c.on_failure == "next" and (c.memory or c.array_width > WORD),
         "on_failure is next, memory is {c.memory}, and array_width is {c.array_width}: a block RAM keeps the words "
         "that a drive has not written, of 32 bits, so memory must be 0 and array_width 32"),
    Rule("max_command_sectors",
         lambda c: c.on_failure == "next" and SECTOR_WORDS * c.max_command_sectors > c.buffer_words,
         "max_command_sectors is {c.max_command_sectors}, on_failure is next, and buffer_words is {c.buffer_words}: "
         "the words of a command are kept, so it must fit into the buffer"),
    # Frames show what is missing themselves, and drop before the array.
    Rule("on_overflow", lambda c: c.drives > 1 and c.on_overflow == "drop" and not c.frames,
         "on_overflow is drop, and drives is {c.drives}: what comes after words that one lane has dropped would be in "
         "the chunks of others, so on_overflow must be stall"),
    Rule("power_fail", lambda c: c.power_fail and not c.commands,
         "power_fail is true, and commands is false: STANDBY IMMEDIATE is a COMMAND, which needs commands = "
         "true"),
)


def broken(configuration: Any) -> list[tuple[str, str]]:
    """All that is wrong with ``configuration``: pairs of an option and a sentence.

    A rule about an option that ``configuration`` does not have is left out.
    """
    found = []
    for rule in RULES:
        try:
            if rule.breaks(configuration):
                found.append((rule.field, rule.sentence.format(
                    c=configuration, words=SECTOR_WORDS * configuration.retain_sectors)))
        except AttributeError:
            if configuration.__dict__.keys() == type(configuration).model_fields.keys():
                raise
    return found
