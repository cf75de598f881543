"""The register bank alone, in Amaranth's simulator: the protocol, the fields, coherent reads."""

import pytest
from short import short
from amaranth.sim import Simulator
from export.bank_bus import Bus

from sata_recorder.bricks.registers import RegisterBank
from sata_recorder.interface import (ADDRESS_BITS, FILE, FRAME, HISTOGRAM, LOOK, PHY_STATUS, POWER,
                                     RECORDING, REGISTERS, TASK, TRIM, named_ports)
from sata_recorder.interface.registers import Access

pytestmark = pytest.mark.wide

OKAY, SLVERR = 0, 2
#: What there is beside the registers of the core.
MORE, MODES = (PHY_STATUS, TASK, HISTOGRAM), (RECORDING, TRIM, LOOK)
FILES = (FILE, FRAME, POWER)


def ports(bank):
    """The bank's side of the core's ports, by name."""
    return {name: value for name, (value, _) in named_ports(bank).items()} | {
        "phy_link_up": bank.user.link.up, "phy_generation": bank.user.link.generation}


def set_inputs(ctx, bank, source):
    """Random values for all that the registers show: value by register and field."""
    shown, places = {}, ports(bank)
    for register in bank.registers:
        for field in register.fields:
            if register.count > 1 or field.access in (Access.RW, Access.W1P):
                continue
            if field.port is not None:
                value = source.getrandbits(field.width)
                ctx.set(places[field.port], value)
            else:
                value = field.value or 0
            shown[register, field.name] = value
    return shown


def content(register, index):
    """What the windows of the test hold."""
    return (index * 0x1357_9BDF_0246 ^ len(register.name)) % (1 << register.width)


def memory(bank, register):
    """A memory behind a window, as slow as the slowest one may be: 2 clocks."""
    address, data = (ports(bank)[name] for name in register.fields[0].port)

    async def run(ctx):
        before = 0
        async for *_, now in ctx.tick().sample(address):
            ctx.set(data, content(register, before))
            before = now
    return run


@pytest.mark.sample(5)
@pytest.mark.parametrize("stall, groups", [(0, ()), (0.5, ()), (0.9, ()), (0.5, MORE), (0.5, MODES),
                                          (0.5, FILES)])
def test_every_address(stall, groups):
    """Each word reads what its fields show; all other addresses are SLVERR."""
    bank = RegisterBank(*groups)
    bus = Bus(bank, seed=int(10 * stall), stall=stall)
    for register in bank.registers:
        if register.count > 1:
            bus.simulator.add_process(memory(bank, register))
    words = {word.offset + index * register.stride: (register, word, index)
             for register in bank.registers for word in register.words
             for index in range(register.count)}
    others = [address for address in range(0, 1 << ADDRESS_BITS, 4) if address not in words]
    if stall:
        # Of a window the ends and some between; one case has all of it.
        words = {address: one for address, one in words.items() if one[2] % 29 == 0
                 or one[2] == one[0].count - 1}

    async def run(ctx):
        shown = set_inputs(ctx, bank, bus.source)
        # In ascending order each high word comes after its low word.
        for address, (register, word, index) in sorted(words.items(), key=lambda one: one[0]):
            data, response = await bus.read(ctx, address | bus.source.getrandbits(2))
            value = (content(register, index) if register.count > 1 else
                     sum(shown.get((register, field.name), 0) << field.low
                         for field in register.fields))
            assert (data, response) == (value >> word.start & 0xFFFF_FFFF, OKAY), word.name
        for address in [0x078, 0x0FC, 0x9F0, others[-1], *bus.source.sample(others, 20)]:
            assert await bus.read(ctx, address) == [0, SLVERR]
            assert await bus.write(ctx, address, 0xFFFF_FFFF) == SLVERR

    bus.run(run)


@pytest.mark.sample(3)
@pytest.mark.parametrize("stall, groups", short([(0, ()), (0.7, ()), (0.7, MORE), (0.7, MODES)],
                                                [(0, ()), (0.7, MORE), (0.7, MODES)]))
