"""Boards, build flow, reports and commands name no device outside the files of its family."""

import re
from pathlib import Path

import pytest

from sata_recorder.core.phy import BACK_ENDS
from sata_recorder_platforms.boards import BOARDS
from sata_recorder_platforms.families import FAMILIES
from sata_recorder_platforms.flow import Flow

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = "src/sata_recorder", "platforms/sata_recorder_platforms"
NAMES = re.compile(r"ecp5|dcu|lfe5|lattice|trellis|ehxpll|extref|gtp|gtx|artix|kintex|mmcm|ibufds", re.I)

#: What may name the family: its own folders, the lines that list families, and these.
OWN = (*(f"src/sata_recorder/core/phy/{name}/" for name in ("ecp5", "gtp", "gtx", "series7")),
       "platforms/sata_recorder_platforms/ecp5/", "platforms/sata_recorder_platforms/series7/",
       "src/sata_recorder/core/phy/back_ends.py", "platforms/sata_recorder_platforms/families.py")
OTHERS = {
    "src/sata_recorder/extras.py": "the names of packages to install",
    "src/sata_recorder/cli/verilog.py": "the help names the choice",
    "platforms/sata_recorder_platforms/out_of_context.py":
        "measures area on one device, and builds nothing",
}


def naming(root):
    """The files of the packages below ``root`` that name a device."""
    return {str(path.relative_to(root)) for package in PACKAGES
            for path in (root / package).rglob("*.py") if NAMES.search(path.read_text())}


def test_no_other_file_names_the_family():
    found = {path for path in naming(ROOT) if not path.startswith(OWN)}
    assert found == set(OTHERS)


def test_what_is_found(tmp_path):
    path = tmp_path / PACKAGES[1] / "report.py"
    path.parent.mkdir(parents=True)
    path.write_text("# cells of the DCU\n")
    assert naming(tmp_path) == {f"{PACKAGES[1]}/report.py"}


@pytest.mark.parametrize("name", BOARDS)
def test_every_board_has_a_phy_and_tools(name):
    board = BOARDS[name]
    assert BACK_ENDS[board.phy.name] is type(board.phy)
    assert isinstance(board.flow, Flow) and board.flow in {one.FLOW for one in FAMILIES}
