"""Looking after a drive: ATA commands by name, SMART data decoded, and what follows from them."""

from .alignment import Alignment, logical_blocks
from .diagnosis import Diagnosis, WriteTrouble, diagnose, drive_error_words, needs_diagnosis
from .health import DriveVerdict, Health, health_of, health_words
from .known_drives import KnownDrive, drive_family, known_drive, simulated_drive
from .procedures import (SANITIZE_WAYS, NotOffered, ProcedureFailed, RequestStep, enter_standby, has_trim,
                         identify_words, read_smart, sanitize_drive, trim_range)
from .reading import SmartReading, compared_attributes, compared_health
from .security import LOCKED, Security
from .smart import Attribute, BadPage, attributes
from .smartctl import DriveHealth, NoHealth, drive_health
from .tasks import ERASES, TASKS, BadTask, Task, erases, parsed, task, trim_extents

__all__ = ["ERASES", "SANITIZE_WAYS", "TASKS", "Alignment", "Attribute", "BadPage", "BadTask", "Diagnosis",
           "DriveHealth", "DriveVerdict", "Health", "KnownDrive", "LOCKED", "NoHealth", "NotOffered",
           "ProcedureFailed", "RequestStep", "Security", "SmartReading", "Task", "WriteTrouble", "attributes",
           "compared_attributes", "compared_health", "diagnose", "drive_error_words", "drive_family", "drive_health",
           "needs_diagnosis", "enter_standby", "erases", "has_trim", "health_of", "health_words", "identify_words",
           "known_drive", "logical_blocks", "parsed", "read_smart", "sanitize_drive", "simulated_drive", "task",
           "trim_extents", "trim_range"]
