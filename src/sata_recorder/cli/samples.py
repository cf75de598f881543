"""What the samples of a radio are, as a user gives it for SigMF metadata."""

from ..pc.volume import item_bytes
from .common import Refusal

__all__ = ["check_samples"]


def check_samples(datatype, sample_rate):
    """Refuses --datatype and --sample-rate, each None where it is not given."""
    if (datatype is None) != (sample_rate is None):
        raise Refusal("--datatype and --sample-rate: one needs the other")
    if datatype is None:
        return
    try:
        item_bytes(datatype)
    except ValueError as error:
        raise Refusal(f"--datatype: {error}") from None
    if not 0 < sample_rate <= 1e250:
        raise Refusal(f"--sample-rate {sample_rate:g}: must be above 0 and at most 1e250")
