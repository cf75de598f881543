"""The ledger of an array as a whole, against what crosses its streams and its dword ports clock by clock."""

import random

import pytest
from integration import mirrors
from integration.arrays import members
from integration.small import content
from sata_drive_model import Behaviour

from sata_recorder.core.drive_port import Operation
from sata_recorder.simulation import Event, Hold
from sata_recorder.simulation.analyser import ACCOUNTS
from sata_recorder.simulation.pattern import Bytes

pytestmark = pytest.mark.wide

PAYLOAD, FRAMING = ACCOUNTS.index("payload"), ACCOUNTS.index("framing")
KINDS = [(2, "raid0", 8, 32), pytest.param(2, "linear", 128, 32, marks=pytest.mark.long),
         (3, "raid0", 16, 128), pytest.param(4, "raid0", 8, 32, marks=pytest.mark.long)]


class LaneClocks:
    """The account of each clock of one drive, by name, or None, from how the sums of its observer grow."""

    def __init__(self, observer, reads):
        self._observer, self._reads = observer, reads
        self._sums = observer.accounts()
        self.accounts = []

    def add(self):
        """A clock has passed."""
        now, before = self._observer.accounts(), self._sums
        self._sums = now
        grown = [after - earlier for after, earlier in zip(now, before)]
        self.accounts.append(None)
        if grown[PAYLOAD] < 0:
            self._closes()
            grown[PAYLOAD] += 1
            grown[FRAMING] -= 1
        # What leads to a command counts once the drive has accepted it: first the wait, then its frame.
        names = [ACCOUNTS[number] for number in sorted(range(len(grown)), key=lambda n: ACCOUNTS[n] == "command")
                 for _ in range(grown[number])]
        if names:
            self.accounts[-len(names):] = names

    def _closes(self):
        """A Data FIS has ended: its last dword was the CRC. From a drive the first one after the header is booked in
        its place."""
        frame = len(self.accounts) - 1 - self.accounts[::-1].index("handshake")
        inside = [clock for clock in range(frame, len(self.accounts)) if self.accounts[clock] == "payload"]
        self.accounts[inside[0] if self._reads else inside[-1]] = "framing"


def watch(bench, operation, lba, sectors):
    """Runs an operation. Returns for each clock whether a word crossed, the words so far and whether one waits; and
    the accounts of the lanes."""
    words = (lambda state: state.received) if operation == Operation.PLAY else (lambda state: state.taken)
    bench.start(operation, lba, sectors)
    lanes = [LaneClocks(port.observer, operation == Operation.PLAY) for port in bench.ports]
    crossed, held, done = [words(bench.engine.state())], [], False
    while not done:
        done = bench.engine.run(1, Event.DONE)
        crossed.append(words(bench.engine.state()))
        held.append(bench.engine.output("held_cycles"))
        for lane in lanes:
            lane.add()
    assert bench.outputs()["error"] == 0
    # The counter shows a clock that is held in the next one.
    waits = [operation == Operation.PLAY and after > before for before, after in zip(held, held[1:])] + [False]
    streams = [(after > before, after, held) for before, after, held in zip(crossed, crossed[1:], waits)]
    return streams, [lane.accounts for lane in lanes]


