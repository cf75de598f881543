"""What boards and drives were seen to do while a link comes up, each under its name."""

import random
from dataclasses import dataclass, field

from sata_drive_model.phy import Detector, HostReceiver, PhyHabits, PhyTimes, Spectrum
from unit.core.phy.line_bench import LineBench, LinePartner, phy

__all__ = ["MOODS", "Judged", "Link", "Mood", "content", "data", "random_mood"]


def data(seed, count):
    """Data dwords."""
    rng = random.Random(seed)
    return [rng.getrandbits(32) for _ in range(count)]


def content(seen):
    """The data dwords of what was received."""
    return [word for word in seen if not word >> 32]


@dataclass(frozen=True)
class Mood:
    """Options of the drive's phy and of the line; ``errors``: wrong bits a bit while the link is
    trained; ``within``: seconds in which there must be a link."""

    drive: dict = field(default_factory=dict)
    receiver: HostReceiver = HostReceiver()
    errors: float = 0.0
    within: float = 1e-3


def _habits(**options):
    return {"habits": PhyHabits(**options)}


_TIMES = {"answer": 20e-6, "beacon": 150e-6}

#: The row of a table in docs/phy.md, and what it is on the simulated line.
MOODS = {
    "kind": Mood(),
    "drive continues ALIGN": Mood(_habits(keeps_aligning=(10e-6, 35e-6))),
    "idle during data": Mood(receiver=HostReceiver(detector=Detector.IDLE)),
    "detector chatters": Mood(receiver=HostReceiver(detector=Detector.CHATTERS)),
    "chatters, continues ALIGN": Mood(_habits(keeps_aligning=(10e-6, 35e-6)),
                                         HostReceiver(detector=Detector.CHATTERS)),
    "begins at Gen3": Mood({"generations": (1, 3)}),
    "begins at Gen1": Mood(_habits(order=(1, 2))),
    "Gen1, Gen2, Gen3": Mood(_habits(order=(1, 2, 3))),
    "pair from the drive inverted": Mood(receiver=HostReceiver(rx_inverted=True)),
    "pair to the drive inverted": Mood(receiver=HostReceiver(tx_inverted=True), within=2e-3),
    "both pairs inverted": Mood(receiver=HostReceiver(rx_inverted=True, tx_inverted=True),
                                within=2e-3),
    "false primitives": Mood(_habits(false_primitives=3)),
    "errors while training": Mood(errors=1e-3),
    "errors, Gen3, continues ALIGN": Mood(
        {"generations": (1, 3)} | _habits(keeps_aligning=(10e-6, 35e-6)), errors=1e-3,
        within=2e-3),
    "slow answer": Mood({"times": PhyTimes(**_TIMES | {"answer": 250e-6})}),
    "slow COMWAKE": Mood({"times": PhyTimes(**_TIMES, calibrate=100e-6)}),
}


class Judged:
    """Both ends of a bench send ``count`` dwords of their own once there is a link, in a `Mood`."""

    def __init__(self, mood, *, count=600, seed=1, ppm=0, spread=0, **options):
        self.mood = mood
        self.out, self.back = data(seed, count), data(seed + 1, count)
        drive = phy(LinePartner(self.back), **{"spectrum": Spectrum(ppm, spread), **mood.drive})
        super().__init__(drive, LinePartner(self.out), receiver=mood.receiver,
                         error_rate=mood.errors, seed=seed, **options)

    def judge(self, words=150e-6, stays=300e-6):
        """It links, carries words of both directions without an error in the time ``words``, and
        stays up for the time ``stays`` from there on."""
        self.run(self.mood.within, until=lambda: self.up and self.drive.state_name == "READY")
        self.line.disturb(0)
        self.run(words)
        assert self.drive.state_name == "READY" and self.up, self.story()
        assert self.drive.violations == [], self.story()
        if not self.mood.errors:
            assert self.errors == self.drive.errors == 0
            assert content(self.host.seen) == self.back
            assert content(self.drive.link.seen) == self.out
        ups = len(self.ups)
        self.run(stays)
        assert len(self.ups) == ups == 1, self.story()


class Link(Judged, LineBench):
    """On a back end whose OOB signals are timed by the PHY, or on a `HardOob`."""


def random_mood(seed):
    """A mood of line and drive at random, the options of its `Link`, and in words what it is."""
    rng = random.Random(seed)
    order = rng.choice([(3, 2, 1), (3, 2), (2, 1), (2,), (1, 2), (1, 2, 3), (2, 3)])
    waits = rng.random() < 0.4
    habits = PhyHabits(order=order, keeps_aligning=(10e-6, 35e-6) if waits else None,
                       false_primitives=rng.choice([0, 0, 1, 3]))
    times = PhyTimes(answer=rng.uniform(5e-6, 250e-6), calibrate=rng.uniform(1e-6, 60e-6),
                     beacon=150e-6)
    receiver = HostReceiver(
        detector=rng.choice([*Detector]), rx_inverted=rng.random() < 0.4,
        tx_inverted=rng.random() < 0.4, pull=rng.uniform(0.3e-6, 5e-6),
        drift=rng.uniform(1e-6, 20e-6), reference=rng.uniform(0.2e-6, 10e-6))
    errors = rng.choice([0.0, 0.0, 1e-4, 1e-3])
    options = {"ppm": rng.uniform(-350, 350), "spread": rng.choice([0, 5000]),
               "slip": rng.randrange(40), "lock": rng.randrange(50, 900)}
    mood = Mood({"habits": habits, "times": times}, receiver, errors, within=6e-3)
    return mood, options, f"seed {seed}: {mood} {options}"
