"""The processors: soft cores from PyPI's pythondata packages, on the bus of this package.

None of their code is in this tree: the Verilog is read where its package is installed.
"""

import importlib.util
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from amaranth.hdl import Cat, ClockSignal, Const, Instance, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .bus import BusSignature

#: The name of a processor's module in its netlist.
CELL = "soft_processor"


@dataclass(frozen=True)
class ProcessorSource:
    """Where a processor's Verilog is: ``files`` (patterns) of the Python package ``package``, which
    the distribution ``distribution`` has, the module ``top`` with ``parameters``. ``march`` is what
    GCC compiles for; ``waits`` names the instruction that waits for an interrupt, "" for none."""

    package: str
    distribution: str
    files: tuple
    top: str
    parameters: tuple = ()
    march: str = "rv32i"
    waits: str = ""

    @property
    def interrupts(self):
        """Whether the firmware can wait for an interrupt."""
        return bool(self.waits)

    @property
    def version(self):
        """The version of the distribution."""
        return version(self.distribution)

    def paths(self):
        """The files that Yosys reads."""
        folder = Path(importlib.util.find_spec(self.package).origin).parent / "verilog"
        return [path for pattern in self.files for path in sorted(folder.glob(pattern))]


#: By the names that users give.
PROCESSORS = {
    "picorv32": ProcessorSource(
        "pythondata_cpu_picorv32", "pythondata-cpu-picorv32", ("picorv32.v",), "picorv32",
        (("ENABLE_COUNTERS", 0), ("ENABLE_COUNTERS64", 0), ("CATCH_MISALIGN", 0),
         ("CATCH_ILLINSN", 0), ("ENABLE_IRQ", 1),
         ("ENABLE_IRQ_QREGS", 0), ("ENABLE_IRQ_TIMER", 0), ("LATCHED_IRQ", 0),
         ("MASKED_IRQ", 0xFFFF_FFF7)), waits="waitirq"),
    "serv": ProcessorSource(
        "pythondata_cpu_serv", "pythondata-cpu-serv", ("rtl/serv_*.v",), "serv_rf_top",
        (("WITH_CSR", 0),)),
    "vexriscv": ProcessorSource(
        "pythondata_cpu_vexriscv", "pythondata-cpu-vexriscv", ("VexRiscv_Min.v",), "VexRiscv",
        march="rv32i_zicsr", waits="wfi"),
}


class Processor(wiring.Component):
    """A processor that begins at address 0 after reset.

    Parameters: ``name``, one of :data:`PROCESSORS`.
    """

    tick: In(1)                 # The processor's clock ticks: in other clocks it stands still.
    irq: In(1)                  # What the firmware can wait for, if the processor has interrupts.
    fetch: Out(BusSignature())  # Where instructions are read from.
    data: Out(BusSignature())   # All else. A processor that has one bus for both uses this one.

    def __init__(self, name):
        self._connect = {"picorv32": self._picorv32, "serv": self._serv,
                         "vexriscv": self._vexriscv}[name]
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        # A reset lasts until a tick has seen it.
        resets = Signal(init=1)
        with m.If(self.tick):
            m.d.sync += resets.eq(0)
        m.submodules.cell = Instance(CELL, i_clk=ClockSignal(), i_tick=self.tick,
                                     **self._connect(m, resets))
        return m

    def _picorv32(self, m, resets):
        data = self.data
        return {
            "i_resetn": ~resets,
            "o_mem_valid": data.valid, "i_mem_ready": data.ready, "o_mem_addr": data.address,
            "o_mem_wdata": data.write_data, "o_mem_wstrb": data.strobes,
            "i_mem_rdata": data.read_data, "i_irq": Cat(Const(0, 3), self.irq, Const(0, 28)),
            "i_pcpi_wr": Const(0, 1), "i_pcpi_rd": Const(0, 32), "i_pcpi_wait": Const(0, 1),
            "i_pcpi_ready": Const(0, 1),
        }

    def _byte_select(self, m):
        """The outputs (select, write) of a processor whose data bus is Wishbone's: it selects the
        bytes of reads, too."""
        select = Signal(4)
        writes = Signal()
        m.d.comb += self.data.strobes.eq(select & writes.replicate(4))
        return select, writes

    def _serv(self, m, resets):
        fetch, data = self.fetch, self.data
        select, writes = self._byte_select(m)
        return {
            "i_i_rst": resets, "i_i_timer_irq": Const(0, 1),
            "o_o_ibus_adr": fetch.address, "o_o_ibus_cyc": fetch.valid,
            "i_i_ibus_rdt": fetch.read_data, "i_i_ibus_ack": fetch.ready,
            "o_o_dbus_adr": data.address, "o_o_dbus_dat": data.write_data,
            "o_o_dbus_sel": select, "o_o_dbus_we": writes, "o_o_dbus_cyc": data.valid,
            "i_i_dbus_rdt": data.read_data, "i_i_dbus_ack": data.ready,
            "i_i_ext_rd": Const(0, 32), "i_i_ext_ready": Const(0, 1),
        }

    def _vexriscv(self, m, resets):
        fetch, data = self.fetch, self.data
        select, writes = self._byte_select(m)
        return {
            "i_reset": resets, "i_externalResetVector": Const(0, 32),
            "i_timerInterrupt": Const(0, 1), "i_softwareInterrupt": Const(0, 1),
            "i_externalInterruptArray": Cat(self.irq, Const(0, 31)),
            "o_iBusWishbone_STB": fetch.valid, "i_iBusWishbone_ACK": fetch.ready,
            "o_iBusWishbone_ADR": fetch.address[2:], "i_iBusWishbone_DAT_MISO": fetch.read_data,
            "i_iBusWishbone_ERR": Const(0, 1),
            "o_dBusWishbone_STB": data.valid, "i_dBusWishbone_ACK": data.ready,
            "o_dBusWishbone_WE": writes, "o_dBusWishbone_ADR": data.address[2:],
            "i_dBusWishbone_DAT_MISO": data.read_data, "o_dBusWishbone_DAT_MOSI": data.write_data,
            "o_dBusWishbone_SEL": select, "i_dBusWishbone_ERR": Const(0, 1),
        }
