# amaranth: UnusedElaboratable=no
"""The back end for the ECP5 with a stand-in in the place of its cell."""

from types import SimpleNamespace

from amaranth.hdl import Elaboratable, Module, Signal
from amaranth.sim import Simulator

from sata_recorder.core.phy.ecp5 import Ecp5, Ecp5Serdes, ResetTimes, word_domains
from unit.core.phy.dcua import Dcu

__all__ = ["CLOCK_HZ", "WORDS", "SerdesBench", "Passes", "follows", "ready"]

TIMES = ResetTimes(reset=200e-9, settle=100e-9, pll=20e-6, cdr=8e-6, relock=8e-6)
CLOCK_HZ = 100e6
WORDS = [(n * 0x9E375 + 0x5A5A5) & 0xFFFFF for n in range(400)]


class Passes(Elaboratable):
    """The cells between an oscillator and the DCU: each passes its input on, and is locked."""

    THROUGH = {"DCCA": ("CLKI", "CLKO"), "EHXPLLL": ("CLKI", "CLKOP"),
               "EXTREFB": ("REFCLKP", "REFCLKO")}

    def __init__(self, kind, **links):
        source, target = self.THROUGH[kind]
        self._ports = links[f"i_{source}"], links[f"o_{target}"]
        self._lock = links.get("o_LOCK")

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self._ports[1].eq(self._ports[0])
        if self._lock is not None:
            m.d.comb += self._lock.eq(1)
        return m


class SerdesBench:
    """A back end whose cell is a `Dcu`; `planted(links)` changes what the cell gets.

    `script(bench)` drives it: `set`, `get`, `wait(ns)`; it begins when the clock runs.
    """

    def __init__(self, script, *, planted=None, channel=0, times=TIMES, **options):
        def cell(kind, **links):
            links |= planted(links, self) if planted else {}
            self.dcu = Dcu(kind, **links)
            return self.dcu

        pins = SimpleNamespace(p=Signal(), n=Signal())
        others = SimpleNamespace(p=Signal(), n=Signal())
        self.serdes = Ecp5Serdes(CLOCK_HZ, Ecp5(dual=1, channel=channel, **options), pins, others,
                                 times=times, cell=cell)
        self.port = self.serdes.port
        self.words = Feed(self.port)
        top = Module()
        top.domains += word_domains()
        top.submodules.serdes = self.serdes
        top.d.comb += self.serdes.referenced.eq(self.words.referenced)
        top.submodules.words = self.words
        simulator = Simulator(top)
        simulator.add_clock(1 / CLOCK_HZ)

        async def bench(context):
            self._context = context
            await script(self)

        async def background(context):
            await self.dcu.run(context)

        simulator.add_testbench(bench)
        simulator.add_testbench(background, background=True)
        simulator.run()

    def set(self, **values):
        for name, value in values.items():
            self._context.set(getattr(self.words, name), value)

    def get(self, name):
        return self._context.get(getattr(self.port, name))

    def received(self):
        return self._context.get(self.words.word)

    async def wait(self, ns):
        await self._context.delay(ns * 1e-9)

    async def until(self, name, value, limit=60e3):
        for _ in range(int(limit // 10)):
            if self.get(name) == value:
                return
            await self.wait(10)
        raise AssertionError(f"{name} is {self.get(name)}, and that for {limit} ns")


class Feed(Elaboratable):
    """Gives words to the transmitter and takes those of the receiver, in their domains."""

    def __init__(self, port):
        self._port = port
        self.tx_idle, self.tx_oob, self.send = Signal(init=1), Signal(), Signal()
        self.rx_enable = Signal()
        self.referenced = Signal(init=1)
        self.word = Signal(20)

    def elaborate(self, platform):
        m = Module()
        port = self._port
        index = Signal(range(len(WORDS)))
        idle = Signal(init=1)
        m.d.comb += [port.rx_enable.eq(self.rx_enable), port.tx_idle.eq(idle)]
        m.d.tx += [idle.eq(self.tx_idle), port.tx_oob.eq(self.tx_oob), port.tx_data.eq(0)]
        with m.If(self.send):
            m.d.tx += index.eq(index + 1)
            with m.Switch(index):
                for n, word in enumerate(WORDS):
                    with m.Case(n):
                        m.d.tx += port.tx_data.eq(word)
        m.d.rx += self.word.eq(port.rx_data)
        return m


def follows(wanted, seen):
    """Whether the words `wanted` are a run of `seen`."""
    return any(seen[n:n + len(wanted)] == wanted for n in range(len(seen) - len(wanted) + 1))


async def ready(bench):
    await bench.until("rate", 2)
    await bench.until("rx_locked", 1)
