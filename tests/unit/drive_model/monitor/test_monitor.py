"""The monitor finds nothing in good traffic, and each rule when it is broken, by either side."""

import random

import pytest
from sata_drive_model import Behaviour, DiskImage, Drive, DrivePort, Monitor, Rule, Violation
from sata_drive_model.monitor import DEVICE, HOST
from sata_drive_model.protocol import fis
from sata_drive_model.protocol.frame import encode
from sata_drive_model.protocol.primitives import (ALIGN, CONT, EOF, HOLD, HOLDA, K, PMNAK, PMREQ_P,
                                                  R_ERR, R_IP, R_OK, R_RDY, SOF, SYNC, WTRM, X_RDY)

from unit.drive_model.scripted_host import ScriptedHost

WRITE, READ, FLUSH = (fis.register_h2d(opcode, 0, 1) for opcode in (0x35, 0x25, 0xEA))
GOOD = fis.register_d2h(0x50)
OTHER = {HOST: DEVICE, DEVICE: HOST}
BOTH = pytest.mark.parametrize("by", [HOST, DEVICE])
JUNK = 0x12345678


class Talk:
    """Two sides of a link by hand; ``by`` is the one that speaks."""

    def __init__(self, aligned=True, **options):
        self.monitor = Monitor(**options)
        self.clock = 0
        self.aligned = aligned
        self.put(HOST, SYNC, SYNC)

    def put(self, by, *words, other=SYNC):
        """``words`` of ``by``, while the other side sends ``other``."""
        for word in words:
            self.clock += 1
            self.monitor.dwords(self.clock, **{by: word, OTHER[by]: other})
            if self.aligned and self.clock % 200 == 0:
                for _ in range(2):
                    self.monitor.dwords(self.clock, ALIGN, ALIGN)
        return self

    def open(self, by):
        """X_RDY and its R_RDY."""
        return self.put(by, X_RDY, X_RDY).put(by, X_RDY, X_RDY, other=R_RDY)

    def frame(self, by, data, answer=R_OK, words=None):
        """A whole frame with its answer; ``words`` in the place of those of the FIS ``data``."""
        first, *rest, last = words or encode(data)
        self.open(by).put(by, first, other=R_RDY).put(by, *rest, last, WTRM, other=R_IP)
        self.put(by, WTRM, WTRM, other=answer).put(by, SYNC, other=answer)
        return self.put(by, SYNC, SYNC)

    def write(self, *payloads):
        """A write command of one sector: its Data FISes, the status."""
        self.frame(HOST, WRITE).frame(DEVICE, fis.dma_activate())
        for size in payloads:
            self.frame(HOST, fis.data(bytes(4 * size)))
        return self

    def read(self, *payloads):
        """A read command of one sector: its Data FISes."""
        self.frame(HOST, READ)
        for size in payloads:
            self.frame(DEVICE, fis.data(bytes(4 * size)))
        return self

    @property
    def found(self):
        return [(one.direction, one.rule) for one in self.monitor.violations]


def commands(talk):
    talk.frame(DEVICE, fis.register_d2h(0x50, 1, 1, 1)).write(128).frame(DEVICE, GOOD)
    talk.read(100, 28).frame(DEVICE, GOOD).frame(HOST, FLUSH).frame(DEVICE, GOOD)
    talk.frame(HOST, fis.register_h2d(0xEC)).frame(DEVICE, fis.pio_setup(0x58, 0x50, 512))
    return talk.frame(DEVICE, fis.data(bytes(512))).frame(HOST, FLUSH)


def test_good_commands():
    talk = commands(Talk())
    assert talk.found == []
    assert [one.fis[0] for one in talk.monitor.frames] == [
        0x34, 0x27, 0x39, 0x46, 0x34, 0x27, 0x46, 0x46, 0x34, 0x27, 0x34, 0x27, 0x5F, 0x46, 0x27]
    assert {one.fault for one in talk.monitor.frames} == {None}


