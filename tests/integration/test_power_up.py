"""Drives with Power-Up In Standby, whose word 2 keeps for ever what it has after power-up, CFast cards, and
the pauses between the attempts to bring up a drive that fails each of them."""

import struct

import pytest
from integration.drives import answer_by
from integration.small import RETRY, SMALL, commands, connect, content, works
from integration.test_identify import with_words
from sata_drive_model import Drive, Fault, PowerUp
from sata_drive_model.device.identify import checksum

from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.simulation import Event

IDENTIFY, SET_FEATURES = 0xEC, 0xEF
SIGNATURE_CLOCKS = 30_000
#: A tick of the timer of SMALL: the pauses are powers of two of them.
TICK = 256


def opcodes(b):
    return [command[0] for command in commands(b)]


@pytest.mark.parametrize("keeps", [True, False])
@pytest.mark.parametrize("incomplete", [True, False])
@pytest.mark.parametrize("word", [0x37C8, 0x738C])
def test_a_drive_spins_up_and_is_used(bench, word, incomplete, keeps):
    """SET FEATURES, spin-up, once; then its data count, whatever word 2 is."""
    b = bench(**SMALL, drive={"power_up": PowerUp(word=word, keeps=keeps, incomplete=incomplete)},
              spin_up_latency=500)
    assert opcodes(b) == [IDENTIFY, SET_FEATURES, IDENTIFY] and b.port.resets == 1
    assert b.outputs()["error"] == Error.NONE and b.identify() == b.drive.page
    works(b)


@pytest.mark.parametrize("word", [0x37C8, 0x738C])
def test_a_drive_that_refuses_to_be_told(bench, word):
    """It runs already, and knows no such command."""
    b = bench(**SMALL, drive={"power_up": PowerUp(word=word, asleep=False, answer="abort")})
    assert opcodes(b) == [IDENTIFY, SET_FEATURES, IDENTIFY] and b.port.resets == 1
    works(b)


@pytest.mark.parametrize("word", [0x0000, 0x8C73, 0xC837, 0x1234])
def test_a_drive_that_spins_up_by_itself(bench, word):
    """8C73h: the data are incomplete, which word 0 would say, too."""
    b = bench(**SMALL, drive={"power_up": PowerUp(word=word, asleep=False)})
    assert opcodes(b) == [IDENTIFY] and b.port.resets == 1
    works(b)


def test_a_drive_that_did_not_answer_once(bench):
    """The line may have lost the command: without it the drive would sleep, and abort what follows."""
    b = bench(**SMALL, up=False, drive={"power_up": PowerUp(word=0x37C8)})
    b.behaviour.mute = frozenset({"spin-up"})
    assert b.bring_up()["error"] == Error.TIMEOUT
    b.behaviour.mute = frozenset()
    b.wait(Event.READY)
    assert b.port.resets == 2 and opcodes(b) == [IDENTIFY, IDENTIFY, SET_FEATURES, IDENTIFY]
    works(b)


@pytest.mark.parametrize("nth", [0, 1, 2])
@pytest.mark.parametrize("kind", ["held", "refused", "unanswered", "missing"])
def test_any_frame_of_bring_up_is_lost(bench, kind, nth):
    """The commands of bring-up, one at a time: the drive that is used does not sleep."""
    b = bench(**SMALL, up=False, drive={"power_up": PowerUp(word=0x37C8)})
    b.port.inject([Fault(kind=kind, nth=nth)])
    b.bring_up()
    if not b.outputs()["ready"]:
        b.wait(Event.READY)
    assert [fault.kind for _, fault in b.port.collect()] == [kind]
    works(b)


def test_a_drive_that_does_not_answer_it_for_long(bench):
    """A COMRESET each time, and it is told again: it may be asleep, and is not used before it answers."""
    b = bench(**SMALL, up=False, drive={"power_up": PowerUp(asleep=False)})
    b.behaviour.mute = frozenset({"spin-up"})
    assert b.bring_up()["error"] == Error.TIMEOUT
    # It has the time of a drive that spins up.
    assert SIGNATURE_CLOCKS < b.engine.state().cycle < 1.1 * SIGNATURE_CLOCKS
    b.run(5 * SIGNATURE_CLOCKS)
    assert not b.outputs()["ready"] and b.outputs()["error"] == Error.TIMEOUT
    assert b.port.resets == 6 and opcodes(b) == [IDENTIFY] * 6
    b.behaviour.mute = frozenset()
    b.wait(Event.READY)
    assert opcodes(b)[-3:] == [IDENTIFY, SET_FEATURES, IDENTIFY]
    works(b)


