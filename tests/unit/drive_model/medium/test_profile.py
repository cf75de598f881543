"""Profile files: what is refused and how, and what those supplied must say."""

import re
from pathlib import Path
from typing import get_args

import pytest
from pydantic import BaseModel
from sata_drive_model import Medium, Profile, ProfileError
from sata_drive_model.medium import profile as profiles
from sata_drive_model.medium import profile_faults
from sata_drive_model.medium.profile import FOLDER, load, names, near_names, text_of, timed_names

GOOD = {"name": "mine", "model": "MINE", "description": "a drive", "capacity_sectors": 1000,
        "generation": 2, "source": "a test"}
ZONES = [[0.0, 100.0], [1.0, 50.0]]
CACHE = {"bytes": 10 ** 6, "mb_per_s": 100}


def profile(**fields):
    return Profile.from_data(GOOD | fields, "a.toml")


def test_defaults_are_those_of_ideal():
    ideal, mine = load("ideal"), profile()
    assert (ideal.write, ideal.read) == (mine.write, mine.read)
    assert mine.write.knots == mine.read.knots == ()
    assert mine.write_first is mine.read_rates is None


@pytest.mark.parametrize("fields, words", [
    ({"colour": "red"}, ["colour = 'red'", "no such field"]),
    ({"write": {"speed": 3}}, ["write.speed = 3", "no such field"]),
    ({"generatoin": 2}, ["generatoin = 2: there is no such field; did you mean generation?"]),
    ({"write": {"cache": CACHE | {"idle": 3}}}, ["write.cache.idle = 3", "did you mean idle_ms?"]),
    ({"write": {"stalls": [{"every_bytes": 10 ** 6, "ms": 1, "wen": "x"}]}}, ["write.stalls.0.wen", "mean when?"]),
    ({"write": 5}, ["write = 5: must be a table"]),
    ({"model": "x" * 41}, ["model = ", "40"]),
    ({"model": "täst"}, ["model = 'täst'", "printable characters of ASCII"]),
    ({"name": "No Name"}, ["name = 'No Name'", "a-z, 0-9, '.'"]),
    ({"capacity_sectors": 0}, ["capacity_sectors = 0", "1"]),
    ({"capacity_sectors": 1 << 48}, ["capacity_sectors = 281474976710656", "281474976710655"]),
    ({"capacity_sectors": 1.5}, ["capacity_sectors = 1.5", "must be a whole number"]),
    ({"capacity_sectors": 1 << 28, "lba48": False},
     ["capacity_sectors = 268435456", "268435455", "lba48 = false"]),
    ({"lba48": 1}, ["lba48 = 1", "must be true or false"]),
    ({"physical_sector": 1000}, ["physical_sector = 1000", "power of two"]),
    ({"physical_sector": 256}, ["physical_sector = 256", "512"]),
    ({"write": {"misaligned_us": 5.0}}, ["write.misaligned_us = 5.0", "physical_sector", "512"]),
    ({"fua": True, "lba48": False}, ["fua = true", "lba48 = false"]),
    ({"write": {"fua_us": 5.0}}, ["write.fua_us = 5.0", "fua = false"]),
    ({"generation": 4}, ["generation = 4", "3"]),
    ({"source": ""}, ["source = ''", "1 or more characters"]),
    ({"scale": 0}, ["scale = 0", "0.000001"]),
    ({"scale": 1.1}, ["scale = 1.1", "1"]),
    ({"initial_fill": 1.01}, ["initial_fill = 1.01", "1"]),
    ({"seed": -1}, ["seed = -1", "0"]),
    ({"write": {"mb_per_s": 0}}, ["write.mb_per_s = 0", "0.001"]),
    ({"write": {"mb_per_s": float("nan")}}, ["write.mb_per_s = nan", "finite"]),
    ({"read": {"mb_per_s": float("inf")}}, ["read.mb_per_s = inf", "finite"]),
    ({"read": {"mb_per_s": "fast"}}, ["read.mb_per_s = 'fast'", "number"]),
    ({"write": {"mb_per_s": 1e6}}, ["write.mb_per_s = 1000000.0", "100000"]),
    ({"write": {"command_us": -1}}, ["write.command_us = -1", "0"]),
    ({"read": {"completion_us": 6e7 + 1}}, ["read.completion_us = 60000001.0", "60000000"]),
    ({"write": {"buffer_bytes": 8191}}, ["write.buffer_bytes = 8191", "8192"]),
    ({"write": {"buffer_bytes": 8192, "stall_shows": "activate"}},
     ["write.buffer_bytes = 8192", "at least 16384", "activate"]),
    ({"read": {"buffer_bytes": 32767}}, ["read.buffer_bytes = 32767", "32768"]),
    ({"write": {"stall_shows": "late"}}, ["write.stall_shows = 'late'", "'hold'", "'status'"]),
    ({"read": {"stall_shows": "activate"}}, ["read.stall_shows = 'activate'", "'data'"]),
    ({"write": {"hold_slices": 0}}, ["write.hold_slices = 0", "1"]),
    ({"write": {"hold_slices": 65}}, ["write.hold_slices = 65", "64"]),
    ({"write": {"zones": ZONES[:1]}}, ["write.zones", "a list of 2 or more"]),
    ({"write": {"zones": [[0.1, 100.0], [1.0, 50.0]]}}, ["write.zones", "0.0 to 1.0"]),
    ({"write": {"zones": [[0.0, 1.0], [0.5, 1.0], [0.5, 2.0], [1.0, 1.0]]}},
     ["write.zones", "above the one before"]),
    ({"write": {"zones": [[0.0, 100.0], [1.5, 50.0]]}}, ["write.zones.1.0 = 1.5", "1"]),
    ({"write": {"zones": [[0.0, 100.0], [1.0, -3]]}}, ["write.zones.1.1 = -3", "0.001"]),
    ({"write": {"zones": ZONES, "mb_per_s": 80.0}}, ["write.mb_per_s = 80.0", "zones"]),
    ({"write": {"cache": {"bytes": 100}}}, ["write.cache.bytes = 100", "8192"]),
    ({"write": {"cache": {"mb_per_s": 100}}}, ["write.cache.bytes", "missing"]),
    ({"write": {"cache": CACHE | {"minimum_bytes": 10 ** 7}}},
     ["write.cache.minimum_bytes = 10000000", "at most bytes = 1000000"]),
    ({"write": {"cache": CACHE | {"idle_ms": -1}}}, ["write.cache.idle_ms = -1", "0"]),
    ({"write": {"crowded": {"from_fill": 2, "mb_per_s": 3}}},
     ["write.crowded.from_fill = 2", "1"]),
    ({"write": {"stalls": [{"every_bytes": 10 ** 6, "ms": 0}]}}, ["write.stalls.0.ms = 0", "0"]),
    ({"write": {"stalls": [{"every_bytes": 5, "ms": 1}]}},
     ["write.stalls.0.every_bytes = 5", "8192"]),
    ({"write": {"stalls": [{"every_bytes": 10 ** 6, "ms": 1, "first_bytes": 10 ** 7}]}},
     ["write.stalls.0.first_bytes = 10000000", "at most every_bytes = 1000000"]),
    ({"write": {"stalls": [{"every_bytes": 10 ** 6, "ms": 1, "when": "cache full"}]}},
     ["write.stalls", "cache full", "no cache"]),
    ({"write": {"dips": [{"every_bytes": 10 ** 6, "bytes": 10 ** 7, "mb_per_s": 1}]}},
     ["write.dips.0.bytes = 10000000", "at most every_bytes = 1000000"]),
    ({"estimates": {"write.colour": "why"}}, ["estimates = 'write.colour'", "not a field"]),
    ({"fitted": {"seed": "why"}, "estimates": {"seed": "why"}},
     ["fitted = 'seed'", "among the estimates"]),
    ({"fitted": {"write.cache.bytes": "why"}}, ["fitted = 'write.cache.bytes'", "not a field"]),
])
def test_refuses(fields, words):
    with pytest.raises(ProfileError) as error:
        profile(**fields)
    text = str(error.value)
    assert text.startswith("a.toml: ") and "\n" not in text
    assert all(word in text for word in words), text


