"""One side of a link as its dwords show it (Serial ATA Revision 3.x, link layer state diagrams).

The phases are what an observer can know of the states: a sender's idle, offer, frame, its end and
wait; a receiver's ready, receiving and answer; power requests and their denial.
"""

from enum import Enum

from ..protocol.frame import decode
from ..protocol.primitives import (DATA, DMAT, EOF, HOLD, HOLDA, NONE, PMACK, PMNAK, PMREQ_P,
                                   PMREQ_S, R_ERR, R_IP, R_OK, R_RDY, SOF, SYNC, WTRM, X_RDY)
from ..protocol.rules import HOLD_LATENCY, HOST, MAX_FRAME, Rule
from .decoder import Decoder, label

Phase = Enum("Phase", "IDLE OFFER FRAME ENDED WAIT READY RECEIVING ANSWER POWER DENIAL")
IDLE, OFFER, FRAME, ENDED, WAIT, READY, RECEIVING, ANSWER, POWER, DENIAL = Phase

_REPLIES = {R_OK: ANSWER, R_ERR: ANSWER, SYNC: IDLE}
#: Phase -> symbol -> the phase that it leads to. All else is a violation.
_NEXT = {
    IDLE: {SYNC: IDLE, X_RDY: OFFER, R_RDY: READY, PMREQ_P: POWER, PMREQ_S: POWER, PMNAK: DENIAL,
           PMACK: DENIAL},
    OFFER: {X_RDY: OFFER, SOF: FRAME, R_RDY: READY, SYNC: IDLE},
    FRAME: {DATA: FRAME, HOLD: FRAME, HOLDA: FRAME, EOF: ENDED, SYNC: IDLE},
    ENDED: {WTRM: WAIT, SYNC: IDLE},
    WAIT: {WTRM: WAIT, SYNC: IDLE},
    READY: {R_RDY: READY, R_IP: RECEIVING, HOLD: RECEIVING, HOLDA: RECEIVING, DMAT: RECEIVING,
            **_REPLIES},
    RECEIVING: {R_IP: RECEIVING, HOLD: RECEIVING, HOLDA: RECEIVING, DMAT: RECEIVING, **_REPLIES},
    ANSWER: {R_OK: ANSWER, R_ERR: ANSWER, SYNC: IDLE},
    POWER: {PMREQ_P: POWER, PMREQ_S: POWER, R_RDY: READY, SYNC: IDLE},
    DENIAL: {PMNAK: DENIAL, PMACK: DENIAL, X_RDY: OFFER, R_RDY: READY, SYNC: IDLE},
}
#: Where a symbol leads that came against the rules.
_ANYWAY = {SYNC: IDLE, X_RDY: OFFER, SOF: FRAME, EOF: ENDED, WTRM: WAIT, R_RDY: READY,
           R_IP: RECEIVING, R_OK: ANSWER, R_ERR: ANSWER, PMREQ_P: POWER, PMREQ_S: POWER,
           PMNAK: DENIAL, PMACK: DENIAL}
#: Rules of their own for some of these.
_RULES = {(FRAME, WTRM): Rule.WTRM_WITHOUT_EOF, (ENDED, X_RDY): Rule.X_RDY_WITHOUT_SYNC,
          (WAIT, X_RDY): Rule.X_RDY_WITHOUT_SYNC, (ANSWER, X_RDY): Rule.X_RDY_AFTER_ANSWER}


