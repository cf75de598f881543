"""What the timing diagrams show: what is done to the core, which ports are drawn, and of which clocks.

A scenario names the clock from which a diagram counts, `zero`, and its first and last one, `first` and `last`.
"""

from typing import NamedTuple

from sata_recorder.core.drive_port import Operation
from sata_recorder.interface import REGISTERS

LBA = 2048


class Row(NamedTuple):
    """A row of a diagram: a port, and how it is drawn. ``kind`` is "bit", "line" (a side of the dword port: primitives
    and FISes), "frames" (only the FISes of a side) or "number", with hexadecimal ``digits`` or ``binary`` ones; there
    is nothing where the port ``valid`` is low. ``few`` of its values are written one by one, then only that there are
    others."""

    port: str
    kind: str = "bit"
    valid: str = ""
    few: int = 0
    digits: int = 0
    binary: int = 0


class Diagram(NamedTuple):
    """A diagram: its name, a scenario, and its rows; what the source offers, and the core's configuration."""

    name: str
    scenario: object
    rows: tuple
    source: object = None
    core: str = "plain"


#: Configurations of the cores, as few as possible: to elaborate one takes longer than to run it.
CORES = {
    "plain": {},
    "narrow": {"source_width": 16},
    "registers": {"control": "axi-lite"},
    "queue": {"extents": "queued"},
    "no recovery": {"recovery": False},
    "lines": {"files": True, "file_lines": True},
    "packets": {"frames": True, "frame_packets": True},
}
USUAL = {"clock_hz": 75e6, "buffer_words": 512, "max_command_sectors": 4}


def count(number):
    """Word n of a source is n."""
    return number


def bytes_in_order(number):
    """Word n of a source has the bytes 4n, 4n + 1, 4n + 2 and 4n + 3, the first one in bits 7:0."""
    return int.from_bytes(bytes((4 * number + place) % 256 for place in range(4)), "little")


def samples(number):
    """Sample n of 16 bits has the bytes 2n and 2n + 1, the first one in bits 7:0."""
    return int.from_bytes(bytes((2 * number + place) % 256 for place in range(2)), "little")


def count_from_here(trace, before=1):
    """`zero` is this clock, `first` so many clocks before it."""
    trace.mark("zero")
    trace.marks["first"] = trace.clock - before


async def begin(trace, operation, sectors, **inputs):
    """Starts an operation; `zero` is the clock of start, `first` the one before."""
    trace.set(operation=int(operation), lba=LBA, sectors=sectors, **inputs)
    await trace.tick(2)
    count_from_here(trace)
    await trace.pulse(start=1)


async def finish(trace):
    await trace.until("done")
    await trace.tick(3)


async def last_after_done(trace):
    """The operation ends; `last` is two clocks after its end."""
    await trace.until("done")
    await trace.tick(2)
    trace.mark("last")
    await trace.tick()


async def last_at_data(trace):
    """The operation ends; `last` is two clocks after the drive has its first data since `zero`."""
    await finish(trace)
    trace.marks["last"] = trace.carries("phy_tx", "Data") + 2


async def taken(trace, words):
    """Ends clocks until the core has taken so many words more."""
    while words:
        words -= trace.get("s_axis_tvalid") & trace.get("s_axis_tready")
        await trace.tick()


async def reset(trace):
    trace.set(s_axis_tvalid=1)
    await trace.tick(2)
    count_from_here(trace)
    await trace.ready(clocks=4)
    zero = trace.marks["zero"], trace.marks["first"]
    await begin(trace, Operation.RECORD, 1)
    trace.marks["zero"], trace.marks["first"] = zero
    await taken(trace, 3)
    trace.mark("last")
    await finish(trace)


async def link_up(trace):
    trace.set(rst=1)
    await trace.tick(4)
    trace.set(rst=0)
    await trace.until("phy_link_up")
    count_from_here(trace)
    await trace.until("ready")
    await trace.tick(2)
    trace.mark("last")
    await trace.tick()


async def start(trace):
    await trace.ready()
    await begin(trace, Operation.RECORD, 1, s_axis_tvalid=1)
    await last_at_data(trace)


