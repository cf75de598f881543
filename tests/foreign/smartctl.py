"""smartctl, which takes the data of a drive in the form of its own debug output."""

import subprocess

__all__ = ["told"]


def told(smartctl, pages, *options, failing=False):
    """Exit status and text of ``smartctl OPTIONS -`` for ``pages``, by the name that smartctl gives
    to the command; ``failing``: what SMART RETURN STATUS said."""
    text = "".join(_block(name, page) for name, page in pages.items())
    text += ("REPORT-IOCTL: Device=/dev/sda Command=SMART STATUS CHECK\n"
             f"REPORT-IOCTL: Device=/dev/sda Command=SMART STATUS CHECK returned {int(failing)}\n")
    reply = subprocess.run([smartctl, *options, "-"], input=text, capture_output=True, text=True)
    assert reply.stderr == "" and not reply.returncode & 0b111, reply
    return reply.returncode, reply.stdout


def _block(name, page):
    rows = "\n".join(f"{n:3}-{n + 15:3}: " + " ".join(f"{byte:02x}" for byte in page[n:n + 16])
                     + f" |{'.' * 16}|" for n in range(0, 512, 16))
    return f"""REPORT-IOCTL: Device=/dev/sda Command={name}
REPORT-IOCTL: Device=/dev/sda Command={name} returned 0

===== [{name}] DATA START (BASE-16) =====
{rows}
===== [{name}] DATA END (512 Bytes) =====

"""
