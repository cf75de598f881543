"""Looking after a drive: ATA commands by name, SMART data taken apart, and what follows from them."""

from .health import Health, DriveVerdict, health_of
from .smart import Attribute, BadPage, attributes
from .tasks import TASKS, BadTask, Task, parsed, task, trim_extents

__all__ = ["TASKS", "Attribute", "BadPage", "BadTask", "Health", "Task", "DriveVerdict", "attributes",
           "health_of", "parsed", "task", "trim_extents"]
