"""The drive's phy and the line, without a host: what they send, when, and what they object to."""

import pytest
from sata_drive_model.phy import DrivePhy, PhyRule, PhyTimes, Spectrum, Squelch
from sata_drive_model.phy.line import FS, Line, word_period
from sata_drive_model.protocol.primitives import ALIGN

NS = FS // 10**9
MASK = (1 << 20) - 1
#: Words of 20 bits of Gen2, 6.67 ns each.
WORD = word_period(20, 2)
TIMES = PhyTimes(answer=5e-6, calibrate=2e-6, beacon=100e-6)


class AlignOnly:
    now = align_deadline = 0

    def step(self, word):
        return ALIGN


class PhyHost:
    """Words of a host one after the other, and what the drive answers meanwhile."""

    def __init__(self, **options):
        self.phy = DrivePhy(AlignOnly(), **{"times": TIMES, **options})
        self.now = 0
        self.line = Line(self.phy, attack=1, release=1)
        self.activity = []          # (level, words)

    def word(self, bits):
        self.line.send(self.now, bits, bits == 0)
        self.line.receive(self.now)
        if not self.activity or self.activity[-1][0] != self.line.active:
            self.activity.append([self.line.active, 0])
        self.activity[-1][1] += 1
        self.now += WORD

    def idle(self, words):
        for _ in range(words):
            self.word(0)

    def oob(self, gap, bursts=6, burst=16):
        for _ in range(bursts):
            for n in range(burst):
                self.word((0x0F0F0, 0xF0F0F)[n & 1])
            self.idle(gap)

    @property
    def states(self):
        return [name for _, name in self.phy.events]

    def start(self):
        self.oob(48)
        self.idle(1500)
        self.oob(16)


def test_sequence():
    host = PhyHost()
    host.start()
    host.idle(1000)
    assert host.states == ["RESET", "RESET", "COMINIT", "AWAIT_COMWAKE", "CALIBRATE", "COMWAKE",
                           "SEND_ALIGN"]
    # The drive's bursts and gaps, as the host's squelch shows them.
    assert [count for level, count in host.activity[1:12]] == [16, 48] * 5 + [16]
    assert [count for level, count in host.activity[13:24]] == [16, 16] * 5 + [16]
    assert host.phy.violations == []


def test_steps_of_speed():
    """ALIGN for 54.6 us at each speed, the highest first, and then nothing."""
    host = PhyHost(generations=(1, 3))
    host.start()
    speeds = {}
    while host.states[-1] != "FAILED":
        host.idle(1)
        if host.states[-1] == "SEND_ALIGN":
            speeds[host.phy.generation] = speeds.get(host.phy.generation, 0) + 1
    assert [*speeds] == [3, 2, 1]
    for words in speeds.values():
        assert words * WORD / FS == pytest.approx(54.6e-6, rel=0.01)


def test_beacon():
    """COMINIT comes again and again while nobody answers."""
    host = PhyHost()
    host.idle(int(350e-6 * FS) // WORD)
    times = [when for when, name in host.phy.events if name == "COMINIT"]
    assert len(times) == 4
    assert all(100e-6 * FS <= b - a <= 105e-6 * FS for a, b in zip(times[1:], times[2:]))


#: Of a signal: gap, bursts and burst, the gap and the burst in words; then what is found.
BROKEN = [
    (44, 6, 16, PhyRule.GAP_LENGTH, "gap of 293.3 ns"),
    (52, 6, 16, PhyRule.GAP_LENGTH, "gap of 346.7 ns"),
    (18, 6, 16, PhyRule.GAP_LENGTH, "gap of 120.0 ns"),
    (48, 6, 14, PhyRule.BURST_LENGTH, "burst of 93.3 ns"),
    (48, 6, 18, PhyRule.BURST_LENGTH, "burst of 120.0 ns"),
    (48, 5, 16, PhyRule.COMRESET_BURSTS, "COMRESET of 5 bursts"),
]


@pytest.mark.parametrize("gap, bursts, burst, rule, what", BROKEN)
def test_violations(gap, bursts, burst, rule, what):
    host = PhyHost()
    host.idle(200)
    host.oob(gap, bursts, burst)
    host.idle(200)
    assert (rule, what) in [(found.rule, str(found)) for found in host.phy.violations]
    assert {found.rule for found in host.phy.violations} == {rule}


def test_each_rule_is_broken():
    """By a case of these, or by ``test_late_answer``; and each reports where it stands."""
    assert {rule for *_, rule, _ in BROKEN} | {PhyRule.WAIT_LATE} == set(PhyRule)
    assert all(rule.clause.startswith("Serial ATA Revision 3.x, phy layer, ") for rule in PhyRule)


def test_late_answer():
    host = PhyHost()
    host.start()
    while host.states[-1] != "SEND_ALIGN":
        host.idle(1)
    host.idle(100)
    for _ in range(50):
        host.word(0x55555)
    found, = host.phy.violations
    assert found.rule is PhyRule.WAIT_LATE and str(found) == "D10.2 comes 780 ns after COMWAKE"


def test_squelch():
    """A constant word is silence, whichever level it has; a word with a transition is none."""
    squelch = Squelch()
    states = [squelch.word(word, MASK) for word in
              (0, MASK, MASK, 0x55555, 0x80000, MASK, 0, 0, 0x00001, 0x00000)]
    assert states == [False, True, False, True, True, False, True, False, True, False]
    late = Squelch(attack=2, release=3)
    states = [late.word(word, MASK) for word in [0x55555] * 3 + [0] * 4]
    assert states == [False, True, True, True, True, False, False]


def test_spectrum():
    spread = Spectrum(ppm=100, spread=5000, hz=30e3)
    period = FS // 30_000
    values = [spread.at(n * period // 100) for n in range(200)]
    assert min(values) == pytest.approx(-4900, abs=20) and max(values) == pytest.approx(100, abs=20)
    assert Spectrum(-350).at(12345) == -350


def test_word_period():
    assert word_period(20, 2) == 6_666_667
    assert word_period(40, 1, 100) < word_period(40, 1) == 26_666_667