@BOTH
def test_good_primitives(by):
    talk = Talk()
    talk.put(by, SYNC, SYNC, CONT, *range(50), SYNC)
    talk.open(by).put(by, SYNC, SYNC, other=R_RDY).put(by, SYNC)      # withdrawn
    words = encode(GOOD if by == DEVICE else FLUSH)
    talk.open(by).put(by, SOF, other=R_RDY).put(by, *words[1:3], HOLD, HOLD, other=R_IP)
    talk.put(by, HOLD, *words[3:4], other=HOLDA).put(by, words[4], other=HOLD)
    talk.put(by, HOLDA, HOLDA, other=HOLD).put(by, *words[5:], WTRM, other=R_IP)
    talk.put(by, WTRM, WTRM, other=R_OK).put(by, SYNC, SYNC)
    talk.put(DEVICE, PMREQ_P, PMREQ_P).put(DEVICE, PMREQ_P, other=PMNAK).put(DEVICE, SYNC)
    assert talk.found == []


@pytest.mark.sample(14)
@pytest.mark.parametrize("seed", range(30))
def test_good_traffic(seed):
    """Of random legal drives and a host that holds and continues, on lines with delays."""
    rng = random.Random(seed)
    line = rng.choice(({}, {"round_trip": rng.choice((1, 10, 37))}, {
        "line_rate": rng.choice(((1, 2), (3, 4), (1, 3))), "skew": rng.choice((0, 2, 6))}))
    monitor = Monitor(round_trip=line.get("round_trip", 0) + 2 * line.get("skew", 0))
    port = DrivePort(Drive(DiskImage(sectors=300), behaviour=Behaviour.random(seed)), seed=seed,
                     observer=monitor, **line)
    host = ScriptedHost(port, hold=rng.choice((0, 0.01, 0.1)), cont=rng.random() < 0.7,
                align=rng.choice((254, 20)), seed=seed)
    host.bring_up()
    host.identify()
    data = rng.randbytes(512 * 40)
    assert host.write(7, data, rng.choice((0x35, 0xCA))) == (0x50, 0)
    assert host.read(7, 40, rng.choice((0x25, 0xC8))) == (0x50, 0, data)
    assert host.command(0xEA) == (0x50, 0)
    assert monitor.violations == port.link.violations == []
    assert len(monitor.frames) >= 10


def in_frame(talk, by):
    """The first dword of a frame has been sent."""
    return talk.open(by).put(by, SOF, other=R_RDY).put(by, JUNK, other=R_IP)


def kept(talk, by):
    talk.put(by, *[X_RDY] * 30, other=X_RDY)


def refused(talk, by):
    talk.frame(by, FLUSH, answer=R_ERR, words=encode(FLUSH, damage=1))


def accepted(talk, by):
    talk.frame(by, FLUSH, words=encode(FLUSH, damage=1))


def too_long(talk, by):
    talk.frame(by, None, answer=R_ERR, words=encode(fis.data(bytes(4 * 2049))))


def wrong_type(talk, by):
    talk.frame(by, GOOD if by == HOST else FLUSH, answer=R_ERR)


def wrong_length(talk, by):
    (talk.write if by == HOST else talk.read)().frame(by, fis.data(bytes(516)), answer=R_ERR)


def answered(talk, by):
    """A frame, and the one that answers continues with X_RDY."""
    words = encode(GOOD if by == HOST else FLUSH)
    talk.open(OTHER[by]).put(OTHER[by], SOF, other=R_RDY)
    talk.put(OTHER[by], *words[1:], WTRM, other=R_IP).put(OTHER[by], WTRM, other=R_OK)
    talk.put(OTHER[by], SYNC, other=R_OK).put(by, X_RDY)


