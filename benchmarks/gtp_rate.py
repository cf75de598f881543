"""Rates at Gen3 through PHY, GTP and line: the configuration `recorder`, and a drive that answers at once, at 0 ppm.

Core, PHY and back end are compiled; the cells are the tests' stand-ins, and the models of line and drive are in Python.
How long a dword takes through a GTP is in no document that is known here: so it is varied, from 0 on. It takes some
minutes.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from integration.gtp_recorder import GtpRecorder  # noqa: E402
from tables import Table, markdown  # noqa: E402

from sata_recorder.facts.units import CEILINGS  # noqa: E402

GENERATION = 3
SECTORS = 8192
#: Delay of the cell, in dwords of both directions together: none, and what its buffers and stages may add up to.
DELAYS = 0, 8, 16


def row(name, delay):
    """Dwords, MB/s and per cent of the link's ceiling, written and read."""
    write, read = GtpRecorder(delay).there_and_back(SECTORS)
    ceiling = CEILINGS[GENERATION]
    return name, *(f"{part:.2f}" for rate in (write, read) for part in (rate / 1e6, 100 * rate / ceiling))


def text(results):
    """The table."""
    return (f"Gen3, {SECTORS:,} sectors in one command:\n\n"
            + markdown(("dwords in the GTP", "write, MB/s", "% of the link", "read, MB/s", "% of the link"), results))


TABLES = (Table("phy.md", "gtp-rates", tuple((str(delay), delay) for delay in DELAYS), row, text),)
