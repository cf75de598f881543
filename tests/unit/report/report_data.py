"""Results as `as_data` gives them, made up: a drive that stalls now and then, a sensor that loses.

The numbers of one result fit together: accounts add up to the total, the timeline ends there.
"""

import json
import random

from sata_recorder.pc.maintenance import SmartReading, attributes, health_of, simulated_drive
from sata_recorder.lab.measurement import Statistics
from sata_recorder.simulation import ACCOUNTS, WHOSE

CLOCK_HZ = 75e6
CEILING = 297076023.39181286


def result(*transfers, problems=(), **drive):
    """A whole result; ``drive`` overrides what the drive reports of itself."""
    return json.loads(json.dumps({
        "good": not problems,
        "problems": list(problems),
        "verdict": "wrong" if problems else "good", "caveats": [], "holds_for_bytes": 4096,
        "needed_fifo_words": None,
        "simulation": {"statement": "Simulated: the drive is a software model that never waits.",
                       "scale": 1.0, "estimates": {}, "fitted": {}, "source": ""},
        "drive": {"model": "SATA DRIVE MODEL", "serial": "SN0001", "firmware": "1.0",
                  "capacity": 62533296, "lba48": True, "profile": None, **drive},
        "link": {"generation": 2, "dword_hz": 75e6},
        "seed": 7,
        "engine": "compiled",
        "versions": {"sata-recorder": "0.2.0", "amaranth": "0.5.10", "python": "3.11.2"},
        "wall_seconds": 12.25,
        "configuration": {"clock_hz": CLOCK_HZ, "buffer_words": 4096, "max_command_sectors": 2048,
                          "control": "pins", "send_cont": True},
        "transfers": list(transfers),
        "trace": {"clocks": 123456, "hash": "be916a407e54592b"},
    }))


def smart(before, after):
    """What the drive model of two `Health` reports, as the data have it; None: no answer."""
    def told(drive):
        if drive is None:
            return SmartReading({}, None, "command: timeout").data()
        found = attributes(drive.data(), drive.thresholds(), simulated_drive())
        status = 0x2CF4 if drive.failing() else 0xC24F
        return SmartReading(found, health_of(found, status=status, known=simulated_drive())).data()
    return {"smart": json.loads(json.dumps({"before": told(before), "behind": told(after)}))}


def transfer(operation="record", commands=64, sectors=2048, *, stall=(0, 0), hold=0, seed=1,
             samples=200, sensor=False, error="NONE", kept=4096):
    """A transfer of ``commands`` of ``sectors`` each.

    ``stall`` is (commands, clocks) of a periodic stall, ``hold`` the clocks of HOLD in every 1000.
    """
    draw = random.Random(seed)
    accounts = dict.fromkeys(ACCOUNTS, 0)
    now, steps, detail, splits = 0, [(0, dict(accounts))], [], []
    for n in range(commands):
        words = 128 * sectors
        frames = -(-words // 2048)
        before = {"turnaround": 4 if n else 0, "command": 12,
                  "activate_wait": draw.choice((20, 21, 22)), "completion_wait": 14}
        if stall[0] and n % stall[0] == stall[0] - 1:
            before["activate_wait"] += stall[1]
        start = now
        book(accounts, before)
        book(accounts, {"payload": words, "framing": 4 * frames, "align": words // 127,
                        "handshake": 8 * frames, "device_hold": words * hold // 1000,
                        "host_hold": draw.randrange(12)})
        now = sum(accounts.values())
        steps.append((now, dict(accounts)))
        host, protocol = before["turnaround"], 24
        drive = before["activate_wait"] + before["completion_wait"]
        splits.append((host, drive, protocol, 0))
        detail.append((start, now - start, sectors * n, sectors,
                       host + drive + protocol if n else None,
                       *((host, drive, protocol) if n else (None,) * 3)))
    total = now
    step = max(1, -(-commands // kept))
    names = ("start", "clocks", "lba", "sectors", "overhead", "host", "drive", "protocol")
    payload = 4 * accounts["payload"]
    return {
        "operation": operation, "error": error, "lba": 0, "sectors": commands * sectors,
        "bytes": payload, "seconds": total / CLOCK_HZ,
        "bytes_per_second": payload * CLOCK_HZ / total if total else 0.0,
        "ceiling_bytes_per_second": CEILING,
        "percent_of_ceiling": 100 * payload * CLOCK_HZ / total / CEILING if total else 0.0,
        "commands": commands,
        "ledger": [{"account": name, "whose": WHOSE[name], "clocks": accounts[name]}
                   for name in ACCOUNTS],
        "total": total,
        "overhead": statistics(splits[1:]),
        "turnaround": vars(Statistics.of([4] * (commands - 1))) if commands > 1 else None,
        "high_water": 4097 if sensor else 812, "buffer_words": 4096, "held_cycles": 15599,
        "longest_stall": 4096,
        "counters": {"words": 128, "high_water": 4097 if sensor else 812, "held_cycles": 15599,
                     "dropped": 0, "longest_stall": 4096},
        "clock_hz": CLOCK_HZ, "fises": {"out": 65 * commands, "in": 66 * commands},
        "crc32": "1badf00d",
        "sensor": sensor_data(total) if sensor else None,
        "timeline": timeline(steps, total, samples, sensor, draw),
        "commands_detail": {"thinned": step, **{name: [row[n] for row in detail[::step]]
                                                for n, name in enumerate(names)}},
    }


def of_array(*lanes, slowest):
    """The transfer of an array of ``lanes``, whose ledger is that of the ``slowest``."""
    return lanes[slowest] | {"bytes": sum(lane["bytes"] for lane in lanes), "slowest_lane": slowest, "timeline": None,
                             "lanes": [{"lane": n, **lane} for n, lane in enumerate(lanes)]}


def book(accounts, clocks):
    for name, count in clocks.items():
        accounts[name] += count


def statistics(splits):
    columns = list(zip(*splits))
    if not columns:
        return {}
    parts = dict(zip(("host", "drive", "protocol", "recovery"), columns))
    parts["total"] = [sum(split) for split in splits]
    return {part: vars(Statistics.of(numbers)) for part, numbers in parts.items()}


def sensor_data(total):
    arrived = int(total * 0.9)
    return {"rate_bytes_per_second": 270e6, "arrived": arrived, "lost": 27450,
            "lost_bytes": 4 * 27450, "lost_percent": 100 * 27450 / arrived,
            "lost_seconds": 4 * 27450 / 270e6, "gaps": [[5000 * n, 15 * n] for n in range(1, 61)], "gap_count": 60,
            "backlog_high": 65536, "fifo_words": 65536}


def timeline(steps, total, samples, sensor, draw):
    """Between two commands everything is taken to grow evenly."""
    clocks = [total * (n + 1) // samples for n in range(samples)] if total and samples else []
    columns = {"clock": clocks, "words": [], "accounts": {name: [] for name in ACCOUNTS},
               "fill": [], "backlog": []}
    at = 0
    for clock in clocks:
        while steps[at + 1][0] < clock:
            at += 1
        (begin, before), (end, after) = steps[at], steps[at + 1]
        for name in ACCOUNTS:
            part = (after[name] - before[name]) * (clock - begin) // (end - begin)
            columns["accounts"][name].append(before[name] + part)
        columns["words"].append(columns["accounts"]["payload"][-1])
        columns["fill"].append(draw.randrange(100, 800))
        columns["backlog"].append(min(65536, clock // 200 % 90000) if sensor else 0)
    return columns
