"""The health that a campaign gives its drives, and what a core that queries must report about it."""

from ...interface.health import HealthVerdict
from ...interface.temperature import HeatVerdict
from ...interface.trim import TrimState

#: The drive's specified maximum.
_LIMIT = 70
#: Drives with Power-Up In Standby: fields of the model's `PowerUp`.
POWER_UPS = {"keeps 738Ch": {"word": 0x738C}, "keeps 37C8h": {"word": 0x37C8},
             "incomplete": {"word": 0x37C8, "incomplete": True, "keeps": False},
             "refuses": {"word": 0x738C, "asleep": False, "answer": "abort"}}
#: What a drive may never answer, as the model's `Behaviour.mute` calls it.
SILENT = ("log", "smart", "trim")
#: Its temperatures; None: it does not report one.
DEGREES = (None, -10, 35, _LIMIT, _LIMIT + 1, 120)


def made_health(model, plan):
    """The health of the drive of ``plan``, of the drive model's package ``model``; None without one."""
    if not _has_smart(plan):
        return None
    if plan.celsius is None:
        return model.Health(temperatures=False)
    return model.Health(celsius=plan.celsius, celsius_limit=_LIMIT)


def _has_smart(plan):
    return plan.smart or plan.configuration.commands


def made_power_up(model, plan):
    """What the drive of ``plan`` does at power-up; None if it is nothing special."""
    return None if plan.power_up is None else model.PowerUp(**POWER_UPS[plan.power_up])


def check_health(plan, step, outputs):
    """Texts of what is wrong with what the core reports about the drive's health, and about TRIM, after a recording."""
    return [*_check_asked(plan, step, outputs), *_check_trim(plan, step, outputs)]


def _check_asked(plan, step, outputs):
    """What is wrong with the health that the core reports after a recording: the drive's is good, or unknown, and
    as hot as the plan has it."""
    if "drive_health" not in outputs or not step.operation.startswith("record") \
            or step.stop_after is not None or step.power_fail is not None or step.command:
        return []
    found = [HealthVerdict(outputs["drive_health"])]
    has = _has_smart(plan)
    wanted = [HealthVerdict.GOOD if has and plan.silent != "smart" else HealthVerdict.UNKNOWN]
    if "drive_heat" in outputs:
        told = plan.celsius if has and plan.lba48 and plan.silent != "log" else None
        found += [HeatVerdict(outputs["drive_heat"]), outputs["drive_temperature"]]
        wanted += [HeatVerdict.UNKNOWN if told is None else
                   HeatVerdict.TOO_HOT if told > _LIMIT else HeatVerdict.GOOD, (told or 0) & 0xFF]
    if _ended_early(plan, step, outputs) and found[0] in (HealthVerdict.UNKNOWN, wanted[0]) \
            and found[1:] in ([HeatVerdict.UNKNOWN, 0], wanted[1:]):
        return []
    return [] if found == wanted else [f"health: {found}, it is {wanted}"]


def _ended_early(plan, step, outputs):
    """Whether the last of the words that were requested, which stops as stop does, may have come before
    the first write command: the buffer holds them all."""
    recording = step.recording
    return (recording is not None and outputs["words"] <= plan.configuration.buffered_words
            and (recording.mode == "TRIGGERED" or recording.mode == "FIXED" and recording.words > 0))


def _check_trim(plan, step, outputs):
    """What is wrong with TRIM ahead of a ring: it runs if it was requested and the drive has it."""
    if "trim_state" not in outputs or not step.operation.startswith("record") or step.command \
            or outputs["error"]:
        return []
    found = TrimState(outputs["trim_state"])
    trims = step.recording and step.recording.trimmed(step.sectors) >= 2 * plan.logical
    has = _has_smart(plan)
    wanted = TrimState.OFF if not trims else TrimState.NOT_OFFERED if not has else \
        TrimState.GIVEN_UP if plan.silent == "trim" else TrimState.ON
    if found is TrimState.ON and wanted is TrimState.GIVEN_UP and not outputs["words"]:
        return []       # stopped before the first TRIM
    return [] if found is wanted else [f"trim: {found.name}, it is {wanted.name}"]
