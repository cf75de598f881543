"""One transfer of a clause test, and what must hold after it, however it ended.

The names of the tests cite Serial ATA Revision 2.6 by clause (9.6 link layer state diagrams, 10.3
FIS types, 10.4 host transport state diagrams, 11 device command layer), and by the name of the
state, which later revisions have kept; and ATA8-ACS.
"""

from dataclasses import dataclass, field

import pytest
from integration.clauses.wire import StruckPort
from integration.drives import InterjectingDrive
from integration.small import (REGISTER_D2H, REGISTER_H2D, SMALL, connect, content, log,
                               works)

from sata_recorder.simulation import Event
from sata_recorder.core.drive_port import Error, Operation

LBA, SECTORS, COMMAND = 50, 100, 40
#: Commands of three Data FISes, the last one shorter. Errors end the operation.
FINAL = SMALL | {"buffer_words": 1024, "max_command_sectors": COMMAND, "retries": 0}
#: The same, and whole commands are tried again.
RETRIED = FINAL | {"buffer_words": 8192, "retain_sectors": COMMAND, "retries": 3,
                   "retry_delay": 1e-4, "recovery_timeout": 0.5}
#: Data FISes of the whole extent, and commands.
FISES, COMMANDS = 3 + 3 + 2, 3
OPERATIONS = ["record", "play"]
#: For tests of what ends an operation in one core, and does not in the other.
both = pytest.mark.parametrize("core", [FINAL, RETRIED], ids=["final", "retried"])


@dataclass
class Ended:
    """An operation after its end: the core's ``outputs`` in the clock of done, words ``taken`` and
    ``received``, the ``image`` it was about, the clocks of ``begin`` and ``end``."""

    operation: str
    outputs: dict
    taken: int
    received: bytes = field(repr=False)
    lasts: int
    image: object = field(repr=False)
    begin: int
    end: int

    error = property(lambda self: Error(self.outputs["error"]))
    done = property(lambda self: self.outputs["sectors_done"])


class Once(InterjectingDrive):
    """Its lasting faults are over when a command has failed."""

    def fail(self, *arguments, **options):
        super().fail(*arguments, **options)
        behaviour = self.behaviour
        behaviour.escape_read = behaviour.escape_write = behaviour.fail_after_data = None


def scene(bench, core, drive=Once, *, seed=0, **options):
    """A running bench with a :class:`StruckPort` and FISes logged; ``options`` for the behaviour."""
    b = bench(connect(drive, port=StruckPort, seed=seed, fis_log=True, **options), **core)
    b.retries = core["retries"]
    return b


def old(sectors=SECTORS):
    """What is on the medium before a recording, a sector more on either side."""
    return content(7, sectors + 2)


def transfer(b, operation, *, at=None, event=None):
    """Records or plays the extent; ``event()`` happens when ``at`` words of payload crossed."""
    data, image, begin = content(LBA, SECTORS), b.image, b.port.now
    image.write((LBA - 1) * 512, old())
    if operation == "play":
        image.write(LBA * 512, data)
    b.engine.source(data)
    b.engine.sink(128 * SECTORS)
    b.start(Operation[operation.upper()], LBA, SECTORS)
    b.run(1)
    if event:
        while b.analyser.payload < at:
            b.run(1)
        event()
    if not b.outputs()["done"]:
        b.wait(Event.DONE)
    outputs, end = b.outputs(), b.port.now
    b.run(8)
    state = b.engine.state()
    return Ended(operation, outputs, state.taken, b.engine.received(), state.lasts, image,
                 begin, end)


def failed(b, ended, error, *, index=None, **options):
    """A command ended in ``error``: so does the operation, or the command was tried once more and
    all is well. ``index``: that of the Data FIS of the operation that failed. ``options`` are those
    of :func:`check`."""
    outputs = ended.outputs
    if b.retries:
        assert (outputs["cause"], outputs["retries"]) == (error, 1), ended
        # The sum is what passed from the X_RDY of the first command to the EOF of the last status.
        accounts = b.ledger().accounts
        first = next(clock for clock, _ in log(b, REGISTER_H2D) if clock > ended.begin)
        last = [clock for clock, _ in log(b, REGISTER_D2H) if clock <= ended.end][-1]
        assert accounts["recovery"] > 0
        assert 5 <= sum(accounts.values()) - (last - first) <= 16
        options.pop("status", None)
        check(b, ended, recovered=True, **options)
        return
    assert (outputs["cause"], outputs["retries"]) == (error, 0), ended
    if index is not None:
        whole = COMMAND * (index // 3)
        # Of a read also the Data FISes before it may count: they were good.
        assert whole <= ended.done <= whole + (16 * (index % 3) if ended.received else 0)
    check(b, ended, error, **options)


def check(b, ended, error=Error.NONE, *, status=None, resets=0, clean=True, recovered=False):
    """The operation ended as it must; nothing is silently wrong; a clean one works afterwards.

    ``status``: (status, error) of the drive; ``resets``: COMRESETs that the core asked for;
    ``clean``: the drive has seen no violation; ``recovered``: a command was tried again.
    """
    assert ended.error == error, ended
    if status is not None:
        assert (ended.outputs["drive_status"], ended.outputs["drive_error"]) == status
    assert error or ended.done == SECTORS
    (_recorded if ended.operation == "record" else _played)(ended)
    if clean:
        assert not b.violations(), b.violations()
    accounts = b.ledger().accounts
    assert accounts["payload"] >= 128 * ended.done
    if not error and not recovered:
        assert not b.disagreements(), b.disagreements()
    works(b, clean=clean)
    assert b.port.resets == 1 + resets


def _recorded(ended):
    """Completed sectors hold the stream, the command in flight old or new, all others old."""
    before, data = old(), content(LBA, SECTORS)
    after = ended.image.read_sectors(LBA - 1, SECTORS + 2)
    doubt = min(SECTORS, ended.done + COMMAND) if ended.error else SECTORS
    assert after[512:512 + 512 * ended.done] == data[:512 * ended.done]
    for sector in range(ended.done, doubt):
        place = slice(512 * sector, 512 * (sector + 1))
        was = before[512 * (sector + 1):512 * (sector + 2)]
        assert all(after[512:][place][i:i + 4] in (was[i:i + 4], data[place][i:i + 4])
                   for i in range(0, 512, 4)), sector
    assert (after[:512], after[512 * (doubt + 1):]) == (before[:512], before[512 * (doubt + 1):])
    assert ended.outputs["words"] == ended.taken <= 128 * SECTORS
    assert ended.error or ended.taken == 128 * SECTORS


def _played(ended):
    """Completed sectors were delivered as they were; the last word is marked only at the end."""
    sound = min(len(ended.received), 512 * ended.done)
    assert ended.received[:sound] == content(LBA, SECTORS)[:sound]
    assert ended.outputs["words"] == len(ended.received) // 4
    assert len(ended.received) <= 512 * (ended.done + COMMAND)
    whole = len(ended.received) == 512 * SECTORS
    assert whole or ended.error
    assert ended.lasts == whole
