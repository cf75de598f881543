"""What is frozen of a core with several drives, written down a second time."""

from export.frozen import SURROUNDINGS

__all__ = ["MIRROR_PORTS", "MIRROR_REGISTERS", "PORTS", "REGISTERS", "lane_phy"]


def lane_phy(lane):
    """The dword port of a lane after the first."""
    return [(direction, name.replace("phy_", f"phy{lane}_"), width) for direction, name, width in SURROUNDINGS
            if name.startswith("phy_")]


#: What the drives of its lanes are.
PORTS = [("input", "array_lane", 3), ("output", "array_up", 8), ("output", "array_ready", 8),
         ("output", "array_members", 24), ("output", "array_failed", 8), ("output", "array_first", 3),
         ("input", "array_whole", 1)]
REGISTERS = {
    "ARRAY_CONTROL": (0xAE0, "rw", {"LANE": (0, 3, "rw"), "WHOLE": (8, 1, "rw")}),
    "ARRAY_LANES": (0xAE4, "ro", {"UP": (0, 8, "ro"), "READY": (8, 8, "ro"), "FAILED": (16, 8, "ro"),
                                  "FIRST": (24, 3, "ro")}),
    "ARRAY_MEMBERS": (0xAE8, "ro", {"STATE": (0, 24, "ro")}),
}
#: Of RAID 1 also.
MIRROR_PORTS = [("output", "mirror_dropped", 8), ("output", "mirror_dirty", 1)]
MIRROR_REGISTERS = {"ARRAY_MIRROR": (0xAEC, "ro", {"DROPPED": (0, 8, "ro"), "DIRTY": (8, 1, "ro")})}
