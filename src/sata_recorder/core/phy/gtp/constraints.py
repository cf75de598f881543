"""Constraints of core and PHY for Vivado (XDC)."""

from .rates import CHARACTER_HZ

__all__ = ["clock_constraints", "xdc"]


def xdc(back_end, instance):
    """Text of an XDC file for a :class:`.Gtp` in a design that has it at the path ``instance``, and whose pads are
    ports of the top level with the names of its pins."""
    lines = [f"# Core and PHY at {instance}. The pads must be ports of the top level with these names, and the clock",
             f"# at {instance}/clk must have been created.", "", "# Pads of the SERDES."]
    sites = back_end.sites()
    for pin in back_end.pins():
        lines.append(f"set_property PACKAGE_PIN {sites[pin.name]} [get_ports {pin.name}]" if sites else
                     f"# set_property PACKAGE_PIN ? [get_ports {pin.name}]   ;# the option pads names none")
    if back_end.reference == "pads":
        lines.append(f"create_clock -name {instance}_reference -period {1e9 / back_end.reference_hz:.3f} "
                     "[get_ports sata_refclk_p]")
    return "\n".join(lines) + "\n\n" + clock_constraints(back_end, instance, f"{instance}/phy", f"{instance}/clk")


def clock_constraints(back_end, name, phy, core):
    """Text of the part of an XDC file without pads, for a PHY at the path ``phy``, whose ``sync`` has the clock at the
    pin ``core``; what is named in it begins with ``name``."""
    serdes = f"{phy}/serdes"
    period = 1e9 / CHARACTER_HZ[back_end.generation]
    lines = ["# Clocks of words of 20 bits: to the drive and from it. Vivado derives those of the MMCM; every",
             "# second pulse of the other one is a clock that it cannot derive."]
    for way, pin in ("tx", "TXOUTCLK"), ("rx", "RXOUTCLK"):
        lines.append(f"create_clock -name {name}_{way}outclk -period {period:.3f} [get_pins {serdes}/channel/{pin}]")
    lines.append(f"create_generated_clock -name {name}_rx -edges {{1 2 5}} -source "
                 f"[get_pins {serdes}/rx_clocking/second/I] [get_pins {serdes}/rx_clocking/second/O]")
    if back_end.reference == "pll":
        lines += ["", "# The reference comes from the fabric, which UG482 reserves for tests.",
                  "set_property SEVERITY {Warning} [get_drc_checks REQP-49]"]
    lines += ["", "# All crossings between these clocks go through synchronizers of two flops and queues with Gray",
              "# counters: no path between two of them may take longer than a period of the faster one."]
    clocks = {"core": core, "tx": f"{serdes}/tx_clocking/buffer_1/O",
              "rxusr": f"{serdes}/rx_clocking/all/O", "rx": f"{serdes}/rx_clocking/second/O"}
    for part, pin in clocks.items():
        lines.append(f"set {name}_{part} [get_clocks -of_objects [get_pins {pin}]]")
    for first, second in (("core", "tx"), ("core", "rx"), ("core", "rxusr")):
        one, other = f"${name}_{first}", f"${name}_{second}"
        bound = f"[expr {{min([get_property PERIOD {one}], [get_property PERIOD {other}])}}]"
        lines += [f"set_max_delay -datapath_only -from {begin} -to {end} {bound}"
                  for begin, end in ((one, other), (other, one))]
    return "\n".join(lines) + "\n"
