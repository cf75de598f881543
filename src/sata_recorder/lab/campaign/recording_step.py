"""A recording in a mode, as a step of a plan; random ones."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from ...interface.recording import RecordingMode
from ...facts.units import SECTOR_WORDS
from .look_step import LookStep

#: The value of ``ahead`` for commands of any length.
ANY_AHEAD = 65536
_Sectors = Annotated[int, Field(ge=0, le=1000)]
_Words = Annotated[int, Field(ge=0, le=1_000_000)]
#: Chunks for which a part must have room after the words of its segment: three, each of fewer
#: sectors than two.
CHUNKS = 6


class RecordingStep(BaseModel):
    """What a recording does with its sectors; the fields are the inputs ``recording_`` of a core.

    ``triggers`` are pairs (words, clocks): a trigger comes this many clocks after this many words were
    accepted. ``trim_ahead`` is the input of that name, if the core has it; ``looks`` need a core that has them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    mode: Literal[tuple(mode.name for mode in RecordingMode)]
    words: _Words = 0
    position: _Sectors = 0
    part: _Sectors = 0
    chunk: _Sectors = 0
    segments: int = Field(0, ge=0, le=16)
    extend: bool = False
    trim_ahead: int = Field(0, ge=0, le=1000)
    ahead: int = Field(0, ge=0, le=ANY_AHEAD)
    triggers: tuple[tuple[_Words, Annotated[int, Field(ge=0, le=1000)]], ...] = ()
    looks: tuple[LookStep, ...] = ()

    @property
    def controls(self):
        """The inputs of the core, by name."""
        inputs = self.model_dump(exclude={"mode", "triggers", "looks", "trim_ahead"})
        return {f"recording_{name}": value for name, value in inputs.items()} | {
            "recording_mode": RecordingMode[self.mode].value}

    def controls_of(self, core):
        """The inputs of a core with the configuration ``core``."""
        return self.controls | ({"trim_ahead": self.trim_ahead} if core.trim_ahead else {})

    def trimmed(self, sectors):
        """The most sectors ahead of a ring in a space of ``sectors`` that TRIM takes."""
        return 2 * min(self.trim_ahead, sectors // 4) if self.mode == "RING" else 0

    def room(self, sectors):
        """The sectors of the ring, or of what is filled once, of a space of ``sectors``."""
        return min(self.part, sectors) if self.mode == "TRIGGERED" else sectors

    def most_words(self, sectors):
        """The words after which the recording ends by itself at the latest; None if it may go on."""
        room = SECTOR_WORDS * (sectors - self.position)
        if self.mode == "FIXED":
            return min(self.words or room, room)
        return room if self.mode == "UNTIL_STOPPED" else None


#: With this, a core with modes does what one without them does.
FILLED = RecordingStep(mode="FIXED")


@dataclass(frozen=True)
class Space:
    """The sectors that a recording may use, and the words after which it is stopped."""

    sectors: int
    stop_after: int | None


def random_recording(rng, buffer_words, most_sectors):
    """(`RecordingStep`, :class:`Space`) for a core with such a buffer, in at most ``most_sectors``."""
    mode = rng.choice(tuple(RecordingMode)).name
    held = max(1, buffer_words // SECTOR_WORDS)
    fields = {"mode": mode, "ahead": rng.choice((0, 0, 0, rng.randint(1, 4), ANY_AHEAD))}
    if mode == "TRIGGERED":
        return _triggered(rng, fields, held, most_sectors)
    sectors = rng.randint(held, max(held + 1, most_sectors // 3))
    position = rng.choice((0, rng.randrange(sectors)))
    room = SECTOR_WORDS * (sectors - position)
    length = rng.randint(0, rng.choice((300, 2 * room, 8000)))
    if mode == "FIXED":
        fields["words"] = rng.choice((0, rng.randint(1, room + 200)))
    # A ring has no other end; what is filled once has one.
    stops = mode == "RING" or rng.random() < 0.6
    return RecordingStep(position=position, **fields), Space(sectors, length if stops else None)


def _triggered(rng, fields, held, most_sectors):
    chunk = rng.randint(held, 2 * held)
    words = rng.randint(0, 600)
    least = -(-words // SECTOR_WORDS) + CHUNKS * chunk
    part = rng.randint(least, least + 2 * held)
    parts = rng.randint(1, max(1, min(4, most_sectors // part)))
    sectors = min(most_sectors, parts * part + rng.choice((0, 0, rng.randint(0, held))))
    length = rng.randint(1, rng.choice((2000, 20_000)))
    triggers = sorted((rng.randrange(length), rng.choice((0, 0, rng.randint(1, 400))))
                      for _ in range(rng.randint(0, 6)))
    step = RecordingStep(words=words, part=part, chunk=chunk, triggers=tuple(triggers),
                         segments=rng.randint(0, parts + 1), extend=rng.random() < 0.5, **fields)
    return step, Space(sectors, length)
