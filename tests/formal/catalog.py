"""All proofs, with the faults that each of them must find."""

from dataclasses import dataclass, field

__all__ = ["Change", "Proof", "PROOFS"]


@dataclass(frozen=True)
class Change:
    """``old`` becomes ``new`` in a copy of ``file``, a path in the package sata_recorder.

    ``hint``: of the proof, names traces in which the fault is found soon.
    """

    file: str
    old: str
    new: str
    hint: str = ""


@dataclass(frozen=True)
class Proof:
    """``build`` is ``module.function`` in formal.proofs.

    ``abstractions`` are made for the proof itself. Each cover has to be reached within ``frames``
    clocks, and a counterexample to each fault be found within ``depth``. ``seconds`` are given to
    each question.
    """

    name: str
    build: str
    faults: tuple
    frames: int = 20
    depth: int = 20
    seconds: int = 600
    keywords: dict = field(default_factory=dict)
    abstractions: tuple = ()


_EXTENT_FAULTS = (
    Change("core/sequencer/extent_splitter.py", "left[16:].any() | (longest < left[:16])",
           "longest < left[:16]"),
    Change("core/sequencer/extent_splitter.py", "begun.eq(begun + step)",
           "begun.eq(begun + step[:16])"),
    Change("core/sequencer/extent_splitter.py", "min(self._max_sectors, 256)",
           "min(self._max_sectors, 257)"),
    Change("core/sequencer/extent_splitter.py", "left.eq(size - begun)", "left.eq(size - begun[:16])"),
    Change("core/sequencer/extent_splitter.py", "Cat(moves[1] | resume.rewind, self.next)",
           "Cat(moves[1], self.next)", hint="rewound"),
    Change("core/sequencer/extent_splitter.py", "sectors_done.eq(total - resume.skipped)",
           "sectors_done.eq(begun)", hint="rewound"),
)

