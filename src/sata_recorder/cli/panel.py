"""`sata-recorder panel`: a control panel with live plots, as a local web page."""

import click

from .common import Refusal, need

__all__ = ["panel"]


@click.command()
@click.option("--port", metavar="PORT",
              help="Connect to the board at this serial port, or URL, at once.")
@click.option("--baud", type=click.IntRange(1), default=115200, show_default=True, metavar="N",
              help="Its speed in bits a second.")
@click.option("--simulate", is_flag=True, help="Start a simulated board at once.")
@click.option("--drive", metavar="NAME|FILE", help="The timing of its drive (`sata-recorder drives` "
              "lists them). Default: one that answers at once.")
@click.option("--capacity", type=click.IntRange(1), metavar="SECTORS", help="The size of its drive.")
@click.option("--commands", is_flag=True, help="Let its core issue any command: SMART, TRIM.")
@click.option("--files", is_flag=True, help="Let its core make files of recordings; with --image.")
@click.option("--modes", is_flag=True,
              help="Let its core have rings and segments.")
@click.option("--frames", is_flag=True, help="Let its core put recordings into frames of VITA 49.")
@click.option("--image", metavar="FILE",
              help="The sectors of its drive, such as what `sata-recorder prepare` has made.")
@click.option("--line-baud", type=click.IntRange(300, 4_000_000), metavar="N",
              help="Let its line be as slow as a serial line of N bits a second.")
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS",
              help="Address of the page. Beyond this machine a token is needed.")
@click.option("--web-port", type=click.IntRange(0, 65535), default=8080, show_default=True,
              metavar="N", help="Port of the page; 0 takes a free one.")
@click.option("--token", metavar="TEXT", help="The token that a browser must have. Default: none for "
              "this machine alone, else a new one.")
@click.option("--no-browser", is_flag=True, help="Do not open the page in a browser.")
def panel(port, baud, simulate, drive, capacity, commands, files, modes, frames, image,
          line_baud, host, web_port, token, no_browser):
    """Operate a board with the console recorder, or a simulated one, from a web page.

    The page is served to this machine alone, until Ctrl-C. It shows throughput, ledger, and speed
    against LBA while an operation runs, and saves what was measured.
    """
    need("panel", "panel")
    need("console", "panel")
    need("report", "panel")
    options = {"drive": drive, "capacity": capacity, "commands": commands, "files": files,
               "modes": modes, "frames": frames, "image": image, "baud": line_baud}
    if not simulate and any(options.values()):
        raise Refusal("--drive, --capacity, --commands, --files, --modes, --frames, --image and --line-baud "
                      "are those of a simulated board: say --simulate")
    if simulate and port:
        raise Refusal(f"--port {port}: not together with --simulate")
    if token is not None and not _fit(token):
        raise Refusal("--token: 8 to 200 letters, digits, - and _")
    from ..board.panel import PanelError, run_panel
    try:
        run_panel(host=host, port=web_port, token=token, show=not no_browser,
                  simulate=options if simulate else None, serial=port, baud=baud,
                  announce=click.echo)
    except PanelError as error:
        raise Refusal(str(error)) from None


def _fit(token):
    return 8 <= len(token) <= 200 and all(
        letter.isascii() and (letter.isalnum() or letter in "-_") for letter in token)
