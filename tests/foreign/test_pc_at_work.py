"""Somebody works with a prepared drive between two recordings, fsck.exfat too: whatever he has done, a
recording costs him no byte of his files, and is there.

The somebody is `drive_images.Pc`, which shares no code with the project; `test_linux_at_work.py` has Linux.
"""

import random

import pytest
from drive_images import CASES, Unavailable, made, pc_of, prepared

from foreign.at_work import CLEAN, REPAIRED, files_of, record_everywhere, recorded

MODES = ["-y", "-p", "-y -s"]


@pytest.mark.sample(34)
@pytest.mark.parametrize("options", [pytest.param(mode, marks=() if mode == MODES[-1] else pytest.mark.long)
                                     for mode in MODES])
@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.as_prepared])
def test_after_a_repair(tmp_path, repair, name, options):
    """fsck.exfat may delete what is broken, and finds owners for clusters that have none."""
    try:
        image, planned = made(CASES[name])
    except Unavailable as error:
        pytest.skip(str(error))
    status = repair(image, planned, *options.split())
    clean = status in (CLEAN, REPAIRED)
    if clean:
        assert repair(image, planned, "-n") == CLEAN
    count = record_everywhere(tmp_path / "disk.img", image, planned, repair)
    if clean and not CASES[name].unfinished:
        # What was sound before is free still.
        assert count >= len(CASES[name].free), (count, status)


# Random work.

def _new(pc, rng):
    folder = rng.choice(["", "RECORDINGS/", "holiday/"])
    if folder == "holiday/" and "holiday" not in pc.tree():
        pc.mkdir("holiday")
    name = f"{folder}{'a long name of a photograph ' * rng.randrange(2)}{rng.randrange(10**6)}.jpg"
    pc.create(name, rng.randbytes(rng.choice([0, 1, 4096, 5000, 200_000])))


def _his(pc, rng):
    """One of the files that somebody may touch: his own, and recordings."""
    found = [path for path, one in pc.tree().items() if not one.is_folder
             and not path.lower().endswith(".unused")]
    return rng.choice(found) if found else None


def _delete(pc, rng):
    if path := _his(pc, rng):
        pc.delete(path)


def _rename(pc, rng):
    if path := _his(pc, rng):
        folder = path.rpartition("/")[0]
        pc.rename(path, f"{folder}{'/' * bool(folder)}renamed {rng.randrange(10**6)}"
                        f"{' and longer than before' * rng.randrange(2)}")


def _move(pc, rng):
    if path := _his(pc, rng):
        pc.rename(path, f"{rng.choice(['', 'RECORDINGS/'])}moved {rng.randrange(10**6)}")


def _edit(pc, rng):
    if path := _his(pc, rng):
        pc.write(path, rng.randbytes(rng.choice([1, 4096, 60_000, 300_000])))


def _many(pc, rng):
    names = [f"RECORDINGS/copied {'with a long name ' * rng.randrange(2)}{number}" for number in range(40)]
    for name in names:
        pc.create(name, rng.randbytes(rng.randrange(6000)))
    for name in names:
        if rng.random() < 0.9:
            pc.delete(name)


def _fill(pc, rng):
    name = f"full {rng.randrange(10**6)}"
    pc.fill_up(name)
    if rng.random() < 0.7:
        pc.delete(name)


def _flags(pc, rng):
    pc.set_flags(dirty=rng.random() < 0.5, percent=rng.randrange(101))


def _look(pc, rng):
    for path in list(pc.tree()):
        pc.touch(path, 46 << 25 | 12 << 21 | rng.randrange(1, 29) << 16)


def _rescue(pc, rng):
    """The hidden file of what is not used becomes one of his own, or goes."""
    found = [path for path in pc.tree() if path.endswith(".unused")]
    if found and rng.random() < 0.3:
        path = rng.choice(found)
        if rng.random() < 0.5:
            pc.delete(path)
        else:
            pc.rename(path, f"RECORDINGS/rescued {rng.randrange(10**6)}")


WORK = [_new, _new, _new, _delete, _rename, _move, _edit, _many, _fill, _flags, _look, _rescue]


@pytest.mark.wide
@pytest.mark.parametrize("run", range(2))
def test_random_work(tmp_path, repair, seed, run, turns):
    """Between any two recordings somebody does anything; each recording costs nothing, and each that is
    there stays readable until he changes it."""
    rng = random.Random(f"{seed} {run}")
    random.seed(rng.random())
    slots = 12
    image, planned = prepared(slots)
    taken = []
    for _ in range(slots * turns(1, 20)):
        for _ in range(rng.randrange(1, 4)):
            work = rng.choice(WORK)
            try:
                work(pc_of(image, planned), rng)
            except AssertionError as error:
                assert "No space left" in str(error)
            taken.append(work.__name__)
        assert repair(image, planned, "-n") in (CLEAN, REPAIRED) or "_flags" in taken
        before, was = files_of(image, planned), repair(image, planned, "-n")
        number = rng.randrange(1, slots + 1)
        name, data = recorded(tmp_path / "disk.img", image, planned, number, rng.randrange(1, 600_000))
        after = files_of(image, planned)
        if name is not None:
            assert after.pop(name) == data, taken
        assert after == before, taken
        assert repair(image, planned, "-n") <= was, taken
