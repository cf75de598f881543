# Types for link.py when it is compiled; the package works without.

from libc.stdint cimport int64_t
cimport cython
from .sending cimport SendStates

cdef int64_t ALIGN, DMAT, EOF, HOLD, HOLDA, K, PMNAK, PMREQ_P, PMREQ_S, R_ERR, R_IP, R_OK, R_RDY
cdef int64_t SOF, SYNC, WTRM, X_RDY, NEVER, HOLD_LATENCY, MAX_FRAME, NOTHING, DATA_DWORD
cdef int64_t IDLE, SEND_RDY, SENDING, SEND_WAIT, RECEIVE_WAIT, RECEIVE_RDY, RECEIVING
cdef int64_t RECEIVE_EOF, RECEIVE_END, POWER, ESCAPE, _SLOW, _RECEIVE, _SEND, _STEADY
cdef unsigned int[::1] _JUNK


@cython.final
cdef class DriveLink(SendStates):
    cdef public int64_t mode, steady, same, dword, next_align, align_left, length, dmat_at
    cdef public bint junk, verdict
    cdef public unsigned int[::1] buffer

    @cython.locals(now=int64_t, mode=int64_t, index=int64_t, length=int64_t)
    cpdef int64_t step(self, int64_t rx) except? -9
    @cython.locals(symbol=int64_t, word=int64_t)
    cdef int64_t _slow(self, int64_t rx) except? -9
    @cython.locals(until=int64_t, mode=int64_t, state=int64_t, received=int64_t, limit=int64_t,
                   constant=bint)
    cdef int _settle(self) except -1
    @cython.locals(state=int64_t)
    cdef int _react(self, int64_t symbol) except -1
    cdef int _in_idle(self, int64_t symbol) except -1
    cdef int _in_receive_wait(self, int64_t symbol) except -1
    cdef int _in_receive_rdy(self, int64_t symbol) except -1
    cdef int _in_receiving(self, int64_t symbol) except -1
    cdef int _end_receive(self) except -1
    cdef int _in_receive_eof(self, int64_t symbol) except -1
    cdef int _in_receive_end(self, int64_t symbol) except -1
    cdef int _in_power(self, int64_t symbol) except -1
    @cython.locals(state=int64_t, now=int64_t)
    cdef int64_t _emit(self) except? -9
    @cython.locals(received=int64_t)
    cdef int64_t _emit_receiving(self) except? -9
