"""What is requested of a measurement, in the words of the command line: objects that make a :class:`.job.Job`.

Each field is an option of `sata-recorder measure`, and its docstring the help of it. Where the command line has a
text, a caller in Python may have the object that the text stands for.
"""

from pathlib import Path
from typing import Annotated, Any, Literal

from ..options import Options, OptionText

#: Who can run the loop of commands.
CONTROLLERS = Literal["hardwired", "picorv32", "serv", "vexriscv"]


_N = OptionText("N")


class TransferOptions(Options):
    """What is moved, and how a recording goes."""

    operation: Literal["record", "play", "both"] = "both"
    """Record, play what an image holds, or record and play back (default)."""
    lba: Annotated[int, _N] = 0
    """First sector (default 0)."""
    sectors: Annotated[int | str | None, OptionText("N", str)] = None
    """Sectors of 512 bytes to move, or bytes with a unit such as 16GiB (default: the input file's, else 8192
    sectors)."""
    flush: bool = False
    """Let a FLUSH CACHE follow the recording."""
    mode: Literal["fixed", "until-stop", "ring", "trigger"] | None = None
    """Record a number of words (fixed), until stop or until the sectors are full (until-stop), again and again (ring),
    or around triggers (trigger). Without it, one extent."""
    words: Annotated[int | None, _N] = None
    """With --mode fixed, words to record (default: all that the sectors hold); with trigger, words after each
    trigger."""
    stop_after: Annotated[int | None, _N] = None
    """With --mode, stop comes after this many words."""
    trigger: Annotated[tuple[int, ...], _N] = ()
    """With --mode trigger, a trigger comes after this many words; can be repeated."""
    segments: Annotated[int | None, _N] = None
    """With --mode trigger, cut the sectors into this many parts, one for each segment (default 1)."""
    extend: bool = False
    """With --mode trigger, a further trigger makes a segment longer; else it begins the next one."""
    trim_ahead: Annotated[int | None, OptionText("SECTORS")] = None
    """With --mode ring, TRIM runs this many sectors ahead of it; the drive then has TRIM."""
    trim_us: Annotated[float | None, OptionText("US")] = None
    """With --trim-ahead, how long the drive takes for each TRIM: an estimate, no profile has it."""
    look: Annotated[int | None, OptionText("SECTORS")] = None
    """With --mode, read back this many sectors of the recording while it runs, again and again. Then record once more
    without readbacks: the difference is what they cost."""
    look_at: Literal["latest", "random"] | None = None
    """With --look, read the latest sectors (default), or any that are there, from the seed."""
    look_every: Annotated[int | None, OptionText("WORDS")] = None
    """With --look, a readback is requested every N words of the stream (default 65536)."""
    look_room: Annotated[int | None, OptionText("WORDS")] = None
    """With --look, the room in the buffer that a readback needs to begin (default half of the buffer)."""


class DriveOptions(Options):
    """The drive, and its link."""

    drive: Annotated[Any, OptionText("NAME|FILE", str)] = None
    """Time the drive as this profile does: a name that `sata-recorder drives` lists, or a file of your own. Without
    it, a drive that never waits. `qemu` lets QEMU's ATA disk execute the commands."""
    medium: Literal["flash", "disk"] | None = None
    """With --drive, let rates and delays follow from a model of the flash or the disk inside it, in place of the table
    of its profile. The model's parameters are those of the drive, or in a file of your own."""
    medium_state: Literal["new", "filled", "rested", "steady"] | None = None
    """With --medium flash, a drive that was never written (default), was filled in order just now, was filled and then
    left alone, or is in the steady state of random writes all over it; with a shingled disk, `filled` is one whose
    cache is full."""
    drives: Annotated[int | None, OptionText("N")] = None
    """Simulate an array of this many drives, 2 to 8, of the kind that --raid gives."""
    raid: Literal["0", "1", "linear"] | None = None
    """With --drives: chunks in turn (0, the default), so that rates add up; everything on both of two drives (1); or
    one drive after the other (linear)."""
    chunk_sectors: Annotated[int | None, OptionText("SECTORS")] = None
    """With --drives: sectors of a chunk, a power of two, 8 to 128 (default 32)."""
    array_width: Literal[32, 64, 128] | None = None
    """With --drives: bits of the streams, of which one beat comes in a clock (default 32; 64 for RAID 0 of 3 and 4
    drives, 128 for more)."""
    image: Annotated[Path | tuple[Path, ...] | None, OptionText("FILE", tuple[Path, ...])] = None
    """Keep the disk in this raw image (made sparse, or written in place); without it, in memory. With --drives, give it
    once for each drive: new images in the order of the lanes, those of `prepare --raid` in any order."""
    capacity: Annotated[int | None, OptionText("SECTORS")] = None
    """Capacity of the drive (default: the profile's, else 62533296 sectors, 32 GB; or the image's if that is more; when
    playing an image, or with --drive qemu, the image's)."""
    smart: bool = False
    """Simulate a drive that has SMART, and a core with `commands`, which queries it before and after the operation."""
    written: Annotated[float, OptionText("GB")] = 0
    """With --smart, what was written to the drive before; 1.4 times as much reaches its flash, which endures
    70,000 GB."""
    lba28: bool = False
    """Simulate a drive without 48-bit commands."""
    logical_sector: Literal[512, 4096] = 512
    """Bytes of the drive's logical sectors (default 512). With 4096 the core has long_logical_sectors, and --lba and
    --sectors are multiples of 8."""
    generation: Literal[1, 2, 3] | None = None
    """Generation of the link: 1.5, 3 or 6 Gb/s (default 2, or the drive's if that is less)."""
    assume_rate: Annotated[str | None, OptionText("RATE")] = None
    """A rate such as 200MB/s in place of each that the profile does not know."""
    jitter_us: Annotated[float | None, OptionText("US")] = None
    """Up to this many microseconds more for each command, at random from the seed: an estimate, no profile has it."""
    hostile: bool = False
    """Simulate a drive that does all that the standard permits, at random from the seed."""

    @property
    def images(self) -> tuple[Path, ...]:
        """Those that are given, one or several."""
        return () if self.image is None else self.image if isinstance(self.image, tuple) else (self.image,)


