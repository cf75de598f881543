"""The types by which frames pass between link and transport layer."""

from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["FrameWord", "SendSignature", "ReceiveSignature", "MAX_FRAME_WORDS"]

#: Dwords of the longest frame without its CRC: the header of a Data FIS and 8192 bytes.
MAX_FRAME_WORDS = 2049

#: A dword of a frame to be sent; ``last`` marks the end of the frame.
FrameWord = data.StructLayout({"word": 32, "last": 1})


class SendSignature(wiring.Signature):
    """Frames to be sent, seen from the transport layer.

    ``valid`` before the first word asks for X_RDY; between words it may fall, then HOLD is sent.
    The same frame is offered again by offering it again: the link layer does not keep it.

    Members
    -------
    payload : Out(FrameWord), valid : Out(1), ready : In(1)     as an Amaranth stream
    done : In(1)        the frame is over: acknowledged, refused or cut short by the drive;
                        its remaining words must no longer be offered
    ok : In(1)          with ``done``: R_OK
    refused : In(1)     with ``done``: R_ERR
    """

    def __init__(self):
        super().__init__({
            "payload": Out(FrameWord), "valid": Out(1), "ready": In(1),
            "done": In(1), "ok": In(1), "refused": In(1),
        })


class ReceiveSignature(wiring.Signature):
    """RxPrimitive frames, seen from the transport layer. There is no ``ready``: see ``hold``.

    Members
    -------
    start : In(1)       a frame begins
    word : In(32), valid : In(1)        its dwords, descrambled, the CRC is the last one
    count : In(12)      dwords of this frame so far, CRC and the one at ``word`` included
    arrives : In(1)     one more arrives, it is at ``word`` in the next clock
    accept : Out(1)     the frame may end now if its CRC is good; as of the clock before
    done : In(1)        the frame is over; no ``valid`` comes later
    ok : In(1)          with ``done``: the CRC was good, the frame accepted and R_OK sent
    hold : Out(1)       asks the drive to pause; as many as 24 dwords that are on their way,
                        and 8 in the link layer's own stages, still arrive after it rises;
                        no new frame is let in
    escape : Out(1)     abandons the frame with SYNC (Serial ATA 3.x, link layer, SYNC escape)
    """

    def __init__(self):
        super().__init__({
            "start": In(1), "word": In(32), "valid": In(1), "count": In(12), "arrives": In(1),
            "accept": Out(1), "done": In(1), "ok": In(1),
            "hold": Out(1), "escape": Out(1),
        })
