"""Runs in the simulator: a drive's phy and a drive behind the stand-in for the DCU."""

import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from export.frozen_phy import with_phy
from sata_drive_model import Behaviour, DiskImage, Drive, DriveLink
from sata_drive_model.phy import DrivePhy, HostReceiver, PhyTimes
from sata_drive_model.phy.line import Line

PS = 1000               # fs
WORD = 6667 * PS
REFERENCE = os.environ["REFERENCE"]
UNTIL = os.environ["UNTIL"]
LIMIT = 60_000          # words


def reset(dut):
    """Clocks run, all inputs are 0, and the core is in reset."""
    Clock(dut.clk, 10_000, unit="ps").start(start_high=False)
    if REFERENCE == "pll":
        Clock(dut.reference_clk, 10_000, unit="ps").start(start_high=False)
    else:
        Clock(dut.sata_refclk_p, 6_666, unit="ps").start(start_high=False)
    for direction, name, _ in with_phy("pins", REFERENCE):
        if direction == "input" and "clk" not in name:
            getattr(dut, name).value = 0
    dut.rst.value = 1


async def serve(dut, line):
    """Takes and gives a word in each clock of words."""
    dcu = dut.phy.serdes.dcu
    now = 0
    while True:
        await RisingEdge(dcu.word_clk)
        now += WORD
        silent = int(dcu.tx_silent.value)
        line.send(now, 0 if silent else int(dcu.tx_word.value), silent)
        line.enable(not int(dcu.held.value))
        dcu.rx_word.value = line.receive(now)
        dcu.rx_signal.value = line.active
        dcu.rx_follows.value = line.locked


@cocotb.test()
async def brings_the_link_up(dut):
    """From power-on: OOB, ALIGN, a link, and with UNTIL = identify the drive's IDENTIFY data."""
    rng = random.Random(1)
    unit = Drive(DiskImage(sectors=12_345), behaviour=Behaviour())
    link = DriveLink(unit, unit.behaviour, rng, round_trip=40)
    unit.attach(link, rng)

    def up():
        link.reset()
        unit.link_up()

    drive = DrivePhy(link, link_up=up, times=PhyTimes(answer=3e-6, calibrate=1e-6))
    line = Line(drive, slip=11, receiver=HostReceiver(strays=False))
    reset(dut)
    for _ in range(10):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    cocotb.start_soon(serve(dut, line))
    ends = dut.phy_link_up if UNTIL == "link" else dut.ready
    for _ in range(LIMIT):
        await RisingEdge(dut.clk)
        if int(ends.value):
            break
    assert int(ends.value), (drive.events, drive.violations, int(dut.phy_state.value))
    assert int(dut.phy_link_up.value) and int(dut.phy_generation.value) == 2
    assert drive.violations == [] and link.violations == []
    assert not int(dut.phy.serdes.dcu.wrong_access.value)
    if UNTIL == "identify":
        assert int(dut.capacity.value) == 12_345 and drive.state_name == "READY"
