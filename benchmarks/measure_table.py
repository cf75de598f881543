"""Measures one table of docs/ again, and prints it.

    .venv/bin/python benchmarks/measure_table.py PAGE NAME [--markdown] [--only TEXT]

NAME is that of its markers in docs/PAGE; `--help` after it tells what else a table can be asked for.
Each table is declared in the file that measures it, as a `tables.Table`.
"""

import argparse
import importlib
import sys

import sources
import tables


def chosen(words):
    """The table that ``words``, PAGE and NAME, name; None where there is no such table."""
    path = sources.declared().get(" ".join(words))
    if path is None:
        return None
    module = importlib.import_module(path.stem)
    return next(table for table in module.TABLES if [table.page, table.name] == words)


def made(table, only, options):
    """The block of ``table``, or as much of it as comes from the rows whose names contain ``only``."""
    results = []
    for row in table.rows:
        if only in str(row[0]):
            print(f"{table.page} {table.name}: {row[0]} ...", file=sys.stderr, flush=True)
            results.append(table.measure(*row, **options))
    if not results:
        raise SystemExit(f"{table.page} {table.name}: no row with '{only}'; they are:\n" + "".join(
            f"  {row[0]}\n" for row in table.rows).rstrip())
    return table.text(results)


def main():
    table = chosen(sys.argv[1:3])
    if table is None:
        known = "".join(f"  {key}\n" for key in sorted(sources.declared()))
        if {"-h", "--help"} & set(sys.argv):
            print(f"{__doc__}\nTables:\n{known}", end="")
            return
        raise SystemExit(f"PAGE and NAME of a table come first; there are:\n{known}".rstrip())
    parser = argparse.ArgumentParser(prog=f"measure_table.py {table.page} {table.name}")
    parser.add_argument("--markdown", action="store_true", help="also rewrite it in the documentation")
    parser.add_argument("--only", metavar="TEXT", default="", help="only the rows whose names contain it")
    for name, keywords in table.options.items():
        parser.add_argument(f"--{name}", **keywords)
    arguments = parser.parse_args(sys.argv[3:])
    if arguments.markdown and arguments.only:
        parser.error("--markdown writes the whole table: leave out --only")
    options = {name: value for name, value in vars(arguments).items() if name in table.options}
    pages = [table.page, *table.also] if arguments.markdown else []
    tables.output(made(table, arguments.only, options), *((page, table.name) for page in pages))


if __name__ == "__main__":
    main()
