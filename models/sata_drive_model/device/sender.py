"""What a drive sends: FISes with all that the behaviour puts before them, and HOLD places."""

from ..behaviour import pick
from ..faults.injector import Injector
from ..link.frame import Frame
from ..protocol import fis
from ..protocol.primitives import PMREQ_P, PMREQ_S


class Sender:
    """Queues FISes at the link. Parameter: ``behaviour``."""

    def __init__(self, behaviour):
        self.behaviour = behaviour
        self.injector = Injector()
        self.link = None
        self.rng = None

    def attach(self, link, rng):
        """Join the drive to its link layer and the random numbers."""
        self.link = link
        self.rng = rng

    def _chance(self, probability):
        return probability > 0 and self.rng.random() < probability

    def _use(self, counter):
        """Take one off a one-shot counter of the behaviour."""
        left = getattr(self.behaviour, counter)
        if left:
            setattr(self.behaviour, counter, left - 1)
        return left > 0

    def enqueue(self, data, latency, tag, extras=True, wait=0, **options):
        """Queue a FIS after ``latency`` and the medium's ``wait``, with whatever the behaviour puts
        before it."""
        behaviour = self.behaviour
        send = self.link.send
        at = self.link.now + wait + pick(self.rng, latency)
        if extras:
            if self._chance(behaviour.pm_request):
                send(self._power_request(at))
            if self._chance(behaviour.set_device_bits):
                send(Frame(fis.set_device_bits(behaviour.good_status), at))
            if self._chance(behaviour.dma_setup):
                send(Frame(fis.dma_setup(), at))
            if self._chance(behaviour.bist_activate):
                send(Frame(fis.bist_activate(), at))
            if self._use("unknown_fis"):
                send(Frame(b"\x77\0\0\0" + bytes(16), at, tag="bad: unknown type"))
        if tag != "data" and extras:
            if self._use("wrong_length"):
                send(Frame(data + bytes(4), at, tag="bad: one dword too long"))
            if len(data) > 4 and self._use("short_length"):
                send(Frame(data[:-4], at, tag="bad: one dword too short"))
            if self._use("bad_crc"):
                send(Frame(data, at, damage=1 << self.rng.randrange(32), tag="bad: CRC"))
        if self.injector.armed:
            for frame in self.injector.outgoing(data, at, tag, options):
                send(frame)
        else:
            send(Frame(data, at, tag=tag, **options))

    def _power_request(self, at):
        return Frame(None, at, primitive=self.rng.choice((PMREQ_P, PMREQ_S)), tag="power")

    def _underruns(self, size):
        behaviour = self.behaviour
        holds = [place for place in behaviour.underrun_at if place[0] < size + 2]
        holds += self._pattern(behaviour.underrun, size + 1)
        before_crc = pick(self.rng, behaviour.hold_before_crc)
        if before_crc:
            holds.append((size + 2, before_crc))
        return holds

    def _pattern(self, pattern, size):
        places = []
        if pattern:
            place = pick(self.rng, pattern[0])
            while place <= size:
                places.append((place, pick(self.rng, pattern[1])))
                place += max(1, pick(self.rng, pattern[0]))
        return places