def test_writes(stall, groups):
    """Strobes, pulses and clears, against a plain model; read-only words do not change."""
    bank = RegisterBank(*groups)
    words = [(register, word) for register in bank.registers for word in register.words]
    bus = Bus(bank, seed=int(10 * stall) + 1, stall=stall)
    places = ports(bank)
    pulses = {(register, field): 0 for register in bank.registers for field in register.fields
              if field.access is Access.W1P}

    def counter(key):
        async def run(ctx):
            async for *_, high in ctx.tick().sample(places[key[1].port]):
                pulses[key] += high
        return run

    for key in pulses:
        bus.simulator.add_process(counter(key))

    async def run(ctx):
        kept = {(register, field): 0 for register in bank.registers for field in register.fields
                if field.access is Access.RW}
        expected = dict.fromkeys(pulses, 0)
        for _ in range(300):
            register, word = bus.source.choice([one for one in words if one[1].writable])
            data, strobes = bus.source.getrandbits(32), bus.source.getrandbits(4)
            lanes = sum(0xFF << 8 * lane for lane in range(4) if strobes >> lane & 1)
            assert await bus.write(ctx, word.offset, data, strobes) == OKAY
            for field in register.fields:
                mask = (field.mask & lanes << word.start)
                new = data << word.start & mask
                if (register, field) in kept:
                    old = kept[register, field] << field.low
                    kept[register, field] = (old & ~mask | new) >> field.low
                elif (register, field) in expected:
                    expected[register, field] += bool(new)
            # The response comes after the effect.
            for (_, field), value in kept.items():
                assert field.port is None or ctx.get(places[field.port]) == value
            assert pulses == expected
            _, word = bus.source.choice([one for one in words if not one[1].writable])
            assert await bus.write(ctx, word.offset, data) == SLVERR
        for register, word in (one for one in words if one[1].writable):
            value = sum(value << field.low for (one, field), value in kept.items()
                        if one is register)
            assert await bus.read(ctx, word.offset) == [value >> word.start & 0xFFFF_FFFF, OKAY]
        assert all(expected.values())

    bus.run(run)


@pytest.mark.quick
def test_high_word_belongs_to_the_low_word():
    """A counter that passes 2^32 between the two reads is read as it was at the first."""
    bank = RegisterBank()
    bus = Bus(bank)
    words = next(register for register in REGISTERS if register.name == "WORDS").words

    async def run(ctx):
        counters = bank.user.counters
        ctx.set(counters.held_cycles, 0x5555_0000_0000)
        ctx.set(counters.words, 0x1_FFFF_FFFF)
        assert await bus.read(ctx, words[0].offset) == [0xFFFF_FFFF, OKAY]
        ctx.set(counters.words, 0x2_0000_0000)
        # What is no low word of two leaves it alone.
        for other in 0x00C, 0x010, 0x020, 0x02C, 0x04C, 0x200, 0x050:
            await bus.read(ctx, other)
        await bus.write(ctx, 0x024, 7)
        assert await bus.read(ctx, 0x024) == [7, OKAY]
        assert await bus.read(ctx, words[1].offset) == [1, OKAY]
        assert await bus.read(ctx, words[0].offset) == [0, OKAY]
        assert await bus.read(ctx, words[1].offset) == [2, OKAY]

    bus.run(run)


@pytest.mark.parametrize("stall", [0, 0.3, 0.9])
def test_many_at_once(stall):
    """A manager that does not wait for responses gets all of them, in order, and no other."""
    bank = RegisterBank()
    bus = Bus(bank, seed=int(10 * stall), stall=stall)
    targets = [(0x020, OKAY), (0x000, SLVERR), (0x028, OKAY), (0x400, SLVERR)]
    chosen = [bus.source.choice(targets) for _ in range(100)]
    ended = []

    async def writes(ctx):
        for index, (address, _) in enumerate(chosen):
            bus.begin_write(address, index)
        for _, response in chosen:
            assert await bus.manager.receive(ctx, "b") == [response]
        ended.append("writes")

    async def reads(ctx):
        for _ in range(100):
            bus.begin_read(0x020)
        last = 0
        for _ in range(100):
            data, response = await bus.manager.receive(ctx, "r")
            assert response == OKAY and last <= data < 100
            last = data
        ended.append("reads")

    async def nothing_else(ctx):
        while len(ended) < 2:
            await ctx.tick()
        for _ in range(20):
            assert not ctx.get(bank.axil.bvalid) and not ctx.get(bank.axil.rvalid)
            await ctx.tick()
        control = bank.user.control
        for register, address in (control.lba, 0x020), (control.sectors, 0x028):
            assert ctx.get(register) == max((index for index, one in enumerate(chosen)
                                             if one[0] == address))

    bus.simulator.add_testbench(writes)
    bus.simulator.add_testbench(reads)
    bus.run(nothing_else)


@pytest.mark.quick
def test_latency():
    """What the documentation states: 4 clocks for a read, 3 for a write."""
    bank = RegisterBank()
    simulator = Simulator(bank)
    simulator.add_clock(1e-6)
    axil = bank.axil

    async def clocks(ctx, valid):
        count = 0
        while not ctx.get(valid):
            await ctx.tick()
            count += 1
            for name in "awvalid", "wvalid", "arvalid":
                ctx.set(getattr(axil, name), 0)
        return count

    async def run(ctx):
        while not ctx.get(axil.awready & axil.wready & axil.arready):
            await ctx.tick()
        ctx.set(axil.awvalid, 1)
        ctx.set(axil.wvalid, 1)
        assert await clocks(ctx, axil.bvalid) == 3
        ctx.set(axil.arvalid, 1)
        assert await clocks(ctx, axil.rvalid) == 4

    simulator.add_testbench(run)
    simulator.run()
