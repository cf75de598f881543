"""What a measurement can be written to: a page, pictures of it, curves of any results.

Matplotlib takes its time to load: it is loaded where something is drawn, and not before.
"""

__all__ = ["FORMATS", "write_curves", "write_page", "write_pictures"]

#: What a picture can be written as.
FORMATS = ("png", "svg")


def write_page(data, path):
    """Writes the HTML page of ``data``, which :func:`..measurement.as_data` gives, to ``path``.

    Raises ``OSError``.
    """
    from . import page
    page.write(data, path)


def write_pictures(data, folder, formats=FORMATS):
    """Writes the pictures of ``data``, which :func:`..measurement.as_data` gives, into ``folder``.

    The folder is made where it is missing. Returns the paths; raises ``OSError``.
    """
    from . import plots
    return plots.write(data, folder, formats)


def write_curves(series, *, title, xlabel, ylabel, path_stem, logx=False, formats=FORMATS):
    """Draws ``series``, {label: (xs, ys)}, into ``path_stem`` plus ".png" and ".svg".

    ``logx`` makes x logarithmic; None or NaN in ``ys`` leaves a gap. Returns the paths. Raises
    ``ValueError`` for a series that cannot be drawn, and ``OSError``.
    """
    from . import curves
    return curves.lines(series, title=title, xlabel=xlabel, ylabel=ylabel, logx=logx,
                        path_stem=path_stem, formats=formats)
