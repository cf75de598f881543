"""`measure --channels`: what it prints and writes, and what it is refused with."""

import json

import pytest


@pytest.mark.wide
def test_channels(run, tmp_path):
    result = run("measure", "--channels", 3, "--sectors", 100, "--operation", "record", "--image", "d.img", "--json",
                 "out.json")
    assert result.exit_code == 0 and "good   the image holds each channel; core and drive" in result.stdout
    assert "channels 3 of 32 bits, in packets of 496 words: 48,960 bytes of theirs in 51,200 on the drive, 95.62 %" \
        in result.stdout
    told = json.loads((tmp_path / "out.json").read_text())["channels"]
    for one in told:
        found = run("extract", "d.img", "--lba", 0, "--sectors", 100, "--channel", one["channel"], "-o",
                    f"{one['channel']}.bin")
        assert found.exit_code == 0 and f"CRC-32 {one['crc32']}" in found.stdout
        assert (tmp_path / f"{one['channel']}.bin").stat().st_size == one["bytes"] == 16320


@pytest.mark.parametrize("arguments, text", [
    ("--channels 1", "--channels 1: must be 2 to 16"), ("--channels 17", "--channels 17: must be 2 to 16"),
    ("--channels 2 --width 64", "--width 64: must be one of 8, 16, 32 with --channels 2"),
    ("--channels 2 --source-clock 100MHz", "--source-clock 100MHz: not together with --channels 2"),
    ("--channels 2 --operation play", "--channels 2: not together with --operation play"),
    ("--channels 2 --input in.bin", "--channels 2: not together with --input in.bin"),
    ("--channels 2 --mode ring --stop-after 10000", "--channels 2: channels is 2, and extents is modes"),
    ("--channels 2 --input-rate 10MB/s", "--channels 2: not together with --input-rate 10MB/s"),
    ("--channels 2 --find-rate", "--find-rate: not together with --channels 2"),
    ("--channels 2 --controller serv", "--channels 2: not together with --controller serv"),
    ("--channels 2 --drives 2", "--channels 2: not together with --drives 2"),
    ("--channels 2 --smart", "--channels 2: channels is 2, and commands is true"),
    ("--channels 2 --engine icarus", "--channels 2: the engine icarus gives one stream"),
    ("--channels 4 --sectors 4", "--sectors 4: must be at least 5 with --channels 4"),
    ("--config c.toml --operation play", "channels = 3 of c.toml: not together with --operation play"),
    ("--config w.toml", "channel_waits = false of w.toml: a measurement gives each channel words that wait"),
    ("--config c.toml --channels 17", "--channels 17: must be 2 to 16")])
def test_refused(run, tmp_path, arguments, text):
    core = "frames = true\nframe_packets = true\nchannels = 3\n"
    (tmp_path / "c.toml").write_text(core)
    (tmp_path / "w.toml").write_text(f"{core}channel_waits = false\n")
    (tmp_path / "in.bin").write_bytes(bytes(5000))
    before = sorted(tmp_path.iterdir())
    result = run("measure", *arguments.split())
    assert result.exit_code == 2 and text in result.stderr, result.stderr
    assert sorted(tmp_path.iterdir()) == before
