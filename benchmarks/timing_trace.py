"""The core as it is exported, against the drive model, clock by clock in Amaranth's simulator: for timing diagrams."""

from pathlib import Path
from tempfile import TemporaryDirectory

from amaranth.hdl import ClockDomain, Module
from amaranth.sim import Simulator
from sata_drive_model import DiskImage, Drive, DrivePort
from sata_drive_model.behaviour import Behaviour
from sata_drive_model.protocol.scrambler import xor

from sata_recorder import Configuration
from sata_recorder.bricks.stack import stack
from sata_recorder.core.link.primitives import Primitive
from sata_recorder.interface import ALL_PORTS, named_ports
from sata_recorder.pc.vita49 import frames, packets
from sata_recorder.pc.volume import DiskReader, prepare
from sata_recorder.pc.volume import Drive as PreparedDrive

#: Longest wait for an output, in clocks: what takes longer is no diagram.
PATIENCE = 60000
#: Sectors of a drive with files, which is prepared for each diagram.
SMALL = 4096

_NAMES = {int(one): one.name for one in Primitive}
#: Type of a FIS, its first byte, to its name (Serial ATA Revision 3.x, transport layer, FIS types).
_FISES = {0x27: "H2D", 0x34: "D2H", 0x39: "DMA Act", 0x46: "Data", 0x5F: "PIO"}


class Trace:
    """A core that runs: its ports by their exported names, and the values of all of them in each clock so far.

    ``marks`` has the clocks that a scenario has named, ``image`` is the medium of the drive, ``behaviour`` its
    :class:`Behaviour`, which a scenario may change.
    """

    def __init__(self, context, ports, inputs, reset, source):
        self.rows, self.marks, self.image = [], {}, DiskImage(sectors=1 << 20)
        self.behaviour = Behaviour()
        self._context, self._ports, self._inputs, self._reset = context, ports, inputs, reset
        self._source = source
        self._drive = DrivePort(Drive(self.image, behaviour=self.behaviour))
        self._taken = 0
        self.set(phy_generation=2)

    @property
    def clock(self):
        """The number of this clock."""
        return len(self.rows)

    def mark(self, name):
        self.marks[name] = self.clock

    def prepare(self):
        """The drive is prepared for files; another one takes the place of the first, so it comes before a reset."""
        with TemporaryDirectory() as folder:
            path = Path(folder) / "drive.img"
            prepare(path, sectors=SMALL, recordings=1, align=16 << 10)
            self.image = DiskImage(sectors=SMALL)
            self.image.write(0, path.read_bytes())
        self._drive = DrivePort(Drive(self.image, behaviour=self.behaviour))

    def set(self, **inputs):
        for name, value in inputs.items():
            self._context.set(self._reset if name == "rst" else self._ports[name], value)

    def get(self, name):
        return self._context.get(self._ports[name])

    async def tick(self, clocks=1):
        """Ends this clock, and more of them. The source offers its next word where one was taken."""
        for _ in range(clocks):
            if "s_axis_tdata" in self._ports:
                self.set(s_axis_tdata=self._source(self._taken))
            row = {name: self._context.get(value) for name, value in self._ports.items()}
            self.rows.append(row | {"rst": self._context.get(self._reset)})
            self._taken += row.get("s_axis_tvalid", 0) & row.get("s_axis_tready", 0)
            word = self._drive.clock(row["phy_tx_data"] | row["phy_tx_k"] << 32 | row["phy_reset"] << 36)
            await self._context.tick()
            self.set(**{f"phy_{name}": word >> at & (1 << width) - 1 for name, at, width in (
                ("rx_data", 0, 32), ("rx_k", 32, 4), ("rx_valid", 36, 1), ("tx_ready", 37, 1), ("link_up", 38, 1),
                ("rx_error", 39, 1))})

    async def until(self, name, value=1):
        """Ends clocks until the output ``name`` has this value."""
        for _ in range(PATIENCE):
            if self.get(name) == value:
                return
            await self.tick()
        raise TimeoutError(f"{name} was not {value} within {PATIENCE} clocks")

    async def pulse(self, **inputs):
        self.set(**inputs)
        await self.tick()
        self.set(**dict.fromkeys(inputs, 0))

    async def ready(self, clocks=4):
        """Resets the core for ``clocks``, and waits until a drive is ready."""
        self.set(rst=1)
        await self.tick(clocks)
        self.set(rst=0)
        await self.tick()
        await self.until("ready")

    async def handshakes(self, *channels):
        """Ends clocks until each of ``channels``, by the beginning of its ports, has transferred once. Where the core
        is the receiver, valid falls then."""
        left = set(channels)
        while left:
            moved = {name for name in left if self.get(f"{name}valid") & self.get(f"{name}ready")}
            await self.tick()
            self.set(**{f"{name}valid": 0 for name in moved if f"{name}valid" in self._inputs})
            left -= moved

    def on_disk(self, stream, lba):
        """Enters into each row, as "on the disk", the bytes that the beat at ``stream`` in its clock has become on the
        disk from sector ``lba`` on, in their order."""
        content, place = self.image.read_sectors(lba, 1), 0
        for row in self.rows:
            size = len(self._ports[f"{stream}_tdata"]) // 8
            row["on the disk"] = content[place:place + size].hex(" ")
            place += size * (row[f"{stream}_tvalid"] & row[f"{stream}_tready"])

    def in_the_log(self):
        """Enters into each row, as "in the log", how long the log of the file has the line that ends in its
        clock."""
        with TemporaryDirectory() as folder:
            path = Path(folder) / "drive.img"
            path.write_bytes(self.image.read(0, 512 * SMALL))
            with PreparedDrive(path) as drive:
                lines = drive.recordings[0].log.lines
                sizes = [one.bytes for one in lines.within(0, drive.recordings[0].bytes)]
        for row in self.rows:
            ends = row["s_axis_tvalid"] & row["s_axis_tready"] & row["s_axis_tlast"]
            row["in the log"] = sizes.pop(0) if ends else 0
        assert not sizes, "each line of the log ended somewhere"

    def in_frames(self, lba):
        """Enters into each row, as "in the frames", the words of the packet that ends in its clock, by their numbers,
        as a PC reads them from sector ``lba`` on."""
        with TemporaryDirectory() as folder:
            path = Path(folder) / "frames.vrl"
            path.write_bytes(self.image.read_sectors(lba, 64))
            with DiskReader(path) as reader:
                found = [one for one, _ in packets(frames(reader))]
        assert all(one.whole for one in found)
        texts = [f"{one.first} to {one.first + one.words - 1}" for one in found]
        for row in self.rows:
            row["in the frames"] = texts.pop(0) if (
                row["s_axis_tvalid"] & row["s_axis_tready"] & row["s_axis_tlast"]) else ""
        assert not texts, "each packet ended somewhere"

    def carries(self, port, name, number=1):
        """The clock in which ``port`` begins to carry the primitive or FIS ``name`` for the ``number``-th time since
        the clock `zero`."""
        shown = line(self.rows, port)
        begins = [clock for clock in range(self.marks["zero"], len(shown))
                  if shown[clock] == name and shown[clock - 1] != name]
        return begins[number - 1]


