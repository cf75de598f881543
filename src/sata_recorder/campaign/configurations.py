"""The cores that a campaign runs, with timeouts scaled to thousands of clocks."""

from ..interface.configuration import Configuration

__all__ = ["CORES", "patience"]

#: Longer than any silence that a drive within the rules makes in a campaign.
_SCALED = {"clock_hz": 1e6, "signature_timeout": 0.004, "identify_timeout": 0.005,
           "command_timeout": 0.006, "flush_timeout": 0.009, "retry_delay": 0.0005,
           "recovery_timeout": 0.04}

#: By name: all that decides what a core does after an error.
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
}.items()}


def patience(configuration):
    """Clocks without progress after which a core has hung: all its timeouts that can follow each
    other, and some more."""
    up = configuration.signature_timeout + configuration.identify_timeout
    tries = configuration.retries + 1
    waits = configuration.retry_delay * 2 ** min(configuration.retries, 16)
    seconds = (2 * configuration.recovery_timeout + 3 * up + waits
               + tries * (configuration.command_timeout + configuration.flush_timeout + up))
    return configuration.clocks(seconds) + 20_000
