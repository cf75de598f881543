"""What the firmware reaches beside the core, as a C header: the regions, and the request."""

from amaranth.lib import data

from .bus import AddressRegion
from .request import RequestState, RequestWord


def request_header():
    """Text of the header: ``REGION_<name>``, an address, for each :class:`.bus.AddressRegion`;
    ``REQUEST_<name>``, an index, for each :class:`.request.RequestWord`; ``REQUEST_STATE_<field>``
    ``_MASK`` and ``_SHIFT`` for each field of :class:`.request.RequestState`."""
    lines = ["/* What the processor reaches, and the request of the recorder's user. */",
             "#ifndef REQUEST_H", "#define REQUEST_H"]
    for region in AddressRegion:
        lines += [f"/* {region.meaning} */", f"#define REGION_{region.name} 0x{region:08x}u"]
    for word in RequestWord:
        lines += [f"/* {word.meaning} */", f"#define REQUEST_{word.name} {word.value}u"]
    for name, field in data.Layout.cast(RequestState):
        mask = (1 << field.width) - 1 << field.offset
        lines += [f"#define REQUEST_STATE_{name.upper()}_MASK 0x{mask:08x}u",
                  f"#define REQUEST_STATE_{name.upper()}_SHIFT {field.offset}"]
    return "\n".join([*lines, "#endif", ""])
