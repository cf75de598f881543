"""An independent observer of the dword port: the cycle ledger, spans and a FIS log.

It sees only the words that cross the port, and the length of the drive's sectors; it shares no code with
the gateware. All of it is plain ints: analyser.pxd beside it has their types for Cython.
"""

from sata_drive_model.observer import Observer
from sata_drive_model.protocol.crc import crc_dwords
from sata_drive_model.protocol.primitives import (ALIGN, DATA, EOF, HOLD, HOLDA, NONE, R_ERR, R_OK, R_RDY,
                                                  SOF, SYNC, X_RDY)

from .overhead import OverheadMeter
from .record import BRING_UP, FLUSHES, READS, TRIM, Record, extremes
from .side import CAPTURE, Side
from .spans import SpanMeter
from .states import (ACCOUNT, ACCOUNTS, ACTIVATE, ALIGNS, COMMAND, COMMAND_ANSWER, COMMAND_FRAME,
                     COMMAND_WAIT, COMPLETE, DATA_WAIT, DEVICE_HOLD, FAILED, FLUSH, FRAMING, HANDSHAKE,
                     HOST_HOLD, OFF, PAYLOAD, PHY_WAIT, READ_END, READ_FRAME, READ_OTHER, READ_READY,
                     READ_WAIT, RECOVER, RECOVERY, TURN, TURNAROUND, WRITE_ANSWER, WRITE_FRAME, WRITE_READY)
from .cycle_tally import CycleTally

VALID, READY, LINK_UP, _WORD = 1 << 36, 1 << 37, 1 << 38, 0x1_FFFF_FFFF

#: Cycles that a host may leave X_RDY without R_RDY before it counts as throttling.
_PROMPT = 16


def _in_frame(symbol, holda, hold, count):
    """Account of a cycle inside a Data FIS; ``count`` data dwords so far, this one included."""
    if symbol == DATA:
        return PAYLOAD if count > 1 else FRAMING
    if symbol == NONE:
        return PHY_WAIT
    if symbol == ALIGN:
        return ALIGNS
    if symbol == HOLD:
        return hold
    return holda if symbol == HOLDA else FRAMING


