"""How a drive whose inside is simulated meets its host: a profile without rates, which follow from the inside."""

from typing import Any

from .inside import Inside
from .profile import Profile

#: What a timing profile tells of the drive, and of its controller: all but what follows from the medium.
_KEPT = ("name", "model", "description", "lba48", "fua", "generation", "aliases", "firmware", "seed", "physical_sector",
         "rated_writes_tb", "warranty_years", "workload_tb_per_year", "power_loss_protection")
_CONTROLLER = ("command_us", "jitter_us", "completion_us", "hold_slices", "buffer_bytes", "stall_shows", "flush_us",
               "fua_us", "ahead")


def inside_profile(inside: Inside, timing: Profile | None, sides: dict, **fields: Any) -> Profile:
    """The profile of a drive with an :class:`.inside.Inside`.

    ``timing`` is its timing profile, None: it has none; ``sides`` what the inside gives of {"write": ..., "read": ...},
    which comes first; ``fields`` of the profile itself. Raises `ProfileError`.
    """
    plain = {"name": inside.name, "model": inside.model or inside.name, "description": inside.description,
             "generation": 3, "source": "the parameters of its inside"}
    if timing is not None:
        known = timing.model_dump(exclude_unset=True)
        plain |= {name: known[name] for name in _KEPT if name in known}
        sides = {side: {name: known[side][name] for name in _CONTROLLER if name in known.get(side, {})} | given
                 for side, given in sides.items()}
    return Profile.from_data(plain | fields | sides, inside.name)
