"""Who stands below a drive port keeps its contract: the SATA side, and a fake without SATA."""

import functools

import pytest

from contracts import checks
from contracts.drive_port import BrokenContract
from contracts.faults import FAULTS, QUEUE_FAULTS
from contracts.knobs import Remedy
from contracts.sides import COMMAND_SECTORS, on_fake, on_sata
from sata_recorder.core.drive_port import DrivePort, Operation
from short import short

PLAY, RECORD = Operation.PLAY, Operation.RECORD
SIDES = pytest.mark.parametrize("on", [on_fake, on_sata])

# What each side does about a command that fails is chosen for it: how it is built, or told.
moves_again = functools.partial(on_fake, remedy=Remedy.AGAIN, retains=True)
resumes = functools.partial(on_fake, remedy=Remedy.RESUME)
skips = functools.partial(on_fake, remedy=Remedy.SKIP)
sata_skips = functools.partial(on_sata, retries=1, retain_sectors=0, on_failure="skip")


# No command fails ---------------------------------------------------------------------------------

@pytest.mark.sample(3)
@SIDES
@pytest.mark.parametrize("gives, flush", [(1.0, False), (0.3, True)])
def test_recording(on, gives, flush):
    port = on(checks.check_recording, lba=5, sectors=6, seed=1, gives=gives, flush=flush)
    assert port.commands == 2


@SIDES
@pytest.mark.parametrize("delivers", [1.0, 0.5])
def test_play_back(on, delivers):
    port = on(checks.check_play_back, lba=5, sectors=6, seed=2, delivers=delivers)
    assert port.commands == 2


@SIDES
def test_hold(on):
    port = on(checks.check_hold, lba=0, sectors=6, seed=3)
    assert port.held_words > 0


@SIDES
def test_refusal(on):
    on(checks.check_refusal)


@SIDES
@pytest.mark.parametrize("operation", [PLAY, RECORD])
def test_stop(on, operation):
    on(checks.check_stop, operation, sectors=3 * COMMAND_SECTORS, seed=4)


@SIDES
def test_opening(on):
    on(checks.check_opening)


@SIDES
def test_flush(on):
    on(checks.check_flush)


# Commands and FLUSH CACHE fail --------------------------------------------------------------------

@SIDES
def test_flush_failure(on):
    on(checks.check_flush_failure)


@pytest.mark.parametrize("on, failure, times", [
    (moves_again, "begin", 1), (moves_again, "middle", 3), (moves_again, "end", 2),
    (resumes, "begin", 1), (resumes, "middle", 2), (resumes, "end", 1),
    *short([(on_sata, "abort", 2), (on_sata, "media", 1), (on_sata, "crc", 2),
            (on_sata, "link", 1)], [(on_sata, "crc", 2)])
])
def test_reread(on, failure, times):
    """The whole command comes again, or what is left of it."""
    port = on(checks.check_reread, failure, sectors=6, seed=5, delivers=0.7, times=times)
    assert port.failures == times
    # After the sector that a status named a playback continues; of the rest it knows nothing.
    assert port.rereads == (0 if on is resumes or failure in ("abort", "media") else times)


@pytest.mark.parametrize("on, failure, times", [
    (moves_again, "begin", 1), (moves_again, "middle", 3), (moves_again, "end", 1),
    *short([(on_sata, "abort", 1), (on_sata, "refused", 2), (on_sata, "escaped", 1),
            (on_sata, "link", 1)], [(on_sata, "refused", 2), (on_sata, "link", 1)])
])
def test_retained(on, failure, times):
    port = on(checks.check_retained, failure, sectors=6, seed=6, gives=0.7, times=times)
    assert port.failures == times and not port.skips


@pytest.mark.parametrize("times", [1, None])
@pytest.mark.parametrize("operation", [PLAY, RECORD])
@pytest.mark.parametrize("on, failure", [(skips, "begin"), (skips, "middle"), (skips, "end")])
def test_skip(on, failure, operation, times):
    port = on(checks.check_skip, failure, operation, sectors=10, seed=7, times=times)
    assert port.skips == (times or 3)


@pytest.mark.sample(2)
@pytest.mark.parametrize("failure, operation", [
    ("abort", PLAY), ("abort", RECORD), ("media", PLAY), ("media", RECORD), ("refused", RECORD)])
def test_skip_sata(failure, operation):
    """What was tried again in vain; and the words that were not kept."""
    port = sata_skips(checks.check_skip, failure, operation, sectors=6, seed=7)
    assert port.failures > (operation == PLAY)


@pytest.mark.parametrize("operation", [PLAY, RECORD])
@pytest.mark.parametrize("on, failure", [
    (on_fake, "begin"), (on_fake, "middle"), (on_fake, "end"),
    (on_sata, "abort"), (on_sata, "media")])
