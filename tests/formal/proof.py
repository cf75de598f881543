"""A row of the catalog: a proof, and the faults that it must find."""

from dataclasses import dataclass, field

__all__ = ["Change", "Proof"]


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
    each question. With a ``bound`` the checks are not proved but examined, in the first clocks of all traces.
    """

    name: str
    build: str
    faults: tuple
    frames: int = 20
    depth: int = 20
    seconds: int = 600
    bound: int = 0
    keywords: dict = field(default_factory=dict)
    abstractions: tuple = ()
