# Types for analyser.py when it is compiled; the package works without.

from libc.stdint cimport int64_t
cimport cython
from sata_drive_model.observer cimport Observer
from .side cimport Side
from .spans cimport SpanMeter
from .cycle_tally cimport CycleTally
from .overhead cimport OverheadMeter

cdef int64_t ALIGN, EOF, HOLD, HOLDA, R_ERR, R_OK, R_RDY, SOF, SYNC, X_RDY, CAPTURE, DATA, NONE
cdef int64_t PAYLOAD, FRAMING, ALIGNS, PHY_WAIT, HANDSHAKE, DEVICE_HOLD, HOST_HOLD, DATA_WAIT
cdef int64_t COMMAND, TURNAROUND, FLUSH, VALID, READY, LINK_UP, _WORD, _PROMPT
cdef int64_t OFF, COMMAND_WAIT, COMMAND_FRAME, COMMAND_ANSWER, RECOVER, ACTIVATE, WRITE_READY
cdef int64_t WRITE_FRAME, WRITE_ANSWER, READ_WAIT, READ_OTHER, READ_READY, READ_FRAME, READ_END
cdef int64_t COMPLETE, TURN


cdef int64_t _in_frame(int64_t symbol, int64_t holda, int64_t hold, int64_t count) except? -9


cdef class PortAnalyser(Observer):
    cdef public bint trace
    cdef public object drive_of, _opened, _closed, _turn
    cdef public list log, commands
    cdef public dict spans
    cdef Side _rx, _tx
    cdef SpanMeter _meter
    cdef int64_t _state, _last, _steady, _steady_data, _moved, _words
    cdef int64_t _lost, _held, _start_clock, _offered, _sent_fises, _received_fises
    cdef bint _answered, _faulty, _writes, _looks
    cdef CycleTally _tally
    cdef OverheadMeter _overhead
    cdef list _base, _totals
    cdef object _record

    @cython.locals(rx=Side, tx=Side, skipped=int64_t, state=int64_t, account=int64_t,
                   ended_in=bint, ended_out=bint)
    cpdef int observe(self, int64_t now, int64_t core, int64_t inputs) except -1
    @cython.final
    @cython.locals(late=int64_t)
    cdef int _skip(self, int64_t skipped, int64_t now) except -1
    @cython.final
    cdef int64_t _late(self, int64_t skipped, int64_t now) except -1
    @cython.final
    @cython.locals(rx=Side, tx=Side, state=int64_t, data=int64_t, rx_capture=bint, tx_capture=bint)
    cdef int _settle(self, int64_t core, int64_t inputs, bint moved) except -1
    @cython.final
    @cython.locals(state=int64_t, account=int64_t)
    cdef int64_t _advance(self, int64_t now, int64_t rx, int64_t tx) except? -9
    @cython.final
    cdef list _with_between(self, list totals, list spent)
    @cython.final
    cdef int _start(self, int64_t state) except -1
    @cython.final
    cdef int64_t _accepted(self) except? -9
    @cython.final
    cdef int _payload_starts(self, int64_t now, Side side, int64_t symbol) except -1
    @cython.final
    @cython.locals(payload=int64_t)
    cdef int _payload_ends(self, Side side) except -1
    @cython.final
    cdef int _sent(self, int64_t now, Side side) except -1
    @cython.final
    cdef void _received(self, int64_t now, Side side) except *
    @cython.final
    cdef void _complete(self, int64_t now, status) except *