def test_end(on, failure, operation):
    on(checks.check_end, failure, operation, sectors=6, seed=8)


@pytest.mark.parametrize("operation", [PLAY, RECORD])
@pytest.mark.parametrize("on, failure", [(skips, "middle"), (sata_skips, "abort")])
def test_no_room(on, failure, operation):
    on(checks.check_no_room, failure, operation, sectors=6, seed=9)


@pytest.mark.parametrize("on, failure", [(moves_again, "middle"), (on_sata, "crc")])
def test_tainted(on, failure):
    on(checks.check_tainted, failure, sectors=6, seed=10)


@pytest.mark.parametrize("word", [0, 130, 511, 600])
@pytest.mark.parametrize("on", [moves_again, on_sata])
def test_lost(on, word):
    on(checks.check_lost, sectors=6, word=word, seed=11)


# What breaks the contract is found ----------------------------------------------------------------

ONE, TWO, SIX = ({"lba": 5, "sectors": sectors} for sectors in (1, 2, 6))
FAILS = {"failure": "middle", "sectors": 6}
FOUND = {
    "short": (on_fake, checks.check_recording, TWO, "128 words, not 255"),
    "undrained": (on_fake, checks.check_play_back, TWO | {"delivers": 0.5}, "stays until drained"),
    "unfinished": (on_fake, checks.check_recording, SIX, "the one before is completed"),
    "unverified": (on_fake, checks.check_play_back, TWO, "is verified"),
    "deaf": (on_fake, checks.check_stop, {"operation": PLAY, "sectors": 12},
             "no command follows the one in flight"),
    "unchecked": (on_fake, checks.check_refusal, {}, "opening comes before|refused extent"),
    "displaced": (on_fake, checks.check_recording, ONE, "are on the disk"),
    "open": (on_fake, checks.check_opening, {}, "opening comes before a recording"),
    "gaping": (on_fake, checks.check_opening, {}, "recording follows opening"),
    "flushless": (on_fake, checks.check_flush, {}, "before FLUSH CACHE lasts"),
    "unmarked": (on_fake, checks.check_flush_failure, {}, "were not flushed"),
    "careless": (moves_again, checks.check_lost, {"sectors": 6, "word": 130},
                 "whose words were lost fails"),
    "restless": (moves_again, checks.check_reread, FAILS, "no word moves from rewind"),
    "hasty": (moves_again, checks.check_reread, FAILS | {"times": 9}, "recorder has settled"),
    "ignorant": (resumes, checks.check_reread, FAILS, "no more words come than the extent has"),
    "halfhearted": (moves_again, checks.check_reread, FAILS, "come, in order"),
    "greedy": (skips, checks.check_skip, FAILS | {"operation": PLAY, "times": 1},
               "no more words come than the extent has"),
    "silent": (skips, checks.check_skip, FAILS | {"operation": RECORD}, "all sectors that are"),
    "roomless": (skips, checks.check_no_room, FAILS | {"operation": RECORD},
                 "without room in the journal"),
    "doubtless": (on_fake, checks.check_end, FAILS | {"operation": PLAY},
                  "done, skipped or in doubt"),
    "unretained": (moves_again, checks.check_retained, FAILS, "asks for its words to be kept"),
    "distrustful": (moves_again, checks.check_play_back, TWO, "retain belongs to"),
    "early": (moves_again, checks.check_reread, FAILS, "when the recorder has answered"),
    "belated": (moves_again, checks.check_reread, FAILS, "verified does not come after rewind"),
    "undead": (moves_again, checks.check_retained, FAILS,
               "completed comes once a command, if it has not failed"),
    "baseless": (on_fake, checks.check_play_back, TWO, "a command that has failed, and none has"),
    "fleeting": (skips, checks.check_skip, FAILS | {"operation": RECORD},
                 "stays until it is taken"),
    "busy": (on_fake, checks.check_flush, {}, "recording belongs to an operation that writes"),
    "trusting": (moves_again, checks.check_tainted, FAILS, "that is tainted ends"),
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault not in QUEUE_FAULTS])
def test_fault_is_found(fault):
    """And what it is found by keeps quiet about a fake without it."""
    on, check, keywords, sentence = FOUND[fault]
    on(check, **keywords)
    with pytest.raises(BrokenContract, match=sentence):
        on(check, fault=fault, **keywords)


def test_reserve_is_the_limit():
    """As many words as the reserve may follow hold; one more is found."""
    reserve = DrivePort().reserve_words
    keywords = {"lba": 0, "sectors": 6, "seed": 3}
    port = on_fake(checks.check_hold, fake={"held_words": reserve}, **keywords)
    assert port.held_words == reserve
    with pytest.raises(BrokenContract, match="follow hold"):
        on_fake(checks.check_hold, fake={"held_words": reserve + 1}, **keywords)
