"""What the failure shows about the command: which of its sectors are good, and what is to blame."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...drive_port import Error
from .signatures import FailedCommand

__all__ = ["Verdict"]


class Verdict(wiring.Component):
    """Judges a command that has failed.

    What a read has delivered is trusted if the failure was one of the line, or the drive's status
    names a later sector of the command.

    Members
    -------
    capture : In(1)         ``command`` holds the command that has failed; a clock later its
                            registers may be those of another one
    command : In(FailedCommand)     the command; its status counts while ``assess`` is high
    cause : In(Error)       why it has failed, from ``capture`` on
    assess : In(1)          the recorder reports what is gone; held for 8 clocks, after which the
                            results are valid, and stay
    no_data : In(1)         the command moves no data of the extent, or none had begun yet
    writes : In(1)          the command is one of a recording
    resume_offset, partial, tainted : In    see :class:`...drive_port.RecoveryPort`
    place : Out(48), count : Out(17)        the first sector of the command, and its length
    resume_at : Out(17)     sectors from its beginning that cannot be, or need not be, moved again
    confirmed : Out(1)      the status names a sector of the command that has not been delivered:
                            what has been is good
    by_line : Out(1)        the line may be to blame
    suspect : Out(1)        words were delivered that cannot be trusted
    """

    capture: In(1)
    command: In(FailedCommand)
    cause: In(Error)
    assess: In(1)
    no_data: In(1)
    writes: In(1)
    resume_offset: In(17)
    partial: In(1)
    tainted: In(1)
    place: Out(48)
    count: Out(17)
    resume_at: Out(17)
    confirmed: Out(1)
    by_line: Out(1)
    suspect: Out(1)

    def elaborate(self, platform):
        m = Module()
        command = self.command
        with m.If(self.capture):
            m.d.sync += [self.place.eq(command.lba), self.count.eq(command.sectors)]

        # Whether the sector of the error is one that has not been delivered.
        delivered = Signal(18)
        offset = Signal(48)         # of the sector of the error; a huge one if it comes before the command
        elsewhere = Signal()
        m.d.sync += [
            delivered.eq(self.resume_at + self.partial),
            offset.eq(command.error_lba - self.place),
            elsewhere.eq((offset[:17] < delivered) | (offset[:17] >= self.count) | offset[17:].any()),
        ]
        # These stay until all is decided, even if the drive sends another status.
        with m.If(self.assess):
            m.d.sync += [
                self.confirmed.eq(
                    (self.cause == Error.DRIVE_ERROR) & command.located & ~elsewhere),
                self.resume_at.eq(Mux(self.no_data, 0, self.resume_offset)),
            ]

        on_line = Signal()
        any_past = Signal()        # words have been delivered; known long before it counts
        trusted = Signal()
        m.d.comb += [
            on_line.eq((self.cause == Error.LINK_LOST) | (self.cause == Error.TIMEOUT)
                       | (self.cause == Error.DATA_CRC)
                       | ((self.cause == Error.DRIVE_ERROR) & command.line_error)),
            self.suspect.eq(~self.writes & (
                (any_past & ~trusted) | self.tainted)),
        ]
        m.d.sync += [
            any_past.eq(self.resume_at.any() | self.partial),
            trusted.eq(on_line | self.confirmed),
            self.by_line.eq(on_line | (self.cause == Error.COMMAND_REFUSED)),
        ]
        return m
