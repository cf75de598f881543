"""A drive on the signals of a host core in a cocotb test, and a monitor between the two."""

import cocotb
from cocotb.triggers import FallingEdge

from . import DrivePort, Monitor

#: What is read of the core, and its place in the word that a `DrivePort` takes.
OUTPUTS = {"tx_data": 0, "tx_k": 32, "reset": 36}
#: What is driven, and its place in the word that a `DrivePort` gives, with its width.
INPUTS = {"rx_data": (0, 32), "rx_k": (32, 4), "rx_valid": (36, 1), "tx_ready": (37, 1),
          "link_up": (38, 1), "rx_error": (39, 1)}
_NEEDED = ("tx_data", "tx_k", "rx_data", "rx_k")


class DriveBus:
    """Connects a drive to a host core, from now on, clock by clock.

    At each falling edge of ``clock`` the core's outputs are sampled and the drive's are applied, so
    a rising edge sees stable signals both ways. Outputs of the core that are X count as 0.

    Parameters
    ----------
    signals : the core's signals by role: tx_data, tx_k, rx_data, rx_k; and, where the core has
        them, tx_valid (low: a data dword of 0 is sent), tx_ready, rx_valid, rx_error, link_up,
        generation and reset
    clock : the core's clock, at the dword rate or faster
    drive : a `Drive`, None: nothing is plugged in
    ignore : rules that the monitor does not report
    options : of the `DrivePort`

    Members: ``port`` the `DrivePort`; ``drive``; ``monitor`` the `Monitor`, whose ``violations``
    are of both sides. Raises ``AttributeError`` for a signal that is needed and missing.
    """

    def __init__(self, signals, clock, drive=None, *, ignore=(), **options):
        for role in _NEEDED:
            if role not in signals:
                raise AttributeError(f"the host core has no signal for {role}")
        self.port = DrivePort(drive, **options)
        delay = options.get("round_trip", 0) + 2 * options.get("skew", 0)
        self.monitor = Monitor(round_trip=delay, ignore=ignore)
        self._outputs = [(signals[role], place) for role, place in OUTPUTS.items()
                         if role in signals]
        self._inputs = [(signals[role], place, (1 << width) - 1)
                        for role, (place, width) in INPUTS.items() if role in signals]
        self._valid = signals.get("tx_valid")
        if "generation" in signals:
            signals["generation"].value = self.port.generation
        self._apply(0)
        cocotb.start_soon(self._run(FallingEdge(clock)))

    @classmethod
    def from_prefix(cls, dut, prefix, clock, drive=None, *, names=None, **options):
        """The bus of the signals ``PREFIX_ROLE`` of ``dut``; ``names`` maps roles to other names
        after the prefix. The other parameters are the class's."""
        roles = (*OUTPUTS, "tx_valid", *INPUTS, "generation")
        named = {role: f"{prefix}_{(names or {}).get(role, role)}" for role in roles}
        return cls({role: getattr(dut, name) for role, name in named.items()
                    if hasattr(dut, name)}, clock, drive, **options)

    @property
    def drive(self):
        return self.port.drive

    async def _run(self, edge):
        port = self.port
        while True:
            await edge
            core = self._sample()
            inputs = port.inputs            # computed a clock ago: the drive's output register
            self._apply(inputs)
            self.monitor.observe(port.now, core, inputs)
            port.clock(core)

    def _sample(self):
        values = [(signal.value, place) for signal, place in self._outputs]
        if self._valid is not None and str(self._valid.value) != "1":
            values = [(value, place) for value, place in values if place >= 36]
        return sum(int(value) << place for value, place in values if value.is_resolvable)

    def _apply(self, word):
        for signal, place, mask in self._inputs:
            signal.value = word >> place & mask