def test_a_drive_that_cannot_spin_up(bench):
    """A device fault is no answer of a drive that runs."""
    b = bench(**SMALL, up=False, drive={"power_up": PowerUp(answer="fault")})
    assert b.bring_up()["error"] == Error.IDENTIFY_FAILED
    b.run(2 * SIGNATURE_CLOCKS)
    assert not b.outputs()["ready"] and b.port.resets > 2
    assert opcodes(b)[:4] == [IDENTIFY, SET_FEATURES, IDENTIFY, SET_FEATURES]


@pytest.mark.parametrize("away", ["power", "swap"])
@pytest.mark.parametrize("answers", [True, False])
def test_another_drive_while_the_link_is_down(bench, answers, away):
    """What the drive before has been told does not count, in the middle of bring-up either."""
    b = bench(**SMALL, up=False, drive={"power_up": PowerUp(word=0x37C8)}, spin_up_latency=500)
    b.engine.set(rst=1)
    b.run(4)
    b.engine.set(rst=0)
    if not answers:
        b.behaviour.mute = frozenset({"spin-up"})
    while b.drive.asleep if answers else b.port.resets < 3:
        b.run(10)
    b.behaviour.mute = frozenset()
    if away == "power":
        b.drive.power_off()
        b.port.drop_link(3000)
    else:
        b.port.plug(connect(unit={"power_up": PowerUp(word=0x37C8)}).drive, 3000)
    b.run(3000)
    b.wait(Event.READY)
    assert opcodes(b)[-3:] == [IDENTIFY, SET_FEATURES, IDENTIFY]
    works(b)


@pytest.mark.parametrize("latency", [0, 29_000])
def test_it_has_the_time_of_a_disk_that_spins_up(bench, latency):
    b = bench(**SMALL, drive={"power_up": PowerUp()}, spin_up_latency=latency)
    assert b.port.resets == 1 and b.engine.state().cycle > latency
    works(b)


@pytest.mark.parametrize("away", [True, False])
@pytest.mark.parametrize("incomplete", [True, False])
def test_in_a_recording(bench, incomplete, away):
    """The drive loses its power, or the link only: it is the same one, and the recording continues."""
    b = bench(**RETRY, drive={"power_up": PowerUp(word=0x37C8, incomplete=incomplete)})
    data = content(1, 40)
    b.engine.source(data)
    b.start(Operation.RECORD, 50, 40)
    b.run(300)
    b.port.drop_link(50)
    if away:
        b.drive.power_off()
    b.wait(Event.DONE)
    assert (b.outputs()["error"], b.outputs()["cause"]) == (0, Error.LINK_LOST)
    assert b.image.read_sectors(50, 40) == data and b.port.resets == 1
    works(b)


@pytest.mark.wide
def test_in_a_recording_of_a_drive_that_does_not_answer_once(bench):
    """The time of a recovery is longer than the time that a drive has to spin up."""
    b = bench(**RETRY | {"recovery_timeout": 0.058}, drive={"power_up": PowerUp(word=0x37C8)})
    data = content(1, 40)
    b.engine.source(data)
    b.start(Operation.RECORD, 50, 40)
    b.run(300)
    b.behaviour.mute = frozenset({"spin-up"})
    b.port.drop_link(50)
    b.drive.power_off()
    while b.port.resets < 2:
        b.run(100)
    b.behaviour.mute = frozenset()
    b.wait(Event.DONE)
    assert b.outputs()["error"] == 0 and b.image.read_sectors(50, 40) == data
    works(b)


@pytest.mark.parametrize("clock", range(0, 900, 41))
def test_link_falls_meanwhile(bench, clock):
    b = bench(**SMALL, up=False, drive={"power_up": PowerUp(incomplete=True)}, spin_up_latency=100)
    b.engine.set(rst=1)
    b.run(4)
    b.engine.set(rst=0)
    b.run(60 + clock)
    b.port.drop_link(30)
    b.run(40)
    b.wait(Event.READY)
    assert b.outputs()["error"] == 0
    works(b)


