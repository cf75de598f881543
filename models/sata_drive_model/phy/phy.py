"""The drive's phy: OOB, speed negotiation, 8b/10b and elasticity in front of a link.

Serial ATA Revision 3.x, phy layer, the device's phy initialization state machine.
"""

from collections import deque
from dataclasses import dataclass

from ..protocol.primitives import ALIGN, K, SYNC
from .coding import COMMA, decode_dword, encode_dword
from .habits import PhyHabits
from .line import FS
from .rules import PhyRule, PhyViolation

_NS = FS // 10**9
#: Lengths of bursts and gaps that a host may send, fs.
_BURST = 103.5 * _NS, 109.9 * _NS
_WAKE_GAP = 103.5 * _NS, 109.9 * _NS
_RESET_GAP = 310.4 * _NS, 329.6 * _NS
#: Idle (or active) times after which COMWAKE and COMRESET are over.
_WAKE_OVER, _RESET_OVER = 175 * _NS, 525 * _NS
#: From the last burst of COMWAKE to the host's D10.2: the end of COMWAKE may be noticed 112 ns
#: after that burst at the earliest, and 533 ns are allowed then (state HP6).
_ANSWER = (112 + 533) * _NS
_GAPS = 3
#: 40 bits of D24.3 at Gen1.
_D24_3 = 0b0011001100_1100110011_0011001100_1100110011
_DWORD = (1 << 40) - 1
_HOST_WORDS = 64        # words until the drive's clock recovery follows the host
_ALIGNS = 4
_OTHERS = 3             # of the host's dwords that are not ALIGN, of a drive that waits for them
#: K28.3 in front of bytes that no primitive has; one of these in this number of ALIGN.
_FALSE_PRIMITIVE = K | 0x7878787C
_FALSE_EVERY = 50
_LOST = 16              # bad dwords until the drive searches for ALIGN again
#: Dwords between the phy and the link: fewer and ALIGN is inserted, more and ALIGN is dropped.
_LEAST, _MOST = 2, 8

(OFF, RESET, COMINIT, AWAIT_COMWAKE, CALIBRATE, COMWAKE, SEND_ALIGN, AWAIT_DWORDS, READY,
 FAILED) = range(10)
STATES = ("OFF", "RESET", "COMINIT", "AWAIT_COMWAKE", "CALIBRATE", "COMWAKE", "SEND_ALIGN",
          "AWAIT_DWORDS", "READY", "FAILED")


@dataclass(frozen=True)
class PhyTimes:
    """Times of the drive's phy, in seconds; tests scale them down."""

    #: From the end of COMRESET, or power-on, to COMINIT (at most 10 ms).
    answer: float = 20e-6
    #: From the end of the host's COMWAKE to the drive's.
    calibrate: float = 5e-6
    #: ALIGN is sent at one speed: 2048 dwords of Gen1.
    step: float = 2048 / 37.5e6
    #: COMINIT is repeated while nothing answers.
    beacon: float = 10e-3
    #: Silence of the host after which the link is given up.
    silence: float = 20e-6


@dataclass(frozen=True)
class Spectrum:
    """The drive's clock: ``ppm`` off the nominal one, and ``spread`` ppm down-spread in a triangle
    of ``hz`` (Serial ATA Revision 3.x: +-350 ppm, 0 to 5000 ppm, 30 to 33 kHz)."""

    ppm: float = 0.0
    spread: float = 0.0
    hz: float = 31.5e3

    def at(self, now):
        """ppm at a time in fs."""
        phase = now * self.hz / FS % 1.0
        return self.ppm - self.spread * (1 - abs(2 * phase - 1))


