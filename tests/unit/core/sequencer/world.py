"""What is around a sequencer: a drive below the command layer, a user, a recorder."""

import functools

from sata_recorder.core.command import Protocol, CommandResult
from sata_recorder.interface.configuration import Configuration
from sata_recorder.core.drive_port import Error, Operation
from sata_recorder.core.sequencer import Sequencer
from unit.bench import World
from unit.compiled_bench import CompiledBench

__all__ = ["SequencerWorld", "run", "page", "LIMITS", "ERRORS"]

IDENTIFY_DEVICE = 0xEC
#: The time limits of the tests, in clocks.
LIMITS = {"signature": 300, "identify": 500, "command": 700, "flush": 1100}
#: Clocks that a ledger takes to be cleared, and to settle.
CLEAR, SETTLE = 37, 69
#: For which a mark waits until the journal has taken it.
MARK_CLOCKS = 9
ERRORS = {CommandResult.DRIVE_ERROR: Error.DRIVE_ERROR, CommandResult.SHORT_DATA: Error.SHORT_DATA,
          CommandResult.DATA_CRC: Error.DATA_CRC, CommandResult.PROTOCOL: Error.PROTOCOL,
          CommandResult.REFUSED: Error.COMMAND_REFUSED}


@functools.cache
def bench(max_command_sectors, pacing, **recovery):
    return CompiledBench(Sequencer(Configuration(
        clock_hz=1e6, max_command_sectors=max_command_sectors, pacing=pacing, **recovery,
        **{f"{name}_timeout": clocks / 1e6 for name, clocks in LIMITS.items()}),
        clear_clocks=CLEAR, settle_clocks=SETTLE))


def page(*, sectors=2**48 - 1, lba48=True, flush_ext=True, **words):
    """IDENTIFY DEVICE words of a drive that can be used."""
    found = {49: 0x0300, 60: sectors & 0xFFFF if not lba48 else 0xFFFF,
             61: sectors >> 16 if not lba48 else 0x0FFF,
             83: 0x4000 | lba48 << 10 | flush_ext << 13,
             **{100 + n: sectors >> 16 * n & 0xFFFF for n in range(3 * lba48)},
             **{int(name[1:]): value for name, value in words.items()}}
    return [found.get(n, 0) for n in range(256)]


class SequencerWorld(World):
    """Plays all of it, clock by clock. ``commands`` are those that were begun."""

    def __init__(self, bench):
        super().__init__(bench)
        self.commands = []
        self.done = 0           # operations
        self.marks = []         # (kind, cause, position, length) of those that were taken
        self._offered = 0       # clocks for which a mark has waited
        # The user takes everything at once, and the journal has room for every mark.
        bench.set(port__drained=1, port__recovery__settled=1, port__journal_room=1)

    @property
    def error(self):
        return Error(self.get("status__error"))

    async def tick(self, clocks=1, **inputs):
        bench = self.bench
        bench.set(**inputs)
        for _ in range(clocks):
            self._journal()
            self.done += self.get("status__done")
            starts = self.get("command__start")
            await bench.tick()
            self.clock += 1
            if starts:
                register = "command__spec__registers__"
                self.commands.append((
                    Protocol(self.get("command__spec__protocol")),
                    self.get("command__spec__words"),
                    *(self.get(register + name) for name in
                      ("command", "lba", "count", "device", "features"))))
        bench.set(**dict.fromkeys(inputs, 0))

    def _journal(self):
        """Takes a mark, as late as after the entry of a gap."""
        mark = tuple(self.get(f"port__journal__payload__{name}")
                     for name in ("kind", "cause", "position", "length"))
        valid = self.get("port__journal__valid")
        self._offered = (self._offered + 1) * valid
        taken = self._offered == MARK_CLOCKS
        self.bench.set(port__journal__ready=taken)
        if taken:
            self.marks.append(mark)
            self._offered = 0

    def link(self, up):
        self.bench.set(phy__link_up=up)

    async def bring_up(self, words=None):
        """From reset to the end of IDENTIFY DEVICE."""
        self.commands.clear()
        self.link(0)
        await self.tick(2)
        self.link(1)
        await self.tick(2)
        await self.tick(command__signature_received=1, command__is_ata=1)
        await self.identify(words or page())

    async def identify(self, words):
        for n in range(0, 256, 2):
            await self.bench.pulse(command__read_data__valid=1,
                                   command__read_data__payload=words[n + 1] << 16 | words[n])
        await self.complete()
        await self.tick(10)     # the drive is compared with the one before
        self.commands[:] = [command for command in self.commands if command[2] != IDENTIFY_DEVICE]

    async def start(self, operation, lba=0, sectors=1):
        self.done = 0
        await self.tick(port__extent__valid=1, port__extent__payload__operation=operation,
                        port__extent__payload__lba=lba,
                        port__extent__payload__sectors=sectors)

    async def begin(self, operation, lba=0, sectors=1):
        """Starts an operation and waits for its first command, or its end."""
        await self.start(operation, lba, sectors)
        before = len(self.commands)
        await self.until(lambda: len(self.commands) > before or self.done)

    async def complete(self, result=CommandResult.SUCCESS, needs_comreset=0, after=8):
        """The command in flight ends, some clocks later."""
        await self.tick(after)
        await self.tick(command__done=1, command__succeeded=result == CommandResult.SUCCESS,
                        command__result=result, command__needs_comreset=needs_comreset)

    async def end(self):
        """Waits for the end of the operation and returns its error."""
        await self.until(lambda: self.done)
        assert not self.get("status__busy")
        error = self.error
        await self.tick(5)
        assert self.done == 1, "done for more than a clock"
        return error

    async def expire(self, limit):
        """Waits for COMRESET: as long as the time limit is, and hardly longer."""
        begin = self.clock
        await self.until(lambda: self.get("phy__reset"))
        assert LIMITS[limit] - 3 <= self.clock - begin <= LIMITS[limit] * (1 + 1 / 32) + 8


def run(script, max_command_sectors=65536, pacing="fixed", **recovery):
    async def in_world(bench):
        return await script(SequencerWorld(bench))
    return bench(max_command_sectors, pacing, **({"retries": 0} | recovery)).run(in_world)


assert Operation.RECORD_FLUSH == 3      # as at the pins
