"""What is asked of accesses, in the words of the command line: each field is an option of `sata-recorder access`."""

from pathlib import Path
from typing import Annotated, Any, Literal

from ..options import Options, OptionText

__all__ = ["AccessOptions", "AccessOutputs"]

_N = OptionText("N")
_SIZE = OptionText("SIZE", str)


class AccessOptions(Options):
    """Which accesses, of which drive."""

    drive: Annotated[Any, OptionText("NAME|FILE", str)] = None
    """Time the drive as this profile does: a name that `sata-recorder drives` lists, or a file of your own. Without
    it, a drive that never waits."""
    medium: Literal["flash", "disk"] | None = None
    """With --drive, let rates and delays follow from a model of the flash or the disk inside it, in place of the table
    of its profile. The model's parameters are those of the drive, or in a file of your own."""
    medium_state: Literal["new", "filled", "rested", "steady"] | None = None
    """With --medium flash, a drive that was never written (default), was filled in order just now, was filled and then
    left alone, or is in the steady state of random writes all over it; with a shingled disk, `filled` is one whose
    cache is full."""
    size: Annotated[int | str, _SIZE] = "4KiB"
    """Bytes of an access, 512B to 1MiB in whole sectors (default 4KiB)."""
    align: Annotated[int | str | None, OptionText("512|4096", str)] = None
    """Each access begins a multiple of this many bytes after the start of the span (default: 4096, or 512 where
    --size is no multiple of it)."""
    pattern: Literal["random", "sequential"] = "random"
    """Anywhere in the span (default), or one after the other."""
    read: bool = False
    """Read (default)."""
    write: bool = False
    """Write."""
    span: Annotated[int | str, _SIZE] = "1GiB"
    """Bytes in which the accesses lie (default 1GiB)."""
    lba: Annotated[int, _N] = 0
    """First sector of the span (default 0). With 63, as old partitions have it, no access of --align 4096 begins at a
    multiple of 4096 bytes of the drive."""
    commands: Annotated[int | None, _N] = None
    """Number of accesses (default 1000, or without limit with --seconds)."""
    seconds: Annotated[float | None, OptionText("S")] = None
    """How long, in simulated time: no access begins later."""
    seed: Annotated[int, _N] = 0
    """Seed of the places, the data, and what of the drive varies, 0 to 2^48 - 1 (default 0)."""
    generation: Literal[1, 2, 3] | None = None
    """Generation of the link: 1.5, 3 or 6 Gb/s (default 2, or the drive's if that is less)."""
    assume_rate: Annotated[str | None, OptionText("RATE")] = None
    """A rate such as 200MB/s in place of each that the profile does not know."""


class AccessOutputs(Options):
    """What is written besides the result that is shown."""

    json_file: Annotated[Path | None, OptionText("FILE", flags=("--json",))] = None
    """Write the result as JSON; `-` writes it to standard output."""
    report: Annotated[Path | None, OptionText("FILE.html")] = None
    """Write a page that shows the latencies and where the time went; it needs no network."""
    overwrite: bool = False
    """Also write to files that are there already and that sata-recorder has not made."""
