"""All proofs, with the faults that each of them must find."""

from dataclasses import dataclass, field

__all__ = ["Change", "Proof", "PROOFS"]


@dataclass(frozen=True)
class Change:
    """``old`` becomes ``new`` in a copy of ``file``, a path in the package sata_recorder."""

    file: str
    old: str
    new: str


@dataclass(frozen=True)
class Proof:
    """``build`` is ``module.function`` in formal.proofs.

    ``abstractions`` are made for the proof itself. Each cover has to be reached within ``frames``
    clocks, and a counterexample to each fault be found within ``depth``. ``seconds`` are given to
    each question.
    """

    name: str
    build: str
    faults: tuple
    frames: int = 20
    depth: int = 20
    seconds: int = 120
    keywords: dict = field(default_factory=dict)
    abstractions: tuple = ()


PROOFS = [
    Proof("CRC and scrambler functions", "coder.functions", (
        Change("link/crc.py", "0x04C11DB7", "0x04C11DB5"),
        Change("link/scrambler.py", "history[n + 13]", "history[n + 12]"),
    )),
    Proof("CRC and scrambler registers", "coder.coder", (
        Change("link/coder.py", "m.If(self.restart)", "m.If(self.restart & ~self.step)"),
        Change("link/coder.py", "crc_next(self.crc, self.word)",
               "crc_next(self.crc, self.word ^ self.key)"),
    )),
    Proof("emitter, with CONT", "emitter.emitter", (
        Change("link/emitter.py", "cont.eq(same & repeated & ~junk)",
               "cont.eq(same & ~junk)"),
        Change("link/emitter.py", "self.take.eq(self.advance & ~junk)",
               "self.take.eq(self.advance)"),
        Change("link/emitter.py", "self.advance.eq(self.tx_ready & ~slot)",
               "self.advance.eq(~slot)"),
    ), frames=262),
    Proof("emitter, an ALIGN pair in 16", "emitter.emitter", (
        Change("link/emitter.py", "(phase == ALIGN_INTERVAL - 3) | (phase",
               "(phase == ALIGN_INTERVAL - 4) | (phase"),
        Change("link/emitter.py", "self.advance.eq(self.tx_ready & ~slot)",
               "self.advance.eq(self.tx_ready)"),
        Change("link/emitter.py", "phase.eq(phase + 1),", "phase.eq(phase + ~slot),"),
        Change("link/emitter.py", "with m.If(self.tx_ready):\n            m.d.sync += [\n",
               "with m.If(1):\n            m.d.sync += [\n"),
    ), keywords={"interval": 16}, abstractions=(
        Change("link/emitter.py", "ALIGN_INTERVAL = 256", "ALIGN_INTERVAL = 16"),)),
    Proof("emitter, without CONT", "emitter.emitter", (
        Change("link/emitter.py", "body.eq(body_next)", "body.eq(0)"),
    ), keywords={"send_cont": False}),
    Proof("decoder", "decoder.decoder", (
        Change("link/decoder.py", "with m.If(~junk):", "with m.If(1):"),
        Change("link/decoder.py", "self.strobe.eq(1),\n                    junk.eq(0),",
               "self.strobe.eq(1),"),
        Change("link/decoder.py", "with m.If(self.rx_error):", "with m.If(0):"),
    )),
    Proof("emitter to decoder", "decoder.wire", (
        Change("link/emitter.py", "with m.If(self.send.data & junk):", "with m.If(0):"),
        Change("link/decoder.py", "with m.If(~junk):", "with m.If(1):"),
    ), frames=260),
    Proof("skid register", "skid.skid", (
        Change("link/skid.py", "self.i.ready.eq(~spare_valid)", "self.i.ready.eq(1)"),
        Change("link/skid.py", "with m.If(spare_valid):", "with m.If(0):"),
    )),
    Proof("booking", "booking.booking", (
        Change("command/booking.py", "m.d.comb += valid.eq(emits & sent.x_rdy)",
               "m.d.comb += valid.eq(0)"),
        Change("command/booking.py", "FLUSH = 13", "FLUSH = 12"),
    )),
]
