"""What a processor costs that operates the core, beside the sequencer, from one synthesis.

    .venv/bin/python benchmarks/firmware_area.py [--markdown]
"""

import argparse

from amaranth.back import rtlil
from amaranth.hdl import Module
from amaranth.hdl._ir import PortDirection
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from area import COMPONENTS
from area_table import show
from sata_recorder.bricks.registers import RegisterBank
from sata_recorder.firmware import (PROCESSORS, AddressRegion, AxiLiteManager, Processor,
                                    ProgramMemory, processor_rtlil, program, route)
from sata_recorder.interface import AXIL
from sata_recorder.interface.configuration import Configuration
from sata_recorder_platforms import out_of_context

#: The core without its AXI4-Lite registers needs no processor; with a processor it needs them.
BANK = "registers (AXI4-Lite)"


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


def operated(component, name):
    """The area of ``component``, in which the processor ``name`` is."""
    ports = {"__".join(map(str, path)): (value, PortDirection.Input if member.flow == In
                                         else PortDirection.Output)
             for path, member, value in component.signature.flatten(component)}
    text = rtlil.convert(component, name="component", ports=ports, emit_src=False)
    area, _ = out_of_context.measure_netlist(text + processor_rtlil(name), seeds=())
    return area


def areas():
    """(name, area) of all rows."""
    configuration = Configuration()
    sequencer, _ = out_of_context.measure(COMPONENTS["sequencer"](configuration), seeds=())
    yield "the core's sequencer", sequencer
    bank, _ = out_of_context.measure(RegisterBank(), seeds=())
    yield BANK, bank
    for name in PROCESSORS:
        yield f"{name} alone", operated(Bare(name), name)
        yield f"{name}, program memory, AXI4-Lite manager", operated(Operator(name), name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--markdown", action="store_true",
                        help="also rewrite the table in docs/firmware.md")
    arguments = parser.parse_args()
    show(areas(), "firmware.md" if arguments.markdown else None)


if __name__ == "__main__":
    main()
