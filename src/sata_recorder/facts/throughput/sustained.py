"""The rate that a drive sustains: takes indefinitely."""

from .channel import Channel, Host, Profile
from .course import cost_of

__all__ = ["stalls_known", "sustained_rate"]


def sustained_rate(host: Host, profile: Profile | None = None) -> float:
    """Bytes a second that a drive of ``profile`` (None: one that never waits) takes from ``host``
    however long it is written.

    At the slowest place, the cache full and the drive full, with the gaps between commands, and with
    stalls and dips in the mean: what comes in one of these needs a FIFO. Raises ``ValueError`` for a
    profile with an unknown rate.
    """
    link = Channel.of(host, profile)
    if profile is None:
        return 1 / link.cost(gap=link.mean_gap)
    profile.check_rates("write")
    write = profile.write
    rates = [rate for _, rate in write.knots] + ([write.crowded.mb_per_s] if write.crowded else [])
    medium = max((cost_of(rate, profile.scale) for rate in rates), default=0.0)
    base = link.cost(medium, link.mean_gap)
    each = base
    for dip in write.dips:
        slow = link.cost(max(medium, cost_of(dip.mb_per_s, profile.scale)), link.mean_gap)
        each += (slow - base) * dip.bytes / dip.every_bytes
    each += sum(stall.ms / 1e3 / stall.every_bytes for stall in write.stalls)
    return 1 / each


def stalls_known(profile: Profile) -> bool:
    """Whether it is known how the drive stalls: the profile has stalls, or states with an empty
    list that there are none."""
    return bool(profile.write.stalls) or "stalls" in profile.write.model_fields_set
