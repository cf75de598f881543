"""The fast engines: the core compiled to a library, the drive called once a clock."""

import ctypes
import functools
import os
from pathlib import Path

from ..interface.group import WORD
from . import drive_package
from .build import Translator, library
from .engine import Engine, EngineError, State, UnwrittenFile, clock_function
from .fast_paths import fast_paths_of
from .signals import Event, Hold, Rate, controls, outputs
from .streams import CHUNK, MOST_GAPS, Reader

_DIVERGED, _NO_TRACE, _NO_WAVES = -2, -3, -4
_FILES = {_NO_TRACE: "trace", _NO_WAVES: "VCD"}
_FOREVER = (1 << 64) - 1
_MOST_CAME = 1000
_EVENTS = [Event(number) for number in range(2 * max(Event))]

_u64 = ctypes.c_uint64
_Numbers = _u64 * len(State._fields)
_pointer = ctypes.c_void_p


class _Python(ctypes.Structure):
    """Functions of this interpreter that the library calls; it is not linked against Python."""

    _fields_ = [(name, _pointer) for name in ("from_u64", "as_u64", "call", "release", "error",
                                              "signals")]


@functools.cache
def _python():
    python = ctypes.pythonapi
    functions = (python.PyLong_FromUnsignedLongLong, python.PyLong_AsUnsignedLongLong,
                 python.PyObject_Vectorcall, python.Py_DecRef, python.PyErr_Occurred,
                 python.PyErr_CheckSignals)
    return _Python(*(ctypes.cast(function, _pointer) for function in functions))


@functools.cache
def loaded(path):
    # PyDLL keeps the interpreter's lock and raises what a call of the drive has raised.
    found = ctypes.PyDLL(str(path), use_errno=True)
    for function, result, arguments in (
            (found.bench_create, _pointer, (_pointer, _u64)),
            (found.bench_destroy, ctypes.c_int, (_pointer,)),
            (found.bench_row, _u64, ()),
            (found.bench_fast_paths, None, (_pointer, _pointer)),
            (found.bench_control, None, (_pointer, ctypes.c_int, _u64)),
            (found.bench_source, ctypes.c_int, (_pointer, ctypes.c_int, ctypes.py_object, *[_u64] * 7)),
            (found.bench_source_clock, None, (_pointer, _u64, _u64)),
            (found.bench_go_on, None, (_pointer, *[_u64] * 3)),
            (found.bench_beside, None, (_pointer, ctypes.c_int, _u64)),
            (found.bench_came, _u64, (_pointer, _pointer, _u64)),
            (found.bench_chunk, None, (_pointer, ctypes.c_int, ctypes.c_char_p, _u64, _u64)),
            (found.bench_taken, _u64, (_pointer, ctypes.c_int)),
            (found.bench_sink, ctypes.c_int, (_pointer, _pointer, _u64, _pointer, *[_u64] * 4)),
            (found.bench_drained, _u64, (_pointer,)),
            (found.bench_trace, ctypes.c_int, (_pointer, ctypes.c_char_p)),
            (found.bench_waves, ctypes.c_int,
             (_pointer, ctypes.c_char_p, _u64, _u64, ctypes.c_int)),
            (found.bench_run, ctypes.c_int,
             (_pointer, _pointer, _pointer, _u64, ctypes.c_int)),
            (found.bench_table, ctypes.c_int,
             (_pointer, _pointer, _pointer, ctypes.c_int, ctypes.c_int, _u64, _u64, _pointer)),
            (found.bench_state, None, (_pointer, _pointer)),
            (found.bench_gaps, _u64, (_pointer, _u64, _pointer, _u64)),
            (found.bench_outputs, ctypes.POINTER(_u64), (_pointer,))):
        function.restype = result
        function.argtypes = arguments
    return found


