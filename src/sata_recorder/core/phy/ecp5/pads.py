"""Which pads belong to which channel of which DCU.

As the boards that amaranth-boards describes use them: the ECP5-5G Evaluation Board (all of
CABGA381) and the ECPIX-5 (what it uses of CABGA554). Neither Project Trellis nor nextpnr knows the
pads of the SERDES: a pair that belongs to another channel would be accepted without a message.
"""

__all__ = ["LANES", "REFERENCES", "lane"]

#: Package to (dual, channel) to the pads TX P and N, RX P and N.
LANES = {
    "CABGA381": {(0, 0): ("W4", "W5", "Y5", "Y6"), (0, 1): ("W8", "W9", "Y7", "Y8"),
                 (1, 0): ("W13", "W14", "Y14", "Y15"), (1, 1): ("W17", "W18", "Y16", "Y17")},
    "CABGA554": {(1, 0): ("AD16", "AD17", "AF15", "AF16")},
}
#: Package to dual to the pads of its reference, P and N.
REFERENCES = {"CABGA381": {0: ("Y11", "Y12"), 1: ("Y19", "W20")}}


def lane(package, dual, channel):
    """The pads of a channel, or ``ValueError`` where they are not known here."""
    if package not in LANES:
        raise ValueError(f"package is {package}, pads are known of {', '.join(LANES)}")
    known = LANES[package]
    if (dual, channel) not in known:
        raise ValueError(
            f"dual is {dual} and channel {channel}: their pads of {package} are not known here, "
            f"only those of {', '.join(f'dual {one} channel {other}' for one, other in known)}")
    return known[dual, channel]
