"""The configuration: defaults, limits, and refusals that say what is wrong."""

import json

import pytest
from sata_recorder.interface.configuration import NAMED, Configuration, ConfigurationError, configured
from sata_recorder.interface.rules import RULES

LIMITED = {
    "clock_hz": (1e6, 1e9),
    "buffer_words": (128, 32768),
    "max_command_sectors": (1, 65536),
    "signature_timeout": (1e-9, 3600),
    "identify_timeout": (1e-9, 3600),
    "command_timeout": (1e-9, 3600),
    "flush_timeout": (1e-9, 3600),
}


def refusal(**fields):
    """((field,), given value, text) of the one error that ``fields`` make."""
    with pytest.raises(ConfigurationError) as error:
        Configuration(**fields)
    found, = error.value.faults
    assert found.field in str(error.value) and "\n" not in str(error.value)
    return (found.field,), found.value, str(error.value)


def test_defaults_are_valid():
    assert Configuration() == Configuration(**Configuration().model_dump())


@pytest.mark.parametrize("field", LIMITED)
def test_limits_are_allowed(field):
    for value in LIMITED[field]:
        assert getattr(Configuration(**{field: value}), field) == value


@pytest.mark.parametrize("field, value, limit", [
    ("clock_hz", 999_999, "1000000"), ("clock_hz", 1.1e9, "1000000000"),
    ("clock_hz", -1, "1000000"), ("clock_hz", 0, "1000000"),
    ("buffer_words", 64, "128"), ("buffer_words", 65536, "32768"), ("buffer_words", 0, "128"),
    ("max_command_sectors", 0, "1"), ("max_command_sectors", 65537, "65536"),
    ("max_command_sectors", -5, "1"),
    ("signature_timeout", 0, "0"), ("signature_timeout", 3601, "3600"),
    ("identify_timeout", -1, "0"), ("identify_timeout", 1e9, "3600"),
    ("command_timeout", 0, "0"), ("command_timeout", 3600.5, "3600"),
    ("flush_commands", -1, "0"), ("flush_commands", 65536, "65535"),
    ("flush_timeout", 0, "0"), ("flush_timeout", float("inf"), "3600"),
])
def test_refusal_names_field_value_and_limit(field, value, limit):
    where, given, message = refusal(**{field: value})
    assert where == (field,) and given == value and limit in message


@pytest.mark.parametrize("value", [129, 1000, 4095, 32767])
def test_buffer_is_a_power_of_two(value):
    where, given, message = refusal(buffer_words=value)
    assert where == ("buffer_words",) and given == value
    assert str(value) in message and "power of two" in message


@pytest.mark.parametrize("field, value", [
    ("clock_hz", "fast"), ("buffer_words", 128.5), ("buffer_words", None), ("send_cont", "maybe"),
    ("max_command_sectors", [1]), ("clock_hz", float("nan")), ("command_timeout", float("nan")),
    ("control", "spi")])
def test_value_of_another_kind(field, value):
    where, given, _ = refusal(**{field: value})
    assert where == (field,) and (given == value or value != value)


def test_unknown_field():
    where, given, message = refusal(buffer_word=4096)
    assert where == ("buffer_word",) and given == 4096 and "did you mean buffer_words?" in message


def test_every_error_is_named():
    with pytest.raises(ConfigurationError) as error:
        Configuration(clock_hz=1, buffer_words=3, flush_timeout=0)
    assert [found.field for found in error.value.faults] == ["clock_hz", "buffer_words", "flush_timeout"]


def test_frozen():
    configuration = Configuration()
    with pytest.raises(ValueError):
        configuration.clock_hz = 1e6


@pytest.mark.parametrize("seconds, clocks", [(31, 2_325_000_000), (1e-6, 75), (1e-12, 1)])
def test_clocks(seconds, clocks):
    assert Configuration(clock_hz=75e6).clocks(seconds) == clocks


def test_from_toml(tmp_path):
    path = tmp_path / "core.toml"
    path.write_text("clock_hz = 150e6\nbuffer_words = 1024\nsend_cont = false\n")
    assert Configuration.from_toml(path) == Configuration(
        clock_hz=150e6, buffer_words=1024, send_cont=False)


@pytest.mark.parametrize("clock_hz, refused", [(37.5e6, False), (37.4999e6, True), (1e6, True)])
def test_a_clock_below_the_slowest_link(tmp_path, clock_hz, refused):
    """It is refused in a file; a simulation may have it."""
    path = tmp_path / "core.toml"
    path.write_text(f"clock_hz = {clock_hz}\n")
    assert bool(Configuration(clock_hz=clock_hz).too_slow) == refused
    if not refused:
        assert Configuration.from_toml(path).clock_hz == clock_hz
        return
    with pytest.raises(ValueError, match=r"core\.toml: clock_hz = .*37500000.*Gen1"):
        Configuration.from_toml(path)


