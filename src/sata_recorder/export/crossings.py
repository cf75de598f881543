"""Constraints for the crossings between the clocks of the streams and that of the core."""

from ..interface.configuration import Configuration

__all__ = ["crossing_constraints"]


def crossing_constraints(instance: str, configuration: Configuration, kind: str = "xdc") -> str:
    """Each path between the clocks of ``instance`` takes no longer than the shorter period: ``kind`` "xdc" for Vivado,
    or "sdc" for tools that read SDC.

    That bounds the skew of the Gray codes of the FIFOs, too: each changes once in a period of its clock.
    """
    return (_xdc if kind == "xdc" else _sdc)(instance, configuration.stream_clocks)


def _xdc(instance: str, others: dict[str, str]) -> str:
    lines = [f"""\
# The core is {instance}, and its clocks have been created. They may have any frequency and any phase.
# All crossings between them are synchronizers of two flops and FIFOs with Gray codes.
set {instance}_core [get_clocks -of_objects [get_pins {instance}/clk]]"""]
    for name, port in others.items():
        other, bound = f"{instance}_{name}", f"{instance}_{name}_bound"
        lines.append(f"""\
set {other} [get_clocks -of_objects [get_pins {instance}/{port}]]
set {bound} [expr {{min([get_property PERIOD ${instance}_core], [get_property PERIOD ${other}])}}]
set_max_delay -datapath_only -from ${instance}_core -to ${other} ${bound}
set_max_delay -datapath_only -from ${other} -to ${instance}_core ${bound}""")
    return "\n".join(lines) + "\n"


def _sdc(instance: str, others: dict[str, str]) -> str:
    """SDC knows neither the clock at a pin nor its period; the other bound keeps hold from being checked."""
    clocks = {"core": "clk"} | others
    wanted = "\n".join(f"#   set {instance}_{name}_clock NAME; set {instance}_{name}_period NANOSECONDS    ;# {port}"
                       for name, port in clocks.items())
    lines = [f"""\
# The clocks of {instance} have been created. They may have any frequency and any phase. Set these before:
{wanted}
# All crossings between them are synchronizers of two flops and FIFOs with Gray codes."""]
    for name in others:
        core, other, bound = f"{instance}_core", f"{instance}_{name}", f"{instance}_{name}_bound"
        lines.append(f"set {bound} [expr {{min(${core}_period, ${other}_period)}}]")
        for begin, end in (core, other), (other, core):
            paths = f"-from [get_clocks ${begin}_clock] -to [get_clocks ${end}_clock]"
            lines += [f"set_max_delay {paths} ${bound}", f"set_min_delay {paths} [expr {{-${bound}}}]"]
    return "\n".join(lines) + "\n"
