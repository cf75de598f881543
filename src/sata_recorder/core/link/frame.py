"""How frames pass between link and transport layer (Serial ATA Revision 3.x, link layer, frames).

A frame is passed on without SOF and EOF; one to the drive also without its CRC, which the link layer adds.
"""

from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["FrameWord", "SendSignature", "ReceiveSignature", "MAX_FRAME_WORDS"]

#: Dwords of the longest frame without its CRC: the header of a Data FIS and 8192 bytes.
MAX_FRAME_WORDS = 2049


class FrameWord(data.Struct):
    """A dword of a frame to be sent."""

    word: 32        # not scrambled
    last: 1         # the frame ends with it


class SendSignature(wiring.Signature):
    """Frames to be sent, seen from the transport layer.

    The link layer keeps nothing of a frame: to send it again, offer it again.

    Members
    -------
    payload : Out(FrameWord)
        The next dword of the frame.
    valid : Out(1)
        There is a dword. Before the first dword it requests X_RDY; between dwords it may fall,
        then HOLD is sent.
    ready : In(1)
        The dword at ``payload`` is taken in this clock, if ``valid`` is high.
    done : In(1)
        The frame is over: acknowledged, refused or cut short by the drive. Its remaining dwords
        must no longer be offered.
    ok : In(1)
        With ``done``: the drive answered R_OK.
    """

    def __init__(self):
        super().__init__({
            "payload": Out(FrameWord), "valid": Out(1), "ready": In(1),
            "done": In(1), "ok": In(1),
        })


class ReceiveSignature(wiring.Signature):
    """Received frames, seen from the transport layer. There is no ``ready``: see ``hold``.

    Members
    -------
    start : In(1)
        A frame begins.
    word : In(32)
        With ``valid``: a dword of the frame, descrambled. The last one is the CRC.
    valid : In(1)
        There is a dword at ``word``, in this clock only.
    count : In(12)
        Dwords of this frame so far, the CRC and the one at ``word`` included. Stops at its
        largest value.
    arrives : In(1)
        One more dword of the frame arrives. It is at ``word`` in the next clock.
    accept : Out(1)
        The frame is accepted if it ends now and its CRC is good. What counts at the end of a
        frame is the clock before it.
    done : In(1)
        The frame is over. No ``valid`` comes later.
    ok : In(1)
        With ``done``: the CRC was good, the frame was accepted, and R_OK is sent.
    hold : Out(1)
        Asks the drive to pause, and lets no new frame in. After it rises there may still arrive
        24 dwords that are on their way, and 8 in the link layer's own stages.
    escape : Out(1)
        Abandons the frame with SYNC (L2: L_SyncEscape).
    """

    def __init__(self):
        super().__init__({
            "start": In(1), "word": In(32), "valid": In(1), "count": In(12), "arrives": In(1),
            "accept": Out(1), "done": In(1), "ok": In(1),
            "hold": Out(1), "escape": Out(1),
        })
