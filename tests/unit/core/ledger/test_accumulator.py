"""The ledger against sums, minima and maxima in Python."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sata_recorder.core.ledger import CLEAR_CLOCKS, SETTLE_CLOCKS, Account, Entry
from sata_recorder.core.ledger.accumulator import Accumulator
from unit.bench import Bench

BENCH = Bench(Accumulator())
NO_MINIMUM = 2**48 - 1
EXTREMES = {Entry.TURNAROUND_MIN: "turnaround", Entry.TURNAROUND_MAX: "turnaround",
            Entry.OVERHEAD_MIN: "overhead", Entry.OVERHEAD_MAX: "overhead"}
IDLE = {"sequencer__enable": 0, "sequencer__recovery": 0, "sequencer__flush": 0,
        "sequencer__completed": 0, "cycle__valid": 0, "cycle__issue": 0, "cycle__payload": 0}


def clock(account, **inputs):
    return {"sequencer__enable": 1, "cycle__valid": 1, "cycle__account": account} | inputs


async def book(bench, rows, before=0, clear=True):
    """Clears the ledger, gives ``rows`` (inputs, a dict a clock) and reads all entries."""
    bench.set(**IDLE)
    await bench.tick(before)
    if clear:
        bench.set(sequencer__clear=1)
        await bench.tick(CLEAR_CLOCKS)
        bench.set(sequencer__clear=0)
    for row in rows:
        bench.set(**IDLE | row)
        await bench.tick()
    bench.set(**IDLE)
    await bench.tick(SETTLE_CLOCKS)
    return await read(bench)


async def read(bench):
    found = []
    for address in range(34):       # an entry comes two clocks after its address
        bench.set(address=address % 32)
        if address >= 2:
            found.append(bench.get("data"))
        await bench.tick()
    return {entry: found[entry] for entry in (*Account, *EXTREMES, Entry.COMMANDS)}


def expected(rows):
    """What the rows of whole commands come to."""
    sums = dict.fromkeys(Account, 0)
    samples = {"turnaround": [], "overhead": []}
    turnaround = since = 0
    issued, completed = False, 0
    for row in rows:
        completed += row.get("sequencer__completed", 0)
        if not (row.get("sequencer__enable") and row.get("cycle__valid")):
            continue
        flush = row.get("sequencer__flush", 0)
        account = Account.FLUSH if flush else Account(row["cycle__account"])
        sums[account] += 1
        if flush:
            continue
        if row.get("cycle__issue"):
            samples["turnaround"].append(turnaround)
            issued = True
        turnaround += account == Account.TURNAROUND
        if row.get("cycle__payload"):
            if issued:
                samples["overhead"].append(since)
            issued, since, turnaround = False, 0, 0
        else:
            since += 1
    result = sums | {Entry.COMMANDS: completed}
    for entry, name in EXTREMES.items():
        result[entry] = (max(samples[name], default=0) if entry & 1
                         else min(samples[name], default=NO_MINIMUM))
    return result


def nothing(**entries):
    return expected([]) | {Account[name.upper()]: value for name, value in entries.items()}


def operation(rng, commands, flush=0):
    """The clocks of an operation: commands of at least a sector, and perhaps FLUSH CACHE."""
    waits = [Account.HANDSHAKE, Account.DEVICE_HOLD, Account.ACTIVATE_WAIT, Account.DATA_WAIT,
             Account.FRAMING, Account.RECOVERY]
    rows = [{"sequencer__enable": 1}] * rng.randrange(40)
    for number in range(commands):
        if number:
            rows += [clock(Account.TURNAROUND)] * rng.choice([0, 1, 2, 5, 63, 64, 65, 200, 500])
        rows.append(clock(Account.COMMAND, cycle__issue=number > 0))
        rows += [clock(Account.COMMAND)] * rng.randrange(30)
        for _ in range(rng.randrange(4)):
            rows += [clock(rng.choice(waits))] * rng.choice([1, 2, 40, 64, 65, 128, 300])
        payload = 128 * rng.choice([1, 1, 2])
        while payload:
            run = min(payload, rng.choice([1, 1, 5, 100, 300]))
            payload -= run
            rows += [clock(Account.PAYLOAD, cycle__payload=1)] * run
            rows += [clock(rng.choice([Account.ALIGN, Account.PHY_WAIT, Account.HOST_HOLD]))
                     ] * rng.choice([0, 0, 1, 2, 100])
        rows += [clock(Account.COMPLETION_WAIT)] * (1 + rng.choice([0, 1, 3, 70]))
        rows[-1] = rows[-1] | {"sequencer__completed": 1}
    rows += [clock(Account.TURNAROUND, sequencer__flush=1)] * flush
    return rows


def test_nothing():
    assert BENCH.run(book, []) == nothing()
    assert nothing()[Entry.TURNAROUND_MIN] == nothing()[Entry.OVERHEAD_MIN] == NO_MINIMUM


@pytest.mark.parametrize("account", list(Account)[:-1])
def test_each_account_alone(account):
    """In every clock for longer than the scan takes, and a count that carries twice."""
    for clocks in 1, 31, 32, 33, 63, 64, 65, 200:
        assert BENCH.run(book, [clock(account)] * clocks, clocks) == nothing(
            **{account.name: clocks})


def test_carries():
    """Past 2^12, in an account that is booked in every clock."""
    assert BENCH.run(book, [clock(Account.DATA_WAIT)] * 5000) == nothing(data_wait=5000)


def test_flush_takes_everything():
    rows = [clock(account, sequencer__flush=1, cycle__payload=1, cycle__issue=1) for account in Account]
    assert BENCH.run(book, rows * 10) == nothing(flush=140)


@pytest.mark.parametrize("row", [{"sequencer__enable": 0}, {"cycle__valid": 0}])
def test_not_booked(row):
    assert BENCH.run(book, [clock(Account.PAYLOAD, cycle__issue=1) | row] * 50) == nothing()


@pytest.mark.parametrize("waits", [0, 1, 40])
def test_recovery(waits):
    """From the failure to the clock that the command layer books again, which may be later."""
    off = {"cycle__valid": 0}
    rows = [*[clock(Account.DATA_WAIT)] * 3, *[clock(Account.DATA_WAIT, sequencer__recovery=1)] * 5,
            *[clock(Account.DATA_WAIT, **off)] * waits, *[clock(Account.COMMAND)] * 7,
            *[clock(Account.COMMAND, **off)] * 9]
    assert BENCH.run(book, rows) == nothing(data_wait=3, recovery=5 + waits, command=7)


@settings(max_examples=settings().max_examples // 4)
@given(st.integers(0, 2**32 - 1), st.integers(0, 31))
def test_random_accounts(seed, before):
    """Any account in any clock, not all of them booked: the sums."""
    rng = random.Random(seed)
    rows = []
    while len(rows) < 300:
        row = clock(rng.choice(list(Account)), sequencer__enable=rng.random() < 0.9,
                    cycle__valid=rng.random() < 0.9, sequencer__flush=rng.random() < 0.1)
        rows += [row] * rng.choice([1, 1, 2, 3, 70])
    assert BENCH.run(book, rows, before) == expected(rows)


@settings(max_examples=settings().max_examples // 4)
@given(st.integers(0, 2**32 - 1), st.integers(0, 31), st.integers(1, 4), st.sampled_from([0, 90]))
def test_operation(seed, before, commands, flush):
    """Sums, extremes and the number of commands, at any phase of the scan."""
    rows = operation(random.Random(seed), commands, flush)
    found = BENCH.run(book, rows, before)
    assert found == expected(rows)
    booked = sum(bool(row.get("cycle__valid")) for row in rows)
    assert sum(found[account] for account in Account) == booked


def plain(*turnarounds):
    """Commands of a sector, with these turnarounds between them."""
    command = ([clock(Account.COMMAND)] * 3 + [clock(Account.PAYLOAD, cycle__payload=1)] * 128
               + [clock(Account.COMPLETION_WAIT, sequencer__completed=1)])
    rows = [*command]
    for turnaround in turnarounds:
        rows += [clock(Account.TURNAROUND)] * turnaround + [
            clock(Account.COMMAND, cycle__issue=1), *command]
    return rows


@pytest.mark.parametrize("phase", range(32))
def test_no_event_is_lost(phase):
    """Completions and extremes, wherever the scan is when they come."""
    found = BENCH.run(book, plain(7, 3), phase, clear=False)
    assert [found[entry] for entry in EXTREMES] == [3, 7, 3 + 5, 7 + 5]
    assert found[Entry.COMMANDS] == 3


def test_last_command_is_no_sample():
    """A turnaround that no command follows is a part of no overhead."""
    rows = plain(5) + [clock(Account.TURNAROUND)] * 500
    found = BENCH.run(book, rows)
    assert [found[entry] for entry in EXTREMES] == [5, 5, 10, 10]
    assert found[Account.TURNAROUND] == 505


@pytest.mark.parametrize("clocks", [29, 30, 31, 32, 60])
def test_turnaround_saturates(clocks):
    """At all ones, in a register short enough to be filled."""
    rows = [clock(Account.TURNAROUND)] * clocks + [clock(Account.COMMAND, cycle__issue=1)]
    found = Bench(Accumulator(turnaround_width=5)).run(book, rows)
    assert found[Entry.TURNAROUND_MAX] == min(clocks, 31)


def test_clear():
    """Nothing of an operation is left in the next one, not even what was not looked at yet."""
    async def script(bench):
        await book(bench, plain(40, 80))
        # Cut off right after an issue and after a first payload.
        for cut in (128 + 3 + 1 + 41, 128 + 3 + 1 + 45, 128 + 3 + 1 + 80):
            for row in plain(40, 80)[:cut]:
                bench.set(**IDLE | row)
                await bench.tick()
            assert await book(bench, []) == nothing()
        return await book(bench, plain(6))
    assert BENCH.run(script) == expected(plain(6))


def test_goes_on_without_clear():
    async def script(bench):
        await book(bench, plain(6))
        return await book(bench, [clock(Account.FLUSH)] * 70, clear=False)
    assert BENCH.run(script) == expected(plain(6)) | {Account.FLUSH: 70}
