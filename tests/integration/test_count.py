"""A stage that counts words."""

from integration.small import SMALL, content

from sata_recorder.core.drive_port import Error


def test_all_words_are_counted(bench):
    b = bench(**SMALL | {"count": True})
    for sectors in 3, 40:
        assert b.record(content(sectors, sectors), 7).error == Error.NONE
    assert b.engine.output("count_words") == 43 * 128
    b.check()
