"""A readback of a recording while it runs, as a part of a plan; random ones."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field
from sata_drive_model.faults import Fault

from ...facts.units import SECTOR_WORDS
from .fault_generator import random_fault

#: Bits of the inputs for the count and for the room.
_COUNT_BITS, _ROOM_BITS = 7, 16
#: Kinds of faults that no readback meets: a drive that is changed twice may pass for one that was never away.
_ELSEWHERE = ("blackout", "exchange", "altered")
_Clocks = Annotated[int, Field(ge=0, le=100_000)]


class LookStep(BaseModel):
    """A readback that is requested ``clocks`` after ``words`` accepted words: of ``count`` sectors, the first
    of them ``offset`` after the ``origin`` sector that the core shows then; it begins with so much
    ``room`` in the buffer. It is ``withdrawn`` this many clocks later, None: it is not. ``faults``
    are armed when it is requested."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    words: int = Field(0, ge=0, le=1_000_000)
    clocks: int = Field(0, ge=0, le=1000)
    origin: Literal["newest", "oldest"] = "newest"
    offset: int = Field(0, ge=-1000, le=1000)
    count: int = Field(1, ge=0, lt=1 << _COUNT_BITS)
    room: int = Field(0, ge=0, lt=1 << _ROOM_BITS)
    withdrawn: _Clocks | None = None
    faults: tuple[Fault, ...] = ()

    def sector(self, newest, oldest):
        """Its first sector if the core shows ``newest`` and ``oldest``."""
        return max(0, (newest if self.origin == "newest" else oldest) + self.offset)


def random_looks(rng, core, logical, words, extent, kinds):
    """Up to six readbacks in a recording of about ``words`` words in the LBAs ``extent``, by a ``core`` that has
    readbacks, on a drive whose logical sectors have ``logical`` sectors; some meet a fault of ``kinds``."""
    kinds = [kind for kind in kinds if kind not in _ELSEWHERE]
    looks = [_random_look(rng, core, logical, words, extent, kinds)
             for _ in range(rng.choice((1, 1, 1, 2, 3, 6)))]
    return tuple(sorted(looks, key=lambda look: (look.words, look.clocks)))


def _random_look(rng, core, logical, words, extent, kinds):
    origin = rng.choice(("newest", "oldest"))
    count = rng.choice((1, 1, rng.randint(1, 3), rng.randint(1, core.look_sectors), core.look_sectors))
    if rng.random() < 0.9:
        count = min(count, max(1, words // (4 * SECTOR_WORDS)))     # this many will be there
    if rng.random() < 0.05:
        count = rng.choice((0, core.look_sectors + 1, (1 << _COUNT_BITS) - 1))
    elif logical > 1 and rng.random() < 0.9:
        count = max(logical, count - count % logical)
    # The latest ones, those that the ring goes over next, and some that are not there.
    near = rng.choice((0, 0, 0, rng.randint(0, 3), rng.randint(0, 3), rng.randint(0, 40),
                       rng.randint(-count, 0)))
    offset = -(count + near) if origin == "newest" else near
    if logical > 1 and rng.random() < 0.9:
        offset -= offset % logical
    room = 0 if rng.random() < 0.7 else rng.choice((
        rng.randint(1, core.buffer_words), core.buffer_words // 2, core.buffer_words + 1))
    # Seldom so early that there is nothing to read, or so late that there is no time.
    first, last = (0, words) if rng.random() < 0.2 else (words // 2, words * 7 // 8)
    faults = ()
    if kinds and rng.random() < 0.3:
        fault = random_fault(rng, rng.choice(kinds), "play", 0, count or 1)
        faults = (fault.model_copy(update={"lba": rng.choice(extent)}) if fault.kind == "media" else fault,)
    return LookStep(words=rng.randint(first, last), clocks=rng.choice((0, 0, rng.randint(1, 400))),
                    origin=origin, offset=offset, count=count, room=room, faults=faults,
                    withdrawn=rng.randint(0, 2000) if rng.random() < 0.1 else None)
