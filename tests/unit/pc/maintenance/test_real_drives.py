"""What is said of real drives, whose attributes mean what their maker states.

The numbers are those of reports in github.com/linuxhw/SMART, which a comment names by their path under SSD.
"""

import random
from dataclasses import asdict

import pytest
from unit.pc.maintenance.real_drives import RealDrive, row, row64

from sata_recorder.pc.maintenance import DriveVerdict, health_words

GIB = 1 << 30

#: What smartctl 7.3 tells of a model: its family and its names of attributes.
PRESETS = {
    "Micron_5210_MTFDDAK1T9QDE": ("Micron 5100 Pro / 52x0 / 5300 SSDs", {
        170: "Reserved_Block_Pct", 173: "Avg_Block-Erase_Count", 202: "Percent_Lifetime_Remain",
        246: "Total_LBAs_Written", 247: "Host_Program_Page_Count", 248: "Bckgnd_Program_Page_Cnt"}),
    "INTEL SSDSC2BB120G4": ("Intel 730 and DC S35x0/3610/3700 Series SSDs", {
        170: "Available_Reservd_Space", 190: "Temperature_Case", 194: "Temperature_Internal",
        241: "Host_Writes_32MiB", 242: "Host_Reads_32MiB", 243: "NAND_Writes_32MiB"}),
    "Lexar 128GB SSD": ("Lexar 128GB SSD", {
        5: "New_Bad_Blk_Cnt", 206: "Min_Erase_Cnt", 207: "Max_Erase_Cnt", 208: "Avg_Erase_Cnt",
        231: "SSD_Life_Left"}),
    "KINGSTON SA400S37240G": ("Phison Driven SSDs", {
        231: "SSD_Life_Left", 233: "Flash_Writes_GiB", 241: "Lifetime_Writes_GiB", 242: "Lifetime_Reads_GiB"}),
    "OCZ-VERTEX450": ("Indilinx Barefoot 3 based SSDs", {
        5: "Runtime_Bad_Block", 198: "Host_Reads_GiB", 199: "Host_Writes_GiB", 208: "Average_Erase_Count",
        233: "Remaining_Lifetime_Perc", 241: "Host_Writes_GiB", 249: "Total_NAND_Prog_Ct_GiB"}),
    "OCZ-VERTEX3": ("SandForce Driven SSDs", {
        231: "SSD_Life_Left", 233: "SandForce_Internal", 241: "Lifetime_Writes_GiB"}),
    "Samsung SSD 870 EVO 1TB": ("Samsung based SSDs", {187: "Uncorrectable_Error_Cnt"}),
    "ST2000DM001-1CH164": ("Seagate Barracuda 7200.14 (AF)", {188: "Command_Timeout", 240: "Head_Flying_Hours"}),
    "ERRORS": ("A family with errors in 190", {190: "SATA_Error_Ct"}),
    "SECONDS": ("A family whose hours are seconds", {9: "Power_On_Hours"}),
    "OCZ VERTEX-PLUS": ("Indilinx Barefoot_2/Everest/Martini based SSDs", {232: "Lifetime_Writes"}),
}


