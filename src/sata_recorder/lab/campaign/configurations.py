"""The cores that a campaign runs, with timeouts scaled to thousands of clocks."""

import functools
import itertools
import random

from ...interface.configuration import NAMED, Configuration
from ...interface.faults import nearest
from ...interface.rules import broken

#: Longer than any silence that a drive within the rules makes in a campaign.
_SCALED = {"clock_hz": 1e6, "signature_timeout": 0.004, "identify_timeout": 0.005,
           "command_timeout": 0.006, "flush_timeout": 0.009, "retry_delay": 0.0005,
           "recovery_timeout": 0.04}

#: By name: cores with all that decides what a core does after an error; and the named configurations.
CORES = {name: Configuration(**_SCALED, **fields) for name, fields in {
    "stop": {"buffer_words": 256, "max_command_sectors": 16, "retries": 0},
    "replay": {"buffer_words": 4096, "max_command_sectors": 16, "retain_sectors": 16},
    "skip": {"buffer_words": 1024, "max_command_sectors": 8, "retain_sectors": 8, "retries": 2,
             "on_failure": "skip", "send_cont": False, "alignment": True},
    "drop": {"buffer_words": 512, "max_command_sectors": 4, "retain_sectors": 2, "retries": 2,
             "on_failure": "skip", "on_overflow": "drop"},
    "single": {"buffer_words": 128, "max_command_sectors": 1, "retain_sectors": 1, "retries": 1,
               "sync_between_frames": False},
    "long": {"buffer_words": 1024, "max_command_sectors": 65536, "retries": 1,
             "on_failure": "skip"},
    "commands": {"buffer_words": 1024, "max_command_sectors": 8, "retain_sectors": 8, "retries": 2,
                 "on_failure": "skip", "commands": True, "power_fail": True},
    "modes": {"buffer_words": 512, "max_command_sectors": 8, "retries": 0, "extents": "modes",
              "look_sectors": 8},
    "modes-replay": {"buffer_words": 2048, "max_command_sectors": 8, "retain_sectors": 8,
                     "extents": "modes", "commands": True, "power_fail": True, "trim_ahead": True,
                     "look_sectors": 16},
    "modes-skip": {"buffer_words": 512, "max_command_sectors": 4, "retain_sectors": 2,
                   "retries": 1, "on_failure": "skip", "extents": "modes", "alignment": True,
                   "trim_ahead": True, "look_sectors": 8},
    "fua": {"buffer_words": 2048, "max_command_sectors": 8, "retain_sectors": 8, "retries": 2,
            "fua": True, "alignment": True, "smart_commands": 2, "smart_temperature": True},
    "fua-modes": {"buffer_words": 512, "max_command_sectors": 4, "retain_sectors": 2, "retries": 1,
                  "on_failure": "skip", "extents": "modes", "fua": True,
                  "smart_commands": 3, "smart_temperature": True, "trim_ahead": True,
                  "look_sectors": 8},
    "4k-replay": {"buffer_words": 4096, "max_command_sectors": 16, "retain_sectors": 16,
                  "long_logical_sectors": True},
    "4k-skip": {"buffer_words": 1024, "max_command_sectors": 16, "retain_sectors": 8, "retries": 2,
                "on_failure": "skip", "long_logical_sectors": True, "smart_commands": 3,
                "smart_temperature": True},
    "4k-drop": {"buffer_words": 512, "max_command_sectors": 8, "retries": 1, "on_failure": "skip",
                "on_overflow": "drop", "long_logical_sectors": True},
    "4k-modes": {"buffer_words": 1024, "max_command_sectors": 16, "retries": 1, "on_failure": "skip",
                 "extents": "modes", "long_logical_sectors": True, "trim_ahead": True,
                 "look_sectors": 16},
    "4k-fua-modes": {"buffer_words": 2048, "max_command_sectors": 8, "retain_sectors": 8,
                     "extents": "modes", "fua": True, "long_logical_sectors": True},
    "memory": {"memory": 1 << 20, "buffer_words": 512, "max_command_sectors": 64, "retain_sectors": 64, "retries": 2,
               "on_failure": "skip", "commands": True, "power_fail": True, "power_hold_up": 0.001},
    "memory-modes": {"memory": 1 << 20, "memory_width": 128, "buffer_words": 1024, "max_command_sectors": 65536,
                     "retries": 1, "extents": "modes", "commands": True, "look_sectors": 8, "power_fail": True,
                     "power_hold_up": 0.0002},
    "source": {"buffer_words": 1024, "max_command_sectors": 8, "retain_sectors": 8, "retries": 2,
               "on_failure": "skip", "source_width": 64, "source_clock": True},
    "source-wide": {"buffer_words": 512, "max_command_sectors": 16, "retries": 1, "source_width": 128,
                    "source_clock": True, "source_depth": 32, "memory": 1 << 20},
    "source-loses": {"buffer_words": 512, "max_command_sectors": 8, "retain_sectors": 4, "retries": 2,
                     "source_width": 64, "source_clock": True, "source_waits": False},
    "source-modes": {"buffer_words": 512, "max_command_sectors": 8, "retries": 1, "extents": "modes",
                     "source_width": 32, "source_clock": True},
    "source-modes-lose": {"buffer_words": 1024, "max_command_sectors": 8, "retain_sectors": 8, "retries": 1,
                          "extents": "modes", "source_width": 128, "source_clock": True, "source_waits": False},
}.items()} | {f"named-{name}": Configuration.from_toml(name).at_pins.model_copy(update=_SCALED) for name in NAMED}

