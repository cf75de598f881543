"""What is frozen of an export with a PHY, written down a second time."""

from export.frozen import PORTS

__all__ = ["with_phy"]

#: What replaces the dword port, and what comes last.
_PADS = [
    ("output", "sata_tx_p", 1),
    ("output", "sata_tx_n", 1),
    ("input", "sata_rx_p", 1),
    ("input", "sata_rx_n", 1),
]
_REFERENCE_PADS = [("input", "sata_refclk_p", 1), ("input", "sata_refclk_n", 1)]
_LINK = [
    ("output", "phy_link_up", 1),
    ("output", "phy_generation", 2),
    ("output", "phy_transmitting", 1),
    ("output", "phy_receiving", 1),
]
_PHY_STATUS = [
    ("input", "phy_clear", 1),
    ("input", "phy_bist_start", 1),
    ("output", "phy_state", 4),
    ("output", "phy_reached", 4),
    ("output", "phy_last_fall", 4),
    ("output", "phy_line_rate", 2),
    ("output", "phy_rx_active", 1),
    ("output", "phy_rx_locked", 1),
    ("output", "phy_rx_inverted", 1),
    ("output", "phy_tx_inverted", 1),
    ("output", "phy_comresets", 8),
    ("output", "phy_cominits", 8),
    ("output", "phy_links", 8),
    ("output", "phy_lock_losses", 8),
    ("output", "phy_signal_losses", 8),
    ("output", "phy_code_errors", 16),
    ("output", "phy_disparity_errors", 16),
    ("output", "phy_shortest_burst", 8),
    ("output", "phy_longest_burst", 8),
    ("output", "phy_shortest_gap", 8),
    ("output", "phy_longest_gap", 8),
    ("output", "phy_training", 20),
    ("output", "phy_recent_errors", 16),
    ("output", "phy_bist", 3),
    ("output", "phy_bist_errors", 16),
]


def with_phy(control, reference, lanes=1):
    """The ports of core and PHY, with the reference `pll` or `pads`, which all ``lanes`` share; registers show the
    status."""
    above = [port for port in PORTS[control] if not port[1].startswith("phy_")]
    pads, links = ([(direction, name.replace(first, f"{first}{lane or ''}", 1), width)
                    for lane in range(lanes) for direction, name, width in ports]
                   for first, ports in (("sata", _PADS), ("phy", _LINK)))
    below = [("input", "reference_clk", 1), *pads] if reference == "pll" else [*pads, *_REFERENCE_PADS]
    status = _PHY_STATUS if control == "pins" else []
    return above[:2] + below + links + above[2:] + status
