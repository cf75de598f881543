"""Constraints of core and PHY for Vivado (XDC)."""

from ..lanes import lane_name

__all__ = ["clock_constraints", "xdc"]


def xdc(back_end, instance):
    """Text of an XDC file for a :class:`.Series7BackEnd` in a design that has it at the path ``instance``, and whose
    pads are ports of the top level with the names of its pins."""
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
    lines = [back_end.clock_comment]
    crossings = ["", "# All crossings between these clocks go through synchronizers of two flops and queues with Gray",
                 "# counters: no path between two of them may take longer than a period of the faster one.",
                 f"set {name}_core [get_clocks -of_objects [get_pins {core}]]"]
    for lane in range(back_end.lanes):
        made, bounded = _lane(back_end, f"{name}_lane{lane}" if lane else name,
                              f"{phy}/{lane_name('serdes', lane)}", f"{name}_core")
        lines += made
        crossings += bounded
    if back_end.reference == "pll":
        lines += ["", "# The reference comes from the fabric, which the vendor's guide reserves for tests.",
                  f"set_property SEVERITY {{Warning}} [get_drc_checks {back_end.reference_check}]"]
    return "\n".join(lines + crossings) + "\n"


def _lane(back_end, name, serdes, core):
    """Lines that make the clocks of one lane, and lines that bound its crossings with the clock ``core``."""
    lines, clocks = back_end.lane_clocks(name, serdes)
    crossings = [f"set {name}_{part} [get_clocks -of_objects [get_pins {pin}]]" for part, pin in clocks.items()]
    for other in (f"${name}_{part}" for part in clocks):
        bound = f"[expr {{min([get_property PERIOD ${core}], [get_property PERIOD {other}])}}]"
        crossings += [f"set_max_delay -datapath_only -from {begin} -to {end} {bound}"
                      for begin, end in ((f"${core}", other), (other, f"${core}"))]
    return lines, crossings
