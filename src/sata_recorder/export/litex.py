"""The recorder as a LiteX module, where LiteSATACore would be: on a PHY of LiteSATA, with its registers on the bus of
the SoC.

It is imported by its users only, and needs the extra `litex`, or LiteX installed in another way.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from litex.gen import LiteXModule
from litex.soc.interconnect import axi, stream
from litex.soc.interconnect.csr_eventmanager import EventManager, EventSourceLevel
from migen import ClockSignal, Instance, Mux, ResetInserter, ResetSignal, Signal

from ..facts.units import DWORD_HZ
from ..interface.configuration import Configuration, ConfigurationError, configured
from ..interface.faults import Fault
from . import description, header, verilog

__all__ = ["LiteXRecorder"]

_GENERATIONS = {f"gen{generation}": generation for generation in DWORD_HZ}
#: How much faster than the line the bus clock has to be, in ppm. LiteSATA's FIFO from the line has no elasticity: a
#: drive may be 350 ppm too fast (Serial ATA Revision 3.x, phy layer), an oscillator of the board 150 ppm too slow.
_MARGIN_PPM = 500
#: Keywords that the module sets itself: what to give instead.
_OWN = {"clock_hz": "it is clk_freq", "control": "its registers are on the bus",
        "source_clock": "sink_domain sets it", "playback_clock": "source_domain sets it"}
#: What an input has that is not used, if it is not 0: all bytes of the last word of a file.
_UNUSED = {"s_axis_tkeep": 0xFFFF}


class LiteXRecorder(LiteXModule):
    """A recorder on a ``LiteSATAPHY``, in the domain ``sys``.

    Parameters
    ----------
    platform : of the SoC: gets the Verilog, which is written into the folder ``gateware`` of the build
    phy : the ``LiteSATAPHY``
    clk_freq : frequency of ``sys`` in Hz
    config : TOML file or name of a configuration, see docs/verilog.md; ``clk_freq`` and the two domains win over it
    sink_domain, source_domain : clock domains of ``sink`` and ``source``
    options : fields of the configuration, which win over ``config``

    Members
    -------
    bus : the registers, ``AXILiteInterface`` of 4 KiB
    sink : stream to record, ``data`` of ``source_width`` bits; ``last`` counts with ``frame_packets`` and ``files``
    source : stream played back, ``data`` of ``playback_width`` bits; ``last`` is the last word of the operation
    ev : ``EventManager`` with the event ``done``, a level: STATUS.DONE while INTERRUPT_ENABLE has it
    memory : with ``memory``: ``AXIInterface`` of the memory that is the buffer, else None
    pins : Signals of all other ports of the core by name, such as ``recording_trigger``; an input is 0 where it is not
        driven, ``s_axis_tkeep`` all ones
    configuration : the ``Configuration``
    description : what :func:`.description` has of it: registers, ports and codes

    Raises :exc:`.ConfigurationError` for what cannot be, in one line.
    """

    def __init__(self, platform: Any, phy: Any, clk_freq: float, config: str | Path | None = None,
                 sink_domain: str = "sys", source_domain: str = "sys", **options: Any) -> None:
        self.platform = platform
        self.configuration = made = _configuration(phy, clk_freq, config, options, {
            "source_clock": sink_domain != "sys", "playback_clock": source_domain != "sys"})
        self.bus = axi.AXILiteInterface(data_width=32, address_width=32)
        self.sink = stream.Endpoint([("data", made.source_width)])
        self.source = stream.Endpoint([("data", made.playback_width)])
        self.memory = axi.AXIInterface(data_width=made.memory_width, address_width=40) if made.memory else None
        self.ev = EventManager()
        self.ev.done = EventSourceLevel(description="An operation has ended.")
        self.ev.finalize()

        nets = {"clk": ClockSignal("sys"), "rst": ResetSignal("sys"),
                "s_axis_aclk": ClockSignal(sink_domain), "m_axis_aclk": ClockSignal(source_domain),
                "irq": self.ev.done.trigger, **self._dwords(phy), **dict(_axi("s_axil", self.bus)),
                **dict(_stream("s_axis_t", self.sink)), **dict(_stream("m_axis_t", self.source)),
                **(dict(_axi("m_axi", self.memory)) if self.memory else {})}
        self.description = description(made)
        ports = {port["name"]: port for port in self.description["ports"]}
        self.pins = {name: Signal(port["width"], name=name, reset=_UNUSED.get(name, 0) & (1 << port["width"]) - 1)
                     for name, port in ports.items() if name not in nets}
        nets |= self.pins
        self.specials += Instance(self.description["module"], **{
            f"{'i' if port['direction'] == 'input' else 'o'}_{name}": _first(nets[name], port["width"])
            for name, port in ports.items()})

    def _dwords(self, phy: Any) -> dict[str, Any]:
        """The dword port on ``phy``, which has neither errors, nor generations, nor a request for COMRESET."""
        early, late = phy.ctrl.sink, phy.source     # what is received before and after the PHY is ready
        link_up, was_up, reset = Signal(), Signal(), Signal()
        # The control starts over with a COMRESET. It realigns its receiver without one, and then the drive would give
        # no signature, for which the core waits.
        ResetInserter()(phy.ctrl)
        self.sync += was_up.eq(link_up)
        self.comb += [
            # For 5 ms before it is ready the PHY drops what it receives, and sends SYNC. If that were hidden from the
            # core, it would miss the X_RDY of a drive that then sends CONT. So the core listens, and cannot send.
            link_up.eq(phy.phy.ready & (phy.ctrl.fsm.ongoing("SEND-ALIGN") | phy.ctrl.fsm.ongoing("READY"))),
            phy.ctrl.reset.eq(reset & link_up | was_up & ~link_up),
            phy.sink.valid.eq(1), late.ready.eq(1)]
        return {"phy_tx_data": phy.sink.data, "phy_tx_k": phy.sink.charisk, "phy_tx_ready": phy.sink.ready,
                "phy_rx_data": Mux(late.valid, late.data, early.data), "phy_rx_valid": late.valid | early.valid,
                "phy_rx_k": Mux(late.valid, late.charisk, early.charisk), "phy_rx_error": 0, "phy_link_up": link_up,
                "phy_generation": _GENERATIONS[phy.gen], "phy_reset": reset, "phy_limit": Signal(2)}

    def do_finalize(self) -> None:
        """Writes the Verilog, and the registers as JSON and as a C header beside it."""
        folder = Path(self.platform.output_dir or Path("build", self.platform.name), "gateware")
        folder.mkdir(parents=True, exist_ok=True)
        head, path = self.configuration.summary(), folder / f"{self.description['module']}.v"
        if any(Path(file) == path.absolute() for file, *_ in self.platform.sources):
            if head not in path.read_text():
                raise ConfigurationError(f"{path}: all recorders of a SoC have one configuration, and this one has "
                                         "another one than the recorder before it")
            return
        path.write_text(verilog(self.configuration))
        path.with_suffix(".json").write_text(json.dumps(self.description, indent=2) + "\n")
        path.with_suffix(".h").write_text(header(*self.configuration.groups))
        self.platform.add_source(str(path))


def _configuration(phy: Any, clk_freq: float, config: str | Path | None, options: Mapping[str, Any],
                   clocks: Mapping[str, bool]) -> Configuration:
    """Checks what the module is made of; ``clocks`` are the options that its domains set."""
    faults = [Fault(name, value, f"it is not free: {_OWN[name]}") for name, value in options.items() if name in _OWN]
    lowest = DWORD_HZ[_GENERATIONS[phy.gen]] * (1 + _MARGIN_PPM / 1e6)
    if clk_freq < lowest:
        faults.append(Fault(
            "clk_freq", clk_freq, f"it must be at least {lowest:.9g}, which is {_MARGIN_PPM} ppm above the dword rate "
            f"of {phy.gen}: LiteSATA's FIFO from the line has no room for a faster drive"))
    if faults:
        raise ConfigurationError(faults=faults)
    found = configured(config, {**options, **clocks, "control": "axi-lite", "clock_hz": clk_freq})
    if found.channels > 1:
        raise ConfigurationError(faults=[Fault("channels", found.channels, "must be 1: sink is one stream")])
    if found.drives > 1:
        raise ConfigurationError(faults=[Fault("drives", found.drives, "must be 1: phy is that of one drive")])
    return found


def _axi(prefix: str, bus: Any) -> Iterator[tuple[str, Any]]:
    """The Signals of an AXI or AXI-Lite ``bus`` by the names of the ports."""
    for channel, end in {"aw": bus.aw, "w": bus.w, "b": bus.b, "ar": bus.ar, "r": bus.r}.items():
        yield from _stream(f"{prefix}_{channel}", end)


def _stream(prefix: str, end: stream.Endpoint) -> Iterator[tuple[str, Any]]:
    yield from ((prefix + "valid", end.valid), (prefix + "ready", end.ready), (prefix + "last", end.last))
    for record in end.payload, end.param:
        for (field, *_), signal in zip(record.layout, record.flatten()):
            yield prefix + field, signal


def _first(net: Any, width: int) -> Any:
    """The lowest ``width`` bits, where LiteX has more of them."""
    return net[:width] if isinstance(net, Signal) and len(net) > width else net
