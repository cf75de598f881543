# Types for disturb.py when it is compiled; the package works without.

from libc.stdint cimport int64_t
cimport cython

cdef int64_t ALIGN, CONT, EOF, K, SOF, SYNC, ANY, FRAMED, NONE
cdef int64_t BITS, REPLACE, LOST, DOUBLED, CODE_ERROR


@cython.final
cdef class Hit:
    cdef public object fault
    cdef public int64_t action, symbol, skip, left, word, flag
    cdef public bint started


@cython.final
cdef class Disturbance:
    cdef public list hits, struck
    cdef public object held
    cdef public bint framed, cont

    cpdef clear(self)
    cpdef bint busy(self)
    @cython.locals(hit=Hit, inside=bint, again=bint, original=int64_t)
    cpdef int64_t take(self, int64_t word) except? -9