async def stop(trace):
    await trace.ready()
    await begin(trace, Operation.RECORD, 4, s_axis_tvalid=1)
    await taken(trace, 300)
    count_from_here(trace, before=2)
    await trace.pulse(stop=1)
    await last_after_done(trace)


async def boundary(trace):
    """From the last words of the first command's data to the first of the second one's."""
    await trace.ready()
    trace.set(s_axis_tvalid=1, queue_lba=LBA + 4096, queue_sectors=4, queue_ahead=65536)
    await begin(trace, Operation.RECORD, 4)
    await trace.tick(60)
    trace.set(queue_valid=1)
    await trace.until("queue_ready")
    await trace.tick()
    trace.set(queue_valid=0)
    await trace.until("sectors_done", 4)
    count_from_here(trace, before=30)
    await last_at_data(trace)


async def error(trace):
    """The drive refuses the first command; the core repeats it."""
    await trace.ready()
    trace.behaviour.reject_command = 1
    await begin(trace, Operation.RECORD, 1, s_axis_tvalid=1)
    await last_at_data(trace)


async def failure(trace):
    """The drive refuses the command of a core without recovery: the operation ends."""
    await trace.ready()
    trace.behaviour.reject_command = 1
    await begin(trace, Operation.RECORD, 1, s_axis_tvalid=1)
    await last_after_done(trace)


async def playback(trace):
    await trace.ready()
    trace.image.write(512 * LBA, b"".join(count(number).to_bytes(4, "little") for number in range(128)))
    await begin(trace, Operation.PLAY, 1)
    trace.marks["first"] = trace.clock - 2
    await trace.until("m_axis_tvalid")
    await trace.tick(2)
    await trace.pulse(m_axis_tready=1)
    await trace.tick()
    trace.set(m_axis_tready=1)
    await last_after_done(trace)


async def order(trace):
    """The bytes of the first words at s_axis, and then on the disk."""
    await trace.ready()
    await begin(trace, Operation.RECORD, 1)
    await trace.tick(60)
    trace.set(s_axis_tvalid=1)
    count_from_here(trace)
    await taken(trace, 6)
    trace.mark("last")
    await finish(trace)
    trace.on_disk("s_axis", LBA)


async def write_and_read(trace):
    """SECTORS is written, and read back."""
    address = next(one.offset for one in REGISTERS if one.name == "SECTORS")
    trace.set(rst=1)
    await trace.tick(4)
    trace.set(rst=0)
    await trace.tick(140)       # with many registers none is accepted sooner
    trace.set(s_axil_awaddr=address, s_axil_awvalid=1, s_axil_wdata=4096, s_axil_wstrb=15, s_axil_wvalid=1,
              s_axil_bready=1)
    count_from_here(trace)
    await trace.handshakes("s_axil_aw", "s_axil_w")
    await trace.handshakes("s_axil_b")
    trace.set(s_axil_bready=0)
    await trace.tick()
    trace.set(s_axil_araddr=address, s_axil_arvalid=1, s_axil_rready=1)
    await trace.handshakes("s_axil_ar")
    await trace.handshakes("s_axil_r")
    trace.set(s_axil_rready=0)
    trace.mark("last")
    await trace.tick(2)


async def packet(trace, words, **last):
    """A packet of so many ``words``, with the inputs ``last`` beside the last one, and a pause after it."""
    trace.set(s_axis_tvalid=1)
    await taken(trace, words - 1)
    trace.set(s_axis_tlast=1, **last)
    await taken(trace, 1)
    trace.set(s_axis_tvalid=0, s_axis_tlast=0)
    await trace.tick(2)


async def lines(trace):
    """Two lines of 14 bytes and one of 8, with a pause of the camera between them, become a file."""
    trace.prepare()
    trace.set(rst=1)
    await trace.tick(4)
    trace.set(rst=0)
    await trace.until("file_ready")
    await trace.pulse(file_start=1)
    await trace.until("s_axis_tready")
    await trace.tick()
    count_from_here(trace)
    for words, spare in (4, 2), (4, 2), (2, 0):
        await packet(trace, words, s_axis_tkeep=15 >> spare)
    trace.mark("last")
    await trace.pulse(file_stop=1)
    await trace.until("file_done")
    await trace.tick()
    trace.in_the_log()


