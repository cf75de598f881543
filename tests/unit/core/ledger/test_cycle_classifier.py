"""The account of every clock of a transfer, as the documentation of the ledger defines it."""

from collections import Counter

import pytest

from sata_recorder.core.ledger import Account
from sata_recorder.core.ledger.frame_cycles import PROMPT_CLOCKS
from unit.core.ledger.scene import COMMAND, READ, WRITE, clocks, data_frame, play


def test_write():
    """Account by account; the second FIS completes the payload."""
    booked = play(WRITE + """
-       R_IP    phy_wait *2
data    R_IP    payload *3
align   R_IP    align *2
data    R_IP    payload
hold    R_IP    host_hold *3
data    R_IP    payload
holda   HOLD    device_hold *2
data    R_IP    payload *2
crc     R_IP    framing
align   R_IP    align *2
eof     R_IP    framing
align   R_IP    handshake *2
wtrm    R_IP    handshake
wtrm    R_OK    handshake data_done
sync    SYNC    activate_wait *3
sync    EOF     activate_wait activate
r_ok    SYNC    handshake *2
sof     R_RDY   framing
data    R_IP    framing
data    R_IP    payload *5
crc     R_IP    framing complete
eof     R_IP    framing complete
wtrm    R_IP    handshake complete *3
wtrm    R_ERR   handshake complete data_done
sync    SYNC    completion_wait complete *5
sync    X_RDY   completion_wait complete
r_rdy   SOF     completion_wait complete
r_ip    EOF     completion_wait complete final success
r_ok    WTRM    turnaround
r_ok    SYNC    turnaround
-       sync    turnaround
align   sync    turnaround
x_rdy   sync    command
""", "outward")
    assert [payload for name, _, payload in booked] == [name == "payload" for name, _, _ in booked]
    assert [n for n, (_, issue, _) in enumerate(booked) if issue] == [len(booked) - 1]
    assert booked[-1][0] == "command"


@pytest.mark.parametrize("between", [[], [
    "r_ip - phy_wait *2", "r_ip ALIGN align *2", "r_ip HOLD device_hold", "r_ip - phy_wait",
    "align hold device_hold *3", "hold HOLDA host_hold", "hold holda host_hold *2"]])
@pytest.mark.parametrize("payload", [1, 2, 3, 9])
@pytest.mark.parametrize("more", [0, 1, 100])
def test_read(payload, more, between):
    """Of the dwords of a frame, all but header and CRC are payload."""
    lines = "\n".join(data_frame(payload, payload + more, between))
    after = "data_wait" if more else "completion_wait complete"
    booked = play(f"{READ}{lines}\nsync sync {after} *5")[len(clocks(READ)) - 1:]
    frame = Counter(name for name, _, _ in booked)
    assert (frame["payload"], frame["framing"]) == (payload, 4)
    # What the overhead is measured from and to: the first and the last dword of payload.
    dwords = [n for n, line in enumerate(clocks(lines)) if line[1:3] == ["DATA", "frame"]]
    marked = [n - 1 for n, (_, _, payload) in enumerate(booked) if payload]
    assert marked == (dwords if more else dwords[:-1])


def test_read_ends():
    play(READ + "\n".join(data_frame(3, 3)) + """
sync    SYNC    completion_wait complete *9
sync    X_RDY   completion_wait complete
r_rdy   SOF     completion_wait complete
r_ip    DATA    completion_wait complete
r_ip    EOF     completion_wait complete final success
r_ok    WTRM    turnaround
r_ok    -       turnaround *40
""")


@pytest.mark.parametrize("scene", [READ, READ + "\n".join(data_frame(2, 9))])
def test_next_frame_of_a_read(scene):
    """What is no Data FIS belongs to the wait for one; the drive's X_RDY ends it only once."""
    if scene == READ:
        scene = READ.strip().rpartition("\n")[0] + "\nr_rdy SOF framing"
    else:
        scene += """
sync    SYNC    data_wait *3
sync    X_RDY   handshake
r_rdy   SOF     framing
"""
    play(scene + """
r_ip    -       phy_wait
r_ip    DATA    data_wait
r_ip    DATA    data_wait *4
r_ip    EOF     data_wait
r_ok    WTRM    data_wait *2
r_ok    SYNC    data_wait *2
sync    X_RDY   handshake
r_rdy   SOF     framing
r_ip    DATA    framing is_data
r_ip    SYNC    data_wait
sync    sync    data_wait
sync    X_RDY   handshake
r_rdy   SOF     framing
r_ip    DATA    data_wait
r_ip    SYNC    data_wait
sync    X_RDY   handshake
""")


