"""From a board's name to a bitstream, with the tools for its device."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

from .boards import BOARDS
from .families import FAMILIES
from .report import Told
from .top import Top, check

NAME = "sata_recorder"
_CONSOLE = "console_recorder"
#: The parts of the hierarchy whose area is reported, to the modules of Amaranth's RTLIL.
PARTS = {
    "SERDES back end": f"{NAME}.phy.serdes", "PHY": f"{NAME}.phy.phy",
    "link": f"{NAME}.{_CONSOLE}.core.core.link", "transport": f"{NAME}.{_CONSOLE}.core.core.transport",
    "command": f"{NAME}.{_CONSOLE}.core.core.command", "sequencer": f"{NAME}.{_CONSOLE}.core.core.sequencer",
    "recorder": f"{NAME}.{_CONSOLE}.core.core.recorder", "console": f"{NAME}.{_CONSOLE}",
    "top": NAME,
}
#: What a build writes into its folder; all of it is removed before the next one.
FILES = ("build-report.json", *dict.fromkeys(
    file for family in FAMILIES
    for file in (*(f"{NAME}.{suffix}" for suffix in family.FLOW.suffixes), *family.FLOW.files)))


@dataclass(frozen=True)
class Result:
    """What came out. ``told.faults``: texts; with any, there is no bitstream."""

    board: str
    title: str
    seed: int
    told: Told
    layers: list
    bitstream: Path | None
    tools: dict

    def as_dict(self):
        """Plain data, for the report as JSON."""
        told = self.told
        return {
            "board": self.board, "title": self.title, "seed": self.seed, "tools": self.tools,
            "clocks": [{"name": one.name, "constraint_mhz": round(one.constraint, 3),
                        "achieved_mhz": round(one.achieved, 2), "slack_ns": round(one.slack, 3),
                        "met": one.met} for one in told.clocks],
            "crossings": [{"from": one.source, "to": one.target, "delay_ns": round(one.delay, 3),
                           "limit_ns": round(one.limit, 3), "met": one.met}
                          for one in told.crossings],
            "pads": told.pads,
            "untimed": [{"port": port, "direction": direction, "why": why}
                        for port, direction, why in told.untimed],
            "faults": told.faults,
            "layers": [{"name": one.name, **one.cells} for one in self.layers],
            "device": {name: {"used": used, "available": most}
                       for name, (used, most) in told.device.items()},
            "bitstream": str(self.bitstream) if self.bitstream else None,
        }


def board_of(name, phy_options):
    """The board ``name``, its PHY with these options as text. Raises ``ValueError``."""
    board = BOARDS[name]
    return replace(board, phy=board.phy.changed(phy_options))


def prepare(board, configuration, *, baud=115200):
    """Elaborates a board: its platform, its top level, and the files for the tools.

    Returns ``(platform, top, {file name: text})``. Raises ``ValueError`` for a configuration that
    the board cannot have. Needs the extra ``build``, as :func:`build` does.
    """
    check(board, configuration, baud)
    platform = board.platform()
    top = Top(board, configuration, baud=baud)
    plan = platform.prepare(top, NAME)
    return platform, top, {file: _text(text) for file, text in plan.files.items()
                           if file in FILES}


def _text(content):
    return content if isinstance(content, str) else content.decode()


def build(name, folder, configuration, *, seed=1, baud=115200, phy_options=None, progress=print):
    """Builds the board ``name`` in ``folder``, which exists, and returns a :class:`Result`. ``phy_options``, name to
    text, are those of its PHY that are not the board's.

    What an earlier build has left there is removed first, so that a bitstream in the folder is
    always of this build. A missed clock or a constraint that nextpnr dropped is a fault of the
    result, and there is no bitstream then. Raises :class:`BuildFailed` where a tool fails,
    ``ValueError`` as :func:`prepare`, ``OSError``.
    """
    board = board_of(name, phy_options or {})
    check(board, configuration, baud)
    folder = Path(folder)
    for file in FILES:
        (folder / file).unlink(missing_ok=True)
    progress("elaboration")
    platform, top, files = prepare(board, configuration, baud=baud)
    for file, text in files.items():
        (folder / file).write_text(text)
    flow = board.flow
    progress("synthesis")
    flow.synthesise(folder, NAME)
    progress("place and route; area of the layers")
    with ThreadPoolExecutor(1) as pool:
        area = pool.submit(flow.area, folder, NAME, PARTS)
        missed = flow.place(folder, NAME, platform, seed)
        area = area.result()
    told = flow.read(folder, NAME, board, platform, top, missed)
    told.faults.extend(
        f"{one.name}: {one.achieved:.2f} MHz, {one.constraint:.2f} MHz are needed: "
        f"{-one.slack:.2f} ns too slow; another seed may do" for one in told.clocks if not one.met)
    if missed and not told.faults:
        told.faults.append(missed)
    bitstream = None
    if not told.faults:
        progress("bitstream")
        bitstream = flow.pack(folder, NAME)
    result = Result(name, board.title, seed, told, area, bitstream,
                    {package: version(package) for package in flow.packages})
    (folder / "build-report.json").write_text(json.dumps(result.as_dict(), indent=2) + "\n")
    return result
