# Types for side.py when it is compiled; the package works without.

from libc.stdint cimport int64_t
cimport cython

cdef int64_t ALIGN, CONT, EOF, K, SOF, SYNC, NONE, DATA


@cython.final
cdef class Side:
    cdef public int64_t last, symbol, count, data_clock, data_before
    cdef public bint cont, framed
    cdef public list head

    cpdef int64_t take(self, int64_t word) except? -9
    @cython.locals(symbol=int64_t)
    cpdef bint follow(self, int64_t word, int64_t now) except -1
    cpdef int more_data(self, int64_t dwords, int64_t now) except -1
    cpdef int64_t mask(self, int64_t word, bint capture) except? -9
