"""A COMMAND as a step of a plan: one ATA command of each kind of data; random ones."""

from dataclasses import dataclass

from ...core.drive_port import Error

_LBA_BIT = 0x40


@dataclass(frozen=True)
class AtaCommand:
    """A command by its codes: with 48-bit addresses ``code``, with 28-bit ones ``short``.

    ``operation`` states where its data go; they move by ``pio`` or by DMA, in ``blocks`` if they
    are not as many as there are sectors; ``features`` and ``lba`` are its registers, if these are
    not the extent's. ``flushes``: the drive writes its cache. ``silence`` is the drive model's name for it
    if a drive may never answer it.
    """

    operation: str
    code: int
    short: int
    pio: bool = False
    blocks: int | None = None
    features: int = 0
    lba: int | None = None
    flushes: bool = False
    silence: str | None = None

    def codes(self):
        """Its command codes."""
        return self.code, self.short

    def controls(self, step, lba48):
        """The inputs ``task_`` of the core."""
        lba = step.lba if self.lba is None else self.lba
        device = _LBA_BIT if lba48 or self.lba is not None else _LBA_BIT | lba >> 24
        return {"task_operation": 1, "task_pio": self.pio, "task_features": self.features,
                "task_command": self.code if lba48 else self.short,
                "task_count": 0 if self.blocks else step.sectors, "task_device": device}

    @property
    def is_extent(self):
        """Whether its data are those of the sectors of the extent."""
        return self.blocks is None and self.operation != "flush"


#: Commands with all kinds of data, and some without data that the drive answers differently.
COMMANDS = {
    "READ SECTORS": AtaCommand("play", 0x24, 0x20, pio=True),
    "READ DMA": AtaCommand("play", 0x25, 0xC8),
    "IDENTIFY DEVICE": AtaCommand("play", 0xEC, 0xEC, pio=True, blocks=1),
    "WRITE SECTORS": AtaCommand("record", 0x34, 0x30, pio=True),
    "WRITE DMA": AtaCommand("record", 0x35, 0xCA),
    "READ VERIFY SECTORS": AtaCommand("flush", 0x42, 0x40),
    "CHECK POWER MODE": AtaCommand("flush", 0xE5, 0xE5),
    "FLUSH CACHE": AtaCommand("flush", 0xEA, 0xE7, flushes=True),
    "SMART RETURN STATUS": AtaCommand("flush", 0xB0, 0xB0, features=0xDA, lba=0xC24F00, silence="smart"),
}


def random_command(rng, most):
    """(name of a command, its operation, sectors of at most ``most``, or rarely one more)."""
    name = rng.choice([*COMMANDS])
    operation, sectors = COMMANDS[name].operation, rng.randint(1, most)
    if operation == "record" and rng.random() < 0.3:
        operation = "record_flush"
    if COMMANDS[name].is_extent and rng.random() < 0.05:
        sectors = most + 1
    return name, operation, COMMANDS[name].blocks or sectors


def issue(engine, step, lba48):
    """Sets the task file of a core for ``step``; returns the LBA of the operation."""
    engine.set(task_operation=0)
    if not step.command:
        return step.lba
    command = COMMANDS[step.command]
    engine.set(**command.controls(step, lba48))
    return step.lba if command.lba is None else command.lba


def check_command(step, outputs, ended, before, struck, stopped, longest, unanswered):
    """Texts of what is wrong with a COMMAND: it must be issued once, nothing of it passed over, and it
    must be refused if it is too long. ``ended`` are the commands that the drive has ended, those
    ``before`` it among them. ``struck``: its faults, and earlier ones from which the drive may still
    suffer. ``stopped``: power was about to fail before its end. ``unanswered``: the drive never answers it."""
    if not step.command:
        return []
    problems, command = [], COMMANDS[step.command]
    issued = sum(one.command in command.codes() and not any(one is other for other in before)
                 for one in ended)
    # Bring-up has IDENTIFY DEVICE of its own.
    if issued > 1 and step.command != "IDENTIFY DEVICE":
        problems.append(f"command: {step.command} was issued {issued} times")
    # The FLUSH CACHE after it may be tried again; one whose link fell before it was issued counts as
    # tried, too.
    again = outputs["retries"] > 1 and step.operation != "record_flush"
    if again or outputs["skipped_sectors"]:
        problems.append(f"command: {outputs['retries']} retries, {outputs['skipped_sectors']} sectors "
                        "passed over")
    too_long = step.operation != "flush" and step.sectors > longest
    if too_long and (issued or outputs["error"] not in (Error.OUT_OF_RANGE, Error.NOT_READY)):
        problems.append(f"command: {step.sectors} sectors are more than {longest}, and it ended with "
                        f"{Error(outputs['error']).name}")
    # Data by PIO end without a status: the drive may not have seen their R_OK yet.
    known = issued or command.operation == "play" and command.pio
    if unanswered:
        if not struck and not stopped and outputs["error"] != Error.TIMEOUT:
            problems.append(f"command: {step.command} has no answer, and ended with {Error(outputs['error']).name}")
    elif not struck and not too_long and (not known or outputs["error"]):
        problems.append(f"command: no fault, and {step.command} ended with "
                        f"{Error(outputs['error']).name}, issued {issued} times")
    return problems
