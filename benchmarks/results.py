"""When, and by what, the tables, outputs and pictures of README.md and docs/ were made.

docs/results.toml has an entry for each that is not made again in each test: hashes of its own text and
of the :mod:`sources` that decided it, the version, the day and the command. Below what takes long the
page shows the last three.
"""

import datetime
import fnmatch
import hashlib
import json
import re
import tomllib
from typing import NamedTuple

import sources
from sources import ROOT

RESULTS = ROOT / "docs/results.toml"

_HEAD = """\
# When, and by what, each table, output and picture was made: the commands write this file, and
# `benchmarks/docs.py --check` tells what has changed since.
"""
_DOCS = ".venv/bin/python benchmarks/docs.py"
_LATENCY, _AREA = "make latency ARGS=--markdown", "make area ARGS=--markdown"

#: What makes a table or a picture, the first that fits; `* ...` is a console block that does.
RULES = {
    "latency.md *": _LATENCY,
    "area.md area": _AREA,
    "comparison.md *": "make compare ARGS=--markdown",
    "speed.md *": "make speed ARGS=--markdown",
    "architecture.md suite": ".venv/bin/python benchmarks/suite.py --markdown",
    "mutation.md *": 'make mutation ARGS="--layers sequencer,recorder --count 216 --markdown"',
    "formal-results.md proofs": f"make formal ARGS=--docs && {_DOCS} --enter 'formal-results.md proofs'",
    "plan.md plan": "PYTHONPATH=tests .venv/bin/python -m integration.plan_cases && "
                    f"{_DOCS} --enter 'plan.md plan'",
    "record-ledger.svg": "* --plots pictures",
    "*.svg": "* --plot {}*",
    "panel*.png": ".venv/bin/python benchmarks/panel_pictures.py",
    "report.png": ".venv/bin/python benchmarks/report_picture.py",
    "*.md [!$]*": ".venv/bin/python benchmarks/measure_table.py {} --markdown",
}
#: What :mod:`docs` makes again to see whether it is as it stands: it needs no entry.
COMPARED = ("README.md times", "commands.md task", "commands.md health", "commands.md temperature",
            "commands.md power", "files.md pins", "recording.md trim-pins", "recording.md look-pins",
            "sectors.md port", "source.md pins", "source.md channels", "memory.md pins", "array.md pins",
            "playback.md pins",
            "vita49.md pins", "what-limits.md alignment-pins", "registers.md *", "verilog.md [!$]*",
            "ledger.md [!$]*", "drive-model.md *", "console.md requests", "layers.svg",
            "* $ sata-recorder drives", "* $ sata-recorder verilog *")

#: A fenced block: how many lines of it are kept, kind, text, and how long it takes.
CONSOLE = re.compile(r"^```console(?: first=(\d+))?(?: (slow|hours))?\n(.*?)^```$(\n\*Takes [^*\n]*\*$)?",
                     re.MULTILINE | re.DOTALL)
_MARKED = re.compile(r"<!-- ([\w-]+):begin -->\n(.*?)<!-- \1:end -->$", re.MULTILINE | re.DOTALL)
_SHOWN = re.compile(r"^!\[[^\]]*\]\((?:[\w-]+/)*([\w-]+\.(?:png|svg))\)$", re.MULTILINE)
_NOTE = re.compile(r"^\n?\*Made with version [^\n]*\*\n", re.MULTILINE)


class Block(NamedTuple):
    """Text or a picture, and of a console block its kind."""

    body: str | bytes
    kind: str | None = None


def orders(text):
    """The commands in the fenced block ``text``."""
    return re.findall(r"^\$ ((?:.*\\\n)*.*)\n", text, re.MULTILINE)


def console(page, text):
    """(name, kind, body, end) of each fenced block in the ``text`` of a page, and where it ends. The name
    is that of its first command, with + after it where there was one before."""
    seen = set()
    for found in CONSOLE.finditer(text):
        _, kind, body, _ = found.groups()
        key = " ".join(f"{page} $ {orders(body)[0]}".replace("\\\n", " ").split())
        while key in seen:
            key += " +"
        seen.add(key)
        yield key, kind, body, found.end()


