"""Parameters of drive profiles by their dotted names, such as ``write.dips.0.bytes``."""

from ...simulation import Profile


def changed(profile, values):
    """``profile`` with ``values`` in it, by dotted name; a number stands for a place in a list.

    Raises ``ProfileError`` for a value outside its limits.
    """
    data = profile.model_dump()
    for path, value in values.items():
        *way, last = path.split(".")
        part = data
        for step in way:
            key = int(step) if isinstance(part, (list, tuple)) else step
            if isinstance(part[key], tuple):
                part[key] = [list(one) if isinstance(one, tuple) else one for one in part[key]]
            part = part[key]
        part[int(last) if isinstance(part, list) else last] = value
    return Profile.from_data(data, profile.name)


def value(profile, path):
    """What ``profile`` has under a dotted name."""
    part = profile
    for step in path.split("."):
        part = part[int(step)] if isinstance(part, tuple) else dict(part)[step]
    return part
