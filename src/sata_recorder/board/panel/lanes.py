"""The lanes of an array: what the board reports about each, and how to request it."""

from dataclasses import dataclass, replace

from ...facts.units import WORD_BYTES
from ...pc.console.sound import ACCOUNTS


@dataclass(frozen=True)
class Lane:
    """What the board has reported about a lane: ``number``, ``of`` how many; whether its link is up and its drive
    ready; which ``member`` of the array its drive is, as ``interface.array.MemberState`` names it; whether it has
    ``failed``, and as the ``first`` one; the clocks of each account of the latest operation, None until they are
    known."""

    number: int
    of: int
    up: bool
    ready: bool
    member: str
    failed: bool
    first: bool
    accounts: tuple | None = None

    @property
    def bytes(self):
        """Bytes that the drive has moved in the latest operation; None until they are known."""
        return None if self.accounts is None else WORD_BYTES * self.accounts[ACCOUNTS.index("payload")]


def with_lane(lanes, fields):
    """``lanes``, a tuple of :class:`Lane`, with what the answer to `lane` states; that lane keeps its ledger."""
    number = fields["lane"]
    kept = {one.number: one for one in lanes if one.of == fields["lanes"]}
    kept[number] = Lane(number, fields["lanes"], fields["link"] == "up", fields["ready"], fields["member"],
                        fields["failed"], fields["failed_first"], kept[number].accounts if number in kept else None)
    return tuple(kept[one] for one in sorted(kept))


def with_ledger(lanes, number, fields):
    """``lanes`` with the ledger that the answer to `counters` states for lane ``number``."""
    accounts = tuple(fields[name] for name in ACCOUNTS)
    return tuple(replace(one, accounts=accounts) if one.number == number else one for one in lanes)


def round_of(lanes):
    """The requests for state and ledger of each lane; after them the board shows the first lane again."""
    count = lanes[0].of
    return [line for number in range(count) for line in ("lane next" if number else "lane first", "counters")] + \
        ["lane first"]