def test_empty_file(tmp_path):
    path = tmp_path / "core.toml"
    path.write_text("")
    assert Configuration.from_toml(path) == Configuration()


def test_refusal_of_a_file(tmp_path):
    path = tmp_path / "core.toml"
    path.write_text("buffer_words = 100\n")
    with pytest.raises(ConfigurationError, match="core.toml: buffer_words = 100: .*128"):
        Configuration.from_toml(path)


@pytest.mark.parametrize("field, wrong", [
    ("extents", "queued"), ("on_overflow", "drop")])
def test_files_need_all_words_in_one_slot(field, wrong):
    assert not Configuration().files and Configuration(files=True, extents="modes").files
    where, given, message = refusal(**{"files": True, field: wrong})
    assert where == ("files",) and given is True and f"{field} is {wrong}" in message


def test_the_temperature_is_read_with_the_verdict():
    assert Configuration(smart_commands=1, smart_temperature=True).smart_temperature
    where, given, message = refusal(smart_temperature=True)
    assert where == ("smart_temperature",) and given is True and "smart_commands is 0" in message


def test_files_go_with_skip():
    assert Configuration(files=True, on_failure="skip").skips_but_files
    assert not Configuration(files=True).skips_but_files and not Configuration(on_failure="skip").skips_but_files


def test_power_fail_needs_commands():
    assert not Configuration().power_fail
    assert Configuration(power_fail=True, commands=True, extents="modes", files=True).power_fail
    where, given, message = refusal(power_fail=True)
    assert where == ("power_fail",) and given is True and "commands = true" in message


def test_frames_tell_what_was_dropped():
    """In place of the journal, but not in that of a file's log."""
    assert Configuration(frames=True, on_overflow="drop", journal=False).frames
    with pytest.raises(ConfigurationError):
        Configuration(on_overflow="drop", journal=False)
    for fields in {"extents": "modes"}, {"files": True}:
        with pytest.raises(ConfigurationError):
            Configuration(frames=True, on_overflow="drop", **fields)
    with pytest.raises(ConfigurationError):
        Configuration(frames=True, journal=False, on_failure="skip")


def test_frames_need_to_know_their_room():
    where, given, message = refusal(frames=True, extents="queued")
    assert where == ("frames",) and given is True and "single or modes" in message


@pytest.mark.parametrize("fields, field, reason", [
    ({"recovery": False, "on_failure": "skip"}, "recovery", "on_failure is skip"),
    ({"recovery": False, "retain_sectors": 4}, "recovery", "retain_sectors is 4"),
    ({"journal": False, "on_failure": "skip"}, "journal", "on_failure is skip"),
    ({"journal": False, "on_overflow": "drop"}, "journal", "on_overflow is drop"),
])
def test_what_is_left_out_is_not_needed(fields, field, reason):
    where, given, message = refusal(**fields)
    assert where == (field,) and given is False and reason in message


@pytest.mark.parametrize("fields, field, reason", [
    ({"max_command_sectors": 12}, "long_logical_sectors", "max_command_sectors is 12"),
    ({"max_command_sectors": 1}, "long_logical_sectors", "max_command_sectors is 1:"),
    ({"extents": "queued", "buffer_words": 512}, "long_logical_sectors", "buffer_words is 512"),
    ({"extents": "modes", "buffer_words": 512}, "long_logical_sectors", "at least 1024"),
    ({"alignment": True}, "alignment", "long_logical_sectors is true"),
])
def test_long_logical_sectors_are_whole(fields, field, reason):
    where, given, message = refusal(long_logical_sectors=True, **fields)
    assert where == (field,) and given is True and reason in message
    assert Configuration(**fields)


def test_long_logical_sectors_go_with_all_else():
    assert Configuration(long_logical_sectors=True, max_command_sectors=8, buffer_words=128)
    for fields in ({"extents": "modes", "frames": True, "commands": True, "power_fail": True},
                   {"commands": True, "control": "axi-lite"},
                   {"on_failure": "skip", "on_overflow": "drop", "retain_sectors": 1}, {"files": True},
                   {"extents": "queued", "pacing": "programmable"}):
        assert Configuration(long_logical_sectors=True, buffer_words=1024, **fields)


@pytest.mark.parametrize("fields, reason", [
    ({}, "extents is single"), ({"extents": "queued"}, "extents is queued")])
