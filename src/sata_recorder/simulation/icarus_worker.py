"""Runs inside the simulator: the engine on cocotb's handles, and the job that uses it.

At each falling edge the outputs of the cycle are sampled, the inputs computed at the falling edge
before are applied, and the next ones are computed: exactly what the compiled harness does.
"""

import functools
import os
import pickle
from contextlib import contextmanager
from pathlib import Path

import cocotb
from cocotb.task import bridge, resume
from cocotb.triggers import FallingEdge, Timer

from .engine import Engine, EngineError, State, UnwrittenFile, clock_function, fold
from .icarus import write_progress
from .icarus_bench import OUTPUT_BITS, input_bits
from .signals import OUTPUTS, PULSES, Event, Hold
from .streams import MOST_GAPS, Sink, Source

_CORE_WORD = (1 << 37) - 1
_EVENTS = {Event.READY: "ready", Event.DONE: "done", Event.ERROR: "error",
           Event.PHY_RESET: "phy_reset"}


class Simulator(Engine):
    """``drive`` on the bench that cocotb runs."""

    stride = 500

    def __init__(self, dut, configuration, drive, *, trace=None):
        self._dut = dut
        self._drive = clock_function(drive)
        self._bits = input_bits(configuration)
        self._trace, self._trace_path = None, trace
        if trace is not None:
            with self._writing_trace():
                self._trace = open(trace, "wb")
        self._edge = FallingEdge(dut.clk)
        self._controls = dict.fromkeys(("rst", *PULSES), 0)
        self._cycle, self._hash, self._word = 0, 0, 0
        self._was_reset = False
        self._last = 0
        self._source, self._sink = Source(), Sink(armed=False)

    def run(self, clocks, until=Event(0)):
        return resume(self._run)(clocks, until)

    def set(self, **controls):
        for name, number in controls.items():
            if not 0 <= number < 1 << self._bits[name][1]:
                raise ValueError(f"{name} = {number} does not fit {self._bits[name][1]} bits")
        self._controls |= controls

    def source(self, data, *, hold=Hold(), mark=None, rate=None, depth=None):
        self._source = Source(data, hold, mark, rate, depth)
        self._source.offer()

    def sink(self, size, *, hold=Hold(), mark=None, consumer=None):
        self._sink = Sink(size, hold, mark, consumer)
        self._sink.accept()

    def received(self):
        return self._sink.received()

    def gaps(self, first=0):
        sensor = self._source.sensor
        return [tuple(gap) for gap in sensor.gaps[first:first + MOST_GAPS]] if sensor else []

    def outputs(self):
        return {name: _field(self._last, name) for name in OUTPUTS}

    def state(self):
        sensor = self._source.sensor
        return State(self._cycle, self._hash, self._source.taken, self._sink.count,
                     self._sink.lasts, self._sink.last_at,
                     *((sensor.arrived, sensor.lost, sensor.backlog, sensor.high) if sensor
                       else ()))

    def close(self):
        if self._trace:
            with self._writing_trace():
                self._trace.close()

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
            self._source.offer()
            self._sink.accept()
            self._word = self._drive(core)
            if found:
                break
        self._sink.drain()
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
        fields = self._controls | {"s_axis_tvalid": self._source.valid,
                                   "m_axis_tready": self._sink.ready}
        if self._source.valid:
            fields["s_axis_tdata"] = self._source.data
        number = self._word
        for name, value in fields.items():
            number |= value << self._bits[name][0]
        return number

    def _record(self, core):
        """Folds the words of this cycle into the hash, and writes them."""
        self._hash = fold(self._hash, core, self._word)
        if self._trace:
            with self._writing_trace():
                self._trace.write((core | self._word << 64).to_bytes(16, "little"))

    @contextmanager
    def _writing_trace(self):
        try:
            yield
        except OSError as error:
            raise UnwrittenFile("trace", str(self._trace_path), error.strerror) from None

    def _transfer(self, outputs):
        self._source.clock(_field(outputs, "s_axis_tready"))
        if self._sink.ready and _field(outputs, "m_axis_tvalid"):
            self._sink.take(_field(outputs, "m_axis_tdata"), _field(outputs, "m_axis_tlast"))

    def _events(self, outputs):
        found = Event(0)
        for event, name in _EVENTS.items():
            if _field(outputs, name):
                found |= event
        if self._source.taken >= self._source.mark:
            found |= Event.SOURCE
        if self._sink.count >= self._sink.mark:
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

    def open_engine(configuration, drive, *, trace=None, waves=None):
        # The waves were chosen when the simulator was started.
        return Simulator(dut, configuration, drive, trace=trace)

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