PROOFS = [
    Proof("CRC and scrambler functions", "crc_scrambler.functions", (
        Change("core/crc.py", "0x04C11DB7", "0x04C11DB5"),
        Change("core/link/scrambler.py", "(0, 1, 7, 11)", "(0, 1, 7, 12)"),
    )),
    Proof("CRC and scrambler registers", "crc_scrambler.crc_scrambler", (
        Change("core/link/crc_scrambler.py", "m.If(restart)", "m.If(restart & ~step)"),
        Change("core/link/crc_scrambler.py", "crc_next(crc, word)", "crc_next(crc, word ^ keystream)"),
    )),
    Proof("primitive encoder, with CONT", "primitive_encoder.encoder", (
        Change("core/link/primitive_encoder.py", "cont.eq(same & repeated & ~junk)",
               "cont.eq(same & ~junk)"),
        Change("core/link/primitive_encoder.py", "tx.take.eq(tx.advance & ~junk)",
               "tx.take.eq(tx.advance)"),
        Change("core/link/primitive_encoder.py", "tx.advance.eq(self.tx_ready & ~slot)",
               "tx.advance.eq(~slot)"),
    ), frames=262),
    Proof("primitive encoder, an ALIGN pair in 16", "primitive_encoder.encoder", (
        Change("core/link/primitive_encoder.py", "(phase == interval - 3) | (phase",
               "(phase == interval - 4) | (phase"),
        Change("core/link/primitive_encoder.py", "tx.advance.eq(self.tx_ready & ~slot)",
               "tx.advance.eq(self.tx_ready)"),
        Change("core/link/primitive_encoder.py", "phase.eq(phase + 1),", "phase.eq(phase + ~slot),"),
        Change("core/link/primitive_encoder.py", "range(interval), init=1)", "range(interval))"),
        Change("core/link/primitive_encoder.py",
               "with m.If(self.tx_ready):\n            m.d.sync += [\n",
               "with m.If(1):\n            m.d.sync += [\n"),
    ), keywords={"interval": 16}),
    Proof("primitive encoder, without CONT", "primitive_encoder.encoder", (
        Change("core/link/primitive_encoder.py", "body.eq(body_next)", "body.eq(0)"),
    ), keywords={"send_cont": False}),
    Proof("primitive decoder", "primitive_decoder.decoder", (
        Change("core/link/primitive_decoder.py", "Mux(control, known, ~junk)", "Mux(control, known, 1)"),
        Change("core/link/primitive_decoder.py", "junk.eq(cont)", "junk.eq(cont | junk)"),
        Change("core/link/primitive_decoder.py", "self.valid & ~self.error", "self.valid"),
    )),
    Proof("primitive encoder to decoder", "primitive_decoder.wire", (
        Change("core/link/primitive_encoder.py", "with m.If(send.data & junk):", "with m.If(0):"),
        Change("core/link/primitive_decoder.py", "Mux(control, known, ~junk)", "Mux(control, known, 1)"),
    ), frames=260),
    Proof("skid register", "skid.skid", (
        Change("core/link/skid.py", "self.i.ready.eq(~spare_valid)", "self.i.ready.eq(1)"),
        Change("core/link/skid.py", "with m.If(spare_valid):", "with m.If(0):"),
    )),
    Proof("booking", "booking.booking", (
        Change("core/ledger/cycle_classifier.py", "m.d.comb += cycle.valid.eq(emits & sent.x_rdy)",
               "m.d.comb += cycle.valid.eq(0)"),
        Change("core/ledger/accounts.py", "FLUSH = 13,", "FLUSH = 12,"),
    )),
    Proof("frames to the drive", "link.transmitter", (
        Change("core/link/frame_transmitter.py", "self.code.step.eq(send.data & take)",
               "self.code.step.eq(send.data & advance)"),
        Change("core/link/frame_transmitter.py", "frame.ready.eq(~escaped & ~pauses & take)",
               "frame.ready.eq(~escaped & ~pauses & advance)"),
        Change("core/link/frame_transmitter.py", "with m.Elif(take):", "with m.Elif(advance):"),
        Change("core/link/link.py", "transmitting.eq(~transmitter.idle)",
               "transmitting.eq(transmitter.idle)"),
    )),
    Proof("frames from the drive", "link.receiver", (
        Change("core/link/frame_receiver.py", "in_frame & rx.strobe & current.data",
               "in_frame & current.data"),
        Change("core/link/frame_receiver.py", "crc_good & frame.accept", "frame.accept"),
        Change("core/link/frame_receiver.py", "reply.r_ok.eq(current.eof & good)",
               "reply.r_ok.eq(current.eof)"),
        Change("core/link/frame_receiver.py", "crc_good.eq(descrambled == code.crc)",
               "crc_good.eq(descrambled[1:] == code.crc[1:])"),
    ), depth=10),
    Proof("between two frames", "link.between", (
        Change("core/link/link.py", "settled = encoder.tx.host_idle if", "settled = C(1, 1) if"),
        Change("core/link/link.py", "receiver.allowed.eq(transmitter.idle & settled)",
               "receiver.allowed.eq(transmitter.idle)"),
        Change("core/link/primitive_encoder.py", "tx.host_idle.eq(~send.as_value().any() | send.x_rdy)",
               "tx.host_idle.eq(~send.as_value().any() | send.x_rdy | send.pmnak)"),
    )),
    Proof("between two frames, without a SYNC", "link.between", (
        Change("core/link/link.py", "else C(1, 1)", "else encoder.tx.host_idle"),
        Change("core/link/link.py", "receiver.allowed.eq(transmitter.idle & settled)",
               "receiver.allowed.eq(1)"),
    ), keywords={"sync_between_frames": False}),
    Proof("flow control and the way back to idle", "link.flow", (
        Change("core/link/frame_transmitter.py", "pauses = current.hold | ends", "pauses = ends"),
        Change("core/link/frame_receiver.py", "reply.holda.eq(current.hold & ~frame.hold)",
               "reply.holda.eq(0)"),
        Change("core/link/frame_receiver.py", "reply.hold.eq(~rx.ending & frame.hold)",
               "reply.hold.eq(0)"),
        Change("core/link/frame_receiver.py",
               "reply.r_ok.eq(~rx.drive_idle)\n                with m.If(rx.drive_idle):",
               "reply.r_ok.eq(~current.x_rdy)\n                with m.If(current.x_rdy):"),
        Change("core/link/link.py", "m.submodules.receiver = ResetInserter(down)(receiver)",
               "m.submodules.receiver = receiver"),
        Change("core/link/frame_transmitter.py",
               "send.wtrm.eq(~escaped & ~current.r_ok & ~current.r_err)",
               "send.wtrm.eq(~current.r_ok & ~current.r_err)"),
    )),
    Proof("FISes to the drive", "fis_sender.fis_sender", (
        Change("core/transport/fis_sender.py", "kept + fetched - taken", "kept + fetched"),
        Change("core/transport/fis_sender.py", "~more & (kept == 1) & ~heading", "~more & ~heading"),
        Change("core/transport/fis_sender.py", "& more_next & (kept_next != 2))", "& more_next)"),
        Change("core/transport/fis_sender.py", "skid.i.valid.eq(accepts & data.payload.valid)",
               "skid.i.valid.eq(data.payload.valid)"),
        Change("core/transport/fis_sender.py", "tries.eq(tries - 1)", "tries.eq(tries)", hint="refused"),
    ), frames=100, depth=75),
    Proof("buffer, a recording that keeps words", "buffer.record", (
        Change("core/recorder/buffer.py", "full.eq(positions.marked[-1])", "full.eq(self.level[-1])"),
        Change("core/recorder/positions.py", "released.eq(self.leaves & ~(keep & recording))",
               "released.eq(self.leaves)"),
        Change("core/recorder/buffer.py", "oldest.eq(positions.mark)", "oldest.eq(newest)"),
        Change("core/recorder/buffer.py", "(front & ~(load & self.go))) & ~back)",
               "(front & ~(load & self.go))))"),
        Change("core/recorder/buffer.py", "self.fill & empty &", "self.fill &"),
    ), frames=30),
    Proof("buffer, a recording that keeps none", "buffer.record", (
        Change("core/recorder/buffer.py", "reads.eq(readable & (~front | (load & self.go)))",
               "reads.eq(readable & (~front | load))"),
        Change("core/recorder/buffer.py", "full.eq(self.level[-1] & self.level[0])",
               "full.eq(self.level[-1] & self.level[1])"),
    ), frames=30, keywords={"retain": False}),
    Proof("buffer, a play-back of words found good", "buffer.play", (
        Change("core/recorder/buffer.py", "Mux(self.playing, positions.mark, newest)", "newest"),
        Change("core/recorder/positions.py", "with m.Elif(self.forth):", "with m.Elif(0):"),
        Change("core/recorder/positions.py", "approved.eq(self.enters & (good | recording))",
               "approved.eq(self.enters)"),
    ), frames=30),
    Proof("buffer, a play-back of words as they come", "buffer.play", (
        Change("core/recorder/buffer.py", "load.eq(~output.valid | output.ready)",
               "load.eq(~output.valid | 1)"),
    ), frames=30, keywords={"verify": False}),
    Proof("journal", "journal.journal", (
        Change("core/recorder/journal.py", "for_gaps = for_entries - 1", "for_gaps = self._entries"),
        Change("core/recorder/journal.py", "m.d.comb += gap.ready.eq(1)\n                "
               "m.d.sync += more.eq(1)",
               "m.d.comb += gap.ready.eq(1)"),
        Change("core/recorder/journal.py", "user.count.eq(Mux(more, self._entries + 1, used)),",
               "user.count.eq(used),"),
        Change("core/recorder/journal.py", "write.addr.eq(Cat(field, used[:-1]))",
               "write.addr.eq(Cat(field, clear))"),
    ), frames=60, depth=50),
    Proof("words that are dropped", "journal.overflow", (
        Change("core/recorder/overflow.py", "length.eq(length + loses), clocks",
               "length.eq(length + 1), clocks"),
        Change("core/recorder/overflow.py", "| ~self.accepts) & ~gap.valid)", "| ~self.accepts))"),
        Change("core/recorder/overflow.py", "(closed | ~self.room)", "~self.room"),
    )),
    Proof("the recorder's streams", "recorder.streams", (
        Change("core/recorder/recorder.py", "accepts.eq(recording & ~counter.complete & ~stopped)",
               "accepts.eq(recording & ~counter.complete)"),
        Change("core/recorder/recorder.py", "self.o.valid.eq(playing & output.valid & ~stopped)",
               "self.o.valid.eq(playing & output.valid & ~port.hold)"),
    ), frames=40),
    Proof("the recorder's streams, words are dropped", "recorder.streams", (
        Change("core/recorder/recorder.py", "self.i.ready.eq(accepts),",
               "self.i.ready.eq(accepts & has_room),"),
        Change("core/recorder/overflow.py", "self.dropped.eq(self.dropped + loses)",
               "self.dropped.eq(self.dropped + (loses & closed))"),
    ), frames=40, keywords={"drop": True}),
    Proof("room for 96 words after HOLD, 128 words deep", "recorder.room", (), frames=150),
    Proof("room for 4 words after HOLD, 8 words deep", "recorder.room", (
        Change("core/recorder/buffer.py", "level >= depth - self._reserve",
               "level >= depth - self._reserve + 2"),
        Change("core/recorder/recorder.py", "hold & ~stopped", "hold & ~stopped & (level[0:2] != 3)"),
    ), keywords={"depth": 8, "reserve": 4, "resume": 3}),
    Proof("extent, 48-bit and 28-bit", "extent.extent", _EXTENT_FAULTS, frames=30, depth=16),
    Proof("extent, with a limit", "extent.extent", (
        Change("core/sequencer/extent_splitter.py", "(self.limit < self._max_sectors)",
               "(self.limit < 65536)"),
    ), frames=30, depth=16, keywords={"max_sectors": 300, "limited": True}),
    Proof("extent beyond the capacity", "extent.beyond", (
        Change("core/sequencer/extent_splitter.py", "end = Signal(49)", "end = Signal(48)"),
        Change("core/sequencer/extent_splitter.py", "self.capacity < end", "self.capacity <= end"),
    )),
    Proof("extent, whole logical sectors", "extent.whole_sectors", (
        Change("core/sequencer/extent_splitter.py", "longest[:low].eq(0)", "longest[:low - 1].eq(0)"),
        Change("core/sequencer/extent_splitter.py", "with m.If(self.long):", "with m.If(0):"),
    ), frames=30, depth=16),
    Proof("extents of the queue, whole logical sectors", "extent.whole_sectors", (
        Change("core/sequencer/extent_splitter.py", "Mux(crosses, self.span.lba, origin + begun)",
               "Mux(crosses, self.span.lba + crosses, origin + begun)"),
    ), frames=30, depth=16, keywords={"queued": True}),
    Proof("commands", "sequencer.commands", (
        Change("core/sequencer/operation.py", "with m.If(self.next_due):", "with m.If(1):"),
        Change("core/sequencer/task_file.py", "registers.count[8].eq(0),", ""),
        Change("core/sequencer/task_file.py", "self.sectors * SECTOR_WORDS", "SECTOR_WORDS"),
        Change("core/sequencer/identity.py", "self.capacity[0:32].eq(LBA28_SECTORS)", "self.capacity[0:32].eq(word)"),
    ), frames=100, depth=100),
    Proof("commands within the capacity", "sequencer.within", (
        Change("core/sequencer/extent_splitter.py", "self.capacity < end)", "self.capacity < end[:48])"),
        Change("core/sequencer/extent_check.py", "(self.empty | self.unfit)", "self.empty"),
    ), frames=100, depth=100),
    Proof("waits end", "sequencer.waits", (
        Change("core/sequencer/operation.py", "with m.Elif(self.silent):", "with m.Elif(0):"),
        Change("core/sequencer/operation.py", "with m.If(self.lost):\n                fail(",
               "with m.If(0):\n                fail("),
    ), frames=180, depth=130),
    Proof("each start has one done", "sequencer.answers", (
        Change("core/sequencer/operation.py",
               "m.d.sync += [self.error.eq(Error.NOT_READY), self.done.eq(1)]",
               "m.d.sync += self.error.eq(Error.NOT_READY)"),
        Change("core/sequencer/operation.py", "with m.If(clocks == self._settle_clocks):\n"
               "                m.d.sync += self.done.eq(1)",
               "with m.If(clocks == self._settle_clocks):\n"
               "                m.d.sync += self.done.eq(self.usable)"),
        Change("core/sequencer/operation.py", "self.begin.eq(self.extent.valid)",
               "self.begin.eq(self.extent.valid & ~self.lost)"),
    ), frames=60, depth=60),
    Proof("FLUSH CACHE after N commands", "sequencer.flushes", (
        Change("core/sequencer/between/every_commands.py", "self.written & (commands == self._commands - 1)",
               "self.written & (commands == self._commands)"),
        Change("core/sequencer/between/every_commands.py", "with m.If(self.begin | self.restart):",
               "with m.If(self.restart):"),
        Change("core/sequencer/operation.py", "with m.If(self.wanted):",
               "with m.If(self.wanted & ~self.no_more):"),
    ), frames=40, depth=40),
    Proof("what comes between two commands", "sequencer.arbitrates", (
        Change("core/sequencer/between/arbiter.py", "m.d.sync += passed.eq(-1)", "m.d.sync += passed.eq(passed)"),
        Change("core/sequencer/between/arbiter.py", "comes[number:].any()", "comes[number + 1:].any()"),
        Change("core/sequencer/between/arbiter.py", "& ~wants[:number].any()", ""),
    ), frames=30, depth=30),
    Proof("COMMAND, its words", "command.words", (
        Change("core/command/command.py",
               "over.eq(counter.completes | fails_data)", "over.eq(fails_data)"),
        Change("core/command/command.py", "with m.Elif(~complete):", "with m.Elif(0):"),
        Change("core/command/command.py", "Mux(counter.remaining >= block, block, counter.remaining)",
               "counter.remaining"),
        Change("core/command/payload_counter.py", "with m.If(self.sent | self.received):",
               "with m.If(self.received):"),
    ), frames=40, depth=30),
    Proof("power fails", "command.power", (
        Change("bricks/power_fail/power_fail.py", "with m.If(~core.status.busy):", "with m.If(1):"),
        Change("bricks/power_fail/power_fail.py", "good = core.status.error == Error.NONE",
               "good = core.status.error != Error.NOT_READY"),
        Change("bricks/power_fail/power_fail.py",
               'Mux(taken, fsm.ongoing("START"), user.control.start)',
               'fsm.ongoing("START") | user.control.start'),
        Change("bricks/power_fail/power_fail.py", "above.done.eq(below.done & ~ours)",
               "above.done.eq(below.done)"),
        Change("bricks/power_fail/power_fail.py", "core.control.stop.eq(user.control.stop | stops)",
               "core.control.stop.eq(user.control.stop)"),
        Change("bricks/power_fail/power_fail.py", "away.eq(~core.status.ready)", "away.eq(0)"),
        Change("bricks/power_fail/power_fail.py", "with m.If(self.core.status.capacity == 0):", "with m.If(0):"),
        Change("bricks/power_fail/power_fail.py", "with m.Elif(power.failed & away & core.status.ready):",
               "with m.Elif(power.failed & core.status.ready):"),
    ), frames=40, depth=40),
    Proof("recovery", "recovery.recovery", (
        Change("core/sequencer/recovery/recovery.py",
               "entry.length.eq(verdict.count - case.doubt_from)",
               "entry.length.eq(verdict.count)"),
        Change("core/sequencer/recovery/recovery.py",
               "with m.If(~no_data & (doubt_from != count)):",
               "with m.If(~no_data & (doubt_from != self.command.sectors)):", hint="small"),
        Change("core/sequencer/recovery/recovery.py",
               "Mux(case.whole, verdict.count, verdict.resume_at)",
               "Mux(case.whole, verdict.resume_at, verdict.count)", hint="small"),
        Change("core/sequencer/recovery/recovery.py", "entry.position.eq(position)",
               "entry.position.eq(self.command.lba)", hint="small"),
        Change("core/sequencer/recovery/recovery.py",
               "self.resume.rewind_to.eq(case.doubt_from)",
               "self.resume.rewind_to.eq(verdict.resume_at)", hint="small"),
        Change("core/sequencer/recovery/verdict.py", "command.located & ~elsewhere",
               "command.located & elsewhere",
               hint="small"),
        Change("core/sequencer/recovery/recovery.py", "port.reread.eq(~writes & ~confirmed & ~whole)",
               "port.reread.eq(0)", hint="small"),
        Change("core/sequencer/recovery/recovery.py", "port.skip.eq(whole)", "port.skip.eq(1)",
               hint="small"),
        Change("core/sequencer/recovery/recovery.py", "with m.If(case.needs_comreset | no_data):",
               "with m.If(no_data):", hint="small"),
        Change("core/sequencer/recovery/recovery.py", "drive.usable & self.port.settled &",
               "drive.usable &",
               hint="small"),
        Change("core/sequencer/recovery/recovery.py", "with m.If(drive.usable | abandons):",
               "with m.If(1):",
               hint="small"),
        Change("core/sequencer/recovery/recovery.py", "with m.Elif(drive.changed):", "with m.Elif(0):",
               hint="small"),
        Change("core/sequencer/recovery/attempts.py", "tries >= self._limit", "tries > self._limit",
               hint="tried"),
        Change("core/sequencer/recovery/attempts.py", "with m.If(~self.retries.all()):", "with m.If(1):",
               hint="tried"),
    ), frames=60, depth=100),
    Proof("recovery that passes nothing over", "recovery.recovery", (
        Change("core/sequencer/recovery/recovery.py",
               "entry.length.eq(verdict.count - case.doubt_from)",
               "entry.length.eq(verdict.count)"),
    ), frames=60, depth=100, keywords={"skips": False}),
    Proof("recovery ends", "recovery.ends", (
        Change("core/sequencer/recovery/recovery.py", "with m.Elif(attempts.expired):",
               "with m.Elif(0):"),
        Change("core/sequencer/recovery/recovery.py",
               "with m.Else():\n                self._states.enter(\"WAIT\")",
               "with m.Else():\n                self._states.enter(\"GO\")"),
    ), frames=80, depth=110),
    Proof("recovery that passes nothing over ends", "recovery.ends", (
        Change("core/sequencer/recovery/recovery.py", "with m.Elif(attempts.expired):",
               "with m.Elif(0):"),
    ), frames=80, depth=110, keywords={"skips": False}),
    Proof("recording: boundaries of extents", "recording.extents", (
        Change("core/recorder/meters.py", "m.If(self.extend | extended)", "m.If(self.extend)"),
        Change("core/recorder/meters.py", "final_sector.eq(final_sector + self.more)",
               "final_sector.eq(final_sector + self.more - 1)"),
    ), frames=60, depth=60, seconds=100, abstractions=(
        Change("facts/units.py", "SECTOR_BYTES = 512", "SECTOR_BYTES = 16"),
        Change("core/recorder/meters.py", "final_sector = Signal(48)", "final_sector = Signal(5)"),
        Change("core/recorder/meters.py", "words = Signal(48 + SECTOR_SHIFT)",
               "words = Signal(5 + SECTOR_SHIFT)"))),
    Proof("recording: words and stop of the stage", "recording.stage", (
        Change("bricks/modes/word_gate.py", "Mux(self.passes, left == 2, left == 1)", "left == 1"),
        Change("bricks/modes/course.py", "user.stop | stopped | self.ended", "user.stop | self.ended"),
        Change("bricks/modes/recording.py", "gate.close.eq(core.control.stop | segments.ends)",
               "gate.close.eq(core.control.stop)"),
    ), frames=40, depth=40, seconds=100),
    Proof("recording: spans of the stage", "recording.spans", (
        Change("bricks/modes/span_source.py", "_COMPUTE = 4", "_COMPUTE = 9"),
    ), frames=40, depth=60, seconds=100),
    Proof("recording: a stop ends", "sequencer.stops", (
        Change("core/sequencer/operation.py", "m.Elif(self.writes & (self.gathers | self.pending))",
               "m.Elif(self.writes & (self.gathers | self.pending | 1))"),
        Change("core/sequencer/extent_splitter.py", "shortens = self.shorten | self.gathers",
               "shortens = self.gathers", hint="alone"),
    ), frames=75, depth=75, seconds=300),
    Proof("ledger: clear", "ledger.clear", (
        Change("core/ledger/account_counters.py", "Mux(self.clear, 0, counted.data + 1)",
               "counted.data + ~self.clear"),
        Change("core/ledger/accumulator.py", "m.d.sync += total.eq(0)", "m.d.sync += less.eq(0)"),
    ), frames=50, depth=45),
    Proof("ledger: sums", "ledger.sums", (
        Change("core/ledger/accumulator.py", "stored[LOW_BITS:] + carry", "stored[LOW_BITS:]",
               hint="alone"),
        Change("core/ledger/accumulator.py", "Mux(flush, Account.FLUSH, cycle.account)",
               "cycle.account"),
        Change("core/ledger/accumulator.py", "booked.eq(sequencer.enable & (", "booked.eq(("),
        Change("core/ledger/accumulator.py", "recovers & ~sequencer.clear",
               "sequencer.recovery & ~sequencer.clear"),
    ), frames=160, depth=160),
    Proof("PHY: a way back from every state", "initializer.initializer", (
        Change("core/phy/initializer.py", "with m.If(~oob.comwake | seen.comwake_over):",
               "with m.If(~oob.comwake):", hint="goes on"),
        Change("core/phy/initializer.py", "Mux(interval.over, PhyState.HR_AwaitCOMINIT,",
               "Mux(0, PhyState.HR_AwaitCOMINIT,", hint="goes on"),
        Change("core/phy/initializer.py",
               "with m.If(timer == 0):\n                self._fall(m, Fall.NO_DWORDS)\n"
               "            with m.Elif(gone):", "with m.If(gone):", hint="goes on"),
        Change("core/phy/dword_monitor.py", "total == OTHERS", "total == OTHERS - 1", hint="goes on"),
        Change("core/phy/initializer.py", "with m.If(self.reset | ~seen.settled):",
               "with m.If(~seen.settled):"),
    ), frames=300, depth=330),
]
