"""The host's phy goes back to where it begins from every state, within a stated time.

Times are small numbers of clocks; the state machine and its timers are those of the core.
"""

from amaranth.hdl import Mux, Signal

from sata_recorder.core.phy.dword_monitor import OTHERS
from sata_recorder.core.phy.initializer import Initializer
from sata_recorder.core.phy.states import PhyState
from sata_recorder.core.phy.timing import Timing

#: Clocks, at one clock a second.
TIMING = Timing(retry=230, longest_retry=2, align=24, dwell=3, signal_loss=2, dword_loss=4,
                reference=2, longest_reference=2, oob_end=3, comwake_end=3, align_loss=9)
#: The longest way back: the interval between COMRESETs, then what may follow COMWAKE.
AFTER = int(TIMING.oob_end + TIMING.align) + 8
LIMIT = int(TIMING.retry * TIMING.longest_retry) + AFTER


def initializer(h):
    """Any back end, any signal, any dwords, any COMRESETs that are asked for, any restarts of the receiver."""
    m = h.m
    dut = h.dut(Initializer(1.0, TIMING, (1, 1)))
    h.drive(dut.reset, dut.limit, dut.rate, dut.step, dut.oob.active, dut.oob.cominit,
            dut.oob.comwake, dut.heard.align, dut.heard.primitive, dut.heard.data, dut.heard.bad, dut.restarting)
    state = dut.state
    timer = h.probe("dut.timer", 5)
    cominit = h.probe("dut.cominit_left", 2)
    comwake = h.probe("dut.comwake_left", 2)
    pause = h.probe("dut.pause_left", 1)
    busy = h.probe("dut.generator.busy")
    intervals, clocks = h.probe("dut.interval.intervals", 2), h.probe("dut.interval.clocks", 8)
    retry, align = int(TIMING.retry), int(TIMING.align)

    interval = Signal(10)
    m.d.comb += interval.eq(Mux(intervals == 0, 0, (intervals - 1)[:2] * retry + clocks + 1))
    h.lemma("the interval", (clocks < retry) & (intervals <= TIMING.longest_retry))
    started = state.matches(PhyState.HR_AwaitAlign, PhyState.HR_SendAlign, PhyState.HR_SendSync)
    h.lemma("the time for ALIGN", ~started | (timer < align))

    # The clocks that are left, at most, until the machine is where it begins, or there is a link.
    home = state.matches(PhyState.HR_Reset, PhyState.HR_AwaitCOMINIT, PhyState.HR_Ready)
    left = Signal(range(LIMIT + 1))
    ends = align + 2 + int(TIMING.oob_end)
    with m.If(interval != 0):
        m.d.comb += left.eq(interval + AFTER)
    with m.Elif(state == PhyState.HR_AwaitNoCOMINIT):
        m.d.comb += left.eq(ends + 2 + cominit + 1)
    with m.Elif(state == PhyState.HR_COMWAKE):
        m.d.comb += left.eq(ends + 2)
    with m.Elif(state == PhyState.HR_AwaitCOMWAKE):
        m.d.comb += left.eq(ends + 1)
    with m.Elif(state == PhyState.HR_AwaitNoCOMWAKE):
        m.d.comb += left.eq(align + 2 + comwake)
    with m.Else():
        m.d.comb += left.eq(timer + 1)
    away = Signal(range(LIMIT + 2))
    m.d.sync += away.eq(Mux(home, 0, away + 1))
    nearer = home | h.past(home, init=1) | (left < h.past(left))
    h.lemma("what is left shrinks", nearer)
    h.lemma("clocks away, and what is left", home | (away + left <= LIMIT))
    h.check("each clock away is one less to go", nearer)
    h.check(f"back where it begins, or a link, within {LIMIT} clocks", away <= LIMIT)

    # There it does not stay either: COMRESET comes.
    resting = (state == PhyState.HR_AwaitCOMINIT) & (dut.rate == 1) & ~busy
    wait = interval + pause
    h.check("the next COMRESET comes nearer", ~(resting & h.past(resting)) | (wait < h.past(wait)))

    # Nor in a link without ALIGN.
    ready = state == PhyState.HR_Ready
    missing = Signal(5)
    m.d.sync += missing.eq(Mux(ready & ~dut.heard.align, missing + 1, 0))
    h.lemma("ALIGN is missing", ~ready | (missing + timer < TIMING.align_loss))
    h.check(f"no link without ALIGN for {int(TIMING.align_loss)} clocks",
            missing <= int(TIMING.align_loss))

    # A link needs primitives of the drive, and what goes out is what the state requires.
    negotiating = state.matches(PhyState.HR_SendAlign, PhyState.HR_SendSync)
    heard = Signal(2)
    m.d.sync += heard.eq(Mux(negotiating, heard + (dut.heard.primitive & (heard != OTHERS)), 0))
    total, row = h.probe("dut.monitor.total", 2), h.probe("dut.monitor.primitives", 2)
    h.lemma("primitives are counted", ~negotiating | ((total == heard) & (row <= heard)))
    h.check("three primitives before a link", ~(ready & ~h.past(ready)) | (heard == OTHERS))
    h.check("the receiver follows the drive only where dwords are expected",
            ~dut.receive | started | ready)
    h.check("a receiver that restarts does not follow", ~(dut.restarting & dut.receive))
    asked = h.past(dut.reset)
    h.check("COMRESET that is asked for ends everything", ~(asked & h.past(asked)) | home & ~ready)
    h.check("what ends has a reason", dut.fell == (dut.fall != 0))
    given = ~dut.reset & (dut.rate == 1) & dut.step
    synced = h.ever(state == PhyState.HR_SendSync, "synced")
    h.cover("a link, with primitives in a row", ready & ~synced, given=given)
    h.cover("a link, with SYNC first", ready & synced, given=given)
    h.hint("goes on", given)
