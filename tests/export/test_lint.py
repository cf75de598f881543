"""The exported file in the linters of others: Verilator with all its warnings, and Yosys' `check`."""

import warnings

import pytest
from short import short

from sata_recorder.export import verilog, yosys
from sata_recorder.interface.configuration import NAMED, Configuration

pytestmark = pytest.mark.wide

#: The named configurations, and what none of them has.
CONFIGURATIONS = {name: Configuration.from_toml(name) for name in NAMED} | {
    "default": Configuration(),
    "queued": Configuration(control="axi-lite", extents="queued", pacing="programmable"),
    "generation-3": Configuration(clock_hz=150e6, send_cont=False, max_command_sectors=256),
    "shortest": Configuration(sync_between_frames=False, retries=0, max_command_sectors=1, buffer_words=128),
    "drop": Configuration(control="axi-lite", retain_sectors=16, on_failure="skip", on_overflow="drop",
                          fua=True, smart_commands=9),
    "frames": Configuration(frames=True, on_overflow="drop"),
    "packets": Configuration(frames=True, frame_packets=True, source_width=64),
    "source": Configuration(source_width=8, source_clock=True, source_waits=False, extents="modes", files=True,
                            control="axi-lite"),
    "lines": Configuration(files=True, file_lines=True, extents="modes", source_width=64),
    "channels": Configuration(files=True, frames=True, frame_packets=True, channels=3, channel_width=8,
                              channel_waits=False, control="axi-lite"),
    "wide": Configuration(source_width=128, files=True, frames=True, playback_width=64),
    "playback": Configuration(playback_width=16, playback_clock=True, playback_fill=8, control="axi-lite"),
    "memory": Configuration(memory=3 << 20, retain_sectors=4096, extents="modes", control="axi-lite"),
    "wide-memory": Configuration(memory=16 << 30, memory_width=128, on_overflow="drop", memory_base=1 << 38),
    "long-sectors": Configuration(long_logical_sectors=True, on_failure="skip", extents="modes", files=True,
                                  frames=True, pacing="programmable", trim_ahead=True, look_sectors=64),
}


@pytest.fixture(scope="module", params=short(CONFIGURATIONS, ["everything", "source", "memory", "playback", "packets",
                                                             "channels"]))
def exported(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("lint") / "recorder.v"
    with warnings.catch_warnings():
        # Amaranth warns of expressions that are probably not what was meant.
        warnings.simplefilter("error", SyntaxWarning)
        path.write_text(verilog(CONFIGURATIONS[request.param]))
    return path


@pytest.mark.sample(6)
def test_verilator(verilator, exported):
    assert verilator(exported, "--top-module", "sata_recorder") == (0, "")


@pytest.mark.sample(6)
def test_yosys(exported):
    log = yosys.run([f"read_verilog {exported.name}", "hierarchy -check -top sata_recorder", "proc",
                     "check -assert"], exported.parent)
    assert "Found and reported 0 problems." in log and "Warning" not in log


@pytest.mark.sample(2)
def test_warnings_of_others_remain(verilator, exported):
    """What the file switches off is on again after it."""
    user = exported.with_name("user.v")
    user.write_text(f'`include "{exported.name}"\nmodule user(input a, output b);\n'
                    "  wire c = a;\n  assign b = 1'b0;\nendmodule\n")
    status, text = verilator(user, "--top-module", "user")
    assert status and "UNUSEDSIGNAL" in text and "user.v:3" in text and "recorder.v" not in text


@pytest.mark.quick
@pytest.mark.parametrize("body, words", [
    ("output [7:0] b); assign b = a", "WIDTHEXPAND"), ("output b); assign c = a", "IMPLICIT")])
def test_verilator_warns(verilator, tmp_path, body, words):
    path = tmp_path / "m.v"
    path.write_text(f"module m(input a, {body};\nendmodule\n")
    status, text = verilator(path)
    assert status and words in text


def test_yosys_finds(tmp_path):
    (tmp_path / "m.v").write_text("module m(output b); wire c; assign b = c; endmodule\n")
    with pytest.raises(yosys.YosysError, match="ERROR: Found 1 problems"):
        yosys.run(["read_verilog m.v", "hierarchy -top m", "proc", "check -assert"], tmp_path)
