"""What makes a file of a recording: the writes, and their order."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.enum import Enum
from amaranth.lib.wiring import In, Out

from ...interface.file import FileError
from .sector_check import SectorKind
from .sector_transfer import LogPart, TransferRequest

__all__ = ["FileEnd"]


class _Write(Enum):
    """What needs a proof of the drive."""

    REST = 0
    LOG = 1
    EDIT = 2
    DIRECTORY = 3
    #: What was written must be there.
    NONE = 4


#: The state for each, after the proof.
_STATES = {_Write.REST: "STORE_REST", _Write.LOG: "STORE_LOG", _Write.EDIT: "BEFORE_EDIT",
           _Write.DIRECTORY: "STORE_DIRECTORY", _Write.NONE: "CLOSE"}


class FileEnd(wiring.Component):
    """Takes a recording from its last word to its file.

    The data are on the medium before the log is written, and the log is before the directory
    sector is: each write is followed by FLUSH CACHE. So there is no file without its data, whenever
    the power fails. Without ``with_log`` only the directory sector is written. With ``in_parts`` the first
    sector of a log is written last: a log that is there already is good until then.

    Members
    -------
    start : In(1)           One clock: the others are valid, and stay so until ``done``.
    completes : In(1)       The log is there already: only the directory sector is written.
    with_log : In(1)        If not ``completes``: the log is written, too.
    long_log : In(1)        The log has the table of segments.
    in_parts : In(1)        With ``long_log``: the first sector of the log is written by itself.
    with_rest : In(1)       With ``in_parts``: the other sectors are written, too, and before it.
    flush_first : In(1)     The data have not been flushed.
    write_log, log_written : Out(1), In(1)      Start and end of :class:`.log_writer.LogWriter`.
    name, named : Out(1), In(1)                 Of :class:`.file_name.FileName`.
    split, split_done : Out(1), In(1)           Of :class:`.cluster_split.ClusterSplit`.
    splits : Out(1)         It runs for the size of the recording; while low, for what is left over.
    beyond : In(1)          With ``split_done``: the slot is too small.
    edit, edited : Out(1), In(1)                Of :class:`.directory_edit.DirectoryEdit`.
    request : Out(TransferRequest)
    transfer_done, transfer_failed : In(1)      Of :class:`.sector_transfer.SectorTransfer`.
    transfer_in_doubt : In(1)                   Also of :class:`.sector_transfer.SectorTransfer`.
    proved : In(1), prove : Out(1), prove_done : In(1), prove_error : In(FileError)
                            ``holds``, ``again`` and so on of :class:`.proved_drive.ProvedDrive`.
    done : Out(1)           One clock: it is over.
    failed : Out(1)         With ``done``: the recording did not become a file.
    changed : Out(1)        With ``failed``: because the drive is no longer what was prepared.
    """

    def __init__(self):
        super().__init__({
            "start": In(1), "completes": In(1), "with_log": In(1), "long_log": In(1), "in_parts": In(1),
            "with_rest": In(1), "flush_first": In(1),
            "write_log": Out(1), "log_written": In(1), "name": Out(1), "named": In(1),
            "split": Out(1), "splits": Out(1), "split_done": In(1), "beyond": In(1), "edit": Out(1), "edited": In(1),
            "request": Out(TransferRequest()),
            "transfer_done": In(1), "transfer_failed": In(1), "transfer_in_doubt": In(1),
            "proved": In(1), "prove": Out(1), "prove_done": In(1),
            "prove_error": In(FileError),
            "done": Out(1), "failed": Out(1), "changed": Out(1),
        })

    def elaborate(self, platform):
        m = Module()
        request = self.request
        with_log = Signal()
        flush_first = Signal()
        writes = Signal()           # a write runs
        proved_for = Signal(_Write)

        def end(failed):
            m.d.comb += [self.done.eq(1), self.failed.eq(failed)]
            m.next = "IDLE"

        def move_on(to):
            """After a request; one that is in doubt is made again."""
            with m.If(self.transfer_done & self.transfer_failed):
                end(1)
            with m.Elif(self.transfer_done & ~self.transfer_in_doubt):
                to()

        def prove(write):
            """Proves the drive, and then leads to ``write``."""
            m.d.sync += proved_for.eq(write)
            m.d.comb += self.prove.eq(1)
            m.next = "PROVE"

        def store(write):
            with m.If(self.proved | writes):
                m.d.comb += [request.active.eq(1), request.store.eq(1)]
                m.d.sync += writes.eq(~self.transfer_done)
            with m.Else():
                prove(write)

        def name():
            m.d.comb += self.name.eq(1)
            m.next = "NAME"

        def then(state):
            def go():
                m.next = state
            return go

        def store_log(part, write):
            store(write)
            with m.If(request.active):
                m.d.comb += [request.part.eq(part), request.kind.eq(SectorKind.LOG),
                             request.long.eq(self.long_log)]

        def flush():
            with m.If(flush_first):
                m.next = "FLUSH"
            with m.Else():
                name()

        with m.FSM():
            with m.State("IDLE"):
                m.d.sync += [with_log.eq(self.with_log & ~self.completes), flush_first.eq(self.flush_first)]
                with m.If(self.start):
                    m.next = "BEGIN"
            with m.State("BEGIN"):
                # The journal is that of the recording as long as no operation follows it.
                with m.If(with_log):
                    m.d.comb += self.write_log.eq(1)
                    m.next = "WRITE_LOG"
                with m.Else():
                    flush()
            with m.State("WRITE_LOG"):
                with m.If(self.log_written):
                    flush()
            with m.State("FLUSH"):
                m.d.comb += [request.active.eq(1), request.flush.eq(1)]
                move_on(name)
            with m.State("NAME"):
                with m.If(self.named):
                    m.d.comb += self.split.eq(1)
                    m.next = "SPLIT"
            with m.State("SPLIT"):
                m.d.comb += self.splits.eq(1)
                with m.If(self.split_done & self.beyond):
                    end(1)
                with m.Elif(self.split_done & with_log):
                    m.next = "STORE_LOG"
                    with m.If(self.in_parts & self.long_log & self.with_rest):
                        m.next = "STORE_REST"
                with m.Elif(self.split_done):
                    m.next = "BEFORE_EDIT"
            with m.State("STORE_REST"):
                store_log(LogPart.REST, _Write.REST)
                move_on(then("PAUSE"))
            with m.State("PAUSE"):
                # A request is low for a clock before the next one.
                m.next = "STORE_LOG"
            with m.State("STORE_LOG"):
                store_log(Mux(self.in_parts & self.long_log, LogPart.HEAD, LogPart.WHOLE), _Write.LOG)
                move_on(then("BEFORE_EDIT"))
            with m.State("BEFORE_EDIT"):
                # What is edited must be what the drive has.
                with m.If(self.proved):
                    m.d.comb += self.edit.eq(1)
                    m.next = "EDIT"
                with m.Else():
                    prove(_Write.EDIT)
            with m.State("EDIT"):
                with m.If(self.edited):
                    m.next = "STORE_DIRECTORY"
            with m.State("STORE_DIRECTORY"):
                # A second time only over what the first one has left: what else is there may be
                # another system's. If the drive has lost it, the log leads to the file later.
                store(_Write.DIRECTORY)
                with m.If(request.active):
                    m.d.comb += request.kind.eq(SectorKind.DIRECTORY)
                move_on(then("CLOSE"))
            with m.State("CLOSE"):
                # The drive may have been away during the write, and the core have repeated it.
                with m.If(self.proved):
                    end(0)
                with m.Else():
                    prove(_Write.NONE)
            self._proving(m, proved_for, end)
        return m

    def _proving(self, m, proved_for, end):
        """The state in which the drive is being proved."""
        with m.State("PROVE"):
            with m.If(self.prove_done & (self.prove_error == FileError.NONE)):
                with m.Switch(proved_for):
                    for write, state in _STATES.items():
                        with m.Case(write):
                            m.next = state
            with m.Elif(self.prove_done):
                # If the directory sector is not what was written, that may also have been lost.
                lost = (self.prove_error == FileError.CUT_SHORT) & (
                    proved_for == _Write.DIRECTORY)
                m.d.comb += self.changed.eq((self.prove_error != FileError.DRIVE) & ~lost)
                end(1)
