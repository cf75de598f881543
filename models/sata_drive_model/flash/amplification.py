"""Write amplification of uniform random writes by a closed law, to hold the simulated one against."""

import math


def lambert_w(value: float) -> float:
    """The principal branch of Lambert's W for -1/e <= ``value`` <= 0: w * exp(w) = value, -1 <= w <= 0."""
    if not -math.exp(-1) <= value <= 0:
        raise ValueError(f"lambert_w: {value}: must be from -1/e to 0")
    low, high = -1.0, 0.0
    for _ in range(80):
        middle = (low + high) / 2
        if middle * math.exp(middle) < value:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def closed_law(physical_over_user: float) -> float:
    """Flash writes for each random write of the host, where whole blocks are collected greedily and blocks are large.

    ``physical_over_user`` is all flash that takes part over what the host addresses, above 1. L. Xiang and
    B. M. Kurkoski, "An improved analytic expression for write amplification in NAND flash", arXiv 1110.4245.
    """
    if not physical_over_user > 1:
        raise ValueError(f"closed_law: {physical_over_user}: must be above 1")
    alpha = physical_over_user
    return alpha / (alpha + lambert_w(-alpha * math.exp(-alpha)))
