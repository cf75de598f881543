# amaranth: UnusedElaboratable=no
"""The stack alone: toy stages above a toy core, in either order, and what cannot stand together."""

import pytest
from amaranth.hdl import Fragment, Module, Signal, Value
from amaranth.hdl._ast import SignalSet
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator

from sata_recorder.bricks.stack import STAGES, Stack, stack
from sata_recorder.bricks.stage import Stage, StageRow
from sata_recorder.interface import LAST, STREAM_IN, BareGroup, Face
from sata_recorder.interface.configuration import Configuration

#: One that each toy changes, one that none knows, one of a toy alone, and one between toy and core.
NUMBER = BareGroup("number", Out(wiring.Signature({"asked": Out(8), "told": In(8)})))
OTHER = BareGroup("other", Out(wiring.Signature({"asked": Out(4), "told": In(4)})))
DOUBLED = BareGroup("doubled", Out(wiring.Signature({"asked": Out(8)})))
INSIDE = BareGroup("inside", In(4))
ABSENT = BareGroup("absent", Out(1), lambda configuration: False)


class ToyCore(wiring.Component):
    """Tells what it is asked, and has something that is no group."""

    def __init__(self):
        super().__init__({"user": In(Face(STREAM_IN, LAST, NUMBER, OTHER)), "inside": Out(4), "wire": In(1)})

    def elaborate(self, platform):
        m = Module()
        user = self.user
        m.d.comb += [user.number.told.eq(user.number.asked), user.other.told.eq(user.other.asked),
                     user.i.ready.eq(self.wire), user.last.eq(user.i.valid), self.inside.eq(5)]
        return m


class Doubler(Stage):
    row = StageRow("doubler", adds={DOUBLED, ABSENT}, claims={NUMBER})

    def elaborate(self, platform):
        m = Module()
        self.hand_on(m, NUMBER, but=("asked",))
        m.d.comb += self.core.number.asked.eq(2 * self.user.number.asked + self.user.doubled.asked)
        return m


class AdderStage(Stage):
    row = StageRow("adder", takes={INSIDE}, claims={NUMBER, ABSENT}, needs={INSIDE})

    def elaborate(self, platform):
        m = Module()
        self.hand_on(m, NUMBER, ABSENT, but=("asked",))
        m.d.comb += self.core.number.asked.eq(self.user.number.asked + self.core.inside)
        return m


def made(*kinds):
    core = ToyCore()
    return Stack(core, dict.fromkeys((STREAM_IN, LAST, NUMBER, OTHER), core.user) | {INSIDE: core},
                 [kind(Configuration()) for kind in kinds])


def told(dut, asked, doubled=0):
    """The number that comes back, and whether all else passes the stages."""
    found = []

    async def bench(ctx):
        ctx.set(dut.user.number.asked, asked)
        if doubled:
            ctx.set(dut.user.doubled.asked, doubled)
        ctx.set(dut.user.other.asked, 9)
        ctx.set(dut.user.i.valid, 1)
        ctx.set(dut.wire, 1)
        found.append(ctx.get(dut.user.number.told))
        assert [ctx.get(value) for value in (dut.user.other.told, dut.user.i.ready, dut.user.last)] == [9, 1, 1]

    simulator = Simulator(dut)
    simulator.add_testbench(bench)
    simulator.run()
    return found[0]


@pytest.mark.parametrize("kinds, groups, expected", [
    ((), {"number", "other", "inside"}, 10), ((AdderStage,), {"number", "other"}, 15),
    ((Doubler,), {"number", "other", "doubled", "inside"}, 20),
    ((AdderStage, Doubler), {"number", "other", "doubled"}, 25),
    ((Doubler, AdderStage), {"number", "other", "doubled"}, 30)])
def test_stages_in_either_order(kinds, groups, expected):
    """What nobody claims is connected past them."""
    dut = made(*kinds)
    assert {*dut.user.signature.members} == groups | {"i", "last"}
    assert told(dut, 10) == expected


def test_what_a_stage_adds_reaches_it_from_the_top():
    assert told(made(Doubler, AdderStage), 1, doubled=3) == 15


class TwiceClaimed(AdderStage):
    row = StageRow("twice", takes={INSIDE}, needs={INSIDE, ABSENT}, claims={ABSENT})


class Alone(AdderStage):
    row = StageRow("alone", excludes={OTHER: "there is one of them"})


class Again(Doubler):
    row = StageRow("again", adds={NUMBER})


@pytest.mark.parametrize("kinds, sentence", [
    ((AdderStage, AdderStage), "adder needs inside, which nothing below it offers"),
    ((TwiceClaimed,), "twice needs absent, which nothing below it offers"),
    ((Alone,), "alone cannot stand above other: there is one of them"),
    ((Again,), "again adds number, which something below it offers")])
def test_what_cannot_stand_together(kinds, sentence):
    with pytest.raises(ValueError) as error:
        made(*kinds)
    assert str(error.value) == sentence


def test_a_stage_is_there_where_a_configuration_has_what_it_adds():
    assert Doubler.exists(Configuration()) and not AdderStage.exists(Configuration())
    for options, names in (({}, []), ({"extents": "modes"}, ["modes"]), (
            {"frames": True, "files": True}, ["files", "frames"]), (
            {"extents": "modes", "files": True, "frames": True, "commands": True, "power_fail": True},
            ["modes", "files", "frames", "power_fail"])):
        assert [kind.row.name for kind in STAGES if kind.exists(Configuration(**options))] == names


def test_what_is_below_has_another_configuration():
    assert stack(Configuration(on_overflow="drop", frames=True)).core.configuration.on_overflow == "stall"
    assert stack(Configuration(on_overflow="drop")).core.configuration.on_overflow == "drop"


#: An option, and what it needs, for each group that excludes another.
OPTIONS = {"queue": {"extents": "queued"}, "sector": {"long_logical_sectors": True},
           "trim": {"extents": "modes", "trim_ahead": True}, "look": {"extents": "modes", "look_sectors": 8},
           "file": {"files": True}, "frame": {"frames": True}}


@pytest.mark.parametrize("kind, group", [(kind, group) for kind in STAGES for group in kind.row.excludes])
def test_a_configuration_refuses_what_a_stage_excludes(kind, group):
    own, = (one for one in kind.row.adds if one.name in OPTIONS)
    with pytest.raises(ValueError):
        Configuration(**OPTIONS[own.name], **OPTIONS[group.name])


WHOLE = {"extents": "modes", "commands": True, "power_fail": True, "frames": True}


@pytest.mark.sample(2)
@pytest.mark.parametrize("options", [
    WHOLE | {"files": True, "trim_ahead": True, "look_sectors": 8, "on_failure": "skip"},
    {"files": True, "long_logical_sectors": True, "extents": "modes"},
    WHOLE | {"trim_ahead": True, "look_sectors": 8, "long_logical_sectors": True},
    {"files": True}, {"frames": True, "on_overflow": "drop"}])
def test_a_stage_drives_all_that_it_claims(options):
    """A member that is forgotten would be 0 for ever."""
    configuration = Configuration(**options)
    for stage in [kind(configuration) for kind in STAGES if kind.exists(configuration)]:
        fragment = Fragment.get(stage, None)
        driven = SignalSet(signal for statements in fragment.statements.values() for statement in statements
                           for signal in statement._lhs_signals())
        assert [(stage.row.name, *path) for path, member, value in stage.signature.flatten(stage)
                if member.flow is Out and isinstance(port := Value.cast(value), Signal) and port not in driven] == []
