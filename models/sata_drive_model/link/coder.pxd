# Types for coder.py when it is compiled; the package works without.

from libc.stdint cimport int64_t
cimport cython

cdef int64_t ALIGN, CONT, HOLD, HOLDA, K, SYNC, NEVER, ALIGN_DISTANCE, NOTHING, DATA_DWORD
cdef unsigned int[::1] _JUNK


cdef class DwordCoder:
    cdef public object behaviour, rng, clock_of
    cdef public list violations
    cdef public int64_t round_trip, now, last, repeat, aligns, align_deadline, tx_last, tx_count
    cdef public int64_t tx_cont_at
    cdef public bint cont

    @cython.final
    cdef int _reset_coder(self) except -1
    @cython.final
    cdef int64_t _decode(self, int64_t rx) except? -9
    @cython.final
    @cython.locals(count=int64_t)
    cdef int64_t _compress(self, int64_t word) except? -9
