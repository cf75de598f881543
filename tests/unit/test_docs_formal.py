"""docs/formal-results.md has every proof of the catalog with its planted faults.

After a change of a proof or of a quoted line, `tests/formal/run.py --docs -k NAME` writes its section.
"""

import re
from pathlib import Path

import pytest
from formal.catalog import PROOFS
from formal.run import PAGE, SOURCE, fault_name, page, section, sections_of

FAULT = re.compile(r"^\| fault \| `(.+)` \| fails in clock \d+: .+ \|$", re.MULTILINE)


@pytest.fixture(scope="module")
def sections():
    return sections_of(PAGE.read_text())


def test_each_proof_has_a_section(sections):
    assert list(sections) == [proof.name for proof in PROOFS]


@pytest.mark.parametrize("proof", PROOFS, ids=lambda proof: proof.name)
def test_rows(sections, proof):
    """Checks and covers of this proof, all good, and the planted faults of the catalog. What has a bound shows it."""
    text = sections[proof.name]
    rows = re.findall(r"^\| (check|cover|fault) \| .+ \| (.+) \|$", text, re.MULTILINE)
    assert len(rows) == len(text.strip().splitlines()) - 4
    examined = (f"holds in the first {proof.bound} clocks only",) if proof.bound else ()
    begins = {"check": ("proved: ", *examined), "cover": "reached in clock ", "fault": "fails in clock "}
    assert all(outcome.startswith(begins[kind]) for kind, outcome in rows)
    assert {"check", "cover"} <= {kind for kind, _ in rows}
    found = [name.replace("\\|", "|") for name in FAULT.findall(text)]
    assert found == [fault_name(fault) for fault in proof.faults]


@pytest.mark.parametrize("proof", PROOFS, ids=lambda proof: proof.name)
def test_what_is_changed_is_there_once(proof):
    for change in (*proof.faults, *proof.abstractions):
        assert (SOURCE / change.file).read_text().count(change.old) == 1, change


def test_generator_writes_what_the_page_has(sections):
    """A section made of its own rows, and a page made of its own sections, are the same."""
    for proof in PROOFS:
        found = [(kind, name.strip("`").replace("\\|", "|"), outcome, True, 0.0)
                 for kind, name, outcome in re.findall(
                     r"^\| (check|cover|fault) \| (.+) \| (.+) \|$", sections[proof.name],
                     re.MULTILINE)]
        assert section(proof, found) == sections[proof.name]
    text = PAGE.read_text()
    assert page(text, {}) == text


def test_one_section_is_replaced(sections):
    """A run of some proofs leaves the others as they are."""
    name = PROOFS[3].name
    text = page(PAGE.read_text(), {name: "### " + name + "\n\nnew\n\n"})
    assert sections_of(text) == sections | {name: "### " + name + "\n\nnew\n\n"}


def test_page_points_at_each_section():
    """docs/formal.md names each proof by a link to its results."""
    text = (Path(PAGE).parent / "formal.md").read_text()
    anchors = re.findall(r"formal-results\.md#([\w-]+)", text)
    for proof in PROOFS:
        assert re.sub(r"[^\w -]", "", proof.name.lower()).replace(" ", "-") in anchors, proof.name
