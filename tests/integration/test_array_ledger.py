"""The ledger of an array as a whole, against what crosses its streams and its dword ports clock by clock."""

import random

import pytest
from integration import mirrors
from integration.arrays import members
from integration.small import content
from sata_drive_model import Behaviour

from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.simulation import Event, Hold
from sata_recorder.simulation.analyser import ACCOUNTS
from sata_recorder.simulation.pattern import Bytes

pytestmark = pytest.mark.wide

PAYLOAD, FRAMING = ACCOUNTS.index("payload"), ACCOUNTS.index("framing")
KINDS = [(2, "raid0", 8, 32), pytest.param(2, "linear", 128, 32, marks=pytest.mark.long),
         (3, "raid0", 16, 128), (2, "linear", 128, 128), pytest.param(4, "raid0", 8, 32, marks=pytest.mark.long)]


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
    """Runs an operation. Returns for each clock whether a word crossed, the words so far and whether one waits for the
    user; and the accounts of the lanes."""
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
    # The counter shows a clock that is held in the next one; that of RAID 0 and of linear a clock after that.
    late = 1 if bench.configuration.array == "raid1" else 2
    grows = [operation == Operation.PLAY and after > before for before, after in zip(held, held[1:])]
    waits = grows[late - 1:] + [False] * late
    streams = [(after > before, after, held) for before, after, held in zip(crossed, crossed[1:], waits)]
    return streams, [lane.accounts for lane in lanes]


def expected(bench, plays, streams, lanes, lba, sectors):
    """The sums of the whole, by the rules that the documentation lists. Of a recording it is not seen whether its user
    had a word, so what depends on that is in ``lane_payload``."""
    sums, begun = dict.fromkeys([*ACCOUNTS, "lane_payload"], 0), False
    for clock, (crossed, words, waits) in enumerate(streams):
        next_word = words - (bench.configuration.array_width // 32 if crossed else 0)
        open_ = next_word < 128 * sectors
        here = [lane[clock] for lane in lanes]
        booked = [account for account in here if account]
        if open_ and here[turn := bench.place(lba + next_word // 128)[0]]:
            booked.insert(0, here[turn])
        moving = "host_hold" if open_ and waits else "lane_payload"
        account = None
        if crossed:
            account = "payload"
        elif booked:
            account = moving if booked[0] == "payload" else booked[0]
        elif open_ and begun:
            account = moving if plays else "turnaround"
        if account:
            sums[account] += 1
            begun = True
    return sums


def check(bench, operation, lba, sectors, *, seen=True):
    """``seen``: the user of a recording always has a word."""
    streams, lanes = watch(bench, operation, lba, sectors)
    ledger = bench.whole_ledger()
    plays = operation == Operation.PLAY
    wanted = expected(bench, plays, streams, lanes, lba, sectors)
    found = dict(ledger.accounts)
    if not plays and not seen:
        assert wanted["host_hold"] <= found["host_hold"] <= wanted["host_hold"] + wanted["lane_payload"]
        for sums in wanted, found:
            sums["lane_payload"] += sums.pop("host_hold")
    assert found == wanted
    assert found["payload"] == 128 * sectors * 32 // bench.configuration.array_width
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
    for number, hold in enumerate(((1, 0), (40, 40), (1, 0), (50, 900), (1, 7))):
        sectors = rng.randint(1, 120)
        lba = rng.randrange(capacity - sectors)
        if kind == "linear":
            lba = 14_336 // 128 * 128 - sectors // 2
        operation = Operation.RECORD_FLUSH if number % 2 else Operation.RECORD
        bench.engine.source(Bytes(content(number, sectors)), hold=Hold(*hold))
        accounts = check(bench, operation, lba, sectors, seen=hold[1] == 0)
        seen |= {name for name, clocks in accounts.items() if clocks}
        bench.engine.sink(128 * sectors, hold=Hold(*hold))
        accounts = check(bench, Operation.PLAY, lba, sectors)
        seen |= {name for name, clocks in accounts.items() if clocks}
    assert {"payload", "lane_payload", "host_hold", "command", "activate_wait", "data_wait", "flush"} <= seen


def test_a_slow_user_is_the_host():
    """Lanes that move words while the stream has none wait for nobody."""
    bench = members(2)
    bench.bring_up()
    assert bench.settle()["ready"]
    bench.engine.source(Bytes(content(1, 40)), hold=Hold(1, 7))
    watch(bench, Operation.RECORD, 8, 40)
    slow = bench.whole_ledger().accounts
    assert slow["host_hold"] > 0.8 * slow["payload"] * 7 and slow["lane_payload"] < 1000


def test_refused_operations_leave_it():
    """Drives that are absent, and extents that are wrong."""
    bench = mirrors.brought_up()
    assert bench.record(content(1, 20), 0).error == 0
    kept = bench.whole_ledger()
    bench.start(Operation.RECORD, 1 << 40, 5)
    bench.wait(Event.DONE)
    assert bench.outputs()["error"] == Error.OUT_OF_RANGE and bench.whole_ledger() == kept
    for port in bench.ports:
        port.unplug()
    bench.run(2000)
    bench.start(Operation.RECORD, 0, 5)
    bench.wait(Event.DONE)
    assert bench.outputs()["error"] == Error.NOT_READY and bench.whole_ledger() == kept


def booked_clocks(streams, lanes):
    """From the first clock in which a word crosses or a lane has an account to the last one."""
    busy = [clock for clock, (crossed, *_) in enumerate(streams) if crossed or any(lane[clock] for lane in lanes)]
    return range(busy[0], busy[-1] + 1)


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
        sums, commands = bench.whole_ledger().accounts, bench.whole_ledger().commands
        least, most = dict.fromkeys(sums, 0), dict.fromkeys(sums, 0)
        for clock in booked_clocks(streams, lanes):
            crossed = streams[clock][0]
            accounts = {"payload"} if crossed else {lane[clock] for lane in lanes if lane[clock]} or {"turnaround"}
            if not crossed and "payload" in accounts:
                accounts = accounts - {"payload"} | {"lane_payload", "host_hold"}
            for account in accounts:
                most[account] += 1
                least[account] += len(accounts) == 1
        assert [(name, least[name], clocks, most[name]) for name, clocks in sums.items()
                if not least[name] <= clocks <= most[name]] == []
        assert sums["payload"] == 128 * 70 and sum(sums.values()) == len(booked_clocks(streams, lanes))
        assert commands == sum(len(port.observer.commands) for port in bench.ports) == 10
        bench.engine.sink(128 * 70, hold=hold)
        streams, lanes = watch(bench, Operation.PLAY, 30, 70)
        # The lane that is read has all of it.
        assert not any(lanes[1]) and bench.whole_ledger().commands == 5
        sums = bench.whole_ledger().accounts
        assert sums["payload"] == 128 * 70 and sum(sums.values()) == len(booked_clocks(streams, lanes))


@pytest.mark.parametrize("lane", [0, 1])
def test_goes_on_after_a_drop(lane):
    """What it takes to drop a drive is recovery; no clock between the first word and the end is left out."""
    bench = marked()
    bench.ports[lane].drive.behaviour.fail_lba = 100
    bench.engine.source(Bytes(content(lane, 200)), hold=Hold(3, 2))
    streams, lanes = watch(bench, Operation.RECORD_FLUSH, 11, 200)
    assert bench.dropped() == 1 << lane
    found = bench.whole_ledger().accounts
    assert found["payload"] == 128 * 200 and found["recovery"] > bench.ledger(1 - lane).accounts["recovery"] == 0
    assert sum(found.values()) == len(booked_clocks(streams, lanes))
