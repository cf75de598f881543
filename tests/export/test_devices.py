"""The exported file in Yosys' synthesis for devices of all kinds: each has memories of its own, some no
LUT that can be one."""

import pytest
from short import short

from sata_recorder.export import verilog, yosys
from sata_recorder.interface.configuration import NAMED, Configuration

pytestmark = pytest.mark.wide

#: The synthesis of each family, to where its memories are mapped.
FAMILIES = {"xilinx": "map_ffs", "intel_alm": "map_ffs", "gowin": "map_gates", "gatemate": "map_regs",
            "ice40": "map_gates", "efinix": "map_gates", "quicklogic": "map_gates", "ecp5": "map_gates"}
CONFIGURATIONS = {"default": Configuration()} | {name: Configuration.from_toml(name) for name in NAMED}
#: The default core in all of them; all options in the one that has neither LUT RAM nor asynchronous reads.
CASES = [*(("default", family) for family in FAMILIES), ("everything", "gatemate")]


@pytest.mark.long
@pytest.mark.parametrize("name, family", CASES)
def test_memories_are_mapped(name, family, tmp_path):
    tmp_path.joinpath("recorder.v").write_text(verilog(CONFIGURATIONS[name]))
    yosys.run(["read_verilog recorder.v",
               f"synth_{family} -top sata_recorder -run begin:{FAMILIES[family]}",
               "select -assert-none t:$mem t:$mem_v2 t:$memrd* t:$memwr*"], tmp_path)


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", short(CONFIGURATIONS, ["everything", "modes"]))
def test_no_memory_wants_a_kind_that_a_device_may_lack(name):
    """Each device has block RAM; LUTs that can be RAM are a family's own."""
    text = verilog(CONFIGURATIONS[name])
    styles = {line.split('"')[1] for line in text.splitlines() if "ram_style" in line}
    assert styles <= {"block"}, styles
