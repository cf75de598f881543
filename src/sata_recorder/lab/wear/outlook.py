"""The answer: a life of the drive, its band, and what can be read after a rest."""

from dataclasses import dataclass, field
from typing import Any

from sata_drive_model.flash import Life, first_fill, missing_for_rest, outlooks

from .request import WearRequest
from .smart import reported

#: By what limits the rate that a drive takes: the kind of parameter that states it.
LIMITS = {"flash": "physical", "bus": "physical", "cap": "cap"}


@dataclass(frozen=True)
class Band:
    """The end with ``parameter`` at either of the ``ends`` of its range: pairs."""

    parameter: str
    ends: tuple[float, float]
    seconds: tuple[float, float]
    host_bytes: tuple[float, float]
    cycles: tuple[float, float]
    amplification: tuple[float, float]


@dataclass(frozen=True)
class Wear:
    """The life that was asked for: its ``samples``, oldest first; ``read_only``, whether it ended so; ``limit``, what
    limits the rate that the drive takes, None: not known; ``factor``, how much larger the drive is than the simulated
    part; ``band``; ``rest``, a row for each pair of laws, and ``rest_unknown``, what is missing for it; ``fill``, the
    rates of one fill when new, as fast as possible."""

    request: WearRequest
    samples: list
    read_only: bool
    limit: str | None
    factor: float
    band: list = field(default_factory=list)
    rest: list = field(default_factory=list)
    rest_unknown: list = field(default_factory=list)
    fill: list = field(default_factory=list)

    @property
    def last(self) -> Any:
        """The latest sample."""
        return self.samples[-1]

    @property
    def too_slow(self) -> bool:
        """Whether the drive cannot be written at the rate asked for."""
        return any(one.rate < 0.995 * self.request.rate for one in self.samples)

    @property
    def takes_rate(self) -> bool | None:
        """Whether the drive can be written at the rate asked for; None: its controller was never measured."""
        return False if self.too_slow else True if self.request.drive.cap.is_known else None

    def as_data(self) -> dict[str, Any]:
        """Everything as plain data."""
        request, drive = self.request, self.request.drive
        return {
            "drive": drive.name, "pattern": request.pattern, "rate": request.rate,
            "until": {"cycles": request.cycles, "seconds": request.seconds,
                      "read_only": request.cycles is None and request.seconds is None},
            "read_only": self.read_only, "takes_rate": self.takes_rate, "limit": self.limit,
            "simulated_share": 1 / self.factor,
            "samples": [one._asdict() | {"smart": [row.as_data() for row in reported(drive, one)]}
                        for one in self.samples],
            "fill": [one._asdict() for one in self.fill],
            "band": [vars(one) for one in self.band],
            "rest": None if request.rest_seconds is None else {
                "seconds": request.rest_seconds, "celsius": request.celsius, "unknown": self.rest_unknown,
                "laws": self.rest},
            "parameters": [{"name": name, "value": value, "kind": kind, "origin": drive.origin(name)}
                           for name, kind, value in drive.parameters()],
            "controller_known": drive.cap.is_known, "unknown": dict(drive.unknown)}


def wear(request: WearRequest) -> Wear:
    """The life that ``request`` asks for."""
    life = _lived(request, request.drive)
    band = _band(request, life.samples[-1])
    rest: list = []
    missing = missing_for_rest(request.drive.physical) if request.rest_seconds is not None else []
    if request.rest_seconds is not None and not missing:
        rest = _rest(request, life.samples[-1].mean)
    return Wear(request, life.samples, life.read_only, life.limit, life.slice.factor, band, rest, missing,
                first_fill(request.drive))


def _lived(request, drive):
    life = Life(drive, request.pattern, request.rate)
    life.until(cycles=request.cycles, seconds=request.seconds)
    return life


def _band(request, nominal):
    """A :class:`Band` for each parameter with a range on which the life depends."""
    drive, found = request.drive, {}
    values = {name: value for name, _, value in drive.parameters()}
    for name, end, other in drive.varied():
        if not name.startswith("physical.errors"):
            last = nominal if end == values[name] else _lived(request, other).samples[-1]
            found.setdefault(name, []).append(last)
    return [Band(name, drive.ranges[name], *(
        (least, most) for least, most in zip(*((one.seconds, one.host_bytes, one.mean, one.amplification)
                                               for one in ends)))) for name, ends in found.items()]


def _rest(request, cycles):
    """A row for each pair of laws, with the least and the most over the ranges of their parameters."""
    varied = request.drive.varied()
    drives = [request.drive, *(drive for name, _, drive in varied if name.startswith("physical.errors"))]
    rows = []
    for found in zip(*(outlooks(drive.physical, cycles, request.rest_seconds, request.celsius) for drive in drives)):
        rates, lost = [one.bit_error_rate for one in found], [one.unreadable for one in found]
        rows.append({"wear_law": found[0].wear_law, "rest_law": found[0].rest_law,
                     "bit_error_rate": rates[0], "bit_error_rates": [min(rates), max(rates)],
                     "unreadable": lost[0], "unreadable_range": [min(lost), max(lost)]})
    return rows
