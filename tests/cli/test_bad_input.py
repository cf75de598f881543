"""Input that nobody means: each is refused in one line that names it, and nothing is written."""

import json
import os
from pathlib import Path

import pytest

LONG = "x" * 5000
PLAN = "plan --rate 100MB/s"


@pytest.fixture
def folder(tmp_path):
    """Files of all kinds that are not what they should be."""
    (tmp_path / "text").write_text("hello\n")
    (tmp_path / "binary").write_bytes(bytes(range(256)))
    (tmp_path / "deep.toml").write_text("x = " + 2000 * "[" + 2000 * "]" + "\n")
    (tmp_path / "digits.toml").write_text(f"retries = {5000 * '9'}\n")
    (tmp_path / "words.toml").write_text("channel_words = 112\n")
    (tmp_path / "bad.toml").write_text("retries = true\n")
    (tmp_path / "control.toml").write_text('on_failure = "\\u001b[31mred"\n')
    (tmp_path / "deep.json").write_text(100_000 * "[")
    (tmp_path / "channels.toml").write_text("channels = 4\nframes = true\nframe_packets = true\n")
    (tmp_path / "mirrors.toml").write_text('array = "raid1"\ndrives = 2\n')
    (tmp_path / "lines.toml").write_text("files = true\nfile_lines = true\n")
    (tmp_path / "megabytes.toml").write_text('memory = "256MB"\n')
    (tmp_path / "floats.toml").write_text("channels = 2.0\n")
    (tmp_path / "twice.toml").write_text("retries = 1\nretries = 2\n")
    (tmp_path / "date.toml").write_text("clock_hz = 1979-05-27\n")
    (tmp_path / "profile.toml").write_text('model = "\\u0007"\n')
    (tmp_path / "plan.toml").write_text("size = true\n")
    (tmp_path / "nan.json").write_text('{"a": NaN}')
    (tmp_path / "list.json").write_text("[]")
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe")
    return tmp_path


