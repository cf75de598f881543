"""Primitives against the characters of the specification (source: see `reference`)."""

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from sata_recorder.core.link.primitives import Primitive, TxPrimitive, dword_of
from unit.bench import Bench
from unit.core.link.reference import PRIMITIVES


class Encoder(wiring.Component):
    sent: In(TxPrimitive)
    dword: Out(32)

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.dword.eq(dword_of(self.sent))
        return m


def test_every_primitive_has_its_characters():
    assert {primitive.name: primitive.value for primitive in Primitive} == PRIMITIVES


def test_reference_agrees_with_published_dwords():
    """Spelled out in the same sources, independently of the characters."""
    assert (PRIMITIVES["ALIGN"], PRIMITIVES["SYNC"], PRIMITIVES["X_RDY"], PRIMITIVES["HOLDA"]) == (
        0x7B4A4ABC, 0xB5B5957C, 0x5757B57C, 0x9595AA7C)


async def encoded(bench, **sent):
    bench.set(**sent)
    return bench.get("dword")


@pytest.mark.parametrize("name", [name for name in TxPrimitive.as_shape().members if name != "data"])
def test_what_is_sent_is_encoded(name):
    bench = Bench(Encoder(), clocked=False)
    sent = 1 << [*TxPrimitive.as_shape().members].index(name)
    assert bench.run(encoded, sent=sent) == PRIMITIVES[name.upper()]


def test_nothing_to_send_is_sync():
    assert Bench(Encoder(), clocked=False).run(encoded, sent=0) == PRIMITIVES["SYNC"]
