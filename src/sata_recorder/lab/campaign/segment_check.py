"""The table of segments against the triggers that came: a model of the mode TRIGGERED."""

from ...facts.units import SECTOR_WORDS

#: The most words by which a trigger that waits is late in the part of its segment.
_LATE = 64
#: Words of a part in which a trigger may still count as one between two parts.
_BEGINNING = 4


def check_segments(recording, sectors, table, hits, accepted, counted, *, spill):
    """Texts of what is wrong in ``table``, the segments as a core reports them.

    ``recording`` has the fields words, part, segments and extend of a recording in a space of
    ``sectors``; ``hits`` are the triggers: (words accepted before it, time); ``accepted`` are the
    words of the recording, ``counted`` its triggers as the core counts them; ``spill`` the most
    words from the end of a segment to the first one of the next part.
    """
    check = _SegmentCheck(recording, table, hits, accepted)
    if counted != len(hits):
        check.wrong(f"{counted} triggers counted of {len(hits)}")
    for number in range(len(table)):
        check.place(number, spill)
        if not check.segment(number):
            return check.problems
    room = min(recording.part, sectors)
    most = min(recording.segments or len(table) + 1, sectors // room)
    if len(table) > most:
        check.wrong(f"{len(table)} segments, there is room for {most}")
    if table and len(table) == most and accepted != table[-1]["end"]:
        check.wrong(f"{accepted} words, and the last segment ends with {table[-1]['end']}")
    if table and accepted < table[-1]["end"]:
        check.wrong(f"{accepted} words, fewer than the last segment has")
    return check.problems


class _SegmentCheck:
    def __init__(self, recording, table, hits, accepted):
        self.after, self.extend = max(recording.words, 1), recording.extend
        self.table, self.hits, self.accepted = table, [*hits], accepted
        self.waiting = None         # the trigger that waits for the next segment
        self.more = 0               # triggers that no segment has counted yet
        self.problems = []

    def wrong(self, text):
        self.problems.append(f"segments: {text}")

    def place(self, number, spill):
        """Checks that a segment begins with a sector, soon after the one before it."""
        first = self.table[number]["first"]
        if first % SECTOR_WORDS:
            self.wrong(f"{number} begins with word {first}, which is not a sector's first")
        if number == 0 and first:
            self.wrong(f"0 begins with word {first}")
        if number and not 0 <= first - self.table[number - 1]["end"] <= spill:
            self.wrong(f"{number} begins with word {first}, the one before it ends with "
                       f"{self.table[number - 1]['end']}")

    def segment(self, number):
        """Checks its trigger and its end; returns whether others may follow."""
        segment, last = self.table[number], number == len(self.table) - 1
        flags, end, first = segment["flags"], segment["end"], segment["first"]
        waited = self.waiting
        hit = waited or (self.hits.pop(0) if self.hits else None)
        self.waiting = None
        if bool(flags & 1) != (hit is not None):
            self.wrong(f"{number} has flags {flags:#x}, its trigger was {hit}")
            return False
        if hit is None:
            if not last or end != self.accepted or flags & 2:
                self.wrong(f"{number} without a trigger ends with word {end} of {self.accepted}, "
                           f"flags {flags:#x}")
            return False
        if (segment["trigger"], segment["trigger_time"]) != hit:
            self.wrong(f"{number} has its trigger at word {segment['trigger']}, clock "
                       f"{segment['trigger_time']}, it came at {hit}")
        # The words after a trigger that has waited are counted from the next part on.
        earliest = (max(hit[0], first) if waited else hit[0]) + self.after
        # So may be those of one that comes in the clocks in which the part begins.
        slack = _LATE if waited or number and hit[0] - first <= _BEGINNING else 0
        while self.hits and self.hits[0][0] < end and self.extend:
            earliest, slack = self.hits.pop(0)[0] + self.after, 0
            self.more += 1
        if flags & 2 and not earliest <= end <= earliest + slack:
            self.wrong(f"{number} ends with word {end}, not {earliest}")
        if not flags & 2 and not (last and end == self.accepted <= earliest + slack):
            self.wrong(f"{number} is not complete and ends with word {end} of {self.accepted}")
        self._late_triggers(number, end, last, flags >> 16)
        return True

    def _late_triggers(self, number, end, last, counted):
        """Those that came too late for the segment: one waits, the others are counted."""
        following = self.table[-1 if last else number + 1]["first"]
        while self.hits and (self.hits[0][0] < end or not last and self.hits[0][0] < following):
            late = self.hits.pop(0)
            if self.waiting is None and (not last or late[0] >= end):
                self.waiting = late
            else:
                self.more += 1
        # One that came while the segment was entered may count for the next one.
        if not last and self.more < counted:
            self.wrong(f"{number} counts {counted} triggers more, there were {self.more}")
        self.more = max(0, self.more - counted)
