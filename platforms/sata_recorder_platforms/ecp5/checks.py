"""What must be true of the SERDES in a netlist and in a configuration for an ECP5."""

import re

from sata_recorder.core.phy.ecp5.pads import lane

_WORD = re.compile(r"^word: DCU\.(\S+) ([01]+)$", re.MULTILINE)
_LOCATED = re.compile(r'^LOCATE COMP "(\S+)" SITE "(\w+)";', re.MULTILINE)
_CLOCKED = re.compile(r'^FREQUENCY PORT "(\S+)"', re.MULTILINE)
#: Pads of the DCU in the order of :func:`lane`.
_PADS = "HDOUTP", "HDOUTN", "HDINP", "HDINN"
#: What nextpnr has a time for, if only a rough one, and what is no data: clocks and pads.
_TIMED = re.compile(r"CH\d_FF_[TR]X_D_\d+")
_NO_DATA = re.compile(r".*(?:REFCLKI?|_CLK|PCLK)|CH\d_HD.*")
#: Ports of the DCU without a time, and why that does no harm.
_HARMLESS = {
    r"D_FFC_(MACRO_RST|DUAL_RST|TRST)": "a reset, 10 us long",
    r"CH\d_FFC_(LANE_[TR]X_RST|RRST)": "a reset, 10 us long",
    r"CH\d_FFC_EI_EN": "electrical idle, hundreds of ns slow in the cell",
    r"(D_FFS_PLOL|CH\d_FFS_(RLOS|RLOL))": "asynchronous, synchronised and debounced",
    r"(CH\d_SCI(EN|SEL)|D_SCI(ENAUX|SELAUX|RD|WSTN|ADDR\d|WDATA\d|RDATA\d))":
        "a register access, 3 clocks set up, strobed and held",
}


def parameter_faults(config, parameters):
    """Parameters of the DCU (name to text such as ``0b01``) that nextpnr's ``config`` does not
    have, or has otherwise: a name that nextpnr does not know is dropped without a word."""
    words = dict(_WORD.findall(config))
    faults = []
    for name, text in parameters.items():
        value = int(text[2:], {"b": 2, "d": 10, "x": 16}[text[1]])
        if name not in words:
            faults.append(f"{name}: not in the configuration of the SERDES")
        elif int(words[name], 2) != value:
            faults.append(f"{name}: 0b{words[name]} in the configuration, not {text}")
    return faults


def _serdes(module):
    """The DCUs of a netlist: name, cell."""
    return [(name, cell) for name, cell in module["cells"].items() if cell["type"] == "DCUA"]


def pad_faults(module, preferences, package):
    """Whether the pads in ``preferences`` (the LPF file) belong to the channel that has them.

    nextpnr takes any site for a pad of the SERDES. ``module``: of the netlist. Returns ``(name of
    each pad to its site, faults)``.
    """
    sites = dict(_LOCATED.findall(preferences))
    ports = {bit: name for name, port in module["ports"].items() for bit in port["bits"]}
    found, faults = {}, []
    if len(_serdes(module)) != 1:
        faults.append(f"{len(_serdes(module))} DCUs in the netlist, there must be one")
    for name, cell in _serdes(module):
        dual = int(cell["attributes"]["LOC"].removeprefix("DCU"))
        channel = int(cell["attributes"]["CHAN"].removeprefix("CH"))
        try:
            wanted = lane(package, dual, channel)
        except ValueError as error:
            faults.append(f"{name}: its pads cannot be checked: {error}")
            continue
        for pad, site in zip(_PADS, wanted):
            bits = cell["connections"].get(f"CH{channel}_{pad}", [])
            port = ports.get(bits[0]) if bits else None
            if port is None:
                faults.append(f"{name}: CH{channel}_{pad} leads to no port of the device")
                continue
            found[port] = sites.get(port)
            if sites.get(port) != site:
                faults.append(f"{port}: located at {sites.get(port, 'no site')}, but {pad} of "
                              f"channel {channel} of DCU {dual} is {site} ({package})")
    return found, faults


def untimed_ports(module, preferences):
    """The ports that nextpnr has no time for: those of the DCU, and the device's own except for clocks
    in ``preferences`` (the LPF file), as ``([(port, direction, why that does no harm), ...],
    faults)``."""
    found, faults = [], []
    clocks = set(_CLOCKED.findall(preferences))
    pads = set()
    for name, cell in _serdes(module):
        for port, bits in cell["connections"].items():
            if re.fullmatch(r"CH\d_HD.*", port):
                pads.update(bits)
            if not any(isinstance(bit, int) for bit in bits) or _TIMED.fullmatch(port) or (
                    _NO_DATA.fullmatch(port)):
                continue
            why = next((text for pattern, text in _HARMLESS.items()
                        if re.fullmatch(pattern, port)), None)
            found.append((f"{name}.{port}", cell["port_directions"][port], why or "not known"))
            if why is None:
                faults.append(f"{name}.{port}: it has no time, and nothing shows that this does no "
                              "harm")
    found += [(name, port["direction"], "a pin of the device without a clock")
              for name, port in module["ports"].items()
              if not pads.intersection(port["bits"]) and name not in clocks]
    return found, faults
