"""Constraints for the crossings between the clock of a source and that of the core."""

__all__ = ["source_constraints"]


def source_constraints(instance: str) -> str:
    """XDC for Vivado: each path between the two clocks of ``instance`` takes no longer than the shorter period.

    That bounds the skew of the Gray codes of the FIFO, too: each changes once in a period of its clock.
    """
    return f"""\
# The core is {instance}, and its two clocks have been created. They may have any frequency and any phase.
# All crossings between them are synchronizers of two flops and a FIFO with Gray codes.
set {instance}_core [get_clocks -of_objects [get_pins {instance}/clk]]
set {instance}_source [get_clocks -of_objects [get_pins {instance}/s_axis_aclk]]
set {instance}_bound [expr {{min([get_property PERIOD ${instance}_core], [get_property PERIOD ${instance}_source])}}]
set_max_delay -datapath_only -from ${instance}_core -to ${instance}_source ${instance}_bound
set_max_delay -datapath_only -from ${instance}_source -to ${instance}_core ${instance}_bound
"""