@pytest.mark.parametrize("words", [{49: 0}, {60: 0, 61: 0, 100: 0, 101: 0, 102: 0, 103: 0}], ids=str)
def test_data_that_say_nothing_are_no_verdict(bench, words):
    """Word 2 reports that they are incomplete, word 0 does not: no word of it is no lack of it."""
    b = bench(connect(with_words({2: 0x8C73} | words)), **SMALL, up=False)
    assert b.bring_up()["error"] == Error.IDENTIFY_FAILED
    good = connect().drive
    b.drive.link_up = lambda: (setattr(b.drive, "page", good.page), Drive.link_up(b.drive))
    works(b)


@pytest.mark.parametrize("word", [0x848A, 0x844A])
def test_a_compact_flash_card_is_a_disk(bench, word):
    b = bench(**SMALL, drive={"general": word})
    assert b.outputs()["error"] == Error.NONE
    works(b)


@pytest.mark.parametrize("word", [0x848B, 0x8480, 0x044A, 0x84CA, 0x8440])
def test_no_other_word_makes_a_card(bench, word):
    b = bench(**SMALL, up=False, drive={"general": word})
    assert b.bring_up()["error"] == (Error.NOT_ATA if word & 0x8000 else Error.NONE)


# Pauses --------------------------------------------------------------------------------------------

def attempts(b, count):
    """The clocks in which IDENTIFY DEVICE comes, of as many attempts that fail."""
    heard = []
    answer_by(b.drive, lambda register, answer: (heard.append(b.port.now), answer(register)))
    while len(heard) < count:
        b.run(50)
    return heard[:count]


def test_pauses_become_longer(bench):
    """The first attempt after a failure comes at once; the pauses after the others double, to a limit."""
    b = bench(connect(with_words({0: 0x0044})), **SMALL, up=False)
    b.bring_up()
    clocks = attempts(b, 12)
    gaps = [after - before for before, after in zip(clocks, clocks[1:])]
    # The first gap is that after the second failure.
    for number, gap in enumerate(gaps):
        ticks = 2 ** min(number + 1, 6)
        assert (ticks - 1) * TICK < gap < ticks * TICK + 900, (number, gap)
    assert b.port.resets < 20


def test_the_first_retry_comes_at_once(bench):
    b = bench(**SMALL, up=False, abort_identify=1)
    b.bring_up()
    failed = b.engine.state().cycle
    b.wait(Event.READY)
    assert b.engine.state().cycle - failed < TICK + 400 and b.port.resets == 2
    works(b)


@pytest.mark.parametrize("how", ["plug", "link"])
def test_a_new_connection_does_not_wait(bench, how):
    """In the longest pause: another drive, or the same one that comes back."""
    b = bench(connect(with_words({0: 0x0044})), **SMALL, up=False)
    b.bring_up()
    attempts(b, 9)
    b.run(1000)
    resets = b.port.resets
    good = connect().drive
    if how == "plug":
        b.port.plug(good)
    else:
        b.drive.link_up = lambda: (setattr(b.drive, "page", good.page), Drive.link_up(b.drive))
        b.port.drop_link(20)
    begin = b.engine.state().cycle
    b.wait(Event.READY)
    assert b.engine.state().cycle - begin < 2000 and b.port.resets == resets
    works(b)


def test_pauses_begin_anew_with_a_usable_drive(bench):
    b = bench(connect(with_words({0: 0x0044})), **SMALL, up=False)
    bad = b.drive.page
    b.bring_up()
    attempts(b, 8)
    good = connect().drive.page
    b.drive.link_up = lambda: (setattr(b.drive, "page", good), Drive.link_up(b.drive))
    works(b)
    broken = bytearray(good)
    struct.pack_into("<H", broken, 0, 0x0044)
    broken[510:] = struct.pack("<H", checksum(broken))
    assert bad != bytes(broken)
    b.drive.link_up = lambda: (setattr(b.drive, "page", bytes(broken)), Drive.link_up(b.drive))
    b.port.drop_link(20)
    b.run(60)
    first, second, third = attempts(b, 3)
    assert second - first < TICK + 900 and TICK < third - second < 2 * TICK + 900
