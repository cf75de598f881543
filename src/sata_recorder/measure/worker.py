"""Runs inside the simulator: the engine on cocotb's handles, and the job that uses it.

At each falling edge the outputs of the cycle are sampled, the inputs computed at the falling edge
before are applied, and the next ones are computed: exactly what the compiled harness does.
"""

import functools
import os
import pickle
from pathlib import Path

import cocotb
from cocotb.task import bridge, resume
from cocotb.triggers import FallingEdge, Timer

from .engine import Engine, EngineError, State
from .icarus import write_progress
from .signals import OUTPUTS, PULSES, Event, Hold
from .wrapper import INPUT_BITS, OUTPUT_BITS

_CORE_WORD = (1 << 37) - 1
_MASK = (1 << 64) - 1
_EVENTS = {Event.READY: "ready", Event.DONE: "done", Event.ERROR: "error",
           Event.PHY_RESET: "phy_reset"}


class _Stall:
    def __init__(self, hold):
        self._on, self._period, self._phase = hold.on, hold.on + hold.off, 0

    def flows(self):
        flow = self._phase < self._on
        self._phase = (self._phase + 1) % self._period
        return flow


class Simulator(Engine):
    """``drive`` on the bench that cocotb runs."""

    stride = 500

    def __init__(self, dut, drive, *, trace=None):
        self._dut = dut
        self._drive = drive
        self._trace = open(trace, "wb") if trace is not None else None
        self._edge = FallingEdge(dut.clk)
        self._controls = dict.fromkeys(("rst", *PULSES), 0)
        self._cycle, self._hash, self._word = 0, 0xcbf29ce484222325, 0
        self._was_reset = False
        self._last = 0
        self._source, self._taken, self._source_mark, self._offered = (), 0, 0, False
        self._sink, self._size, self._sink_mark, self._armed, self._ready = [], 0, 0, False, False
        self._received = self._lasts = self._last_at = 0
        self._source_stall, self._sink_stall = _Stall(Hold()), _Stall(Hold())

    def run(self, clocks, until=Event(0)):
        return resume(self._run)(clocks, until)

    def set(self, **controls):
        for name, number in controls.items():
            if not 0 <= number < 1 << INPUT_BITS[name][1]:
                raise ValueError(f"{name} = {number} does not fit {INPUT_BITS[name][1]} bits")
        self._controls |= controls

    def source(self, data, *, hold=Hold(), mark=None):
        self._source = memoryview(bytes(data)).cast("I")
        self._source_mark = len(self._source) if mark is None else mark
        self._taken, self._offered = 0, False
        self._source_stall = _Stall(hold)
        self._offer()

    def sink(self, size, *, hold=Hold(), mark=None):
        self._sink, self._size, self._sink_mark = [], size, size if mark is None else mark
        self._received = self._lasts = self._last_at = 0
        self._armed = True
        self._sink_stall = _Stall(hold)
        self._accept()

    def received(self):
        return b"".join(word.to_bytes(4, "little") for word in self._sink)

    def outputs(self):
        return {name: _field(self._last, name) for name in OUTPUTS}

    def state(self):
        return State(self._cycle, self._hash, self._taken, self._received, self._lasts,
                     self._last_at)

    def close(self):
        if self._trace:
            self._trace.close()

    def _offer(self):
        flows = self._source_stall.flows()
        if not self._offered:
            self._offered = flows and self._taken < len(self._source)

    def _accept(self):
        self._ready = self._sink_stall.flows() and self._armed

    async def _run(self, clocks, until=Event(0)):
        found = Event(0)
        for _ in range(clocks):
            # The clock is low at first: cycle 0 needs no edge.
            await (self._edge if self._cycle else Timer(1, "ns"))
            self._last = outputs = self._sample()
            self._dut.inputs.value = self._inputs()
            core = outputs & _CORE_WORD
            self._record(core)
            self._transfer(outputs)
            found = self._events(outputs) & until if until else Event(0)
            self._cycle += 1
            for name in PULSES:
                self._controls[name] = 0
            self._offer()
            self._accept()
            self._word = self._drive(core)
            if found:
                break
        return found

    def _sample(self):
        value = self._dut.outputs.value
        try:
            return value.to_unsigned()
        except ValueError:
            if self._was_reset and not self._controls["rst"]:
                text = str(value)[::-1].lower()
                unknown = [name for name, (low, width) in OUTPUT_BITS.items()
                           if set(text[low:low + width]) - {"0", "1"}]
                raise EngineError(f"clock {self._cycle}: unknown bits (X) on "
                                  f"{', '.join(unknown)}") from None
            return int("".join(bit if bit in "01" else "0" for bit in str(value)), 2)

    def _inputs(self):
        """All inputs of this cycle as one number."""
        self._was_reset |= bool(self._controls["rst"])
        fields = self._controls | {"s_axis_tvalid": self._offered, "m_axis_tready": self._ready}
        if self._offered:
            fields["s_axis_tdata"] = self._source[self._taken]
        number = self._word
        for name, value in fields.items():
            number |= value << INPUT_BITS[name][0]
        return number

    def _record(self, core):
        """Folds the words of this cycle into the hash (FNV-1a, 64 bits), and writes them."""
        words = (core | self._word << 64).to_bytes(16, "little")
        number = self._hash
        for byte in words:
            number = (number ^ byte) * 0x100000001b3 & _MASK
        self._hash = number
        if self._trace:
            self._trace.write(words)

    def _transfer(self, outputs):
        if self._offered and _field(outputs, "s_axis_tready"):
            self._taken += 1
            self._offered = False
        if self._ready and _field(outputs, "m_axis_tvalid"):
            if self._received < self._size:
                self._sink.append(_field(outputs, "m_axis_tdata"))
            if _field(outputs, "m_axis_tlast"):
                self._lasts, self._last_at = self._lasts + 1, self._received
            self._received += 1

    def _events(self, outputs):
        found = Event(0)
        for event, name in _EVENTS.items():
            if _field(outputs, name):
                found |= event
        if self._taken >= self._source_mark:
            found |= Event.SOURCE
        if self._received >= self._sink_mark:
            found |= Event.SINK
        if not _field(outputs, "busy"):
            found |= Event.IDLE
        return found


def _field(outputs, name):
    low, width = OUTPUT_BITS[name]
    return outputs >> low & (1 << width) - 1


@cocotb.test()
async def run_job(dut):
    """Does the job of the folder ``SATA_RECORDER_JOB`` and leaves its result there."""
    folder = Path(os.environ["SATA_RECORDER_JOB"])

    def open_engine(configuration, drive, *, trace=None, vcd=None):
        # The configuration and the waves were chosen when the bench was compiled.
        return Simulator(dut, drive, trace=trace)

    try:
        function, arguments = pickle.loads((folder / "job.pickle").read_bytes())
        progress = functools.partial(write_progress, folder)
        result = True, await bridge(function)(open_engine, *arguments, progress)
    except Exception as error:
        result = False, error
    (folder / "result.pickle").write_bytes(_pickled(*result))


def _pickled(good, result):
    try:
        return pickle.dumps((good, result))
    except Exception as error:
        return pickle.dumps((False, EngineError(f"{result!r} cannot be passed on: {error}")))