@pytest.mark.parametrize("arguments, words", [
    ("measure --config loop", "--config loop: cannot be read: Too many levels of symbolic links"),
    ("measure --image loop --sectors 1", "loop: Too many levels of symbolic links"),
    ("verilog -o loop", "loop: Too many levels of symbolic links"),
    ("station --pty --image loop", "loop: Too many levels of symbolic links"),
    (f"measure --config {LONG}", "xxx: File name too long"),
    (f"measure --drive {LONG}", "xxx: File name too long"),
    (f"sweep --drives {LONG}", "xxx: File name too long"),
    ("measure --config recordr", "recordr: cannot be read: No such file or directory; configurations with a name are "
     "everything, files, minimal, modes, recorder; did you mean recorder?"),
    ("measure --config bad.toml", "bad.toml: retries = true: must be a whole number, 0 to 255"),
    ("measure --config control.toml", 'on_failure = "\\u001b[31mred": must be "stop", "skip" or "next"'),
    ("verilog -o x.v --channel-words 112", "channel_words is 112, and channels is 1: it is the length of the packets"),
    ("measure --config words.toml", "words.toml: channel_words is 112, and channels is 1"),
    ("measure --config deep.toml", "deep.toml: cannot be read as TOML: it is nested too deeply"),
    ("measure --config digits.toml", "digits.toml: cannot be read as TOML: Exceeds the limit"),
    ("measure --config binary", "binary: cannot be read as TOML"), ("measure --config pipe", "is no regular file"),
    ("measure --drive deep.toml", "deep.toml: cannot be read as TOML: it is nested too deeply"),
    ("verilog -o x.v --config deep.toml", "nested too deeply"),
    ("station --pty --config deep.toml", "nested too deeply"),
    ("build --board ecpix5-85f --config deep.toml -o built", "nested too deeply"),
    ("verilog -o x.v --phy ecp5 --phy-option =", "--phy-option =: it must be NAME=VALUE"),
    ("verilog -o x.v --on-failure skp", '--on-failure skp: must be "stop", "skip" or "next"; did you mean skip?'),
    ("verilog -o x.v --memory-base 0xZZ", "--memory-base 0xZZ: must be a number of bytes"),
    ("sweep deep.toml", "deep.toml: cannot be read as TOML: it is nested too deeply"),
    ("sweep digits.toml", "digits.toml: cannot be read as TOML"), ("sweep folder", "folder: cannot be read"),
    ("measure --sectors 100TiB", "--sectors 100TiB: are more than the drive's capacity of 62533296"),
    ("measure --mode trigger", "--mode trigger: needs --words, at least 1: the words after a trigger"),
    ("sweep --fifo-words 5", "--fifo-words 5: only together with rates"),
    ("sweep --buffer-words 300", "--buffer-words 300: must be a power of two, 128 to 32768"),
    ("sweep --drives ,", "--drives ,: the name of a drive is missing"),
    ("drives --check deep.toml", "nested too deeply"),
    ("campaign --replay deep.json", "not JSON: it is nested too deeply"),
    (f"{PLAN} --for -1h", "--for -1h: must be numbers with one of the units ms, s, min, h, d"),
    (f"{PLAN} --for 0s", "--for 0s: must be above 0"),
    (f"{PLAN} --for 999999999d", "--for 999999999d: must be 0.001 to 3155760000 seconds"),
    (f"{PLAN} --for 1h --duty 150", "--duty 150: must be above 0 and at most 100 percent"),
    (f"{PLAN} --for 1h --duty nan", "--duty nan: must be above 0 and at most 100 percent"),
    (f"{PLAN} --for 1h --fifo x", "--fifo x: must be a whole number of sectors, or bytes"),
    (f"{PLAN} --size 5Mb", "--size 5Mb: must be a whole number of sectors, or bytes"),
    (f"{PLAN} --for 1h --drive deep.toml", "nested too deeply"),
    ("plan --rate 99999GB/s --for 1h", "--rate 99999GB/s: must be 1 to 6e+11 bytes a second"),
    ("plan --rate x --for 1h", "--rate x: must be a number and a unit, such as 100MB/s"),
    ("prepare d.img --size 99999TB --recordings 1", "--size 99999TB: exFAT counts at most 4,294,967,285 clusters"),
    ("prepare d.img --size 4MiB --recordings 9", "--size 4MiB: too small for a partition table"),
    ("prepare d.img --size 4GiB --recordings 1 --align 3", "--align 3: must be a power of two, 4 KiB to 1 GiB"),
    ("prepare d.img --size 1e9 --recordings 1", "--size 1e9: must be a whole number of sectors, or bytes"),
    ("measure --sectors 1e3", "Error: --sectors 1e3: must be a whole number of sectors, or bytes"),
    ("measure --input-rate 130MBs", "Error: --input-rate 130MBs: the unit must be one of B/s"),
    ("measure --drive=", "--drive '': no drive profile ''"),
    ("measure --pattern incr", "'incr' is not one of 'random', 'inc32', 'dec32'; did you mean inc32?"),
    ("measure --raid 5", "Invalid value for '--raid': '5' is not one of '0', '1', 'linear'"),
    ("measure --raid 0", "--raid 0: needs --drives"), ("measure --drives 99", "--drives 99: must be a whole number, 1"),
    ("sweep --drives nope", "--drives nope: no drive profile 'nope'"),
    ("sweep --rates 5", "--rates 5: rate '5': the unit must be one of B/s"),
    ("sweep --controllers z80", "Error: --controllers 'z80': must be one of hardwired, picorv32, serv, vexriscv, a"),
    ("sweep --controllers srv", "; did you mean serv?"),
    ("sweep --rates 500MB/s", "Error: --rates 500MB/s: rate 500 MB/s: the stream takes a word a clock"),
    ("sweep --rates 500MB/s --source-clock 75MHz", "Error: --rates 500MB/s: beats of 32 bits at 75 MHz carry 300 MB/s"),
    ("sweep --source-clock x", "Error: --source-clock x: frequency 'x': must be a number and a unit"),
    ("sweep --source-clock 75MHz --controllers serv", "--source-clock 75MHz: not together with --controllers serv"),
    ("sweep --rates 1MB/s --operation play", "Error: --rates 1MB/s: a sensor only records, not together with"),
    ("sweep --fifo-words 0 --rates 1MB/s", "Error: --fifo-words 0: must be a whole number, 1 to 1099511627776"),
    ("reproduce 6-3", "6-3: no such table; there are 5-1, 5-2, 6-1"),
    ("campaign --cores fiels -n 1", "; did you mean files?"),
    ("build --board ecpix5", "--board ecpix5: there is no such board; boards: ecpix5-85f, ecpix5-45f, versa-5g; did"),
    ("build --board ecpix5-85f -o text", "--output text: is no folder"),
    ("build --board ecpix5-85f -o built --phy-option los_level=99", "--phy-option los_level=99: it must be 0 to 7"),
    ("verilog -o x.v --phy gtpp", "--phy gtpp: there is no such PHY; PHYs: ecp5, gtp, gtx; did you mean gtp?"),
    ("verilog -o x.v --phy gtp --phy-option generation=9", "--phy-option generation=9: it must be 1, 2 or 3"),
    ("verilog -o x.v --phy gtp --phy-option generation=x", "--phy-option generation=x: it must be an integer"),
    ("verilog -o x.v --drives 3 --phy ecp5", "--phy ecp5: drives is 3, it must be 1 to 2"),
    ("verilog -o x.v --drives 2 --array raid1 --commands", "commands is true, and array is raid1: a COMMAND is for"),
    ("verilog -o x.v --drives 2 --commands --power-fail", "power_fail is true, and drives is 2: STANDBY IMMEDIATE"),
    ("qualify --fio-bandwidth nope -o p.toml", "--fio-bandwidth nope: cannot be read: No such file or directory"),
    ("qualify --simulate x25-e --sectors 1x -o p.toml", "Error: --sectors 1x: must be a whole number of sectors"),
    ("console --port text status", "text: cannot be opened: is no serial port"),
    ("console --port text --timeout nan status", "--timeout nan: must be a number"),
    ("console --port text statsu", "statsu: no such request; there are status, identify"),
    ("station --pty --image text", "--image text: it exists, and sata-recorder has not made it; --overwrite permits"),
    ("wear --drive 870-evo-4tb --rate 100", "--rate 100: the unit must be one of B/s"),
    ("wear --drive 870-evo-4tb --rate 1MB/s --until -5TB", "--until -5TB: must be a number of erases, read-only, or"),
    ("wear --drive 870-evo-4tb --rate 1MB/s --celsius nan", "--celsius nan: must be -20 to 125 degrees Celsius"),
    ("wear --drive x25-e --rate 1MB/s", "no flash parameters of x25-e: its timing is known"),
    ("prepare loop --size 4MiB --recordings 1", "loop: cannot be written: Too many levels"),
    ("verify text --sidecar deep.json", "--sidecar deep.json: is no sidecar of a recording"),
    ("finalise text --measurement deep.json", "--measurement deep.json: is no recording"),
])
def test_refusals(run, folder, arguments, words):
    before = sorted(folder.iterdir())
    result = run(*arguments.split())
    assert result.exit_code == 2 and words in result.stderr and not result.stdout, result.output
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("arguments, words", [
    ("measure --config floats.toml", "floats.toml: channels = 2.0: must be a whole number, 1 to 16"),
    ("measure --config twice.toml", "twice.toml: cannot be read as TOML: Cannot overwrite a value"),
    ("measure --config date.toml", "date.toml: clock_hz = 1979-05-27: must be a number, 1000000 to 1000000000"),
    ("measure --config dangling", "--config dangling: cannot be read: No such file or directory"),
    ("measure --report page.pdf", "--report page.pdf: must end in .html"),
    ("access --report page.png", "--report page.png: must end in .html"),
    ("measure --input empty", "--input empty: is empty, there is nothing to record"),
    ("access --read --write", "--read: not together with --write"),
    ("drives --check profile.toml", "model = '\\x07': must be a text of one or more printable char"),
    ("sweep plan.toml", "plan.toml: size = true: must be a whole number or a text"),
    ("sweep --scheduler nope", "--scheduler nope: is no address, which looks like tcp://HOST:8786"),
    ("sweep --scheduler=", "--scheduler '': is no address"), ("sweep --plot -", "--plot -: must end in .png or .svg"),
    ("plan --rate 1MB/s --for 1h1h", "--for 1h1h: h is given more than once"),
    ("plan --rate 1MB/s --for 1h --size 1GB", "exactly one of --for and --size must be given"),
    ("verilog -o x.v --bench x.v", "--bench x.v: the same name as --output"),
    ("verilog -o x.v --phy ecp5 --constraints x.xdc", "--constraints x.xdc: with --phy ecp5 the name must end in .lpf"),
    ("verilog -o x.v --phy gtp --constraints x.lpf", "--constraints x.lpf: with --phy gtp the name must end in .xdc"),
    ("build --board ecpix5-85f --seed x", "Invalid value for '--seed': 'x' is not a valid whole number."),
    ("campaign --replay nan.json", "--replay nan.json: core: is missing; steps: is missing; a = nan: there is no such"),
    ("campaign --replay list.json", "--replay list.json: not a JSON object with the fields of a plan"),
    ("prepare a.img a.img --raid 0 --size 64MiB --recordings 1", "a.img: is named twice"),
    ("prepare /dev/null --recordings 1", "/dev/null: is a character device, neither a drive nor an image of one"),
    ("extract text --lba 0 --sectors 1", "-o is missing: where does the copy go?"),
    ("console --port text play a b", "LBA = a: is no number, decimal or hexadecimal with 0x"),
    ("station --pty --logical-sector 4096 --capacity 7", "--capacity 7: a multiple of 8 with logical sectors of 4096"),
    ("qualify --simulate x25-e -o p", "-o p: the name must end in .toml"),
    ("measure --drives 3 --raid 1", "--raid 1: not together with --drives 3: RAID 1 is of two drives that hold the sa"),
    ("measure --drives 2 --raid 1 --chunk-sectors 16", "--chunk-sectors 16: not together with --raid 1, which has no"),
    ("measure --drives 2 --smart", "--smart: not together with --drives 2: a COMMAND and its data are for one drive"),
    ("measure --config lines.toml", "files = true of lines.toml: must be false: a measurement names its sectors"),
    ("verilog -o x.v --config megabytes.toml", "memory is 256000000 bytes, and must be a multiple of 8 x 4096"),
    ("verilog -o x.v --memory 256MB", "--memory 256MB: memory is 256000000 bytes, and must be a multiple"),
    ("verilog -o x.v --channels two", "--channels two: must be a whole number, 1 to 16"),
    ("verilog -o x.v --clock-hz 100MHz", "--clock-hz 100MHz: must be a number, 1000000 to 1000000000"),
    ("verilog -o x.v --clock-hz 1e400", "--clock-hz 1e400: must be a number, 1000000 to 1000000000"),
    ("verilog -o x.v --memory-width x", "--memory-width x: must be 64 or 128"),
    ("verilog -o x.v --phy gtx --phy-option refrence=1", "observed; did you mean reference?"),
    ("build --board ecpix5-85f -o b --config channels.toml", "--config channels.toml: channels = 4: the pattern of"),
    ("build --board ecpix5-85f -o b --config mirrors.toml", "--config mirrors.toml: drives is 2, and a board has one"),
    ("build --board ecpix5-85f -o b --baud 0", "--baud 0: it must be positive and at most clock_hz / 8"),
    ("station --pty --config channels.toml", "--config channels.toml: channels = 4: the pattern of the console rec"),
    ("station --pty --config mirrors.toml", "--config mirrors.toml: array = raid1: the drives of a station are blank"),
    ("station --pty --run=", "--run '': the command is empty"),
    ("station --pty --capacity 0", "--capacity 0: must be 1 to 281474976710656 sectors"),
    ("verilog -o x.v --config=", "--config '': the name is empty"), ("verilog --output=", "--output '': the name is e"),
    ("access --json=", "--json '': the name is empty"), ("access --size 4KB", "--size 4KB: must be a number of bytes"),
    ("plan --rate 1MB/s --for=", "--for '': must be numbers with one of the units"),
    ("plan --rate 1MB/s --for 1h --drive=", "--drive '': no drive profile ''"),
    ("qualify --simulate nope -o p.toml", "--simulate nope: no drive profile 'nope'"),
    ("qualify --fio-bandwidth channels.toml --model X --capacity 5 -o p.toml", "--fio-bandwidth channels.toml, line 1"),
    ("console --port socket://nohost:x status", "cannot be opened: must be a serial port such as /dev/ttyUSB1, or a U"),
    ("frames text --clock-hz 100MHz", "'100MHz' is not a valid whole number."),
    ("frames text --sample-rate abc", "Invalid value for '--sample-rate': 'abc' is not a valid number."),
    ("plan --rate 1MB/s --for 1h --duty 120%", "Invalid value for '--duty': '120%' is not a valid number."),
    ("panel --host 999.1.1.1 --no-browser", "--host 999.1.1.1 port 8080: "),
])
def test_what_is_newer(run, folder, arguments, words):
    before = sorted(folder.iterdir())
    result = run(*arguments.split())
    assert result.exit_code == 2 and words in result.stderr and not result.stdout, result.output
    assert sorted(folder.iterdir()) == before


