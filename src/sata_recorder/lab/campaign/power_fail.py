"""Power that is about to fail in a step of a campaign: what must hold until the core reports that it may go."""

from ...core.drive_port import Error
from ...facts.units import SECTOR_WORDS
from ...interface.memory import MemoryFailure
from ...simulation import Stuck

#: Clocks between two polls of the core.
_LOOK = 100
#: Clocks for which power holds after a try of STANDBY IMMEDIATE that has failed.
_HOLDS = 20_000


def fail(session):
    """Makes power about to fail from the next clock on."""
    session.engine.set(power_fail=1)


def over(session, step, outputs, image, struck, stopped):
    """Waits until power may go, and makes it come back; returns texts of what is wrong.

    ``outputs`` are those at the end of the operation of ``step``; ``stopped``: power was about to fail
    before that; ``struck()`` the faults so far. Raises `Stuck`.
    """
    engine, problems = session.engine, []
    fail(session)           # after the operation, if not before
    begin = engine.state().cycle
    while not (engine.output("power_safe") or engine.output("power_failed")):
        engine.run(_LOOK)
        if engine.state().cycle - begin > session.limit:
            raise Stuck(f"power fails, and {session.limit} clocks later nothing shows whether it may: "
                        f"{session.outputs()}")
    problems += _holds(session)
    shown = session.outputs()
    if not shown["busy"] or shown["ready"]:
        problems.append("power: the core is the user's while power fails")
    if shown["power_safe"] == shown["power_failed"]:
        problems.append("power: it is safe and it has failed")
    kinds = {fault.kind for fault in struck()}
    # A status that nobody requested passes for that of STANDBY IMMEDIATE; another drive has another
    # cache, and the operation ended with OTHER_DRIVE.
    other = kinds & {"unsolicited", "repeated", "status", "missing", "storm", "exchange", "altered"}
    if shown["power_safe"] and not other and getattr(image, "unflushed", ()):
        problems.append(f"power: it is safe, and {len(image.unflushed)} sectors are in the drive's cache")
    if shown["power_failed"] and not kinds:
        problems.append(f"power: STANDBY IMMEDIATE ended with {Error(shown['error']).name}, and there "
                        "was no fault")
    told = (outputs["error"], outputs["sectors_done"]) if stopped else (0, 0)
    if (shown["power_error"], shown["power_sectors"]) != told:
        problems.append(f"power: {told} of {step.operation}, and the core reports "
                        f"{(shown['power_error'], shown['power_sectors'])}")
    if "power_lost" in shown:
        problems += _given_up(shown["power_lost"], outputs if stopped else None)
    engine.set(power_fail=0)
    engine.run(4)
    shown = session.outputs()
    if shown["busy"] or shown["power_safe"] or shown["power_failed"]:
        problems.append("power: it is back, and the core is not the user's")
    return problems


def _given_up(lost, outputs):
    """What is wrong with the words that were left in the memory: ``outputs`` are those of the operation, None if
    it had ended before."""
    left = outputs["memory_lost"] if outputs else 0
    if lost != left:
        yield f"power: {left} words were left in the memory, and the core reports {lost}"
    if left and outputs["memory_failure"] == MemoryFailure.GIVEN_UP and not outputs["cause"]:
        moved = SECTOR_WORDS * (outputs["sectors_done"] + outputs["skipped_sectors"])
        if outputs["words"] != moved + left:
            yield f"power: {outputs['words']} words were accepted, {moved} are on the drive, and {left} were left"


def _holds(session):
    """Lets power hold after a try that has failed: a drive that comes back gets the command again. Returns
    texts of what is wrong; raises `Stuck`."""
    engine = session.engine
    begin = engine.state().cycle

    def ended():
        return engine.output("power_safe") or engine.output("power_failed")

    while not engine.output("power_safe") and engine.state().cycle - begin < _HOLDS:
        engine.run(_LOOK)
    begin = engine.state().cycle
    # A capacity without another try: IDENTIFY DEVICE is under way, and ends or times out.
    while not ended() or (engine.output("power_failed") and engine.output("capacity")
                          and engine.output("error") == Error.NOT_READY):
        engine.run(_LOOK)
        if engine.state().cycle - begin > session.limit:
            if ended():
                return ["power: the drive is identified, and does not get STANDBY IMMEDIATE"]
            raise Stuck(f"power fails still, and STANDBY IMMEDIATE does not end: {session.outputs()}")
    return []
