"""Rewrites what README.md and docs/ quote: the output of commands, tables of the interface.

Each command line in a fenced block of the kind `console` is run, and what follows it is replaced
by what it prints now. `console first=N` keeps N lines of it and the last one; a block that ends in
`slow` is left alone without --slow, one that ends in `hours` without --hours. Commands of one page
share a scratch folder; pictures that they write there and that docs/ has, too, are replaced; `make`
and `.venv/bin/python` run in the repository.

Below each block of README.md stands how long its commands took. `--time COMMAND` measures that of a
command that has no block, and writes it into the table of times there.

Below a slow block, a table and a picture stands when and by what it was made: :mod:`results` writes that.

`--check` runs nothing that takes long: it makes the tables of the interface again, and compares the
hashes of all other blocks and pictures with docs/results.toml. It reports what is older than its sources
by now, and the command that renews it; that alone is no failure.
"""

import argparse
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import results
import tables
import times
import waves
from sata_drive_model.faults import KINDS
from sata_recorder import Configuration, description
from sata_recorder.pc.console import grammar
from sata_recorder.export import BACK_ENDS, instance
from sata_recorder.export import markdown as registers
from sata_recorder.interface import options
from sata_recorder.interface.rules import RULES
from sata_recorder.simulation import WHOSE

ROOT = results.ROOT
README = ROOT / "README.md"
PAGES = results.pages()
WIDTH = 100

_PORT = ("port", "bits", "meaning")
#: The tables of the ports that some cores have: page, name, fields of the configuration that add them, and
#: those of the core that they are added to.
_ADDED = (
    ("verilog.md", "pacing", {"pacing": "programmable"}, {}),
    ("verilog.md", "queue", {"extents": "queued"}, {}),
    ("verilog.md", "modes", {"extents": "modes"}, {}),
    ("commands.md", "task", {"commands": True}, {}),
    ("commands.md", "power", {"power_fail": True}, {"commands": True}),
    ("ledger.md", "histograms", {"histograms": True}, {}),
    ("commands.md", "health", {"smart_commands": 1}, {}),
    ("commands.md", "temperature", {"smart_temperature": True}, {"smart_commands": 1}),
    ("recording.md", "trim-pins", {"trim_ahead": True}, {"extents": "modes"}),
    ("recording.md", "look-pins", {"look_sectors": 8}, {"extents": "modes"}),
    ("what-limits.md", "alignment-pins", {"alignment": True}, {}),
    ("sectors.md", "port", {"long_logical_sectors": True}, {}),
    ("vita49.md", "pins", {"frames": True, "frame_packets": True}, {}),
    ("files.md", "pins", {"files": True}, {}),
    ("memory.md", "pins", {"memory": 1 << 20, "memory_width": 128}, {}),
    ("source.md", "pins", {"source_clock": True, "source_waits": False}, {"extents": "modes"}),
    ("source.md", "channels", {"channels": 2}, {"frames": True, "frame_packets": True}),
    ("array.md", "pins", {"drives": 2, "array": "raid1"}, {}),
    ("playback.md", "pins", {"playback_clock": True}, {}),
    ("registers.md", "ports", {"control": "axi-lite"}, {}))

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
    # How far it is goes to the standard error, more often where the machine is slow.
    reply = subprocess.run(["bash", "-o", "pipefail", "-c", order], text=True, env=environment,
                           cwd=ROOT if inside else folder, capture_output=True)
    if reply.returncode:
        raise SystemExit(f"docs: `{order}` ended with status {reply.returncode}:\n{reply.stdout}"
                         f"{reply.stderr}")
    return [line.rstrip() for line in reply.stdout.rstrip().splitlines()]


