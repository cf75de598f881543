"""The score of the tests, and what is known about the mutants that survived."""

import tomllib
from collections import Counter
from pathlib import Path

import tables
from mutation_run import LAYERS, CORE

#: Why a survivor is no mistake that a test could see: path, text of the line, old, new, why; and
#: what stands before it, where a line has more than one such place.
NOTES = Path(__file__).with_name("mutation.toml")


def rows(results):
    """Header and lines of the table of scores, by layer."""
    header = ["layer", "mutants", "stillborn", "equivalent", "counted", "killed", "survived",
              "explained", "score"]
    parts = [(layer, [entry for entry in results if entry["path"].startswith(f"{layer}/")])
             for layer in LAYERS]
    lines = [(name, part) for name, part in [*parts, ("all", results)] if part]
    return [header, *(_line(name, part) for name, part in lines)]


def _line(name, part):
    count = Counter(entry["verdict"] for entry in part)
    counted = count["killed"] + count["survived"]
    score = f"{100 * count['killed'] / counted:.1f} %" if counted else "-"
    return [name, len(part), count["stillborn"], count["equivalent"], counted, count["killed"],
            count["survived"], sum(map(bool, map(explained, part))), score]


def of_the_others(results):
    """The score without those survivors of which it is known why no test sees them, as a sentence."""
    killed = sum(entry["verdict"] == "killed" for entry in results)
    counted = killed + sum(entry["verdict"] == "survived" and not explained(entry) for entry in results)
    return f"Without the survivors that are explained: {killed} of {counted} killed" + (
        f", {100 * killed / counted:.1f} %." if counted else ".")


def explained(entry):
    """Why a survivor is no mistake that a test could see; "" if that is not known."""
    if entry["verdict"] != "survived":
        return ""
    notes = tomllib.loads(NOTES.read_text())["note"]
    return next((note["why"] for note in notes if about(note, entry)), "")


def about(note, mutant):
    """Whether ``note`` is one of this ``mutant``, a dict. Where a line has more such places, the
    note has in ``after`` what comes before the right one."""
    if any(note[name] != mutant[name] for name in ("path", "text", "old", "new")):
        return False
    if "after" not in note:
        return True
    source = (CORE / mutant["path"]).read_text()
    return source[:mutant["start"]].endswith(note["after"])


def write(results, arguments):
    """Rewrites what is between the markers of docs/mutation.md."""
    stages = Counter(entry["stage"] for entry in results if entry["verdict"] == "killed")
    seconds = sum(entry["seconds"] for entry in results)
    header, *lines = rows(results)
    killed = ", ".join(f"{count} by the {stage} tests" for stage, count in stages.most_common())
    text = [tables.markdown(header, lines),
            f"Sample of {len(results)} mutants, seed {arguments.seed}, {seconds / 60:.0f} minutes "
            f"of CPU. Killed: {killed}. {of_the_others(results)}"]
    tables.replace("mutation.md", "score", "\n".join(text) + "\n")
    tables.replace("mutation.md", "survivors", _survivors(results))


def _survivors(results):
    found = sorted((entry["path"], entry["text"], entry["old"], entry["new"], explained(entry))
                   for entry in results if entry["verdict"] == "survived")
    if not found:
        return "None of this sample.\n"
    return "".join(f"- `core/{path}`, `{_code(line)}`: `{_code(old)}` becomes `{_code(new)}`. "
                   f"{why or 'Not explained.'}\n" for path, line, old, new, why in found)


def _code(text):
    return " ".join(text.split())
