"""Parameters of flash drives: each has a source or a reason, and what is wrong is named."""

import pytest
from sata_drive_model.flash import KINDS
from sata_drive_model.flash.parameters import FOLDER, FlashDrive, load, names
from sata_drive_model.medium import ProfileError

GOOD = {"name": "mine", "description": "a drive",
        "physical": {"flash_bytes": 1 << 30, "user_bytes": 10 ** 9, "page_bytes": 4096, "pages": 64, "cell_bits": 2},
        "sources": {f"physical.{field}": "a test"
                    for field in ("flash_bytes", "user_bytes", "page_bytes", "pages", "cell_bits")}}


def drive(**fields):
    data = {key: dict(value) if isinstance(value, dict) else value for key, value in GOOD.items()}
    for field, value in fields.items():
        if isinstance(value, dict):
            data[field] = data.get(field, {}) | value
        else:
            data[field] = value
    return FlashDrive.from_data(data, "a.toml")


def test_a_drive():
    mine = drive()
    assert mine.physical.block_bytes == 1 << 18
    assert mine.physical.over_provisioning == pytest.approx(0.0737, abs=1e-4)
    assert {kind for _, kind, _ in mine.parameters()} == {"physical"}
    assert mine.origin("physical.pages") == "a test"
    assert mine.origin("policy.victim") == "default"


@pytest.mark.parametrize("fields, line", [
    ({"physical": {"user_bytes": 1 << 30}}, "a.toml: physical.user_bytes = 1073741824: must be below flash_bytes"),
    ({"physical": {"page_bytes": 0}}, "a.toml: physical.page_bytes = 0: must be at least 1"),
    ({"physical": {"flash_bytes": 10 ** 10}}, "a.toml: physical.flash_bytes = 10000000000: at most 8 times user_bytes"),
    ({"physical": {"pages": 100_000}}, "a.toml: physical.user_bytes = 1000000000: at least 16 erase blocks"),
    ({"policy": {"map_bytes": 3000}, "sources": {"policy.map_bytes": "x"}},
     "a.toml: policy.map_bytes = 3000: must divide physical.page_bytes = 4096"),
    ({"policy": {"free_blocks": 999}, "sources": {"policy.free_blocks": "x"}},
     "a.toml: physical.flash_bytes = 1073741824: at least 1262406144, for user_bytes, policy.free_blocks = 999"),
    ({"policy": {"cache_bytes": 10 ** 10}, "sources": {"policy.cache_bytes": "x"}},
     "a.toml: policy.cache_bytes = 10000000000: at most physical.user_bytes = 1000000000"),
    ({"physical": {"pgaes": 3}}, "a.toml: physical.pgaes = 3: there is no such field; did you mean pages?"),
    ({"policy": {"victim": "best"}}, "a.toml: policy.victim = 'best': must be 'greedy', 'fifo' or 'best of ten'"),
    ({"cap": {"write_mb_per_s": 200}}, "a.toml: cap.write_mb_per_s: has neither a source nor a reason"),
    ({"sources": {"cap.write_mb_per_s": "x"}},
     "a.toml: sources = 'cap.write_mb_per_s': is not a parameter that this file"),
    ({"unknown": {"physical.dice": "x"}}, "a.toml: unknown = 'physical.dice': is not a parameter"),
    ({"unknown": {"physical.pages": "x"}}, "a.toml: unknown = 'physical.pages': has a value in this file"),
    ({"ranges": {"physical.pages": [100, 200]}}, "a.toml: ranges = 'physical.pages': 64 is not from 100 to 200")])
def test_refused(fields, line):
    with pytest.raises(ProfileError) as refused:
        drive(**fields)
    assert refused.value.faults[0].startswith(line)


@pytest.mark.parametrize("value", ["x", 0, None])
def test_a_parameter_that_is_wrong_is_given(value):
    """Its source or estimate is no second mistake."""
    with pytest.raises(ProfileError) as refused:
        drive(physical={"page_bytes": value})
    assert len(refused.value.faults) == 1


def test_all_that_is_missing_is_named():
    with pytest.raises(ProfileError) as refused:
        FlashDrive.from_data({"name": "mine", "description": "a drive"}, "a.toml")
    assert "a.toml: physical: is missing" in refused.value.faults


@pytest.mark.parametrize("name", names())
def test_supplied(name):
    one = load(name)
    assert f"{one.name}.toml" == (FOLDER / f"{name}.toml").name
    assert {kind for _, kind, _ in one.parameters()} <= set(KINDS)
    # What decides about life and errors is there, or somebody has looked for it.
    for field in ("physical.failures", "physical.errors.fresh", "physical.rated_cycles"):
        assert field in one.unknown or any(given.startswith(field) for given, *_ in one.parameters()), field


def test_ends_of_a_range():
    found = {(field, end): one.physical.flash_bytes for field, end, one in load("c300-256gb").varied()}
    assert found == {("physical.flash_bytes", 252 << 30): 252 << 30, ("physical.flash_bytes", 256 << 30): 256 << 30}


def test_near_names():
    assert load("870 qvo 2tb").name == "870-qvo-2tb"
    assert load("840pro").name == "840-pro-256gb"
    with pytest.raises(ProfileError, match="which of"):
        load("samsung")
    with pytest.raises(ProfileError, match="no flash parameters of a drive 'c300x', similar: c300-256gb"):
        load("c300x")


def test_a_file(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text((FOLDER / "onyx-32gb.toml").read_text())
    assert load(path).name == "own"
    path.write_text("[")
    with pytest.raises(ProfileError, match="cannot be read as TOML"):
        load(path)
    with pytest.raises(ProfileError, match="No such file"):
        load(tmp_path / "other.toml")
