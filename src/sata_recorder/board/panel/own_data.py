"""A file of the user's: recorded on a simulated drive by `sata-recorder measure`, played back and compared."""

import json
import subprocess
import sys
import tempfile
import threading

from .connection import RefusedRequest

_MAIN = "from sata_recorder.cli.main import main; main()"
_WORDS = {"record": "recorded at", "play": "played back at"}


class OwnData:
    """Runs one measurement at a time, in a process of its own. The console recorder makes its words in hardware, so
    a user's own data go through the core without it."""

    def __init__(self):
        self._process = None
        self._lock = threading.Lock()

    def measure(self, name, content, drive=None):
        """Records ``content``, the bytes of a file that is called ``name``, on a drive in memory with the timing of
        the profile ``drive``, None for one that answers at once; plays it back and compares each byte. Returns
        :func:`facts`. Raises :exc:`.connection.RefusedRequest` for what `measure` refuses, and while another file is
        measured."""
        if not self._lock.acquire(blocking=False):
            raise RefusedRequest(f"{name}: another file is being recorded")
        try:
            with tempfile.NamedTemporaryFile(prefix="sata-recorder-", suffix=".input") as file:
                file.write(content)
                file.flush()
                told, complaint = self._run(["--input", file.name, *(["--drive", drive] if drive else [])])
            if not told:
                words = complaint.strip().splitlines() or [f"{name}: it was ended"]
                raise RefusedRequest(words[-1].removeprefix("Error: ").replace(f"--input {file.name}", name))
            return facts(name, len(content), json.loads(told))
        finally:
            self._lock.release()

    def _run(self, options):
        """What `measure` prints on standard output and on standard error."""
        self._process = subprocess.Popen(
            [sys.executable, "-c", _MAIN, "measure", *options, "--json", "-"], text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with self._process:
            return self._process.communicate()

    def close(self):
        """Ends the measurement that runs, if any."""
        if self._process is not None:
            self._process.kill()


def facts(name, size, measured):
    """(good, pairs of a title and a text) of ``measured``, the JSON of a measurement of ``size`` bytes."""
    found = [("file", f"{name}, {size:,} bytes")]
    found += [(_WORDS[one["operation"]], f"{one['bytes_per_second'] / 1e6:,.2f} MB/s")
              for one in measured["transfers"] if one["seconds"]]
    found.append(("compared", "each byte came back" if measured["good"] else "; ".join(measured["problems"])))
    found += [("but", text) for text in measured["caveats"]]
    return measured["good"], found