def test_trim_goes_ahead_of_a_ring(fields, reason):
    where, given, message = refusal(trim_ahead=True, **fields)
    assert where == ("trim_ahead",) and given is True and reason in message
    assert Configuration(trim_ahead=True, extents="modes", frames=True, commands=True, power_fail=True,
                         long_logical_sectors=True, fua=True, smart_commands=1)
    assert Configuration(trim_ahead=True, extents="modes", files=True).files


@pytest.mark.parametrize("sectors, fields, reason", [
    (16, {}, "extents is single"), (16, {"extents": "queued"}, "extents is queued"),
    *((sectors, {"extents": "modes"}, "a power of two, 8 to 64") for sectors in (1, 4, 9, 63)),
    *((sectors, {"extents": "modes"}, "look_sectors = ") for sectors in (128, -1))])
def test_a_look_is_at_a_recording_in_a_mode(sectors, fields, reason):
    where, given, message = refusal(look_sectors=sectors, **fields)
    assert where == ("look_sectors",) and given == sectors and reason in message
    assert Configuration(look_sectors=16, extents="modes", frames=True, commands=True, power_fail=True,
                         long_logical_sectors=True, fua=True, smart_commands=1, trim_ahead=True)
    assert Configuration(look_sectors=16, extents="modes", files=True).files


@pytest.mark.parametrize("name", ["minimal", "recorder", "modes", "files", "everything"])
def test_named(name):
    """A name stands for a file of the package, which states what it is for."""
    assert name in NAMED and NAMED[name].read_text().startswith("# ")
    assert Configuration.from_toml(name) == Configuration.from_toml(NAMED[name])


def test_a_file_of_ones_own_is_no_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "files").write_text("buffer_words = 256\n")
    assert Configuration.from_toml("files") == Configuration(buffer_words=256)


def test_each_rule_is_broken_by_some_configuration():
    """Each sentence states what it is about, and none is in front of another that nobody would see."""
    seen = set()
    base = {"buffer_words": 128, "max_command_sectors": 12}
    next_drive = {"drives": 2, "array": "linear", "on_failure": "next"}
    wrong = [
        {"retain_sectors": 4}, {"memory": 1 << 20, "buffer_words": 512, "retain_sectors": 2048}, {"memory": 1 << 20},
        {"memory": 1 << 20, "buffer_words": 512, "long_logical_sectors": True, "max_command_sectors": 8},
        {"memory": 257 << 12, "buffer_words": 2048},
        {"memory": 1 << 20, "buffer_words": 512, "memory_base": 1 << 19},
        {"memory_width": 128}, {"memory_base": 1 << 30}, {"array": "linear"},
        {"drives": 2, "chunk_sectors": 64, "array": "linear"},
        {"memory": 1 << 20, "buffer_words": 512, "power_fail": True, "commands": True}, {"power_hold_up": 0.5},
        {"smart_temperature": True}, {"fua": True, "flush_commands": 2},
        {"recovery": False, "on_failure": "skip"}, {"recovery": False, "retain_sectors": 1},
        {"on_overflow": "drop", "extents": "modes"}, {"frames": True, "extents": "queued"},
        {"journal": False, "on_failure": "skip"}, {"journal": False, "on_overflow": "drop"},
        {"long_logical_sectors": True}, {"long_logical_sectors": True, "extents": "modes", "max_command_sectors": 8},
        {"alignment": True, "long_logical_sectors": True, "max_command_sectors": 8},
        {"files": True, "extents": "queued"},
        {"files": True, "on_overflow": "drop"}, {"trim_ahead": True}, {"look_sectors": 8},
        {"source_waits": False}, {"source_width": 64, "source_depth": 64}, {"playback_depth": 64, "source_clock": True},
        {"playback_width": 8, "playback_fill": 32}, {"playback_fill": 8},
        {"frame_packets": True}, {"frames": True, "frame_packets": True, "files": True},
        {"frames": True, "frame_packets": True, "source_clock": True, "source_waits": False},
        {"channels": 2}, {"channels": 2, "extents": "modes"}, {"channels": 2, "on_overflow": "drop"},
        {"channels": 2, "commands": True}, {"channels": 2, "source_width": 8}, {"channel_waits": False},
        {"channel_words": 112},
        {"file_lines": True}, {"files": True, "file_lines": True, "frames": True},
        {"drives": 2, "extents": "modes", "files": True}, {"drives": 2, "array": "raid1", "extents": "queued"},
        {"drives": 2, "extents": "modes", "trim_ahead": True},
        {"drives": 2, "files": True, "on_failure": "skip"},
        {"array_width": 64}, {"drives": 2, "array_width": 64, "frames": True},
        {"drives": 2, "array_width": 64, "source_width": 64},
        {"drives": 2, "array": "raid1", "commands": True}, {"drives": 2, "commands": True, "power_fail": True},
        {"drives": 2, "memory": 1 << 20, "buffer_words": 512, "memory_base": (1 << 40) - (1 << 20)},
        {"drives": 2, "array": "raid1", "memory": 1 << 20, "buffer_words": 512},
        {"drives": 2, "array": "raid1", "buffer_words": 2048}, {"drives": 3, "array": "raid1"},
        {"drives": 2, "array": "raid1", "array_width": 64},
        {"drives": 2, "array": "raid1", "on_failure": "skip"}, {"on_failure": "next"}, next_drive,
        *(next_drive | more for more in ({"journal": False}, {"extents": "queued"}, {"array_width": 64})),
        {"drives": 2, "on_overflow": "drop"},
        {"power_fail": True}]
    for fields in wrong:
        with pytest.raises(ConfigurationError) as error:
            Configuration(**base | fields)
        for found in error.value.faults:
            seen.add(found.problem)
        assert all(name in str(error.value) for name in fields if name in ("files", "frames", "fua")), error.value
    assert len(RULES) == len(wrong) and len(seen) >= len(RULES)


