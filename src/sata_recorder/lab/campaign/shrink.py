"""The smallest plan that still fails the same check."""

import time

from .plan import FaultPlan


def shrunk(plan, fails, seconds=20):
    """A plan no larger than ``plan`` for which ``fails(plan)`` is true, found in about ``seconds``.

    ``fails`` gets one simpler plan after the other; the first that still fails is
    simplified further, until none does or the time is over.
    """
    end = time.monotonic() + seconds
    found = True
    while found:
        found = False
        for simpler in _simpler(plan):
            if time.monotonic() > end:
                return plan
            if simpler != plan and fails(simpler):
                plan, found = simpler, True
                break
    return plan


def _simpler(plan):
    """Plans that are simpler than ``plan`` by one thing, the boldest first."""
    def with_(**changes):
        return FaultPlan(**(plan.model_dump(exclude_defaults=True) | changes))

    def dumped(steps):
        return [step.model_dump(exclude_defaults=True) for step in steps]

    steps = plan.steps
    for number in range(len(steps)):
        if len(steps) > 1:
            yield with_(steps=dumped(steps[:number] + steps[number + 1:]))
    for number, step in enumerate(steps):
        def stepped(**changes):
            changed = step.model_dump(exclude_defaults=True) | changes
            others = dumped(steps)
            return with_(steps=[*others[:number], changed, *others[number + 1:]])

        faults = [fault.brief() for fault in step.faults]
        for index in range(len(faults)):
            yield stepped(faults=faults[:index] + faults[index + 1:])
        yield from _simpler_step(step, stepped)
        for index, fault in enumerate(step.faults):
            for changes in _simpler_fault(fault):
                yield stepped(faults=[*faults[:index], fault.brief() | changes,
                                      *faults[index + 1:]])
    yield with_(behaviour={})
    for name in plan.behaviour:
        yield with_(behaviour={key: value for key, value in plan.behaviour.items() if key != name})
    yield with_(line={})
    yield with_(lba48=True)
    yield with_(volatile=False)


def _simpler_step(step, stepped):
    if step.hold != (1, 0):
        yield stepped(hold=(1, 0))
    if step.recording:
        yield from _simpler_recording(step, stepped)
    elif step.stop_after is not None:
        yield stepped(stop_after=None)
    if step.idle:
        yield stepped(idle=0)
    if step.power_fail is not None:
        yield stepped(power_fail=None)
        yield from (stepped(power_fail=clocks) for clocks in (
            step.power_fail // 2, step.power_fail - 1) if clocks >= 0)
    if step.lba:
        yield stepped(lba=0)
    for sectors in (1, step.sectors // 4, step.sectors // 2, step.sectors - 1):
        if 1 <= sectors < step.sectors:
            yield stepped(sectors=sectors)


def _simpler_recording(step, stepped):
    recording = step.recording
    kept = recording.model_dump(exclude_defaults=True)
    for index in range(len(recording.triggers)):
        yield stepped(recording=kept | {
            "triggers": recording.triggers[:index] + recording.triggers[index + 1:]})
    for index, look in enumerate(recording.looks):
        for simpler in _simpler_looks(look):
            yield stepped(recording=kept | {
                "looks": recording.looks[:index] + simpler + recording.looks[index + 1:]})
    for name in ("position", "ahead", "trim_ahead", "extend", "words", "segments"):
        if name in kept:
            yield stepped(recording={key: value for key, value in kept.items() if key != name})
    for words in ({step.stop_after // 2, step.stop_after - 1} if step.stop_after else ()):
        yield stepped(stop_after=words)


def _simpler_looks(look):
    """What may take the place of a readback."""
    yield ()
    for name, value in (("faults", ()), ("withdrawn", None), ("room", 0), ("clocks", 0), ("count", 1)):
        if look.model_dump()[name] != value:
            yield (look.model_copy(update={name: value}),)


def _simpler_fault(fault):
    for name, value in (("clock", fault.clock), ("nth", fault.nth), ("clocks", fault.clocks)):
        for smaller in (0, value // 4, value // 2, value - 1):
            if 0 <= smaller < value:
                yield {name: smaller}
    if fault.count > 1:
        yield {"count": 1}
        yield {"count": fault.count // 2}
