# amaranth: UnusedElaboratable=no
"""A recorder with a console for a board with a GTP or a GTX: the files from which Vivado makes a bitstream."""

import sys
from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from amaranth.back import rtlil
from amaranth.hdl import ClockDomain, ClockSignal, Elaboratable, Instance, IOPort, Module, Signal
from amaranth.hdl._ir import PortDirection
from amaranth.lib.cdc import ResetSynchronizer
from amaranth.lib.wiring import connect

from sata_recorder.core.phy.back_end import BackEnd
from sata_recorder.core.phy.series7 import Mmcm, clock_constraints, script
from sata_recorder.export import yosys
from sata_recorder.interface.configuration import Configuration

from ..console_recorder import ConsoleRecorder

__all__ = ["ConsoleBoard"]


@dataclass(frozen=True)
class ConsoleBoard:
    """A board whose only clock is an oscillator at ``clk200_p`` and ``clk200_n``, of which an MMCM makes the reference
    of the transceiver, too. Its other ports are ``uart_tx``, ``uart_rx``, ``led_link``, ``led_activity``,
    ``led_error``, ``led_transmitter`` and the pads of the transceiver.
    """

    #: That of the top level and of the files.
    name: str
    #: As Vivado names it.
    part: str
    #: Of the oscillator.
    oscillator_hz: float
    #: Generation to the clock of the core: the dword rate, or what is above it and easily made.
    core_hz: dict[int, float]
    #: The back end at a generation.
    back_end: Callable[[int], BackEnd]
    #: Name of a port to direction, package pin and I/O standard; of pads of the transceiver no standard.
    ports: dict[str, tuple[str, str, str | None]]
    #: The LEDs are on at 0.
    leds_inverted: bool
    #: Lines of the XDC file about the configuration.
    device: str

    def pins(self):
        """The XDC file of the pins and of the oscillator."""
        lines = [f"create_clock -name clk200 -period {1e9 / self.oscillator_hz:.3f} [get_ports clk200_p]"]
        for name, (_, pin, standard) in self.ports.items():
            lines.append(f"set_property PACKAGE_PIN {pin} [get_ports {name}]")
            if standard:
                lines.append(f"set_property IOSTANDARD {standard} [get_ports {name}]")
        return "\n".join(lines) + "\n" + self.device

    def write(self, folder, generation):
        """Writes all files into ``folder``, and returns their names."""
        name, design = self.name, _Design(self, generation)
        (folder / f"{name}.il").write_text(rtlil.convert(design, name=name, ports=design.ports, emit_src=False))
        yosys.run([f"read_rtlil {name}.il", "proc", "opt_clean", f"write_verilog -noattr {name}.v"], folder)
        (folder / f"{name}.il").unlink()
        constraints = clock_constraints(self.back_end(generation), "sata", "phy", "core_clocking/buffer_0/O")
        files = {f"{name}.xdc": self.pins(), f"{name}_phy.xdc": constraints,
                 f"{name}.tcl": script(self.part, f"{name}.v", f"{name}_phy.xdc")}
        for file, text in files.items():
            (folder / file).write_text(text)
        return [f"{name}.v", *files]

    def main(self, description):
        """A command line that writes the files into a new folder."""
        parser = ArgumentParser(description=description)
        parser.add_argument("folder", type=Path, help="it must not exist yet")
        parser.add_argument("--generation", type=int, choices=self.core_hz, default=2,
                            help="the generation of the link")
        asked = parser.parse_args()
        try:
            asked.folder.mkdir(parents=True)
        except OSError as error:
            sys.exit(f"{asked.folder}: cannot be made: {error.strerror}")
        for name in self.write(asked.folder, asked.generation):
            print(f"wrote {asked.folder / name}")


class _Design(Elaboratable):
    """Everything that goes into the device. ``ports``: name to (value, direction), for RTLIL."""

    def __init__(self, board, generation):
        self._board = board
        self._back_end = board.back_end(generation)
        self._core_hz = board.core_hz[generation]
        self.ports = {name: ((IOPort if name.startswith("sata_") else Signal)(1, name=name), PortDirection(direction))
                      for name, (direction, _, _) in board.ports.items()}

    def _port(self, name):
        return self.ports[name][0]

    def elaborate(self, platform):
        m = Module()
        single, oscillator = Signal(), Signal()
        m.submodules.oscillator = Instance(
            "IBUFDS", i_I=self._port("clk200_p"), i_IB=self._port("clk200_n"), o_O=single)
        m.submodules.oscillator_buffer = Instance("BUFG", i_I=single, o_O=oscillator)
        m.submodules.core_clocking = clocking = Mmcm(self._board.oscillator_hz, [self._core_hz])
        m.domains.sync = ClockDomain()
        m.d.comb += [clocking.input.eq(oscillator), ClockSignal().eq(clocking.outputs[0])]
        m.submodules.reset = ResetSynchronizer(~clocking.locked)

        pads = {pin.name: self._port(pin.name) for pin in self._back_end.pins()}
        m.submodules.phy = phy = self._back_end.phy(self._core_hz, pads)
        m.submodules.console_recorder = recorder = ConsoleRecorder(
            Configuration(clock_hz=self._core_hz, histograms=True), phy_status=True)
        connect(m, recorder.phy, phy.port)
        connect(m, recorder.phy_status, phy.status)
        m.d.comb += [
            phy.reference_clk.eq(oscillator),
            recorder.uart_rx.eq(self._port("uart_rx")),
            self._port("uart_tx").eq(recorder.uart_tx),
        ]
        for name, shown in (("link", recorder.link), ("activity", recorder.activity), ("error", recorder.error),
                            ("transmitter", phy.transmitting)):
            m.d.comb += self._port(f"led_{name}").eq(shown ^ self._board.leds_inverted)
        return m