@pytest.mark.parametrize("name", sorted(set(GOOD) - {"name"}))
def test_refuses_without(name):
    with pytest.raises(ProfileError, match=f"^a.toml: {name}: is missing$"):
        Profile.from_data({key: value for key, value in GOOD.items() if key != name}, "a.toml")


def test_long_values_are_cut():
    with pytest.raises(ProfileError) as error:
        profile(write={"mb_per_s": "x" * 1000})
    assert len(str(error.value)) < 200


def test_cannot_be_changed():
    with pytest.raises(ValueError):
        profile().generation = 3


def test_file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('model = "M"\ndescription = "d"\ncapacity_sectors = 5\ngeneration = 1\n'
                    'source = """\nline one\n line two"""\n[write]\nzones = [[0, 10], [1.0, 5]]\n')
    mine = load(path)
    assert mine == load(str(path)) == Profile.from_toml(path)
    assert (mine.name, mine.source) == ("mine", "line one line two")
    assert mine.write.knots == ((0, 10), (1, 5))
    assert mine.write_first == 10


@pytest.mark.parametrize("content, words", [
    (b"no TOML", "cannot be read as TOML"), (b"\xff", "cannot be read as TOML"), (None, "No such"),
])
def test_unreadable_file(tmp_path, content, words):
    path = tmp_path / "mine.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ProfileError, match=words) as error:
        load(path)
    assert str(error.value).startswith(str(path)) and "\n" not in str(error.value)


