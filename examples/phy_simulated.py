"""The console recorder with its PHY on a simulated line, to see what the console reports when
something is wrong with a board.

    phy_simulated.py                    lists the cases
    phy_simulated.py CASE LINE ...      types these lines, and prints what is answered
    phy_simulated.py CASE --run COMMAND runs a command with {port} in it, at the port of the board

CASE is the name of a case, and a LINE is a request, such as phy, or a time to wait, such as 2ms.
COMRESET is sent every 300 us here, on a board every 20 ms. The loop-back test has 64 blocks, on a
board 1,048,576. The first run compiles the gateware, which takes a while.
"""

import argparse
import functools
import os
import re
import shlex
import subprocess
import sys
import threading
import tty
from collections import deque
from pathlib import Path
from random import Random

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped
from sata_drive_model import DiskImage, Drive, DriveLink
from sata_drive_model.phy import Detector, DrivePhy, HostReceiver, Loop, PhyHabits, PhyTimes
from uart_line import Listener

from sata_recorder import Configuration
from sata_recorder.core.phy import Phy, SerdesPort, Timing
from sata_recorder_platforms.console_recorder import ConsoleRecorder

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from unit.core.phy.compiled import Compiled      # noqa: E402
from unit.core.phy.line_bench import LineBench       # noqa: E402

CLOCK_HZ = 75e6
#: Clocks a bit of the UART, as few as the board can take.
DIVISOR = 8
TIMING = Timing(retry=300e-6, longest_retry=1, align=200e-6)
BIST_BLOCKS = 1 << 6
_NEVER = 10**9          # words


def _habits(**options):
    return {"habits": PhyHabits(**options)}


#: What is the case, options of the drive's phy, and those of the line; None: no drive is there.
CASES = {
    "good": ("a drive, and nothing is wrong", {}, {}),
    "no reference": ("the transmitter's PLL does not lock", {}, {"rate": 0}),
    "no drive": ("nothing is plugged in, or the drive has no power", None, {}),
    "deaf detector": ("the signal detector sees nothing", {}, {"attack": _NEVER}),
    "slow detector": ("the signal detector ends 110 ns late, so gaps seem short", {},
                      {"release": 18}),
    "deaf drive": ("the drive sends COMINIT, and does not understand COMWAKE",
                   _habits(deaf=True), {}),
    "no lock": ("the clock recovery does not lock to the drive", {}, {"lock": _NEVER}),
    "Gen3 only": ("ALIGN of the drive comes at a rate that the receiver cannot follow",
                  _habits(order=(3,)), {}),
    "noise": ("one bit of 5 that is received is wrong", {}, {"error_rate": 0.2}),
    "ignores ALIGN": ("the drive does not understand what the host sends",
                      _habits(ignores_align=True), {}),
    "tx inverted": ("P and N of the pair to the drive are swapped", {},
                    {"receiver": HostReceiver(tx_inverted=True)}),
    "chatters": ("the signal detector chatters while data arrives", {},
                 {"receiver": HostReceiver(detector=Detector.CHATTERS)}),
    "bit errors": ("one bit of 100,000 that is received is wrong", {}, {"error_rate": 1e-5}),
    "loop": ("a cable leads from the transmitter to the receiver", Loop, {}),
    "bad loop": ("the same, with one wrong bit of 100,000", Loop, {"error_rate": 1e-5}),
}


