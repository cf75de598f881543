"""Published measurements repeated in simulation: published next to simulated, cell by cell.

Every figure comes from a run that is exact to the clock. A cell to which a parameter of a drive's
profile was fitted is no reproduction and is marked so, like one that follows from such cells by
arithmetic; all others are predictions.

:mod:`.published` has the tables as data; :mod:`.loops`, :mod:`.overheads`, :mod:`.whole`,
:mod:`.blocks` and :mod:`.drives` know which :mod:`.runs` repeat a table of their kind and what its
:mod:`.figures` are; :mod:`.reproduction` puts them together, :mod:`.parallel` performs the runs.
:mod:`.fit` finds the :mod:`.parameters` of profiles, :mod:`.arithmetic` compares the published
figures with each other, and :mod:`.tables` prints it all.
"""

from .figures import ComparedFigure, Reproduction
from .fit import Fit, NotConverged, fits
from .portion import Portion
from .published import load_table, table_names
from .reproduction import planned, reproduce
from .tables import listing, render, render_fits

__all__ = ["ComparedFigure", "Fit", "NotConverged", "Portion", "Reproduction", "fits", "listing",
           "load_table", "planned", "render", "render_fits", "reproduce", "table_names"]
