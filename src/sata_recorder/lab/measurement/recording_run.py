"""One recording in a mode, on a running engine: what is on the disk is compared word by word."""

import zlib
from dataclasses import replace

from ...bricks.modes import ENTRIES, FIELDS
from ...facts.units import SECTOR_BYTES, SECTOR_WORDS
from ...interface.trim import TrimState
from .array_run import ArrayRun
from .comparison import Comparison
from .looks import LookRun, waiting
from .recording_plan import RecordingReport, held_words
from .run import MeasurementRun
from .transfer import SourceReport

#: Clocks after done by which the last segment is in the core's table, and more.
_ENTERED = 16


class RecordingRun(MeasurementRun):
    """As :class:`.run.MeasurementRun`, for a job with a :class:`.recording_plan.RecordingPlan`.

    ``recording`` is its :class:`.recording_plan.RecordingReport`, once it has been performed.
    """

    recording = None

    def _record(self):
        job, plan = self.job, self.job.recording
        engine, session = self._engine, self._session
        engine.set(**plan.controls(job.sectors, held_words(job)))
        self._follow("record")
        looks = None if plan.looks is None else LookRun(job, engine, self._data)
        session.watch = looks
        # A stream that cannot wait ends with the last of the words that were not lost.
        engine.source(job.data, hold=job.host_hold, mark=plan.most_words(job.sectors), rate=job.input_rate,
                      depth=job.fifo_words)
        outcome, came = session.record_with_events(job.lba, job.sectors, plan.events(job.sectors), flush=job.flush)
        session.watch = None
        session.run(_ENTERED)
        if looks is not None:
            looks.finish()
        shown = session.outputs()
        segments = self._table(shown["recording_segment_count"])
        source = None
        if job.input_rate is not None:
            source = SourceReport.of(job, engine.state(), self._data,
                                     None if outcome.error else outcome.outputs["words"])
        self._words = SECTOR_WORDS * outcome.outputs["sectors_done"]
        checked, crc = (0, 0) if outcome.error else self._check_disk(outcome, shown, segments)
        stops = [clock for what, clock, *_ in came if what == "stop"]
        done = outcome.begin + outcome.clocks
        self.recording = RecordingReport(
            plan.mode, outcome.outputs["words"], shown["recording_oldest"],
            shown["recording_newest"] - shown["recording_oldest"], checked,
            done - stops[0] if stops else None, segments, self._trim(shown),
            None if looks is None else looks.report(shown))
        if not outcome.error:
            self._check_segments(outcome, segments, came)
        good = self._finish("record", outcome, crc, source)
        # The sectors do not follow each other: no rate can be derived from their numbers.
        self.transfers[-1] = self._without_steady_rate(self.transfers[-1])
        if looks is not None:
            self.problems += looks.problems
            self.recording.looks["with"] = waiting(self.transfers[-1])
        return good

    def _without_steady_rate(self, transfer):
        return replace(transfer, steady_rate=None)

    def _trim(self, shown):
        """What the core reports about TRIM; None if none was requested."""
        if not self.job.recording.trim_ahead:
            return None
        return {"state": TrimState(shown["trim_state"]).name, "sectors": shown["trim_sectors"],
                "clocks": shown["trim_clocks"]}

    def _table(self, count):
        """The segments that the core's table has, the oldest first."""
        def read(address):
            self._engine.set(recording_segment_address=address)
            self._engine.run(3)
            return self._engine.outputs()["recording_segment_data"]
        job, found = self.job, []
        for number in range(max(0, count - ENTRIES), count):
            entry = {name: read(len(FIELDS) * (number % ENTRIES) + index)
                     for index, name in enumerate(FIELDS)}
            part = job.recording.part(job.sectors) if job.recording.mode == "trigger" else 0
            found.append(entry | {"lba": job.lba + number * part})
        return found

    def _check_disk(self, outcome, shown, segments):
        """Compares all that must be there; returns how many words it was, and their CRC."""
        job, plan = self.job, self.job.recording
        words, newest = outcome.outputs["words"], shown["recording_newest"]
        room = plan.part(job.sectors) if plan.mode == "trigger" else job.sectors
        firsts = [segment["first"] // SECTOR_WORDS for segment in segments] or [0]
        sectors = -(-words // SECTOR_WORDS)
        crc = checked = 0
        for number, (first, end) in enumerate(zip(firsts, [*firsts[1:], newest])):
            lba = job.lba + number * room
            oldest = max(first, end - room)
            if plan.trim_ahead:
                oldest = self._oldest(shown, oldest)
            for sector in range(oldest, min(end, sectors)):
                offset = SECTOR_BYTES * sector
                size = min(SECTOR_BYTES, 4 * words - offset)
                wanted = self._data.read(offset // 4, size // 4).ljust(SECTOR_BYTES, b"\0")
                place = SECTOR_BYTES * (lba + (sector - first) % room)
                found = Comparison(lambda _, length: wanted[:length])
                found(self._stored(place - SECTOR_BYTES * job.lba, SECTOR_BYTES))
                crc, checked = zlib.crc32(wanted, crc), checked + size // 4
                if found.difference:
                    self.problems.append(f"sector {sector} of the recording, at LBA "
                                         f"{place // SECTOR_BYTES}, differs from what it must be, "
                                         f"{found.difference}")
                    return checked, crc
        most = -(-SECTOR_BYTES * sectors // job.logical_sector) * job.logical_sector // SECTOR_BYTES
        if not sectors <= newest <= most + plan.ahead * job.configuration.drives:
            self.problems.append(f"{newest} sectors are written of {words} words")
        return checked, crc

    def _oldest(self, shown, without):
        """The first sector that the core reports as there; it would be ``without`` if there were no TRIM."""
        oldest, most = shown["recording_oldest"], 2 * self.job.recording.trim_ahead
        if not without <= oldest <= max(0, shown["recording_newest"] + most - self.job.sectors):
            self.problems.append(f"sector {oldest} of the recording is reported as the oldest, and TRIM takes "
                                 f"{most} sectors at most")
        return oldest

    def _check_segments(self, outcome, segments, came):
        """Checks that the triggers in the table are those that came, and that each has its words after it."""
        plan, words = self.job.recording, outcome.outputs["words"]
        hits = {(taken, outputs["recording_time"]) for what, _, taken, outputs in came
                if what == "recording_trigger"}
        for number, segment in enumerate(segments):
            told = f"segment {number}: "
            if not segment["first"] <= words or segment["end"] > words:
                self.problems.append(f"{told}it is not within the {words} words of the recording")
            if segment["flags"] & 1 and (segment["trigger"], segment["trigger_time"]) not in hits:
                self.problems.append(f"{told}no trigger came at word {segment['trigger']}, clock "
                                     f"{segment['trigger_time']}")
            if segment["flags"] & 2 and segment["end"] - segment["trigger"] < plan.words:
                self.problems.append(f"{told}{segment['end'] - segment['trigger']} words are after "
                                     f"its trigger instead of {plan.words}")


class ArrayRecordingRun(RecordingRun, ArrayRun):
    """As :class:`RecordingRun`, on the drives of an array."""

    def _without_steady_rate(self, transfer):
        return replace(transfer, lanes={number: replace(lane, steady_rate=None)
                                        for number, lane in transfer.lanes.items()})

    def _crossed(self):
        return self.recording.words
