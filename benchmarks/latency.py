"""Latency spans and efficiency of the core at the dword port, in simulation.

The core runs compiled against the drive model, which answers after 1 dword and sends an
ALIGN pair in every 256. All counts are clocks of the port. Status 1 if a budget is missed.
"""

import random
import sys
from dataclasses import dataclass

from sata_drive_model import Behaviour, DiskImage, Drive
from sata_drive_model.protocol.primitives import (ALIGN, CONT, EOF, K, R_ERR, R_OK, R_RDY, SOF,
                                                  SYNC, X_RDY)

import tables
from sata_recorder.interface.configuration import Configuration
from sata_recorder.simulation import WHOSE, Compiled, Session
from sata_recorder.simulation.analyser import SPANS, Span
from sata_recorder.simulation.drive_package import drive_port

SECTORS = 1024      # 512 KiB
CAPACITY = 1 << 20
HOLD = 100, 20      # the drive's HOLD: for 20 dwords after every 100

#: Most clocks of each span: its minimum over all runs is held against it.
SPAN_BUDGET = {"x_rdy_r_rdy": 2, "sof_r_ip": 2, "hold_holda": 2, "wtrm_r_ok": 2,
               "status_sof": 9, "activate_sof": 9}
#: The same where X_RDY follows R_OK without a SYNC between.
SHORT_BUDGET = {"status_sof": 8, "activate_sof": 8}
#: Least rate, as a part of what the drive's own timing leaves.
RATE_BUDGET = {"read": 0.99, "write": 0.987}

#: Primitive of the drive -> what the core answers: the drive can do nothing before it.
ANSWERS = {X_RDY: (R_RDY,), R_RDY: (SOF,), EOF: (R_OK, R_ERR), R_OK: (SYNC,), SYNC: (X_RDY,)}
_WORD = (K << 1) - 1


class Turns:
    """The times in which the drive waits for the core, as seen at the dword port.

    One begins in the clock in which a primitive of ``ANSWERS`` arrives, and ends in the first clock
    in which the answer is at the core's output. SYNC is a question only where the core, not the
    drive, speaks next.
    """

    def __init__(self):
        self.turns = []     # (first clock, clock of the answer)
        self._heard = SYNC
        self._asked = 0
        self._answers = ()

    def observe(self, now, core, inputs):
        word = inputs & _WORD if inputs >> 36 & 1 else 0
        if word >= K and word not in (ALIGN, CONT, self._heard):
            self._heard = word
            if word in ANSWERS:
                self._asked, self._answers = now, ANSWERS[word]
        if core & _WORD in self._answers:
            self.turns.append((self._asked, now))
            self._answers = ()

    def clocks(self, start, end):
        """Clocks of the turns that lie in the clocks ``start`` to ``end``."""
        return sum(answered - asked for asked, answered in self.turns
                   if start <= asked and answered <= end)


@dataclass
class Run:
    """One operation: ``direction``, its ``ledger``, the core's ``turns`` in clocks, and the
    ``spans`` since the bring-up; ``clocks_per_dword`` of the line; ``rest``, the clocks from the
    drive's last status to ``done``, None where there is no such end."""

    direction: str
    ledger: object
    turns: int
    spans: dict
    clocks_per_dword: int
    rest: int | None = None

    @property
    def rate(self):
        """Payload dwords per dword of the line, from the first X_RDY to the last status."""
        return self.ledger.accounts["payload"] * self.clocks_per_dword / self.ledger.total

    @property
    def bound(self):
        """The same without the clocks for which the drive waited for the core."""
        return self.rate / self.part

    @property
    def part(self):
        """``rate`` as a part of ``bound``."""
        # In a write the drive waits for the core's HOLD to end, too.
        held = self.ledger.accounts["host_hold"] if self.direction == "write" else 0
        return (self.ledger.total - self.turns - held) / self.ledger.total

    @property
    def without_drive(self):
        """``rate``, with the clocks that the ledger books to the drive left out of the total."""
        drive = sum(clocks for account, clocks in self.ledger.accounts.items()
                    if WHOSE[account] == "drive")
        return self.rate * self.ledger.total / (self.ledger.total - drive)


def run(direction, *, configuration=Configuration(), clocks_per_dword=1, lba48=True, **behaviour):
    """Moves 512 KiB in one operation: one command, or without ``lba48`` four."""
    data = random.Random(0).randbytes(512 * SECTORS)
    image = DiskImage(sectors=CAPACITY)
    drive = Drive(image, behaviour=Behaviour(**behaviour), lba48=lba48)
    port = drive_port(drive, line_rate=(1, clocks_per_dword))
    turns = Turns()

    def clock(core):
        turns.observe(port.now, core, port.inputs)
        return port.clock(core)

    with Compiled(configuration, clock) as engine:
        session = Session(engine, port)
        session.bring_up()
        session.run(16)     # the last frame of the bring-up is over
        spans = port.observer.spans
        spans.update((name, Span()) for name in spans)
        if direction == "write":
            outcome = session.record(data, 0)
            same = image.read(0, len(data)) == data
        else:
            image.write(0, data)
            outcome = session.play(0, SECTORS)
            same = outcome.data == data
        wrong = session.disagreements() + session.violations()
        if outcome.error or wrong or not same:
            raise SystemExit(f"latency: {direction} went wrong: error {outcome.error}, data "
                             f"{'right' if same else 'wrong'}; {'; '.join(wrong)}")
        commands = port.observer.commands
        waited = turns.clocks(commands[0].start, commands[-1].end)
        rest = outcome.begin + outcome.clocks - commands[-1].end
        return Run(direction, session.ledger(), waited, spans, clocks_per_dword, rest)


