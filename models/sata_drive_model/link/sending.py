"""The device's link while it sends a frame, and its HOLD in either direction.

Serial ATA Revision 3.x, link layer state diagrams: DL_SendChkRdy, L_SendSOF to L_SendEOF, L_Wait.
One file of plain ints and arrays: sending.pxd beside it states how it is compiled.
"""

from array import array

from ..behaviour import NEVER, pick
from ..protocol.frame import scrambled
from ..protocol.primitives import (DMAT, EOF, HOLD, HOLDA, R_ERR, R_IP, R_OK, R_RDY, SOF, SYNC,
                                   X_RDY, name)
from ..protocol.rules import HOLD_LATENCY, Rule
from .coder import DwordCoder
from .states import DATA_DWORD, ESCAPE, IDLE, POWER, SEND_RDY, SEND_WAIT, STATES

_EMPTY = array("I")


class SendStates(DwordCoder):
    """The states of a frame on its way to the host; the queue of frames; HOLD and its answer.

    Parameters: ``drive`` as `DriveLink` has it, and those of `DwordCoder`. Members: ``overrun``
    most dwords received after a HOLD; ``collisions``; ``host_escapes``.
    """

    __slots__ = ("drive", "event_at", "state", "queue", "idle_sent", "idle_event", "timer",
                 "grace", "frame", "words", "index", "holds", "next_hold", "hold_left", "holda_at",
                 "hold_ticks", "hold_answered", "hold_since", "after_hold", "escape_at",
                 "stuck_at", "power", "overrun", "collisions", "host_escapes")

    def __init__(self, drive, behaviour, rng, round_trip):
        super().__init__(behaviour, rng, round_trip)
        self.drive = drive
        self.overrun = 0
        self.collisions = 0
        self.host_escapes = 0

    def _reset_sending(self):
        """Nothing is queued."""
        self.state = IDLE
        self.event_at = 0
        self.queue = []
        self.idle_sent = False
        self.idle_event = NEVER
        self.timer = NEVER
        self.grace = self.now + HOLD_LATENCY + self.round_trip
        self.frame = None
        self.words = _EMPTY     # of the frame, with places for SOF and EOF
        self.index = 0
        self.holds = []
        self.next_hold = NEVER
        self.hold_left = 0
        self.hold_answered = True
        self.hold_ticks = 0
        self.hold_since = -NEVER
        self.after_hold = 0
        self.holda_at = NEVER
        self.escape_at = self.stuck_at = NEVER
        self.power = 0

    def send(self, frame):
        """Queue a `Frame`; it goes out when its time has come and the link is idle."""
        self.queue.append(frame)
        self.event_at = 0

    # What any state may do ------------------------------------------------------------------------

    def _unexpected(self, symbol):
        if self.now > self.grace:
            what = "data dword" if symbol == DATA_DWORD else name(symbol)
            self.violate(Rule.STATE, f"{what} while the drive is in {STATES[self.state]}")
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

    # A frame on its way ---------------------------------------------------------------------------

    def _start_send(self):
        self.frame = frame = self.queue.pop(0)
        self.timer = NEVER
        if frame.words is None:
            self.state = POWER
            self.power = frame.primitive
            return
        self.drive.link_sends(frame)
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
                self.violate(Rule.X_RDY_KEPT)
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

    # HOLD -----------------------------------------------------------------------------------------

    def _watch_hold(self, symbol):
        """Our HOLD is in effect: HOLDA (or HOLD) must come within 20 dwords, ALIGN not counted."""
        self.hold_ticks += 1
        late = self.hold_ticks > HOLD_LATENCY + self.round_trip
        if symbol == DATA_DWORD:
            self.after_hold += 1
            if self.after_hold > self.overrun:
                self.overrun = self.after_hold
        elif symbol not in (R_IP, R_RDY):
            self.hold_answered = True
            return
        self.hold_answered = late
        if late and self.now > self.grace:
            self.violate(Rule.HOLD_NOT_OBEYED, str(HOLD_LATENCY + self.round_trip))
            self.grace = self.now + HOLD_LATENCY + self.round_trip

    def _start_hold(self, length):
        self.hold_left = length
        self.hold_answered = False
        self.hold_ticks = 0
        self.after_hold = 0

    def _emit_hold(self):
        self.hold_left -= 1
        self.hold_since = self.now
        return HOLD

    # What goes out --------------------------------------------------------------------------------

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
