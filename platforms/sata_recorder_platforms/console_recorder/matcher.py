"""Words, recognised character by character."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from .keywords import LAYOUT, tree


class Matcher(wiring.Component):
    """Recognises verbs and choices: it walks through the tree of :func:`.keywords.tree`.

    A character takes 2 clocks, and 2 more for each node that it does not match.

    Parameters: ``parts`` of the grammar that the board has.
    """

    clear: In(1)        # A new word begins. Not while ``busy``.
    choice: In(1)       # With ``clear``: the word is a choice, not a verb.
    char: In(8)         # The next character of the word, in lower case. Stable while ``busy``.
    valid: In(1)        # High for one clock to take ``char``. Not while ``busy``.
    busy: Out(1)        # A character is being looked up.
    meaning: Out(5)     # What the word so far means, a `Verb` or a `Choice`; 0: it is none. Valid while ``busy`` is
                        # low, after the first character.

    def __init__(self, *, parts=()):
        self._parts = parts
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        nodes, verbs, choices = tree(self._parts)
        m.submodules.tree = rom = memory.Memory(
            shape=LAYOUT, depth=256, init=nodes, attrs={"ram_style": "block"})
        read = rom.read_port()
        node = read.data
        place = Signal(8)
        lost = Signal()         # no word begins like this one
        m.d.comb += read.addr.eq(place)
        with m.If(self.clear):
            m.d.sync += [place.eq(Mux(self.choice, choices, verbs)), lost.eq(0)]
        with m.FSM() as fsm:
            m.d.comb += self.busy.eq(~fsm.ongoing("IDLE"))
            with m.State("IDLE"):
                with m.If(self.valid):
                    m.d.sync += self.meaning.eq(0)
                    with m.If(~lost):
                        m.next = "LOOK"
            # The memory has been reading ``place`` in the clock before.
            with m.State("LOOK"):
                m.next = "IDLE"
                with m.If(Cat(node.char, 0) == self.char):
                    m.d.sync += [self.meaning.eq(node.meaning), lost.eq(node.leaf),
                                 place.eq(place + 1)]
                with m.Elif(node.other == 0):
                    m.d.sync += lost.eq(1)
                with m.Else():
                    m.d.sync += place.eq(node.other)
                    m.next = "READ"
            with m.State("READ"):
                m.next = "LOOK"
        return m
