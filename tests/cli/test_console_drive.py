"""`sata-recorder console smart|standby|trim|command` with the simulated board."""

import json

import pytest
from integration.console_recorder.bench import CAPACITY, SKIPPING, ConsoleBench, Served
from short import short


@pytest.fixture
def drive(board):
    return board.bench.port.drive


def until_ready(ask):
    """Until the board has brought its drive up; on a busy machine an answer may be late."""
    while (told := ask("status", "--json").stdout) == "" or not json.loads(told)["ready"]:
        pass


@pytest.mark.wide
def test_smart(ask, drive):
    drive.health.hours, drive.health.amplification = 1200, 1.5
    drive.health.written_bytes = 4 << 30
    result = ask("smart")
    assert result.exit_code == 0, result.output
    # The drive's model is none that anybody knows, so all that is told is from its Device Statistics.
    for text in ("attribute 9 ", "1,200", "raw bit error rate", "unknown", "4.29 GB", "good", "nobody"):
        assert text in result.output
    told = json.loads(ask("smart", "--json").stdout)
    assert told["health"]["verdict"] == "good" and told["health"]["bit_error_rate"] is None
    assert told["health"]["sources"]["hours"] == "the Device Statistics log"
    assert told["health"]["amplification"] is told["health"]["spare"] is told["health"]["known_by"] is None
    assert {one["number"]: one["raw"] for one in told["attributes"]}[241] == 4 << 21


@pytest.mark.long
def test_worn_drive(ask, drive):
    before = drive.health.endurance_bytes
    drive.health.endurance_bytes = drive.health.written_bytes // 2 or 1
    drive.health.written_bytes = 2 * drive.health.endurance_bytes
    result = ask("smart")
    drive.health.endurance_bytes = before
    assert result.exit_code == 1 and "failing" in result.stdout
    assert "SMART RETURN STATUS: an attribute has reached its threshold" in result.stdout


@pytest.mark.wide
def test_check_before_a_recording(ask, drive):
    drive.health.celsius = 75
    result = ask("record", 3, 9, "--check", "--physical", 8)
    drive.health.celsius = 35
    assert result.exit_code == 0 and "health is watch: 75 degrees Celsius" in result.stderr
    assert "physical sectors have 8 sectors, and the extent splits one; 8 0 does not" in result.stderr
    before, done = drive.health.endurance_bytes, len(drive.completed)
    drive.health.endurance_bytes = 1
    result = ask("record", 3, 9, "--check")
    drive.health.endurance_bytes = before
    assert result.exit_code == 2 and "the drive is failing: SMART RETURN STATUS" in result.stderr
    assert not {one.command for one in [*drive.completed][done:]} & {0x35, 0xCA}


@pytest.mark.long
def test_check_with_nothing_to_say(ask):
    assert ask("record", 8, 16, "--check", "--physical", 8).stderr == ""
    assert ask("record", 3, 9, "--check").stderr == ""


@pytest.mark.parametrize("words, told", [
    (["play", 3, 9, "--check"], "--check: is for record, not for play"),
    (["record", 3, 9, "--check", "--physical", 7], "--physical 7: physical sector of 7"),
])
def test_check_that_is_refused(ask, words, told):
    result = ask(*words)
    assert result.exit_code == 2 and told in result.stderr and "Traceback" not in result.stderr


def test_standby(ask, drive):
    result = ask("standby")
    assert result.exit_code == 0 and "power mode 0x00, standby" in result.stdout
    assert [one.command for one in drive.completed][-3:] == [0xEA, 0xE0, 0xE5]


def test_trim(ask, board, drive):
    assert ask("record", 0, 64).exit_code == 0
    result = ask("trim", 8, 200_000)
    assert result.exit_code == 0 and "trimmed 200,000 sectors, 8 to 200,007" in result.stdout
    assert any(board.bench.image.read_sectors(7)) and not any(board.bench.image.read_sectors(8, 56))
    assert json.loads(ask("trim", 8, 1, "--json").stdout) == {
        "ok": True, "error": None, "lba": 8, "sectors": 1}


@pytest.mark.parametrize("words, found", [
    (["smart-return-status"], {"result_lba": 0xC24F00}),
    (["0xB0", "features=0xDA", "lba=0xC24F00"], {"result_lba": 0xC24F00}),
    (["0xDA40B0", "0xC24F00"], {"result_lba": 0xC24F00}),       # the registers of the protocol
])
def test_command(ask, words, found):
    told = json.loads(ask("command", *words, "--json").stdout)
    assert told["ok"] and told["operation"] == "command" and told.items() >= found.items()


def test_data_of_a_command(ask, drive):
    told = json.loads(ask("command", "read-log", "lba=4", "--json").stdout)
    assert bytes.fromhex(told["data"]) == drive.health.log(4, 0, 1)