def joined(runs, name):
    """One span over several runs, as plain data."""
    spans = [one.spans[name] for one in runs if one.spans[name].count]
    count = sum(span.count for span in spans)
    return {"minimum": min(span.minimum for span in spans),
            "mean": sum(span.total for span in spans) / count,
            "maximum": max(span.maximum for span in spans), "count": count}


#: What spans and rates are measured with.
CORES = {"CONT sent": Configuration(), "CONT not sent": Configuration(send_cont=False),
         "no SYNC between frames": Configuration(sync_between_frames=False)}


def budgets(name):
    """Those of the spans of a core."""
    return SPAN_BUDGET | (SHORT_BUDGET if name == "no SYNC between frames" else {})


def measured_spans(name):
    """All spans: reads and writes of short commands, with and without the drive's HOLD."""
    print(f"latency: spans, {name} ...", file=sys.stderr, flush=True)
    runs = [run(direction, configuration=CORES[name], lba48=False, throttle=hold, underrun=hold)
            for direction in RATE_BUDGET for hold in (None, HOLD)]
    return {name: joined(runs, name) for name in SPAN_BUDGET}


def measured_rates():
    """One command of 512 KiB in each direction and case: (direction, case, ``Run``)."""
    cases = {case: {"configuration": core} for case, core in CORES.items()}
    for case, arguments in {**cases, "`clk` at twice the line": {"clocks_per_dword": 2}}.items():
        for direction in RATE_BUDGET:
            print(f"latency: {direction}, {case} ...", file=sys.stderr, flush=True)
            yield direction, case, run(direction, **arguments)


#: What the end of an operation is measured with: name -> (direction, configuration).
ENDS = {
    "record": ("write", Configuration()),
    "play": ("read", Configuration()),
    "play, `buffer_words` = 2048": ("read", Configuration(buffer_words=2048)),
}


def measured_ends():
    """Clocks from the drive's last status to ``done``, by operation."""
    for name, (direction, configuration) in ENDS.items():
        print(f"latency: end, {name} ...", file=sys.stderr, flush=True)
        yield name, run(direction, configuration=configuration).rest


def span_rows(spans, plain, short):
    def cells(one):
        return one["minimum"], f"{one['mean']:.2f}", one["maximum"]

    for name, budget in SPAN_BUDGET.items():
        yield SPANS[name], budget, *cells(spans[name]), *cells(plain[name])
    for name, budget in SHORT_BUDGET.items():
        yield (f"{SPANS[name]}, no SYNC between frames", budget, *cells(short[name]),
               *[""] * 3)


def rate_rows(rates):
    for direction, case, one in rates:
        yield (f"{direction}, {case}", *(f"{100 * value:.2f} %" for value in
                                         (one.rate, one.bound, one.part)),
               f"{100 * RATE_BUDGET[direction]:.1f} %", f"{100 * one.without_drive:.2f} %")


def missed(spans, rates):
    """The budgets that were missed, one text each."""
    for case, found in spans.items():
        for name, budget in budgets(case).items():
            if found[name]["minimum"] > budget:
                yield f"{SPANS[name]}, {case}: {found[name]['minimum']}, budget {budget}"
    for direction, case, one in rates:
        if one.part < RATE_BUDGET[direction]:
            yield (f"{direction}, {case}: {100 * one.part:.2f} %, budget "
                   f"{100 * RATE_BUDGET[direction]:.1f} %")


def accounts(rates):
    """Where the clocks of the two transfers with CONT went, beside payload: one line each."""
    for direction, case, one in rates:
        if case == "CONT sent":
            parts = [f"{name} {clocks:,}" for name, clocks in one.ledger.accounts.items()
                     if clocks and name != "payload"]
            yield (f"{direction}: {one.ledger.total:,} clocks, of them payload "
                   f"{one.ledger.accounts['payload']:,}, {', '.join(parts)}; the drive waited for "
                   f"the core {one.turns:,} clocks.")


def blocks(spans, rates):
    """(name, text) of all of the page."""
    yield "spans", tables.markdown(
        ("span, in clocks", "budget", "min", "mean", "max", "no CONT: min", "mean", "max"), span_rows(*spans.values()))
    yield "rates", tables.markdown(
        ("512 KiB in one command", "rate", "possible", "part", "budget", "without drive"), rate_rows(rates))
    yield "ends", tables.markdown(("operation", "clocks"), measured_ends())
    yield "accounts", "\n\n".join(accounts(rates))


def main():
    arguments = tables.parser(__doc__, "docs/latency.md").parse_args()
    spans = {name: measured_spans(name) for name in CORES}
    rates = list(measured_rates())
    for name, text in blocks(spans, rates):
        tables.output(text, *[("latency.md", name)] * arguments.markdown)
    failures = list(missed(spans, rates))
    for failure in failures:
        print(f"budget missed: {failure}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
