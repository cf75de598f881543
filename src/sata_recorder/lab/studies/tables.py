"""A reproduction for people: rich tables that fit a terminal of 80 columns."""

from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

_EXACT = 0.005      # percent; differences below are shown as 0.00


def _table(*columns):
    """A plain table; each of ``columns`` is (name, whether it holds numbers, whether it may wrap)."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name, number, wraps in columns:
        table.add_column(name, justify="right" if number else "left", no_wrap=not wraps,
                         overflow="fold")
    return table


def _items(console, texts, signs=None):
    """A list of texts with a hanging indent."""
    grid = Table.grid(padding=(0, 1))
    grid.add_column(no_wrap=True)
    grid.add_column()
    for number, text in enumerate(texts):
        grid.add_row(Text(signs[number] if signs else "-"), Text(text))
    console.print(grid)


def render(console, found):
    """Prints the :class:`~.figures.Reproduction` on the rich console."""
    table = found.table
    console.print(Text.assemble((table.name, "bold"), f"  {table.title}"))
    console.print(Text(str(table.source), "dim"))
    _items(console, [*found.portion, *table.notes])
    console.print()
    reasons = _reasons(found.cells)
    cells = _cells(found.cells, reasons)
    names = [cell.row for cell in found.cells]
    saved = max(map(len, names), default=0) - max((len(word) for name in names for word in name.split()), default=0)
    natural = Measurement.get(console, console.options.update(max_width=1000), cells).maximum
    if natural - saved > console.width:
        cells.padding = (0, 1, 0, 0)        # otherwise words in the names of rows are broken
    console.print(cells)
    console.print()
    if reasons:
        _items(console, reasons, [f"[{n}]" for n in range(1, len(reasons) + 1)])
        console.print()
    free = list(dict.fromkeys(cell.row for cell in found.cells if cell.mark == "predicted"))
    console.print(Text("free predictions: " + ("; ".join(free) or "none")))
    assumed = dict.fromkeys(f"{cell.row}: {cell.assumes}" for cell in found.cells if cell.assumes)
    if assumed:
        console.print("assumed:")
        _items(console, assumed)
    console.print()
    if found.fits:
        console.print("fitted, hence no reproduction:")
        _items(console, [f"{drive}, {parameter}{'' if value is None else f' = {value:g}'}: to "
                         f"{where}" for drive, parameter, value, where in found.fits])
        console.print()
    if found.arithmetic:
        console.print("the published figures among themselves:")
        _items(console, found.arithmetic)
        console.print()
    if found.explained:
        console.print("which processor would have the published overheads:")
        _items(console, found.explained)
        console.print()
    for title, header, rows in found.measured:
        console.print(Text(title))
        console.print(_measured(header, rows))
        console.print()
    for problem in found.problems:
        console.print(Text.assemble(("wrong", "bold red"), f"  {problem}"))


def _reasons(cells):
    """The reasons of the predictions that are off, without repetition."""
    return list(dict.fromkeys(cell.reason for cell in cells if cell.off and cell.reason))


def _cells(cells, reasons):
    units = {cell.unit for cell in cells}
    several = len({(cell.row, cell.column) for cell in cells}) > len({c.row for c in cells})
    unit = f"\n{units.pop()}" if len(units) == 1 else ""
    columns = [("", False, True)]
    if several:
        columns.append(("", True, False))
    columns += [(f"published{unit}", True, False), (f"simulated{unit}", True, False)]
    measured = any(cell.measured is not None for cell in cells)
    if measured:
        columns.append((f"measured{unit}", True, False))
    if not unit:
        columns.append(("", False, False))
    table = _table(*columns, ("difference", True, False), ("", False, False))
    last = None
    for cell in cells:
        if last is not None and cell.row != last and several:
            table.add_row()
        line = [cell.row if cell.row != last else ""]
        last = cell.row
        if several:
            line.append(cell.column)
        line += [_published(cell, cells), _simulated(cell)]
        if measured:
            line.append("" if cell.measured is None else f"{cell.measured:,.2f}")
        if not unit:
            line.append(cell.unit)
        mark = cell.mark
        if cell.off and cell.reason:
            mark += f" [{reasons.index(cell.reason) + 1}]"
        table.add_row(*map(Text, (*line, _difference(cell.difference), mark)),
                      style="dim" if cell.simulated is None else None)
    return table


def _published(cell, cells):
    if cell.published is None:
        return "-"
    # No decimals if no published figure of the row has any, otherwise two.
    whole = all(float(one.published).is_integer() for one in cells
                if one.row == cell.row and one.published is not None)
    return f"{cell.published:,.0f}" if whole else f"{cell.published:,.2f}"


def _simulated(cell):
    if cell.simulated is None:
        return "-"
    return f"{cell.simulated:,.0f}" if cell.unit == "drives" else f"{cell.simulated:,.2f}"


def _difference(percent):
    if percent is None:
        return ""
    if abs(percent) < _EXACT:
        return "0.00 %"
    return f"{percent:+.2f} %"


def _measured(header, rows):
    table = _table((header[0], False, True), *((name, True, False) for name in header[1:]))
    last = None
    for label, *numbers in rows:
        group, _, name = label.partition(", ")
        if group != last:
            table.add_row(Text(group, "bold"))
        last = group
        table.add_row(Text(f" {name}"), *(f"{number:,.2f}" for number in numbers[:-1]),
                      f"{numbers[-1]:.3f} %")
    return table


def listing(console, rows):
    """Prints what can be reproduced: (name, title, source, clocks, clocks of the whole)."""
    table = _table(("table", False, False), ("", False, True), ("clocks", True, False),
                   ("--full", True, False))
    for name, title, source, clocks, full in rows:
        table.add_row(Text(name), Text.assemble(title, "\n", (source, "dim")), _giga(clocks),
                      _giga(full))
    console.print(table)


def _giga(clocks):
    return f"{clocks / 1e9:,.2f} G"


def render_fits(console, fits):
    """Prints values to put into profile files."""
    table = _table(("drive, parameter, cell", False, True), ("in the file", True, False),
                   ("fitted", True, False), ("published", True, False), ("gives", True, False),
                   ("runs", True, False))
    for fit in fits:
        table.add_row(Text.assemble(f"{fit.drive}, {fit.parameter}\n",
                                    (f"{fit.table}: {fit.row}, {fit.column}", "dim")),
                      f"{fit.before:.7g}", f"{fit.found:.6g}", f"{fit.target:g}",
                      f"{fit.gives:.6g}", str(fit.runs))
    console.print(table)
