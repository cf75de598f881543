"""The dword port: what a PHY offers to the link layer, and how it is controlled."""

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["DwordPort", "PhyControlSignature"]


class DwordPort(wiring.Signature):
    """The dword port, seen from the link layer.

    The PHY drops ALIGN or passes it on. It may pause either direction at any time, and it gives
    ``link_up`` only once it exchanges dwords with the drive (Serial ATA 3.x, phy ready state).
    While ``reset`` is high the PHY takes ``link_up`` away and starts over with a COMRESET.

    Members
    -------
    tx_data : Out(32)       dword to send, byte 0 in bits 7:0 goes first
    tx_k : Out(4)           which bytes are control characters: byte 0 or none
    tx_ready : In(1)        the PHY takes ``tx_data`` in this clock, else it stands still
    rx_data, rx_k : In      received dword, a control character is in byte 0
    rx_valid : In(1)        a dword arrives in this clock
    rx_error : In(1)        that dword had a code or disparity error
    link_up : In(1)         communication is established
    generation : In(2)      1, 2 or 3
    reset : Out(1)          COMRESET is asked for
    limit : Out(2)          from then on, the highest generation to be negotiated; 0: any
    """

    def __init__(self):
        super().__init__({
            "tx_data": Out(32), "tx_k": Out(4), "tx_ready": In(1),
            "rx_data": In(32), "rx_k": In(4), "rx_valid": In(1), "rx_error": In(1),
            "link_up": In(1), "generation": In(2), "reset": Out(1),
            "limit": Out(2),
        })


class PhyControlSignature(wiring.Signature):
    """The control of a PHY, seen from whoever brings the drive up.

    Members
    -------
    link_up : In(1)         The PHY exchanges dwords with a drive.
    generation : In(2)      The generation of the link, 1 to 3; valid while ``link_up``.
    reset : Out(1)          Asks for COMRESET. It must stay high until ``link_up`` has fallen.
    limit : Out(2)          The highest generation that the PHY may negotiate from the next COMRESET
                            on; 0 for any.
    """

    def __init__(self):
        super().__init__({"link_up": In(1), "generation": In(2), "reset": Out(1), "limit": Out(2)})
