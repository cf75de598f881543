"""A design with dword ports and a UART, compiled together with its clock loop and its lines.

:mod:`.clocked` is called once a clock; this runs many clocks per call, with the drive called from the
compiled loop, as the engines of the core do.
"""

import ctypes
from pathlib import Path

from . import drive_package
from .build import wrapped_design
from .engine import EngineError, clock_function
from .signals import Rate

_SOURCE = Path(__file__).with_name("uart_board.cc")
_CHUNK = 1 << 16

_u64 = ctypes.c_uint64
_pointer = ctypes.c_void_p
#: A drive in Python behind the C function that the loop calls.
_DRIVE = ctypes.PYFUNCTYPE(ctypes.c_int, _pointer, _u64, ctypes.POINTER(_u64))


def uart_board_library(make, recipe, more="", drives=1, source_clock=False):
    """Path of the compiled design that ``make()`` gives: an Amaranth component in one clock domain
    with the members ``phy`` (:class:`..core.phy.DwordPort`), with more ``drives`` than one also ``phy1`` and so on, at
    most ``phy3``, and ``uart_rx``, ``uart_tx``, ``link``, ``activity`` and ``error``; with ``source_clock`` also
    ``s_axis_aclk``, another clock. ``recipe`` is a text that changes with it; it is elaborated once. ``more`` is the
    RTLIL of what it has instances of.

    Raises :class:`.engine.EngineError` and :class:`.engine.MissingTool`.
    """
    return wrapped_design(make, recipe, f"#define DRIVES {drives}\n#define SOURCE_CLOCK {int(source_clock)}\n"
                          f"{_SOURCE.read_text()}", more)


class UartBoard:
    """The design of a library that :func:`uart_board_library` made, and the drives at its ports.

    Parameters: ``library``, the path; ``ports``, a drive model's ``DrivePort`` for each dword port, which is called
    without Python in between if it is of the compiled model; ``divisor``, clocks per bit of the
    UART. Members: ``ports``. A context manager.
    """

    def __init__(self, library, ports, divisor):
        # PyDLL keeps the interpreter's lock: the drive is an object of Python.
        found = self._library = ctypes.PyDLL(str(library))
        for function, result, arguments in (
                (found.board_create, _pointer, (ctypes.c_uint, ctypes.c_uint)),
                (found.board_source_clock, None, (_pointer, _u64, _u64)),
                (found.board_destroy, None, (_pointer,)),
                (found.board_send, None, (_pointer, ctypes.c_char_p, _u64)),
                (found.board_receive, _u64, (_pointer, ctypes.c_char_p, _u64)),
                (found.board_run, ctypes.c_int, (_pointer, _pointer, _pointer, _u64)),
                (found.board_state, None, (_pointer, _pointer))):
            function.restype, function.argtypes = result, arguments
        self.ports = tuple(ports)
        self._raised = None
        natives = [drive_package.native(port) for port in self.ports]
        self._callbacks = [None if native else self._in_python(clock_function(port))
                           for native, port in zip(natives, self.ports)]
        count = len(self.ports)
        self._drives = (_pointer * count)(*(
            native or ctypes.cast(callback, _pointer) for native, callback in zip(natives, self._callbacks)))
        self._objects = (ctypes.py_object * count)(*self.ports)
        self._room = ctypes.create_string_buffer(_CHUNK)
        self._board = found.board_create(divisor, self.ports[0].generation)
        self.source_clock(Rate(1, 1))

    def _in_python(self, clock):
        def call(port, word, answer):
            try:
                answer[0] = clock(word)
                return 0
            except BaseException as error:
                self._raised = error
                return -1
        return _DRIVE(call)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def source_clock(self, rate):
        """Sets the clock of the source, if the design has one: a :class:`.signals.Rate` of its clocks in those of the
        core; at first it is as fast as that of the core."""
        self._library.board_source_clock(self._board, rate.words, rate.clocks)

    def send(self, data):
        """Puts bytes on the line to the design, after those that wait already."""
        self._library.board_send(self._board, data, len(data))

    def receive(self):
        """The bytes that the design has sent since the last call, at most 64 KiB."""
        count = self._library.board_receive(self._board, self._room, _CHUNK)
        return self._room.raw[:count]

    def run(self, clocks):
        """Lets this many clocks pass; what the drive raises is passed on."""
        status = self._library.board_run(self._board, self._drives, self._objects, clocks)
        raised, self._raised = self._raised, None
        if raised:
            raise raised
        if status:
            raise EngineError("the drive failed")
        if self._state()[1]:
            raise EngineError("the design has sent a byte without a stop bit")

    def _state(self):
        numbers = (_u64 * 4)()
        self._library.board_state(self._board, numbers)
        return tuple(numbers)

    @property
    def clocks(self):
        """The simulated time in clocks."""
        return self._state()[0]

    @property
    def lights(self):
        """The lights link, activity and error, as they were in the last clock that ran."""
        bits = self._state()[2]
        return tuple(bool(bits >> n & 1) for n in range(3))

    @property
    def silent_clocks(self):
        """Clocks since a byte was on its way on a line of the UART; 0 while one waits to be sent."""
        return self._state()[3]

    def close(self):
        """Frees the state of the simulation."""
        if self._board is not None:
            self._library.board_destroy(self._board)
            self._board = None
