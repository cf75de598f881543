# Types for spans.py when it is compiled; the package works without.

from libc.stdint cimport int64_t
cimport cython
from .side cimport Side

cdef int64_t ALIGN, EOF, HOLD, HOLDA, K, R_ERR, R_OK, SYNC, WTRM, DATA, NONE


@cython.final
cdef class Span:
    cdef public object minimum, maximum
    cdef public int64_t count, total

    cpdef int add(self, int64_t value) except -1


@cython.final
cdef class SpanMeter:
    cdef public dict spans, _starts
    cdef int64_t _visible, _heard, _count
    cdef bint _held

    cpdef int start(self, str name, int64_t now) except -1
    cpdef int no_hold(self) except -1
    cpdef int more_data(self, int64_t dwords) except -1
    @cython.locals(symbol=int64_t, starts=dict, span=Span)
    cpdef int observe(self, int64_t now, int64_t word, Side rx, Side tx) except -1
