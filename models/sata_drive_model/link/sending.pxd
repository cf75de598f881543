# Types for sending.py when it is compiled; the package works without.

from libc.stdint cimport int64_t
cimport cython
from .coder cimport DwordCoder

cdef int64_t DMAT, EOF, HOLD, HOLDA, R_ERR, R_IP, R_OK, R_RDY, SOF, SYNC, X_RDY, NEVER
cdef int64_t IDLE, SEND_RDY, SEND_WAIT, POWER, ESCAPE, HOLD_LATENCY, DATA_DWORD


cdef class SendStates(DwordCoder):
    cdef public object drive, frame
    cdef public list queue, holds
    cdef public int64_t event_at, state, idle_event, timer, grace, index, next_hold, hold_left
    cdef public int64_t holda_at, hold_ticks, hold_since, after_hold, escape_at, stuck_at, power
    cdef public int64_t overrun, collisions, host_escapes
    cdef public bint idle_sent, hold_answered
    cdef public unsigned int[::1] words

    @cython.final
    cdef int _reset_sending(self) except -1
    @cython.final
    cdef int _unexpected(self, int64_t symbol) except -1
    @cython.final
    cdef int _to_idle(self, bint grace=*) except -1
    @cython.final
    cdef void _start_send(self) except *
    @cython.final
    cdef int _in_send_rdy(self, int64_t symbol) except -1
    @cython.final
    cdef int _in_sending(self, int64_t symbol) except -1
    @cython.final
    cdef int _terminate(self) except -1
    @cython.final
    cdef int _end_send(self, outcome) except -1
    @cython.final
    cdef int _in_send_wait(self, int64_t symbol) except -1
    @cython.final
    @cython.locals(late=bint)
    cdef void _watch_hold(self, int64_t symbol) except *
    @cython.final
    cdef int _start_hold(self, int64_t length) except -1
    @cython.final
    cdef int64_t _emit_hold(self) except? -9
    @cython.final
    @cython.locals(index=int64_t, last=int64_t)
    cdef int64_t _emit_frame(self) except? -9
