"""The server of the page: NiceGUI, with the gate in front of it."""

import asyncio
import errno
import logging
import os
import secrets
import socket
import tempfile
from contextlib import suppress

from .gate import Gate, is_loopback


class PanelError(OSError):
    """The page cannot be served there; one line."""


def run_panel(*, host="127.0.0.1", port=8080, token=None, show=True, simulate=None, serial=None,
              baud=115200, announce=print):
    """Serves the panel until Ctrl-C.

    ``host`` and ``port`` are the server's, a port of 0 any free one. Beyond this machine a ``token`` is
    needed; for None one is made. ``simulate`` has the options of a simulated board to start at once, or
    ``serial`` is a port to connect to. ``announce`` is called with the lines for the user. Raises
    :class:`PanelError`.
    """
    if token is None and not is_loopback(host):
        token = secrets.token_urlsafe(18)
    port = _free(host, port)
    # NiceGUI would keep data of its users in the working folder; this page has none.
    os.environ.setdefault("NICEGUI_STORAGE_PATH",
                          os.path.join(tempfile.gettempdir(), f"sata-recorder-panel-{os.getpid()}"))
    from nicegui import app, background_tasks, ui

    from .desk import Desk
    from .page import PanelPage
    desk = Desk()
    # What a browser leaves open at the end does not matter.
    log = logging.getLogger("nicegui")
    log.setLevel(logging.ERROR)
    log.addFilter(matters)

    @ui.page("/", title="SATA Recorder")
    def page():
        PanelPage(desk)

    app.add_middleware(Gate, token=token)
    app.on_shutdown(desk.disconnect)
    app.on_shutdown(desk.own_data.close)
    if simulate is not None:
        desk.connect_simulated(**simulate)
    elif serial is not None:
        desk.connect(serial, baud)
    address = f"http://{_shown(host)}:{port}/" + (f"?token={token}" if token else "")

    async def tell():
        await _listening(host, port)
        announce(f"the panel is at {address}; Ctrl-C ends it")
    app.on_startup(lambda: background_tasks.create(tell(), name="tell the address"))
    with suppress(KeyboardInterrupt):
        ui.run(host=host, port=port, title="SATA Recorder", show=address.partition(f":{port}")[2]
               if show else False, reload=False, dark=None, show_welcome_message=False,
               uvicorn_logging_level="error", favicon=_ICON, reconnect_timeout=30)


def matters(record):
    """Whether a line of NiceGUI's log is for the user: not that its own tasks took long to end, which a busy machine
    is enough for."""
    return not str(record.msg).startswith("Could not cancel ")


#: The icon of the page, a drawing.
_ICON = ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x="1" y="1" width="30" '
         'height="30" rx="7" fill="#1d2b3d"/><path d="M6 21h4l2-10 4 14 3-9 2 5h5" fill="none" '
         'stroke="#6f9fd8" stroke-width="2.4" stroke-linecap="round"/></svg>')


def _shown(host):
    """``host`` as it is in an address that a browser here can open."""
    if host in ("0.0.0.0", "::"):
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host


async def _listening(host, port):
    """Returns once a browser can connect."""
    near = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    while True:
        try:
            _, writer = await asyncio.open_connection(near, port)
        except OSError:
            await asyncio.sleep(0.05)
            continue
        writer.close()
        return


def _free(host, port):
    """The port, or a free one for 0. Raises :class:`PanelError` if it is not available."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_STREAM) as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            tried.bind((host, port))
            return tried.getsockname()[1]
    except OSError as error:
        why = "another program is there; try --web-port 0 for a free one" \
            if error.errno == errno.EADDRINUSE else error.strerror or str(error)
        raise PanelError(f"{host} port {port}: {why}") from None
