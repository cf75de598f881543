"""Records and plays with the SoC of acorn_recorder.py, and reports whose the time was.

It runs in the folder in which acorn_recorder.py ran, and reads csr.json and sata_recorder.json from its build:

    litex_server --jtag --jtag-config=openocd_xc7_ft2232.cfg        # in another terminal
    python host.py --sectors 1048576                                # 512 MiB; what is on the drive there is lost
"""

import json
import sys
import time
from argparse import ArgumentParser
from pathlib import Path

BUILD = Path("build/sqrl_acorn")
SECTOR_BYTES = 512


class Recorder:
    """The recorder at a ``bus`` with ``read(address)`` and ``write(address, value)``, as LiteX's RemoteClient has."""

    def __init__(self, bus, build=BUILD):
        self.bus = bus
        self.soc = json.loads((build / "csr.json").read_text())
        self.core = json.loads((build / "gateware/sata_recorder.json").read_text())
        self.registers = {one["name"]: one for one in self.core["registers"]}
        self.base = self.soc["memories"]["recorder"]["base"]

    def csr(self, name, value=None):
        """Reads a CSR of the SoC, or writes ``value``."""
        address = self.soc["csr_registers"][name]["addr"]
        return self.bus.read(address) if value is None else self.bus.write(address, value)

    def address(self, name, index=0):
        register = self.registers[name]
        return self.base + register["offset"] + index * register.get("stride", 0)

    def read(self, name, index=0):
        return self.bus.read(self.address(name, index))

    def write(self, name, value):
        self.bus.write(self.address(name), value)

    def read_wide(self, name, index=0):
        """48 bits: reading the low word keeps the high one."""
        low = self.read(f"{name}_LOW", index)
        return self.read(f"{name}_HIGH", index) << 32 | low

    def field(self, register, name):
        field = next(one for one in self.registers[register]["fields"] if one["name"] == name)
        return self.read(register) >> field["low"] & (1 << field["width"]) - 1

    def wait(self, flag, pause=0.001):
        while not self.field("STATUS", flag):
            time.sleep(pause)

    def start(self, operation, lba, sectors):
        code = next(one["code"] for one in self.core["operations"] if one["name"] == operation)
        for name, value in ("LBA", lba), ("SECTORS", sectors):
            self.write(f"{name}_LOW", value & 0xFFFF_FFFF)
            self.write(f"{name}_HIGH", value >> 32)
        self.write("CONTROL", code << 8 | 1)

    def drive(self):
        """Model and firmware of the drive, from its IDENTIFY DEVICE data."""
        words = b"".join(self.read("IDENTIFY", n).to_bytes(4, "little") for n in range(128))
        swapped = bytes(words[n ^ 1] for n in range(512))
        return swapped[54:94].decode("ascii", "replace").strip(), swapped[46:54].decode("ascii", "replace").strip()

    def error(self):
        """How the last operation ended, or what a drive is refused for."""
        code = self.field("ERROR", "CODE")
        return next(one for one in self.core["errors"] if one["code"] == code)

    def ledger(self):
        """The clocks of the last operation by account."""
        return {one["name"]: self.read_wide("LEDGER", one["address"])
                for one in self.core["ledger"] if one["address"] < 16}

    def result(self):
        """How the last operation ended, as lines."""
        error = self.error()
        clocks, words = self.ledger(), self.read_wide("WORDS")
        total = sum(clocks.values())
        seconds = total / self.core["configuration"]["clock_hz"]
        yield f"{error['name']}: {error['meaning']}; {words} words in {seconds * 1e3:.3f} ms"
        if total:
            yield f"  {4 * words / seconds / 1e6:.1f} MB/s; the clocks:"
        for name, count in sorted(clocks.items(), key=lambda item: -item[1]):
            if count:
                yield f"  {100 * count / total:6.2f} %  {name}"
        yield (f"  the source waited {self.read_wide('HELD_CYCLES')} clocks, the drive took nothing for up to "
               f"{self.read_wide('LONGEST_STALL')}")
        yield f"  buffer: at most {self.read('HIGH_WATER')} of {self.core['configuration']['buffer_words']} words"


def record_and_play(recorder, lba, sectors, say=print):
    """Records the pattern and plays it; returns whether all words came back."""
    if (found := recorder.read("ID")) != recorder.registers["ID"]["reset"]:
        sys.exit(f"host.py: there is no recorder at {recorder.base:#x}: its ID reads {found:#x}")
    if not recorder.field("STATUS", "READY"):
        say(f"no drive is ready yet: {'link up' if recorder.field('STATUS', 'LINK_UP') else 'no link'}, "
            f"error {recorder.error()['name']}")
    recorder.wait("READY")
    model, firmware = recorder.drive()
    say(f"{model}, firmware {firmware}, {recorder.read_wide('CAPACITY')} sectors, "
        f"generation {recorder.field('STATUS', 'GENERATION')}")
    recorder.csr("pattern_restart", 1)
    for operation in "RECORD_FLUSH", "PLAY":
        recorder.start(operation, lba, sectors)
        recorder.wait("DONE")
        say(f"{operation} of {sectors} sectors from {lba}")
        for line in recorder.result():
            say(f"  {line}")
        if recorder.field("ERROR", "CODE"):
            return False
    checked, mismatches = recorder.csr("pattern_checked"), recorder.csr("pattern_mismatches")
    say(f"{checked} words came back, {mismatches} of them wrong")
    return checked == sectors * SECTOR_BYTES // 4 and not mismatches


def main():
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--lba", type=int, default=0, help="first sector")
    parser.add_argument("--sectors", type=int, default=2048, help="of 512 bytes each; what they hold is lost")
    asked = parser.parse_args()
    try:
        from litex import RemoteClient
        bus = RemoteClient()
        recorder = Recorder(bus)
        bus.open()
    except (ModuleNotFoundError, OSError) as error:
        sys.exit(f"host.py: {error}: it needs LiteX, a build of acorn_recorder.py in this folder, and a litex_server")
    try:
        sys.exit(not record_and_play(recorder, asked.lba, asked.sectors))
    finally:
        bus.close()


if __name__ == "__main__":
    main()
