"""What a PHY of this package reports about itself, next to the core.

All counts saturate; "since" means since phy_clear, or since reset.
"""

from functools import partial

from .group import Group, input_row, output_row, port_field
from .registers import Access, Register

__all__ = ["PHY_STATUS"]

_TABLE = (
    input_row("phy_clear", 1, "one clock: all counts of the PHY become 0, all that was seen is forgotten"),
    input_row("phy_bist_start", 1, "one clock: begins the loop-back test, which ends the link; ignored "
        "while it runs"),
    output_row("phy_state", 4, "state of the PHY, see phy_states"),
    output_row("phy_reached", 4, "furthest state since phy_clear or since the link was up"),
    output_row("phy_last_fall", 4, "why the latest try or the latest link ended, see phy_falls"),
    output_row("phy_line_rate", 2, "line rate of the SERDES: 1, 2 or 3; 0: its transmitter is not ready"),
    output_row("phy_rx_active", 1, "the signal detector reports a signal"),
    output_row("phy_rx_locked", 1, "the clock recovery is locked, to the drive or to its reference"),
    output_row("phy_rx_inverted", 1, "P and N of the pair from the drive are assumed to be swapped"),
    output_row("phy_tx_inverted", 1, "P and N of the pair to the drive are assumed to be swapped; a link "
         "proves it"),
    output_row("phy_comresets", 8, "COMRESETs sent"),
    output_row("phy_cominits", 8, "COMINITs answered with COMWAKE"),
    output_row("phy_links", 8, "times that the link came up"),
    output_row("phy_lock_losses", 8,
         "times that the clock recovery lost its lock while data was expected"),
    output_row("phy_signal_losses", 8, "times that the signal detector fell while data was expected"),
    output_row("phy_code_errors", 16, "received dwords with a character that is not in the code, while "
         "the link was up"),
    output_row("phy_disparity_errors", 16, "received dwords with a wrong disparity and no code error, "
         "while the link was up"),
    output_row("phy_shortest_burst", 8, "shortest OOB burst from the drive; 255: there was none"),
    output_row("phy_longest_burst", 8, "longest OOB burst from the drive; 0: there was none"),
    output_row("phy_shortest_gap", 8, "shortest gap between OOB bursts; 255: there was none"),
    output_row("phy_longest_gap", 8, "longest gap between OOB bursts; 0: there was none"),
    output_row("phy_training", 20, "time from the end of the drive's COMWAKE to the link, or to the end "
         "of the try", at=0x818, unit="clocks"),
    output_row("phy_recent_errors", 16, "dwords with an error among the latest 65,536 complete ones that "
         "arrived while data was expected", at=0x81C),
    output_row("phy_bist", 3, "result of the loop-back test, see phy_bist_states"),
    output_row("phy_bist_errors", 16, "dwords of the loop-back test that were wrong or missing", at=0x820),
)

_field = partial(port_field, _TABLE)

_BANK = (
    Register("PHY_CONTROL", 0x800, "control of what the PHY reports about itself", (
        _field("CLEAR", 0, "phy_clear", access=Access.W1P),
        _field("BIST_START", 1, "phy_bist_start", access=Access.W1P),
    )),
    Register("PHY_STATE", 0x804, "what the PHY does, and sees of the line", (
        _field("STATE", 0, "phy_state"),
        _field("REACHED", 4, "phy_reached"),
        _field("LAST_FALL", 8, "phy_last_fall"),
        _field("LINE_RATE", 12, "phy_line_rate"),
        _field("RX_ACTIVE", 16, "phy_rx_active"),
        _field("RX_LOCKED", 17, "phy_rx_locked"),
        _field("RX_INVERTED", 18, "phy_rx_inverted"),
        _field("TX_INVERTED", 19, "phy_tx_inverted"),
        _field("BIST", 24, "phy_bist"),
    )),
    Register("PHY_TRIES", 0x808, "tries to bring the link up", (
        _field("COMRESETS", 0, "phy_comresets"),
        _field("COMINITS", 8, "phy_cominits"),
        _field("LINKS", 16, "phy_links"),
    )),
    Register("PHY_LOSSES", 0x80C, "what was lost while data was expected", (
        _field("LOCK", 0, "phy_lock_losses"),
        _field("SIGNAL", 8, "phy_signal_losses"),
    )),
    Register("PHY_ERRORS", 0x810, "dwords that arrived with an error while the link was up", (
        _field("CODE", 0, "phy_code_errors"),
        _field("DISPARITY", 16, "phy_disparity_errors"),
    )),
    Register("PHY_OOB", 0x814, "OOB signals of the drive, in clocks", (
        _field("SHORTEST_BURST", 0, "phy_shortest_burst"),
        _field("LONGEST_BURST", 8, "phy_longest_burst"),
        _field("SHORTEST_GAP", 16, "phy_shortest_gap"),
        _field("LONGEST_GAP", 24, "phy_longest_gap"),
    )),
)

#: It is there only where the PHY is built in: no configuration of a core has it.
PHY_STATUS = Group("phy_status", _TABLE, _BANK, exists=lambda configuration: False, prefix="phy_")
