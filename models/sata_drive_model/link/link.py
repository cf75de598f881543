"""The device's link layer, one dword a call (Serial ATA Revision 3.x, link layer state diagrams).

One file of plain ints and arrays: link.pxd beside it states how it is compiled. The short way through
long runs of data, or of one primitive, is here in one class.
"""

from array import array

from ..behaviour import NEVER, pick
from ..protocol.frame import decode
from ..protocol.primitives import (ALIGN, DMAT, EOF, HOLD, HOLDA, K, PMNAK, PMREQ_P, PMREQ_S, R_ERR,
                                   R_IP, R_OK, R_RDY, SOF, SYNC, WTRM, X_RDY)
from ..protocol.rules import HOLD_LATENCY, MAX_FRAME, Rule
from ..protocol.scrambler import JUNK
from .sending import SendStates
from .states import (DATA_DWORD, ESCAPE, IDLE, NOTHING, POWER, RECEIVE_END, RECEIVE_EOF,
                     RECEIVE_RDY, RECEIVE_WAIT, RECEIVING, SENDING, SEND_RDY, SEND_WAIT)

_JUNK = array("I", JUNK)
_SLOW, _RECEIVE, _SEND, _STEADY = range(4)


class DriveLink(SendStates):
    """Device link state machine with registered output.

    Parameters: ``drive`` with link_plan_receive(), link_plan_frame(), link_received(fis, good),
    link_aborted(dwords), link_sends(frame), link_sent(frame, outcome: True, False or None for SYNC
    escape), link_idle(); ``behaviour``; ``rng``; ``round_trip`` extra dwords of delay between the
    two sides, added to every limit. Members: ``now`` dwords since start, ``violations`` of the host,
    ``overrun`` most dwords received after a HOLD, ``collisions``, ``host_escapes``.
    """

    __slots__ = ("mode", "steady", "junk", "same", "dword", "next_align", "align_left", "buffer",
                 "length", "dmat_at", "verdict")

    def __init__(self, drive, behaviour, rng, round_trip=0):
        super().__init__(drive, behaviour, rng, round_trip)
        self.reset()

    def reset(self):
        """State after a COMRESET: idle, nothing queued, the host's first ALIGN not yet due."""
        self._reset_coder()
        self._reset_sending()
        self.align_left = 2     # a pair first: the host's receiver finds the word boundary
        self.next_align = NEVER
        self.buffer = array("I", bytes(4 * MAX_FRAME))
        self.length = 0         # dwords of the frame so far, of which the buffer keeps MAX_FRAME
        self.dmat_at = NEVER
        self.verdict = False
        self.mode = _SLOW
        self.steady = SYNC
        self.junk = False
        self.same = NOTHING
        self.dword = 0

    def give_up(self, *, escape_at=None, stuck_at=None, dmat_at=None):
        """Places in the host's frame, in dwords received, from which on the drive sends SYNC, HOLD
        forever, or DMAT; None leaves one as it is."""
        if escape_at is not None:
            self.escape_at = escape_at
        if stuck_at is not None:
            self.stuck_at = stuck_at
        if dmat_at is not None:
            self.dmat_at = dmat_at

    # The dword clock ----------------------------------------------------------------------------

    def step(self, rx: int) -> int:
        """Take the host's dword of this clock, ``rx``, return the drive's dword of the next: 32 bits, and which bytes
        are control characters in bits 35:32."""
        now = self.now = self.now + 1
        if now < self.event_at:
            mode = self.mode
            if mode == _RECEIVE:
                if rx < K:
                    length = self.length
                    self.buffer[length] = rx
                    self.length = length + 1
                    return _JUNK[now & 4095] if self.junk else self.steady
            elif rx == self.same or rx < K and self.cont:
                if mode == _SEND:
                    index = self.index
                    self.index = index + 1
                    return self.words[index]
                return _JUNK[now & 4095] if self.junk else self.steady
        return self._slow(rx)

    def _slow(self, rx):
        self.event_at = 0
        self.dword = rx
        symbol = self._decode(rx)
        if symbol != NOTHING:
            if self.hold_left or not self.hold_answered:
                self._watch_hold(symbol)
            self._react(symbol)
        if self.align_left == 0 and self.now >= self.next_align:
            self.align_left = 2
        if self.align_left:
            self.align_left -= 1
            if self.hold_left:
                self.hold_left -= 1     # a HOLD is no longer for the ALIGN in it
            if self.align_left == 0:
                # One dword at least: a drive that sends nothing but ALIGN never gets to speak.
                self.next_align = self.now + 1 + max(1, pick(self.rng,
                                                             self.behaviour.align_interval))
            return ALIGN
        word = self._compress(self._emit())
        self._settle()
        return word

    def _settle(self):
        """Decide whether the coming dwords may take the short way, and until when."""
        until = min(self.next_align, self.align_deadline, self.timer)
        mode = _SLOW
        state = self.state
        # A run of this primitive has reached its end form: junk after CONT, or the primitive
        # itself.
        constant = self.tx_count > self.tx_cont_at or self.tx_count and self.tx_cont_at == NEVER
        if state == RECEIVING:
            received = self.length
            if (self.last == 0 and self.hold_left == 0 and constant
                    and self.hold_answered and received < MAX_FRAME):
                mode = _RECEIVE
                until = min(until, self.now - received + min(
                    self.next_hold, self.escape_at, self.stuck_at, self.dmat_at, MAX_FRAME))
        elif self.repeat < 2:
            pass
        elif state == SENDING:
            if (self.tx_last == 0 and self.hold_left == 0 and self.holda_at == NEVER
                    and self.index > 0 and self.hold_answered):
                mode = _SEND
                limit = min(self.next_hold, self.escape_at, self.stuck_at, len(self.words) - 1)
                until = min(until, self.now + 1 + limit - self.index)
        elif constant and self.hold_answered:
            mode = _STEADY
            if state == IDLE:
                until = min(until, self.queue[0].ready_at if self.queue else self.idle_event)
            elif state == SEND_RDY and self.last == X_RDY:
                until = min(until, self.grace + 1)
        self.mode = mode
        self.same = NOTHING if self.cont else self.last
        self.junk = self.tx_count > self.tx_cont_at
        self.steady = self.tx_last
        # After an ALIGN the next dword decides whether it was one of a pair.
        self.event_at = until if mode != _SLOW and self.aligns == 0 else 0

    # What comes in --------------------------------------------------------------------------------

    def _react(self, symbol):
        state = self.state
        if state == RECEIVING:
            self._in_receiving(symbol)
        elif state == SENDING:
            self._in_sending(symbol)
        elif state == IDLE:
            self._in_idle(symbol)
        elif state == SEND_RDY:
            self._in_send_rdy(symbol)
        elif state == SEND_WAIT:
            self._in_send_wait(symbol)
        elif state == RECEIVE_WAIT:
            self._in_receive_wait(symbol)
        elif state == RECEIVE_RDY:
            self._in_receive_rdy(symbol)
        elif state == RECEIVE_EOF:
            self._in_receive_eof(symbol)
        elif state == RECEIVE_END:
            self._in_receive_end(symbol)
        elif state == POWER:
            self._in_power(symbol)
        elif state == ESCAPE and symbol in (SYNC, X_RDY):
            self._to_idle(grace=False)
            self._in_idle(symbol)

    def _in_idle(self, symbol):
        if symbol == X_RDY:
            delay = self.drive.link_plan_receive()
            if delay is None:           # our own frame starts in the same cycle
                self.collisions += 1
                self._start_send()
            else:
                self.state = RECEIVE_WAIT
                self.timer = self.now + delay
        elif symbol in (PMREQ_P, PMREQ_S):
            self.violate(Rule.POWER_REQUEST)
        elif symbol != SYNC:
            self._unexpected(symbol)

    def _in_receive_wait(self, symbol):
        if symbol == SYNC:
            self._to_idle()
        elif symbol != X_RDY:
            self._unexpected(symbol)

    def _in_receive_rdy(self, symbol):
        if symbol == SOF:
            self.state = RECEIVING
            self.length = 0
            self.hold_left = 0
            self.holda_at = NEVER
            self.drive.link_plan_frame()
            self.holds.sort(reverse=True)
            self.next_hold = self.holds[-1][0] if self.holds else NEVER
        elif symbol == SYNC:
            self._to_idle()
        elif symbol != X_RDY:
            self._unexpected(symbol)
            self._to_idle()

    def _in_receiving(self, symbol):
        if symbol == DATA_DWORD:
            self.holda_at = NEVER
            if self.length < MAX_FRAME:
                self.buffer[self.length] = self.dword
            self.length += 1
        elif symbol == HOLD:
            if self.holda_at == NEVER:
                self.holda_at = self.now + pick(self.rng, self.behaviour.holda_delay)
        else:
            self.holda_at = NEVER
            if symbol == HOLDA:
                if self.now > self.hold_since + 2 * HOLD_LATENCY + self.round_trip:
                    self.violate(Rule.HOLDA_WITHOUT_HOLD)
                    self.hold_since = self.now
            elif symbol == EOF:
                self._end_receive()
            elif symbol == SYNC:
                self._to_idle()
                self.host_escapes += 1
                self.drive.link_aborted(self.length)
            elif symbol == WTRM:
                self.violate(Rule.WTRM_WITHOUT_EOF)
                self.verdict = False
                self.state = RECEIVE_END
                self.drive.link_aborted(self.length)
            elif symbol != SOF or self.length:
                self._unexpected(symbol)

    def _end_receive(self):
        length = self.length
        fis, good = decode(memoryview(self.buffer)[:min(length, MAX_FRAME)].tobytes())
        self.hold_left = 0
        self.hold_answered = True
        if length > MAX_FRAME:
            self.violate(Rule.FRAME_LENGTH, str(length))
            good = False
        elif not good:
            self.violate(Rule.CRC, str(length))
        self.state = RECEIVE_EOF
        self.verdict, delay = self.drive.link_received(fis, good)
        self.timer = self.now + delay

    def _in_receive_eof(self, symbol):
        if symbol == SYNC:
            self.host_escapes += 1
            self._to_idle()
        elif symbol != WTRM:
            self._unexpected(symbol)

    def _in_receive_end(self, symbol):
        if symbol == SYNC:
            self._to_idle(grace=False)
        elif symbol == X_RDY:
            self.violate(Rule.X_RDY_WITHOUT_SYNC)
            self._to_idle()
        elif symbol != WTRM:
            self._unexpected(symbol)

    def _in_power(self, symbol):
        if symbol == PMNAK:
            self._to_idle()
            self.drive.link_sent(self.frame, True)
        elif symbol == X_RDY:       # the host has a frame: give up the request
            self._to_idle()
            self.drive.link_sent(self.frame, False)
            self._in_idle(symbol)
        elif symbol != SYNC:
            self._unexpected(symbol)

    # What goes out --------------------------------------------------------------------------------

    def _emit(self):
        state = self.state
        now = self.now
        if state == SENDING:
            return self._emit_frame()
        if state == RECEIVING:
            return self._emit_receiving()
        if state == IDLE:
            if self.queue and self.idle_sent and self.queue[0].ready_at <= now:
                self._start_send()
                return self.power if self.state == POWER else X_RDY
            if not self.queue and now >= self.idle_event:
                self.idle_event = now + self.drive.link_idle(over=True)
            self.idle_sent = True
            return SYNC
        if state == SEND_RDY:
            if now < self.timer:
                return X_RDY
            self.timer = NEVER
            self.state = SENDING
            return self._emit_frame()
        if state == RECEIVE_WAIT:
            if now < self.timer:
                return SYNC
            self.timer = NEVER
            self.state = RECEIVE_RDY
            return R_RDY
        if state == RECEIVE_EOF:
            if now < self.timer:
                return R_IP
            self.timer = NEVER
            self.state = state = RECEIVE_END
        if state == RECEIVE_END:
            return R_OK if self.verdict else R_ERR
        return (R_RDY if state == RECEIVE_RDY else WTRM if state == SEND_WAIT else
                self.power if state == POWER else SYNC)

    def _emit_receiving(self):
        received = self.length
        if self.hold_left:
            return self._emit_hold()
        if received >= self.escape_at:
            self._to_idle()
            self.drive.link_aborted(received)
            self.state = ESCAPE
            return SYNC
        if received >= self.stuck_at:
            self._start_hold(NEVER)
            return self._emit_hold()
        if received >= self.dmat_at:
            self.dmat_at = NEVER
            return DMAT
        if received >= self.next_hold:
            length = self.holds.pop()[1]
            self.next_hold = self.holds[-1][0] if self.holds else NEVER
            self._start_hold(length)
            return self._emit_hold()
        self.hold_answered = True
        return HOLDA if self.now >= self.holda_at else R_IP