class LinkSide(Decoder):
    """Follows one side of the link, and holds it against the link layer's rules.

    Parameters: ``direction`` `HOST` or `DEVICE`; ``violate(rule, detail)``; ``limit`` dwords within
    which it must answer; ``sent(side, fis, fault)`` is called at the end of each frame and reports
    what is wrong with it, ``fault`` being what the link has found, ``answered(side, accepted)``
    when this side answers a frame. Member: ``other`` the other side.
    """

    def __init__(self, direction, violate, limit, sent, answered):
        super().__init__(violate, slack=limit)
        self.direction = direction
        self.other = None
        self.phase = IDLE
        self.offering = False       # it has sent X_RDY, and its frame has no answer yet
        self.requested = False      # it has sent PMREQ_P or PMREQ_S, and has no answer yet
        self.fault = None           # of the latest frame of this side: a text, or None
        self.ended = False          # a frame of this side waits for its answer
        self._limit = limit
        self._sent, self._answered = sent, answered
        self._before = SYNC         # symbol before this one
        self._words = []            # of the frame
        self._invited = False       # R_RDY came after our X_RDY
        self._asked = -1 << 60      # when the other side sent HOLD last
        self._held = 0              # dwords since its HOLD began; 0: none, or reported
        self._clash = 0             # dwords of X_RDY against X_RDY

    def follow(self):
        """The rules, after both sides have taken their dwords of a clock."""
        symbol = self.symbol
        if symbol == NONE:
            return
        self._collision(symbol)
        self._move(symbol)
        self._hold(symbol)
        self._before = symbol

    def _move(self, symbol):
        phase = self.phase
        following = _NEXT[phase].get(symbol)
        rule = None
        if following is None:
            rule = _RULES.get((phase, symbol), Rule.STATE)
            following = _ANYWAY.get(symbol, phase)
        elif symbol != self._before:
            rule = self._cause(symbol)
        if rule and symbol != self._before:
            detail = f"{label(symbol)} after {label(self._before)}"
            self._violate(rule, detail if rule is Rule.STATE else "")
        self.phase = following
        if symbol == EOF and phase is FRAME:
            self._frame()
        if symbol != self._before or symbol == SOF:
            self._enter(symbol)
        if symbol == DATA and following is FRAME:
            self._words.append(self.word & 0xFFFFFFFF)

    def _cause(self, symbol):
        """The rule that is broken where the other side gave no cause for this symbol."""
        other = self.other
        if symbol in (PMREQ_P, PMREQ_S):
            return Rule.POWER_REQUEST if self.direction == HOST else None
        if symbol == SOF:
            heard = self._invited
        elif symbol == R_RDY:
            heard = other.offering
        elif symbol == R_IP:
            heard = other.phase in (FRAME, ENDED, WAIT) or other.ended
        elif symbol in (R_OK, R_ERR):
            heard = other.ended or symbol == R_ERR and other.phase is WAIT
        elif symbol in (PMACK, PMNAK):
            heard = other.requested
        else:
            return None
        return None if heard else Rule.STATE

    def _enter(self, symbol):
        """A new symbol: what the other side may do because of it, and what is over."""
        other = self.other
        if symbol == X_RDY:
            self.offering, self._invited = True, False
        elif symbol == R_RDY:
            other._invited = True
        elif symbol == SOF:
            self._words = []
            self.ended = False
        elif symbol in (R_OK, R_ERR):
            if other.ended:
                if symbol == R_OK and other.fault:
                    self._violate(Rule.ACCEPTED_FAULT, other.fault)
                self._answered(self, symbol == R_OK and not other.fault)
            other.ended = other.offering = False
        elif symbol in (PMREQ_P, PMREQ_S):
            self.requested = True
        elif symbol in (PMACK, PMNAK):
            other.requested = False
        elif symbol == SYNC and self._before in (R_IP, HOLD, HOLDA, R_RDY, DMAT):
            other.offering = False      # it leaves the frame

    def _frame(self):
        """EOF: the whole frame."""
        words, self._words = self._words, []
        fis, good = decode(words[:MAX_FRAME])
        self.fault = None
        if len(words) > MAX_FRAME:
            self._violate(Rule.FRAME_LENGTH, str(len(words)))
            self.fault = "length"
        elif not good:
            self._violate(Rule.CRC, str(len(words)))
            self.fault = "CRC"
        self.fault = self._sent(self, fis, self.fault)
        self.ended = True

    def _hold(self, symbol):
        """The answer to the other side's HOLD: HOLDA, or HOLD, and no more data."""
        other = self.other
        if symbol != HOLD:
            other._held = 0
        else:
            other._asked = other.count
            if self._before != HOLD:
                other._held = 1
        if self._held == 0:
            if symbol == HOLDA and self._before != HOLDA and \
                    self.count - self._asked > 2 * HOLD_LATENCY + self._limit:
                self._violate(Rule.HOLDA_WITHOUT_HOLD)
            return
        self._held += 1
        if self._held > self._limit + 2 and (
                symbol in (R_IP, R_RDY) or symbol == DATA and self.phase is FRAME):
            self._violate(Rule.HOLD_NOT_OBEYED, str(HOLD_LATENCY))
            self._held = 0

    def _collision(self, symbol):
        """Of two X_RDY the host gives way."""
        both = symbol == self.other.current == X_RDY and self.direction == HOST
        self._clash = self._clash + 1 if both else 0
        if self._clash == self._limit + 1:
            self._violate(Rule.X_RDY_KEPT)
