"""A bus at the register bank, in Amaranth's simulator."""

import random

from amaranth.sim import Simulator

__all__ = ["Bus"]

_PATIENCE = 500
_PAYLOADS = {"b": ["bresp"], "r": ["rdata", "rresp"]}


class Manager:
    """Drives all five channels with random gaps, and checks what the bank offers."""

    def __init__(self, bank, source, stall):
        self.bank, self.axil, self.source, self.stall = bank, bank.axil, source, stall

    async def send(self, ctx, channel, **payload):
        while self.source.random() < self.stall:
            await ctx.tick()
        for name, value in payload.items():
            ctx.set(getattr(self.axil, channel + name), value)
        ctx.set(getattr(self.axil, f"{channel}valid"), 1)
        while not (await ctx.tick().sample(getattr(self.axil, f"{channel}ready")))[-1]:
            pass
        ctx.set(getattr(self.axil, f"{channel}valid"), 0)
        for name in payload:
            ctx.set(getattr(self.axil, channel + name), self.source.getrandbits(32))

    async def receive(self, ctx, channel):
        """The payload; while the bank waits it must neither withdraw nor change it."""
        signals = [getattr(self.axil, name) for name in _PAYLOADS[channel]]
        offered = None
        for _ in range(_PATIENCE):
            ready = self.source.random() >= self.stall
            ctx.set(getattr(self.axil, f"{channel}ready"), ready)
            _, _, valid, *values = await ctx.tick().sample(
                getattr(self.axil, f"{channel}valid"), *signals)
            assert offered in (None, values if valid else "withdrawn")
            if valid:
                offered = values
                if ready:
                    ctx.set(getattr(self.axil, f"{channel}ready"), 0)
                    return values
        raise AssertionError(f"no {channel}valid")


class Bus:
    """Reads and writes of one bank; each channel is a process of its own."""

    def __init__(self, bank, *, seed=0, stall=0.5):
        self.source = random.Random(seed)
        self.manager = Manager(bank, self.source, stall)
        self.queues = {channel: [] for channel in ("aw", "w", "b", "ar", "r")}
        self.simulator = Simulator(bank)
        self.simulator.add_clock(1e-6)
        for channel in "aw", "w", "ar":
            self.simulator.add_process(self._sender(channel))

    def _sender(self, channel):
        async def run(ctx):
            while True:
                if self.queues[channel]:
                    await self.manager.send(ctx, channel, **self.queues[channel][0])
                    self.queues[channel].pop(0)
                else:
                    await ctx.tick()
        return run

    def begin_write(self, address, data, strobes=0xF):
        self.queues["aw"].append({"addr": address, "prot": self.source.getrandbits(3)})
        self.queues["w"].append({"data": data, "strb": strobes})

    def begin_read(self, address):
        self.queues["ar"].append({"addr": address, "prot": self.source.getrandbits(3)})

    async def write(self, ctx, address, data, strobes=0xF):
        self.begin_write(address, data, strobes)
        response, = await self.manager.receive(ctx, "b")
        return response

    async def read(self, ctx, address):
        self.begin_read(address)
        return await self.manager.receive(ctx, "r")

    def run(self, testbench):
        self.simulator.add_testbench(testbench)
        self.simulator.run()
