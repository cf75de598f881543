"""A compiler whose programs look at what they do."""

from contextlib import contextmanager

import pytest

from sata_recorder.simulation import compiler

__all__ = ["checking_compiler"]


@contextmanager
def checking_compiler():
    """Inside, nothing is optimised, and every shift, sum and index is looked at: a finding ends the
    process. What was built so has a name of its own in the cache."""
    flags = [flag for flag in compiler.FLAGS if not flag.startswith("-O")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiler, "FLAGS", (*flags, "-O0", "-fsanitize=undefined", "-fno-sanitize-recover=all"))
        patch.delenv("CXXFLAGS", raising=False)
        compiler.forget()
        try:
            yield
        finally:
            compiler.forget()