class DrivePhy:
    """The phy of a drive, called by a :class:`.line.Line`.

    Parameters
    ----------
    link : with ``step(rx) -> tx`` (33-bit words), ``now`` and ``align_deadline``, as
        :class:`..link.DriveLink`
    link_up, link_down : called when dwords begin and cease to be exchanged
    generations : lowest and highest line rate
    times : PhyTimes
    spectrum : Spectrum
    habits : PhyHabits

    Members: ``state``, ``generation`` (negotiated), ``violations``: list of
    `PhyViolation`, what the host did against the specification, ``events``: list of (fs, name of
    the state entered), ``errors``: bad dwords from the host.
    """

    def __init__(self, link, *, link_up=None, link_down=None, generations=(1, 2),
                 times=PhyTimes(), spectrum=Spectrum(), habits=PhyHabits()):
        self.link = link
        self._link_up, self._link_down = link_up, link_down
        slowest, fastest = generations
        self._order = habits.order or tuple(range(fastest, slowest - 1, -1))
        self._times = times
        self._spectrum = spectrum
        self._habits = habits
        self.generation = self._order[0]
        self.violations, self.events = [], []
        self.errors = 0
        self.state = OFF
        self._since = 0             # when the state was entered
        self._queue = deque()       # what is sent before the state is queried again
        self._disparity = 0
        # From the host.
        self._quiet = True
        self._edge = -FS            # when the host's signal came or went
        self._bursts = self._wakes = self._resets = 0
        self._answered = -FS        # end of the last burst of the drive's COMWAKE
        self._listen()

    def ppm(self, now):
        """How much faster than nominal the drive's clock is."""
        return self._spectrum.at(now)

    @property
    def state_name(self):
        """The name of the state, of ``STATES``."""
        return STATES[self.state]

    def start_over(self, now):
        """COMINIT out of the blue, as after a reset of the drive."""
        self._queue.clear()
        self._oob(COMINIT, 3, now)

    def enter(self, state, now):
        if self.state == READY and self._link_down:
            self._link_down()
        self.state = state
        self._since = now
        self.events.append((now, STATES[state]))

    def _violate(self, now, rule, detail):
        self.violations.append(PhyViolation(now, rule, detail))

    # To the host ----------------------------------------------------------------------------------

    def send(self, now):
        """What the drive sends next: (bits, how many, at which generation); 0 bits are silence."""
        if self._queue:
            return self._queue.popleft()
        if self.state == READY:
            return self._word(self._exchange())
        elapsed = (now - self._since) / FS
        times = self._times
        if self.state == OFF:
            self.enter(RESET, now)
        elif self.state == RESET and elapsed > times.answer:
            self._oob(COMINIT, 3, now)
        elif self.state == COMINIT:
            self.enter(AWAIT_COMWAKE, now)
        elif self.state in (AWAIT_COMWAKE, FAILED) and elapsed > times.beacon:
            self._oob(COMINIT, 3, now)
        elif self.state == CALIBRATE and elapsed > times.calibrate:
            self._oob(COMWAKE, 1, now)
        elif self.state == COMWAKE:
            self._answered = now - 107 * _NS
            self._steps = list(self._order)
            self.generation = self._steps.pop(0)
            self._listen()
            self.enter(SEND_ALIGN, now)
        elif self.state == SEND_ALIGN:
            if elapsed > times.step:
                if not self._steps:
                    self.enter(FAILED, now)
                else:
                    self.generation = self._steps.pop(0)
                    self._since = now
            else:
                return self._align()
        elif self.state == AWAIT_DWORDS:
            if elapsed > self._habits.keeps_aligning[1]:
                self.start_over(now)
            else:
                return self._align()
        return 0, 40, 1

    def _align(self):
        """ALIGN, or what a drive with false primitives has between."""
        self._sent += 1
        false = self._sent % _FALSE_EVERY < self._habits.false_primitives
        return self._word(_FALSE_PRIMITIVE if false else ALIGN)

    def _oob(self, state, gap, now):
        self.enter(state, now)
        for _ in range(6):
            self._queue.extend([(_D24_3, 40, 1)] * 4 + [(0, 40, 1)] * 4 * gap)

    def _word(self, dword):
        bits, self._disparity = encode_dword(dword, self._disparity)
        return bits, 40, self.generation

    def _exchange(self):
        """The link's next dword; the drive's clock rules, ALIGN makes up for the host's."""
        received = self._received
        if not self._primed:
            self._primed = len(received) > _LEAST
            # A link's first pair may be as much later as DriveLink.reset() allows.
            self.link.align_deadline = self.link.now + 258
            word = SYNC
        elif self._pad or len(received) < _LEAST:
            self._pad = not self._pad
            word = ALIGN
        else:
            if len(received) > _MOST and received[0] == received[1] == ALIGN:
                received.popleft()
                received.popleft()
                self.link.align_deadline = self.link.now + 256
            word = received.popleft()
        return self.link.step(word)

    # From the host --------------------------------------------------------------------------------

    def receive(self, now, bits, width, generation, idle=False):
        """A word of the host, sent at ``generation``; its transmitter is ``idle``, or a constant word is silence."""
        quiet = idle if self._habits.amplitude else bits in (0, (1 << width) - 1)
        if quiet != self._quiet:
            self._quiet = quiet
            length, self._edge = now - self._edge, now
            if quiet:
                self._burst_ends(length, now)
            else:
                self._gap_ends(length, now)
        elapsed = now - self._edge
        if self._habits.beacon:
            return
        if self._resets >= _GAPS and elapsed > _RESET_OVER:
            if self._bursts % 6:
                self._violate(now, PhyRule.COMRESET_BURSTS, f"{self._bursts}")
            self._resets = self._bursts = 0
            self._queue.clear()
            self.enter(RESET, now)
        elif self._wakes >= _GAPS and elapsed > _WAKE_OVER:
            self._wakes = self._bursts = 0
            if self.state == AWAIT_COMWAKE and not self._habits.deaf:
                self.enter(CALIBRATE, now)
        if (self.state in (AWAIT_DWORDS, READY) and quiet
                and elapsed > self._times.silence * FS):
            self.enter(FAILED, now)
        elif not quiet and self.state in (SEND_ALIGN, AWAIT_DWORDS, READY):
            self._follow(now, bits, width, generation)

    def _burst_ends(self, length, now):
        if length > 2 * _BURST[1]:
            self._bursts = 0        # data came to its end
        else:
            self._bursts += 1
            if not _BURST[0] <= length <= _BURST[1]:
                self._violate(now, PhyRule.BURST_LENGTH, f"{length / _NS:.1f}")

    def _gap_ends(self, length, now):
        wake = _WAKE_GAP[0] <= length <= _WAKE_GAP[1]
        reset = _RESET_GAP[0] <= length <= _RESET_GAP[1]
        self._wakes = self._wakes + 1 if wake else 0
        self._resets = self._resets + 1 if reset else 0
        if not wake and not reset:
            self._bursts = 0
            if length <= _RESET_OVER:
                self._violate(now, PhyRule.GAP_LENGTH, f"{length / _NS:.1f}")
        late = now - self._answered
        if self.state == SEND_ALIGN and late > _ANSWER and self._answered > 0:
            self._violate(now, PhyRule.WAIT_LATE, f"{late / _NS:.0f}")
        self._answered = -FS

    def _listen(self):
        """Nothing was received yet."""
        self._bits = self._count = 0
        self._words = 0
        self._aligned = False
        self._rx_disparity = 0
        self._aligns = self._bad = self._others = self._sent = 0
        self._started = self._primed = self._pad = False
        self._received = deque()

    def _follow(self, now, bits, width, generation):
        if generation != self.generation:
            self._words = 0
            self._aligned = False
            return
        self._words += 1
        if self._words < _HOST_WORDS:
            return
        self._bits |= bits << self._count
        self._count += width
        if not self._aligned:
            for place in range(self._count - 39):
                if self._bits >> place & 1023 in COMMA:
                    self._aligned = True
                    self._bits >>= place
                    self._count -= place
                    self._bad = 0
                    break
            else:
                keep = min(self._count, 39)
                self._bits >>= self._count - keep
                self._count = keep
                return
        while self._count >= 40:
            word, self._rx_disparity, error = decode_dword(self._bits & _DWORD, self._rx_disparity)
            self._bits >>= 40
            self._count -= 40
            self._dword(word, error, now)

    def _ready(self, now):
        self.enter(READY, now)
        if self._link_up:
            self._link_up()

    def _dword(self, word, error, now):
        if error:
            self.errors += 1
            self._bad += 1
            if self._bad >= _LOST:
                self._aligned = False
        else:
            self._bad = max(0, self._bad - 1)
        if self.state == SEND_ALIGN:
            self._aligns = self._aligns + 1 if word == ALIGN and not error else 0
            if self._aligns >= _ALIGNS and not self._habits.ignores_align:
                self.errors = 0
                if self._habits.keeps_aligning:
                    self.enter(AWAIT_DWORDS, now)
                else:
                    self._ready(now)
        elif self.state == AWAIT_DWORDS:
            if word != ALIGN and not error:
                self._others += 1
            if self._others >= _OTHERS:
                if (now - self._since) / FS < self._habits.keeps_aligning[0]:
                    self.start_over(now)
                else:
                    self._ready(now)
        elif self._started or word != ALIGN and not error:
            # The phy's own ALIGNs are over: from here on they come in pairs.
            self._started = True
            self._received.append(word)
