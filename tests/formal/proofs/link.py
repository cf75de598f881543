"""The link layer as a whole, seen from the dword port and from the transport layer.

CRC and keystream are replaced by simpler functions, which changes nothing of when they advance.
"""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from formal.harness import one_hot_or_none
from formal.line import CODE, LineRules
from formal.order import order
from sata_recorder.core.link import Link
from sata_recorder.core.crc import CRC_SEED
from sata_recorder.core.link.primitives import TxPrimitive
from sata_recorder.core.link.scrambler import SCRAMBLER_SEED

#: Dwords of ours that may go out after the drive's HOLD has arrived, before HOLDA does; ALIGN
#: and clocks in which the PHY is not ready aside.
_ANSWER = 2
#: Clocks from the latest word to the drive to the end of the next frame from it, at least.
_APART = 5


def simple_crc(crc, word):
    """In the place of the CRC."""
    return crc.rotate_left(1) ^ word


def simple_keystream(keystream):
    """In the place of the scrambler."""
    return keystream.rotate_left(1)


class Follower(wiring.Component):
    """Key and CRC of a frame on a line: ``step`` for each data dword, ``restart`` with SOF.

    ``good``: the dword before was the CRC of those before it.
    """

    restart: In(1)
    step: In(1)
    word: In(32)
    descrambled: Out(32)
    good: Out(1)
    keystream: Out(32, init=SCRAMBLER_SEED)
    crc: Out(32, init=CRC_SEED)

    def elaborate(self, platform):
        m = Module()
        keystream, crc = self.keystream, self.crc
        m.d.comb += self.descrambled.eq(self.word ^ keystream)
        with m.If(self.restart):
            m.d.sync += [keystream.eq(SCRAMBLER_SEED), crc.eq(CRC_SEED), self.good.eq(0)]
        with m.Elif(self.step):
            m.d.sync += [keystream.eq(simple_keystream(keystream)),
                         crc.eq(simple_crc(crc, self.descrambled)),
                         self.good.eq(self.descrambled == crc)]
        return m


def scene(h, **options):
    """A link with anything around it: PHY, drive, transport layer."""
    dut = h.dut(Link(crc_next=simple_crc, scrambler_next=simple_keystream, **options))
    phy = dut.phy
    h.drive(phy.tx_ready, phy.rx_data, phy.rx_k, phy.rx_valid, phy.rx_error, phy.link_up,
            dut.send.payload, dut.send.valid,
            dut.receive.accept, dut.receive.hold, dut.receive.escape)
    h.assume(phy.rx_k <= 1)
    taken = phy.tx_ready & phy.link_up
    out = LineRules(h, phy.tx_data, phy.tx_k, taken, first="SYNC", reset=~phy.link_up,
               after="SYNC", name="out")
    came = LineRules(h, phy.rx_data, phy.rx_k, phy.rx_valid & phy.link_up & ~phy.rx_error,
                reset=~phy.link_up, name="in")
    return dut, out, came, taken & ~out.align


def transmitter(h):
    """Frames to the drive."""
    m = h.m
    dut, out, came, passes = scene(h)
    phy, send = dut.phy, dut.send
    down = ~phy.link_up
    follower = h.dut(Follower(), "follower")
    data = passes & out.strobe & out.is_("DATA")
    m.d.comb += [follower.restart.eq(passes & out.is_("SOF")), follower.step.eq(data),
                 follower.word.eq(phy.tx_data)]

    accepted = send.valid & send.ready & phy.link_up
    inside = order(h, "payload", accepted, send.payload.word, data, follower.descrambled,
                   limit=1, clear=down, filler=1)
    # The CRC is what is on the line and was not accepted.
    crc_sent = Signal()
    with m.If(down | (passes & ~out.is_("DATA", "HOLD", "HOLDA"))):
        m.d.sync += crc_sent.eq(0)
    with m.Elif(data & (inside == 0)):
        m.d.sync += crc_sent.eq(1)
    h.check("one CRC, and nothing but EOF after it",
            ~(passes & crc_sent) | ~out.is_("DATA", "HOLD", "HOLDA"))
    h.check("EOF comes after the CRC only", ~(passes & out.is_("EOF")) | crc_sent)
    h.check("the CRC at EOF is that of the dwords before it",
            ~(passes & out.is_("EOF")) | follower.good)
    h.check("each accepted dword is on the line at once", ~passes | (inside == 0) | data)
    h.check("data within a frame only",
            ~(passes & out.is_("DATA")) | out.was("SOF", "DATA", "HOLD", "HOLDA"))
    h.check("SOF after X_RDY, and only when R_RDY has come",
            ~(passes & out.is_("SOF")) | out.was("X_RDY"))
    h.check("WTRM after EOF", ~(passes & out.is_("WTRM")) | out.was("EOF", "WTRM"))
    h.check("ok is R_OK", ~send.ok | came.was("R_OK"))

    h.cover("a frame of two dwords, HOLD and HOLDA in it, acknowledged",
            send.done & send.ok & h.ever(passes & out.is_("HOLDA") & out.was("DATA"))
            & h.ever(passes & out.is_("HOLD") & out.was("DATA")))
    h.cover("a frame that ends with DMAT", send.done & send.ok & h.ever(came.was("DMAT"))
            & ~h.ever(accepted & send.payload.last))


