"""The score of the tests, and what is known about the mutants that survived."""

import tomllib
from collections import Counter
from pathlib import Path

import tables
from mutation_run import LAYERS

__all__ = ["rows", "write"]

#: Why a survivor is no mistake that a test could see: path, text of the line, old, new, why.
NOTES = Path(__file__).with_name("mutation.toml")


def rows(results):
    """Header and lines of the table of scores, by layer."""
    header = ["layer", "mutants", "stillborn", "equivalent", "counted", "killed", "survived",
              "score"]
    parts = [(layer, [entry for entry in results if entry["path"].startswith(f"{layer}/")])
             for layer in LAYERS]
    lines = [(name, part) for name, part in [*parts, ("all", results)] if part]
    return [header, *(_line(name, part) for name, part in lines)]


def _line(name, part):
    count = Counter(entry["verdict"] for entry in part)
    counted = count["killed"] + count["survived"]
    score = f"{100 * count['killed'] / counted:.1f} %" if counted else "-"
    return [name, len(part), count["stillborn"], count["equivalent"], counted, count["killed"],
            count["survived"], score]


def write(results, arguments):
    """Rewrites what is between the markers of docs/mutation.md."""
    stages = Counter(entry["stage"] for entry in results if entry["verdict"] == "killed")
    seconds = sum(entry["seconds"] for entry in results)
    header, *lines = rows(results)
    killed = ", ".join(f"{count} by the {stage} tests" for stage, count in stages.most_common())
    text = [tables.markdown(header, lines),
            f"Sample of {len(results)} mutants, seed {arguments.seed}, {seconds / 60:.0f} minutes "
            f"of CPU. Killed: {killed}."]
    tables.replace("mutation.md", "score", "\n".join(text) + "\n")
    tables.replace("mutation.md", "survivors", _survivors(results))


def _survivors(results):
    notes = tomllib.loads(NOTES.read_text())["note"] if NOTES.exists() else []
    reasons = {(note["path"], note["text"], note["old"], note["new"]): note["why"]
               for note in notes}
    found = []
    for entry in results:
        if entry["verdict"] == "survived":
            key = entry["path"], entry["text"], entry["old"], entry["new"]
            why = reasons.get(key, "not explained")
            found.append((entry["path"], entry["line"], entry["old"], entry["new"], why))
    if not found:
        return "None of this sample.\n"
    return "".join(f"- `{path}`:{line}, `{_code(old)}` becomes `{_code(new)}`: {why}\n"
                   for path, line, old, new, why in sorted(found))


def _code(text):
    return " ".join(text.split())