class Board(wiring.Component):
    """What :class:`.top.Top` has on a board, up to the back end of the SERDES."""

    def __init__(self):
        self._recorder = ConsoleRecorder(
            Configuration(clock_hz=CLOCK_HZ, signature_timeout=0.02, identify_timeout=0.02),
            baud=CLOCK_HZ / DIVISOR, phy_status=True)
        self._phy = Phy(CLOCK_HZ, timing=TIMING, bist_blocks=BIST_BLOCKS)
        super().__init__({"serdes": Out(SerdesPort(2)), "uart_rx": In(1, init=1),
                          "uart_tx": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.console_recorder = recorder = self._recorder
        m.submodules.phy = phy = self._phy
        connect(m, recorder.phy, phy.port)
        connect(m, recorder.phy_status, phy.status)
        connect(m, phy.serdes, flipped(self.serdes))
        m.d.comb += [recorder.uart_rx.eq(self.uart_rx), self.uart_tx.eq(recorder.uart_tx)]
        return m


@functools.cache
def board(*_):
    """The compiled board."""
    return Compiled(Board(), ("sync", "tx", "rx"))


class Station(LineBench):
    """A board and its line in one of the :data:`CASES`.

    ``received`` has the bytes that it has sent.
    """

    def __init__(self, case):
        _, drive, line = CASES[case]
        self.received = bytearray()
        self._levels = deque()      # of the line to the board, for a clock each
        self._listener = Listener(DIVISOR, self.received)
        rate = {"serdes__rate": line["rate"]} if "rate" in line else {}
        super().__init__(self._made(drive), make=board,
                         **{name: value for name, value in line.items() if name != "rate"})
        self.dut.set(**rate)

    @staticmethod
    def _made(drive):
        if drive is None or drive is Loop:
            return drive and Loop()
        rng = Random(1)
        unit = Drive(DiskImage(sectors=1 << 20))
        link = DriveLink(unit, unit.behaviour, rng, round_trip=40)
        unit.attach(link, rng)

        def link_up():
            link.reset()
            unit.link_up()
        return DrivePhy(link, link_up=link_up, times=PhyTimes(beacon=150e-6), **drive)

    def _prepare(self):
        self.dut.set(uart_rx=1)

    def _core(self, now):
        """One clock of the UART's lines."""
        dut = self.dut
        dut.set(uart_rx=self._levels.popleft() if self._levels else 1)
        self._listener.clock(dut.get("uart_tx"))

    def send(self, data):
        """Puts bytes on the line to the board."""
        for byte in data:
            for level in (0, *(byte >> bit & 1 for bit in range(8)), 1):
                self._levels.extend([level] * DIVISOR)

    def _answered(self):
        return re.search(rb"(^|\n)(ok|error [^\n]*)\r\n$", self.received)

    def lines(self):
        """The lines that have come."""
        text = self.received.decode("ascii").splitlines()
        self.received.clear()
        return text

    def ask(self, line):
        """Types ``line`` and returns the lines of its answer; a time such as 2ms is waited, and an
        empty line is the answer to an operation that runs."""
        wait = re.fullmatch(r"([0-9.]+) ?(us|ms)", line)
        if wait:
            self.run(float(wait[1]) * {"us": 1e-6, "ms": 1e-3}[wait[2]])
            return self.lines()
        if line:
            self.send(line.encode() + b"\r")
        self.run(100e-3, until=self._answered)
        return self.lines()

    def serve(self, handle, while_):
        """Connects the line to the file ``handle`` as long as ``while_()`` holds."""
        typed = deque()

        def read():
            while data := os.read(handle, 4096):
                typed.append(data)
        threading.Thread(target=read, daemon=True).start()
        while while_():
            self.run(50e-6)
            if self.received:
                os.write(handle, self.received)
                self.received.clear()
            while typed:
                self.send(typed.popleft())


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", metavar="COMMAND", help="run this, with {port} in it")
    parser.add_argument("case", nargs="?", metavar="CASE", choices=CASES,
                        help=", ".join(CASES))
    parser.add_argument("lines", nargs="*", metavar="LINE", help="a request, or a time")
    arguments = parser.parse_args()
    if arguments.case is None:
        width = max(map(len, CASES))
        for name, (meaning, *_) in CASES.items():
            print(f"{name:{width}}  {meaning}")
        return 0
    station = Station(arguments.case)
    if arguments.run:
        ours, theirs = os.openpty()
        tty.setraw(theirs)
        order = arguments.run.replace("{port}", shlex.quote(os.ttyname(theirs)))
        station.run(1.2e-3)
        with subprocess.Popen(order, shell=True) as command:
            station.serve(ours, lambda: command.poll() is None)
            return command.returncode
    for line in arguments.lines:
        answer = station.ask(line)
        print(f"> {line}", *answer, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
