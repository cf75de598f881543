"""`sata-recorder panel`: a control panel with live plots, as a local web page."""

from typing import Annotated, Literal

import click

from ..lab.options import Options, OptionText
from .common import Refusal, need
from .options import options
from .station import StationOptions, wanted_board


class PanelOptions(Options):
    """The options of `sata-recorder panel`."""

    port: Annotated[str | None, OptionText("PORT")] = None
    """Connect to the board at this serial port, or URL, at once."""
    baud: Annotated[int, OptionText("N", kind=click.IntRange(1), shows=True)] = 115200
    """Speed of the port in bits a second."""
    simulate: bool = False
    """Start a simulated board at once."""
    drive: Annotated[str | None, OptionText("NAME|FILE")] = None
    """The timing of its drive (`sata-recorder drives` lists them). Default: one that answers at once."""
    capacity: Annotated[int | None, OptionText("SECTORS", kind=click.IntRange(1))] = None
    """The size of its drive."""
    commands: bool = False
    """Let its core issue any command: SMART, TRIM."""
    memory: Annotated[str | None, OptionText("SIZE")] = None
    """Let its core have a memory such as 256MiB as its buffer."""
    width: Literal[8, 16, 32, 64, 128] | None = None
    """Let its pattern come in beats of this many bits."""
    source_clock: Annotated[str | None, OptionText("HZ")] = None
    """Let its pattern come in a clock of its own, such as 61.44MHz."""
    files: bool = False
    """Let its core make files of recordings."""
    modes: bool = False
    """Let its core have rings and segments."""
    frames: bool = False
    """Let its core put recordings into frames of VITA 49."""
    accesses: bool = False
    """Let its core make accesses anywhere."""
    drives: Annotated[int | None, OptionText("N", kind=click.IntRange(2, 4))] = None
    """Let it have an array of N drives as RAID 0, 2 to 4."""
    image: Annotated[str | None, OptionText("FILE")] = None
    """The sectors of its drive, such as what `sata-recorder prepare` has made. Default: nothing but zeros; with --files
    a prepared drive, which is deleted at the end."""
    line_baud: Annotated[int | None, OptionText("N", kind=click.IntRange(300, 4_000_000))] = None
    """Let its line be as slow as a serial line of N bits a second."""
    host: Annotated[str, OptionText("ADDRESS", shows=True)] = "127.0.0.1"
    """Address of the page. Beyond this machine a token is needed."""
    web_port: Annotated[int, OptionText("N", kind=click.IntRange(0, 65535), shows=True)] = 8080
    """Port of the page; 0 takes a free one."""
    token: Annotated[str | None, OptionText("TEXT")] = None
    """The token that a browser must have. Default: none for this machine alone, else a new one."""
    no_browser: bool = False
    """Do not open the page in a browser."""


@click.command()
@options(asked=PanelOptions)
def panel(asked):
    """Operate a board with the console recorder, or a simulated one, from a web page.

    The page is served to this machine alone, until Ctrl-C. It shows throughput, ledger, and speed
    against LBA while an operation runs, and saves what was measured.
    """
    need("panel", "panel")
    need("console", "panel")
    need("report", "panel")
    offers = {"commands": asked.commands, "files": asked.files, "modes": asked.modes, "frames": asked.frames,
              "accesses": asked.accesses}
    options = {"drive": asked.drive, "capacity": asked.capacity, "image": asked.image, "baud": asked.line_baud,
               "memory": asked.memory,
               "offers": [name for name, wanted in offers.items() if wanted]
               + [f"{name}={value}" for name, value in (("drives", asked.drives), ("width", asked.width),
                                                        ("source-clock", asked.source_clock)) if value is not None]}
    if not asked.simulate:
        for name, value in (("drive", asked.drive), ("capacity", asked.capacity), ("memory", asked.memory),
                            ("drives", asked.drives), ("width", asked.width), ("source-clock", asked.source_clock),
                            ("image", asked.image), ("line-baud", asked.line_baud), *offers.items()):
            if value not in (None, False):
                raise Refusal(f"--{name}{'' if value is True else f' {value}'}: is of a simulated board, and needs "
                              "--simulate")
    if asked.simulate and asked.port:
        raise Refusal(f"--port {asked.port}: not together with --simulate")
    if asked.simulate:
        board = StationOptions(pty=True, drive=asked.drive, capacity=asked.capacity, image=asked.image,
                               memory=asked.memory, width=asked.width, source_clock=asked.source_clock,
                               baud=asked.line_baud, drives=asked.drives, **offers)
        try:
            wanted_board(board)
        except Refusal as error:        # the panel writes to no image of somebody else
            raise Refusal(error.message.partition("; --overwrite")[0]) from None
    if not asked.host:      # a socket takes it for all addresses
        raise Refusal("--host '': the name is empty")
    if asked.token is not None and not _fit(asked.token):
        raise Refusal("--token: 8 to 200 letters, digits, - and _")
    from ..board.panel import PanelError, run_panel
    try:
        run_panel(host=asked.host, port=asked.web_port, token=asked.token, show=not asked.no_browser,
                  simulate=options if asked.simulate else None, serial=asked.port, baud=asked.baud,
                  announce=click.echo)
    except PanelError as error:
        raise Refusal(f"--host {error}") from None


def _fit(token):
    return 8 <= len(token) <= 200 and all(
        letter.isascii() and (letter.isalnum() or letter in "-_") for letter in token)
