"""`sata-recorder panel`: what it refuses before there is a page."""

import socket

import pytest


@pytest.mark.parametrize("options, told", [
    (["--drive", "x25-e"], "--drive x25-e: is of a simulated board, and needs --simulate"),
    (["--accesses"], "--accesses: is of a simulated"),
    (["--simulate", "--accesses", "--modes"], "--accesses: not together with --modes"),
    (["--line-baud", "9600"], "--line-baud 9600: is of a simulated board"), (["--files"], "--files: is of a simulated"),
    (["--simulate", "--drive", "nope"], "--drive nope: no drive profile 'nope'"),
    (["--simulate", "--capacity", str(1 << 49)], f"--capacity {1 << 49}: must be 1 to {1 << 48} sectors"),
    (["--simulate", "--image", "none.img"], "--image none.img: No such file"),
    (["--simulate", "--image", __file__], "it exists, and sata-recorder has not made it\n"),
    (["--width", "16"], "--width 16: is of a simulated board"),
    (["--simulate", "--source-clock", "2GHz"], "--source-clock 2GHz: must be 10 kHz to 1 GHz"),
    (["--simulate", "--memory", "5"], "--memory 5: must be 0 or a multiple of 4096"),
    (["--simulate", "--port", "/dev/x"], "--port /dev/x: not together with --simulate"),
    (["--token", "short"], "--token: 8 to 200 letters"),
    (["--token", "with blank in it"], "--token: 8 to 200 letters"),
    (["--host", "203.0.113.1"], "203.0.113.1 port 8080"), (["--host", ""], "--host '': the name is empty"),
])
def test_refusals(run, options, told):
    result = run("panel", "--no-browser", *options)
    assert result.exit_code == 2 and told in result.stderr and result.stderr.count("\n") == 1


def test_port_that_is_taken(run):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        result = run("panel", "--no-browser", "--web-port", port)
    assert result.exit_code == 2
    assert f"127.0.0.1 port {port}: another program is there; try --web-port 0" in result.stderr
