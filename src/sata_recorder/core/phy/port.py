"""The dword port: what a PHY offers to the link layer, and how it is controlled."""

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["DwordPort", "PhyControlSignature"]


class DwordPort(wiring.Signature):
    """The dword port, seen from the link layer.

    The PHY drops ALIGN or passes it on, and it may pause either direction at any time.

    Members
    -------
    tx_data : Out(32)
        This is the dword to send. Byte 0, in bits 7:0, goes first.
    tx_k : Out(4)
        Each bit states whether a byte of ``tx_data`` is a control character: byte 0 or none.
    tx_ready : In(1)
        The PHY takes ``tx_data`` in this clock. While it is low, ``tx_data`` must not change.
    rx_data : In(32)
        With ``rx_valid``, this is the received dword. Byte 0, in bits 7:0, came first.
    rx_k : In(4)
        With ``rx_valid``, each bit states whether a byte of ``rx_data`` is a control character. The
        character that begins a primitive is in byte 0.
    rx_valid : In(1)
        A dword arrives in this clock, at ``rx_data``, ``rx_k`` and ``rx_error``.
    rx_error : In(1)
        With ``rx_valid``, the dword had a code or disparity error.
    link_up : In(1)
        The PHY exchanges dwords with the drive (HP8: HR_Ready).
    generation : In(2)
        While ``link_up``, this is the generation of the link, 1 to 3.
    reset : Out(1)
        Requests COMRESET. While it is high the PHY withdraws ``link_up`` and starts over.
    limit : Out(2)
        From the next COMRESET on the PHY may negotiate no higher generation; 0 allows any.
    """

    def __init__(self):
        super().__init__({
            "tx_data": Out(32), "tx_k": Out(4), "tx_ready": In(1),
            "rx_data": In(32), "rx_k": In(4), "rx_valid": In(1), "rx_error": In(1),
            "link_up": In(1), "generation": In(2), "reset": Out(1),
            "limit": Out(2),
        })


class PhyControlSignature(wiring.Signature):
    """The control of a PHY, seen from the part that brings the drive up.

    Members
    -------
    link_up : In(1)
        The PHY exchanges dwords with a drive.
    generation : In(2)
        While ``link_up``, this is the generation of the link, 1 to 3.
    reset : Out(1)
        Requests COMRESET. It must stay high until ``link_up`` has fallen.
    limit : Out(2)
        From the next COMRESET on the PHY may negotiate no higher generation; 0 allows any.
    """

    def __init__(self):
        super().__init__({"link_up": In(1), "generation": In(2), "reset": Out(1), "limit": Out(2)})