def test_frame_is_not_let_in():
    """Beyond a few clocks without R_RDY it is the host that throttles."""
    prompt = PROMPT_CLOCKS - 1
    play(READ.partition("sync    X_RDY")[0] + f"""
sync    X_RDY   handshake
sync    x_rdy   handshake *{prompt}
sync    x_rdy   host_hold *30
r_rdy   x_rdy   handshake *30
r_rdy   SOF     framing
""")


def test_prompt_answer_is_a_handshake():
    """However long the drive then takes for its SOF."""
    play(READ.partition("sync    X_RDY")[0] + f"""
sync    X_RDY   handshake
sync    x_rdy   handshake *{PROMPT_CLOCKS - 1}
align   x_rdy   host_hold *2
-       x_rdy   host_hold
r_rdy   x_rdy   handshake
-       x_rdy   handshake *100
r_rdy   SOF     framing
""")


@pytest.mark.parametrize("answer", ["R_ERR", "SYNC"])
def test_recovery(answer):
    """A command that was not taken, until it is sent again; then as if for the first time."""
    play(COMMAND.replace("R_OK    command done", f"{answer}   command again") + """
sync    r_err   recovery
align   SYNC    recovery *2
-       sync    recovery
x_rdy   sync    command
x_rdy   R_RDY   command
sof     r_rdy   command
eof     R_IP    command
wtrm    R_OK    command done
sync    SYNC    data_wait
""")


def test_escape_from_a_command():
    """The drive's SYNC ends the command's clocks, though what was begun is still being sent."""
    play(COMMAND.partition("hold    r_ip")[0] + """
data    SYNC    command
crc     sync    recovery
eof     sync    recovery
wtrm    sync    recovery again
sync    sync    recovery *5
x_rdy   sync    command
x_rdy   R_RDY   command
sof     R_RDY   command
eof     R_IP    command
wtrm    R_OK    command done
sync    SYNC    data_wait
""")


def test_drive_comes_first():
    """A collision of X_RDY: the command is on its way from ours on."""
    play("""
x_rdy   X_RDY   command
r_rdy   x_rdy   command
r_rdy   SOF     command
r_ip    EOF     command
r_ok    SYNC    command
x_rdy   SYNC    command
wtrm    R_OK    command done
sync    r_ok    data_wait
""")


def test_nothing_before_a_command():
    """Not even a whole frame of the drive, nor X_RDY that the PHY has not taken."""
    play("""
sync    X_RDY   off
r_rdy   SOF     off
r_ip    DATA    off is_data
r_ip    EOF     off activate
r_ok    SYNC    off final success
align   SYNC    off
-       SYNC    off *5
x_rdy   SYNC    command
""")


@pytest.mark.parametrize("scene, facts", [
    (COMMAND + "sync SYNC activate_wait *3\nr_ip EOF activate_wait final success", "outward"),
    (COMMAND + "sync SYNC activate_wait *3\nr_ip EOF activate_wait activate\n"
               "sync SYNC handshake *3\nr_ip EOF handshake final success", "outward"),
    (COMMAND + "sync SYNC data_wait *3\nr_ip EOF data_wait final success", ""),
    (READ.strip().rpartition("\n")[0] + "\nr_ip EOF handshake final success", ""),
    (READ + "r_ip DATA data_wait\nr_ip EOF data_wait final success", ""),
    (READ + "\n".join([*data_frame(2, 9)][:-1]) + "\nr_ok WTRM handshake final success", ""),
])
def test_status_ends_any_wait(scene, facts):
    booked = play(scene + "\nr_ok WTRM turnaround\nsync SYNC turnaround *9\nx_rdy SYNC command",
                  *facts.split())
    assert booked[-1] == ("command", 1, 0)
    scene = scene.replace("final success", "final")
    booked = play(scene + "\nr_ok WTRM recovery\nsync SYNC recovery *9\nx_rdy SYNC command",
                  *facts.split())
    assert booked[-1] == ("command", 0, 0)


@pytest.mark.parametrize("scene", [
    WRITE + "data R_IP payload *3\nhold SYNC host_hold data_done",
    WRITE + "data R_IP payload *3\ndata SYNC payload data_done"])
def test_drive_leaves_a_frame_of_ours(scene):
    play(scene + "\nsync SYNC activate_wait *3", "outward")


def test_accounts_are_those_of_the_documentation():
    assert [account.name.lower() for account in Account] == [
        "payload", "framing", "align", "phy_wait", "handshake", "device_hold", "host_hold",
        "activate_wait", "data_wait", "completion_wait", "command", "turnaround", "recovery",
        "flush"]
