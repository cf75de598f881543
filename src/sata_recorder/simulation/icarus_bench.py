"""A Verilog bench around the core: its clock, all inputs as one vector, all outputs as another."""

from .signals import OUTPUTS, controls

#: Inputs from bit 0 on, before the controls. The first 40 bits are the word that the drive returns.
_INPUTS = {"phy_rx_data": 32, "phy_rx_k": 4, "phy_rx_valid": 1, "phy_tx_ready": 1,
           "phy_link_up": 1, "phy_rx_error": 1, "s_axis_tvalid": 1, "m_axis_tready": 1,
           "s_axis_tdata": 32}
#: Outputs from bit 0 on. The first 37 bits are the word that the drive is called with.
_OUTPUTS = {"phy_tx_data": 32, "phy_tx_k": 4, "phy_reset": 1, "s_axis_tready": 1,
            "m_axis_tvalid": 1, "m_axis_tlast": 1, "m_axis_tdata": 32, **OUTPUTS}


def _places(widths):
    places, start = {}, 0
    for name, width in widths.items():
        places[name] = start, width
        start += width
    return places, start


#: Name to (lowest bit, width) in the vector of the outputs.
OUTPUT_BITS, _OUTPUT_WIDTH = _places(_OUTPUTS)


def input_bits(configuration):
    """Name to (lowest bit, width) in the vector of the inputs."""
    return _places(_INPUTS | controls(configuration))[0]


def wrapper(configuration):
    """The Verilog text of the module ``bench``.

    ``+vcd=FILE`` writes the waves of the core, and ``+ports_only`` those of its ports only.
    """
    inputs, width = _places(_INPUTS | controls(configuration))
    pins = [f".{name}({vector}[{low} +: {width}])"
            for vector, places in (("inputs", inputs), ("outputs", OUTPUT_BITS))
            for name, (low, width) in places.items()]
    ports = ", ".join(f"core.{name}" for name in ("clk", *inputs, *OUTPUT_BITS))
    return f"""module bench;
  reg clk = 0;
  reg [{width - 1}:0] inputs = 0;
  wire [{_OUTPUT_WIDTH - 1}:0] outputs;
  reg [8 * 4096 - 1:0] vcd;

  always #5 clk = !clk;

  sata_recorder core (.clk(clk), {", ".join(pins)});

  initial if ($value$plusargs("vcd=%s", vcd)) begin
    $dumpfile(vcd);
    if ($test$plusargs("ports_only"))
      $dumpvars(0, {ports});
    else
      $dumpvars(0, core);
  end
endmodule
"""
