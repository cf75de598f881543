"""The ports and registers of the histograms: how long commands and stalls of the drive take."""

from functools import partial

from ..facts.described_enum import DescribedEnum
from .group import WORD, Group, input_row, output_row, port_field, row
from .registers import Access, Field, Register

__all__ = ["HISTOGRAM", "LEAST_STALL", "HistogramKind"]

#: Clocks of the shortest stall that counts: those of a sector.
LEAST_STALL = 128


class HistogramKind(DescribedEnum):
    """What a histogram counts."""

    COMMANDS = 0, ("commands that moved data and succeeded, by the clocks from the request to the "
                   "status")
    STALLS = 1, ("times of at least 128 clocks in which the drive took no word of a recording while "
                 "there were some")


_TABLE = (
    input_row("histogram_clear", 1, "one clock: all bins become 0; what ends in the 64 clocks after it "
              "counts"),
    input_row("histogram_address", 6, "32 x histogram + bin to read, see histograms; bin n counts what "
              "takes 2^n to 2^(n+1) - 1 clocks, bin 31 also all that takes longer"),
    output_row("histogram_data", WORD, "the bin since histogram_clear or reset, two clocks after the "
               "address; saturates"),
)

_field = partial(port_field, _TABLE)
_WINDOW = "histogram_address", "histogram_data"
_MEANING = "bin n % 32 of histogram n / 32 since HISTOGRAM_CONTROL.CLEAR or reset; saturates"

_BANK = (
    Register("HISTOGRAM_CONTROL", 0x0F8, "control of the histograms", (
        _field("CLEAR", 0, "histogram_clear", access=Access.W1P),
    )),
    Register("HISTOGRAM", 0xB00, _MEANING, (
        Field("VALUE", 0, WORD, Access.RO, _MEANING, port=_WINDOW),),
        1 << row(_TABLE, _WINDOW[0]).width),
)

HISTOGRAM = Group("histogram", _TABLE, _BANK, exists=lambda configuration: configuration.histograms)
