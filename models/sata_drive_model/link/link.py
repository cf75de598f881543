"""The device's link layer, one dword a call (Serial ATA Revision 3.x, link layer state diagrams).

One file of plain ints and arrays: link.pxd beside it says how it is compiled. Violations of the host
are recorded, never raised.
"""

from array import array
from typing import NamedTuple

from ..behaviour import NEVER, pick
from ..protocol.frame import decode, scrambled
from ..protocol.primitives import (ALIGN, CONT, CONTINUABLE, DMAT, EOF, HOLD, HOLDA, K, NAMES,
                                   PMNAK, PMREQ_P, PMREQ_S, R_ERR, R_IP, R_OK, R_RDY, SOF, SYNC,
                                   WTRM, X_RDY, name)
from ..protocol.scrambler import JUNK
from .frame import Frame

_JUNK = array("I", JUNK)

(IDLE, SEND_RDY, SENDING, SEND_WAIT, RECEIVE_WAIT, RECEIVE_RDY, RECEIVING, RECEIVE_EOF, RECEIVE_END,
 POWER, DEAD, ESCAPE) = range(12)
STATES = ("IDLE", "SEND_RDY", "SENDING", "SEND_WAIT", "RECEIVE_WAIT", "RECEIVE_RDY", "RECEIVING",
          "RECEIVE_EOF", "RECEIVE_END", "POWER", "DEAD", "ESCAPE")

#: Dword times in which a HOLD must be answered (Serial ATA Revision 3.x, link layer, flow control).
HOLD_LATENCY = 20
#: Dwords between two ALIGN pairs: a pair in every 256.
ALIGN_DISTANCE = 254
#: A broken host makes one in every few dwords.
MAX_VIOLATIONS = 1000
MAX_FRAME = 2050    # header, 2048 dwords, CRC
_NONE = -1          # nothing learned (ALIGN)
_DATA = -2          # a data dword
_SLOW, _RECEIVE, _SEND, _STEADY = range(4)
_NOTHING = array("I")


class Violation(NamedTuple):
    """What the host did against the specification, and when."""

    clock: int
    what: str