def _run(m, up, passes, condition, limit, name):
    """Dwords that have passed since ``condition`` holds without a break."""
    count = Signal(range(limit + 1), name=name)
    with m.If(~condition | ~up):
        m.d.sync += count.eq(0)
    with m.Elif(passes & (count != limit)):
        m.d.sync += count.eq(count + 1)
    return count


def between(h, sync_between_frames=True):
    """What passes between two frames, and how soon the next one is offered."""
    m = h.m
    dut, out, came, passes = scene(h, sync_between_frames=sync_between_frames)
    send = dut.send
    new = passes & out.strobe
    latest = Signal(5)      # what was sent before ``out.last``
    with m.If(~dut.phy.link_up):
        m.d.sync += latest.eq(CODE["SYNC"])
    with m.Elif(new):
        m.d.sync += latest.eq(out.last)
    if sync_between_frames:
        h.check("X_RDY follows SYNC", ~new | ~out.is_("X_RDY") | out.was("SYNC", "X_RDY"))
        h.check("R_RDY follows SYNC, or X_RDY when it gives way",
                ~new | ~out.is_("R_RDY") | out.was("SYNC", "X_RDY", "R_RDY"))
        h.cover("a single SYNC between R_OK and X_RDY", new & out.is_("X_RDY") & out.was("SYNC")
                & (latest == CODE["R_OK"]))
    else:
        h.cover("X_RDY right after R_OK", new & out.is_("X_RDY") & out.was("R_OK"))
    gone = Signal(range(_APART + 1), init=_APART)       # clocks since the latest word to the drive
    with m.If(send.valid & send.ready):
        m.d.sync += gone.eq(1)
    with m.Elif(gone != _APART):
        m.d.sync += gone.eq(gone + 1)
    h.check(f"a frame from the drive ends {_APART} clocks or more after the latest word to it",
            ~dut.receive.done | ((gone == _APART) & ~(send.valid & send.ready)))
    h.cover("a frame from the drive ends after words to it", dut.receive.done & dut.receive.ok
            & h.ever(send.valid & send.ready))
    offers = _run(m, dut.phy.link_up, passes, came.was("SYNC") & send.valid, 3, "offers")
    h.check("X_RDY within 3 dwords of SYNC when there is a frame to send",
            (offers != 3) | ~passes | out.is_("X_RDY"))
    # The turn-around: the SYNC came while R_OK or R_ERR was sent.
    turn = 2 if sync_between_frames else 1
    answered = Signal()
    with m.If(offers == 0):
        m.d.sync += answered.eq(out.is_("R_OK", "R_ERR"))
    h.check(f"X_RDY {'after one SYNC' if sync_between_frames else 'next'} when SYNC comes to R_OK "
            "or R_ERR", (offers != turn) | ~answered | ~passes | out.is_("X_RDY"))


