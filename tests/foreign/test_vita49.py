"""Wireshark's dissector of VITA 49 reads what the framer made."""

import subprocess

from click.testing import CliRunner
from unit.bricks.frames.framed import Bytes, record

from sata_recorder.cli.verbs import cli
from sata_recorder.pc.vita49 import frames

FIELDS = ("frame.time_epoch", "vrt.type", "vrt.tsi", "vrt.tsf", "vrt.seq", "vrt.len", "vrt.sid",
          "vrt.ts_frac_sample", "vrt.trailer", "vrt.sampleloss_en", "vrt.sampleloss",
          "_ws.malformed")


def test_wireshark(judge, tmp_path):
    tshark = judge("tshark")
    [recorded] = record(words=3000, payload=114, stream_id=0xCAFE, drive=0.4, waits=False)
    found = list(frames(Bytes(recorded.content)))
    image, capture = tmp_path / "disk.img", tmp_path / "frames.pcap"
    image.write_bytes(recorded.content)
    result = CliRunner().invoke(cli, ["frames", str(image), "--capture", str(capture),
                                      "--clock-hz", "1000000"])
    assert result.exit_code == 0, result.output
    order = [tshark, "-r", str(capture), "-d", "udp.port==4991,vrt", "-T", "fields"]
    reply = subprocess.run([*order, *(word for one in FIELDS for word in ("-e", one))],
                           capture_output=True, text=True, check=True)
    lines = [line.split("\t") for line in reply.stdout.splitlines()]
    assert len(lines) == 2 * len(found) and any(one.gap_ahead for one in found)
    for number, frame in enumerate(found):
        data, context = lines[2 * number:2 * number + 2]
        words = len(frame.payload) // 4
        clock = frame.clock / 1e6
        assert [float(data[0]), *map(_number, data[1:8])] == [
            clock, 1, 0, 1, number % 16, words + 5, 0xCAFE, frame.first]
        assert [float(context[0]), *map(_number, context[1:8])] == [
            clock, 4, 0, 3, number % 16, 6, 0xCAFE, frame.clock]
        # No gap is within a packet.
        assert (_number(data[8]), data[9], data[10]) == (1 << 24, "1", "0")
        assert not data[11] and not context[11]


def _number(text):
    return int(text, 0)

