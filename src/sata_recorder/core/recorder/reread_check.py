"""Whether a command that is read again brings the same words as were delivered before."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["RereadCheck"]

#: A word is a polynomial over GF(2), taken modulo x^32 + x^22 + x^2 + x + 1, which is primitive.
_TERMS = (22, 2, 1, 0)
#: A word counts x^7 times as much as the one after it. The powers of x^7 repeat after 2^32 - 1
#: words only, and a product with it is small in hardware, unlike a step of CRC-32 with 32 bits.
_SHIFT = 7


def _next(digest, word):
    """The digest of words and one more."""
    beyond = digest[32 - _SHIFT:]
    following = (digest << _SHIFT)[:32] ^ word
    for term in _TERMS:
        following ^= beyond << term
    return following[:32]


class RereadCheck(wiring.Component):
    """Compares the words of a command that is read again with those that were delivered before.

    The user gets only the words that follow those already delivered. A drive that sent a word too many,
    or a Data FIS twice, and then lost its link would thus leave its mistake in the delivered words: this
    is found here. A digest of the words delivered in a command is kept until it is completed; after
    as many words of the repetition the two digests must be equal. Other words have the same digest
    in one case of 2^32.
    Latency: ``failed`` rises one clock after the ``verified`` of the last word compared.

    Parameters
    ----------
    verify : bool           Whether words of a playback are delivered when they are good, not when
                            they come.

    Members
    -------
    begin : In(1)           An operation has begun; no word has come yet.
    command, completed, verified, reread : In(1)    See :class:`..drive_port.DrivePort`.
    rewound : In(1)         The command has failed, and its last word has come.
    moved : In(1)           A word has come.
    word : In(32)           With ``moved``: the word.
    repeated : In(1)        The next word that comes has been delivered before.
    differs : Out(1)        Other words came than had been delivered. They are not known to be good
                            before ``verified``; what came after them must not be delivered.
    failed : Out(1)         ``differs``, and the words were found good. It stays until ``rewound``.
    """

    def __init__(self, *, verify):
        self._verify = verify
        super().__init__({
            "begin": In(1), "command": In(1), "completed": In(1), "verified": In(1),
            "reread": In(1), "rewound": In(1), "moved": In(1), "word": In(32), "repeated": In(1),
            "differs": Out(1), "failed": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        came = Signal(32)           # the digest of the words that came with this command
        delivered = Signal(32)      # of those that were delivered
        known = Signal()            # it is that of the command in flight from its beginning on
        elsewhere = Signal()        # the next command does not begin where the failed one did
        arrived = Signal()          # a word came a clock ago
        repeats = Signal()          # it had been delivered before
        forgets = self.begin | self.completed
        command = Signal()          # one began a clock ago: that is known late in a clock
        m.d.sync += command.eq(self.command)
        with m.If(forgets | self.rewound):
            m.d.sync += came.eq(0)
        with m.Elif(self.moved):
            m.d.sync += came.eq(_next(came, self.word))
        m.d.sync += [arrived.eq(self.moved), repeats.eq(self.repeated)]

        # A command that begins elsewhere counts from its own beginning.
        with m.If(forgets | self.reread):
            m.d.sync += elsewhere.eq(0)
        with m.Elif(self.rewound):
            m.d.sync += elsewhere.eq(1)
        with m.Elif(command):
            m.d.sync += elsewhere.eq(0)

        with m.If(forgets):
            m.d.sync += [delivered.eq(0), known.eq(1)]
        with m.Elif((self.verified & ~self.repeated if self._verify else arrived & ~repeats) & ~self.differs):
            m.d.sync += [delivered.eq(came), known.eq(1)]
        with m.Elif(command & elsewhere):
            m.d.sync += known.eq(0)

        with m.If(forgets | self.rewound):
            m.d.sync += [self.differs.eq(0), self.failed.eq(0)]
        with m.Else():
            # The last of them.
            with m.If(arrived & repeats & ~self.repeated & known):
                m.d.sync += self.differs.eq(came != delivered)
            with m.If(self.verified & self.differs):
                m.d.sync += self.failed.eq(1)
        return m
