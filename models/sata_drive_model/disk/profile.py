"""How a disk whose inside is simulated meets its host."""

from ..medium.inside_profile import inside_profile


def disk_profile(disk, timing=None):
    """The profile of a :class:`.parameters.DiskDrive`, whose timing profile is ``timing``, if it has one."""
    policy, cap = disk.policy, disk.cap
    latency = {f"{name}_us": getattr(cap, f"{name}_us") for name in ("command", "completion")
               if f"{name}_us" in cap.model_fields_set}
    sides = {"write": latency | {"buffer_bytes": policy.ram_bytes, "stall_shows": policy.stall_shows},
             "read": latency | {"buffer_bytes": policy.look_ahead_bytes, "ahead": policy.look_ahead,
                                "stall_shows": "hold" if policy.stall_shows == "hold" else "data"}}
    fields = {"capacity_sectors": disk.physical.user_bytes // 512, "rotating": True,
              "physical_sector": disk.physical.sector_bytes}
    return inside_profile(disk, timing, sides, **fields | ({} if timing else {"generation": disk.generation}))
