"""Runs in the simulator: no output of the core is X once it was reset."""

import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from cocotb.types import Logic, LogicArray
from export.frozen import PORTS

_PORTS = PORTS[os.environ["CONTROL"]]
INPUTS = {name: width for kind, name, width in _PORTS if kind == "input" and name != "clk"}
OUTPUTS = [name for kind, name, _ in _PORTS if kind == "output"]


async def reset(dut):
    """Resets the core, first with all other inputs X, then for the two clocks a read takes."""
    Clock(dut.clk, 10, unit="ns").start()
    for name, width in INPUTS.items():
        getattr(dut, name).value = LogicArray("X" * width) if width > 1 else Logic("X")
    dut.rst.value = 1
    for _ in range(4):
        await FallingEdge(dut.clk)
    for name in INPUTS:
        if name != "rst":
            getattr(dut, name).value = 0
    for _ in range(2):
        await FallingEdge(dut.clk)
    dut.rst.value = 0


async def watch(dut):
    await FallingEdge(dut.clk)
    unknown = [name for name in OUTPUTS if not getattr(dut, name).value.is_resolvable]
    assert not unknown, f"X on {unknown}"


@cocotb.test()
async def quiet(dut):
    await reset(dut)
    for _ in range(200):
        await watch(dut)


@cocotb.test()
async def random_inputs(dut):
    await reset(dut)
    source = random.Random(1)
    for cycle in range(3000):
        for name, width in INPUTS.items():
            getattr(dut, name).value = source.getrandbits(width)
        dut.rst.value = 0
        dut.phy_link_up.value = cycle % 1000 != 0
        await watch(dut)