def simulated(scenarios, **configuration):
    """Runs each of ``scenarios``, (coroutine function, function from the number of a word to the word), from power-on
    with the core of ``configuration``; yields the :class:`Trace` of each."""
    m = Module()
    m.domains.sync = domain = ClockDomain()
    m.submodules.top = component = stack(Configuration(**configuration))
    ports = {name: value for name, (value, _) in named_ports(component).items()}
    inputs = {name for name in ports if ALL_PORTS[name].direction == "input"}
    run = {}

    async def bench(context):
        trace = Trace(context, ports, inputs, domain.rst, run["source"])
        await run["scenario"](trace)
        run["trace"] = trace

    simulator = Simulator(m)
    simulator.add_clock(1 / 75e6)
    simulator.add_testbench(bench)
    for scenario, source in scenarios:
        if run:
            simulator.reset()
        run |= {"scenario": scenario, "source": source}
        simulator.run()
        yield run["trace"]


def line(rows, port, frames=False):
    """What ``port``, phy_tx or phy_rx, carries in each of ``rows``: the name of a primitive, or of a FIS. ALIGN, which
    comes between all others every 256 dwords, is not shown. With ``frames`` only the FISes are, and "" between them."""
    shown, fis, repeated = [], None, "-"
    for row in rows:
        data = row[f"{port}_data"]
        valid = row["phy_rx_valid" if port == "phy_rx" else "phy_tx_ready"]
        if not valid:
            shown.append("")
        elif row[f"{port}_k"]:
            name = _NAMES.get(data, f"{data:08X}")
            if name == "ALIGN":
                name = shown[-1] if shown and shown[-1] else name
            elif name != "CONT":
                repeated, fis = name, "" if name == "SOF" else fis if name in ("HOLD", "HOLDA") else None
            if frames and fis:
                name = fis          # HOLD and HOLDA are within a frame
            shown.append(repeated if name == "CONT" else name)
        elif fis is None:
            shown.append(repeated)          # after CONT: what is there has no meaning
        else:
            fis = fis or _FISES.get(xor(data.to_bytes(4, "little"))[0], "FIS")
            shown.append(fis)
    return [text if not frames or text in _FISES.values() else "" for text in shown]
