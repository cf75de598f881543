"""What a stage is: a layer above the core, which has an interface to what is below it and one to its user."""

from dataclasses import dataclass, field

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from ..interface import Face

__all__ = ["Part", "Stage", "StageRow", "rest"]


@dataclass(frozen=True)
class StageRow:
    """What a stage does with the groups of the interfaces below and above it; a group that it does not name bypasses
    it.

    ``adds``: groups that only its user sees. ``takes``: groups that its user does not see. ``claims``: groups
    on both sides, of which the stage drives every member. Of all these it has those that the configuration
    has, and those that it ``needs``. ``excludes``: groups that must not be below it, and why. ``below``: fields of
    the configuration, with the values that they have for all that is below.
    """

    name: str
    adds: frozenset = frozenset()
    takes: frozenset = frozenset()
    claims: frozenset = frozenset()
    needs: frozenset = frozenset()
    excludes: dict = field(default_factory=dict)
    below: dict = field(default_factory=dict)


class Part:
    """The members ``names`` of the interface ``whole``, as an interface of their own for ``connect``."""

    def __init__(self, whole, *names):
        self._whole = whole
        self.signature = wiring.Signature({name: whole.signature.members[name] for name in names})

    def __getattr__(self, name):
        return getattr(self._whole, name)


def rest(whole, *owned):
    """The members of the interface ``whole`` except those that are ``owned``."""
    return Part(whole, *(name for name in whole.signature.members if name not in owned))


class Stage(wiring.Component):
    """A part of the stack; its ``row``, a :class:`StageRow`, states what it does with groups.

    Parameters
    ----------
    configuration : Configuration
    beside : collection     Groups that are there below it, though no configuration has them: that of a PHY.

    Members
    -------
    user : In(Face)     What it adds and claims.
    core : Out(Face)    What it takes and claims.

    ``watched``: by name, the signals besides these members that a simulation sees.
    """

    watched: dict = {}

    def __init__(self, configuration, beside=()):
        self.configuration = configuration
        self._beside = beside
        row = self.row
        self.above = self._those(row.adds | row.claims)
        self.below = self._those(row.takes | row.claims)
        super().__init__({"user": In(Face(*self.above)), "core": Out(Face(*self.below))})

    @classmethod
    def exists(cls, configuration):
        """Whether ``configuration`` has the stage: it does if it has a group that the stage adds."""
        return any(group.exists(configuration) for group in cls.row.adds)

    def _those(self, groups):
        return sorted((group for group in groups
                       if group in self.row.needs or group in self._beside or group.exists(self.configuration)),
                      key=lambda group: group.name)

    def hand_on(self, m, *groups, but=()):
        """Connects those of the claimed ``groups`` that are there straight through, except for their members ``but``,
        which the stage drives."""
        for group in groups:
            if group in self.below:
                above, below = Part(flipped(self.user), group.name), Part(flipped(self.core), group.name)
                if but:
                    above, below = (rest(getattr(side, group.name), *but) for side in (above, below))
                connect(m, above, below)
