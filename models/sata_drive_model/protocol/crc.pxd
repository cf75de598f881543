# Types for crc.py when it is compiled; the package works without.

from libc.stdint cimport int64_t
cimport cython

cdef unsigned int[::1] _TABLE

@cython.locals(dword=int64_t, shift=int64_t)
cpdef int64_t crc_dwords(dwords, int64_t crc=*) except? -9
