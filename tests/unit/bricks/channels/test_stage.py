# amaranth: UnusedElaboratable=no
"""Channels and frames above a toy recorder: what a recording that an error has ended leaves for the next one."""

import struct

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In
from amaranth.sim import Simulator
from unit.bricks.frames.framed import Bytes

from sata_recorder.bricks.channels import ChannelStage
from sata_recorder.bricks.frames import FrameStage
from sata_recorder.bricks.stack import Stack
from sata_recorder.core.drive_port import Operation
from sata_recorder.interface import CONTROL, COUNTERS, STATUS, STREAM_IN, Face
from sata_recorder.interface.configuration import Configuration
from sata_recorder.pc.vita49 import frames

GROUPS = STREAM_IN, CONTROL, STATUS, COUNTERS


class ToyRecorder(wiring.Component):
    """Does what the test wants it to."""

    def __init__(self):
        super().__init__({"user": In(Face(*GROUPS))})

    def elaborate(self, platform):
        return Module()


def test_a_recording_after_an_error_begins_with_a_packet():
    """The one before has ended within a packet."""
    configuration = Configuration(frames=True, frame_packets=True, channels=2, channel_words=8)
    below = configuration.model_copy(update=ChannelStage.row.below)
    core = ToyRecorder()
    dut = Stack(core, dict.fromkeys(GROUPS, core.user), [FrameStage(below), ChannelStage(configuration)])
    inside, user = core.user, dut.user
    words = []

    async def start(ctx):
        ctx.set(user.control.operation, Operation.RECORD)
        ctx.set(user.control.sectors, 1000)
        ctx.set(user.control.start, 1)
        await ctx.tick()
        ctx.set(user.control.start, 0)
        ctx.set(inside.status.busy, 1)
        ctx.set(inside.i.ready, 1)

    async def end(ctx):
        ctx.set(inside.i.ready, 0)
        ctx.set(inside.status.busy, 0)
        ctx.set(inside.status.done, 1)
        await ctx.tick()
        ctx.set(inside.status.done, 0)
        await ctx.tick().repeat(5)

    async def script(ctx):
        ctx.set(user.s0.valid, 1)
        await start(ctx)
        # The head of a packet has gone to the frames, and some of its words.
        while not ctx.get(user.frame.offered) == 4:
            await ctx.tick()
        await end(ctx)
        await start(ctx)
        for clock in range(400):
            if ctx.get(inside.i.valid):
                words.append(ctx.get(inside.i.payload))
            ctx.set(user.control.stop, clock == 60)
            await ctx.tick()
            if len(words) == 128:
                break

    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(script)
    simulator.run()
    [frame] = frames(Bytes(struct.pack(f"<{len(words)}I", *words)))
    assert frame.packet_begins and frame.packet_ends