@pytest.mark.parametrize("text, near", [
    ("optain", ["optane"]), ("zzz", []), ("Crucial MX600 500GB", ["bx500-500gb"])])
def test_near_names(text, near):
    assert near_names(text)[:1] == near
    with pytest.raises(ProfileError) as error:
        load(text)
    told = str(error.value)
    assert told.startswith(f"no drive profile {text!r}" + (f", similar: {', '.join(near)}" if near else ""))


@pytest.mark.parametrize("text, name", [
    ("870 evo 4tb", "870-evo-4tb"), ("Samsung 870 EVO 4 TB", "870-evo-4tb"), ("samsung SSD 870evo 4TB", "870-evo-4tb"),
    ("Samsung SSD 870 QVO 1TB", "870-qvo"), ("870 qvo", "870-qvo"), ("CT1000MX500SSD1", "mx500-1tb"),
    ("Crucial MX500 1TB", "mx500-1tb"), ("Exos X24", "exos-x24-24tb"), ("Intel X25-E", "x25-e"),
    ("vertexplus", "vertex-plus"), ("870evo 4tb", "870-evo-4tb"), ("exosx24", "exos-x24-24tb"),
    ("WD40EFAX", "wd-red-4tb-smr"), ("SEDC600M/960G", "dc600m-960gb")])
def test_names_as_people_write_them(text, name):
    assert load(text).name == name


@pytest.mark.parametrize("text, some", [
    ("870 evo", {"870-evo-1tb", "870-evo-4tb"}), ("870EVO", {"870-evo-1tb", "870-evo-4tb"}),
    ("wd gold", {"wd-gold-12tb"})])
def test_a_name_of_several_drives_is_asked_back(text, some):
    with pytest.raises(ProfileError, match=f"^drive {text!r}: which of ") as error:
        load(text)
    assert some <= set(str(error.value).rstrip("?").split("which of ")[1].split(", "))


def test_each_alias_is_of_one_drive():
    found = {}
    for name in names():
        for text in load(name).aliases:
            assert found.setdefault(text.lower(), name) == name
            assert load(text).name == name