def expected(bench, streams, lanes, lba, sectors):
    """The sums of the whole, by the rules that the documentation lists."""
    sums, begun = dict.fromkeys([*ACCOUNTS, "lane_payload"], 0), False
    for clock, (crossed, words, waits) in enumerate(streams):
        next_word = words - (bench.configuration.array_width // 32 if crossed else 0)
        open_ = next_word < 128 * sectors
        here = [lane[clock] for lane in lanes]
        booked = [account for account in here if account]
        if open_ and here[turn := bench.place(lba + next_word // 128)[0]]:
            booked.insert(0, here[turn])
        account = None
        if crossed:
            account = "payload"
        elif booked:
            account = "lane_payload" if booked[0] == "payload" else booked[0]
        elif open_ and begun:
            account = "host_hold" if waits else "turnaround"
        if account:
            sums[account] += 1
            begun = True
    return sums


def check(bench, operation, lba, sectors):
    streams, lanes = watch(bench, operation, lba, sectors)
    bench.run(8)
    ledger = bench.whole_ledger()
    wanted = expected(bench, streams, lanes, lba, sectors)
    assert ledger.accounts == wanted
    assert ledger.accounts["payload"] == 128 * sectors * 32 // bench.configuration.array_width
    assert ledger.commands == sum(len(port.observer.commands) for port in bench.ports)
    bench.check()
    return ledger.accounts


@pytest.mark.parametrize("drives, kind, chunk, width", KINDS)
def test_each_clock_of_an_operation(drives, kind, chunk, width):
    """The whole has the account of the lane whose turn it is, where no word crosses."""
    rng = random.Random(f"{drives} {kind} {width}")
    bench = members(drives, kind=kind, chunk=chunk, array_width=width,
                    behaviours={lane: Behaviour.random(lane) for lane in range(1, drives)})
    bench.bring_up()
    assert bench.settle()["ready"]
    capacity = bench.outputs()["capacity"]
    seen = set()
    for number in range(4):
        sectors = rng.randint(1, 120)
        lba = rng.randrange(capacity - sectors)
        if kind == "linear":
            lba = 14_336 // 128 * 128 - sectors // 2
        hold = Hold(*rng.choice(((1, 0), (40, 40), (3, 2), (50, 900))))
        operation = Operation.RECORD_FLUSH if number % 2 else Operation.RECORD
        bench.engine.source(Bytes(content(number, sectors)), hold=hold)
        seen |= {name for name, clocks in check(bench, operation, lba, sectors).items() if clocks}
        bench.engine.sink(128 * sectors, hold=hold)
        seen |= {name for name, clocks in check(bench, Operation.PLAY, lba, sectors).items() if clocks}
    assert {"payload", "lane_payload", "host_hold", "command", "activate_wait", "data_wait", "flush"} <= seen


def booked_clocks(streams, lanes):
    """From the first clock in which a word crosses or a lane has an account to the last one."""
    busy = [clock for clock, (crossed, *_) in enumerate(streams) if crossed or any(lane[clock] for lane in lanes)]
    return busy[-1] - busy[0] + 1


def marked(**options):
    """A bench whose next recording has nothing to write to superblocks."""
    bench = mirrors.brought_up(**options)
    assert bench.record(content(9, 5), 0).error == 0
    return bench


def test_each_clock_of_a_mirror():
    """Where no word crosses, the account is that of one of the lanes."""
    bench = marked(behaviours={1: Behaviour.random(3)})
    for number, hold in enumerate((Hold(1, 0), Hold(40, 40), Hold(50, 900))):
        bench.engine.source(Bytes(content(number, 70)), hold=hold)
        streams, lanes = watch(bench, Operation.RECORD, 30, 70)
        bench.run(8)
        sums, commands = bench.whole_ledger().accounts, bench.whole_ledger().commands
        least, most = dict.fromkeys(sums, 0), dict.fromkeys(sums, 0)
        for clock, (crossed, *_) in enumerate(streams):
            accounts = {"payload"} if crossed else {
                "lane_payload" if lane[clock] == "payload" else lane[clock] for lane in lanes if lane[clock]}
            for account in accounts or {"turnaround"}:
                most[account] += 1
                least[account] += len(accounts) == 1
        assert all(least[name] <= clocks <= most[name] for name, clocks in sums.items()), (sums, least, most)
        assert sums["payload"] == 128 * 70 and sum(sums.values()) == booked_clocks(streams, lanes)
        assert commands == sum(len(port.observer.commands) for port in bench.ports) == 10
        bench.engine.sink(128 * 70, hold=hold)
        streams, lanes = watch(bench, Operation.PLAY, 30, 70)
        bench.run(8)
        assert bench.whole_ledger().accounts["payload"] == 128 * 70
        # The lane that is read has all of it.
        assert not any(lanes[1]) and bench.whole_ledger().commands == 5


@pytest.mark.parametrize("lane", [0, 1])
def test_goes_on_after_a_drop(lane):
    """What it takes to drop a drive is recovery; no clock between the first word and the end is left out."""
    bench = marked()
    bench.ports[lane].drive.behaviour.fail_lba = 100
    bench.engine.source(Bytes(content(lane, 200)), hold=Hold(3, 2))
    streams, lanes = watch(bench, Operation.RECORD_FLUSH, 11, 200)
    bench.run(8)
    assert bench.dropped() == 1 << lane
    found = bench.whole_ledger().accounts
    assert found["payload"] == 128 * 200 and found["recovery"] > bench.ledger(1 - lane).accounts["recovery"] == 0
    assert sum(found.values()) == booked_clocks(streams, lanes)