@pytest.fixture(autouse=True)
def smartctl(tmp_path, monkeypatch):
    """A smartctl that knows these and no other; it is asked for a model and its firmware."""
    for model, (family, names) in PRESETS.items():
        rows = [f"{number:03d} {name}" for number, name in names.items()]
        (tmp_path / model).write_text(
            "Drive found in smartmontools Database.  Drive identity strings:\n"
            f"MODEL:              {model}\nFIRMWARE:           F\nmatch smartmontools Drive Database entry:\n"
            f"MODEL REGEXP:       {model}\nFIRMWARE REGEXP:    .*\nMODEL FAMILY:       {family}\n"
            "ATTRIBUTE OPTIONS:  " + ("\n" + 20 * " ").join(rows)
            + "\nOTHER PRESETS:      none of these\n\nMODEL FAMILY:       another that fits, too\n"
            "ATTRIBUTE OPTIONS:  231 Wrong_Entry\n")
    program = tmp_path / "smartctl"
    program.write_text(f'#!/bin/sh\n[ "$1 $2" = "-P showall" ] && [ $# = 4 ] && cat "{tmp_path}/$3" 2>/dev/null'
                       '|| echo "No presets are defined for this drive."\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    return program


def of(model, *rows, firmware="F", **options):
    return RealDrive(model, firmware, *rows, **options).health


def test_a_new_drive_whose_value_is_1_is_not_failing():
    """Attribute 180 of a Micron counts blocks, its normalised value is 1 and its threshold 0, which is never
    reached."""
    health = of("Micron_5210_MTFDDAK1T9QDE", row(170, 0, threshold=10, prefail=True),
                row(180, 2946, value=1, prefail=True), row(202, 0, threshold=1))
    assert (health.verdict, health.reasons) == (DriveVerdict.GOOD, ())
    assert (health.spare, health.worn, health.worn_at_least) == (100, 0, False)


def test_units_of_what_was_written():
    health = of("INTEL SSDSC2BB120G4", row(241, 300_000), row(242, 7), row(243, 450_000))
    assert (health.written_bytes, health.read_bytes) == (300_000 << 25, 7 << 25)
    assert health.amplification == 1.5
    # Kingston/SA400/SA400S37240G/0466C20CC4F8
    assert of("KINGSTON SA400S37240G", row(241, 17448)).written_bytes == 17448 * GIB


def test_sectors_that_are_none():
    """Lexar/128/128GB SSD/7DEAE584BF37: smartctl calls 241 Total_LBAs_Written for want of another name, and it
    counts GiB."""
    rows = row(9, 3453), row(241, 5617), row(242, 2946), row(231, 6, value=94, threshold=5)
    assert of("Lexar 128GB SSD", *rows).written_bytes is None
    health = of("Lexar 128GB SSD", *rows, statistics={(1, 16): 3453, (1, 24): 11_781_660_241, (7, 8): 17})
    assert health.written_bytes == 512 * 11_781_660_241 and health.worn == 17
    assert health.sources["written_bytes"] == health.sources["worn"] == "the Device Statistics log"
    # Of these smartctl's default is right.
    assert of("Samsung SSD 870 EVO 1TB", row(241, 1000)).written_bytes == 512_000
    assert of("ST2000DM001-1CH164", row(241, 1000), rotation=7200).written_bytes == 512_000


@pytest.mark.parametrize("host, flash", [(30_288, 4_229_117_062), (13_289, 2_218_597_026), (10, 20_000)])
def test_write_amplification_that_cannot_be(host, flash):
    """OCZ/VERTEX450/VERTEX450 256GB/092C1FA8A6B1 has the second pair: 249 counts no GiB, whatever its name."""
    health = of("OCZ-VERTEX450", row(241, host), row(249, flash), row(233, 92, value=92), row(9, 15_269))
    assert health.amplification is None and health.written_bytes == host * GIB and health.worn == 8


def test_write_amplification_below_1():
    """Kingston/SA400/SA400S37240G/0637377EB43B."""
    assert of("KINGSTON SA400S37240G", row(233, 535), row(241, 1290)).amplification is None
    assert of("KINGSTON SA400S37240G", row(233, 24_055), row(241, 17_448)).amplification == pytest.approx(
        1.379, abs=1e-3)
    health = of("OCZ-VERTEX3", row(231, 0, 90), row(233, 537), row(241, 1000))
    assert (health.amplification, health.flash_bytes, health.worn) == (None, None, 10)


@pytest.mark.parametrize("firmware, value, raw, worn", [
    ("SBFKB1H5", 14, 86, 14), ("SBFK61K1", 16, 84, 16), ("SBFK62B3", 99, 99, 1)])
def test_life_left_of_a_kingston(firmware, value, raw, worn):
    """The raw value is what is left in each of its firmware, the normalised one is not."""
    assert of("KINGSTON SA400S37240G", row(231, raw, value), firmware=firmware).worn == worn


def test_life_left_where_two_values_contradict_each_other():
    assert of("Lexar 128GB SSD", row(231, 6, value=94)).worn is None
    assert of("Lexar 128GB SSD", row(231, 0, value=94)).worn == of("Lexar 128GB SSD", row(231, 94, value=94)).worn == 6


def test_a_hard_disk_is_not_worn():
    """202 of a disk counts errors of address marks."""
    health = of("ST2000DM001-1CH164", row(202), row(231), row(233), row(9, 9), rotation=7200)
    assert health.worn is None and health.spare is None and health.hours == 9


@pytest.mark.parametrize("model, rows, celsius", [
    ("Samsung SSD 870 EVO 1TB", [row(194, 0x0014_0030_0023), row(190, 40)], 35),
    ("Samsung SSD 870 EVO 1TB", [row(194, 0), row(190, 0x2A_0028)], 40),
    ("Samsung SSD 870 EVO 1TB", [row(194, 128), row(190, 40)], 40),
    ("Samsung SSD 870 EVO 1TB", [row(194, 255), row(190, 200)], None),
    ("Samsung SSD 870 EVO 1TB", [row(190, 41)], 41),
    ("ERRORS", [row(194, 0), row(190, 40)], None)])
def test_temperature(model, rows, celsius):
    assert of(model, *rows).celsius == celsius


def test_a_second_counter_in_attribute_5():
    assert of("ST2000DM001-1CH164", row(5, 7 << 16 | 3), rotation=7200).reallocated == 3
    assert of("ST2000DM001-1CH164", row(5, 7 << 16), rotation=7200).verdict is DriveVerdict.GOOD
    # Blocks of flash that went bad are no reallocated sectors.
    assert of("OCZ-VERTEX450", row(5, 1)).reallocated is None


def test_hours_that_may_be_seconds():
    assert of("Samsung SSD 870 EVO 1TB", row(9, 0x11 << 24 | 90)).hours == 90
    assert of("SECONDS", row(9, 36_000)).hours is None


@pytest.mark.parametrize("value, worn, text", [
    (40, 60, "60 %"), (2, 98, "98 %"), (1, 99, "at least 99 %"), (0, 100, "at least 100 %")])
def test_a_value_at_its_floor_is_no_measurement(value, worn, text):
    health = of("INTEL SSDSC2BB120G4", row(233, 0, value))
    assert health.worn == worn and health.worn_at_least == ("least" in text)
    if worn > 90:
        assert health.reasons == (f"worn to {text}",)
    health = of("INTEL SSDSC2BB120G4", row(233, 0, value), statistics={(7, 8): 200})
    assert (health.worn, health.worn_at_least) == (200, False)
    assert of("INTEL SSDSC2BB120G4", statistics={(7, 8): 255}).worn_at_least


#: OCZ/ONYX/ONYX 32GB/0AFD4F152DFE and OCZ/VERTEX/VERTEX 64GB/63894CF959D4.
ONYX = {9: 2109, 12: 1325, 198: 2_548_377_053, 199: 2_961_306_920, 202: 8_677_953, 205: 5000, 206: 362, 207: 993,
        208: 731, 209: 86, 211: 0}
VERTEX = {9: 9826, 198: 23_141_721_684, 199: 10_000_196_609, 202: 2_113_732, 205: 10_000, 206: 93, 207: 116_357,
          208: 5344, 209: 47}


@pytest.mark.parametrize("model, counts, rate, erased, worn", [
    ("OCZ-ONYX", ONYX, 8.314e-7, (362, 731, 993), 14), ("OCZ-VERTEX", VERTEX, 2.230e-8, (93, 5344, 116_357), 53)])
def test_an_indilinx_barefoot(model, counts, rate, erased, worn):
    health = of(model, *(row64(*pair) for pair in counts.items()), sectors=62_533_296)
    assert health.bit_error_rate == pytest.approx(rate, rel=1e-3)
    assert (health.erased, health.worn, health.hours) == (erased, worn, counts[9])
    assert (health.written_bytes, health.read_bytes) == (512 * counts[199], 512 * counts[198])
    assert health.verdict is DriveVerdict.GOOD and health.exceeded == ()


def test_an_indilinx_barefoot_beyond_its_cycles():
    health = of("OCZ-ONYX", *(row64(*pair) for pair in (ONYX | {208: 7500, 209: 0}).items()))
    assert (health.worn, health.worn_at_least) == (150, False)


#: Attributes 198, 202 and 1 of OCZ/ONYX/ONYX 32GB/0AFD4F152DFE and 2F766FC411DC, OCZ/VERTEX/VERTEX 64GB/63894CF959D4,
#: VERTEX 32GB/28D37DF6FC82 and VERTEX 96GB/573727C33987; the last one is that of SSD blog, 2010.
@pytest.mark.parametrize("read, errors, shown", [
    (2_548_377_053, 8_677_953, 6), (3_924_491_426, 11_313_870, 6), (23_141_721_684, 2_113_732, 7),
    (6_171_843_301, 993_403, 7), (33_266_038_873, 218_305_752, 5), (160_699_137, 36_951, 7)])
def test_the_exponent_that_a_barefoot_shows(read, errors, shown):
    """It is the whole part of -log10 of the rate: neither the next exponent nor that of the rounded rate."""
    health = of("OCZ-VERTEX", *(row64(*pair) for pair in {1: shown, 198: read, 202: errors}.items()))
    assert health.error_exponent == shown
    assert 10 ** -(shown + 1) < health.bit_error_rate <= 10 ** -shown
    assert dict(health_words(health))["error rate it shows"] == \
        f"exponent {shown}: 1e-{shown} a bit or less, more than 1e-{shown + 1}"


def test_blocks_that_failed_on_a_barefoot():
    assert of("OCZ-VERTEX", row64(195, 3), row64(196, 1), row64(197, 2)).bad_blocks == 6
    assert of("OCZ-VERTEX", row64(195, 3), row64(196, 1)).bad_blocks is None


def test_a_count_of_64_bits_is_shown_whole():
    found, _ = RealDrive("OCZ-ONYX", "1.6", row64(206, 362), row64(198, 2_548_377_053)).read()
    assert found[206].texts == ("-", "-", "362") and found[198].texts[2] == "2,548,377,053"


def test_bytes_of_a_raw_value():
    """Kingston/SEDC500/SEDC500R1920G/B379126664ED, whose attribute 170 is shown as 0/893."""
    drive = RealDrive("KINGSTON SEDC500R1920G", "SCEKJ2.7", row(9, 2685), row(170, 893), row(173, 8 << 16 | 16),
                      row(231, 99, 99), row(233, 17_153), row(241, 11_833), row(242, 10_150), row(244, 8), row(245, 16))
    found, health = drive.read()
    assert found[170].texts[2] == "when new 893, since 0" and found[173].texts[2] == "most 16, mean 8"
    assert (health.bad_blocks, health.erased, health.worn) == (0, (None, 8, 16), 1)
    assert health.written_bytes == 11_833 << 30 and health.amplification == pytest.approx(1.4496, rel=1e-4)
    assert dict(health_words(health))["erase cycles"] == "mean 8, most 16"
    later = of("KINGSTON SEDC600M960G", row(170, 5 << 32 | 141), firmware="SCEKH5.1")
    assert later.bad_blocks == 5
    protected = of("KINGSTON SEDC600M960G", row(167, 1))
    assert protected.verdict is DriveVerdict.FAILING and protected.reasons == (
        "write-protected: it takes no writes any more",)


@pytest.mark.parametrize("model", ["OCZ VERTEX-PLUS", "OCZ-VERTEX450", "OCZ-VERTEX2", "OCZ-VERTEX PLUS"])
def test_other_indilinx_are_no_barefoot(model):
    health = of(model, *(row64(*pair) for pair in ONYX.items()))
    assert health.bit_error_rate is health.error_exponent is None
    # Of one smartctl names the mean, where the count has its usual place.
    assert health.erased == ((None, 0, None) if model == "OCZ-VERTEX450" else None)


def test_device_statistics_come_first():
    """Kingston/SA400/SA400S37240G/0466C20CC4F8."""
    health = of("KINGSTON SA400S37240G", row(194, 61), row(199, 131_141), row(231, 84, 16), row(241, 17_448),
                statistics={
        (1, 16): 25_883, (1, 24): 36_591_735_074, (1, 40): 21_642_962_578, (4, 8): 0, (5, 8): 23, (6, 24): 0,
        (7, 8): 15})
    assert (health.hours, health.celsius, health.worn, health.crc_errors) == (25_883, 23, 15, 0)
    assert health.written_bytes == 512 * 36_591_735_074 and health.verdict is DriveVerdict.GOOD


@pytest.mark.parametrize("value", [0x01 << 56 | 50, 0x80 << 56 | 50, 0x40 << 56 | 50])
def test_statistics_that_are_not_valid(value):
    health = of("INTEL SSDSC2BB120G4", row(233, 0, 90), statistics={(7, 8): value, (5, 8): 40})
    assert (health.worn, health.celsius) == (10, 40)


@pytest.mark.parametrize("value, celsius", [(0xF6, -10), (0x80, -128), (0, None)])
def test_a_temperature_with_a_sign(value, celsius):
    assert of("", statistics={(5, 8): 0xC0 << 56 | value}).celsius == celsius


def test_sectors_of_4096_bytes():
    assert of("", statistics={(1, 24): 1000}, words=[(106, 0x5000), (117, 2048)]).written_bytes == 4_096_000


@pytest.mark.parametrize("error", ["drive-error", "timeout"])
def test_statistics_that_do_not_come(error):
    """The rest is said all the same, and a drive that does not answer is not asked again."""
    drive = RealDrive("INTEL SSDSC2BB120G4", "F", row(233, 0, 90), statistics={(1, 16): 5, (7, 8): 50}, refused=error)
    assert drive.health.worn == 10
    assert len([line for line in drive.lines if line.startswith("command 0x1")]) <= 6


def test_a_drive_without_statistics_is_not_asked():
    drive = RealDrive("OCZ-ONYX", "1.6", row64(9, 1))
    assert drive.health.verdict is DriveVerdict.GOOD and len(drive.lines) == 3


def test_nothing_is_made_of_a_drive_that_nobody_knows():
    """Whatever its numbers are: no figure, and no name."""
    draw = random.Random(39)
    for _ in range(200):
        rows = [row(number, draw.randrange(1 << draw.randrange(1, 49)), draw.randrange(256))
                for number in draw.sample(range(1, 256), 30)]
        found, health = RealDrive("WHO KNOWS", "F", *rows).read()
        assert {name: value for name, value in asdict(health).items() if value not in (None, False, (), {})} == {
            "verdict": DriveVerdict.GOOD}
        assert all(one.name == f"attribute {number}" for number, one in found.items())


def test_without_smartctl(smartctl, monkeypatch):
    """The standard and the table of ours are left."""
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr("sata_recorder.pc.maintenance.smartctl_program.FOLDERS", "/nowhere")
    assert of("INTEL SSDSC2BB120G4", row(233, 0, 90)).worn is None
    assert of("INTEL SSDSC2BB120G4", row(233, 0, 90), statistics={(7, 8): 3}).worn == 3
    assert of("OCZ-ONYX", row64(209, 86)).worn == 14


@pytest.mark.parametrize("text", ["exit 1", "echo MODEL FAMILY:", "kill -9 $$", "printf '\\377\\000'", "sleep 99"])
def test_a_smartctl_that_says_nothing(smartctl, monkeypatch, text):
    monkeypatch.setattr("sata_recorder.pc.maintenance.known_drives._PATIENCE", 0.2)
    smartctl.write_text(f"#!/bin/sh\n{text}\n")
    assert of(f"INTEL {text[:20]}", row(233, 0, 90)).worn is None


@pytest.mark.parametrize("model", ["-x", "--help", "$(reboot)", "a\0b", "\x1b[2J", ";", "../etc/passwd"])
def test_a_model_is_only_a_text(model):
    assert of(model, row(233, 0, 90)).worn is None


def test_a_locked_drive():
    health = of("OCZ-ONYX", row64(209, 0), security=0b111)
    assert health.locked and health.verdict is DriveVerdict.WATCH
    assert health.reasons[0].startswith("the drive is locked by ATA Security")
    # Without bit 0 the word reports nothing.
    for word in 0b110, 0b011, 0b1011, 0:
        assert not of("OCZ-ONYX", security=word).locked
