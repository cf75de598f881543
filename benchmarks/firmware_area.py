"""What a processor costs on an ECP5 that operates the core, beside the sequencer."""

from functools import partial

from amaranth.back import rtlil
from amaranth.hdl import Module
from amaranth.hdl._ir import PortDirection
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

import areas
from sata_recorder.bricks.registers import RegisterBank
from sata_recorder.firmware import (PROCESSORS, AddressRegion, AxiLiteManager, Processor,
                                    ProgramMemory, processor_rtlil, program, route)
from sata_recorder.interface import AXIL
from tables import Table


class Operator(wiring.Component):
    """A processor that ticks with each clock, its program, and its way to the registers."""

    axil: Out(AXIL.signature)

    def __init__(self, name):
        self._name = name
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        m.submodules.processor = processor = Processor(self._name)
        m.submodules.memory = memory = ProgramMemory(program(self._name))
        m.submodules.manager = manager = AxiLiteManager()
        connect(m, manager.axil, flipped(self.axil))
        connect(m, processor.fetch, memory.fetch)
        route(m, processor.data, {AddressRegion.PROGRAM: memory.data,
                                  AddressRegion.CORE: manager.bus})
        m.d.comb += [processor.tick.eq(1), memory.tick.eq(1), manager.tick.eq(1),
                     processor.irq.eq(self.axil.irq)]
        return m


class Bare(wiring.Component):
    """A processor that ticks with each clock, alone."""

    def __init__(self, name):
        self._processor = Processor(name)
        members = {path: member for path, member in self._processor.signature.members.items()
                   if path != "tick"}
        super().__init__(members)

    def elaborate(self, platform):
        m = Module()
        m.submodules.processor = processor = self._processor
        m.d.comb += [processor.tick.eq(1), processor.irq.eq(self.irq)]
        connect(m, processor.fetch, flipped(self.fetch))
        connect(m, processor.data, flipped(self.data))
        return m


def operated(kind, name):
    """The netlist of a ``kind`` of component, in which the processor ``name`` is."""
    component = kind(name)
    ports = {"__".join(map(str, path)): (value, PortDirection.Input if member.flow == In
                                         else PortDirection.Output)
             for path, member, value in component.signature.flatten(component)}
    return rtlil.convert(component, name="component", ports=ports, emit_src=False) + processor_rtlil(name)


#: The core without its AXI4-Lite registers needs no processor; with a processor it needs them.
TABLES = (
    Table("firmware.md", "area", (
        ("the core's sequencer", areas.LAYERS["sequencer"], False),
        ("registers (AXI4-Lite)", RegisterBank, False),
        *((f"{name}{what}", partial(operated, kind, name), False) for name in PROCESSORS for what, kind in (
            (" alone", Bare), (", program memory, AXI4-Lite manager", Operator)))),
        areas.measured, areas.text, (), areas.OPTIONS),
)