def test_an_empty_name(run, folder):
    for arguments, words in ((("recordings", ""), "drives '': the name is empty"),
                             (("drives", ""), "no drive profile ''"), (("reproduce", ""), "'': no such table")):
        result = run(*arguments)
        assert result.exit_code == 2 and words in result.stderr, result.output


def test_small_members_that_are_there(run, folder):
    for name in "one", "two":
        Path(name).write_bytes(bytes(1 << 20))
    result = run("prepare", "one", "two", "--raid", 1, "--recordings", 1)
    assert result.exit_code == 2 and "Error: one, two: " in result.stderr and "--size" not in result.stderr


@pytest.mark.parametrize("line, meant", [
    ("measure --rate 1MB/s", "--input-rate"), ("measure --size 1MiB", "--sectors"), ("measure --data x", "--input"),
    ("sweep --drive ideal", "--drives"), ("sweep --rate 1MB/s", "--rates"), ("access --sectors 8", "--size"),
    ("plan --rate 1MB/s --duration 1h", "--for"), ("plan --input-rate 1MB/s", "--rate")])
def test_an_option_of_another_verb(run, line, meant):
    """What the same is called here."""
    assert f"Did you mean '{meant}'?" in run(*line.split()).stderr


@pytest.mark.parametrize("verb", ["measure", "verilog -o core.v", "plan --rate 1MB/s --for 1h", "sweep",
                                  "panel --simulate"])