def test_command_that_fails(ask):
    result = ask("command", "0xff")
    assert result.exit_code == 1 and "error: drive-error" in result.stderr
    assert json.loads(ask("command", "0xff", "--json").stdout)["error"] == "drive-error"


@pytest.mark.sample(2)
@pytest.mark.parametrize("words, told", [
    (["smart", "now"], "now: does not belong here: smart"),
    (["standby", 1], "1: does not belong here: standby"),
    (["trim", 5], "trim: SECTORS is missing"), (["trim", 5, 0], "SECTORS = 0: at least 1"),
    (["trim", 5, CAPACITY], f"the drive has {CAPACITY}"),
    (["command"], "a command is missing"), (["command", "frob"], "frob: no such command"),
    (["command", "0xe5", "count=70000"], "count = 0x11170: the register has 16 bits"),
    (["command", "0xe5", "frob=1"], "frob=1: must be REGISTER=VALUE"),
])
def test_mistakes(ask, words, told):
    result = ask(*words)
    assert result.exit_code == 2 and told in result.stderr and "Traceback" not in result.stderr


@pytest.mark.parametrize("words", short([["0xF4"], ["0xB4", "features=0x12"], ["0x92"], ["0x40F3", "0"]],
                                        [["0x40F3", "0"]]))
def test_what_erases_is_confirmed_by_the_serial_number(ask, drive, words):
    before = len(drive.completed)
    result = ask("command", *words)
    assert result.exit_code == 2 and "confirm it with --serial" in result.stderr
    result = ask("command", *words, "--serial", "SN 8")
    assert result.exit_code == 2 and "--serial SN 8: the drive's is SN 7" in result.stderr
    assert len(drive.completed) == before
    # This drive does not have them, or not without their key.
    result = ask("command", *words, "--serial", "SN 7")
    assert result.exit_code == 1 and "error: drive-error" in result.stderr
    assert len(drive.completed) == before + 1


def test_how_far_sanitize_is_needs_no_confirmation(ask):
    assert ask("command", "sanitize-status").exit_code == 0


@pytest.mark.parametrize("way", short(["block", "crypto"], ["block"]))
def test_sanitize(ask, board, way):
    assert ask("record", 0, 64).exit_code == 0
    result = ask("sanitize", way)
    assert result.exit_code == 2 and "confirm it with --serial" in result.stderr
    assert any(board.bench.image.read_sectors(3))
    result = ask("sanitize", way, "--serial", "SN 7")
    assert result.exit_code == 0 and "the drive is erased" in result.stdout, result.stderr
    assert not any(board.bench.image.read_sectors(0, 64))


@pytest.mark.long
def test_sanitize_that_is_not_there(ask, drive):
    for words in [], ["frob"], ["block", "crypto"]:
        result = ask("sanitize", *words)
        assert result.exit_code == 2 and "one of block, crypto must follow" in result.stderr
    drive.health.sanitize_dwords = 0
    drive.renew_page()
    assert ask("reset").exit_code == 0
    until_ready(ask)
    result = ask("sanitize", "block", "--serial", "SN 7")
    drive.health.sanitize_dwords = 50_000
    drive.renew_page()
    assert ask("reset").exit_code == 0
    until_ready(ask)
    assert result.exit_code == 2 and "word 59 of IDENTIFY DEVICE, bit 15" in result.stderr


@pytest.mark.long
def test_smart_that_is_disabled(ask, drive):
    assert ask("command", "0xB0", "features=0xD9", "lba=0xC24F00").exit_code == 0
    assert ask("reset").exit_code == 0
    until_ready(ask)
    result = ask("smart")
    assert result.exit_code == 2 and "disabled in the drive" in result.stderr
    assert ask("command", "smart-enable").exit_code == 0


@pytest.mark.parametrize("words", [["smart"], ["trim", 0, 1], ["standby"]])
def test_board_without_a_drive(run, words):
    bench = ConsoleBench(plugged=False)
    with Served(bench) as board:
        result = run("console", "--port", board.port, *words)
    bench.close()
    assert result.exit_code == 1 and result.stderr.endswith(": not-ready\n")


@pytest.mark.long
def test_drive_and_core_without_it(run):
    """Each reports that it is not there."""
    bench = ConsoleBench(configuration=SKIPPING)
    drive = bench.port.drive
    with Served(bench) as board:
        def ask(*words):
            return run("console", "--port", board.port, *words)

        result = ask("smart")
        assert result.exit_code == 1 and "command: no-commands" in result.stderr
        health, drive.health = drive.health, None
        drive.renew_page()
        assert ask("reset").exit_code == 0
        until_ready(ask)
        for verb, what in (["smart"], "no SMART"), (["trim", 0, 1], "no TRIM"):
            result = ask(*verb)
            assert result.exit_code == 2 and what in result.stderr
        drive.health = health
    bench.close()
