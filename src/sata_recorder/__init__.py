"""A SATA host and streaming recorder in pure hardware.

``SataRecorder`` is the core as an Amaranth component, ``Configuration`` its parameters,
``verilog`` and ``description`` export it. They are loaded when they are first used, so that
the command line answers at once.
"""

from importlib import import_module

__version__ = "0.2.0"

_HOMES = {
    "Configuration": "sata_recorder.interface.configuration",
    "SataRecorder": "sata_recorder.core",
    "description": "sata_recorder.export",
    "verilog": "sata_recorder.export",
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name):
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