@pytest.mark.parametrize("size", ["", " "])
def test_a_memory_of_no_size(run, verb, size):
    """What nobody would see is quoted."""
    result = run(*verb.split(), "--memory", size)
    assert result.exit_code == 2 and f"Error: --memory {size!r}: must be a" in result.stderr


@pytest.mark.parametrize("option, near", [("--colour", []), ("--drvie", ["--drive", "--drives"])])
def test_an_option_that_there_is_not(run, option, near):
    """No name is proposed because of its dashes."""
    told = run("measure", option, 4).stderr
    assert f"No such option '{option}'." in told and "'--help'?" not in told and "'--written'" not in told
    assert all(f"'{one}'" in told for one in near)


def test_a_mark_before_utf_8(run, folder):
    """Some editors put it there."""
    (folder / "mark.toml").write_bytes(b"\xef\xbb\xbfchannels = 99\n")
    assert "mark.toml: channels = 99: must be a whole number, 1 to 16" in run(
        "verilog", "-o", "x.v", "--config", "mark.toml").stderr


def test_no_frame_in_an_empty_file(run, folder):
    (folder / "empty").write_bytes(b"")
    result = run("frames", "empty")
    assert result.exit_code == 1 and result.stdout == "no frame\n"


def test_icarus_has_one_drive(run, folder):
    result = run("measure", "--drives", 2, "--engine", "icarus", "--sectors", 8)
    assert result.exit_code == 2 and "--drives 2: the engine icarus has one drive" in result.stderr


