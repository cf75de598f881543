# Types for link.py when it is compiled; the package works without.

from libc.stdint cimport int64_t
cimport cython

cdef int64_t ALIGN, CONT, DMAT, EOF, HOLD, HOLDA, K, PMNAK, PMREQ_P, PMREQ_S, R_ERR, R_IP, R_OK
cdef int64_t R_RDY, SOF, SYNC, WTRM, X_RDY, NEVER
cdef int64_t IDLE, SEND_RDY, SENDING, SEND_WAIT, RECEIVE_WAIT, RECEIVE_RDY, RECEIVING
cdef int64_t RECEIVE_EOF, RECEIVE_END, POWER, ESCAPE
cdef int64_t HOLD_LATENCY, ALIGN_DISTANCE, MAX_FRAME, _NONE, _DATA, _SLOW, _RECEIVE, _SEND, _STEADY
cdef unsigned int[::1] _JUNK


@cython.final
cdef class DriveLink:
    cdef public object drive, behaviour, rng, clock_of, frame
    cdef public list violations, queue, holds
    cdef public int64_t round_trip, now, event_at, mode, steady, state, last, repeat
    cdef public int64_t aligns, align_deadline, next_align, align_left, tx_last, tx_count
    cdef public int64_t tx_cont_at, timer, grace, index, next_hold, hold_left, holda_at
    cdef public int64_t hold_ticks, hold_since, after_hold, length, escape_at, stuck_at
    cdef public int64_t dmat_at, same, dword, overrun, collisions, host_escapes, idle_event, power
    cdef public bint junk, cont, idle_sent, hold_answered, verdict
    cdef public unsigned int[::1] words, buffer

    @cython.locals(now=int64_t, mode=int64_t, index=int64_t, length=int64_t)
    cpdef int64_t step(self, int64_t rx) except? -9
    @cython.locals(symbol=int64_t, word=int64_t)
    cdef int64_t _slow(self, int64_t rx) except? -9
    @cython.locals(until=int64_t, mode=int64_t, state=int64_t, received=int64_t, limit=int64_t,
                   constant=bint)
    cdef void _settle(self) except *
    cdef int64_t _decode(self, int64_t rx) except? -9
    @cython.locals(count=int64_t)
    cdef int64_t _compress(self, int64_t word) except? -9
    @cython.locals(state=int64_t)
    cdef void _react(self, int64_t symbol) except *
    cdef void _unexpected(self, int64_t symbol) except *
    cdef void _to_idle(self, bint grace=*) except *
    cdef void _in_idle(self, int64_t symbol) except *
    cdef void _start_send(self) except *
    cdef void _in_send_rdy(self, int64_t symbol) except *
    cdef void _in_sending(self, int64_t symbol) except *
    cdef void _end_send(self, outcome) except *
    cdef void _in_send_wait(self, int64_t symbol) except *
    cdef void _in_receive_wait(self, int64_t symbol) except *
    cdef void _in_receive_rdy(self, int64_t symbol) except *
    cdef void _in_receiving(self, int64_t symbol) except *
    cdef void _in_receive_eof(self, int64_t symbol) except *
    cdef void _in_receive_end(self, int64_t symbol) except *
    cdef void _in_power(self, int64_t symbol) except *
    @cython.locals(late=bint)
    cdef void _watch_hold(self, int64_t symbol) except *
    @cython.locals(state=int64_t, now=int64_t)
    cdef int64_t _emit(self) except? -9
    cdef void _start_hold(self, int64_t length) except *
    cdef int64_t _emit_hold(self) except? -9
    @cython.locals(index=int64_t, last=int64_t)
    cdef int64_t _emit_frame(self) except? -9
    @cython.locals(received=int64_t)
    cdef int64_t _emit_receiving(self) except? -9
