"""The fast engine: the core compiled to a library (CXXRTL), the drive called once a clock."""

import ctypes

from .build import library
from .engine import Engine, EngineError, State
from .signals import CONTROLS, OUTPUTS, Event, Hold

__all__ = ["Cxxrtl"]

_DIVERGED, _NO_TRACE, _NO_WAVES = -2, -3, -4
_REASONS = {
    _DIVERGED: "the core has combinational feedback: one evaluation a clock is not enough",
    _NO_TRACE: "the trace file cannot be written",
    _NO_WAVES: "the VCD file cannot be written",
}
_FOREVER = (1 << 64) - 1
_INDEX = {name: index for index, name in enumerate(CONTROLS)}

_u64 = ctypes.c_uint64
_pointer = ctypes.c_void_p


class _Python(ctypes.Structure):
    """Functions of this interpreter that the library calls; it is not linked against Python."""

    _fields_ = [(name, _pointer) for name in ("from_u64", "as_u64", "call", "release", "error",
                                              "signals")]


def _python():
    names = ("PyLong_FromUnsignedLongLong", "PyLong_AsUnsignedLongLong", "PyObject_Vectorcall",
             "Py_DecRef", "PyErr_Occurred", "PyErr_CheckSignals")
    return _Python(*(ctypes.cast(getattr(ctypes.pythonapi, name), _pointer) for name in names))


def _load(path):
    # PyDLL keeps the interpreter's lock and raises what a call of the drive has raised.
    found = ctypes.PyDLL(str(path))
    for name, result, arguments in (
            ("create", _pointer, (_pointer, _u64)),
            ("destroy", ctypes.c_int, (_pointer,)),
            ("control", None, (_pointer, ctypes.c_int, _u64)),
            ("source", None, (_pointer, ctypes.c_char_p, _u64, _u64, _u64, _u64)),
            ("sink", None, (_pointer, _pointer, _u64, _u64, _u64, _u64)),
            ("trace", ctypes.c_int, (_pointer, ctypes.c_char_p)),
            ("waves", ctypes.c_int, (_pointer, ctypes.c_char_p, _u64, _u64)),
            ("run", ctypes.c_int, (_pointer, ctypes.py_object, _u64, ctypes.c_int)),
            ("state", None, (_pointer, _pointer)),
            ("outputs", ctypes.POINTER(_u64), (_pointer,))):
        function = getattr(found, f"bench_{name}")
        function.restype = result
        function.argtypes = arguments
    return found


class Cxxrtl(Engine):
    """``SataRecorder(configuration)`` against ``drive``, about a million clocks a second.

    Parameters: ``drive`` is called once a clock, with the core's word of the dword port, and
    returns the inputs of the next clock. ``trace`` names a file for the two 8-byte words of each
    clock. ``vcd`` names a file for the waves of the clocks in the range ``window`` (all of them by
    default). ``path`` names a library that was compiled before, instead of the configuration.
    """

    stride = 50_000

    def __init__(self, configuration, drive, *, trace=None, vcd=None, window=None, path=None):
        self._drive = drive
        self._library = _load(path or library(configuration, waves=vcd is not None))
        self._python = _python()
        self._bench = self._library.bench_create(ctypes.byref(self._python), 0)
        self._words = None
        self._buffer = None
        self._size = 0
        if trace is not None:
            self._check(self._library.bench_trace(self._bench, str(trace).encode()))
        if vcd is not None:
            start, stop = (window.start, window.stop) if window else (0, _FOREVER)
            self._check(self._library.bench_waves(self._bench, str(vcd).encode(), start, stop))

    def _check(self, status):
        if status < 0:
            raise EngineError(_REASONS[status])
        return status

    def set(self, **controls):
        for name, number in controls.items():
            if not 0 <= number < 1 << CONTROLS[name]:
                raise ValueError(f"{name} = {number} does not fit {CONTROLS[name]} bits")
            self._library.bench_control(self._bench, _INDEX[name], number)

    def source(self, data, *, hold=Hold(), mark=None):
        self._words = bytes(data)
        count = len(self._words) // 4
        self._library.bench_source(self._bench, self._words, count,
                                   count if mark is None else mark, *hold)

    def sink(self, size, *, hold=Hold(), mark=None):
        # One spare word: the address is never null, which would switch the sink off.
        self._buffer = bytearray(4 * size + 4)
        self._size = size
        address = (ctypes.c_char * len(self._buffer)).from_buffer(self._buffer)
        self._library.bench_sink(self._bench, ctypes.addressof(address), size,
                                 size if mark is None else mark, *hold)

    def received(self):
        return bytes(self._buffer[:4 * min(self.state().received, self._size)])

    def run(self, clocks, until=Event(0)):
        status = self._library.bench_run(self._bench, self._drive, clocks, until)
        return Event(self._check(status))

    def outputs(self):
        numbers = self._library.bench_outputs(self._bench)
        return {name: numbers[index] for index, name in enumerate(OUTPUTS)}

    def state(self):
        numbers = (_u64 * 6)()
        self._library.bench_state(self._bench, numbers)
        return State(*numbers)

    def close(self):
        if self._bench is not None:
            bench, self._bench = self._bench, None
            self._check(self._library.bench_destroy(bench))