def test_supplied_names():
    assert names() == sorted(path.stem for path in FOLDER.iterdir())
    assert {"ideal", "x25-e", "g-monster-v2", "ts32gssd25s", "shd-nsum30g", "hds721050cla362",
            "vertex-plus", "970-evo-plus", "870-qvo", "dc-s3700"} <= set(names())


@pytest.mark.parametrize("name", names())
def test_supplied(name):
    one = load(name)
    assert one.name == name
    assert len(one.source) > 20 and len(one.description) < 70
    assert one.scale == 1 or "NVMe" in one.notes


@pytest.mark.parametrize("name", names())
def test_a_rate_that_is_not_measured_is_unknown(name):
    """A profile of a drive has a writing rate, or states why it is not known; what its maker states bounds it."""
    one = load(name)
    assert name == "ideal" or bool(one.write.knots) != ("write" in one.unknown_rates)
    assert (name in timed_names()) == (not one.unknown_rates)
    for side in one.unknown_rates:
        assert getattr(one, side).mb_per_s is None and one.unknown[f"{side}.mb_per_s"]
    if one.write.up_to_mb_per_s and one.write.knots:
        assert max(rate for _, rate in one.write.knots) <= one.write.up_to_mb_per_s


UNSURE = {"unknown": {"write.mb_per_s": "nobody measured it"}, "write": {"up_to_mb_per_s": 500, "cache": CACHE}}


def test_an_unknown_rate_is_no_rate():
    one = profile(**UNSURE)
    assert one.unknown_rates == {"write": "nobody measured it"} and not one.assumed
    assert one.write_first == 100 and profile(**UNSURE | {"write": {"up_to_mb_per_s": 500}}).write_first == 500
    with pytest.raises(ProfileError, match=r"^mine: its rate of writing is unknown \(nobody measured it\)"):
        one.check_rates()
    one.check_rates("read")
    with pytest.raises(ProfileError, match="its rate of writing is unknown"):
        Medium(one, 75e6)
    assert one.at_best().write.mb_per_s == 500 and not one.at_best().unknown_rates
    assumed = one.assuming(200)
    assert assumed.write.mb_per_s == 200 and assumed.assumed == ["write"] and not assumed.unknown_rates
    assert "assumed by you" in assumed.estimates["write.mb_per_s"]
    Medium(assumed, 75e6)
    with pytest.raises(ProfileError, match="501 MB/s are more than the 500 that its maker states"):
        one.assuming(501)
    with pytest.raises(ProfileError, match="nothing to assume"):
        assumed.assuming(200)


def test_drive_writes_per_day():
    one = load("870-evo-4tb")
    assert one.drive_writes_per_day == pytest.approx(2400 / 4.000787 / (5 * 365), rel=1e-6)
    assert load("x25-e").drive_writes_per_day is None


@pytest.mark.parametrize("fields, words", [
    ({"unknown": {"write.rate": "x"}}, "unknown = 'write.rate': is not a field"),
    ({"unknown": {"write.cache.bytes": "x"}}, "unknown = 'write.cache.bytes': is not a field"),
    ({"unknown": {"write.mb_per_s": "x"}, "write": {"mb_per_s": 5}}, "unknown = 'write.mb_per_s': has a value"),
    ({"unknown": {"read.mb_per_s": "x"}, "read": {"zones": ZONES}}, "unknown = 'read.mb_per_s': is not, with zones"),
    ({"power_loss_protection": "some"}, "power_loss_protection = 'some'"),
    ({"warranty_years": 0}, "warranty_years = 0"),
    ({"write": {"after_cache": "slow"}}, "write.after_cache = 'slow'"),
    ({"write": {"dirty": {"recovered_mb_per_s": 5}}}, "write.dirty.mb_per_s: is missing"),
    ({"write": {"measured_bytes": 10}}, "write.measured_bytes = 10")])
def test_what_is_not_known_is_checked(fields, words):
    with pytest.raises(ProfileError) as error:
        profile(**fields)
    assert words in str(error.value)


