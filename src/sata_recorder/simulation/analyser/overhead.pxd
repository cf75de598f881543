# Types for overhead.py when it is compiled; the package works without.

from libc.stdint cimport int64_t
cimport cython
from .cycle_tally cimport CycleTally


@cython.final
cdef class OverheadMeter:
    cdef public bint follows
    cdef object _first
    cdef list _before, _tail, _new_tail, _between
    cdef int64_t _tail_clock, _new_tail_clock
    cdef dict _splits

    cpdef int discard(self) except -1
    cpdef int starts(self, int64_t now, CycleTally tally) except -1
    cpdef void book(self, record) except *
    cdef object _shared(self, split)
    cpdef int mark(self, CycleTally tally, int64_t clock) except -1
    cpdef int add(self, list spent) except -1
    cpdef int end(self) except -1
