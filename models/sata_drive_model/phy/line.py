"""A serial line between a host's SERDES and the drive's phy, word by word.

The model has no voltages: it knows bits, silence, clocks and when a receiver follows them. Times
are integers in femtoseconds, as Serial ATA Revision 3.x has them unless they are parameters.
"""

import random
from functools import lru_cache

from .receiver import ClockRecovery, HostReceiver, LossOfSignal, Squelch

#: Femtoseconds in a second.
FS = 10**15
#: Gen1 line rate in bits a second; each generation doubles it.
_GEN1 = 1.5e9


def word_period(bits, generation, ppm=0.0):
    """Femtoseconds that ``bits`` take on a line that is ``ppm`` faster than nominal."""
    return round(bits * FS / (_GEN1 * (1 << generation - 1) * (1 + ppm * 1e-6)))


@lru_cache(4096)
def _resampled(bits, count, shift):
    """``count`` bits sent at a rate, as seen at another that is 2**``shift`` times as high."""
    if shift >= 0:
        ones = (1 << (1 << shift)) - 1
        return sum(ones << (n << shift) for n in range(count) if bits >> n & 1)
    return sum((bits >> (n << -shift) & 1) << n for n in range(count >> -shift))


class Line:
    """Both directions between a host's SERDES and a :class:`.phy.DrivePhy`.

    Parameters
    ----------
    phy : the drive's phy, or None where nothing is plugged in
    gearing : characters of 10 bits a word of the host
    generation : line rate at which the host's SERDES runs; may be changed
    slip : bits, up to 39, by which the host's words are off those of the drive
    lock : words of a signal until the host's clock recovery follows it; before that, and without
        a signal, the words are noise
    attack, release : words by which the host's squelch is late
    error_rate : wrong bits a bit in the direction of the host
    receiver : HostReceiver, what the host's receiver does wrong
    seed : of the noise and the errors

    Members: ``active``, ``locked`` as the host's receiver reports; ``right``: the drive sends at the
    host's rate; ``phy``.
    """

    def __init__(self, phy, *, gearing=2, generation=2, slip=0, lock=300, attack=2, release=2,
                 error_rate=0.0, receiver=HostReceiver(), seed=0):
        self.generation = generation
        self.active = self.locked = False
        self._receiver = receiver
        self._detector = LossOfSignal(receiver.detector, seed + 1)
        self._recovery = ClockRecovery(receiver, lock)
        self._width = 10 * gearing
        self._mask = (1 << self._width) - 1
        self._rng = random.Random(seed)
        self._squelch = Squelch(attack, release)
        self.right = True
        self._slip = slip
        self._bits = self._count = 0
        self._error_rate = error_rate
        self._next_error = self._gap()
        self._enabled = False
        self.phy = phy

    def plug(self, phy):
        """Another drive, or none, from now on."""
        self.phy = phy
        self._bits = self._count = 0

    def slip(self, bits):
        """The host's clock recovery loses ``bits`` bits of the line."""
        self._slip = bits

    def disturb(self, error_rate):
        """From now on this many bits in the direction of the host are wrong."""
        self._error_rate = error_rate
        self._next_error = self._gap()

    def replace_detector(self, detector, seed=0):
        """From now on the signal detector is a :class:`.receiver.Detector`."""
        self._detector = LossOfSignal(detector, seed)

    def send(self, now, word, idle):
        """A word of the host's transmitter."""
        if self.phy is not None:
            word = word ^ self._mask if self._receiver.tx_inverted else word
            self.phy.receive(now, 0 if idle else word, self._width, self.generation, idle)

    def enable(self, enabled):
        """Whether the host's clock recovery may follow the signal."""
        self._enabled = enabled

    def restart(self):
        """The host's receiver is reset: its clock recovery is at the reference."""
        self._recovery.restart()

    @property
    def astray(self):
        """Whether the host's clock recovery follows nothing until it has been at its reference."""
        return self._recovery.astray

    def receive(self, now):
        """The next word of the host's receiver."""
        width = self._width
        if self.phy is None:
            word = 0
        else:
            while self._count < width + self._slip:
                self._fetch(now)
            if self._slip and self.locked:
                self._bits >>= self._slip
                self._count -= self._slip
                self._slip = 0
            word = self._bits & self._mask
            self._bits >>= width
            self._count -= width
        active = self._squelch.word(word, self._mask)
        self.active = self._detector.now(now, active)
        self._recovery.word(now, not self._enabled, active, self.right)
        self.locked = self._recovery.locked
        if not self.locked:
            return self._rng.getrandbits(width)
        self._next_error -= width
        while self._next_error < 0:
            word ^= 1 << self._next_error + width
            self._next_error += self._gap()
        return word ^ self._mask if self._receiver.rx_inverted else word

    def period(self, now):
        """Femtoseconds until the next word of the host's receiver."""
        ppm = self.phy.ppm(now) if self.locked and self.phy is not None else 0
        return word_period(self._width, self.generation, ppm)

    def _fetch(self, now):
        bits, count, generation = self.phy.send(now)
        shift = self.generation - generation
        self.right = not shift
        if shift:
            bits = _resampled(bits, count, shift)
            count = count << shift if shift > 0 else count >> -shift
        self._bits |= bits << self._count
        self._count += count

    def _gap(self):
        """Bits until the next wrong one."""
        if not self._error_rate:
            return 1 << 62
        return 1 + int(self._rng.expovariate(self._error_rate))
