"""Which violations by the core are the consequence of a fault, and which are its own."""

from sata_drive_model.faults import level

__all__ = ["own_violations"]

#: What a host never does, whatever it receives.
_NEVER = ("ALIGN not in pairs", "more than", "CONT after", "control character", "unknown primitive",
          "power request from the host", "frame of", "bad CRC", "Register H2D FIS without",
          "data command without", "R_OK for a FIS with a fault")
#: Kinds after which the two sides may differ on where they are.
_CONFUSING = ("unsolicited", "repeated", "status", "escape", "escaped", "missing", "dead", "dmat")


def own_violations(violations, struck):
    """Those of ``violations`` (pairs of clock and text) that no fault of ``struck`` (pairs of clock
    and fault) explains."""
    never = _first(struck, lambda fault: level(fault.kind) == "line" and fault.direction == "out")
    other = _first(struck, lambda fault: level(fault.kind) == "line" or fault.kind in _CONFUSING)
    return [(clock, what) for clock, what in violations
            if clock < (never if what.startswith(_NEVER) else other)]


def _first(struck, explains):
    return min((clock for clock, fault in struck if explains(fault)), default=1 << 62)
