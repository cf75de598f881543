"""CRC and scrambler against their definitions, bit by bit."""

from amaranth.hdl import Array, Cat, Const, Mux, Signal

from sata_recorder.core.link.crc_scrambler import CrcScrambler
from sata_recorder.core.crc import CRC_SEED, crc_next
from sata_recorder.core.link.scrambler import SCRAMBLER_SEED, scrambler_next


def shifted(m, value, taps, feedback, name):
    """One step of a linear feedback shift register."""
    following = Signal(len(value), name=name)
    m.d.comb += following.eq(Cat(
        (value[i - 1] if i else 0) ^ (feedback if i in taps else 0) for i in range(len(value))))
    return following


def serial_crc(m, value, dword):
    """x^32+x^26+x^23+x^22+x^16+x^12+x^11+x^10+x^8+x^7+x^5+x^4+x^2+x+1, bit 31 of ``dword`` first.
    """
    taps = (0, 1, 2, 4, 5, 7, 8, 10, 11, 12, 16, 22, 23, 26)
    for bit in reversed(range(32)):
        value = shifted(m, value, taps, value[31] ^ dword[bit], f"crc_{bit}")
    return value


def serial_scrambler(m, register):
    """32 steps of x^16+x^15+x^13+x^4+1: the dword that comes out, bit 0 first, and what stays."""
    out = []
    for bit in range(32):
        out.append(register[15])
        register = shifted(m, register, (0, 4, 13, 15), register[15], f"register_{bit}")
    return Cat(out), register


def functions(h):
    """From any state and any dword; combinational."""
    m = h.m
    crc, dword, register = h.any(32, "crc"), h.any(32, "dword"), h.any(16, "register")
    h.check("CRC as the bit-serial one", crc_next(crc, dword) == serial_crc(m, crc, dword))
    keystream, register = serial_scrambler(m, register)
    following, _ = serial_scrambler(m, register)
    h.check("keystream as that of the bit-serial scrambler", scrambler_next(keystream) == following)
    h.check("seeds", (serial_scrambler(m, Const(0xFFFF, 16))[0] == SCRAMBLER_SEED)
            & (CRC_SEED == 0x52325032))

    h.cover("a CRC of 0", h.first & (crc_next(crc, dword) == 0))
    h.cover("the keystream after C2D2768D",
            h.first & (keystream == 0xC2D2768D) & (scrambler_next(keystream) == 0x1F26B368))


def crc_scrambler(h):
    """Both users do anything."""
    m = h.m
    dut = h.dut(CrcScrambler())
    users = receive, transmit = dut.receive, dut.transmit
    for user in users:
        h.drive(user.restart, user.step, user.word)
    h.drive(dut.transmitting)
    restart, step, word = Signal(), Signal(), Signal(32)
    m.d.comb += [
        restart.eq(receive.restart | transmit.restart), step.eq(receive.step | transmit.step),
        word.eq(Mux(dut.transmitting, transmit.word, receive.word)),
    ]
    h.check("both users see the same",
            (receive.crc == transmit.crc) & (receive.keystream == transmit.keystream))
    for name, value, seed, following in (
            ("crc", receive.crc, CRC_SEED, crc_next(h.past(receive.crc), h.past(word))),
            ("keystream", receive.keystream, SCRAMBLER_SEED,
             scrambler_next(h.past(receive.keystream)))):
        h.check(f"the {name} advances with each step, and begins with restart",
                value == Mux(h.first | h.past(restart), seed,
                             Mux(h.past(step), following, h.past(value))))
    h.cover("a step after a restart", h.past(step) & h.past(h.past(restart)))

    # FIS 00308027 E1234567 00000000 00000002 00000000 has the CRC 319FFF6F.
    fis = Array([0x00308027, 0xE1234567, 0x00000000, 0x00000002, 0x00000000, 0, 0, 0])
    index = Signal(3)
    h.m.d.sync += index.eq(index + 1)
    h.cover("a FIS and its CRC", (index == 5) & (transmit.crc == 0x319FFF6F),
            given=step & ~restart & (word == fis[index]))
