"""A random fault of a kind, at a place where an operation is likely to meet it."""

from sata_drive_model.faults import IDENTITIES, KINDS, Fault

_SYMBOLS = ("any", "any", "data", "data", "ALIGN", "CONT", "EOF", "HOLD", "HOLDA", "R_ERR", "R_IP",
            "R_OK", "R_RDY", "SOF", "SYNC", "WTRM", "X_RDY")
_PRIMITIVES = ("ALIGN", "CONT", "DMAT", "EOF", "HOLD", "HOLDA", "PMACK", "PMNAK", "PMREQ_P",
               "PMREQ_S", "R_ERR", "R_IP", "R_OK", "R_RDY", "SOF", "SYNC", "WTRM", "X_RDY")
_STATUS = ((0x00, 0), (0x7F, 0), (0xFF, 0), (0x51, 0x04), (0x51, 0x10), (0x51, 0x40), (0x51, 0x84),
           (0x71, 0x04), (0x70, 0), (0x10, 0), (0x58, 0), (0xD0, 0), (0x59, 0x10))
_UNKNOWN = (0x00, 0x01, 0x28, 0x35, 0x77, 0xC5, 0xFF)
#: The length of the logical sectors is altered in plans that have drives with long ones.
_IDENTITIES = tuple(name for name in IDENTITIES if name != "sector")
_UNASKED = ("register d2h", "set device bits", "dma activate", "dma setup", "pio setup", "data",
            "bist activate")


def _fis(rng, kind, operation):
    """A FIS that occurs in such an operation."""
    host = ["register h2d", "any"]
    drive = ["register d2h", "register d2h", "any"]
    if operation.startswith("record"):
        host += ["data", "data"]
        drive += ["dma activate", "dma activate"]
    elif operation == "play":
        drive += ["data", "data", "data"]
    return rng.choice(host if kind in ("refused", "escaped", "held", "dmat", "unanswered")
                      else drive)


def random_fault(rng, kind, operation, lba, sectors):
    """A `Fault` of ``kind`` for an ``operation`` on ``sectors`` from ``lba`` on."""
    span = 400 if operation == "flush" else 300 + 160 * sectors
    status, error = rng.choice(_STATUS)
    few = rng.choice((1, 1, 2, 3, 8))
    choices = {
        "direction": lambda: rng.choice(("in", "in", "out")),
        "symbol": lambda: rng.choice(_SYMBOLS),
        "nth": lambda: rng.choice((0, 0, 0, 1, 2, rng.randint(0, 20))),
        "count": lambda: few if KINDS[kind].level != "line" else rng.choice(
            (1, 1, 1, 2, rng.randint(1, 40), rng.randint(1, 3000))),
        "primitive": lambda: rng.choice(_PRIMITIVES),
        "fis": lambda: rng.choice(_UNASKED) if kind == "unsolicited" else _fis(rng, kind,
                                                                              operation),
        "dword": lambda: rng.choice((1, 2, rng.randint(1, 8), rng.randint(1, 2050))),
        "error": lambda: error,
        "lba": lambda: lba + rng.randrange(sectors),
        "clocks": lambda: rng.choice((1, 2, rng.randint(1, 60), rng.randint(1, 5000),
                                      rng.randint(1, 30_000))),
        "power_lost": lambda: rng.random() < 0.6,
        "identity": lambda: rng.choice(_IDENTITIES),
    }
    values = {name: choices[name]() for name in KINDS[kind].fields if name in choices}
    if kind == "doubled":   # the line is late until as many ALIGN have passed
        values["count"] = rng.choice((1, 1, 2, 8))
    elif kind == "bits":
        values["value"] = rng.choice((1 << rng.randrange(33), rng.getrandbits(32) or 1))
        values["code_error"] = values["direction"] == "in" and rng.random() < 0.5
    elif kind == "data":
        values["value"] = rng.choice((0, rng.getrandbits(32)))
    elif kind == "wrong_type":
        values["value"] = rng.choice(_UNKNOWN)
    elif kind == "storm":
        values["value"] = rng.choice((0x50, 0xD0))
    elif kind == "unsolicited":
        values["value"] = rng.choice((0x50, 0x50, status))
    elif kind in ("status", "abort", "media"):
        values["value"], values["error"] = status, error
        if kind != "status":    # a drive that has found an error reports it
            values["value"] |= 0x41 if not status & 0x20 else 0x40
            values["value"] &= ~0x88
    elif kind == "delay":
        values["clocks"] = rng.choice((rng.randint(1, 5000), rng.randint(1, 30_000)))
    late = KINDS[kind].level in ("line", "link") or rng.random() < 0.4
    return Fault(kind=kind, clock=rng.randrange(span) if late else 0, **values)
