"""What is below and above the command layer, for its tests."""

from sata_recorder.core.command import Command, CommandResult
from unit.bench import Bench, World

BENCH = Bench(Command())
GOOD = 0x50             # DRDY, and DSC as most drives have it


class CommandWorld(World):
    """Plays the transport layer and the sequencer."""

    def __init__(self, bench):
        super().__init__(bench)
        self.payload = []       # what the user got
        self.ended = None       # (result, status, error, needs_comreset) of ``done``

    async def tick(self, **inputs):
        bench = self.bench
        bench.set(**inputs)
        if bench.get("user__read_data__valid"):
            self.payload.append(bench.get("user__read_data__payload"))
        await bench.tick()
        bench.set(**dict.fromkeys(inputs, 0))
        assert self.ended is None or not bench.get("user__done"), "done twice"
        if bench.get("user__done"):
            self.ended = (CommandResult(bench.get("user__result")), bench.get("user__status"),
                          bench.get("user__error"), bench.get("user__needs_comreset"))

    async def start(self, protocol, words=0):
        """Up to the R_OK to the registers."""
        bench = self.bench
        bench.set(user__spec__protocol=protocol)
        bench.set(user__spec__words=words, user__start=1)
        assert bench.get("transport__registers__send")
        await self.tick(user__start=1)
        assert not bench.get("transport__registers__send")
        await self.tick()
        await self.tick(transport__registers__done=1)

    async def fis(self, kind, **fields):
        await self.tick(**{f"transport__received__fis__{name}": value
                           for name, value in ({kind: 1} | fields).items()})

    async def status(self, status=GOOD, error=0):
        await self.fis("register_d2h", status=status, error=error)

    async def data(self, words, end="data"):
        """A Data FIS of the drive."""
        for word in words:
            await self.tick(transport__received__payload__valid=1,
                            transport__received__payload__payload=word)
        await self.fis(end)

    async def pio(self, length, end_status=GOOD, **fields):
        await self.fis("pio_setup", transfer_bytes=4 * length, status=0x58, end_status=end_status,
                       **fields)

    async def activate(self):
        """DMA Activate; the words of the Data FIS that is asked for within 2 clocks, 0 for none."""
        bench = self.bench
        bench.set(transport__received__fis__dma_activate=1)
        asked = [bench.get("transport__data__send") * bench.get("transport__data__words")]
        await self.fis("dma_activate")
        asked.append(bench.get("transport__data__send") * bench.get("transport__data__words"))
        await self.tick()
        assert not bench.get("transport__data__send")
        return sum(asked)

    async def sent(self, words, failed=0):
        """A Data FIS of ours, acknowledged or not."""
        for _ in range(words):
            await self.tick(transport__data__moved=1)
        await self.tick(transport__data__done=1, transport__data__failed=failed)


def run(script):
    """The end of the command that ``script(drive)`` leads to."""
    async def with_drive(bench):
        drive = CommandWorld(bench)
        found = await script(drive)
        return drive.ended if found is None else found
    return BENCH.run(with_drive)