class DriveLink:
    """Device link state machine with registered output.

    Parameters: ``drive`` with link_plan_receive(), link_received(fis, good), link_aborted(dwords),
    link_sent(frame, outcome: True, False or None for SYNC escape), link_idle(); ``behaviour``;
    ``rng``; ``round_trip`` extra dwords of delay between the two sides, added to every limit.
    Members: ``now`` dwords since start, ``violations``, ``overrun`` most dwords received after a
    HOLD, ``collisions``, ``host_escapes``.
    """

    __slots__ = ("drive", "behaviour", "rng", "round_trip", "violations", "clock_of", "now",
                 "event_at", "mode", "steady", "junk", "state", "last", "repeat", "cont", "aligns",
                 "align_deadline", "next_align", "align_left", "tx_last", "tx_count", "tx_cont_at",
                 "queue", "idle_sent", "timer", "grace", "frame", "words", "index", "next_hold",
                 "hold_left", "holda_at", "hold_ticks", "hold_answered", "hold_since",
                 "after_hold", "buffer", "length", "holds", "verdict", "escape_at", "stuck_at",
                 "dmat_at", "same", "dword", "overrun", "collisions", "host_escapes", "idle_event",
                 "power")

    def __init__(self, drive, behaviour, rng, round_trip=0):
        self.drive = drive
        self.behaviour = behaviour
        self.rng = rng
        self.round_trip = round_trip
        self.violations = []
        self.clock_of = None
        self.now = 0
        self.overrun = 0
        self.collisions = 0
        self.host_escapes = 0
        self.reset()

    def reset(self):
        """State after a COMRESET: idle, nothing queued, the host's first ALIGN not yet due."""
        self.state = IDLE
        self.queue = []
        self.last = SYNC
        self.repeat = 0
        self.cont = False
        self.aligns = 0
        self.align_deadline = self.now + ALIGN_DISTANCE + self.round_trip + 3
        self.align_left = 2     # a pair first: the host's receiver finds the word boundary
        self.next_align = NEVER
        self.tx_last = 0
        self.tx_count = 0
        self.tx_cont_at = NEVER
        self.idle_sent = False
        self.idle_event = NEVER
        self.timer = NEVER
        self.grace = self.now + HOLD_LATENCY + self.round_trip
        self.frame = None
        self.words = _NOTHING   # of the frame, with places for SOF and EOF
        self.index = 0
        self.hold_left = 0
        self.next_hold = NEVER
        self.hold_answered = True
        self.hold_ticks = 0
        self.hold_since = -NEVER
        self.after_hold = 0
        self.holda_at = NEVER
        self.buffer = array("I", bytes(4 * MAX_FRAME))
        self.length = 0         # dwords of the frame so far, of which the buffer keeps MAX_FRAME
        self.holds = []
        self.escape_at = self.stuck_at = self.dmat_at = NEVER
        self.power = 0
        self.verdict = False
        self.event_at = 0
        self.mode = _SLOW
        self.steady = SYNC
        self.junk = False
        self.same = _NONE
        self.dword = 0

    # The dword clock ----------------------------------------------------------------------------

    def step(self, rx: int) -> int:
        """Take the host's dword of this clock, return the drive's dword of the next."""
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
        if symbol != _NONE:
            if self.hold_left or not self.hold_answered:
                self._watch_hold(symbol)
            self._react(symbol)
        if self.align_left == 0 and self.now >= self.next_align:
            self.align_left = 2
        if self.align_left:
            self.align_left -= 1
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
        self.same = _NONE if self.cont else self.last
        self.junk = self.tx_count > self.tx_cont_at
        self.steady = self.tx_last
        # After an ALIGN the next dword decides whether it was one of a pair.
        self.event_at = until if mode != _SLOW and self.aligns == 0 else 0

    def _decode(self, rx):
        """The meaning of a received dword with CONT expanded; checks coding, ALIGN and CONT."""
        if rx == ALIGN:
            self.aligns += 1
            if self.aligns & 1 == 0:
                self.align_deadline = self.now + ALIGN_DISTANCE + 1
            return _NONE
        if self.aligns & 1:
            self.violate("ALIGN not in pairs")
        self.aligns = 0
        if self.now >= self.align_deadline:
            self.violate(f"more than {ALIGN_DISTANCE} dwords without an ALIGN pair")
            self.align_deadline = self.now + ALIGN_DISTANCE
        if rx < K:
            if self.cont:
                return self.last
            self.last = self.repeat = 0
            return _DATA
        if rx == CONT:
            if self.repeat < 2 or self.cont:
                self.violate(f"CONT after {self.repeat} x {name(self.last)}"
                             + (" and CONT" if self.cont else ""))
            elif self.last not in CONTINUABLE:
                self.violate(f"CONT after {name(self.last)}")
            self.cont = True
            return self.last or _DATA
        if rx not in NAMES:
            self.violate("control character outside byte 0" if rx >> 33 else
                         f"unknown primitive {rx & 0xFFFFFFFF:08X}")
            return _NONE
        self.repeat = self.repeat + 1 if rx == self.last and not self.cont else 1
        self.last = rx
        self.cont = False
        return rx

    def _compress(self, word):
        """Repeated primitive suppression: the word itself, CONT, or junk."""
        if word < K or word not in CONTINUABLE:
            self.tx_last = 0
            self.tx_count = 0
            return word
        if word != self.tx_last:
            self.tx_last = word
            self.tx_count = 0
            behaviour = self.behaviour
            may = behaviour.cont_hold or word not in (HOLD, HOLDA)
            self.tx_cont_at = NEVER
            if may and (behaviour.cont == 1.0 or self.rng.random() < behaviour.cont):
                self.tx_cont_at = max(2, pick(self.rng, behaviour.cont_after))
        count = self.tx_count
        self.tx_count = count + 1
        if count < self.tx_cont_at:
            return word
        return CONT if count == self.tx_cont_at else _JUNK[self.now & 4095]

    # What the drive asks for ----------------------------------------------------------------------

    def send(self, frame: Frame):
        """Queue a frame; it goes out when its time has come and the link is idle."""
        self.queue.append(frame)
        self.event_at = 0

    def violate(self, what: str):
        """Record a violation of the host."""
        if len(self.violations) < MAX_VIOLATIONS:
            self.violations.append(Violation(self.clock_of() if self.clock_of else self.now, what))

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

    def _unexpected(self, symbol):
        if self.now > self.grace:
            what = "data dword" if symbol == _DATA else name(symbol)
            self.violate(f"{what} while the drive is in {STATES[self.state]}")
            self.grace = self.now + HOLD_LATENCY + self.round_trip   # one record for a run of them

    def _to_idle(self, grace=True):
        self.state = IDLE
        self.idle_sent = False  # one SYNC goes out before anything else
        self.idle_event = self.now + self.drive.link_idle()
        self.timer = NEVER
        self.hold_left = 0
        self.hold_answered = True
        if grace:
            self.grace = self.now + HOLD_LATENCY + self.round_trip

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
            self.violate("power request from the host")
        elif symbol != SYNC:
            self._unexpected(symbol)

    def _start_send(self):
        self.frame = frame = self.queue.pop(0)
        self.timer = NEVER
        if frame.words is None:
            self.state = POWER
            self.power = frame.primitive
            return
        self.state = SEND_RDY
        self.grace = self.now + HOLD_LATENCY + self.round_trip
        self.words = frame.words
        self.index = 0
        self.hold_left = 0
        self.holda_at = NEVER
        self.holds = sorted(frame.holds, reverse=True)
        self.next_hold = self.holds[-1][0] if self.holds else NEVER
        self.escape_at = self.stuck_at = NEVER
        if frame.stop_at is not None:
            if frame.vanish:
                self.stuck_at = frame.stop_at
            else:
                self.escape_at = frame.stop_at

    def _in_send_rdy(self, symbol):
        if symbol == R_RDY:
            if self.timer == NEVER:
                self.timer = self.now + pick(self.rng, self.behaviour.sof_delay)
        elif symbol == X_RDY:
            if self.repeat == 1 and not self.cont:
                self.collisions += 1
            if self.now > self.grace:
                self.violate("the host keeps X_RDY against the drive's X_RDY")
                self.grace = NEVER
        elif symbol != SYNC:
            self._unexpected(symbol)

    def _in_sending(self, symbol):
        if symbol == HOLD:
            if self.holda_at == NEVER:
                self.holda_at = self.now + pick(self.rng, self.behaviour.holda_delay)
        else:
            self.holda_at = NEVER
            if symbol == SYNC:
                self._end_send(None)
                self.host_escapes += 1
            elif symbol == DMAT:
                self._terminate()
            elif symbol not in (R_IP, R_RDY, HOLDA):
                self._unexpected(symbol)

    def _terminate(self):
        """DMAT from the host: end the Data FIS after the dwords sent so far."""
        sent = max(2, self.index) - 1
        if self.index < len(self.words) - 2:
            self.frame.fis = self.frame.fis[:4 * sent]
            self.words = scrambled(self.frame.fis)
            self.next_hold = NEVER

    def _end_send(self, outcome):
        frame = self.frame
        self.frame = None
        self._to_idle()
        self.drive.link_sent(frame, outcome)

    def _in_send_wait(self, symbol):
        if symbol == R_OK:
            self._end_send(True)
        elif symbol == R_ERR:
            self._end_send(False)
        elif symbol == SYNC:
            self._end_send(None)
            self.host_escapes += 1
        elif symbol not in (R_IP, HOLD, HOLDA, DMAT, R_RDY):
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
        if symbol == _DATA:
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
                    self.violate("HOLDA without HOLD")
                    self.hold_since = self.now
            elif symbol == EOF:
                self._end_receive()
            elif symbol == SYNC:
                self._to_idle()
                self.host_escapes += 1
                self.drive.link_aborted(self.length)
            elif symbol == WTRM:
                self.violate("WTRM without EOF")
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
            self.violate(f"frame of {length} dwords")
            good = False
        elif not good:
            self.violate(f"bad CRC or empty frame, {length} dwords")
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
            self.violate("X_RDY without SYNC after a frame")
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

    def _watch_hold(self, symbol):
        """Our HOLD stands: HOLDA (or HOLD) must come within 20 dwords, ALIGN not counted."""
        self.hold_ticks += 1
        late = self.hold_ticks > HOLD_LATENCY + self.round_trip
        if symbol == _DATA:
            self.after_hold += 1
            if self.after_hold > self.overrun:
                self.overrun = self.after_hold
        elif symbol not in (R_IP, R_RDY):
            self.hold_answered = True
            return
        self.hold_answered = late
        if late and self.now > self.grace:
            self.violate(f"HOLD not obeyed within {HOLD_LATENCY + self.round_trip} dwords")
            self.grace = self.now + HOLD_LATENCY + self.round_trip

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

    def _start_hold(self, length):
        self.hold_left = length
        self.hold_answered = False
        self.hold_ticks = 0
        self.after_hold = 0

    def _emit_hold(self):
        self.hold_left -= 1
        self.hold_since = self.now
        return HOLD

    def _emit_frame(self):
        index = self.index
        last = len(self.words) - 1
        if self.hold_left:
            return self._emit_hold()
        if index >= self.escape_at:
            self._end_send(None)
            self.state = ESCAPE     # until the host has seen it
            return SYNC
        if index >= self.stuck_at:
            self._start_hold(NEVER)
            return self._emit_hold()
        if index >= self.next_hold:
            length = self.holds.pop()[1]
            self.next_hold = self.holds[-1][0] if self.holds else NEVER
            self._start_hold(length)
            return self._emit_hold()
        self.hold_answered = True
        if self.now >= self.holda_at and 0 < index < last - 1:
            return HOLDA
        if self.tx_count > self.tx_cont_at and 0 < index < last:
            # Junk runs until the next primitive: HOLD or HOLDA once more before data.
            self.tx_cont_at = NEVER
            return self.tx_last
        self.index = index + 1
        if index == 0:
            return SOF
        if index < last:
            return self.words[index]
        self.state = SEND_WAIT
        return EOF

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