class StreamOptions(Options):
    """The stream at the core."""

    input: Annotated[Path | None, OptionText("FILE")] = None
    """Record this file (`-`: standard input), padded with zeros to whole sectors; with --operation play, what the image
    must hold. Without it, a pattern is generated."""
    pattern: Literal["random", "inc32", "dec32"] = "random"
    """What is generated: words without relation (default), or words that count up or down from the seed."""
    seed: Annotated[int, _N] = 0
    """Seed of the pattern and of a hostile drive, 0 to 2^64 - 1 (default 0)."""
    hold: Annotated[tuple[str, ...], OptionText("WHO:ON/OFF")] = ()
    """Stall periodically: `drive:64/16` lets the drive hold for 16 dwords after every 64, `host:100/20` stops the
    stream for 20 clocks after every 100."""
    width: Literal[8, 16, 32, 64, 128] | None = None
    """The stream that is recorded has beats of this many bits (default 32). --config may have another default; with
    --channels this is the width of each channel: 8, 16 or 32."""
    channels: Annotated[int | None, _N] = None
    """Record N streams together, 2 to 16, each with words of its own, and compare each with what comes back."""
    source_clock: Annotated[Any, OptionText("HZ", str)] = None
    """The stream that is recorded has a clock of its own, such as 100MHz. With --input-rate and without --fifo-words
    it does not wait for the core, which counts what it loses."""
    input_rate: Annotated[Any, OptionText("RATE", str)] = None
    """Record a stream that cannot wait, such as 100MB/s from a sensor, and count what is lost."""
    fifo_words: Annotated[int | str | None, OptionText("N|endless", str)] = None
    """With --input-rate, depth of a FIFO in front of the core (default 1); an endless one shows which depth is
    needed."""
    find_rate: bool = False
    """Search for the highest --input-rate without loss, and measure with that."""
    seeds: Annotated[int | None, _N] = None
    """With --find-rate, search with N seeds and report the spread; needs a drive whose profile varies, or
    --jitter-us."""


class HostOptions(Options):
    """The core, and what makes its commands."""

    config: Annotated[Any, OptionText("FILE|NAME", Path)] = None
    """Configuration of the core, a TOML file or a name such as `recorder`; --max-command wins over it."""
    max_command: Annotated[int | None, OptionText("SECTORS")] = None
    """Longest command, 1 to 65536 sectors (default 2048); 28-bit commands have at most 256."""
    memory: Annotated[int | str | None, OptionText("SIZE", str)] = None
    """A memory such as 256MiB as the core's buffer, simulated as DDR3 behind its AXI4 port. It has 128 bits unless
    --config has another width."""
    command_limit: Annotated[int, OptionText(hidden=True)] = 0
    """With a processor or programmable pacing, the sectors of a command; 0: the longest there is."""
    turnaround_us: Annotated[float | None, OptionText("US")] = None
    """Delay each command that follows another by this many microseconds, as a slower controller would, such as a
    firmware loop."""
    controller: Annotated[Any, OptionText(kind=CONTROLLERS)] = "hardwired"
    """What runs the loop of commands: the core's own sequencer (default), or firmware on a soft processor, through the
    core's registers."""
    controller_hz: Annotated[float | None, OptionText("HZ")] = None
    """With a processor as --controller, the frequency of its clock, at most the core's (default: the core's)."""
    controller_wait: Literal["polling", "interrupt"] | None = None
    """How the firmware learns that an operation has ended (default polling)."""
    controller_extent: Literal["command", "whole"] | None = None
    """Whether the firmware makes an operation of each command (default), or one of the whole extent."""


class OutputOptions(Options):
    """What is written besides the result that is shown."""

    json_file: Annotated[Path | None, OptionText("FILE", flags=("--json",))] = None
    """Write the result as JSON; `-` writes it to standard output."""
    report: Annotated[Path | None, OptionText("FILE.html")] = None
    """Write a page that shows where the time went; it needs no network."""
    plots: Annotated[Path | None, OptionText("FOLDER")] = None
    """Write the pictures of the page as PNG and SVG into this folder."""
    samples: Annotated[int, _N] = 200
    """Most points on the time axis of the report (default 200; 0: no time axis)."""
    trace: Annotated[Path | None, OptionText("FILE")] = None
    """Write both 8-byte words of the dword port of every clock."""
    vcd: Annotated[Path | None, OptionText("FILE")] = None
    """Write the waves of the whole run."""
    vcd_scope: Literal["all", "ports"] | None = None
    """With --vcd, the waves of all signals of the core (default), or of its ports only."""
    overwrite: bool = False
    """Also write to files that are there already and that sata-recorder has not made."""
