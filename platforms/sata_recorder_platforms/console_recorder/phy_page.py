"""What the PHY reports about itself, for the console."""

from amaranth.hdl import Mux

from sata_recorder.pc.console.grammar import NUMBER_BITS

from .messages import Figure, Name


def phy_names(status):
    """What is printed as words, by name."""
    return {
        Name.STATE: status.state, Name.REACHED: status.reached, Name.FALL: status.last_fall,
        Name.SIGNAL: status.rx_active, Name.LOCKED: status.rx_locked,
        Name.RX_PAIR: status.rx_inverted, Name.TX_PAIR: status.tx_inverted,
        Name.BIST: status.bist,
    }


def phy_figures(status):
    """What is printed as a number, by figure; of bursts and gaps there may be none."""

    def found(longest, value):
        return Mux(longest == 0, (1 << NUMBER_BITS) - 1, value)

    return {
        Figure.LINE_RATE: status.line_rate, Figure.COMRESETS: status.comresets,
        Figure.COMINITS: status.cominits, Figure.LINKS: status.links,
        Figure.LOCK_LOSSES: status.lock_losses, Figure.SIGNAL_LOSSES: status.signal_losses,
        Figure.CODE_ERRORS: status.code_errors,
        Figure.DISPARITY_ERRORS: status.disparity_errors,
        Figure.RECENT_ERRORS: status.recent_errors,
        Figure.SHORTEST_BURST: found(status.longest_burst, status.shortest_burst),
        Figure.LONGEST_BURST: found(status.longest_burst, status.longest_burst),
        Figure.SHORTEST_GAP: found(status.longest_gap, status.shortest_gap),
        Figure.LONGEST_GAP: found(status.longest_gap, status.longest_gap),
        Figure.TRAINING: status.training, Figure.BIST_ERRORS: status.bist_errors,
    }