def flow(h):
    """HOLD is answered, and SYNC or the loss of the link ends everything."""
    m = h.m
    dut, out, came, passes = scene(h)
    phy, send, receive = dut.phy, dut.send, dut.receive

    def run(condition, limit, name):
        return _run(m, phy.link_up, passes, condition, limit, name)

    held = run(came.was("HOLD"), _ANSWER, "held")
    asks = run(receive.hold, _ANSWER, "asks")
    # Of the dword at the port: the receiver asked for HOLD then, and was in a frame that continues.
    own_hold, inward = Signal(), Signal()
    with m.If(h.probe("dut.encoder.tx__advance")):
        m.d.sync += [
            own_hold.eq(receive.hold),
            inward.eq(h.probe("dut.receiver.in_frame") & ~came.was("EOF", "WTRM", "SYNC", "X_RDY")),
        ]
    answered = out.is_("HOLDA", "EOF", "WTRM", "DATA") | (out.is_("HOLD") & own_hold)
    h.check(f"{_ANSWER} dwords after HOLD at most, then HOLDA or the end of the frame",
            (held != _ANSWER) | ~passes | Mux(inward, answered, ~out.is_("HOLD", "R_IP")))
    payload = send.valid & send.ready & phy.link_up
    h.check("no payload goes out once HOLD has arrived", ~payload | ~came.was("HOLD"))

    h.check(f"HOLD within {_ANSWER} dwords when the receiver asks for it",
            (asks != _ANSWER) | ~passes | ~inward | out.is_("HOLD"))

    quiet = run(came.was("SYNC"), 4, "quiet")
    h.check("SYNC or X_RDY within 4 dwords after SYNC, whatever went on",
            (quiet != 4) | ~passes | out.is_("SYNC", "X_RDY"))
    fresh = Signal()        # the link has been down, and nobody has asked for a frame since then
    asked = send.valid | (phy.rx_valid & came.strobe & came.is_("X_RDY"))
    m.d.sync += fresh.eq(~phy.link_up | (fresh & ~asked))
    h.check("SYNC from the loss of the link on, until a frame is asked for", ~fresh | ~passes
            | out.is_("SYNC", "PMNAK") | asked)
    h.cover("HOLD, HOLDA and data again", h.ever(passes & out.is_("HOLDA") & out.was("DATA"))
            & passes & out.is_("DATA") & out.was("HOLDA"))
    h.cover("a frame abandoned by the drive", (quiet == 4) & h.ever(payload))
    h.cover("HOLD to the drive", inward & passes & out.is_("HOLD") & (asks == 1))


def receiver(h):
    """Frames from the drive."""
    m = h.m
    dut, out, came, passes = scene(h)
    phy, receive = dut.phy, dut.receive
    h.assume(~(receive.accept & receive.escape))
    arrives = phy.rx_valid & phy.link_up & ~phy.rx_error
    data = arrives & came.strobe & came.is_("DATA")
    # One clock later than the port, as the decoder is.
    follower = h.dut(Follower(), "follower")
    m.d.comb += [
        follower.restart.eq(h.past(arrives & came.strobe & came.is_("SOF") & came.was("X_RDY"))),
        follower.step.eq(h.past(data)), follower.word.eq(h.past(phy.rx_data)),
    ]
    in_frame = h.probe("dut.receiver.in_frame")
    h.lemma("keystream and CRC are those of the frame", ~in_frame | h.past(~phy.link_up) | (
        (h.probe("dut.crc_scrambler.keystream", 32) == follower.keystream)
        & (h.probe("dut.crc_scrambler.crc", 32) == follower.crc)))

    h.check("one thing is sent at a time, or SYNC",
            one_hot_or_none(h.probe("dut.encoder.tx__send", TxPrimitive.as_shape().size)))
    within = Signal()       # the transport layer is in a frame
    with m.If(~phy.link_up | receive.done):
        m.d.sync += within.eq(0)
    with m.Elif(receive.start):
        m.d.sync += within.eq(1)
    fresh = h.past(follower.step)
    h.check("words within a frame only", ~receive.valid | within)
    h.check("each word is the data dword that was decoded in the clock before",
            ~receive.valid | (fresh & (receive.word == h.past(follower.descrambled))))
    h.check("each data dword of a frame is a word",
            ~fresh | ~within | receive.valid | receive.done | h.past(~phy.link_up))
    h.check("frames do not overlap", ~receive.start | ~within | receive.done)
    h.check("ok for a frame with a good CRC only",
            ~(receive.done & receive.ok) | follower.good)
    h.check("ok for an accepted frame only",
            ~(receive.done & receive.ok) | h.past(receive.accept))
    shows = ~out.align & out.is_("R_OK") & phy.link_up
    pending = Signal()      # the last frame was ok
    with m.If(receive.start | ~phy.link_up):
        m.d.sync += pending.eq(0)
    with m.Elif(receive.done):
        m.d.sync += pending.eq(receive.ok)
    h.check("R_OK after a frame that was ok only",
            ~shows | h.past(shows) | pending | (receive.done & receive.ok))
    h.cover("a frame of three dwords with a good CRC",
            receive.done & receive.ok & (receive.count == 3))
    h.cover("a frame with a bad CRC", receive.done & ~receive.ok & (receive.count == 3))
    h.cover("R_OK", shows)