class _Supply:
    """Gives the ``bench`` the words of ``data`` for its stream ``number``, a chunk per call."""

    def __init__(self, library, bench, number, data):
        self._library, self._bench, self._number = library, bench, number
        self._reader, self._chunk = Reader(data), b""

    @property
    def words(self):
        """How many there are."""
        return self._reader.words

    def __call__(self, index):
        # The library keeps only the address.
        first, self._chunk = self._reader.chunk(index)
        self._library.bench_chunk(self._bench, self._number, self._chunk, first, first + len(self._chunk) // 4)


class Compiled(Engine):
    """``stack(configuration.simulated)`` against ``drive``.

    Parameters: ``drive`` is a drive model's ``DrivePort``, or a function that is called once a
    clock with the core's word of the dword port, and returns the inputs of the next clock; or a list of such, one
    for each lane of an array. The port of a compiled drive model is called without Python in between. ``trace`` names
    a file for the two 8-byte words of each clock and lane. ``waves``, :class:`.engine.Waves`, take
    ``Translator.WAVES``, whatever ``translator`` is. ``path`` names a library that was compiled before, to use instead
    of the configuration's. With a ``controller``
    (:class:`..firmware.Controller`) a processor operates the core, at its clock and as its
    ``extent`` states; :meth:`set` takes what :data:`..firmware.OPERATED` names, too. ``source_clock``
    is that of ``s_axis`` if the configuration has one: a :class:`.signals.Rate` of its clocks in those of the core.
    """

    stride = 50_000

    def __init__(self, configuration, drive, *, trace=None, waves=None, path=None, translator=Translator.NETLIST,
                 controller=None, source_clock=Rate(1, 1)):
        drives = drive if isinstance(drive, (list, tuple)) else [drive]
        if len(drives) != configuration.drives:
            raise ValueError(f"{len(drives)} drives for a core with {configuration.drives}")
        natives = {drive_package.native(one) for one in drives}
        self._native = natives.pop() if len(natives) == 1 else None
        if self._native:
            self.stride = 200_000
        self._drives = (ctypes.py_object * len(drives))(
            *(one if self._native else clock_function(one) for one in drives))
        self.configuration = configuration
        self._controls = controls(configuration, controller)
        self._outputs = {name: index for index, name in enumerate(outputs(configuration))}
        self._index = {name: index for index, name in enumerate(self._controls)}
        path = Path(path or library(configuration, translator if waves is None else Translator.WAVES,
                                    controller)).absolute()
        self._library = loaded(str(path))
        self._python = _python()
        self._bench = self._library.bench_create(ctypes.byref(self._python), 0)
        self._fast_paths = fast_paths_of(path, self._library.bench_row())
        if self._fast_paths:
            self._library.bench_fast_paths(self._bench, ctypes.byref(self._fast_paths.table))
        self.beat = configuration.array_width // WORD
        self._whole = max(self.beat, configuration.source_width // WORD)    # words that a source must have multiples of
        self._supplies = [None] * configuration.channels
        self._buffer = self._consumer = self._drain = None
        self._size = 0
        self._pairs = (_u64 * (2 * MOST_GAPS))()
        self._paths = {_NO_TRACE: trace, _NO_WAVES: waves.path if waves else None}
        try:
            self._library.bench_source_clock(self._bench, source_clock.words, source_clock.clocks)
            self._open(trace, waves)
            if controller is not None:
                self._operate(controller, configuration)
        except BaseException:
            self._library.bench_destroy(self._bench)
            raise
        self._numbers = self._library.bench_outputs(self._bench)

    def _open(self, trace, waves):
        if trace is not None:
            self._check(self._library.bench_trace(self._bench, str(trace).encode()))
        if waves is not None:
            start, stop = (waves.window.start, waves.window.stop) if waves.window else (0, _FOREVER)
            self._check(self._library.bench_waves(self._bench, str(waves.path).encode(), start, stop,
                                                  waves.ports_only))

    def _operate(self, controller, configuration):
        """Gives the processor its constant inputs once."""
        ticks, clocks = controller.ticks(configuration.clock_hz)
        self.set(controller_ticks=ticks, controller_clocks=clocks,
                 controller_interrupts=controller.wait == "interrupt",
                 operation_sectors=controller.operation_sectors(configuration))

    def _check(self, status):
        if status == _DIVERGED:
            raise EngineError("the core has combinational feedback: one evaluation a clock is not "
                              "enough")
        if status < 0:
            number = ctypes.get_errno()
            raise UnwrittenFile(_FILES[status], self._paths[status],
                                os.strerror(number) if number else "the reason is not known")
        return status

    def set(self, **controls):
        """As :meth:`.engine.Engine.set`. Raises ``ValueError`` for a number that does not fit its control."""
        for name, number in controls.items():
            if not 0 <= number < 1 << self._controls[name]:
                raise ValueError(f"{name} = {number} does not fit {self._controls[name]} bits")
            self._library.bench_control(self._bench, self._index[name], number)

    def source(self, data, *, hold=Hold(), mark=None, rate=None, depth=None):
        self._set_source(0, data, hold, mark, rate, depth)

    def channels(self, producers, *, hold=Hold(), rate=None, depth=None):
        """Offers the words of each of the ``producers`` to one of the core's channels; else as :meth:`source`.
        ``Event.SOURCE`` holds when all words of all of them were taken. Raises ``ValueError`` if there are not as
        many producers as streams."""
        if len(producers) != len(self._supplies):
            raise ValueError(f"{len(producers)} producers for {len(self._supplies)} streams")
        for number, data in enumerate(producers):
            self._set_source(number, data, hold, None, rate, depth)

    def _set_source(self, number, data, hold, mark, rate, depth):
        supply = self._supplies[number] = _Supply(self._library, self._bench, number, data)
        count = supply.words
        if count % self._whole:
            raise ValueError(f"{count} words are no whole beats of {self._whole}")
        self._check(self._library.bench_source(
            self._bench, number, supply, count, count if mark is None else mark, *hold,
            rate.words if rate else 0, rate.clocks if rate else 1,
            _FOREVER if depth is None else depth))

    def taken(self, number):
        """The words that the stream ``number`` has given since it was set."""
        return self._library.bench_taken(self._bench, number)

    def go_on(self, *, hold=Hold(), mark):
        """The source goes on with its words, with another ``hold`` and another ``mark``: ``taken`` of the state counts
        on, and what had not yet come beside them no longer comes."""
        self._library.bench_go_on(self._bench, mark, *hold)

    def beside(self, control, word):
        """``control``, an input in the clock of the source, is high for one of its clocks: that in which ``word`` words
        or more have been taken, and at least a beat since the one before it."""
        self._library.bench_beside(self._bench, self._index[control], word)

    def came(self):
        """What came beside the words of the source since it was set or went on: tuples of the control, and of the words
        taken before its clock and with it."""
        triples, names = (_u64 * (3 * _MOST_CAME))(), list(self._controls)
        count = self._library.bench_came(self._bench, triples, _MOST_CAME)
        return [(names[triples[at]], triples[at + 1], triples[at + 2]) for at in range(0, 3 * count, 3)]

    def sink(self, size, *, hold=Hold(), mark=None, consumer=None):
        room = max(1, min(size, CHUNK)) if consumer else size
        self._buffer = bytearray(4 * room)
        self._size, self._consumer = size, consumer
        # The library keeps only the addresses.
        self._drain = self._hand_over if consumer else None
        address = (ctypes.c_char * len(self._buffer)).from_buffer(self._buffer)
        self._check(self._library.bench_sink(
            self._bench, ctypes.addressof(address), room, id(self._drain) if consumer else None,
            size, size if mark is None else mark, *hold))

    def _hand_over(self):
        words = self._library.bench_drained(self._bench)
        if words:
            self._consumer(bytes(memoryview(self._buffer)[:4 * words]))

    def received(self):
        if self._consumer or self._buffer is None:
            return b""
        return bytes(memoryview(self._buffer)[:4 * min(self.state().received, self._size)])

    def gaps(self, first=0):
        pairs = self._pairs
        count = self._library.bench_gaps(self._bench, first, pairs, MOST_GAPS)
        return [(pairs[2 * n], pairs[2 * n + 1]) for n in range(count)]

    def run(self, clocks, until=Event(0)):
        status = self._library.bench_run(self._bench, self._drives, self._native, clocks, until)
        if self._consumer:
            self._hand_over()
        if self._fast_paths:
            self._fast_paths.look()
        return _EVENTS[status] if status >= 0 else self._check(status)

    def table(self, address, data, numbers, clocks):
        found = (_u64 * len(numbers))(*numbers)
        self._check(self._library.bench_table(
            self._bench, self._drives, self._native, self._index[address], self._outputs[data],
            len(numbers), clocks, found))
        return list(found)

    def outputs(self):
        return dict(zip(self._outputs, self._numbers[:len(self._outputs)]))

    def output(self, name):
        return self._numbers[self._outputs[name]]

    def state(self):
        numbers = _Numbers()
        self._library.bench_state(self._bench, numbers)
        return State(*numbers)

    def close(self):
        if self._bench is not None:
            bench, self._bench, self._numbers = self._bench, None, None
            self._check(self._library.bench_destroy(bench))
