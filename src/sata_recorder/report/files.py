"""What a measurement can be written to: a page, pictures of it, curves of any results.

Matplotlib takes its time to load: it is loaded where something is drawn, and not before.
"""

from .picture import FORMATS


def page_text(data):
    """The HTML page of ``data``, which :func:`..lab.measurement.as_data` gives, as text."""
    from .page import render
    return render(data)


def write_page(data, path, *, overwrite=False):
    """Writes the HTML page of ``data``, which :func:`..lab.measurement.as_data` gives, to ``path``.

    A file that is there and was not made by this tool is left as it is, but with ``overwrite``.
    Raises ``OSError``.
    """
    from . import page
    page.write(data, path, overwrite=overwrite)


def write_pictures(data, folder, formats=FORMATS, *, overwrite=False):
    """Writes the pictures of ``data``, which :func:`..lab.measurement.as_data` gives, into ``folder``.

    The folder is made where it is missing; ``overwrite`` as in :func:`write_page`. Returns the
    paths; raises ``OSError``.
    """
    from . import plots
    return plots.write(data, folder, formats, overwrite=overwrite)


def write_curves(curves, path_stem, formats=FORMATS, *, overwrite=False):
    """Draws the :class:`.picture.Curves` into ``path_stem`` plus ".png" and ".svg".

    ``overwrite`` as in :func:`write_page`. Returns the paths. Raises ``ValueError`` for a series that cannot be
    drawn, and ``OSError``.
    """
    from .curves import lines
    return lines(curves, path_stem, formats, overwrite=overwrite)


def session_page(data):
    """The HTML page of ``data``, what the panel has done with a board, as text."""
    from .session_page import render
    return render(data)


def session_picture(data):
    """All plots of ``data``, what the panel has done with a board, as the bytes of one PNG."""
    from .session_plots import picture
    return picture(data)
