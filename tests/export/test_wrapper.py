"""The wrappers of the core: SystemVerilog interfaces, and attributes for Vivado; each port is connected to itself."""

import re

import pytest
from short import short

from sata_recorder.export import BACK_ENDS, description, system_verilog, verilog, vivado_wrapper, yosys
from sata_recorder.interface.configuration import Configuration

CONFIGURATIONS = {
    "pins": Configuration(buffer_words=128),
    "all": Configuration(control="axi-lite", memory=1 << 20, source_clock=True, source_width=64, playback_clock=True,
                         playback_width=16, extents="modes"),
    "array": Configuration(drives=2, control="axi-lite", memory=1 << 20),
}


@pytest.fixture(scope="module", params=short(CONFIGURATIONS, ["all"]))
def case(request, tmp_path_factory):
    """A configuration, and a folder with its core."""
    folder = tmp_path_factory.mktemp("wrapper")
    (folder / "core.v").write_text(verilog(CONFIGURATIONS[request.param]))
    return CONFIGURATIONS[request.param], folder


def user(text):
    """A module that connects both sides of each interface of the wrapper in ``text``."""
    head = re.search(r"^module sata_recorder_sv \(\n(.*?)\n\);", text, re.MULTILINE | re.DOTALL)[1]
    interfaces = re.findall(r"(\w+_if)\.core (\w+)", head)
    plain = re.findall(r"(input|output) wire (\[\d+:0\] )?(\w+)", head)
    ports = ", ".join(" ".join(part) for part in plain)
    return (f"module user({ports});\n" + "".join(f"  {kind} {name}();\n" for kind, name in interfaces)
            + "  sata_recorder_sv wrapped (.*);\nendmodule\n")


@pytest.mark.wide
def test_interfaces(case, verilator):
    """Verilator connects it, with all warnings; nobody drives or reads the signals of the interfaces yet."""
    configuration, folder = case
    text = system_verilog(configuration)
    (folder / "wrapper.sv").write_text(text)
    (folder / "user.sv").write_text(user(text))
    status, told = verilator(folder / "user.sv", "core.v", "wrapper.sv", "--top-module", "user", "-Wno-UNDRIVEN",
                             "-Wno-UNUSED", "-Wno-DECLFILENAME", "-Wno-MULTITOP")
    assert (status, told) == (0, "")


@pytest.mark.wide
def test_every_port(case):
    """Each port of the core goes to the signal of its name, which both modports have, in opposite directions."""
    configuration, _ = case
    text = system_verilog(configuration)
    connected = dict(re.findall(r"^\s*\.(\w+)\s*\((\S+)\)", text, re.MULTILINE))
    for port in description(configuration)["ports"]:
        group, dot, name = connected[port["name"]].partition(".")
        assert (name or group) == port["name"] or f"{group}_{name}" == port["name"]
        if dot:
            kind, = re.findall(rf"(\w+_if)\.core {group}\b", text)
            body = re.search(rf"^interface {kind};\n(.*?)^endinterface", text, re.MULTILINE | re.DOTALL)[1]
            width = f"[{port['width'] - 1}:0] " if port["width"] > 1 else ""
            assert f"  logic {width}{name};" in body
            other = {"input": "output", "output": "input"}[port["direction"]]
            assert re.search(rf"modport core \(.*\b{port['direction']} {name}\b", body)
            assert re.search(rf"modport user \(.*\b{other} {name}\b", body)


@pytest.mark.wide
def test_attributes(case, verilator):
    """The wrapper for Vivado has the core's ports, and names the clock of each AXI interface once."""
    configuration, folder = case
    text = vivado_wrapper(configuration)
    (folder / "ip.v").write_text(text)
    assert verilator(folder / "ip.v", "core.v", "--top-module", "sata_recorder_ip", "-Wno-DECLFILENAME") == (0, "")
    log = yosys.run(["read_verilog ip.v", "read_verilog -lib core.v", "hierarchy -check -top sata_recorder_ip",
                     "select -list A:X_INTERFACE_INFO=*", "select -list a:X_INTERFACE_INFO=*"], folder)
    assert "sata_recorder_ip/clk" in log and "sata_recorder_ip/rst" in log
    associated = [bus for found in re.findall(r"ASSOCIATED_BUSIF ([\w:]+)", text) for bus in found.split(":")]
    # Each lane of an array has a memory of its own.
    names = [port["name"] for port in description(configuration)["ports"]]
    buses = [re.match(r"(s_axis|m_axis|s_axil|m_axi\d*)_", name) for name in names]
    assert sorted(associated) == sorted({bus[1] for bus in buses if bus})
    assert f"FREQ_HZ {configuration.clock_hz:.0f}" in text and "POLARITY ACTIVE_HIGH" in text


def test_pads_stay_ports():
    text = system_verilog(Configuration(clock_hz=100e6), BACK_ENDS["ecp5"]())
    assert "  output wire sata_tx_p" in text and "sata_recorder_phy_if.core phy" in text
