"""A flash drive keeps what was written: by random histories against a plain dictionary."""

from array import array

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from unit.drive_model.flash.judges import faults

from sata_drive_model.flash import CachedTranslation, ReadOnly, Rules, Translation, Unreadable
from sata_drive_model.flash.blocks import CLOSED

_UNITS = 8 * 12

_unit = st.integers(0, _UNITS - 1)
_run = st.tuples(_unit, st.integers(1, 40))
_steps = st.lists(st.one_of(
    st.tuples(st.just("write"), st.lists(_unit, min_size=1, max_size=60)),
    st.tuples(st.just("run"), _run),
    st.tuples(st.just("trim"), _run),
    st.tuples(st.just("flush"), st.none()),
    st.tuples(st.just("fold"), st.integers(1, 40)),
    st.tuples(st.just("scatter"), st.integers(1, 95)),
    st.tuples(st.just("cut"), st.none())), min_size=3, max_size=25)
_rules = st.fixed_dictionaries({
    "blocks": st.integers(12 + 5, 24), "slots": st.just(8), "chunks": st.just(12),
    "page_slots": st.sampled_from([1, 2, 4]), "pair_pages": st.sampled_from([0, 1, 2]),
    "victim": st.sampled_from(["greedy", "fifo", "best of ten"]), "level_free": st.booleans(),
    "level_spread": st.sampled_from([None, 2, 5]), "cache_slots": st.sampled_from([0, 3, 16, 20]),
    "dynamic_slots": st.sampled_from([0, 24]), "after_cache": st.sampled_from(["direct", "folding", "saw-tooth"]),
    "ram_slots": st.sampled_from([0, 3, 20, 200]), "protection": st.sampled_from(["none", "at rest", "full"]),
    "trim_reads": st.sampled_from(["zeros", "any"]), "seed": st.integers(0, 3)})


def drive_of(rules, **options):
    kind = CachedTranslation if rules.cache_blocks else Translation
    return kind(rules, **options)


class Host:
    """A host that knows for each unit what it may read: the versions since the last flush, the newest last."""

    def __init__(self, rules, endurance=None):
        self.drive = drive_of(Rules(**rules), careful=True, content=True, endurance=endurance)
        self.versions = {}
        self.unflushed = set()
        self.trimmed = {}
        self.count = 0

    def do(self, kind, what):
        drive, rules = self.drive, self.drive.rules
        if kind == "write":
            for unit in what:
                self.write(unit)
        elif kind == "run":
            for unit in range(what[0], min(sum(what), _UNITS)):
                self.write(unit)
        elif kind == "scatter":     # more than there is free, so that blocks are collected
            for number in range(_UNITS):
                self.write(number * number * what % _UNITS)
        elif kind == "trim":
            units = range(what[0], min(sum(what), _UNITS))
            for unit in units:
                if self.newest(unit) is not None:
                    self.trimmed[unit] = self.newest(unit)
                    self.versions.setdefault(unit, [None]).append(None)
                    self.unflushed.add(unit)
            drive.trim(units.start, len(units))
        elif kind == "flush":
            drive.flush()
            self.versions = {unit: kept[-1:] for unit, kept in self.versions.items()}
            self.unflushed.clear()
        elif kind == "fold" and rules.cache_blocks:
            drive.fold(what)
        elif kind == "cut":
            self.cut()

    def newest(self, unit):
        return self.versions.get(unit, [None])[-1]

    def write(self, unit):
        self.count += 1
        self.drive.write(unit, self.count)
        self.versions.setdefault(unit, [None]).append(self.count)
        self.unflushed.add(unit)
        self.trimmed.pop(unit, None)

    def cut(self):
        """What is lost was written or trimmed since the last flush; or it lay on the cells of a page that was being
        programmed, in a drive that protects nothing."""
        drive, rules = self.drive, self.drive.rules
        lost = drive.cut_power()
        if rules.protection == "full" or not rules.ram_slots:
            assert not lost
        assert len(lost - drive.damaged) <= rules.ram_slots
        assert lost - drive.damaged <= self.unflushed
        if rules.protection != "none":
            assert not drive.damaged
        assert len(lost & drive.damaged - self.unflushed) <= rules.page_slots
        for unit in range(_UNITS):
            if unit in drive.damaged:
                with pytest.raises(Unreadable):
                    drive.read(unit)
                self.versions[unit] = [None]
                continue
            slot = drive.map.slot(unit)
            found = drive.read(unit) if slot >= 0 else None
            known = self.versions.get(unit, [None])
            allowed = known if unit in lost else known[-1:]
            assert found in allowed
            self.versions[unit] = [found]
        self.unflushed.clear()
        self.trimmed.clear()

    def check(self):
        drive = self.drive
        assert faults(drive) == []
        for unit in range(_UNITS):
            if unit in drive.damaged:
                continue
            found = {drive.read(unit) for _ in range(3)}
            allowed = {self.newest(unit)}
            if drive.rules.trim_reads == "any" and self.newest(unit) is None:
                allowed.add(self.trimmed.get(unit))
            assert found <= allowed, unit


@settings(max_examples=150, deadline=None)
@given(_rules, _steps)
def test_nothing_is_lost(rules, steps):
    host = Host(rules)
    for kind, what in steps:
        host.do(kind, what)
        host.check()


