# Types for spans.py when it is compiled; the package works without.

from libc.stdint cimport int64_t
cimport cython
from .side cimport Side

cdef int64_t ALIGN, EOF, HOLD, HOLDA, K, R_ERR, R_OK, SYNC, WTRM, DATA, NONE


@cython.final
cdef class Span:
    cdef public object minimum, maximum
    cdef public int64_t count, total

    cpdef void add(self, int64_t value) except *


@cython.final
cdef class SpanMeter:
    cdef public dict spans, _starts
    cdef int64_t _visible, _heard, _count
    cdef bint _held

    cpdef void start(self, str name, int64_t now) except *
    cpdef void no_hold(self) except *
    cpdef void more_data(self, int64_t dwords) except *
    @cython.locals(symbol=int64_t, starts=dict, span=Span)
    cpdef void observe(self, int64_t now, int64_t word, Side rx, Side tx) except *