async def packets(trace):
    """Two packets of 4 words and one of 2, with a pause between them, in frames."""
    await trace.ready()
    await begin(trace, Operation.RECORD, 64, frame_enable=1, frame_stream_id=7)
    await trace.until("s_axis_tready")
    count_from_here(trace)
    for words in 4, 4, 2:
        await packet(trace, words)
    trace.mark("last")
    await trace.pulse(stop=1)
    await trace.until("done")
    await trace.tick()
    trace.in_frames(LBA)


def _bytes(digits):
    """The rows of a diagram of bytes, for words of so many ``digits``."""
    return (Row("s_axis_tvalid"), Row("s_axis_tready"), Row("s_axis_tdata", "number", "s_axis_tvalid", digits=digits),
            Row("on the disk", "number", "s_axis_tvalid"))


_LINE = Row("phy_tx_data", "line"), Row("phy_rx_data", "line")
_FRAMES = Row("phy_tx_data", "frames"), Row("phy_rx_data", "frames")
_SOURCE = Row("s_axis_tvalid"), Row("s_axis_tready"), Row("s_axis_tdata", "number", "s_axis_tvalid", few=3)
_OPERATION = Row("busy"), Row("done")

DIAGRAMS = (
    Diagram("reset", reset, (Row("rst"), Row("phy_reset"), Row("phy_link_up"), Row("ready"), Row("start"), Row("busy"),
                             *_SOURCE), count),
    Diagram("link-up", link_up, (Row("phy_link_up"), *_FRAMES, Row("ready")), count),
    Diagram("start", start, (Row("ready"), Row("start"), Row("busy"), *_SOURCE, *_LINE), count),
    Diagram("stop", stop, (Row("stop"), *_OPERATION, *_SOURCE, *_FRAMES, Row("words", "number"),
                           Row("sectors_done", "number")), count),
    Diagram("error", error, (Row("start"), *_OPERATION, Row("recovering"), Row("retries", "number"), *_FRAMES), count),
    Diagram("failure", failure, (
        Row("start"), *_OPERATION, *_FRAMES, Row("error", "number"), Row("drive_status", "number", digits=2),
        Row("drive_error", "number", digits=2), Row("sectors_done", "number")), count, "no recovery"),
    Diagram("playback", playback, (
        Row("start"), *_OPERATION, *_FRAMES, Row("m_axis_tvalid"), Row("m_axis_tready"),
        Row("m_axis_tdata", "number", "m_axis_tvalid", few=4), Row("m_axis_tlast")), count),
    Diagram("bytes", order, _bytes(8), bytes_in_order),
    Diagram("packing", order, _bytes(4), samples, "narrow"),
    Diagram("lines", lines, (
        Row("s_axis_tvalid"), Row("s_axis_tready"), Row("s_axis_tdata", "number", "s_axis_tvalid", digits=8),
        Row("s_axis_tlast"), Row("s_axis_tkeep", "number", "s_axis_tlast", binary=4),
        Row("in the log", "number", "s_axis_tlast")), bytes_in_order, "lines"),
    Diagram("packets", packets, (
        Row("s_axis_tvalid"), Row("s_axis_tready"), Row("s_axis_tdata", "number", "s_axis_tvalid"),
        Row("s_axis_tlast"), Row("in the frames", "number", "s_axis_tlast")), count, "packets"),
    Diagram("boundary", boundary, (
        *_LINE, Row("s_axis_tvalid"), Row("s_axis_tready"), Row("sectors_done", "number"), Row("busy")),
            count, "queue"),
    Diagram("registers", write_and_read, (
        Row("s_axil_awvalid"), Row("s_axil_awready"), Row("s_axil_awaddr", "number", "s_axil_awvalid", digits=3),
        Row("s_axil_wvalid"), Row("s_axil_wready"), Row("s_axil_wdata", "number", "s_axil_wvalid", digits=8),
        Row("s_axil_bvalid"), Row("s_axil_bready"), Row("s_axil_bresp", "number", "s_axil_bvalid"),
        Row("s_axil_arvalid"), Row("s_axil_arready"), Row("s_axil_araddr", "number", "s_axil_arvalid", digits=3),
        Row("s_axil_rvalid"), Row("s_axil_rready"), Row("s_axil_rdata", "number", "s_axil_rvalid", digits=8)), count,
            "registers"),
)
