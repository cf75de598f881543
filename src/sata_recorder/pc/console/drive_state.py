"""What the console's ``status`` means for a drive that is not ready, in words for the user."""

from typing import Any

__all__ = ["waits_for"]

#: The last error of a core whose drive was silent for too long.
_SILENT = "timeout"


def waits_for(fields: dict[str, Any]) -> str:
    """What is missing until the drive can be used; empty if it is ready.

    Serial ATA has the link come up with the drive's interface; the signature comes once the drive has spun up, which
    takes up to 31 s.
    """
    if fields["ready"]:
        return ""
    if fields["link"] != "up":
        return "no drive answers on the link: `phy` shows how far it comes"
    if fields["last_error"] == _SILENT:
        return ("the drive acknowledges on the link, and was silent for too long: it spins up again, or lacks a supply "
                "(a 3.5-inch disk needs 12 V besides 5 V)")
    if fields["last_error"] == "none":
        return "the drive acknowledges on the link: one that spins up takes up to 31 s"
    return "`last error` is why the drive cannot be used, or it is being brought up"
