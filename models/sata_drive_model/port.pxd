# Types for port.py when it is compiled; the package works without.

from libc.stdint cimport int64_t
cimport cython
from .dword_queue cimport DwordQueue
from .faults.disturbance cimport Disturbance
from .link.link cimport DriveLink
from .observer cimport Observer

cdef int64_t ALIGN, K, SYNC, NEVER, VALID, READY, LINK_UP, RX_ERROR, RESET, _UP, _WORD
cdef int64_t CODE_ERROR, NONE, _RECEIVED


@cython.final
cdef class DrivePort:
    cdef public object drive, rng
    cdef public DriveLink link
    cdef public Observer observer
    cdef public int64_t generation, now, inputs
    cdef bint _simple, _resetting
    cdef int64_t _rx_base, _rx_mask, _tx_base, _tx_mask, _line, _clocks, _phase, _skew, _down
    cdef int64_t _reset_clocks, _errors, _round_trip, _resets
    cdef int64_t _event
    cdef public list struck
    cdef list _agenda
    cdef Disturbance _inward, _outward
    cdef DwordQueue _to_drive, _to_core, _tx_buffer, _rx_buffer

    @cython.locals(inputs=int64_t, observer=Observer)
    cpdef int64_t clock(self, int64_t core) except? -9
    cdef int64_t _clock(self, int64_t core, int64_t inputs) except? -9
    @cython.locals(word=int64_t)
    cdef int64_t _eventful(self, int64_t core, int64_t inputs) except? -9
    cdef int64_t _next_event(self) except? -9
    @cython.locals(word=int64_t)
    cdef int _line_clock(self) except -1
    @cython.locals(word=int64_t, waiting=int64_t)
    cdef int64_t _deliver(self) except? -9
    @cython.locals(waiting=int64_t, due=bint)
    cdef int64_t _take(self) except? -9