def updated(text, folder, kinds, timed=False, keep=lambda text, block: None):
    """The page ``text`` with what its commands print now; ``kinds`` of blocks are run.

    ``timed``: and with the time that they take below each block. ``keep`` is called after each block
    with the page so far and that block. A block whose commands print nothing at all ends this program.
    """
    def block(found):
        if found[2] not in kinds:
            return found[0]
        lines, silent, watch = [], True, times.StopWatch()
        for order in results.orders(found[3]):
            output = printed(order, folder)
            silent = silent and not output
            if found[1] and len(output) > int(found[1]) + 1:
                left_out = len(output) - int(found[1]) - 1
                output[int(found[1]):-1] = [f"[... {left_out} more lines ...]"]
            lines += [f"$ {order}", *output]
        if silent:
            raise SystemExit(f"docs: nothing was printed by the block:\n{found[3]}")
        head = found[0].partition("\n")[0]
        told = f"\n*Takes {times.duration(watch.seconds())}.*" if timed else found[4] or ""
        return "\n".join([head, *lines, "```"]) + told
    place = 0
    while found := results.CONSOLE.search(text, place):
        new = block(found)
        text = text[:found.start()] + new + text[found.end():]
        place = found.start() + len(new)
        if found[2] in kinds:
            keep(text, new)
    return text


def fields_of(path, kind):
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
        elif line.startswith(("    def ", "    @", "class ")):
            return


def _described(part):
    """The fields of the pydantic class ``part``: name, default, description."""
    for name, field in part.model_fields.items():
        default = f'"{field.default}"' if isinstance(field.default, str) else field.default
        yield f"`{name}`", f"`{default}`", " ".join(field.description.replace("``", "`").split())


def _port(port):
    return f"`{port['name']}`", f"{port['direction']} {port['width']}", port["meaning"]


def interface():
    """Tables of the pages that describe what a user of the core or the model sees."""
    told = description(Configuration())
    yield "verilog.md", "ports", _PORT, map(_port, told["ports"])
    for name in "operations", "errors":
        rows = [(one["code"], one["name"], one["meaning"]) for one in told[name]]
        yield "verilog.md", name, ("code", "name", "meaning"), rows
    listed, shown = set(), []
    for name, back_end in BACK_ENDS.items():
        whole = description(Configuration(), back_end())["ports"]
        known = {port["name"]: port["direction"] for port in told["ports"]}
        own = [_port(port) for port in whole
               if known.get(port["name"]) != port["direction"] and port["name"] not in listed]
        chosen = [(f"`{option}`", f"`{default}`".replace("``", "-"), meaning)
                  for option, (default, meaning) in back_end.options().items()]
        # A back end with the same ports and options as one before it has no table.
        if own:
            yield "verilog.md", f"{name}-ports", _PORT, own
        listed |= {port["name"] for port in whole}
        if chosen not in shown:
            yield "verilog.md", f"{name}-options", ("option", "default", "meaning"), chosen
        shown.append(chosen)
    for page, name, fields, without in _ADDED:
        known = description(Configuration(**without))["ports"]
        yield page, name, _PORT, [_port(port) for port in description(Configuration(**without | fields))["ports"]
                                  if port not in known]
    rows = [(one["address"], f"`{one['name']}`", WHOSE.get(one["name"]) or "-", one["meaning"])
            for one in told["ledger"]]
    yield "ledger.md", "addresses", ("address", "entry", "cause", "clocks"), rows
    parts = [one for one in reversed(Configuration.__mro__) if one.__module__ == options.__name__ and one.__doc__]
    yield "verilog.md", "configuration", ("field", "default", "meaning"), [
        row for part in parts for row in ((f"**{part.__doc__}**", "", ""), *_described(part))]
    rows = [(f"`{rule.field}`", re.sub(r"\{[\w.]+\}", "N", rule.sentence))
            for rule in RULES]
    yield "verilog.md", "rules", ("option", "refused if"), rows
    rows = fields_of(ROOT / "models/sata_drive_model/behaviour.py", "Behaviour")
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


