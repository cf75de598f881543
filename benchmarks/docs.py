"""Rewrites what README.md and docs/ quote: the output of commands, tables of the interface.

Each command line in a fenced block of the kind `console` is run, and what follows it is replaced
by what it prints now. `console first=N` keeps N lines of it and the last one; a block that ends in
`slow` is left alone without --slow, one that ends in `hours` without --hours. Commands of one page
share a scratch folder; pictures that they write there and that docs/ has, too, are replaced; `make`
and `.venv/bin/python` run in the repository.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import tables
from sata_drive_model.faults import KINDS
from sata_recorder import Configuration, description
from sata_recorder.export import instance
from sata_recorder.simulation import WHOSE

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
WIDTH = 100

_BLOCK = re.compile(r"^```console(?: first=(\d+))?(?: (slow|hours))?\n(.*?)^```$",
                    re.MULTILINE | re.DOTALL)
_INSTANCE = re.compile(r"(  // core:begin[^\n]*\n)(.*?)(  // core:end)", re.DOTALL)
_CONNECTION = re.compile(r"\.(\w+) *\((.*?)\)(?=,| *//|\s*\))")
_FIELD = re.compile(r"    (\w+): .*?= (.+?)(?:\s+#: (.*))?$")


def printed(order, folder):
    """What the command ``order`` prints; it, and each part of a pipe in it, must succeed."""
    print(f"docs: $ {order}", file=sys.stderr, flush=True)
    inside = order.startswith(("make ", ".venv/bin/python "))
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("MAKE", "MFLAGS"))}
    environment |= {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
                    "COLUMNS": str(WIDTH), "PYTHONIOENCODING": "utf-8"}
    reply = subprocess.run(["bash", "-o", "pipefail", "-c", order], text=True, env=environment,
                           cwd=ROOT if inside else folder, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT)
    if reply.returncode:
        raise SystemExit(f"docs: `{order}` ended with status {reply.returncode}:\n{reply.stdout}")
    return [line.rstrip() for line in reply.stdout.rstrip().splitlines()]


def updated(text, folder, kinds):
    """The page ``text`` with what its commands print now; ``kinds`` of blocks are run.

    A block whose commands print nothing at all ends this program.
    """
    def block(found):
        if found[2] not in kinds:
            return found[0]
        lines, silent = [], True
        for order in re.findall(r"^\$ ((?:.*\\\n)*.*)\n", found[3], re.MULTILINE):
            output = printed(order, folder)
            silent = silent and not output
            if found[1] and len(output) > int(found[1]) + 1:
                left_out = len(output) - int(found[1]) - 1
                output[int(found[1]):-1] = [f"[... {left_out} more lines ...]"]
            lines += [f"$ {order}", *output]
        if silent:
            raise SystemExit(f"docs: nothing was printed by the block:\n{found[3]}")
        head = found[0].partition("\n")[0]
        return "\n".join([head, *lines, "```"])
    return _BLOCK.sub(block, text)


def fields(path, kind):
    """The fields of the class ``kind`` in the file ``path``: name, default, its `#:` comment."""
    body = path.read_text().partition(f"class {kind}")[2]
    comment = []
    for line in body.splitlines():
        found = _FIELD.match(line)
        if line.startswith("    #: "):
            comment.append(line[7:])
        elif found:
            default = "frozenset()" if "default_factory" in found[2] else found[2]
            meaning = " ".join([*comment, found[3] or ""]).strip().replace("``", "`")
            yield f"`{found[1]}`", f"`{default}`", meaning
            comment = []
        elif line.startswith(("    def ", "    @")):
            return


def _port(port):
    return f"`{port['name']}`", f"{port['direction']} {port['width']}", port["meaning"]


def interface():
    """Tables of the pages that describe what a user of the core or the model sees."""
    told = description(Configuration())
    ports = [_port(port) for port in told["ports"]]
    yield "verilog.md", "ports", ("port", "bits", "meaning"), ports
    for name in "operations", "errors":
        rows = [(one["code"], one["name"], one["meaning"]) for one in told[name]]
        yield "verilog.md", name, ("code", "name", "meaning"), rows
    added = description(Configuration(pacing="programmable"))["ports"][len(ports):]
    yield "verilog.md", "pacing", ("port", "bits", "meaning"), map(_port, added)
    pins = {port["name"] for port in told["ports"]}
    registers = description(Configuration(control="axi-lite"))["ports"]
    yield "registers.md", "ports", ("port", "bits", "meaning"), [
        _port(port) for port in registers if port["name"] not in pins]
    rows = [(one["address"], f"`{one['name']}`", WHOSE.get(one["name"]) or "-", one["meaning"])
            for one in told["ledger"]]
    yield "ledger.md", "addresses", ("address", "entry", "cause", "clocks"), rows
    rows = fields(ROOT / "src/sata_recorder/config.py", "Configuration")
    yield "verilog.md", "configuration", ("field", "default", "meaning"), rows
    rows = fields(ROOT / "models/sata_drive_model/behaviour.py", "Behaviour")
    yield "drive-model.md", "behaviour", ("field", "default", "meaning"), rows
    rows = [(f"`{name}`", kind.level, kind.meaning,
             ", ".join(f"`{field}`" for field in kind.fields) or "-")
            for name, kind in KINDS.items()]
    yield "drive-model.md", "faults", ("kind", "level", "what happens", "fields"), rows


def connected(text):
    """The example ``text`` with every port in its instance of the core; nets stay as they are."""
    def block(found):
        lines = instance(description(Configuration())["ports"], "core",
                         dict(_CONNECTION.findall(found[2])), meanings=False).splitlines()
        return found[1] + "".join(f"  {line}\n" for line in lines) + found[3]
    return _INSTANCE.sub(block, text)


def table(header, rows):
    """A Markdown table of text; of other kinds only the tables of figures are."""
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def quoted(page, name):
    """What stands between two markers of docs/PAGE."""
    text = (tables.DOCS / page).read_text()
    return text.partition(f"<!-- {name}:begin -->\n")[2].partition(f"<!-- {name}:end -->")[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slow", action="store_true", help="also run what takes minutes: tests")
    parser.add_argument("--hours", action="store_true", help="also run what takes an hour")
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="these only, such as measure.md")
    arguments = parser.parse_args()
    kinds = [None, *(["slow"] if arguments.slow else []), *(["hours"] if arguments.hours else [])]
    for page, name, header, rows in interface():
        tables.replace(page, name, table(header, rows))
    tables.replace("../README.md", "area", quoted("area.md", "area"))
    for path in PAGES:
        if arguments.pages and path.name not in arguments.pages:
            continue
        with tempfile.TemporaryDirectory(prefix="sata-recorder-docs-") as folder:
            text = updated(path.read_text(), folder, kinds)
            for picture in Path(folder).rglob("*.svg"):
                if (tables.DOCS / picture.name).exists():
                    shutil.copy(picture, tables.DOCS)
        path.write_text(text)


if __name__ == "__main__":
    main()
