"""The receiver that behaves as those of boards, and the habits of drives, without a host."""

import pytest
from sata_drive_model.phy import Detector, DrivePhy, HostReceiver, PhyHabits, PhyTimes
from sata_drive_model.phy.coding import decode_dword, encode_dword
from sata_drive_model.phy.line import FS, Line
from sata_drive_model.phy.receiver import ClockRecovery, LossOfSignal
from sata_drive_model.protocol.primitives import ALIGN, SYNC

NS = FS // 10**9
US = 1000 * NS


class Recovery:
    """A clock recovery that locks after 10 words of 10 ns."""

    def __init__(self, **options):
        self.recovery = ClockRecovery(HostReceiver(**options), lock=10)
        self.now = 0

    def run(self, us, *, held=False, active=True, right=True):
        for _ in range(round(us * 100)):
            self.recovery.word(self.now, held, active, right)
            self.now += 10 * NS
        return self.recovery.locked


def test_recovery_follows_its_own_rate():
    recovery = Recovery()
    assert not recovery.run(0.5, held=True)
    assert recovery.run(0.5)
    assert not recovery.run(0.5, right=False)
    assert recovery.run(0.5), "it was not away yet"


@pytest.mark.parametrize("away", [{"right": False}, {"active": False}], ids=["rate", "silence"])
def test_recovery_needs_the_reference(away):
    """Another rate for 1 us, or 5 us of silence, and it follows nothing until it was held."""
    recovery = Recovery()
    assert recovery.run(0.5)
    recovery.run(6, **away)
    assert not recovery.run(100)
    recovery.run(0.5, held=True)
    assert not recovery.run(10), "held for too short"
    recovery.run(1.2, held=True)
    assert recovery.run(0.5)


def test_recovery_that_is_reset():
    """Where holding freezes it, only a reset of the receiver brings it back."""
    recovery = Recovery(reference=float("inf"))
    recovery.run(6, right=False)
    recovery.run(100, held=True)
    assert recovery.recovery.astray and not recovery.run(10)
    recovery.recovery.restart()
    assert not recovery.recovery.astray and recovery.run(0.5)


def test_recovery_that_does_not_stray():
    recovery = Recovery(strays=False)
    recovery.run(100, right=False)
    assert recovery.run(0.5)


@pytest.mark.parametrize("kind, share", [
    (Detector.TRUE, (1, 1)), (Detector.IDLE, (0, 0)), (Detector.CHATTERS, (0.3, 0.7))])
def test_detector(kind, share):
    """Bursts and gaps are told apart always; data according to the fault."""
    detector = LossOfSignal(kind, 1)
    now = 0
    for _ in range(6):
        for active in True, False:
            for _ in range(10):
                assert detector.now(now, active) == active
                now += 10 * NS
    said = [detector.now(now + n * 10 * NS, True) for n in range(10_000)][100:]
    assert share[0] <= sum(said) / len(said) <= share[1]
    changes = sum(a != b for a, b in zip(said, said[1:]))
    assert changes > 300 if kind is Detector.CHATTERS else changes == 0


class Linkless:
    now = align_deadline = 0

    def step(self, word):
        return SYNC


def drive(**habits):
    phy = DrivePhy(Linkless(), times=PhyTimes(step=10e-6), habits=PhyHabits(**habits))
    for state in "COMWAKE",:
        phy.enter(5, 0)
        assert phy.state_name == state
    return phy


def dwords(phy, count, host=ALIGN):
    """What the drive sends in this many dwords of its speed, while the host sends ``host``."""
    sent, now, mine, theirs = [], 0, 0, 0
    for n in range(count):
        bits, _, generation = phy.send(now)
        word, mine, _ = decode_dword(bits, mine)
        sent.append((generation, word))
        if host is not None:
            bits, theirs = encode_dword(host(n) if callable(host) else host, theirs)
            for half in 0, 1:
                phy.receive(now, bits >> 20 * half & 0xFFFFF, 20, phy.generation)
        now += FS * 40 // (1500_000_000 << phy.generation - 1)
    return sent


def test_order_of_the_speeds():
    sent = dwords(drive(order=(1, 3, 2)), 4000, host=None)
    steps = [generation for generation, word in sent if word == ALIGN]
    order = [a for a, b in zip(steps, [*steps[1:], 0]) if a != b]
    assert order == [1, 3, 2]


def test_false_primitives():
    words = [word for _, word in dwords(drive(false_primitives=3), 200, host=None)][10:]
    false = 0x1_7878_787C
    assert set(words) == {ALIGN, false}
    assert words.count(false) == 9


@pytest.mark.parametrize("turn, state", [(200, "READY"), (100, "COMINIT"), (100_000, "COMINIT")])
def test_drive_that_waits_for_dwords(turn, state):
    """ALIGN until the host sends something else, which is too early before 2 us (150 dwords) and too
    late after 4 us."""
    phy = drive(keeps_aligning=(2e-6, 4e-6))
    seen = dwords(phy, 500, host=lambda n: ALIGN if n < turn else SYNC)
    assert [name for _, name in phy.events][2:4] == ["AWAIT_DWORDS", state]
    assert {word for _, word in seen[20:turn]} >= {ALIGN}


def test_drive_that_ignores_align():
    phy = drive(ignores_align=True)
    dwords(phy, 3000)
    assert [name for _, name in phy.events][1:] == ["SEND_ALIGN", "FAILED"]


def test_beacon_hears_nothing():
    for beacon, states in (False, 1), (True, 0):
        phy = DrivePhy(Linkless(), times=PhyTimes(answer=1e-3), habits=PhyHabits(beacon=beacon))
        now = 0
        for _ in range(6):
            for bits, words in (0x0F0F0, 16), (0, 48):
                for _ in range(words):
                    phy.receive(now, bits, 20, 2)
                    now += 6_666_667
        for _ in range(200):
            phy.receive(now, 0, 20, 2)
            now += 6_666_667
        assert len(phy.events) == states


@pytest.mark.parametrize("swapped", [False, True])
def test_inverted_pairs(swapped):
    """Both directions, each bit of them."""
    class Echo:
        def ppm(self, now):
            return 0

        def receive(self, now, bits, width, generation, idle):
            self.word = bits

        def send(self, now):
            return 0x12345_54321, 40, 2

    line = Line(Echo(), lock=3, receiver=HostReceiver(rx_inverted=swapped, tx_inverted=swapped))
    line.enable(True)
    flip = 0xFFFFF * swapped
    line.send(0, 0x0F0F5, False)
    assert line.phy.word == 0x0F0F5 ^ flip
    received = [line.receive(n * 6_666_667) for n in range(20)]
    assert received[-2:] in ([0x54321 ^ flip, 0x12345 ^ flip], [0x12345 ^ flip, 0x54321 ^ flip])
