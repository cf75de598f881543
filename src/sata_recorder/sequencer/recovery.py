"""What follows a command that has failed."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .timer import Timer
from .types import Error, Mark, MarkLayout

__all__ = ["Recovery"]

#: Clocks from ``rewind`` until what the recorder answers counts.
_ASSESS = 8
#: Clocks from ``advance`` until the extent has its next command.
_PREPARE = 6
#: Failures of one command after which the next one on the line makes the link slower.
_SLOWER_AFTER = 2
#: The pause doubles up to this power of two times the first one.
_DOUBLINGS = 7


class Recovery(wiring.Component):
    """Decides between replaying the failed command, passing over it, and the end of the operation.

    A command is replayed, as long as the recorder still has its words and ``retries`` last; a read
    whose status named the bad sector goes on with what has not been delivered. Then ``on_failure``
    decides. When a command has failed twice and fails again because of the line, the link is
    brought up anew a generation lower. What a read has delivered is trusted if the failure was one
    of the line, or the drive's status names a later sector; else the operation ends. Before the
    next command the drive must be usable again and the same as before, and the pause be over.

    Parameters
    ----------
    retries : int           of one command, 0 to 255
    delay, timeout : int    clocks: of the first pause, and of the longest recovery
    skips : bool            pass over what cannot be replayed

    Members
    -------
    begin : In(1)           an operation begins
    writes, flushing : In(1)        it records; its last command is in flight
    failed : In(1)          the command in flight has failed
    cause : In(Error)       with it
    idle : In(1)            with it: the drive is not brought up anew
    succeeded : In(1)       a command has been completed
    usable, unusable : In(1)        the drive
    judgement : In(Error)   why it is unusable
    changed : In(1)         it has another serial number than when the operation began
    generation : In(2)      of the link
    slower : Out(1)         bring it up anew, limited to generation
    slower_to : Out(2)
    lba, sectors : In       the failed command; one clock after ``failed``
    interface : In(1)       its status says that the error was one of the line; or
    located : In(1)         that it is at
    error_lba : In(48)
    passed : In(48)         sectors of the extent in completed commands
    origin : In(48)         the first LBA of the extent
    ended : In(1)           the operation ends
    stopped, behind, partial, tainted, settled, mark_room : In
                            see :class:`.types.StreamSignature`
    drained : In            the same
    last : In(1)            no command would follow
    rewind, repeat, skip, skip_sectors, mark : Out          the same
    advance : Out(1)        go back to ``advance_to`` sectors behind the beginning of the command,
    advance_to, credit : Out(17)        of which ``credit`` have been delivered
    repeats : Out(1)        what follows is the failed command of so many
    repeat_sectors : Out(17)
    active : Out(1)         from the clock after ``failed`` to ``again`` or ``surrender``
    again : Out(1)          go on
    surrender : Out(1)      end the operation with
    error : Out(Error)
    last_cause : Out(Error), retries : Out(16), skipped : Out(48)      see
                            :mod:`..interface`
    """

    def __init__(self, *, retries, delay, timeout, skips):
        self._limit = retries
        self._delay = delay
        self._timeout = timeout
        self._skips = skips
        super().__init__({
            "begin": In(1), "writes": In(1), "flushing": In(1),
            "failed": In(1), "cause": In(Error), "idle": In(1), "succeeded": In(1),
            "usable": In(1), "unusable": In(1), "judgement": In(Error), "changed": In(1),
            "generation": In(2), "slower": Out(1), "slower_to": Out(2),
            "lba": In(48), "sectors": In(17), "interface": In(1), "located": In(1),
            "error_lba": In(48),
            "passed": In(48), "origin": In(48), "ended": In(1),
            "stopped": In(1), "behind": In(17), "partial": In(1), "tainted": In(1),
            "settled": In(1),
            "mark_room": In(1), "drained": In(1), "last": In(1),
            "rewind": Out(1), "repeat": Out(1), "skip": Out(1), "skip_sectors": Out(17),
            "mark": Out(stream.Signature(MarkLayout)),
            "advance": Out(1), "advance_to": Out(17), "credit": Out(17),
            "repeats": Out(1), "repeat_sectors": Out(17),
            "active": Out(1), "again": Out(1), "surrender": Out(1), "error": Out(Error),
            "last_cause": Out(Error), "retries": Out(16), "skipped": Out(48),
        })

    def elaborate(self, platform):
        m = Module()
        mark = self.mark

        # What this recovery is about: FLUSH CACHE, or a command and what of it need not be tried.
        of_flush = Signal()
        anew = Signal()
        place = Signal(48)
        count = Signal(17)
        moved = Signal(17)
        clocks = Signal(range(max(_ASSESS, _PREPARE)))
        m.d.sync += clocks.eq(clocks + 1)

        # Sectors that were completed before the drive was last brought up anew.
        total = Signal(48)
        exposed = Signal(48)
        exposed_by = Signal(Error)
        m.d.sync += total.eq(self.passed + self.skipped)

        tries = Signal(range(self._limit + 2))
        exhausted = Signal()
        m.d.sync += exhausted.eq(tries >= self._limit)
        with m.If(self.succeeded):
            m.d.sync += tries.eq(0)

        limits = [self._delay << power for power in range(_DOUBLINGS + 1)]
        m.submodules.pause = pause = Timer(limits)
        m.submodules.patience = patience = Timer([self._timeout])
        with m.If(tries > _DOUBLINGS):
            m.d.comb += pause.select.eq(_DOUBLINGS)
        with m.Elif(tries != 0):
            m.d.comb += pause.select.eq(tries - 1)
        # Once the drive is usable, it is the user who is waited for.
        m.d.comb += patience.restart.eq(~self.active | self.usable)

        # Whether the sector of the error is one that has not been delivered.
        delivered = Signal(48)
        end = Signal(48)
        elsewhere = Signal()
        trusted = Signal()
        confirmed = Signal()
        m.d.sync += [
            delivered.eq(place + moved + self.partial),
            end.eq(place + count),
            elsewhere.eq((self.error_lba < delivered) | (self.error_lba >= end)),
            trusted.eq((self.last_cause == Error.LINK_LOST) | (self.last_cause == Error.TIMEOUT)
                       | (self.last_cause == Error.DATA_CRC)
                       | ((self.last_cause == Error.DRIVE_ERROR) & self.interface) | confirmed),
        ]
        farthest = Signal(17)       # of a read that is repeated: sectors it has delivered
        with m.If(self.succeeded):
            m.d.sync += farthest.eq(0)

        by_line = Signal()
        m.d.sync += by_line.eq(
            (self.last_cause == Error.LINK_LOST) | (self.last_cause == Error.DATA_CRC)
            | (self.last_cause == Error.COMMAND_REFUSED) | (self.last_cause == Error.TIMEOUT)
            | ((self.last_cause == Error.DRIVE_ERROR) & self.interface))

        replays = Signal()      # the same command again
        whole = Signal()        # nothing of it any more
        credited = Signal()
        abandons = Signal()     # a play-back that the user has stopped needs no drive any more
        m.d.comb += abandons.eq(self.stopped & ~self.writes & ~of_flush)
        doubt_from = Signal(17)
        m.d.comb += self.skip_sectors.eq(count - moved)

        def give_up(error):
            m.d.sync += self.error.eq(error)
            m.next = "DOUBT"

        def expose():
            """What was completed may be in a write cache, and the cache may be lost."""
            with m.If(self.writes):
                m.d.sync += [exposed.eq(total), exposed_by.eq(self.last_cause)]

        slow_down = Signal()
        m.d.comb += slow_down.eq(by_line & (tries >= _SLOWER_AFTER) & (self.slower_to != 0)
                                 & (self.slower_to != 3))

        def enter(kind, position, length, cause=self.last_cause):
            m.d.sync += [
                mark.valid.eq(1),
                mark.payload.kind.eq(kind),
                mark.payload.cause.eq(cause),
                mark.payload.position.eq(position),
                mark.payload.length.eq(length),
            ]

        with m.If(mark.ready):
            m.d.sync += mark.valid.eq(0)

        with m.FSM() as fsm:
            m.d.comb += [
                self.active.eq(~fsm.ongoing("IDLE") & ~fsm.ongoing("CLOSE")),
                # The drive may have begun to write all of it: a stop does not make it shorter.
                self.repeats.eq(replays & self.writes & ~of_flush & (
                    fsm.ongoing("PREPARE") | fsm.ongoing("WAIT") | fsm.ongoing("GO"))),
                self.repeat_sectors.eq(count),
            ]

            with m.State("IDLE"):
                with m.If(self.failed):
                    m.d.sync += [
                        self.last_cause.eq(self.cause),
                        of_flush.eq(self.flushing),
                        anew.eq(~self.idle),
                    ]
                    m.next = "REWIND"
                with m.Elif(self.ended):
                    m.next = "CLOSE"

            with m.State("REWIND"):
                m.d.comb += [self.rewind.eq(~of_flush), pause.restart.eq(1)]
                m.d.sync += [
                    place.eq(self.lba), count.eq(self.sectors), clocks.eq(0), credited.eq(of_flush),
                    self.slower_to.eq(self.generation - 1),
                ]
                m.next = "ASSESS"

            with m.State("ASSESS"):
                # Until all is decided it stays, even if the drive sends another status.
                m.d.sync += confirmed.eq(
                    (self.last_cause == Error.DRIVE_ERROR) & self.located & ~elsewhere)
                m.d.sync += [moved.eq(Mux(of_flush, 0, self.behind)), replays.eq(1), whole.eq(0)]
                with m.If(clocks == _ASSESS - 1):
                    m.next = "DECIDE"

            with m.State("DECIDE"):
                with m.If(anew):
                    expose()
                # A read that has come further has not been tried in vain.
                progress = ~self.writes & (moved > farthest) & (self._limit > 0)
                lost = self.writes & moved.any()
                suspect = ~self.writes & ((moved.any() | self.partial) & ~trusted | self.tainted)
                m.d.sync += doubt_from.eq(Mux(self.writes | suspect | ~confirmed, 0, moved))
                with m.If(progress):
                    m.d.sync += [tries.eq(0), farthest.eq(Mux(confirmed, 0, moved))]
                with m.If(of_flush):
                    # What could not be written is out of the cache after an error: a second FLUSH
                    # CACHE would succeed without it (ACS, FLUSH CACHE). After a loss of power so
                    # would any; a recording says that in the journal.
                    expose()
                    with m.If(exhausted | (self.last_cause == Error.DRIVE_ERROR)
                              | (anew & ~self.writes)):
                        give_up(self.last_cause)
                    with m.Else():
                        m.d.comb += self.slower.eq(slow_down)
                        m.next = "WAIT"
                with m.Elif(suspect):
                    give_up(self.last_cause)
                with m.Elif((exhausted & ~progress) | lost):
                    if self._skips:
                        with m.If(self.mark_room):
                            m.d.sync += [replays.eq(0), whole.eq(exhausted)]
                            m.next = "SKIP"
                        with m.Else():
                            give_up(self.last_cause)
                    else:
                        give_up(self.last_cause)
                with m.Else():
                    m.next = "ADVANCE"

            if self._skips:
                with m.State("SKIP"):
                    # What a recording lost belongs to what it passes over.
                    length = Mux(whole, count - doubt_from, moved)
                    enter(Mark.SKIPPED, place + doubt_from, length)
                    m.d.comb += self.skip.eq(whole)
                    m.d.sync += [
                        self.skipped.eq(self.skipped + length),
                        doubt_from.eq(Mux(whole, count, moved)),
                    ]
                    with m.If(whole):
                        m.d.sync += [tries.eq(0), farthest.eq(0)]
                    m.next = "ADVANCE"

            with m.State("ADVANCE"):
                m.d.comb += [
                    self.advance.eq(1),
                    self.advance_to.eq(
                        Mux(whole, count, Mux(self.writes | confirmed, moved, 0))),
                    self.credit.eq(Mux(self.writes | ~confirmed, 0, moved)),
                    self.repeat.eq(~self.writes & ~confirmed & ~whole),
                    self.slower.eq(slow_down & replays),
                ]
                m.d.sync += [clocks.eq(0), credited.eq(1)]
                m.next = "PREPARE"

            with m.State("PREPARE"):
                with m.If((clocks == _PREPARE - 1) & ~mark.valid):
                    m.next = "WAIT"

            with m.State("WAIT"):
                with m.If(~self.usable):
                    expose()
                with m.If(abandons):
                    m.next = "GO"
                with m.Elif(self.changed):
                    give_up(Error.OTHER_DRIVE)
                with m.Elif(self.unusable):
                    give_up(self.judgement)
                with m.Elif(patience.expired):
                    give_up(self.last_cause)
                # The words of sectors that are passed over have to come before the operation ends.
                with m.Elif(self.usable & self.settled & (pause.expired | (tries == 0))
                            & (~self.last | ~self.writes | of_flush | self.drained)):
                    m.next = "GO"

            with m.State("GO"):
                # The link may have fallen in the meantime.
                with m.If(self.usable | abandons):
                    m.d.comb += self.again.eq(1)
                    with m.If(replays & ~abandons):
                        m.d.sync += tries.eq(tries + 1)
                        with m.If(~self.retries.all()):
                            m.d.sync += self.retries.eq(self.retries + 1)
                    m.next = "IDLE"
                with m.Else():
                    m.next = "WAIT"

            with m.State("DOUBT"):
                with m.If(~mark.valid):
                    with m.If(~credited):
                        m.d.comb += [self.advance.eq(1), self.credit.eq(doubt_from)]
                    with m.If(~of_flush & (doubt_from != count)):
                        enter(Mark.IN_DOUBT, place + doubt_from, count - doubt_from)
                    m.next = "SURRENDER"

            with m.State("SURRENDER"):
                m.d.comb += self.surrender.eq(1)
                m.next = "IDLE"

            with m.State("CLOSE"):
                with m.If(~mark.valid):
                    with m.If(exposed != 0):
                        enter(Mark.UNFLUSHED, self.origin, exposed, exposed_by)
                    m.next = "IDLE"

        with m.If(self.begin):
            m.d.sync += [
                tries.eq(0), farthest.eq(0), exposed.eq(0), self.last_cause.eq(Error.NONE),
                self.retries.eq(0), self.skipped.eq(0),
            ]
        return m
