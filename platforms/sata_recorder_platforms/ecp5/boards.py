"""Boards with an ECP5."""

from sata_recorder.core.phy.ecp5 import Ecp5

from ..board import Board
from .flow import FLOW


def _ecpix5(size):
    def platform():
        from amaranth_boards import ecpix5
        return {45: ecpix5.ECPIX545Platform, 85: ecpix5.ECPIX585Platform}[size]()

    def leds(platform):
        """One colour of each of the four LEDs, and a second one of the last."""
        led = [platform.request("rgb_led", n, dir=dict.fromkeys("rgb", "-"))
               for n in range(4)]
        return led[0].g, led[1].b, led[2].r, led[3].g, led[3].b

    return Board(f"LambdaConcept ECPIX-5, LFE5UM5G-{size}F, SATA connector", platform,
                 Ecp5(dual=1, channel=0, package="CABGA554"), leds, FLOW)


def _versa():
    from amaranth.build import Attrs, DiffPairs, Resource, Subsignal
    from amaranth_boards.versa_ecp5_5g import VersaECP55GPlatform

    class VersaSma(VersaECP55GPlatform):
        resources = [
            *VersaECP55GPlatform.resources,
            # The SMA connectors of the SERDES.
            Resource("sata", 0,
                     Subsignal("tx", DiffPairs("W8", "W9", dir="o")),
                     Subsignal("rx", DiffPairs("Y7", "Y8", dir="i")), Attrs(IO_TYPE="LVDS")),
        ]
    return VersaSma()


def _versa_leds(platform):
    return tuple(platform.request("led", n, dir="-") for n in range(5))


#: Name of a board on the command line.
BOARDS = {
    "ecpix5-85f": _ecpix5(85),
    "ecpix5-45f": _ecpix5(45),
    "versa-5g": Board("Lattice ECP5-5G Versa, LFE5UM5G-45F, SATA at the SMA connectors", _versa,
                      Ecp5(dual=0, channel=1, package="CABGA381"), _versa_leds,
                      FLOW),
}
