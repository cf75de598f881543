"""How the C++ compiler is called."""

import pytest

from sata_recorder.simulation import MissingTool, compiler


@pytest.fixture
def chosen(monkeypatch):
    """`chosen(CXXFLAGS=...)`: what the environment contains; the compiler is looked for again."""
    def choose(**variables):
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        compiler.forget()

    yield choose
    monkeypatch.undo()
    compiler.forget()


def test_own_flags_come_last(chosen):
    """The last of two levels of optimisation counts; another flag is another library."""
    chosen(CXXFLAGS="")
    plain = compiler.command("a.cc", "a.so", include=("x",)), compiler.identity()
    chosen(CXXFLAGS="-O1 '-DNAME=a b'")
    order = compiler.command("a.cc", "a.so", include=("x",))
    assert order[order.index("-DNDEBUG"):] == ["-DNDEBUG", "-O1", "-DNAME=a b", "-Ix", "-o", "a.so",
                                               "a.cc"]
    assert [word for word in order if word not in ("-O1", "-DNAME=a b")] == plain[0]
    assert compiler.identity() != plain[1]


def test_flags_that_are_no_words(chosen):
    chosen(CXXFLAGS="-O1 '")
    with pytest.raises(MissingTool, match="^CXXFLAGS is \"-O1 '\": No closing quotation$"):
        compiler.identity()
