"""A public class has a name of its own: no second one of that name in its distribution."""

import ast
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def public_classes(folder):
    """The public classes of the modules in ``folder``: name to the files that define it."""
    found = defaultdict(list)
    for path in sorted(folder.rglob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(str(path.relative_to(folder)))
    return found


@pytest.mark.sample(3)
@pytest.mark.parametrize("distribution", ["src", "models", "platforms", "tests"])
def test_no_second_class_of_a_name(distribution):
    found = public_classes(ROOT / distribution)
    assert len(found) > 20, "the tree is not where this test looks for it"
    assert not {name: files for name, files in found.items() if len(files) > 1}


def test_what_is_found(tmp_path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "a.py").write_text("class One:\n    class Inner:\n        pass\n")
    (tmp_path / "inner" / "b.py").write_text("class One:\n    pass\n\n\nclass _Two:\n    pass\n")
    assert public_classes(tmp_path) == {"One": ["a.py", "inner/b.py"]}
