"""Operations of a board, with what they show about the drive: fields, ledger, and words against clocks."""

#: Seconds between two polls of a long operation: as often as the line can answer.
_LOOK = 0.001


class QualificationError(RuntimeError):
    """The sequence cannot be done, or the drive has failed in it; one line."""


class Operations:
    """``client`` is a connected :class:`...pc.console.client.Client`, ``progress`` is called with a name
    and the part that is done. Members: ``hz`` clock of the core, ``buffer_bytes`` its buffer,
    ``recorded`` bytes that were written so far."""

    def __init__(self, client, progress):
        self._client, self.progress = client, progress
        self.hz = client.version["clock_hz"]
        self.buffer_bytes = 4 * client.version["buffer_words"]
        self.recorded = 0

    def ask(self, line):
        """The fields of the answer to ``line``. Raises :class:`QualificationError`."""
        answer = self._client.request(line)
        if answer.error:
            raise QualificationError(f"{line}: the board answers {answer.error}")
        return answer.fields()

    def error(self, line):
        """The error that answers ``line``, or None."""
        return self._client.request(line).error

    def answer(self, line):
        """The answer to an operation that is neither a recording nor a playback, and its clocks. Raises
        :class:`QualificationError`."""
        answer = self._client.operate(line, interval=_LOOK)
        if answer.error:
            raise QualificationError(f"{line}: {answer.error}")
        return answer, answer.fields()["clocks"]

    def histograms_clear(self):
        """Clears the histograms; returns whether the board has any."""
        return not self.error("histogram clear")

    def histogram(self, kind):
        """What the board has counted: {n: number of times from 2^n to 2^(n+1) - 1 clocks}. Raises
        :class:`QualificationError`."""
        told = self.ask(f"histogram {kind}")
        if told.get("histogram") != kind:
            raise QualificationError(f"histogram {kind}: the answer is none")
        return told["bins"]

    def do(self, line, **options):
        """Does an operation and returns its fields, and its ledger. Words that differ from the
        pattern are no error: they were read. Raises :class:`QualificationError`."""
        answer = self._client.operate(line, interval=_LOOK, **options)
        if answer.error not in (None, "mismatch"):
            place = answer.fields().get("error_lba")
            raise QualificationError(f"{line}: {answer.error}"
                                     + (f" at sector {place:,}" if place is not None else ""))
        told = answer.fields()
        if told.get("stopped"):
            raise QualificationError(f"{line}: was stopped")
        if line.startswith("record"):
            self.recorded += 4 * told["words"]
        return told, self.ask("counters")

    def seconds(self, line):
        """The seconds that an operation took, and its ledger."""
        told, ledger = self.do(line)
        return told["clocks"] / self.hz, ledger

    def points(self, verb, lba, sectors, name, part, share):
        """Does a long operation; returns points (bytes, seconds) while it ran, its fields, and its ledger."""
        points = [(0, 0.0)]

        def look(fields):
            # Once all words are through, the clocks count on to the status: that is no rate.
            if fields["operation"] == verb and fields["words"] < 128 * sectors and \
                    fields["clocks"] / self.hz > points[-1][1]:
                points.append((4 * fields["words"], fields["clocks"] / self.hz))
                self.progress(name, part + share * fields["words"] / (128 * sectors))
        told, ledger = self.do(f"{verb} {lba} {sectors}", on_progress=look)
        return points, told, ledger