def test_a_copy_does_not_replace_its_source(run, tmp_path):
    """The image is this tool's, so it may be written, but not by a verb that reads it."""
    assert run("prepare", "d.img", "--size", "4MiB", "--recordings", 1, "--align", "4KiB").exit_code == 0
    before = Path("d.img").read_bytes()
    (tmp_path / "link").symlink_to("d.img")
    for name in "d.img", "link", tmp_path / "d.img":
        for arguments in (("extract", "d.img", "--lba", 0, "--sectors", 1, "-o", name),
                          ("frames", "d.img", "-o", name), ("frames", "d.img", "--packets", name),
                          ("extract", "d.img", "--lba", 0, "--sectors", 1, "-o", name, "--overwrite")):
            result = run(*arguments)
            assert result.exit_code == 2 and "the same file as d.img, which is read" in result.stderr
    assert Path("d.img").read_bytes() == before


def test_a_name_that_is_no_text(run):
    assert run("prepare", "d.img", "--size", "4MiB", "--recordings", 1, "--align", "4KiB").exit_code == 0
    result = run("finalise", "d.img", "--slot", 1, "--bytes", 5, "--name", "a\udcff")
    assert result.exit_code == 2 and "name 'a\\udcff': is no text" in result.stderr
    assert json.loads(run("recordings", "d.img", "--json").stdout)["recordings"] == []