def pages():
    """README.md, and the pages of docs/."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks():
    """All that a command makes in README.md and docs/, by name."""
    found = {}
    for path in pages():
        text = path.read_text()
        found |= {f"{path.name} {name}": Block(body) for name, body in _MARKED.findall(text)}
        found |= {key: Block(body, kind) for key, kind, body, _ in console(path.name, text)}
    for path in sorted((ROOT / "docs").iterdir()):
        if path.suffix in (".png", ".svg"):
            found[path.name] = Block(path.read_bytes())
    return found


def compared(key):
    """Whether the block ``key`` is made again in each test."""
    return any(fnmatch.fnmatchcase(key, pattern) for pattern in COMPARED)


def rule(key, found):
    """(command that makes the block ``key`` of ``found`` again, files at which it begins). Raises
    ``LookupError`` for a block of which that is not known."""
    command = next((made for pattern, made in RULES.items() if fnmatch.fnmatchcase(key, pattern)), "").format(key)
    by, maker = command, key
    if command.startswith("* "):
        maker = next((name for name in found if fnmatch.fnmatchcase(name, command)), key)
    if " $ " in maker:
        body, kind = found[maker]
        command = " ".join([_DOCS, *([f"--{kind}"] if kind else []), maker.split()[0]])
        by = "\n".join(orders(body)).replace("\\\n", " ")
    try:
        return command, sources.entries(by)
    except LookupError as error:
        raise LookupError(f"{key}: {error}") from None


def _hash(body):
    return hashlib.sha256(body if isinstance(body, bytes) else body.encode()).hexdigest()[:16]


def _load():
    return tomllib.loads(RESULTS.read_text()) if RESULTS.exists() else {}


def _save(entries):
    # A string in JSON is one in TOML.
    RESULTS.write_text(_HEAD + "".join(
        f"\n[{json.dumps(key)}]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in entry.items())
        for key, entry in sorted(entries.items())))


def enter(*keys):
    """Notes that the blocks ``keys`` were made now, forgets those that are gone, and writes the pages."""
    # The run of mutants must not have the package loaded before it begins.
    from sata_recorder import __version__

    found = blocks()
    entries = {key: entry for key, entry in _load().items() if key in found}
    for key in keys:
        if not compared(key):
            command, begin = rule(key, found)
            entries[key] = {
                "text": _hash(found[key].body), "sources": sources.digest(begin), "version": __version__,
                "date": datetime.date.today().isoformat(), "command": command}
    _save(entries)
    for path in pages():
        text = path.read_text()
        if (new := annotate(path.name, text, entries)) != text:
            path.write_text(new)


def annotate(page, text, entries):
    """The ``text`` of a page with a line below each table, slow output and picture of ``entries``."""
    text = _NOTE.sub("", text)
    places = [(found.end(), f"{page} {found[1]}", "\n") for found in _MARKED.finditer(text)]
    places += [(end, key, "\n") for key, kind, _, end in console(page, text) if kind]
    places += [(found.end(), found[1], "\n\n") for found in _SHOWN.finditer(text)]
    for end, key, between in sorted(places, reverse=True):
        if key in entries:
            note = "*Made with version {version} on {date} by `{command}`.*".format(**entries[key])
            text = text[:end] + between + note + text[end:]
    return text


def older():
    """(key, date, command) of what is older than its sources, and of the command that makes it again."""
    found, entries = blocks(), _load()
    for key in found:
        if key not in entries or compared(key):
            continue
        try:
            command, begin = rule(key, found)
        except LookupError:
            continue                    # which check() reports
        if entries[key]["sources"] != sources.digest(begin):
            yield key, entries[key]["date"], command


def check():
    """What is wrong, as a list of lines."""
    found, entries = blocks(), _load()
    wrong = []
    for key in found:
        if compared(key):
            continue
        try:
            command, _ = rule(key, found)
        except LookupError as error:
            wrong.append(str(error))
            continue
        if key not in entries:
            wrong.append(f"{key}: no entry says when it was made; run {command}")
        elif entries[key]["text"] != _hash(found[key].body):
            wrong.append(f"{key}: it was changed by hand; run {command}")
    wrong += [f"{key}: docs/results.toml has an entry, the documentation no such block; run {_DOCS}"
              for key in entries.keys() - found.keys()]
    wrong += [f"{path.name}: a line on when something was made was changed by hand; run {_DOCS} {path.name}"
              for path in pages() if annotate(path.name, text := path.read_text(), entries) != text]
    return wrong
