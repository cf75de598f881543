"""What the default suite tries of many cases; `--long` tries them all."""

import pytest


def short(cases, tried):
    """All ``cases`` for ``parametrize``; those that are not in ``tried`` run with --long only."""
    return [pytest.param(*case if isinstance(case, tuple) else (case,),
                         marks=[] if case in tried else [pytest.mark.long]) for case in cases]
