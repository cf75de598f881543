"""The drive in Verilog, and the testbench around it: the same dwords, clock by clock, as from the drive model."""

import subprocess

import pytest
from short import short

from sata_drive_model import Behaviour, DiskImage, Drive, DrivePort, Monitor
from sata_drive_model.verilog import source
from sata_recorder.export import BENCH, bench, bench_obstacle, verilog
from sata_recorder.interface.configuration import Configuration
from sata_recorder.simulation import verilog_drive

SECTORS = 2048
#: Sectors that are recorded: two Data FISes.
COUNT = 17
#: A dword of junk after CONT, which is any data.
JUNK = "junk"
#: Writes what the core and the drive send in each clock. The user of the playback stops now and then, so that HOLD
#: comes from either side.
TRACE = """
module trace;
  integer file, clocks = 0;
  {parameters}
  initial file = $fopen("trace.txt");
  always @(posedge {bench}.clk) begin
    $fdisplay(file, "%b %h %b %b %b %b %b %h %b", {bench}.phy_reset, {bench}.phy_tx_data, {bench}.phy_tx_k,
              {bench}.phy_rx_error, {bench}.phy_link_up, {bench}.phy_tx_ready, {bench}.phy_rx_valid,
              {bench}.phy_rx_data, {bench}.phy_rx_k);
    clocks = clocks + 1;
    if ({stalls} && {bench}.taken > 0 && clocks % 700 < 300) force {bench}.m_axis_tready = 0;
    else if ({stalls}) release {bench}.m_axis_tready;
    if ({stalls} && {bench}.taken > 0 && clocks % 700 >= 300) {bench}.m_axis_tready = 1;
  end
endmodule
"""


