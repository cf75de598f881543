"""Builds the site from README.md, docs/ and the docstrings: `make site`.

The pages are copied to build/site/source as they are, so that a link between two of them is valid on a plain git host
and in the site. Two things are added there: the menu, which is the lists of docs/README.md, and a page of docstrings
for each package of :data:`API`. Sphinx makes build/site/html of it, and asks nothing of the network.
"""

import re
import shutil
import sys
import time
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build/site"
#: What is copied: pages, and what they link to.
COPIED = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "LICENSE", "constraints.txt", "docs",
          "examples", "src", "models")
PARTS = ("Start", "Use", "Reference", "Develop")
#: Pages beside the manual that belong to a part of it.
BESIDE = {"Develop": ("CONTRIBUTING", "models/README", "CHANGELOG", "SECURITY")}
#: The packages whose docstrings are pages of the reference: module, and title of the page.
API = {
    "sata_recorder": "The core and its configuration",
    "sata_recorder.export": "Verilog and descriptions of the core",
    "sata_recorder.core.phy": "PHY back ends",
    "sata_recorder.simulation": "Simulation",
    "sata_recorder.lab.measurement": "A measurement",
    "sata_recorder.lab.plan": "The arithmetic of `plan`",
    "sata_recorder.lab.sweep": "Sweeps",
    "sata_recorder.pc.volume": "Recordings as files on a PC",
    "sata_recorder.pc.array": "Arrays on a PC",
    "sata_recorder.pc.vita49": "VITA 49 frames on a PC",
    "sata_drive_model": "The drive model",
}
#: Names that a package passes on from another one of these.
PASSED_ON = {"sata_recorder.simulation": "Profile, ProfileError"}
_LINE = re.compile(r"^- \[[^\]]*\]\(([\w-]+)\.md\):", re.MULTILINE)


def menu(manual):
    """The text of the hidden menus: one for each part of ``manual``, in its order."""
    blocks = ["```{toctree}\n:hidden:\n\ndocs/README\n```\n"]
    for part in PARTS:
        body = manual.partition(f"\n## {part}\n")[2].partition("\n## ")[0]
        entries = [f"docs/{name}" for name in _LINE.findall(body)]
        if not entries:
            raise SystemExit(f"site: docs/README.md lists no page under {part}")
        entries += ["api/index"] if part == "Reference" else []
        entries += BESIDE.get(part, ())
        blocks.append("\n".join(["```{toctree}", ":hidden:", f":caption: {part}", "", *entries, "```", ""]))
    return "\n" + "\n".join(blocks)


def directives(module):
    """The directives of autodoc for what ``module`` offers."""
    left_out = f"   :exclude-members: {PASSED_ON[module]}\n" if module in PASSED_ON else ""
    if module != "sata_recorder":
        return f".. automodule:: {module}\n   :members:\n   :imported-members:\n{left_out}"
    # It loads what it offers when that is first used, which autodoc does not see.
    package = import_module(module)
    kinds = {name: "class" if isinstance(getattr(package, name), type) else "function"
             for name in package.__all__ if not name.startswith("_")}
    return f".. automodule:: {module}\n\n" + "".join(
        f".. auto{kind}:: {module}.{name}\n" + ("   :members:\n" if kind == "class" else "") + "\n"
        for name, kind in kinds.items())


def api_pages():
    """(name, text) of the pages of docstrings, and of the one that lists them."""
    for module, title in API.items():
        yield module, (f"# {title}\n\nThe docstrings of `{module}`.\n\n```{{eval-rst}}\n{directives(module)}```\n")
    yield "index", ("# The Python interface\n\nWhat each package offers, from its docstrings: shapes, units, "
                    "errors and, where it is hardware, latency.\n\n```{toctree}\n" + "\n".join(API) + "\n```\n")


def stage(source):
    """Copies the pages to ``source``, and adds the menu and the pages of docstrings."""
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    made = shutil.ignore_patterns("__pycache__", "*.egg-info", "build")
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=made)
        else:
            shutil.copy2(ROOT / name, source / name)
    home = source / "README.md"
    home.write_text(home.read_text() + menu((ROOT / "docs/README.md").read_text()))
    (source / "api").mkdir()
    for name, text in api_pages():
        (source / "api" / f"{name}.md").write_text(text)


def build(folder=FOLDER):
    """Builds the site below ``folder``; returns the page to begin with. A warning of Sphinx ends the program."""
    try:
        from sphinx.cmd.build import build_main
    except ImportError:
        raise SystemExit("site: needs the Python package Sphinx, which comes with the extra `site`: tools/setup site"
                         ) from None
    began = time.monotonic()
    source, html = folder / "source", folder / "html"
    stage(source)
    shutil.rmtree(html, ignore_errors=True)
    if build_main(["-b", "html", "-c", str(Path(__file__).parent), "-d", str(folder / "doctrees"), "-q", "-W",
                   "--keep-going", str(source), str(html)]):
        raise SystemExit("site: Sphinx found what is listed above")
    print(f"site: {html}/index.html, built in {time.monotonic() - began:.0f} s; open it in a browser")
    return html / "index.html"


if __name__ == "__main__":
    build(*map(Path, sys.argv[1:2]))
