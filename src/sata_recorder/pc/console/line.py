"""What the PHY reports about the line, in words for the user who brings a board up."""

from collections.abc import Iterator
from typing import Any

__all__ = ["BIST", "FALLS", "REACHED", "rows", "verdict"]

#: What the PHY waits for, or has, in its furthest state.
REACHED = {
    "HR_Reset": "COMRESET goes out",
    "HR_AwaitCOMINIT": "no COMINIT of a drive was heard",
    "HR_AwaitNoCOMINIT": "COMINIT was heard, and does not end",
    "HR_COMWAKE": "COMINIT was heard, COMWAKE goes out",
    "HR_AwaitCOMWAKE": "COMINIT was heard, but no COMWAKE of the drive",
    "HR_AwaitNoCOMWAKE": "COMWAKE of the drive was heard, and does not end",
    "HR_AwaitAlign": "COMWAKE of the drive was heard, but no ALIGN was received",
    "HR_SendAlign": "ALIGN was received, and nothing after it",
    "HR_SendSync": "ALIGN was received, and nothing after it",
    "HR_Ready": "there is a link",
}
#: Why the latest try or link ended.
FALLS = {
    "none": "none has ended",
    "reset": "COMRESET was requested",
    "rate": "the SERDES lost its line rate, or changes it",
    "no-comwake": "the drive did not answer COMWAKE",
    "no-align": "no ALIGN could be received",
    "no-dwords": "nothing followed ALIGN",
    "signal": "the signal ended, and no good dword came",
    "cominit": "the drive started over",
    "align-loss": "no ALIGN came any more",
    "bist": "the loop-back test began",
}
#: What the loop-back test has found.
BIST = {
    "none": "has not run",
    "running": "runs",
    "passed": "all of the pattern came back",
    "failed": "dwords were wrong or missing",
    "no-pattern": "nothing of the pattern came back",
}


def _times(shortest, longest, clock_hz):
    """The shortest and the longest, in ns."""
    if shortest is None:
        return "-", ""
    ns = [round(1e9 * clocks / clock_hz) for clocks in (shortest, longest)]
    return f"{ns[0]} to {ns[1]}", "ns"


def rows(fields: dict[str, Any], clock_hz: float) -> Iterator[tuple[str, str, str]]:
    """Name, value and meaning of each line of the table."""
    yield "state", fields["state"], ""
    yield "furthest", fields["reached"], verdict(fields)
    yield "last fall", fields["last_fall"], FALLS.get(fields["last_fall"], "")
    yield ("transmitter", f"Gen{fields['line_rate']}" if fields["line_rate"] else "not ready", "")
    yield "receiver", "locked" if fields["locked"] else "not locked", \
        f"{fields['lock_losses']} locks lost"
    yield "signal", "yes" if fields["signal"] else "no", \
        f"{fields['signal_losses']} times lost while data was expected"
    yield "pairs", "", f"from the drive {fields['rx_pair']}, to the drive {fields['tx_pair']}"
    yield "COMRESETs", f"{fields['comresets']}", \
        f"{fields['cominits']} COMINITs answered, {fields['links']} links"
    yield "OOB bursts", *_times(fields["shortest_burst"], fields["longest_burst"], clock_hz)
    yield "OOB gaps", *_times(fields["shortest_gap"], fields["longest_gap"], clock_hz)
    yield "training", f"{1e6 * fields['training_clocks'] / clock_hz:.1f}", \
        "us from COMWAKE to the link, or to the end of the try"
    yield "errors", f"{fields['code_errors']}", \
        f"of the code, {fields['disparity_errors']} of the disparity, in links"
    yield "recently", f"{fields['recent_errors']}", f"errors in {fields['recent_dwords']:,} dwords"
    yield "loop-back", fields["bist"], BIST.get(fields["bist"], "") + (
        f", {fields['bist_errors']} errors" if fields["bist_errors"] else "")


def verdict(fields: dict[str, Any]) -> str:
    """What the furthest state means."""
    return REACHED.get(fields["reached"], "")