def run(folder, configuration, parameters="", *, stalls=False, change=str):
    """What the testbench of this core prints, once ``change`` has changed its text, and the exit status of the
    simulation."""
    texts = {"core.v": verilog(configuration), "bench.v": change(bench(configuration)), "drive.v": verilog_drive(),
             "trace.v": TRACE.format(parameters=parameters, bench=BENCH, stalls=int(stalls))}
    for name, text in texts.items():
        (folder / name).write_text(text)
    built = subprocess.run(["iverilog", "-Wall", "-Wno-timescale", "-g2005", "-s", BENCH, "-s", "trace", "-o",
                            "bench.out", f"-P{BENCH}.COUNT={COUNT}", *texts], cwd=folder, text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert (built.returncode, built.stdout) == (0, "")
    result = subprocess.run(["vvp", "-n", "bench.out"], cwd=folder, text=True, capture_output=True)
    return result.stdout, result.returncode


def traced(folder):
    """(what the core sends, what the drive sends) in each clock, as a `DrivePort` has them; X, which a core has before
    its reset, counts as 0."""
    for line in (folder / "trace.txt").read_text().splitlines():
        reset, data, k, error, up, ready, valid, rx_data, rx_k = line.lower().replace("x", "0").split()
        sent = int(data, 16) | int(k, 2) << 32 | int(reset) << 36
        yield sent, (int(rx_data, 16) | int(rx_k, 2) << 32 | int(valid) << 36 | int(ready) << 37 | int(up) << 38
                     | int(error) << 39)


def readable(words):
    """The drive's dwords without what differs: junk after CONT, and data in clocks that bring none."""
    cont = False
    for word in words:
        if not word >> 36 & 1:
            yield word >> 36
            continue
        dword = word & (1 << 33) - 1
        if dword >> 32 and dword & 0xFFFFFFFF != 0x7B4A4ABC:
            cont = dword & 0xFFFFFFFF == 0x9999AA7C
        yield (word >> 36, JUNK if cont and not dword >> 32 else dword)


#: Parameters of the drive in Verilog, and the same in Python. One of them runs by default: Icarus takes seconds for
#: each.
SAME = {
    "throttled": ("HOLD_EVERY = 300, {drive}HOLD_DWORDS = 60", {"throttle": (300, 60)}),
    "friendly": ("HOLD_EVERY = 0", {}),
    "without CONT": ("CONT_SENT = 0, {drive}ALIGN_DWORDS = 100, {drive}COMMAND_DWORDS = 90",
                     {"cont": 0.0, "align_interval": 100, "command_latency": 90}),
}


@pytest.mark.wide
@pytest.mark.parametrize("parameters, behaviour", short(SAME.values(), [SAME["throttled"]]), ids=str)
def test_same_dwords(tmp_path, parameters, behaviour):
    """The Python model is given what the core sends, and answers as the Verilog has, in each clock."""
    configuration = Configuration(buffer_words=256, ledger=False, journal=False, recovery=False)
    name = f"{BENCH}.drive0."
    told, status = run(tmp_path, configuration, f"defparam {name}{parameters.format(drive=name)};", stalls=True)
    assert status == 0 and told.splitlines()[-1].startswith("PASS: 8704 bytes"), told
    clocks = [*traced(tmp_path)]
    image = DiskImage(sectors=SECTORS)
    port = DrivePort(Drive(image, model="SATA DRIVE IN VERILOG", behaviour=Behaviour(**behaviour)), link_up_clocks=1,
                     reset_clocks=65)
    monitor = Monitor()
    answers = []
    for clock, (core, word) in enumerate(clocks):
        answers.append(port.inputs)
        monitor.observe(clock, core, word)
        port.clock(core)
    mine, theirs = [*readable(word for _, word in clocks)], [*readable(answers)]
    different = next((clock for clock, pair in enumerate(zip(mine, theirs)) if pair[0] != pair[1]), None)
    assert different is None, (different, mine[different - 3:different + 4], theirs[different - 3:different + 4])
    assert len(clocks) > 5000 and port.link.violations == monitor.violations == []
    assert any(image.read_sectors(8, COUNT)) and not any(image.read_sectors(8 + COUNT, 8))


#: Cores whose control and streams differ in all that the testbench knows.
CORES = {
    "registers": {"control": "axi-lite", "source_width": 16, "source_clock": True, "source_waits": False},
    "pins": {},
    "wide": {"source_width": 128, "source_clock": True, "playback_width": 16, "playback_clock": True,
             "playback_fill": 8},
    "memory": {"memory": 1 << 20, "memory_width": 64, "buffer_words": 512, "control": "axi-lite"},
    "array": {"drives": 2, "array_width": 64, "control": "axi-lite"},
    "array with memories": {"drives": 2, "memory": 1 << 20},
    **{name: name for name in ("minimal", "recorder", "modes")},
}


@pytest.mark.parametrize("core", CORES)
@pytest.mark.long
def test_passes(tmp_path, core):
    """Long: Icarus takes 5 to 20 s for each."""
    options = CORES[core]
    told, status = run(tmp_path, Configuration.from_toml(options) if isinstance(options, str) else
                       Configuration(**options))
    assert status == 0 and told.splitlines()[-1] == "PASS: 8704 bytes recorded and played back", told


@pytest.mark.long
def test_commands_to_a_lane_by_registers(tmp_path):
    """In place of the recording and the playback: only the disk of that lane has the words. Long: Icarus takes 20 s."""
    def change(text):
        for operation, command in (3, 0x35), (0, 0x25):
            call = f"    operate({operation});"
            assert text.count(call) == 1
            text = text.replace(call, f"""
    write(12'hAE0, 1);
    write(12'h0E4, COUNT << 16);
    write(12'h0E0, 32'h{0x01004000 | command:08X});
    operate({operation & 1});
    if (drive0.disk[128 * FIRST] === drive1.disk[128 * FIRST]) fail("another lane");""")
        return text
    told, status = run(tmp_path, Configuration(drives=3, commands=True, control="axi-lite"), change=change)
    assert status == 0 and told.splitlines()[-1] == "PASS: 8704 bytes recorded and played back", told


@pytest.mark.parametrize("parameters, words", [
    ("initial begin wait ({bench}.taken > 0); {bench}.played[40] = 0; force {bench}.taken = 17 * 512; end", "FAIL: "),
    ("initial #30000 force {bench}.phy_rx_valid = 0;", "FAIL: nothing moves any more"),
    ("always @(posedge {bench}.clk) if ({bench}.drive0.size == 300 && {bench}.drive0.expecting)"
     " {bench}.drive0.held = 0;", "FAIL: ")], ids=["other bytes", "silence", "a wrong CRC"])
@pytest.mark.long
def test_fails(tmp_path, parameters, words):
    """A testbench that cannot fail proves nothing. Long: Icarus runs each to its limit."""
    told, status = run(tmp_path, Configuration(recovery=False, journal=False, ledger=False),
                       parameters.format(bench=BENCH))
    assert status == 1 and any(line.startswith(words) for line in told.splitlines()), told


@pytest.mark.long
def test_what_the_memory_gives_is_recorded(tmp_path):
    """The words go through the memory: other ones from there are seen. Long: Icarus takes 5 s."""
    told, status = run(tmp_path, Configuration(**CORES["memory"]), f"initial force {BENCH}.m_axi_rdata = 0;")
    assert status == 1 and "FAIL: what is played back is not what was recorded" in told, told


@pytest.mark.parametrize("options, words", [
    ({"files": True}, "files is true"),
    ({"frames": True, "on_overflow": "drop"}, "frames is true"),
    ({"frames": True, "frame_packets": True, "channels": 2}, "channels is 2")])
def test_obstacles(options, words):
    configuration = Configuration(**options)
    assert bench_obstacle(configuration).startswith(words)
    with pytest.raises(ValueError, match=words):
        bench(configuration)


def test_no_warning(tmp_path, verilator):
    """The drive is legal for others, too."""
    path = tmp_path / "sata_drive.v"
    path.write_text(source())
    status, told = verilator(path, "--timing", "--top-module", "sata_drive")
    assert (status, told) == (0, "")