class PortAnalyser(Observer):
    """Books every cycle of the operation to one account.

    Cycles that it is not shown are like the last one. A read after a write command of the same operation
    is a readback of what is recorded: it is booked to ``flush`` from its X_RDY on, and its data are no payload.
    Members: ``commands`` list of ``Record``; ``spans`` name -> ``Span``; ``log`` list of (clock, direction,
    type, dwords) if ``trace``. ``drive_of()`` gives the drive that is connected; if it is None, all have
    sectors of 512 bytes.
    """

    __slots__ = ("trace", "log", "spans", "commands", "_rx", "_tx", "_state", "_tally", "_base",
                 "_last", "_steady", "_steady_data", "_totals", "_record", "_moved", "_words", "_overhead",
                 "_turn", "_start_clock", "_meter", "_offered", "_answered", "_sent_fises",
                 "_received_fises", "_opened", "_closed", "_faulty", "_lost", "_writes", "_looks",
                 "_held", "drive_of")

    def __init__(self, trace=False):
        super().__init__()
        self.trace, self.drive_of = trace, None
        self.log = []
        self._meter = SpanMeter()
        self.spans = self._meter.spans
        self._rx = Side()
        self._tx = Side()
        self._last = 0
        self._start_clock = 0
        self._steady = TURNAROUND
        self._steady_data = 0
        self.reset()

    def reset(self):
        """Start of an operation: accounts and commands are empty; spans and log stay."""
        self.commands = []
        self._tally = CycleTally()
        self._totals, self._base = [0] * 14, [0] * 14
        self._state = OFF
        self._steady = TURNAROUND
        self._record = None
        self._moved = self._words = 0
        self._overhead = OverheadMeter()
        self._turn = None
        self._offered, self._answered = 0, False
        self._sent_fises = self._received_fises = 0
        self._opened = self._closed = None
        self._faulty = self._writes = self._looks = False
        self._lost = self._held = 0     # _held: turn-around before the readbacks since the last data command
        self.rx_mask = self.tx_mask = -1

    @property
    def fises(self) -> tuple:
        """Frames of this operation that ended with EOF: (from the host, from the drive)."""
        return self._sent_fises, self._received_fises

    @property
    def span(self) -> int:
        """Clocks from the first X_RDY of the operation's first command up to and including EOF of
        the last final status, with all that was between them; 0 without both."""
        if self._opened is None or self._closed is None:
            return 0
        return self._closed - self._opened + 1

    @property
    def payload(self) -> int:
        """Payload dwords of the operation so far."""
        return self.accounts()[PAYLOAD]

    def accounts(self) -> list:
        """Cycles of each account in the operation so far, in the order of ``ACCOUNTS``.

        A command counts from the moment the drive has accepted it, with all cycles since its
        start; the turn-around that leads to it is part of it.
        """
        state, totals = self._state, self._totals
        if state < ACTIVATE or state >= TURN:
            return totals[:]
        spent = [after - before for after, before in zip(self._tally.now(), self._base)]
        now = self.clock_of() if self.clock_of else self._last + 1
        skipped = now - self._last - 1
        if skipped > 0:
            late = self._late(skipped, now)
            spent[self._steady] += skipped - late
            spent[HOST_HOLD] += late
        if self._record is None:
            return self._with_between(totals, spent) if self._words else totals[:]
        return [before + more for before, more in zip(totals, spent)]

    def ledger(self) -> dict:
        """Cycles of each account over the completed commands of the operation, and their
        ``total``."""
        ledger = dict(zip(ACCOUNTS, self._totals))
        ledger["total"] = sum(self._totals)
        return ledger

    def extremes(self) -> dict:
        """Shortest and longest turn-around and overhead, see :func:`.record.extremes`."""
        return extremes(self.commands)

    def _with_between(self, totals, spent):
        """The ``totals`` with what a command between two data commands has ``spent``: all of it is flush,
        except for the turn-around before a readback."""
        totals, kept = totals[:], spent[TURNAROUND] if self._looks else 0
        totals[FLUSH] += sum(spent) - kept
        totals[TURNAROUND] += kept
        return totals

    # One cycle that differs -----------------------------------------------------------------------

    def observe(self, now: int, core: int, inputs: int):
        """Cycle ``now``; the cycles since the last call were like that one."""
        rx, tx = self._rx, self._tx
        skipped = now - self._last - 1
        if skipped > 0:
            self._skip(skipped, now)
        self._last = now
        if not inputs & LINK_UP:
            self._rx, self._tx = rx, tx = Side(), Side()
            self._state = OFF
        rx.symbol = rx.take(inputs & _WORD) if inputs & VALID else NONE
        tx.symbol = tx.take(core & _WORD) if inputs & READY else NONE
        ended_in, ended_out = rx.follow(inputs, now), tx.follow(core, now)
        self._meter.observe(now, core & _WORD, rx, tx)
        state = self._state
        account = self._advance(now, rx.symbol, tx.symbol)
        self._tally.cycles[account] += 1
        if rx.symbol == DATA and self._state == READ_FRAME or \
                tx.symbol == DATA and self._state == WRITE_FRAME:
            self._tally.mark(1)
        if ended_in:
            self._received(now, rx)
        if ended_out:
            self._sent(now, tx)
        self._settle(core, inputs, self._state != state)

    def _skip(self, skipped, now):
        late = self._late(skipped, now)
        self._tally.cycles[self._steady] += skipped - late
        self._tally.cycles[HOST_HOLD] += late
        if self._steady_data & 1:
            self._rx.more_data(skipped, now - 1)
            self._meter.more_data(skipped)
        if self._steady_data & 2:
            self._tx.more_data(skipped, now - 1)
        if self._steady == PAYLOAD:
            self._tally.mark(skipped)

    def _late(self, skipped, now):
        """In how many of the last ``skipped`` cycles before ``now`` a host throttled by withholding
        R_RDY."""
        if self._state != READ_READY or self._answered:
            return 0
        return min(skipped, max(0, now - self._offered - _PROMPT))

    def _settle(self, core, inputs, moved):
        """What the next cycle will be booked to if its words are of the same kind as these."""
        rx, tx, state = self._rx, self._tx, self._state
        account = ACCOUNT[state]
        data = 0
        rx_capture = moved or rx.framed and rx.count < CAPTURE
        tx_capture = moved or tx.framed and tx.count < CAPTURE
        if rx.symbol == DATA and rx.framed:
            data |= 1
            if rx.count >= 2 and rx.head[0] & 0xFF == 0x46:
                rx_capture = moved
        if tx.symbol == DATA and tx.framed:
            data |= 2
            if tx.count >= 2 and tx.head[0] & 0xFF == 0x46:
                tx_capture = moved
        self._steady_data = data
        if account is None:
            account = _in_frame(rx.symbol, HOST_HOLD, DEVICE_HOLD, rx.count + 1) \
                if state == READ_FRAME else \
                _in_frame(tx.symbol, DEVICE_HOLD, HOST_HOLD, tx.count + 1)
        self._steady = account
        self.rx_mask = rx.mask(inputs, rx_capture)
        self.tx_mask = tx.mask(core, tx_capture)
        self.rx_base, self.tx_base = inputs & ~self.rx_mask, core & ~self.tx_mask

    # The ledger -----------------------------------------------------------------------------------

    def _advance(self, now, rx, tx):
        """Account of this cycle; moves the state for the cycles from here on."""
        state = self._state
        if state == WRITE_FRAME:
            account = _in_frame(tx, DEVICE_HOLD, HOST_HOLD, self._tx.count)
            self._payload_starts(now, self._tx, tx)
            if tx == EOF:
                self._payload_ends(self._tx)
                self._state = WRITE_ANSWER
            elif tx == SYNC:
                self._state = WRITE_ANSWER
            return account
        if state == READ_FRAME:
            if rx == DATA and self._rx.count == 1 and self._rx.head[0] & 0xFF != 0x46:
                self._state = READ_OTHER
                return DATA_WAIT
            if rx == SYNC:
                self._faulty = self._faulty or self._rx.count > 0
                self._state = READ_WAIT
                return DATA_WAIT
            account = _in_frame(rx, HOST_HOLD, DEVICE_HOLD, self._rx.count)
            self._payload_starts(now, self._rx, rx)
            if rx == EOF:
                self._payload_ends(self._rx)
                self._state = READ_END
            return account
        if tx == X_RDY and state in (OFF, TURN, RECOVER, FAILED):
            self._start(state)
        elif tx == SOF and state == COMMAND_WAIT:
            self._state = COMMAND_FRAME
        elif tx == SOF and state == WRITE_READY:
            self._state = WRITE_FRAME
            return FRAMING
        elif state == COMMAND_FRAME and rx == SYNC or \
                state == COMMAND_ANSWER and rx in (R_ERR, SYNC):
            self._state = RECOVER
            return COMMAND
        elif tx == EOF and state == COMMAND_FRAME:
            self._state = COMMAND_ANSWER
        elif state == COMMAND_ANSWER and rx == R_OK:
            self._state = self._accepted()
            return COMMAND
        elif state == WRITE_ANSWER and rx in (R_OK, R_ERR, SYNC):
            self._faulty = self._faulty or rx != R_OK
            self._state = COMPLETE if self._moved >= self._words else ACTIVATE
            return HANDSHAKE
        elif state == READ_WAIT and rx == X_RDY:
            self._state = READ_READY
            self._offered = now
            self._answered = False
        elif state == READ_OTHER and rx in (EOF, SYNC):
            self._state = READ_WAIT
            return DATA_WAIT
        elif state == READ_READY and rx == SOF:
            self._state = READ_FRAME
            return FRAMING
        elif state == READ_READY and not self._answered:
            self._answered = tx == R_RDY
            if not self._answered and now - self._offered >= _PROMPT:
                return HOST_HOLD
        elif state == READ_END:
            self._faulty = self._faulty or tx == R_ERR
            if rx == SYNC:
                self._state = COMPLETE if self._moved >= self._words else READ_WAIT
            return HANDSHAKE
        return ACCOUNT[self._state]

    def _start(self, state):
        """First X_RDY of a command, or of a command sent again."""
        self._state = COMMAND_WAIT
        if self._opened is None or state == OFF and not self._words:
            self._opened = self._last       # what was before moved no data
        if state != RECOVER:
            self._start_clock = self._last
        if state == OFF:
            self._base = self._tally.now()
        elif state == FAILED:
            self._lost = self._tally.cycles[RECOVERY] - self._base[RECOVERY]
        elif state == TURN:
            self._overhead.follows = True
            self._turn = self._tally.cycles[TURNAROUND] - self._base[TURNAROUND] + self._held

    def _accepted(self):
        """The command FIS has got R_OK: the state that follows."""
        head = self._tx.head
        if len(head) < 4:       # noise on the line: an R_OK for what was no whole command FIS
            return OFF
        opcode = self._tx.opcode()
        # A playback has no write command: a read after one is a readback of what is recorded.
        self._looks = looks = self._writes and opcode in READS
        self._record = record = None if looks else Record.of(head, self._start_clock, self._blocks())
        if record is None:
            between = looks or opcode not in BRING_UP and (self._words or opcode == TRIM)
            return COMPLETE if between else OFF
        self._writes = opcode not in READS
        record.turnaround = self._turn
        self._turn, self._held = None, 0
        self._faulty = False
        self._words = 128 * record.sectors
        self._moved = 0
        self._overhead.discard()
        return READ_WAIT if opcode in READS else ACTIVATE

    def _blocks(self):
        drive = self.drive_of() if self.drive_of else None
        return drive.blocks if drive else 1

    def _payload_starts(self, now, side, symbol):
        if symbol == DATA and side.count == 2:
            self._overhead.starts(now, self._tally)

    def _payload_ends(self, side):
        """EOF of a Data FIS: its last data dword was the CRC, the one before it the last
        payload."""
        payload = side.count - 2
        if side.count > 1:
            self._tally.cycles[PAYLOAD] -= 1
            self._tally.cycles[FRAMING] += 1
        if self._moved == 0:
            if payload < 1:
                self._overhead.discard()
            else:
                self._overhead.book(self._record)
        if payload >= 1:
            self._moved += payload
            self._overhead.mark(self._tally, side.data_before)

    def _sent(self, now, side):
        self._sent_fises += 1
        self._meter.no_hold()
        if self.trace:
            self.log.append((now, "out", side.head[0] & 0xFF if side.head else 0, side.count - 1))

    def _received(self, now, side):
        """EOF of a frame from the drive: DMA Activate and final status move the ledger."""
        self._received_fises += 1
        head = side.head
        kind = head[0] & 0xFF if head else 0
        if self.trace:
            self.log.append((now, "in", kind, side.count - 1))
        if not 2 <= side.count <= CAPTURE or crc_dwords(head[:-1]) != head[-1]:
            return
        if kind == 0x39 and side.count == 2:
            self._meter.start("activate_sof", now)
            if self._state == ACTIVATE:
                self._state = WRITE_READY
        elif kind == 0x34 and side.count == 6 and not head[0] >> 16 & 0x88:
            self._meter.start("status_sof", now)
            if ACTIVATE <= self._state < TURN:
                self._complete(now, head[0] >> 16 & 0xFF)

    def _complete(self, now, status):
        """Final status: the command's cycles join the ledger; those of one before the first data command
        do not. An error begins a recovery, except for one of a query between two data commands."""
        if self._record is None and not self._words:
            self._state = OFF
            return
        self._closed = now
        good = status & 0x61 == 0x40 or self._record is None and self._tx.opcode() not in FLUSHES
        spent = [after - before for after, before in zip(self._tally.now(), self._base)]
        if self._record is None:
            self._totals = self._with_between(self._totals, spent)
            self._totals[FLUSH] -= self._lost
            self._totals[RECOVERY] += self._lost
            if self._looks:
                self._held += spent[TURNAROUND]
                spent[TURNAROUND] = 0
            self._overhead.add(spent)
        else:
            for number, cycles in enumerate(spent):
                self._totals[number] += cycles
            good = good and not self._faulty and self._moved >= self._words
            if good:
                self._record.end = now
                self._record.status = status
                self.commands.append(self._record)
            self._overhead.end()
        self._base, self._lost = self._tally.now(), 0
        self._state = TURN if good else FAILED
