"""The registers on an AXI4-Lite port."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...interface import ADDRESS_BITS, AXIL, BASE, FILE, LINK, POWER, Face, named_ports, registers_with
from ...interface.registers import Access
from .echo import Echo

__all__ = ["RegisterBank"]

_OKAY, _SLVERR = 0b00, 0b10

_WORD_BITS = 32
_READ_CLOCKS = 3    # from the address to the data, which a memory takes 2 clocks to give


class RegisterBank(wiring.Component):
    """:data:`...interface.REGISTERS` as a subordinate on AXI4-Lite.

    Addresses and data of writes come in any order. One read and one write run at a time. An
    address without a register, and a write to a register that cannot be written, are answered by
    SLVERR and change nothing. A byte without its strobe is left alone. The
    response to a write comes after its effects: 3 clocks after the later of address and data,
    at the earliest; the data of a read come 4 clocks after their address. What is written to wide fields is read back
    from a memory, which is cleared in the first clocks after a reset; nothing is accepted in these.

    Parameters
    ----------
    groups : Group          Groups whose registers there are besides those of every core.

    Members
    -------
    axil : In(AXIL.signature)
        AXI4-Lite. ``irq`` is high while STATUS.DONE is set and its interrupt enabled, or FILE_STATUS.DONE and its own.
    user : Out(Face)
        What the registers control and show: the state of the link, :data:`...interface.BASE` and ``groups``.
    """

    def __init__(self, *groups):
        #: All its registers.
        self.registers = registers_with(*groups)
        self._has_files = FILE in groups
        self._is_taken = self._has_files or POWER in groups
        super().__init__({
            "axil": In(AXIL.signature), "user": Out(Face(LINK, *BASE, *groups)),
        })

    def elaborate(self, platform):
        m = Module()
        self._ports = {name: value for name, (value, _) in named_ports(self).items()}
        self._ports |= {"phy_link_up": self.user.link.up, "phy_generation": self.user.link.generation}
        self._own = {}
        start = self.user.control.start
        if self._is_taken:
            # After an operation of the user a stage may still have the core: a start is ignored then.
            start &= ~self.user.status.busy
        raises = self._kept(m, "", start, self.user.status.done)
        if self._has_files:
            raises |= self._kept(m, "FILE_", self.user.file.start & ~self.user.file.busy,
                                 self.user.file.done)
        m.d.comb += self.axil.irq.eq(raises)
        m.submodules.echo = self._echo = Echo(self.registers)
        self._write(m)
        self._read(m)
        return m

    def _kept(self, m, prefix, start, over):
        """Keeps the end of an operation, which lasts a clock, until it is cleared. The next operation may
        start in that clock: then nothing is kept. ``start`` is one that is not ignored.
        Returns whether it raises the interrupt."""
        done = Signal()
        clear = Signal()
        enable = Signal()
        with m.If(start):
            m.d.sync += done.eq(0)
        with m.Elif(over):
            m.d.sync += done.eq(1)
        with m.Elif(clear):
            m.d.sync += done.eq(0)
        self._own |= {(f"{prefix}STATUS", "DONE"): (done, clear),
                      (f"{prefix}INTERRUPT_ENABLE", "DONE"): (enable, enable)}
        return done & enable

    def _shown(self, register, field):
        """What ``field`` reads as."""
        if field.value is not None:
            return Const(field.value, field.width)
        if field.port is None:
            return self._own[register.name, field.name][0]
        return self._ports[field.port]

    def _target(self, register, field):
        """What a write to ``field`` sets."""
        if field.port is None:
            return self._own[register.name, field.name][1]
        return self._ports[field.port]

    def _write(self, m):
        axil = self.axil
        address = Signal(ADDRESS_BITS - 2)
        data = Signal(32)
        strobes = Signal(4)
        has_address = Signal()
        has_data = Signal()
        writes = Signal()
        wrote = Signal()
        known = Signal()
        echo = self._echo
        m.d.comb += [
            axil.awready.eq(~has_address & echo.ready),
            axil.wready.eq(~has_data & echo.ready),
            writes.eq(has_address & has_data & ~wrote & ~axil.bvalid & ~echo.waits),
            echo.write.eq(wrote), echo.write_address.eq(address), echo.data.eq(data), echo.strobes.eq(strobes),
        ]
        with m.If(axil.awready):
            m.d.sync += [has_address.eq(axil.awvalid), address.eq(axil.awaddr[2:])]
        with m.If(axil.wready):
            m.d.sync += [has_data.eq(axil.wvalid), data.eq(axil.wdata), strobes.eq(axil.wstrb)]
        with m.If(writes):
            m.d.sync += [has_address.eq(0), has_data.eq(0)]

        m.d.sync += wrote.eq(writes)
        with m.If(wrote):
            m.d.sync += [axil.bvalid.eq(1), axil.bresp.eq(Mux(known, _OKAY, _SLVERR))]
        with m.Elif(axil.bready):
            m.d.sync += axil.bvalid.eq(0)

        def write(word, field):
            target = self._target(word.register, field)
            if word.register.wide:
                target = target[word.start:word.start + field.width]
            for byte, strobe in enumerate(strobes):
                low, high = max(8 * byte, field.low), min(8 * byte + 8, field.low + field.width)
                if low < high:
                    with m.If(strobe):
                        m.d.sync += target[low - field.low:high - field.low].eq(data[low:high])

        for register in self.registers:
            for field in register.fields:
                if field.access in (Access.W1P, Access.W1C):
                    m.d.sync += self._target(register, field).eq(0)
        with m.If(writes):
            m.d.sync += known.eq(0)
            with m.Switch(address):
                for word in (word for register in self.registers if register.writable
                             for word in register.words):
                    with m.Case(word.offset // 4):
                        m.d.sync += known.eq(1)
                        for field in word.fields:
                            if field.access.writable:
                                write(word, field)

    def _read(self, m):
        axil = self.axil
        address = Signal(ADDRESS_BITS)
        busy = Signal()
        clocks = Signal(_READ_CLOCKS)       # one bit set: clocks since the address came
        # The rest of the register whose low word was read last.
        high = Signal(max(register.width for register in self.registers) - _WORD_BITS)
        echo = self._echo
        m.d.comb += [
            axil.arready.eq(~busy & echo.ready),
            # A word is not read while it is written: its memory is read with the second clock.
            echo.read_address.eq(address[2:]), echo.waits.eq(clocks[0]),
        ]
        m.d.sync += clocks.eq(Cat(axil.arvalid & axil.arready, clocks))
        with m.If(axil.arready):
            m.d.sync += [busy.eq(axil.arvalid), address.eq(axil.araddr)]

        words, kept = {}, {}                # word address, with - for any bit: its value
        for register in self.registers:
            value = self._value(register)
            for word in register.words:
                pattern = _pattern(word)
                words[pattern] = value[word.start:][:_WORD_BITS]
                if register.latched:
                    if word.half == "LOW":
                        kept[pattern] = value[_WORD_BITS:]
                    else:
                        words[pattern] = high
            if register.count > 1:
                index, _ = register.fields[0].port
                m.d.comb += self._ports[index].eq(address[(register.stride - 1).bit_length():])
        data, known = _chosen(m, address[2:], words)
        beside, keeps = _chosen(m, address[2:], kept)
        with m.If(clocks[-1]):
            m.d.sync += [
                axil.rvalid.eq(1),
                axil.rdata.eq(data | echo.word),
                axil.rresp.eq(Mux(known, _OKAY, _SLVERR)),
            ]
            with m.If(keeps):
                m.d.sync += high.eq(beside)
        with m.Elif(axil.rvalid & axil.rready):
            m.d.sync += [axil.rvalid.eq(0), busy.eq(0)]

    def _value(self, register):
        """What ``register`` reads as."""
        if register.count > 1:
            _, data = register.fields[0].port
            return self._ports[data]
        bits = [Const(0, 1)] * register.width
        for field in register.fields:
            if field.access is not Access.W1P and not (field.access is Access.RW and self._echo.has(register)):
                bits[field.low:field.low + field.width] = self._shown(register, field)
        return Cat(bits)


def _pattern(word):
    """The word addresses of ``word`` in all entries of its register: 0, 1 and - for a free bit."""
    register = word.register
    bits = f"{word.offset // 4:0{ADDRESS_BITS - 2}b}"
    end = len(bits) - (register.stride // 4).bit_length() + 1
    free = register.count.bit_length() - 1
    return bits[:end - free] + "-" * free + bits[end:]


def _chosen(m, index, values):
    """The one of ``values`` whose pattern ``index`` matched in the clock before, else 0; and
    whether there was one.

    It takes half the LUTs of a ``Switch``, which becomes a tree of wide multiplexers.
    """
    patterns = {}       # of each value
    for pattern, value in values.items():
        patterns.setdefault(id(value), (value, []))[1].append(pattern)
    chosen = 0
    found = Signal()
    m.d.sync += found.eq(index.matches(*values))
    for value, those in patterns.values():
        selected = Signal()
        m.d.sync += selected.eq(index.matches(*those))
        chosen |= value & selected.replicate(len(value))
    return chosen, found
