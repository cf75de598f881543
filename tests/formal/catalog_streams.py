"""The proofs of the streams that a source and a player have, and of the clock crossing."""

from formal.proof import Change, Proof

__all__ = ["STREAMS"]

STREAMS = (
    Proof("source: beats of 8 bits into words", "source.packer", (
        Change("bricks/source/beat_packer.py", "self.i.ready.eq(~complete | o.ready)", "self.i.ready.eq(1)"),
        Change("bricks/source/beat_packer.py", "base.eq(Mux(at == 0, 0, word))", "base.eq(word)"),
        Change("bricks/source/beat_packer.py", "ends = at.all() | beat.stop | beat.last",
               "ends = at.all() | beat.stop"),
        Change("bricks/source/beat_packer.py", "with m.Elif(beat.stop | (at == 0)):", "with m.Elif(at == 0):"),
        Change("bricks/source/beat_packer.py", "(base.trigger & ~beat.boundary) | beat.trigger", "beat.trigger"),
    ), keywords={"width": 8}),
    Proof("source: beats of 16 bits into words", "source.packer", (
        Change("bricks/source/beat_packer.py", "place.eq(Mux(ends, 0, at + 1))", "place.eq(at + 1)"),
        Change("bricks/source/beat_packer.py", "Mux(beat.has_data, ends, at == 0)", "ends"),
    ), keywords={"width": 16}),
    Proof("source: beats of 8 bits that may be lost", "source.packer", (
        Change("bricks/source/beat_packer.py", "word.lost.eq(base.lost + beat.lost)", "word.lost.eq(beat.lost)"),
        Change("bricks/source/beat_packer.py", "at.eq(Mux(beat.boundary, 0, place) if self._counts else place)",
               "at.eq(place)"),
    ), keywords={"width": 8, "counts": True}),
    Proof("source: beats of 16 bits that may be lost", "source.packer", (
        Change("bricks/source/beat_packer.py", "word.number.eq(Mux(beat.boundary, beat.number, base.number))",
               "word.number.eq(beat.number)"),
        Change("bricks/source/beat_packer.py", "word.boundary.eq(base.boundary | beat.boundary)",
               "word.boundary.eq(beat.boundary)"),
    ), keywords={"width": 16, "counts": True}),
    Proof("source: what happens beside a beat", "source.marker", (
        Change("bricks/source/beat_marker.py", "beat.has_data.eq(self.i.valid & ~stopped)",
               "beat.has_data.eq(self.i.valid)"),
        Change("bricks/source/beat_marker.py", "waits.eq(found & ~moves)", "waits.eq(found)"),
        Change("bricks/source/beat_marker.py", "parts.eq(beat.boundary & ~moves)", "parts.eq(0)"),
        Change("bricks/source/beat_marker.py", "counts = self.active & ~over", "counts = self.active"),
        Change("bricks/source/beat_marker.py", "(closed | beat.stop) & counts", "beat.stop & ~moves"),
    ), keywords={"width": 16}),
    Proof("source: what happens beside a beat that may be lost", "source.marker", (
        Change("bricks/source/beat_marker.py", "Mux(moves, 0, lost) + now", "Mux(moves, 0, lost + now)"),
        Change("bricks/source/beat_marker.py", "happens |= some", ""),
        Change("bricks/source/beat_marker.py", "(some & ~moves) | now", "(some | now) & ~moves"),
    ), keywords={"width": 8, "counts": True}),
    Proof("source: beats of 32 bits", "source.splitter", (
        Change("bricks/source/word_splitter.py", "beat.has_data & self.flowing & ~drops", "beat.has_data & ~drops"),
        Change("bricks/source/word_splitter.py", "(told | asks) & ~begun", "told | asks"),
        Change("bricks/source/word_splitter.py", "asks & known)", "asks)"),
    ), keywords={"width": 32}),
    Proof("source: words of 64 bits", "source.splitter", (
        Change("bricks/source/word_splitter.py", "there & beat.pps & first", "there & beat.pps"),
        Change("bricks/source/word_splitter.py", "o.ready & final & self.flowing", "o.ready & self.flowing"),
        Change("bricks/source/word_splitter.py", "ends & beat.stop & known", "there & beat.stop & known"),
    ), keywords={"width": 64}),
    Proof("source: words of 128 bits", "source.splitter", (
        Change("bricks/source/word_splitter.py", "left[number * WORD // 8:]", "left[(number + 1) * WORD // 8:]"),
        Change("bricks/source/word_splitter.py", "m.d.sync += index.eq(index + 1)", "m.d.sync += index.eq(index + 2)"),
    ), keywords={"width": 128}),
    Proof("source: words of 128 bits that may be lost", "source.splitter", (
        Change("bricks/source/word_splitter.py", "with m.If(ends):\n            m.d.sync += index.eq(0)",
               "with m.If(ends & ~drops):\n            m.d.sync += index.eq(0)"),
        Change("bricks/source/word_splitter.py", "Mux(begun & started", "Mux(there & first & started"),
        Change("bricks/source/word_splitter.py", "(~self.flowing | boundary.old)", "~self.flowing"),
    ), keywords={"width": 128, "counts": True}),
    Proof("source: boundary of a recording", "source.boundary", (
        Change("bricks/source/recording_boundary.py", "pending & (code != passed)", "pending"),
        Change("bricks/source/recording_boundary.py", "self.ended | ends | stale", "ends | stale"),
        Change("bricks/source/recording_boundary.py", "self.boundary_number != self.number, was_stale", "0, was_stale"),
    ), frames=30, depth=60),
    Proof("playback: words as beats of 32 bits", "playback.gatherer", (
        Change("interface/playback.py", "PLAYBACK_AHEAD = 4", "PLAYBACK_AHEAD = 2"),
        Change("bricks/playback/word_gatherer.py", "(self.stop & ~self.discards)",
               "(self.stop & self.busy & ~self.discards)"),
    ), frames=40, depth=40, keywords={"width": 32}),
    Proof("playback: words into beats of 64 bits", "playback.gatherer", (
        Change("bricks/playback/word_gatherer.py", "(known != self.resumed)", "1"),
        Change("bricks/playback/word_gatherer.py", "Mux(self.last | (index == words - 1), 0, index + 1)",
               "index + 1"),
        Change("bricks/playback/word_gatherer.py", "self.i.ready.eq(~ends & Mux", "self.i.ready.eq(Mux"),
    ), frames=40, depth=40, keywords={"width": 64}),
    Proof("playback: words into beats of 128 bits", "playback.gatherer", (
        Change("bricks/playback/word_gatherer.py", "(2 << number) - 1", "(1 << number)"),
        Change("bricks/playback/word_gatherer.py", "beat.last.eq(playing), beat.cut", "beat.last.eq(1), beat.cut"),
    ), frames=40, depth=40, keywords={"width": 128}),
    Proof("playback: beats of 8 bits", "playback.output", (
        Change("bricks/playback/stream_output.py", "& (~o.valid | o.ready)),", "),"),
        Change("bricks/playback/stream_output.py", "part.eq(Mux(final, 0, part + 1))", "part.eq(part + 1)"),
    ), keywords={"width": 8}),
    Proof("playback: beats of 64 bits", "playback.output", (
        Change("bricks/playback/stream_output.py", "within & o.ready & ~o.valid", "within & ~o.valid"),
        Change("bricks/playback/stream_output.py", "whole.eq(whole & ~self.underrun)", "whole.eq(whole)"),
        Change("bricks/playback/stream_output.py", "(whole.any() & ~whole[-1])) & ~leaves)",
               "(whole.any() & ~whole[-1])))"),
        Change("bricks/playback/stream_output.py", "left.eq(left + (leaves & self.i.payload.last))",
               "left.eq(left + (leaves & self.i.payload.cut))"),
    ), keywords={"width": 64, "fill": 4}),
    Proof("channels: packets in turn", "channels.arbiter", (
        Change("bricks/channels/channel_arbiter.py", "self.last.eq(is_one)", "self.last.eq(is_empty)"),
        Change("bricks/channels/channel_arbiter.py", "is_one.eq(count == 2)", "is_one.eq(count == 3)"),
        Change("bricks/channels/channel_arbiter.py", "sent.data.eq(sent.value + total)", "sent.data.eq(total)"),
        Change("bricks/channels/channel_arbiter.py", "with m.Elif(shut & has_words.bit_select(channel, 1)):",
               "with m.Elif(shut & (level == 2)):"),
        Change("bricks/channels/channel_arbiter.py", "closing.bit_select(channel, 1) & ~ended.bit_select(channel, 1)",
               "closing.bit_select(channel, 1)"),
        Change("bricks/channels/channel_arbiter.py", "self.flushed.eq(ended.all())", "self.flushed.eq(ended.any())"),
        Change("bricks/channels/channel_arbiter.py", "channel.eq(Mux(channel == channels - 1, 0, channel + 1))",
               "channel.eq(Mux(level == 0, channel + 1, channel))"),
        Change("bricks/channels/channel_arbiter.py", "m.d.sync += lost_ahead.bit_select(channel, 1).eq(1)", "pass"),
    ), frames=40, depth=30, seconds=60, keywords={"channels": 2}, abstractions=(
        # Numbers of words that wrap soon.
        Change("bricks/channels/channel_arbiter.py", "_COUNT, _PLACE = 16, WORD", "_COUNT, _PLACE = 16, 3"),
    )),
    Proof("clock crossing to the core", "crossing.crossing", (
        Change("bricks/clock_crossing.py", "fifo.r_en.eq(skid.i.ready)", "fifo.r_en.eq(1)"),
        Change("bricks/clock_crossing.py", "seen & ~holds & ~ResetSignal(writer)", "~holds & ~ResetSignal(writer)"),
        Change("bricks/clock_crossing.py", "seen & ~holds & ~ResetSignal(writer)", "seen & ~holds"),
    ), frames=100, depth=100, seconds=300, keywords={"core": "reader"}),
    Proof("clock crossing from the core", "crossing.crossing", (
        Change("bricks/clock_crossing.py", "with m.If(fifo.r_en):", "with m.If(~there | self.o.ready | fifo.r_rdy):"),
        Change("bricks/clock_crossing.py", "holds.eq(holds & ~answered)", "holds.eq(0)"),
        Change("bricks/clock_crossing.py", "self.level.eq(fifo.w_level)", "self.level.eq(fifo.w_level & 3)"),
    ), frames=100, depth=100, seconds=300, keywords={"core": "writer"}),
    Proof("memory: bursts of writes", "memory.writer", (
        Change("core/recorder/memory/memory_writer.py", "room.eq(shape.burst - issued[:shape.burst_bits])",
               "room.eq(shape.burst)"),
        Change("core/recorder/memory/memory_writer.py", "~sender.active & ~self.aw.valid & ~self.moves",
               "~sender.active & ~self.moves"),
        Change("core/recorder/memory/memory_writer.py", "self.moves & ~self.waits & ~forgets", "self.moves & ~forgets"),
        Change("core/recorder/memory/beat_sender.py", "load.eq(~w.valid | w.ready)", "load.eq(1)"),
    ), frames=80, depth=60, seconds=100),
    Proof("memory: bursts of reads", "memory.reader", (
        Change("core/recorder/memory/memory_reader.py", "room.eq(shape.burst - requested[:shape.burst_bits])",
               "room.eq(shape.burst)"),
        Change("core/recorder/memory/memory_reader.py", "& ~self.moves & ~restarts", "& ~restarts"),
        Change("core/recorder/memory/memory_reader.py", "& due & ~self.ar.valid", "& due"),
        Change("core/recorder/memory/memory_reader.py", "& fits & ends.w_rdy", "& fits"),
    ), frames=80, depth=60, seconds=100),
    Proof("memory: words in order, in the first clocks", "memory_order.words", (
        Change("core/recorder/memory/memory_writer.py", "self.b.valid & lengths.r_rdy),", "lengths.r_rdy),"),
        Change("core/recorder/memory/memory_reader.py", "lane.eq(oldest)", "lane.eq(0)"),
        Change("core/recorder/memory/memory_reader.py", "stale.eq(ends.level - ended)", "stale.eq(0)"),
        Change("core/recorder/memory/memory_buffer.py", "load.eq(~output.valid | output.ready)", "load.eq(1)"),
    ), frames=50, depth=30, seconds=300, bound=25),
)