def not_idle(talk, by):
    """A frame, and its sender continues with X_RDY."""
    words = encode(FLUSH if by == HOST else GOOD)
    talk.open(by).put(by, SOF, other=R_RDY).put(by, *words[1:], WTRM, other=R_IP)
    talk.put(by, WTRM, X_RDY, other=R_OK)


#: Rule to what breaks it: words of an idle side, or a function of a talk and the side.
WAYS = {
    Rule.ALIGN_PAIR: (ALIGN, SYNC),
    Rule.ALIGN_DISTANCE: (SYNC,) * 280,
    Rule.CONTROL_CHARACTER: (K << 1 | 5,),
    Rule.UNKNOWN_PRIMITIVE: (K | 0x11111111,),
    Rule.CONT_EARLY: (X_RDY, CONT),
    Rule.CONT_PRIMITIVE: lambda talk, by: talk.open(by).put(by, SOF, SOF, CONT, other=R_RDY),
    Rule.STATE: (JUNK,),
    Rule.X_RDY_KEPT: kept,
    Rule.X_RDY_WITHOUT_SYNC: not_idle,
    Rule.X_RDY_AFTER_ANSWER: answered,
    Rule.POWER_REQUEST: (PMREQ_P,),
    Rule.HOLD_NOT_OBEYED: lambda talk, by: in_frame(talk, by).put(by, *[JUNK] * 30, other=HOLD),
    Rule.HOLDA_WITHOUT_HOLD: lambda talk, by: in_frame(talk, by).put(by, HOLDA, other=R_IP),
    Rule.WTRM_WITHOUT_EOF: lambda talk, by: in_frame(talk, by).put(by, WTRM, other=R_IP),
    Rule.FRAME_LENGTH: too_long,
    Rule.CRC: refused,
    Rule.ACCEPTED_FAULT: lambda talk, by: accepted(talk, OTHER[by]),
    Rule.FIS: wrong_type,
    Rule.DATA_LENGTH: wrong_length,
    Rule.COMMAND_BIT: lambda talk, by: talk.frame(by, fis.register_h2d(0, update=False)),
    Rule.LBA_BIT: lambda talk, by: talk.frame(by, fis.register_h2d(0x25, 0, 1, 0)),
    Rule.COMMAND_IN_FLIGHT: lambda talk, by: talk.frame(by, FLUSH).frame(by, FLUSH),
}
#: What only a host can do.
OF_HOSTS = {Rule.X_RDY_KEPT, Rule.POWER_REQUEST, Rule.COMMAND_BIT, Rule.LBA_BIT,
            Rule.COMMAND_IN_FLIGHT}


def test_no_rule_is_untested():
    assert set(WAYS) == set(Rule)


@pytest.mark.parametrize("rule, by", [(rule, by) for rule in Rule for by in (HOST, DEVICE)
                                      if by == HOST or rule not in OF_HOSTS],
                         ids=lambda value: getattr(value, "name", value))
def test_rule(rule, by):
    way = WAYS[rule]
    talk = Talk(aligned=rule is not Rule.ALIGN_DISTANCE)
    if callable(way):
        way(talk, by)
    elif rule is Rule.ALIGN_DISTANCE:
        # The other side keeps to the rule.
        for number, word in enumerate(way):
            talk.put(by, word, other=ALIGN if number % 100 > 97 else SYNC)
    else:
        talk.put(by, *way)
    assert (by, rule) in talk.found
    assert rule is Rule.ACCEPTED_FAULT or {found for found, _ in talk.found} == {by}


def test_the_device_may_keep_x_rdy():
    assert Talk().put(DEVICE, *[X_RDY] * 15, other=X_RDY).found == []


@pytest.mark.parametrize("word, cause", [
    (R_RDY, "R_RDY after SYNC"), (R_OK, "R_OK after SYNC"), (SOF, "SOF after SYNC"),
    (EOF, "EOF after SYNC"), (PMNAK, "PMNAK after SYNC"), (HOLD, "HOLD after SYNC"),
    (7, "data dword after SYNC")])
