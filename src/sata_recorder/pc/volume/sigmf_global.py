"""What all metadata in SigMF have: what the samples are, and who recorded them.

SigMF: "Signal Metadata Format Specification" 1.2, https://sigmf.org.
"""

import re
from typing import Any

from ... import __version__

__all__ = ["EXTENSION", "SIGMF_VERSION", "item_bytes", "sigmf_global"]

SIGMF_VERSION = "1.2.0"
#: The namespace of what SigMF has no names for.
EXTENSION = "sata_recorder"
_DATATYPE = re.compile(r"([rc])(?:(?:f(32|64)|[iu](16|32))_[lb]e|[iu](8))")


def item_bytes(datatype: str) -> int:
    """Bytes of a sample of a SigMF ``datatype`` such as ``ci16_le``. Raises ``ValueError``."""
    found = _DATATYPE.fullmatch(datatype)
    if not found:
        raise ValueError(f"{datatype!r} is no SigMF datatype, such as ci16_le, rf32_le, cu8")
    return int(found[2] or found[3] or found[4]) // 8 * (2 if found[1] == "c" else 1)


def sigmf_global(*, datatype: str, sample_rate: float, dataset: str, size: int,
                 sha512: str | None = None) -> dict[str, Any]:
    """The object ``global`` of the metadata of a file ``dataset`` of ``size`` bytes, with their digest in hexadecimal.
    ``sample_rate`` is in Hz. Raises ``ValueError`` for an unknown ``datatype``."""
    # What SigMF calls a Non-Conforming Dataset: with a name or a length of its own.
    rest = size % item_bytes(datatype)
    own = rest or not dataset.endswith(".sigmf-data")
    return {
        "core:datatype": datatype, "core:sample_rate": sample_rate, "core:version": SIGMF_VERSION,
        "core:recorder": f"sata-recorder {__version__}",
        "core:extensions": [{"name": EXTENSION, "version": "1.0.0", "optional": True}],
        **({"core:sha512": sha512} if sha512 else {}),
        **({"core:dataset": dataset, "core:trailing_bytes": rest} if own else {}),
    }
