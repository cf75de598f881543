"""The printer: pages of text with fields, character by character."""

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import memory, stream, wiring
from amaranth.lib.wiring import In, Out

from sata_recorder.pc.console.grammar import NUMBER_BITS, PARTS

from .block_printer import BlockPrinter
from .messages import Block, Flag, Kind, Name, Page, Source
from .number_printer import NumberPrinter
from .texts import rom

NAME_BITS = 5


class PrintSignature(wiring.Signature):
    """What the printer shall print, as seen by the part that requests it."""

    def __init__(self):
        super().__init__({
            "page": Out(Page),          # The page. Taken with ``start``.
            "start": Out(1),            # High for one clock to begin. Not while ``busy``.
            "flags": Out(len(Flag)),    # The conditions of lines, a bit for each `Flag`. A line is printed if its
                                        # condition holds when its turn comes.
            "busy": In(1),              # From the clock after ``start`` until the last character has been taken.
        })


class Printer(wiring.Component):
    """Prints one page at a time.

    Numbers and names are printed as they are at that moment.

    Parameters: ``version``, the page of that name; ``parts`` that the board has, see
    :func:`sata_recorder.pc.console.grammar.help_lines`.
    """

    order: In(PrintSignature())     # What to print.
    # The numbers that are printed as words, one for each `Name`.
    names: In(NAME_BITS * len(Name))
    source: Out(Source)             # The number that is wanted, of a memory with ``index``.
    index: Out(7)                   # Entry of the ledger, field of the journal's entry, figure of the PHY, or dword
                                    # of the IDENTIFY DEVICE data or of the sector.
    value: In(NUMBER_BITS)          # The number of ``source`` and ``index``, at most 7 clocks later.
    o: Out(stream.Signature(8))     # The characters.

    def __init__(self, version, parts=PARTS):
        self._version, self._parts = version, parts
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        items, pages, names = rom(self._version, self._parts)
        m.submodules.texts = texts = memory.Memory(
            shape=9, depth=1 << (len(items) - 1).bit_length(), init=items,
            attrs={"ram_style": "block"})
        read = texts.read_port()
        m.submodules.number = number = NumberPrinter()
        m.submodules.block = block = BlockPrinter()

        place = Signal(len(read.addr))
        back = Signal.like(place)       # where the page continues after a name
        in_name = Signal()
        skipping = Signal()             # the rest of the line
        item = Signal(8)
        kind, argument = item[5:], item[:5]
        letter = Signal()               # it is a character
        m.d.comb += [
            read.addr.eq(place),
            number.form.hexadecimal.eq((kind == Kind.HEX2) | (kind == Kind.HEX8)),
            number.form.short.eq(kind == Kind.HEX2),
            number.form.hundredths.eq(self.source == Source.RATE),
            number.form.absent.eq(kind == Kind.MEMORY),
            number.value.eq(self.value),
            block.block.eq(argument[:3]),
            block.value.eq(self.value[:32]),
            self.index.eq(Mux(kind == Kind.MEMORY, argument, block.dword)),
        ]

        # Only one of them prints at a time.
        m.d.comb += [
            self.o.valid.eq(letter | number.o.valid | block.o.valid),
            self.o.payload.eq(Mux(letter, item,
                                  Mux(block.busy, block.o.payload, number.o.payload))),
            number.o.ready.eq(self.o.ready),
            block.o.ready.eq(self.o.ready),
        ]

        name = Signal(NAME_BITS)
        first = Signal(len(place) - 4)
        m.d.comb += [
            name.eq(self.names.word_select(argument, NAME_BITS)),
            first.eq(Array(names)[argument]),
        ]
        with m.FSM() as fsm:
            m.d.comb += [self.order.busy.eq(~fsm.ongoing("IDLE")),
                         letter.eq(fsm.ongoing("LETTER"))]
            with m.State("IDLE"):
                m.d.sync += [place.eq(Array(pages)[self.order.page]), in_name.eq(0),
                             skipping.eq(0)]
                with m.If(self.order.start):
                    m.next = "NEXT"
            with m.State("NEXT"):
                m.next = "ITEM"
            with m.State("ITEM"):
                m.d.sync += [item.eq(read.data[:8]), place.eq(place + 1)]
                m.next = "LETTER"
                with m.If(read.data[8]):
                    m.next = "FIELD"
                with m.Elif(skipping):
                    m.d.sync += skipping.eq(read.data[:8] != ord("\n"))
                    m.next = "NEXT"
            with m.State("LETTER"):
                with m.If(self.o.ready):
                    m.next = "NEXT"
            with m.State("FIELD"):
                m.d.sync += self.source.eq(argument)
                m.next = "NEXT"
                with m.If(kind == Kind.END):
                    m.d.sync += [in_name.eq(0), place.eq(back)]
                    with m.If(~in_name):
                        m.next = "IDLE"
                with m.Elif(skipping):
                    pass
                with m.Elif(kind == Kind.IF):
                    m.d.sync += skipping.eq(~self.order.flags.bit_select(argument, 1))
                with m.Elif(kind == Kind.NAME):
                    m.d.sync += [in_name.eq(1), back.eq(place),
                                 place.eq(Cat(Const(0, 4), (first + name)[:len(first)]))]
                with m.Elif(kind == Kind.BLOCK):
                    m.d.comb += block.start.eq(1)
                    m.d.sync += self.source.eq(Mux(argument[:3] == Block.SECTOR, Source.SECTOR,
                                                   Source.IDENTIFY))
                    m.next = "OTHER"
                with m.Else():
                    m.d.comb += number.start.eq(1)
                    with m.If(kind == Kind.MEMORY):
                        m.d.sync += self.source.eq(Source.MEMORY)
                    m.next = "OTHER"
            with m.State("OTHER"):
                with m.If(~number.busy & ~block.busy):
                    m.next = "NEXT"
        return m
