"""What is exported: the core with its pins, or the core behind its registers."""

from amaranth.hdl import Module, Signal
from amaranth.hdl._ir import PortDirection
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from .. import core
from ..core import SataRecorder
from ..phy import DwordPort
from .axil import AxiLiteSignature, RegisterBank

__all__ = ["AxiLiteRecorder", "top"]


class AxiLiteRecorder(wiring.Component):
    """A :class:`.core.SataRecorder` that is controlled through :data:`.registers.REGISTERS`.

    All outputs depend on the inputs through flops only.

    Parameters
    ----------
    configuration : Configuration

    Members
    -------
    phy : Out(DwordPort)
    axil : In(AxiLiteSignature)
    irq : Out(1)            an operation has ended, and its interrupt is enabled
    i : In(stream 32), o : Out(stream 32), last : Out(1)    as those of the core
    """

    def __init__(self, configuration):
        self._configuration = configuration
        super().__init__({
            "phy": Out(DwordPort()), "axil": In(AxiLiteSignature()), "irq": Out(1),
            "i": In(stream.Signature(32)), "o": Out(stream.Signature(32)), "last": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        m.submodules.core = recorder = SataRecorder(self._configuration)
        m.submodules.bank = bank = RegisterBank()
        control = recorder.control
        connect(m, recorder.phy, flipped(self.phy))
        connect(m, flipped(self.i), recorder.i)
        connect(m, recorder.o, flipped(self.o))
        connect(m, flipped(self.axil), bank.axil)

        done = Signal()
        with m.If(control.done):
            m.d.sync += done.eq(1)
        with m.Elif(bank.status_done_clear | bank.control_start):
            m.d.sync += done.eq(0)
        m.d.comb += [
            self.last.eq(recorder.last),
            self.irq.eq(done & bank.interrupt_enable_done),
            control.start.eq(bank.control_start),
            control.operation.eq(bank.control_operation),
            control.lba.eq(bank.lba),
            control.sectors.eq(bank.sectors),
            recorder.stop.eq(bank.control_stop),
            control.identify_address.eq(bank.identify_address),
            control.ledger_address.eq(bank.ledger_address),
            bank.status_done.eq(done),
            bank.status_ready.eq(control.ready),
            bank.status_busy.eq(control.busy),
            bank.status_link_up.eq(self.phy.link_up),
            bank.status_lba48.eq(control.lba48),
            bank.status_generation.eq(self.phy.generation),
            bank.error_code.eq(control.error),
            bank.drive_status.eq(control.drive_status),
            bank.drive_error.eq(control.drive_error),
            bank.capacity.eq(control.capacity),
            bank.sectors_done.eq(control.sectors_done),
            bank.words.eq(recorder.words),
            bank.high_water.eq(recorder.high_water),
            bank.held_cycles.eq(recorder.held_cycles),
            bank.identify_data.eq(control.identify_data),
            bank.ledger_data.eq(control.ledger_data),
            recorder.journal_address.eq(bank.journal_address),
            bank.journal_data.eq(recorder.journal_data),
            bank.journal_count.eq(recorder.journal_count),
            bank.status_recovering.eq(control.recovering),
            bank.error_cause.eq(control.cause),
            bank.retries.eq(control.retries),
            bank.error_lba.eq(control.error_lba),
            bank.skipped_sectors.eq(control.skipped_sectors),
            bank.dropped.eq(recorder.dropped),
            bank.longest_stall.eq(recorder.longest_stall),
        ]
        return m


def top(configuration):
    """The component that ``configuration`` asks for, and its ports as :func:`.core.ports` does."""
    if configuration.control == "pins":
        component = SataRecorder(configuration)
        return component, core.ports(component)
    component = AxiLiteRecorder(configuration)
    return component, _ports(component)


def _ports(recorder):
    i, o, last = recorder.i, recorder.o, recorder.last
    inputs = {"s_axis_tdata": i.payload, "s_axis_tvalid": i.valid, "m_axis_tready": o.ready}
    outputs = {"s_axis_tready": i.ready, "m_axis_tdata": o.payload, "m_axis_tvalid": o.valid,
               "m_axis_tlast": last, "irq": recorder.irq}
    for prefix, port, towards in (("phy", recorder.phy, In), ("s_axil", recorder.axil, In)):
        for (name,), member, value in port.signature.flatten(port):
            (inputs if member.flow is towards else outputs)[f"{prefix}_{name}"] = value
    return {name: (value, direction)
            for direction, values in ((PortDirection.Input, inputs),
                                      (PortDirection.Output, outputs))
            for name, value in values.items()}
