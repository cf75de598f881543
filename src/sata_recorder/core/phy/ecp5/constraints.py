"""Constraints of core and PHY for nextpnr and Diamond: preferences (LPF)."""

from .reference import REFERENCE_HZ

__all__ = ["preferences"]


def preferences(back_end, instance, clock_hz):
    """Text of an LPF file for an :class:`.Ecp5` in a design that has it at the path ``instance``,
    and whose pads have the names of its pins."""
    def net(name):
        return f"{instance}.{name}"

    words = back_end.clocks(net("phy"))
    lines = [f"# Core and PHY at {instance}. The pads must be ports of the top level with these "
             "names.", "", "# Pads of the SERDES."]
    sites = back_end.sites()
    for pin in back_end.pins():
        lines.append(f'LOCATE COMP "{pin.name}" SITE "{sites[pin.name]}";' if sites else
                     f'# LOCATE COMP "{pin.name}" SITE "?";   no package was named')
    lines += ["", "# Clocks: of the core, of the words to the drive, of those from the drive.",
              f'FREQUENCY NET "{net("clk")}" {clock_hz:.1f} HZ;',
              *(f'FREQUENCY NET "{word}" {hz:.1f} HZ;' for word, hz in words.items())]
    if back_end.reference_clk_hz:
        lines += [f"# The PLL makes {REFERENCE_HZ / 1e6:g} MHz of this one for the SERDES.",
                  f'FREQUENCY NET "{net("reference_clk")}" {back_end.reference_clk_hz:.1f} HZ;']
    lines += ["", "# All crossings between these clocks go through synchronizers and queues with "
              "Gray", "# counters. nextpnr does not time crossings; it ignores these lines, and "
              "reports it."]
    lines += [f'BLOCK PATH FROM CLKNET "{first}" TO CLKNET "{second}";'
              for first in (net("clk"), *words) for second in (net("clk"), *words)
              if first != second]
    return "\n".join(lines) + "\n"
