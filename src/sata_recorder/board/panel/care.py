"""What takes several requests to a drive, one after the other: SMART, TRIM, standby."""

from ...pc.maintenance import NotOffered, ProcedureFailed


class Care:
    """A procedure of :mod:`...pc.maintenance` that is taken to its end, answer by answer.

    ``name`` is what was requested; ``finish(result)`` takes what the procedure returns and states it in one
    line. ``state``: "running", "done", "stopped", "failed" or "lost"; ``told`` is that line, or ``error``
    why it failed. Raises :class:`...pc.maintenance.NotOffered` if the drive does not offer it.
    """

    def __init__(self, name, procedure, finish):
        self.name = name
        self.state = "running"
        self.told = self.error = None
        self._procedure, self._finish = procedure, finish
        self._step = procedure.send(None)

    @property
    def running(self):
        """Whether there is more to come."""
        return self.state == "running"

    @property
    def share(self):
        """The part that is done, 0 to 1."""
        return self._step.share if self.running else 1.0

    def next_line(self):
        """The request that comes next."""
        return self._step.line

    def take(self, answer):
        """Takes the answer to it."""
        try:
            self._step = self._procedure.send(answer)
        except StopIteration as end:
            self.state, self.told = "done", self._finish(end.value)
        except (NotOffered, ProcedureFailed) as error:
            self.state, self.error = "failed", str(error)