@settings(max_examples=60, deadline=None)
@given(_rules, _steps, st.lists(st.integers(2, 12), min_size=24, max_size=24))
def test_nothing_is_lost_when_blocks_fail(rules, steps, endurance):
    """To the end: a drive that takes no write any more still has everything that it has acknowledged."""
    host = Host(rules, endurance=endurance)
    try:
        for kind, what in steps:
            host.do(kind, what)
            host.check()
        for count in range(2000):
            host.write(count * 7 % _UNITS)
    except ReadOnly:
        assert host.drive.read_only
    host.check()


@settings(max_examples=100, deadline=None)
@given(_rules, _steps)
def test_whole_chunks_are_as_units(rules, steps):
    """What is written at once, in a drive without a buffer, ends where it would end one by one: in the map."""
    fast = drive_of(Rules(**rules))
    written = set()
    for kind, what in steps:
        if kind == "write":
            fast.write_all(what)
            written |= set(what)
        elif kind == "scatter":
            units = [number * number * what % _UNITS for number in range(_UNITS)]
            fast.write_all(units)
            written |= set(units)
        elif kind in ("run", "trim"):
            begin, end = what[0] - what[0] % 8, min(_UNITS, what[0] + what[1])
            (fast.write_run if kind == "run" else fast.trim)(begin, end - begin)
            written = written | {*range(begin, end)} if kind == "run" else written - {*range(begin, end)}
        elif kind == "fold" and fast.rules.cache_blocks:
            fast.fold(what)
        assert {unit for unit in range(_UNITS) if fast.map.slot(unit) >= 0} == written
        assert faults(fast) == []


@settings(max_examples=100, deadline=None)
@given(_rules, _steps)
def test_runs_are_as_units(rules, steps):
    """A run of any length from any unit on ends in the same slots, erases and counts as its units one by one."""
    fast, slow = drive_of(Rules(**rules)), drive_of(Rules(**rules))
    for kind, what in steps:
        if kind == "write":
            fast.write_all(what)
            slow.write_all(what)
        elif kind == "run":
            units = range(what[0], min(_UNITS, sum(what)))
            fast.write_run(units.start, len(units))
            slow.write_all(units)
        elif kind == "trim":
            units = range(what[0], min(_UNITS, sum(what)))
            fast.trim(units.start, len(units))
            slow.trim(units.start, len(units))
        elif kind == "fold" and fast.rules.cache_blocks:
            fast.fold(what)
            slow.fold(what)
        assert faults(fast) == []
        assert [fast.map.slot(unit) for unit in range(_UNITS)] == [slow.map.slot(unit) for unit in range(_UNITS)]
        assert (fast.blocks.erases, fast.work) == (slow.blocks.erases, slow.work)


@pytest.mark.parametrize("cache", [0, 16])
@pytest.mark.parametrize("command", [1, 2, 4, 24])
def test_a_stream_takes_one_number_a_chunk(command, cache):
    """In commands of any size: a drive of terabytes that records fits into memory, written once or over and over."""
    drive = drive_of(Rules(blocks=24, slots=8, chunks=12, cache_slots=cache))
    for _ in range(5):
        for start in range(0, _UNITS, command):
            drive.write_run(start, command)
        arrays = [one for one in (*drive.map.chunks, *drive.map.owners) if isinstance(one, array)]
        assert len(arrays) <= 2
        assert faults(drive) == []


def test_what_was_written_until_the_end_is_counted():
    drive = Translation(Rules(blocks=18, slots=8, chunks=12, spare=0), endurance=[4] * 18)
    taken = []
    with pytest.raises(ReadOnly):
        drive.write_all(taken.append(unit) or unit for _ in range(100) for unit in range(_UNITS))
    assert drive.work.host == len(taken) - 1    # the last one was refused
    assert faults(drive) == []


@settings(max_examples=60, deadline=None)
@given(_rules, st.lists(_unit, min_size=1, max_size=6), st.integers(2, 5))
@example({"blocks": 17, "slots": 8, "chunks": 12, "victim": "best of ten", "seed": 3}, [0, 48], 5)
def test_wear_is_levelled(rules, hot, spread):
    """However few units are written, no block is erased much more often than another one. With the fewest blocks there
    are, this is of those that are full: one that is free was erased less, and is filled next, but waits its turn."""
    drive = drive_of(Rules(**rules | {"level_spread": spread, "level_free": True, "cache_slots": 0,
                                      "dynamic_slots": 0}))
    drive.write_run(0, _UNITS)
    for _ in range(12):
        drive.write_all(hot * 40)
        least, _, most = drive.blocks.spread
        if drive.rules.blocks == drive.rules.chunks + 5:
            least = min(count for count, state in zip(drive.blocks.erases, drive.blocks.state) if state == CLOSED)
        assert most - least <= spread + 1


def test_without_levelling_wear_is_not():
    drive = Translation(Rules(blocks=24, slots=8, chunks=12, level_free=False))
    drive.write_run(0, _UNITS)
    drive.write_all([1] * 5000)
    least, _, most = drive.blocks.spread
    assert most - least > 50


@pytest.mark.parametrize("change, words", [
    ({"blocks": 16}, "blocks = 16: at least 17"), ({"page_slots": 3}, "slots = 8: must be a multiple of page_slots"),
    ({"chunks": 0}, "must be at least 1")])
def test_rules_refuse(change, words):
    with pytest.raises(ValueError, match=words):
        Rules(**{"blocks": 20, "slots": 8, "chunks": 12} | change)


def test_a_cut_needs_care():
    with pytest.raises(ValueError, match="careful"):
        Translation(Rules(blocks=20, slots=8, chunks=12)).cut_power()