def test_a_blank_profile_is_accepted_once_it_is_filled_in(tmp_path):
    path = tmp_path / "blank.toml"
    path.write_text(text_of())
    with pytest.raises(ProfileError) as error:
        load(path)
    assert [fault.split(": ")[1].split(" =")[0] for fault in error.value.faults] == \
        ["model", "description", "capacity_sectors", "source"]
    text = path.read_text()
    for field, value in ("model", "X"), ("description", "A drive"), ("source", "its sheet"):
        text = text.replace(f'{field} = ""', f'{field} = "{value}"', 1)
    path.write_text(text.replace("capacity_sectors = 0", "capacity_sectors = 1953525168", 1))
    assert load(path).unknown_rates == {"write": "the data sheet states no rate after the cache"}
    # every line that is commented out is a field of the part that it stands in
    lines = [line.removeprefix("# ") if re.match(r'# (\[|"|\w+ = )', line) else line
             for line in path.read_text().splitlines() if '"write.mb_per_s" =' not in line]
    path.write_text("\n".join(lines))
    whole = load(path)
    assert whole.write.dirty and whole.write.cache
    assert whole.rated_writes_tb == 600 and whole.workload_tb_per_year == 550


def test_the_text_of_a_profile_is_its_file(tmp_path):
    assert text_of("870 evo 4tb") == (FOLDER / "870-evo-4tb.toml").read_text()
    own = tmp_path / "own.toml"
    own.write_text((FOLDER / "x25-e.toml").read_text() + "\n# mine")
    assert text_of(own) == own.read_text()


def test_rates_that_follow():
    one = profile(scale=0.5, write={"zones": [[0, 100], [1, 80]], "cache": CACHE | {"mb_per_s": 200}},
                  read={"zones": ZONES})
    assert one.write_first == 100
    assert one.read_rates == (50, 25)


# Documentation ------------------------------------------------------------------------------------

DOCS = (Path(__file__).resolve().parents[4] / "docs/drives.md").read_text()


def parts(part=Profile):
    """A profile's model and those inside it."""
    yield part
    for field in part.model_fields.values():
        for inner in [field.annotation, *get_args(field.annotation)]:
            for one in [inner, *get_args(inner)]:
                if isinstance(one, type) and issubclass(one, BaseModel):
                    yield from parts(one)


def test_docs_have_every_field():
    written = set(re.findall(r"^\| `(\w+)` \|", DOCS, re.MULTILINE))
    assert len({*parts()}) == 8
    fields = {name for part in parts() for name in part.model_fields}
    assert written - {"hold", "activate", "status"} == fields - {"write", "read", "cache", "crowded",
                                                                 "dirty", "stalls", "dips"}


def test_docs_example(tmp_path):
    path = tmp_path / "example.toml"
    path.write_text(re.search(r"```toml\n(.*?)```", DOCS, re.DOTALL)[1])
    assert Profile.from_toml(path).write.cache.bytes == 20_000_000_000


def test_a_seed_draws_within_the_variation():
    one = load("x25-e")
    assert one.varies and one.drawn(0) is one
    drawn = [one.drawn(seed).write.mb_per_s / one.write.mb_per_s for seed in range(1, 200)]
    least, most = one.write.variation
    assert least <= min(drawn) < 0.97 and 1.003 < max(drawn) <= most
    assert one.drawn(5) == one.drawn(5) != one.drawn(6)
    assert not load("870-qvo").varies
    assert load("870-qvo").drawn(3).write == load("870-qvo").write


def test_each_field_that_must_be_there_has_a_stand_in():
    """Else what does not agree would not be told where such a field is wrong."""
    parts = profiles.Profile.__base__.__subclasses__()
    for part in parts:
        parts += part.__subclasses__()
    needed = {name for part in parts for name, field in part.model_fields.items()
              if field.is_required()}
    assert {"capacity_sectors", "every_bytes"} <= needed <= set(profile_faults.STAND_INS)
