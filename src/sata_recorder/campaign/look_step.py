"""A look at a recording while it runs, as a part of a plan; random ones."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["LookStep", "random_looks"]

#: Bits of the inputs for the count and for the room.
_COUNT_BITS, _ROOM_BITS = 7, 16
_Clocks = Annotated[int, Field(ge=0, le=100_000)]


class LookStep(BaseModel):
    """A look that is asked for ``clocks`` behind ``words`` accepted words: at ``count`` sectors, the first of
    them ``offset`` behind the ``origin`` sector that the core shows then; it begins with so much ``room``
    in the buffer. It is withdrawn so many clocks later, ``withdrawn`` None: it is not."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    words: int = Field(0, ge=0, le=1_000_000)
    clocks: int = Field(0, ge=0, le=1000)
    origin: Literal["newest", "oldest"] = "newest"
    offset: int = Field(0, ge=-1000, le=1000)
    count: int = Field(1, ge=0, lt=1 << _COUNT_BITS)
    room: int = Field(0, ge=0, lt=1 << _ROOM_BITS)
    withdrawn: _Clocks | None = None

    def sector(self, newest, oldest):
        """Its first sector where those are the core's."""
        return max(0, (newest if self.origin == "newest" else oldest) + self.offset)


def random_looks(rng, core, logical, words):
    """Up to six looks in a recording of about ``words`` words by a ``core`` with them, on a drive whose logical
    sectors are ``logical`` ones."""
    return tuple(sorted((_random_look(rng, core, logical, words) for _ in range(rng.choice((1, 1, 1, 2, 3, 6)))),
                        key=lambda look: (look.words, look.clocks)))


def _random_look(rng, core, logical, words):
    origin = rng.choice(("newest", "oldest"))
    count = rng.choice((1, 1, rng.randint(1, 3), rng.randint(1, core.look_sectors), core.look_sectors))
    if rng.random() < 0.05:
        count = rng.choice((0, core.look_sectors + 1, (1 << _COUNT_BITS) - 1))
    elif logical > 1 and rng.random() < 0.9:
        count = max(logical, count - count % logical)
    # The latest ones, those that the ring goes over next, and some that are not there.
    near = rng.choice((0, 0, 0, rng.randint(0, 3), rng.randint(0, 3), rng.randint(0, 40), rng.randint(-count, 0)))
    offset = -(count + near) if origin == "newest" else near
    if logical > 1 and rng.random() < 0.9:
        offset -= offset % logical
    room = 0 if rng.random() < 0.7 else rng.choice((
        rng.randint(1, core.buffer_words), core.buffer_words // 2, core.buffer_words + 1))
    # Seldom so early that there is nothing to look at, or so late that there is no time.
    first, last = (0, words) if rng.random() < 0.2 else (words // 4, words * 7 // 8)
    return LookStep(words=rng.randint(first, last), clocks=rng.choice((0, 0, rng.randint(1, 400))), origin=origin,
                    offset=offset, count=count, room=room,
                    withdrawn=rng.randint(0, 2000) if rng.random() < 0.1 else None)