@pytest.mark.parametrize("plain", ["at_pins", "simulated"])
def test_what_is_left_of_the_streams_is_a_configuration(plain):
    left = getattr(Configuration(source_clock=True, source_depth=64, playback_width=8, playback_depth=64,
                                 playback_fill=8, control="axi-lite"), plain)
    assert Configuration(**left.model_dump()) == left and left.playback_depth == 16


@pytest.mark.parametrize("field, value, allowed", [
    ("retries", True, "a whole number, 0 to 255"), ("retries", "3", "a whole number, 0 to 255"),
    ("ledger", "no", "true or false"), ("ledger", 1, "true or false"), ("ledger", None, "true or false"),
    ("clock_hz", True, "a number, 1000000 to 1000000000"), ("clock_hz", "75e6", "a number, 1000000 to 1000000000"),
    ("memory", True, "a whole number of bytes, or a text with a unit"), ("memory_width", True, "64 or 128"),
    ("memory", "256 parsecs", "one with a unit: B, kB,"), ("memory_base", -1, "at least 0 and below"),
    ("channels", 2.0, "a whole number, 1 to 16"), ("memory_width", 64.0, "64 or 128"),
    ("memory", 1048576.0, "a whole number of bytes"),
    ("power_hold_up", "1", "a number, 0 to 3600"),
    ("on_failure", "skp", '"stop", "skip" or "next"; did you mean skip?')])
def test_nothing_is_converted(tmp_path, field, value, allowed):
    """In Python and in a file alike: true is no number, and "no" is not false."""
    where, given, text = refusal(**{field: value})
    assert (where, given) == ((field,), value)
    assert text.startswith(f"{field} = {value!r}: must be ") and allowed in text
    if value is None:
        return
    path = tmp_path / "core.toml"
    text = json.dumps(value)
    path.write_text(f"{field} = {text}\n")
    with pytest.raises(ConfigurationError) as error:
        Configuration.from_toml(path)
    assert str(error.value).startswith(f"{path}: {field} = {text}: must be ") and allowed in str(error.value)


def test_all_mistakes_are_reported_together(tmp_path):
    """Conflicts, too, among the values that are right; none with a value that is wrong."""
    path = tmp_path / "core.toml"
    path.write_text('retries = -1\nfua = true\nflush_commands = 3\ntrim_ahead = true\nextents = "mode"\n'
                    "power_fail = true\nclock_hz = 2e6\nbufer_words = 512\n[core]\nx = 1\n")
    with pytest.raises(ConfigurationError) as error:
        configured(path, {"source_waits": False})
    first, *lines = str(error.value).split("\n  ")
    assert first == "the configuration has 8 mistakes:"
    assert [line.removeprefix(f"{path}: ") for line in lines] == [
        "clock_hz = 2000000.0: must be at least 37500000, the dword rate of the slowest link, Gen1",
        "retries = -1: must be a whole number, 0 to 255",
        'extents = "mode": must be "single", "queued" or "modes"; did you mean modes?',
        "bufer_words = 512: there is no such key; did you mean buffer_words?",
        "core: there is no such table; all keys are at the top level",
        "fua is true, and flush_commands is 3: with fua each write command is on the medium",
        "source_waits is false, and source_clock is false: a source in the core's clock that does not wait is what "
        "on_overflow = drop is for",
        "power_fail is true, and commands is false: STANDBY IMMEDIATE is a COMMAND, which needs commands = true"]
    assert [str(path) in line for line in lines].count(False) == 1      # of the option
