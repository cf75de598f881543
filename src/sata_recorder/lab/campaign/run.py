"""One run of a campaign: the core against its drive and the faults of a plan, and all checks."""

from dataclasses import dataclass, field

from sata_drive_model.faults import level

from ...core.drive_port import Error, Operation
from ...core.ledger import SETTLE_CLOCKS
from ...simulation import Compiled, Event, Hold, Pattern, Rate, Session, Stuck, Waves, drive_port
from ...facts.units import SECTOR_BYTES, SECTOR_WORDS
from . import drive_health, logical_sector, power_fail
from .cache_contents import CacheContents
from .command_step import COMMANDS, check_command, issue
from .configurations import patience
from .journal import read_journal, report_of
from .look_check import check_looks
from .recording_check import RecordedStep
from .recording_run import follow
from .recording_step import FILLED
from .plan import CAPACITY, CLEAN_LBA, CLEAN_SECTORS, Step
from .scoreboard import (check_complete, check_misaligned, check_played, check_recorded, check_untouched,
                         recording)
from .source_run import SourceRun
from .waivers import own_violations

#: Most clocks from the last status to the end of an operation. A power failure in them counts as one
#: after the operation: what has not been flushed is lost then, as it is a moment later.
SETTLING = SETTLE_CLOCKS + 16

#: Clocks within which the core sees that the link has fallen, however slow the line is. A drive that
#: is changed twice before it does may pass for one that was never away.
_NOTICED = 64

#: Kinds of faults that strike after an operation.
_BETWEEN = ("blackout",)

#: How an operation that a fault has hit ended, from good to bad.
ENDINGS = ("unharmed", "recovered", "skipped", "stopped", "idle", "not met")


@dataclass
class Result:
    """What came of a plan.

    ``problems`` are texts that begin with the name of a check; ``met`` pairs of a kind of fault and
    how its operation ended, see :data:`ENDINGS`; ``steps`` a text for each operation; ``clocks``
    simulated, and ``trace`` the hash of all dwords that crossed the port in them.
    """

    problems: list = field(default_factory=list)
    met: list = field(default_factory=list)
    steps: list = field(default_factory=list)
    clocks: int = 0
    trace: int = 0

    @property
    def check(self):
        """The name of the first check that failed, None without one."""
        return self.problems[0].partition(":")[0] if self.problems else None


def execute(plan, model, path=None, *, vcd=None):
    """Runs ``plan``; ``model`` is the drive model's package, ``path`` a compiled core to use in place
    of the plan's, ``vcd`` a file for the waves, which that core must be able to write. Returns a
    :class:`Result`."""
    configuration = plan.configuration
    image = model.DiskImage(sectors=CAPACITY)
    words = SECTOR_WORDS * CAPACITY
    image.write(0, Pattern("random", ~plan.seed, words).read(0, words))
    if plan.volatile:
        image = model.VolatileImage(image, seed=plan.seed)
    behaviour = model.Behaviour(**plan.behaviour, mute=frozenset({plan.silent} - {None}))
    drive = model.Drive(image, behaviour=behaviour, lba48=plan.lba48, fua=plan.fua,
                        power_up=drive_health.made_power_up(model, plan),
                        health=drive_health.made_health(model, plan), alignment=plan.offset,
                        logical_sector=SECTOR_BYTES * plan.logical,
                        physical_sector=SECTOR_BYTES * plan.physical if plan.physical > 1 else None)
    port = drive_port(drive, model=model, seed=plan.seed, **plan.line)
    with Compiled(configuration, port, path=path, waves=vcd and Waves(vcd),
                  source_clock=Rate(*plan.source_clock)) as engine:
        run = _Run(plan, Session(engine, port, limit=patience(configuration)), drive)
        try:
            run.all()
        except Stuck as error:
            run.result.problems.append(f"hang: {error}")
        state = engine.state()
        run.result.clocks, run.result.trace = state.cycle, state.hash
    return run.result


