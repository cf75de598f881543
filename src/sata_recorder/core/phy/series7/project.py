"""A script with which Vivado makes a bitstream of a design that has core and PHY in it."""

__all__ = ["script"]

_SCRIPT = """\
# From the core and your top level to a bitstream. The Verilog {verilog} and the constraints {constraints} are expected
# beside this file. No Vivado has run this script where it was written.
#
#     vivado -mode batch -source THIS.tcl -tclargs TOP FILE...
#
# TOP: the name of your top level, which has the instance sata_recorder_i. FILE...: its Verilog (.v, .sv) and its
# constraints (.xdc), which create the clock of the core and locate the other pins.
if {{$argc < 2}} {{
    error "no top level: vivado -mode batch -source [file tail [info script]] -tclargs TOP FILE..."
}}
set folder [file dirname [file normalize [info script]]]
set top [lindex $argv 0]
read_verilog [file join $folder {verilog}]
set constraints {{}}
foreach name [lrange $argv 1 end] {{
    switch [file extension $name] {{
        .v {{ read_verilog $name }}
        .sv {{ read_verilog -sv $name }}
        .xdc {{ lappend constraints $name }}
        default {{ error "$name: it must be .v, .sv or .xdc" }}
    }}
}}
# Those of the core look for clocks, so they come last.
foreach name [concat $constraints [list [file join $folder {constraints}]]] {{
    read_xdc $name
}}
synth_design -top $top -part {part}
report_utilization -hierarchical -file ${{top}}_utilization.txt
opt_design
place_design
phys_opt_design
route_design
report_timing_summary -file ${{top}}_timing.txt
report_clock_interaction -file ${{top}}_clocks.txt
report_drc -file ${{top}}_drc.txt
foreach {{kind option}} {{"set-up" -setup "hold" -hold}} {{
    set worst [get_property SLACK [get_timing_paths -max_paths 1 $option]]
    if {{$worst < 0}} {{
        error "$kind: $worst ns are missing; see ${{top}}_timing.txt"
    }}
}}
write_bitstream -force ${{top}}.bit
"""


def script(part, verilog, constraints):
    """Text of the script for the device ``part``, with the names of the core's Verilog and XDC files."""
    return _SCRIPT.format(part=part, verilog=verilog, constraints=constraints)
