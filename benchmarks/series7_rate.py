"""Rates at Gen3 through PHY, GTP or GTX, and line: the configuration `recorder`, a drive that answers at once, 0 ppm.

Core, PHY and back end are compiled; the cells are the tests' stand-ins, and the models of line and drive are in Python.
How long a dword takes through a transceiver is in no document that is known here: so it is varied, from 0 on. It takes
some minutes.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from integration.series7_recorder import Series7Recorder  # noqa: E402
from tables import Table, markdown  # noqa: E402

from sata_recorder.facts.units import CEILINGS  # noqa: E402

GENERATION = 3
SECTORS = 8192
#: Delay of the cell, in dwords of both directions together: none, and what its buffers and stages may add up to.
DELAYS = 0, 8, 16


def row(name, kind, delay):
    """Dwords, MB/s and per cent of the link's ceiling, written and read."""
    write, read = Series7Recorder(delay, kind=kind).there_and_back(SECTORS)
    ceiling = CEILINGS[GENERATION]
    return name, *(f"{part:.2f}" for rate in (write, read) for part in (rate / 1e6, 100 * rate / ceiling))


def text(results):
    """The table."""
    return (f"Gen3, {SECTORS:,} sectors in one command:\n\n"
            + markdown(("dwords in the GTP or GTX", "write, MB/s", "% of the link", "read, MB/s", "% of the link"),
                       results))


def rows(kind, delays):
    """A row for each delay."""
    return tuple((str(delay), kind, delay) for delay in delays)


TABLES = (Table("phy.md", "gtp-rates", rows("gtp", DELAYS), row, text),
          Table("phy.md", "gtx-rates", rows("gtx", DELAYS[1:2]), row, text))
