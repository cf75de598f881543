"""The times of the start of a link (Serial ATA Revision 3.x, phy layer)."""

from dataclasses import dataclass

from ...facts.units import DWORD_HZ

__all__ = ["Timing"]


@dataclass(frozen=True)
class Timing:
    """Times of the host's phy, in seconds; ``longest_retry`` and ``longest_reference`` are factors, powers of two.

    The defaults are for hardware; simulations take shorter ones. A time that is not positive is a
    ``ValueError``, except ``dwell``, which may be 0.
    """

    #: From one COMRESET to the next. A drive may take 10 ms to answer with COMINIT, and the
    #: specification requires 10 ms between COMRESETs.
    retry: float = 20e-3
    #: The interval doubles with each try that fails, up to this many times the first.
    longest_retry: int = 32
    #: From COMWAKE until dwords are exchanged: 32768 dwords of Gen1.
    align: float = 32768 / DWORD_HZ[1]
    #: After so long in HR_SendAlign the next ALIGN is answered with SYNC: some drives continue with
    #: ALIGN until the host sends something else. With 0 only primitives other than ALIGN end the
    #: negotiation, as the specification has it.
    dwell: float = 20e-6
    #: The line idle: longer than the gaps of all OOB signals.
    signal_loss: float = 1e-6
    #: No dword without an error: the receiver starts over, and the signal detector is trusted.
    #: Much less than the 54.6 us for which a drive sends ALIGN at one rate.
    dword_loss: float = 12e-6
    #: So long the receiver is held at its reference before it follows the drive again.
    reference: float = 1.5e-6
    #: That time doubles with each try in which no ALIGN came, up to this many times the first.
    longest_reference: int = 8
    #: COMINIT that lasts longer is considered over: a detector that chatters.
    oob_end: float = 2e-6
    #: The same of COMWAKE. It is noticed with its fifth burst, 320 ns before it ends, and the host's D10.2 must
    #: be there 533 ns after that (state HP6); an end that is seen takes 175 ns.
    comwake_end: float = 0.7e-6
    #: No ALIGN received though a pair is due in every 256 dwords: 16 of these at Gen1.
    align_loss: float = 16 * 256 / DWORD_HZ[1]

    def __post_init__(self):
        for name, value in vars(self).items():
            if not value > 0 and (name, value) != ("dwell", 0):
                raise ValueError(f"{name} is {value}, it must be positive")
        for name, value in ("longest_retry", self.longest_retry), ("longest_reference", self.longest_reference):
            if value & (value - 1):
                raise ValueError(f"{name} is {value}, it must be a power of two")
