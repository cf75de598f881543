"""Looking after a drive: ATA commands by name, SMART data taken apart, and what follows from them."""

from .alignment import Alignment
from .health import Health, DriveVerdict, health_of
from .smart import Attribute, BadPage, attributes
from .tasks import ERASES, TASKS, BadTask, Task, erases, parsed, task, trim_extents

__all__ = ["ERASES", "TASKS", "Alignment", "Attribute", "BadPage", "BadTask", "DriveVerdict",
           "Health", "Task", "attributes", "erases", "health_of", "parsed", "task", "trim_extents"]
