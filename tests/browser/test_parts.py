"""The controls of a board that has COMMAND, or makes files."""

import pytest

from sata_recorder.pc.volume import Drive, prepare, verify

pytestmark = pytest.mark.long


def chosen(tab, url, core):
    """A tab whose board is a simulated one with this core, not yet started."""
    desk = tab(url)
    desk["core"].click()
    desk.page.get_by_role("option", name=core).click()
    return desk


def test_health_trim_and_standby(panel, tab):
    desk = chosen(tab, panel().url, "any ATA command")
    desk["start"].click()
    desk.can("smart")
    assert not desk["tab-file"].is_visible()
    desk["smart"].click()
    desk.sees("smart-table", "good")
    desk.sees("smart-table", "power-on hours")
    desk.open("trim")
    desk.fill(trim_lba=100, trim_sectors=0)
    desk.can("trim")
    desk["trim"].click()
    desk.sees("log", "trim: 1,048,476 sectors from 100 on")
    desk.can("standby")
    desk["standby"].click()
    desk.sees("what", "its power mode is 0x00")
    desk.open("console")
    desk.fill(line="command 0x1240b4 0x426b4572")
    desk["send"].click()
    desk.told("SANITIZE DEVICE destroys what is on the drive")


def test_files(panel, tab, tmp_path):
    image = tmp_path / "drive.img"
    prepare(image, sectors=1 << 16, recordings=3)
    desk = chosen(tab, panel().url, "rings and segments")
    desk.fill(image=image)
    desk["start"].click()
    desk.can("record")
    assert not desk["tab-trim"].is_visible() and not desk["smart"].is_visible()
    desk.open("file")
    desk.fill(file_bytes=1_000_001)
    desk["file"].click()
    desk.sees("operations", "file 1000001 inc32")
    desk.can("file")
    desk.page.get_by_text("segments", exact=True).click()
    desk.can("trigger", False)
    desk.fill(file_every=60)
    desk["file"].click()
    desk.can("trigger")
    desk["trigger"].click()
    desk.sees("log", "trigger: ok")
    desk["stop"].click()
    desk.sees("operations", "segments 4096 1000 inc32 every 60")
    desk.can("file")
    desk["disconnect"].click()
    desk.can("start")
    with Drive(image) as drive:
        result = verify(drive)
    # There is one CRC-32 of a file, and none of a ring.
    assert (result.problems, len(result.checked), result.unchecked) == ([], 1, ["REC00002.dat"])


def test_a_memory_is_chosen_on_the_first_page(panel, tab):
    """One that cannot be is refused there; the plot of the buffer has the room of one that can."""
    desk = tab(panel().url)
    desk.fill(memory=5)
    desk["start"].click()
    desk.told("memory 5: must be 0 or a multiple of 4096, 1048576 to 17179869184")
    desk.can("start")
    desk.fill(memory="1MiB")
    desk["start"].click()
    desk.can("record")
    desk.fill(record_lba=0, record_sectors=8000)
    desk["record"].click()
    desk.sees("operations", "record 0 8000 inc32")
    desk.page.wait_for_function("""() => {
        const box = document.querySelector("[data-testid=plot-buffer] .sr-chart");
        const chart = box && getElement(box.id.slice(1)).chart;
        return chart && chart.getOption().yAxis[0].name === "words, room for 262,144";
    }""")


def test_a_prepared_drive_and_data_of_ones_own(panel, tab, tmp_path):
    """Without an image there is a new drive, on which files can be made at once; a file of this machine is put onto
    it. On a phone the page begins folded, and has no empty plots."""
    mine = tmp_path / "mine.bin"
    mine.write_bytes(b"mine" * 200)
    desk = tab(panel("--simulate", "--files", "--modes").url, width=390, height=844)
    desk.can("record")
    folded = desk.page.locator("details.sr-card")
    assert folded.count() >= 12 and desk.page.locator("details.sr-card[open]:not(.sr-first)").count() == 0
    assert not desk["plot-blocks"].is_visible()
    desk.open("file")
    desk.fill(file_bytes=100_001)
    desk["file"].click()
    desk.can("file")
    assert desk.page.evaluate("document.documentElement.scrollHeight") < 1800
    desk.page.locator("summary", has_text="Where the time went").click()
    desk.page.wait_for_function("document.querySelector('[data-testid=plot-ledger] canvas').clientWidth > 200")
    desk.page.get_by_text("Break the simulated drive").click()
    desk.fill(break_lba=9)
    desk["load"].locator("input[type=file]").set_input_files(mine)
    desk.told("mine.bin: 800 bytes are on the drive, from sector 9 on")
    desk.open("sector")
    desk.fill(dump_lba=10)
    desk["dump"].click()
    desk.page.locator("summary", has_text="Sector").click()
    desk.sees("hex", "mineminemine")
    desk.page.locator("summary", has_text="Operations").click()
    desk.sees("operations", "file 100001 inc32")


def test_a_file_of_ones_own_on_the_first_page(panel, tab, tmp_path):
    """It is recorded on a drive with the chosen timing, and each byte comes back; an empty one is refused by its
    name."""
    mine, empty = tmp_path / "mine & more.bin", tmp_path / "empty.bin"
    mine.write_bytes(b"mine" * 200 + b"!")
    empty.write_bytes(b"")
    desk = tab(panel().url, width=390, height=844)
    upload = desk["own-file"].locator("input[type=file]")
    upload.set_input_files(mine)
    desk.sees("own-facts", "mine & more.bin, 801 bytes")
    desk.sees("own-facts", "each byte came back")
    assert "recorded at" in desk.text("own-facts") and "played back at" in desk.text("own-facts")
    upload.set_input_files(empty)
    desk.told("empty.bin: is empty, there is nothing to record")
    assert desk.page.evaluate("document.documentElement.scrollWidth") == 390