#: What an option is in a core of two, with all that it needs: name to fields.
OPTIONS = {
    "no-cont": {"send_cont": False}, "no-sync": {"sync_between_frames": False},
    "pacing": {"pacing": "programmable"}, "queue": {"extents": "queued"}, "modes": {"extents": "modes"},
    "4k": {"long_logical_sectors": True}, "retain": {"retain_sectors": 8}, "flush": {"flush_commands": 3},
    "smart": {"smart_commands": 2}, "heat": {"smart_commands": 2, "smart_temperature": True}, "fua": {"fua": True},
    "skip": {"on_failure": "skip"}, "drop": {"on_overflow": "drop"}, "frames": {"frames": True},
    "no-recovery": {"recovery": False}, "no-journal": {"journal": False}, "no-ledger": {"ledger": False},
    "commands": {"commands": True}, "files": {"files": True}, "trim": {"extents": "modes", "trim_ahead": True},
    "look": {"extents": "modes", "look_sectors": 8}, "histograms": {"histograms": True},
    "alignment": {"alignment": True}, "memory": {"memory": 1 << 20}, "power": {"commands": True, "power_fail": True},
}
_OF_TWO = {"buffer_words": 2048, "max_command_sectors": 8, "retries": 2}


@functools.cache
def core_called(name):
    """The configuration of the core ``name``: one of :data:`CORES`, or ``one+other``, two of :data:`OPTIONS`.

    Raises ``ValueError`` for another name, and for two that do not go together.
    """
    if name in CORES:
        return CORES[name]
    options = name.split("+")
    if len(options) != 2 or not {*options} <= OPTIONS.keys():
        raise ValueError(f"{name!r} is no core of campaigns: they are {', '.join(CORES)}; or two of "
                         f"{', '.join(OPTIONS)}, with + between them{nearest(name, (*CORES, *OPTIONS))}")
    one, other = (OPTIONS[option] for option in options)
    if any(one[field] != other[field] for field in one.keys() & other.keys()):
        raise ValueError(f"{name}: {options[0]} and {options[1]} exclude each other")
    fields = _OF_TWO | one | other
    found = broken(Configuration.model_construct(**fields))
    if found:
        raise ValueError(f"{name}: {found[0][1]}")
    if {"frames", "drop"} <= {*options}:
        raise ValueError(f"{name}: each recording is in frames, of which a campaign knows nothing")
    return Configuration(**_SCALED, **fields)


@functools.cache
def pairs():
    """The names of all cores of two options that go together."""
    def together(name):
        try:
            return core_called(name)
        except ValueError:
            return None
    return [name for name in map("+".join, itertools.combinations(OPTIONS, 2)) if together(name)]


def drawn_pairs(count, seed):
    """``count`` of :func:`pairs`, drawn by ``seed``. Raises ``ValueError`` if there are not this many."""
    if count > len(pairs()):
        raise ValueError(f"there are {len(pairs())}")
    return tuple(random.Random(f"campaign pairs {seed}").sample(pairs(), count))


def patience(configuration):
    """Clocks without progress after which a core counts as hung: all its timeouts that can follow each
    other, and some more."""
    up = configuration.signature_timeout + configuration.identify_timeout
    tries = configuration.retries + 1
    waits = configuration.retry_delay * 2 ** min(configuration.retries, 16)
    seconds = (2 * configuration.recovery_timeout + 3 * up + waits
               + tries * (configuration.command_timeout + configuration.flush_timeout + up))
    return configuration.clocks(seconds) + 20_000
