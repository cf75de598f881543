"""The picture of a drive's life: what can be read in it."""

from sata_recorder.report.wear_plots import picture


def data(step=20e12, **fields):
    samples = [{"host_bytes": step * n, "least": 99 * n, "mean": 100.0 * n, "most": 101 * n, "amplification": 2.0,
                "bad_blocks": None, "taken": 80e6, "rate": 55e6,
                "bit_errors": {"field": 1e-7 * n, "power": 1e-9 * 10 ** n}} for n in range(1, 5)]
    return {"samples": samples, "drive": "onyx-32gb", "pattern": "ring", "rate": 55e6} | fields


def words(**fields):
    """The texts of the picture, which stand as comments before the outlines of their letters."""
    return [part.partition("-->")[0].strip() for part in picture(data(**fields), "svg").decode().split("<!--")[1:]]


def test_powers_of_ten_are_numbers():
    texts = words()
    assert {"1e-07", "1e-06"} <= set(texts) and not [text for text in texts if "math" in text]


def test_the_unit_fits():
    assert "written by the host (TB)" in words()
    assert "written by the host (GB)" in words(step=10e9)
    assert "written by the host (MB)" in words(step=4e6)


def test_what_is_not_known_is_not_drawn():
    assert "blocks failed" not in words() and {"least", "mean", "most", "field", "power"} <= set(words())
