"""Which violations by the core are the consequence of a fault, and which are its own."""

from sata_drive_model import Rule
from sata_drive_model.faults import level

#: What a host never does, whatever it receives.
_NEVER = frozenset({
    Rule.ALIGN_PAIR, Rule.ALIGN_DISTANCE, Rule.CONT_EARLY, Rule.CONT_PRIMITIVE,
    Rule.CONTROL_CHARACTER, Rule.UNKNOWN_PRIMITIVE, Rule.POWER_REQUEST, Rule.FRAME_LENGTH, Rule.CRC,
    Rule.COMMAND_BIT, Rule.LBA_BIT, Rule.ACCEPTED_FAULT})
#: Kinds after which the two sides may differ on where they are.
_CONFUSING = ("unsolicited", "repeated", "status", "escape", "escaped", "missing", "storm", "dead",
              "dmat")


def own_violations(violations, struck):
    """Those of ``violations`` that no fault of ``struck`` (pairs of clock and fault) explains."""
    never = _first(struck, lambda fault: level(fault.kind) == "line" and fault.direction == "out")
    other = _first(struck, lambda fault: level(fault.kind) == "line" or fault.kind in _CONFUSING)
    return [found for found in violations
            if found.clock < (never if found.rule in _NEVER else other)]


def _first(struck, explains):
    return min((clock for clock, fault in struck if explains(fault)), default=1 << 62)
