"""The log of a life as files: a row for each sample."""

import csv
import io
from typing import Any

from .outlook import Wear

#: Columns of the log; errors by each law follow.
_COLUMNS = ("seconds", "host_bytes", "flash_bytes", "least", "mean", "most", "amplification", "taken", "rate",
            "bad_blocks", "spare_left", "cached")


def rows(found: Wear) -> list[dict[str, Any]]:
    """The samples as dictionaries that all have the same keys; None: not known."""
    laws = list(found.last.bit_errors)
    return [{name: one._asdict()[name] for name in _COLUMNS}
            | {f"bit_errors_{law}": one.bit_errors.get(law) for law in laws} for one in found.samples]


def as_csv(found: Wear) -> str:
    """The log as the text of a CSV file with one line of names; what is not known is empty."""
    file = io.StringIO()
    every = rows(found)
    writer = csv.DictWriter(file, list(every[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(every)
    return file.getvalue()


def as_parquet(found: Wear) -> bytes:
    """The log as the bytes of a Parquet file; needs polars."""
    import polars
    file = io.BytesIO()
    real = dict.fromkeys(rows(found)[0], polars.Float64)
    frame = polars.DataFrame(rows(found), schema=real | dict.fromkeys(("least", "most", "bad_blocks"), polars.Int64))
    frame.write_parquet(file)
    return file.getvalue()
