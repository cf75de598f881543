"""One measurement: a job, what came of it, and where its cycles went."""

from .measurement import Job, Measurement, execute

__all__ = ["Job", "Measurement", "execute"]
