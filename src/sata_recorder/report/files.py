"""What a measurement can be written to: a page, pictures of it, curves of any results.

Matplotlib takes its time to load: it is loaded where something is drawn, and not before.
"""

__all__ = ["FORMATS", "page_text", "session_page", "session_picture", "write_curves",
           "write_page", "write_pictures"]

#: What a picture can be written as.
FORMATS = ("png", "svg")


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


def write_curves(series, *, title, xlabel, ylabel, path_stem, points=None, levels=None,
                 logx=False, formats=FORMATS, overwrite=False):
    """Draws ``series``, {label: (xs, ys)}, into ``path_stem`` plus ".png" and ".svg".

    ``points`` {label: (xs, ys)} are published values, drawn as rings; ``levels`` {label: y} are
    dashed lines.
    ``logx`` makes x logarithmic; None or NaN in ``ys`` leaves a gap; ``overwrite`` as in
    :func:`write_page`. Returns the paths. Raises
    ``ValueError`` for a series that cannot be drawn, and ``OSError``.
    """
    from . import curves
    return curves.lines(series, title=title, xlabel=xlabel, ylabel=ylabel, points=points,
                        levels=levels, logx=logx, path_stem=path_stem, formats=formats,
                        overwrite=overwrite)


def session_page(data):
    """The HTML page of ``data``, what the panel has done with a board, as text."""
    from .session_page import render
    return render(data)


def session_picture(data):
    """All plots of ``data``, what the panel has done with a board, as the bytes of one PNG."""
    from .session_plots import picture
    return picture(data)
