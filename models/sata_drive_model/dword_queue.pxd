# Types for dword_queue.py when it is compiled; the package works without.

from libc.stdint cimport int64_t
cimport cython


@cython.final
cdef class DwordQueue:
    cdef public int64_t count
    cdef int64_t[::1] _words
    cdef int64_t _first, _mask

    cpdef int append(self, int64_t word) except -1
    @cython.locals(word=int64_t)
    cpdef int64_t take(self) except? -9
    cdef int _grow(self) except -1