@BOTH
def test_no_cause(word, cause, by):
    talk = Talk().put(by, word, word)
    assert [(str(one), one.direction) for one in talk.monitor.violations][0] == (cause, by)


@BOTH
def test_sof_without_r_rdy(by):
    talk = Talk().put(by, X_RDY, X_RDY, SOF)
    assert [str(one) for one in talk.monitor.violations] == ["SOF after X_RDY"]


@BOTH
def test_ok_before_the_end(by):
    talk = in_frame(Talk(), by).put(by, JUNK, JUNK, other=R_OK)
    assert talk.found == [(OTHER[by], Rule.STATE)]


def test_data_that_nobody_wants():
    assert Talk().frame(HOST, fis.data(bytes(512)), answer=R_ERR).found == [(HOST, Rule.FIS)]
    assert Talk().frame(DEVICE, fis.data(bytes(512)), answer=R_ERR).found == [(DEVICE, Rule.FIS)]
    assert Talk().read().frame(DEVICE, fis.dma_activate()).found == [(DEVICE, Rule.FIS)]


def test_good_status_before_all_data():
    talk = Talk().read(100).frame(DEVICE, GOOD)
    assert [str(one) for one in talk.monitor.violations] == [
        "Data FIS of 100 dwords in all, 128 wanted"]
    assert Talk().read(100).frame(DEVICE, fis.register_d2h(0x51, 4)).found == []


def test_pio_data_of_another_length():
    talk = Talk().frame(HOST, fis.register_h2d(0xEC))
    talk.frame(DEVICE, fis.pio_setup(0x58, 0x50, 512)).frame(DEVICE, fis.data(bytes(508)))
    assert (DEVICE, Rule.DATA_LENGTH) in talk.found


def test_unknown_commands_are_let_be():
    talk = Talk().frame(HOST, fis.register_h2d(0x61, 0, 8)).frame(DEVICE, GOOD)
    talk.frame(HOST, fis.register_h2d(0x30, 0, 1)).frame(DEVICE, fis.pio_setup(0x58, 0x50, 512))
    assert talk.frame(HOST, fis.data(bytes(512))).frame(DEVICE, GOOD).found == []


def test_software_reset_needs_no_command_bit():
    talk = Talk().frame(HOST, fis.register_h2d(0, control=4, update=False))
    assert talk.frame(HOST, fis.register_h2d(0, update=False)).found == []


def test_ignored_rules():
    talk = Talk(ignore=[Rule.POWER_REQUEST]).put(HOST, PMREQ_P, SYNC, EOF)
    assert talk.found == [(HOST, Rule.STATE)]


def test_a_link_that_falls_is_forgotten():
    talk = in_frame(Talk().frame(HOST, FLUSH), HOST)
    talk.monitor.link_down()
    assert commands(talk).found == []


def test_faults_of_a_drive():
    """The monitor blames the drive for what the drive does."""
    monitor = Monitor()
    behaviour = Behaviour(bad_crc=1, unknown_fis=1)
    host = ScriptedHost(DrivePort(Drive(DiskImage(sectors=8), behaviour=behaviour), observer=monitor))
    host.bring_up()
    assert host.identify() == host.port.drive.page
    assert [(one.direction, one.rule) for one in monitor.violations] == [
        (DEVICE, Rule.FIS), (DEVICE, Rule.CRC)]
    assert {one.fault for one in monitor.frames} == {None, "CRC", "type or length"}


def test_texts():
    assert str(Violation(5, Rule.ALIGN_PAIR)) == "ALIGN not in pairs"
    assert str(Violation(5, Rule.DATA_LENGTH, "3 dwords, 2")) == "Data FIS of 3 dwords, 2 wanted"
    for rule in Rule:
        assert rule.text and rule.clause.startswith(("Serial ATA Revision 3.x, ", "ATA8-ACS, "))
        assert ("{}" in rule.report) == (rule.report != rule.text)
