# Types for cycle_tally.py when it is compiled; the package works without.

from libc.stdint cimport int64_t
cimport cython

cdef int64_t PAYLOAD, _COUNT


@cython.locals(number=int64_t)
cdef int _copy(int64_t[::1] source, int64_t[::1] target) except -1


@cython.final
cdef class CycleTally:
    cdef public int64_t[::1] cycles
    cdef int64_t[::1] _last, _before
    cdef int64_t _marks

    cpdef int mark(self, int64_t dwords) except -1
    @cython.locals(number=int64_t)
    cpdef list now(self)
    @cython.locals(number=int64_t)
    cpdef list before_last(self)
