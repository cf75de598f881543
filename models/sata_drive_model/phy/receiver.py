"""The receiver of a host's SERDES as boards have it: signal detector and clock recovery.

Neither is part of the specification. What they do wrong was seen on boards with an ECP5: a clock
recovery that a signal of another rate pulls away, and a detector that reports idle, or chatters, while
good data arrives.
"""

import random
from dataclasses import dataclass
from enum import Enum

_NS = 10**6             # fs
#: A signal that has lasted for so long is data: the bursts of OOB signals are shorter.
_DATA = 115 * _NS


class Detector(Enum):
    """What the loss-of-signal output shows while there is data; it always distinguishes bursts from gaps."""

    TRUE = "signal"
    IDLE = "idle all the time"
    CHATTERS = "signal and idle in turn, each for 20 to 400 ns"


@dataclass(frozen=True)
class HostReceiver:
    """How the host's receiver behaves, and how its pairs are wired.

    ``detector``: what the signal detector does with data. ``strays``: a signal of another rate,
    or none, pulls a clock recovery away that is not held; then it follows no signal until it has
    been held at the reference for ``reference`` s, or was reset. ``pull``, ``drift``: seconds of the wrong rate,
    of silence, until it is away. ``rx_inverted``, ``tx_inverted``: P and N of the pair from the
    drive, to the drive, are swapped.
    """

    detector: Detector = Detector.TRUE
    strays: bool = True
    pull: float = 1e-6
    drift: float = 5e-6
    reference: float = 1e-6
    rx_inverted: bool = False
    tx_inverted: bool = False


class Squelch:
    """Distinguishes a signal from silence by its transitions: a constant word is silence.

    Parameters: ``attack``, ``release``: words until it reports that. Member: ``active``.
    """

    __slots__ = ("active", "_attack", "_release", "_count", "_level")

    def __init__(self, attack=1, release=1):
        self.active = False
        self._attack, self._release = attack, release
        self._count = 0
        self._level = 0

    def word(self, bits, mask):
        """The state after a word of as many bits as ``mask``."""
        quiet = bits == (mask if self._level else 0)
        if quiet != self.active:
            self._count = 0
        else:
            self._count += 1
            if self._count >= (self._release if self.active else self._attack):
                self.active = not self.active
                self._count = 0
        self._level = bits & (mask + 1 >> 1)
        return self.active


class LossOfSignal:
    """The output of the signal detector, with its faults; ``active`` as it reports."""

    def __init__(self, detector, seed):
        self._detector = detector
        self._rng = random.Random(seed)
        self._since = None          # when the true signal came
        self._says, self._until = True, 0

    def now(self, now, active):
        """What it reports while ``active`` is true."""
        if not active:
            self._since = None
        elif self._since is None:
            self._since = now
        if not active or self._detector is Detector.TRUE or now - self._since < _DATA:
            return active
        if self._detector is Detector.IDLE:
            return False
        if now >= self._until:
            self._says = not self._says
            self._until = now + self._rng.randint(20, 400) * _NS
        return self._says


class ClockRecovery:
    """Follows a signal of the right rate; ``locked`` shows that.

    Parameters: ``receiver``: the :class:`HostReceiver`; ``lock``: words of a signal until it
    follows. Member ``astray``: it must be held at the reference before it can follow again.
    """

    def __init__(self, receiver, lock):
        self._receiver = receiver
        self._lock = lock
        self.locked = self.astray = False
        self._following = 0         # words of the signal so far
        self._state = None          # "held", "right", "wrong" or "silent", and since when
        self._since = 0

    def restart(self):
        """It is at the reference at once."""
        self.locked = self.astray = False
        self._following = 0
        self._state = None

    def word(self, now, held, active, right):
        """After a word: whether it is ``held``, there is a signal, and that of its own rate."""
        state = "held" if held else "silent" if not active else "right" if right else "wrong"
        if state != self._state:
            self._state, self._since = state, now
        receiver = self._receiver
        lasted = (now - self._since) * 1e-15
        if state == "right" and not self.astray:
            self._following += not self.locked
            self.locked = self._following >= self._lock
            return
        self.locked = False
        self._following = 0
        if state == "held":
            self.astray &= lasted < receiver.reference
        elif receiver.strays:
            self.astray |= lasted > {"silent": receiver.drift}.get(state, receiver.pull)
