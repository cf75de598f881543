"""Figures with where they are from: columns where there is room, lines of their own where there is not."""

from sata_recorder.report import figure_lines

TITLES = "field", "value", "origin", "why"
LIST = "every_bytes 167,772,160, ms 300, first_bytes 134,217,728, when always"
WHY = "this core, a drive that answers after one dword; a PHY adds its delay"


def test_lines():
    rows = [("rate", "20 MB/s", "asked", ""), ("sector", "512 bytes", "published", "ATA8-ACS"),
            ("stalls", LIST, "fitted", "300 ms"), ("clocks", "2,087.5 clocks", "simulated", WHY)]
    assert [*figure_lines(TITLES, rows, 80)] == [
        "field   value           origin     why",
        "rate    20 MB/s         asked",
        "sector  512 bytes       published  ATA8-ACS",
        "stalls                  fitted     300 ms",
        f"    {LIST}",
        "clocks  2,087.5 clocks  simulated",
        f"    {WHY}"]


def test_no_line_is_wider_than_the_screen():
    rows = [("write.completion_us", LIST, "estimate", WHY + " " + LIST)]
    lines = [*figure_lines(TITLES, rows, 60)]
    assert max(map(len, lines)) <= 60
    assert " ".join(" ".join(lines[2:]).split()) == f"{LIST} {WHY} {LIST}"
