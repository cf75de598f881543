# Types for observer.py when it is compiled; the package works without.

from libc.stdint cimport int64_t


cdef class Observer:
    cdef public int64_t rx_base, rx_mask, tx_base, tx_mask
    cdef public object clock_of

    cpdef int observe(self, int64_t now, int64_t core, int64_t inputs) except -1