def generated():
    """(block, file, its text with the block as it has to be) of all that comes from the sources, without a command;
    None where the file has no such block."""
    parts = [(page, name, tables.markdown(header, rows, ["---"] * len(header)))
             for page, name, header, rows in interface()]
    parts += [("registers.md", "registers", registers.tables()),
              ("console.md", "requests", grammar.markdown())]
    for page, name, body in parts:
        path = (tables.DOCS / page).resolve()
        yield f"{path.name} {name}", path, tables.replaced(path.read_text(), name, body)
    path = ROOT / "examples/verilog_recorder.v"
    yield path.name, path, connected(path.read_text())
    for name, text in waves.FILES.items():
        yield name, ROOT / name, text()


def answered():
    """The same of what commands print in a moment."""
    for path in PAGES:
        text = path.read_text()
        for found, (key, *_) in zip(results.CONSOLE.finditer(text), results.console(path.name, text), strict=True):
            if results.compared(key):
                with tempfile.TemporaryDirectory(prefix="sata-recorder-docs-") as folder:
                    new = updated(found[0], folder, [None])
                # As the page is by now: whoever writes it may have written another block of it.
                yield key, path, path.read_text().replace(found[0], new)


def wrong(compared):
    """A line for each of ``compared`` that differs from its file."""
    return [f"{block}: it is not what the sources give; run {sys.executable} {__file__} README.md"
            for block, path, text in compared if text != path.read_text()]


def check():
    """Reports what is not what its command gave, and what is older than its sources; returns whether
    there is nothing else."""
    found = results.check() + wrong(generated()) + wrong(answered())
    for key, date, command in results.older():
        print(f"older than its sources: {key}, of {date}: {command}")
    for line in found:
        print(f"WRONG: {line}")
    return not found


def renew(path, kinds):
    """Runs the commands of the page ``path`` and writes it, pictures and entries, too: after each
    block, so that what has been made stays if the next one is interrupted."""
    with tempfile.TemporaryDirectory(prefix="sata-recorder-docs-") as folder:
        timed = path == README

        def keep(text, block):
            made = [picture for picture in Path(folder).rglob("*.svg")
                    if (tables.DOCS / picture.name).exists()]
            for picture in made:
                shutil.move(picture, tables.DOCS / picture.name)
            path.write_text(text)
            results.enter(*(key for key, _, body, _ in results.console(path.name, text) if body in block),
                          *(picture.name for picture in made))

        updated(path.read_text(), folder, kinds, timed, keep)
        if timed:       # with the lines that were entered below the blocks
            path.write_text(_placed(times.with_row(path.read_text()), path, times.BLOCK))


def measure_time(order):
    """Runs the command ``order`` and enters its time in README.md."""
    watch = times.StopWatch()
    with tempfile.TemporaryDirectory(prefix="sata-recorder-docs-") as folder:
        printed(order, folder)
    text = times.with_row(README.read_text(), order, watch.seconds())
    README.write_text(_placed(text, README, times.BLOCK))


def _placed(text, path, block):
    if text is None:
        raise SystemExit(f"docs: {path} has no place for {block}")
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slow", action="store_true", help="also run what takes minutes")
    parser.add_argument("--hours", action="store_true", help="also run what takes an hour")
    parser.add_argument("--check", action="store_true",
                        help="write nothing: status 1 if something is not what its command gave")
    parser.add_argument("--enter", metavar="BLOCK", action="append",
                        help="only note that this block was made now")
    parser.add_argument("--time", metavar="COMMAND", action="append",
                        help="only measure how long this takes, for README.md")
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="these only, such as measure.md")
    arguments = parser.parse_args()
    if arguments.check:
        sys.exit(not check())
    if arguments.enter:
        results.enter(*arguments.enter)
        return
    if arguments.time:
        for order in arguments.time:
            measure_time(order)
        return
    kinds = [None, *(["slow"] if arguments.slow else []), *(["hours"] if arguments.hours else [])]
    for block, path, text in itertools.chain(generated(), answered()):
        path.write_text(_placed(text, path, block))
    for path in PAGES:
        if not arguments.pages or path.name in arguments.pages:
            renew(path, kinds)
    results.enter()


if __name__ == "__main__":
    main()