class _Run:
    def __init__(self, plan, session, drive):
        self.plan, self.session, self.drive = plan, session, drive
        self.core = plan.configuration
        self.source = SourceRun(plan, session.engine)
        self.port, self.engine, self.image = session.port, session.engine, drive.image
        self.result = Result()
        limit = self.core.max_command_sectors
        self.longest = limit if plan.lba48 else min(limit, 256)
        #: What a command has written is on the medium once it has succeeded.
        self.through = self.core.fua and plan.fua and plan.lba48
        self.modes = self.core.extents == "modes"
        # Power was about to fail before the end of the operation; that has stopped it.
        self.cut = self.stopped = False
        self.cache = CacheContents(plan.volatile, self.image, self.longest)
        self.misaligned = 0         # that had been counted when the operation began
        self.over = 0               # faults before the command that the drive last ended well

    def all(self):
        """Bring-up, the steps, and a last operation that must go well."""
        if self.core.files:
            # The operations are the user's own.
            self.engine.set(file_release=1)
        if self.core.pacing == "programmable":
            self.engine.set(command_limit=self.plan.command_limit)
        if not self.session.bring_up()["ready"]:
            self.problem(f"bring-up: {self.error(self.session.outputs())}")
            return
        for number, step in enumerate(self.plan.steps):
            self.step(number, step)
        self.calm()
        struck = self.port.collect()
        for found in own_violations(self.violations(), struck):
            self.problem(f"violation: clock {found.clock}: {found}")
        self.clean(bool(struck))

    def calm(self):
        """Waits until the line is as fast as it was, and the ALIGN pairs are counted again."""
        while self.port.disturbed:
            self.engine.run(256)
        self.engine.run(600)

    def problem(self, text):
        """Notes what is wrong."""
        self.result.problems.append(text)

    def violations(self):
        """All violations so far."""
        return list(self.port.link.violations)

    def error(self, outputs):
        """The name of the error."""
        return Error(outputs["error"]).name

    def disk(self):
        """All sectors of the plan's drive."""
        return self.image.read_sectors(0, CAPACITY)

    def ready(self):
        """Waits until a drive is identified."""
        if not self.session.outputs()["ready"]:
            self.session.wait(Event.READY)

    # A step ---------------------------------------------------------------------------------------

    def step(self, number, step):
        """One operation, its faults, and what must hold after it; returns the outputs."""
        port, engine, session = self.port, self.engine, self.session
        self.ready()
        self.result.problems += self.cache.check_unflushed(session)
        before = self.disk()
        self.misaligned = session.outputs().get("misaligned", 0)
        self.source.begin(number, step)
        stream = self.source.stream
        engine.sink(SECTOR_WORDS * step.sectors, hold=Hold(*step.hold), mark=step.stop_after)
        already = len(port.collect())
        port.inject([fault for fault in step.faults if fault.kind not in _BETWEEN])
        if self.modes:
            engine.set(**(step.recording or FILLED).controls_of(self.core))
        place, ended = step.lba, ()
        if self.core.commands:
            place, ended = issue(engine, step, self.plan.lba48), [*self.drive.completed]
        session.start(Operation[step.operation.upper()], place, step.sectors)
        begin = engine.state().cycle
        found = self.finish(step)
        outputs, clocks = session.outputs(), engine.state().cycle - begin
        after, lost = self.disk(), self.cache.lost()
        engine.run(8)
        if found:
            found.read(session, told=not self.cut)
            if self.source.stage:
                self.source.place(found, outputs)
        state = engine.state()
        struck = [fault for _, fault in port.collect()[already:]]
        late = not self.through and any(
            fault.kind == "unplug" and clock >= begin + clocks - SETTLING
            for clock, fault in port.struck[already:])
        journal = ((), False) if self.cut else read_journal(session)
        report = report_of(step, outputs, journal, self.core, self.longest)
        contents = stream, before, after, lost, late
        self.result.problems += check_command(step, outputs, self.drive.completed, ended,
                                              port.struck[self.over:], self.stopped, self.longest,
                                              self.plan.leaves_unanswered(step))
        self.over = self.over if struck or outputs["error"] or self.drive.completed == ended else already
        # There is no journal of an operation after which STANDBY IMMEDIATE has begun.
        sure = not (self.cut and (report.error or report.skipped or outputs.get("cause")))
        if sure:
            self.check(step, report, outputs, state, contents, found, struck, clocks)
            if found and found.watch:
                self.result.problems += check_looks(
                    found, self.core, clocks,
                    RecordedStep(step, report, found, self.longest).holding(stream, before),
                    [clock for clock, _ in port.struck[already:]], self.longest, self.plan.logical)
        self.cache.remember(step, report, found, lost, late, sure)
        if step.power_fail is not None:
            self.result.problems += power_fail.over(
                session, step, outputs, self.image,
                lambda: [fault for _, fault in port.collect()[already:]], self.stopped)
        self.note(number, step, struck, already, self.ending(report, outputs), outputs, clocks, found)
        self.settle(step, already + len(struck))
        return outputs

    def finish(self, step):
        """Runs until the operation has ended, with its stop and its triggers; returns what came of
        a recording in a mode."""
        session, engine = self.session, self.engine
        self.cut = self.stopped = False
        if self.source.stage and step.is_recorded:
            found = self.source.follow(session, step)
            return found if step.recording else None
        if step.recording:
            found = follow(session, step, self.core.look_sectors > 0)
            self.stopped = step.power_fail is not None and found.stopped is not None
            self.cut = found.cut
            return found
        engine.run(1)
        mark = Event.SINK if step.operation == "play" else Event.SOURCE
        over = step.stop_after is not None and session.wait(Event.DONE | mark) & Event.DONE
        if step.power_fail is not None:
            if not over and not (step.power_fail and engine.run(step.power_fail, Event.DONE)):
                power_fail.fail(session)
                self.cut, self.stopped = True, not engine.run(1, Event.DONE)
        elif step.stop_after is not None and not over:
            session.stop()
            engine.run(1)
        if not session.outputs()["done"]:
            session.wait(Event.DONE)
        return None

    def settle(self, step, known):
        """Lets the time after an operation pass, in which its faults may still strike."""
        port = self.port
        between = [fault for fault in step.faults if fault.kind in _BETWEEN]
        if between:
            port.inject(between)
            self.engine.run(max(fault.clock for fault in between) + 8)
        if step.idle:
            self.engine.run(step.idle)
        found = port.collect()[known:]
        self.result.met += [(fault.kind, "idle") for _, fault in found]
        missed = [fault for fault in step.all_faults if fault not in [one for _, one in port.struck]]
        self.result.met += [(fault.kind, "not met") for fault in missed]
        port.clear_faults()
        if port.drive is not self.drive:
            if any(port.drive.image.read_sectors(0, port.drive.image.sectors)):
                self.problem("stray: another drive was written")
            self.drive.injector.clear()
            port.plug(self.drive)
            self.engine.run(_NOTICED)
        self.drive.behaviour.fail_lba = None
        self.cache.between()

    def note(self, number, step, struck, already, ending, outputs, clocks, found):
        """Remembers how the operation ended."""
        self.result.met += [(fault.kind, ending) for fault in struck]
        mode = f" {step.recording.mode}" if step.recording else ""
        text = f"{step.operation}{mode} {step.sectors} sectors from {step.lba}"
        kinds = ", ".join(f"{fault.kind} at {clock}" for clock, fault in self.port.struck[already:])
        looks = ", ".join(look.state.name if look.state else "replaced"
                          for look in (found.looks if found else ()))
        self.result.steps.append(
            f"{number}: {text}: {ending}, {self.error(outputs)}, {outputs['sectors_done']} done, "
            f"{outputs['words']} words, {clocks} clocks"
            + (f", looks {looks}" if looks else "") + (f" ({kinds})" if kinds else ""))

    def ending(self, report, outputs):
        """One of :data:`ENDINGS`."""
        if report.error:
            return "stopped"
        if report.skipped:
            return "skipped"
        return "recovered" if outputs.get("cause") or outputs.get("retries") else "unharmed"

    # What must hold -------------------------------------------------------------------------------

    def check(self, step, report, outputs, state, contents, recorded, struck, clocks):
        """Checks all that must hold after an operation, whatever has happened in it."""
        stream, before, after, lost, late = contents
        found = check_untouched(step, before, after, lost)
        end = report.done + report.skipped
        moves = step.operation != "flush" and not recorded
        command = COMMANDS.get(step.command)
        taken = self.source.taken(outputs, report)
        found += self.source.check(step, report, outputs)
        partly = step.stop_after is not None or self.stopped
        if self.plan.logical > 1:
            found += logical_sector.check_whole(step, report, outputs, taken)
        if recorded and not (self.plan.logical > 1 and logical_sector.splits(step)):
            found += RecordedStep(step, report, recorded, self.longest).check(
                outputs, stream, (before, after), lost, late, self.plan.logical)
        if moves and (end > step.sectors or end < step.sectors and not report.error
                      and not partly):
            found.append(f"count: {end} of {step.sectors} sectors done, and no error")
        if step.operation == "play":
            if outputs["words"] != state.received:
                found.append(f"count: {outputs['words']} words counted, {state.received} delivered")
            if command is None or command.is_extent:
                found += check_played(step, report, self.engine.received(), before, after)
            found += check_complete(step, report, state.received, partly)
            if state.lasts != (state.received == SECTOR_WORDS * step.sectors):
                found.append(f"last: tlast {state.lasts} times in {state.received} words")
        elif moves:
            if outputs["words"] + report.dropped != taken:
                found.append(f"count: {outputs['words']} words and {report.dropped} dropped, "
                             f"{taken} taken")
            found += check_complete(step, report, outputs["words"], partly)
            wanted = recording(stream.read(0, taken), report)
            if wanted is not None:
                found += check_recorded(step, report, wanted, before, after, lost, late)
        flushes = step.operation == "record_flush" or (
            step.operation == "flush" and (command is None or command.flushes))
        if flushes and not report.error and self.plan.volatile:
            # A second copy of a status passes for the next one if that is missing.
            kinds = {fault.kind for fault in struck}
            unasked = kinds & {"unsolicited", "repeated", "status"} or (
                kinds & {"missing", "storm"} and self.plan.behaviour.get("repeated_status_fises"))
            if self.image.unflushed and not unasked:
                found.append(f"flush: {len(self.image.unflushed)} sectors are not flushed")
        recovered = self.ending(report, outputs) != "unharmed"
        faulty = recovered or any(level(fault.kind) == "line" for fault in struck)
        # The ledger of the port knows no COMMAND, and by now that of the core is STANDBY IMMEDIATE's.
        if self.core.ledger and not command and not self.cut:
            found += self.ledger(report, struck, clocks, recovered)
        # After a fault the core may count other commands as done than the drive.
        if "misaligned" in outputs and not (faulty or command):
            found += check_misaligned(self.plan, outputs["misaligned"] - self.misaligned, self.port.observer.commands)
        if not (faulty or self.port.struck):
            found += drive_health.check_health(self.plan, step, outputs)
        for text in found:
            self.problem(text)

    def ledger(self, report, struck, clocks, recovered):
        """Texts of where the accounts of core and port differ."""
        if report.error == Error.NOT_READY:
            return []       # refused at once: the ledger is that of the operation before
        ledger = self.session.ledger()
        if ledger.total > clocks:
            return [f"ledger: {ledger.total} clocks booked of {clocks}"]
        # A disturbed line leaves two observers of it with different views.
        if report.error or any(level(fault.kind) == "line" for fault in struck):
            return []
        if recovered:
            # The port sees commands, not what the core does between two of them.
            span = self.port.observer.span
            return [] if ledger.total >= span else [f"ledger: {ledger.total} clocks of {span}"]
        return [f"ledger: {text}" for text in self.session.disagreements(ledger)]

    def clean(self, hit):
        """After all faults: records on the drive and plays it back as if nothing had happened."""
        self.ready()
        if hit:
            # The core may not know yet that its drive is gone: a command shows it.
            self.session.start(Operation.FLUSH)
            self.finish(Step(operation="flush"))
            self.engine.run(8)
            self.ready()
        known = len(self.violations())
        for number, operation in enumerate(("record_flush", "play"), len(self.plan.steps)):
            extent = {"lba": CLEAN_LBA, "sectors": CLEAN_SECTORS} if self.plan.logical == 1 else {
                "lba": logical_sector.CLEAN_LBA, "sectors": self.plan.logical}
            outputs = self.step(number, Step.model_construct(operation=operation, **extent))
            if outputs["error"] or outputs["sectors_done"] != extent["sectors"]:
                self.problem(f"afterwards: {self.error(outputs)} in {operation}, "
                             f"{outputs['sectors_done']} sectors done")
        for found in self.violations()[known:]:
            self.problem(f"violation: clock {found.clock}, afterwards: {found}")
