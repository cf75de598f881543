"""Scenes for the classification of clocks, written as tables.

A line of a scene is a clock at the dword port: what the host sends, what arrives, the account, and
what else is true. Host: "-" is a dword that the PHY does not take. Drive: in capitals if it
arrives again, "-" if nothing arrives. Account: "off" for none; "frame" for the dwords of a received
Data FIS, of which the CRC cannot be told from payload when it arrives: only sums count there.
"*N" at its end repeats the line.
"""

from sata_recorder.core.ledger import Account
from sata_recorder.core.ledger.cycle_classifier import CycleClassifier
from sata_recorder.core.link.primitives import RxPrimitive, TxPrimitive
from unit.bench import Bench

BENCH = Bench(CycleClassifier())
SENT = {name: 1 << index for index, name in enumerate(TxPrimitive.as_shape().members)} | {
    "sync": 0, "-": 0}
GOT = {name: 1 << index for index, name in enumerate(RxPrimitive.as_shape().members)}
GOT["r_ip"] = GOT["other"]

#: These reports come a clock before the activity that they are about.
EARLY = {"done": "transport__registers_done", "again": "transport__registers_again",
         "data_done": "transport__data_done"}
PLAIN = {"activate": "transport__received__dma_activate",
         **{name: f"transport__{name}" for name in ("is_data", "pending")},
         **{name: f"command__{name}"
            for name in ("final", "success", "complete", "last", "outward")}}


def clocks(scene):
    """The words of each line, for each clock."""
    lines = []
    for line in filter(None, scene.splitlines()):
        line, _, times = line.partition("*")
        lines += [line.split()] * int(times or 1)
    return lines


def play(scene, *always):
    """Runs ``scene`` and compares the accounts. Returns (account, issue, payload) of each clock."""
    lines = clocks(scene)
    rows = [{} for _ in range(len(lines) + 2)]
    got, wanted = 0, []
    for n, (host, drive, account, *facts) in enumerate(lines):
        if drive not in ("-", "ALIGN"):
            got = GOT[drive.lower()]
        rows[n + 1] |= {
            "link__taken": host != "-", "link__sent_align": host == "align",
            "link__sent": SENT["data" if host == "crc" else host] if host != "align" else 0,
            "link__sent_crc": host == "crc",
            "link__arrived": drive != "-", "link__align": drive == "ALIGN",
            "link__strobe": drive.isupper() and drive != "ALIGN", "link__received": got,
            **{PLAIN[fact]: 1 for fact in (*facts, *always) if fact in PLAIN}}
        rows[n] |= {EARLY[fact]: 1 for fact in facts if fact in EARLY}
        wanted.append(account)
    assert all(fact in EARLY or fact in PLAIN for line in lines for fact in line[3:])
    seen = BENCH.trace(rows, [f"cycle__{name}" for name in
                              ("account", "valid", "issue", "payload")])[2:]
    booked = []
    for n, (clock, account) in enumerate(zip(seen, wanted, strict=True)):
        name = Account(clock["cycle__account"]).name.lower() if clock["cycle__valid"] else "off"
        assert name == account or (account == "frame" and name in ("payload", "framing")), (
            f"clock {n}: {' '.join(lines[n])}: {name}")
        booked.append((name, clock["cycle__issue"], clock["cycle__payload"]))
    return booked


COMMAND = """
sync    sync    off *3
-       SYNC    off
x_rdy   SYNC    command
align   sync    command *2
-       R_RDY   command
sof     R_RDY   command
data    R_IP    command *4
hold    r_ip    command
crc     R_IP    command
eof     r_ip    command
wtrm    -       command
wtrm    R_OK    command done
"""

WRITE = COMMAND + """
sync    r_ok    activate_wait
sync    SYNC    activate_wait *4
r_rdy   X_RDY   activate_wait
r_rdy   SOF     activate_wait
r_ip    DATA    activate_wait *2
r_ip    EOF     activate_wait activate
r_ok    WTRM    handshake
sync    SYNC    handshake
-       sync    handshake
x_rdy   sync    handshake
x_rdy   R_RDY   handshake
sof     r_rdy   framing
data    r_rdy   framing
"""

READ = COMMAND + """
sync    r_ok    data_wait
sync    SYNC    data_wait *9
sync    X_RDY   handshake
r_rdy   x_rdy   handshake *2
r_rdy   SOF     framing
"""


def data_frame(payload, remaining, between=()):
    """The lines of a received Data FIS from its header on, with ``remaining`` dwords to come.

    ``between``: lines after each dword. The facts follow each dword as the parser tells them: a
    payload dword is moved when the one after it arrives.
    """
    def facts(moved):
        left = remaining - moved
        return f"{'pending' if moved >= 0 else ''} {'last' if left == 1 else ''}" + (
            " complete" if left == 0 else "")

    yield "r_ip DATA framing is_data"
    yield from between
    for n in range(payload + 1):
        yield f"r_ip DATA frame {facts(max(n - 1, 0)) if n else ''}"
        for line in between:
            what, star, times = line.partition("*")
            yield f"{what} {facts(max(n - 1, 0) if n else -1)} {star}{times}"
    end = "complete" if payload == remaining else ""
    yield f"r_ip EOF framing {end}"
    yield f"r_ok WTRM handshake {end} *2"
    yield f"r_ok SYNC handshake {end}"
