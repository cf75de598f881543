"""The console recorder without a board: simulated against the drive model, at a pseudo-terminal.

    console_recorder_simulated.py                    prints the port, and serves it until Ctrl-C
    console_recorder_simulated.py --run COMMAND      runs a command with {port} in it, and ends with
                                                     its status
    console_recorder_simulated.py LINE ...           types these lines, and prints what is answered

With `--bad-sector LBA` the drive reports an error at that sector. With `--commands` the core has
COMMAND, and the drive has SMART and TRIM; `--written GB` is what was written to it before. The
first run compiles the gateware, which takes half a minute.
"""

import argparse
import functools
import os
import select
import shlex
import subprocess
import sys
import tty
from collections import deque

from sata_drive_model import Behaviour, DiskImage, Drive, DrivePort, Health
from uart_line import Listener

from sata_recorder import Configuration
from sata_recorder.simulation import Clocked, compiled_component
from sata_recorder_platforms.console_recorder import ConsoleRecorder

CONFIGURATION = Configuration(clock_hz=75e6)
#: The same with COMMAND.
COMMANDS = Configuration(clock_hz=75e6, commands=True)
CAPACITY = 1 << 20      # sectors

#: Clocks a bit: as few as the board can take, for the simulation's sake.
DIVISOR = 8

_INPUTS = ("phy__rx_data", "phy__rx_k", "phy__rx_valid", "phy__tx_ready", "phy__link_up",
           "phy__rx_error", "phy__generation", "uart_rx")
_OUTPUTS = ("phy__tx_data", "phy__tx_k", "phy__reset", "uart_tx", "link", "activity", "error")
_GENERATION, _RX = 40, 42
_PHY, _TX, _LIGHTS = (1 << 37) - 1, 37, 38


@functools.cache
def library(configuration):
    """The compiled console recorder; it is elaborated once only, too."""
    board = ConsoleRecorder(configuration, baud=configuration.clock_hz / DIVISOR)
    return compiled_component(board, _INPUTS, _OUTPUTS)


class SimulatedConsoleRecorder:
    """A console recorder of ``configuration`` whose drive is at ``port``, a ``DrivePort``.

    ``received`` has the bytes that it has sent; ``clocks`` is the simulated time.
    """

    def __init__(self, port, configuration=CONFIGURATION):
        self._design = Clocked(library(configuration))
        self.port = port
        self.clocks = 0
        self.received = bytearray()
        self._levels = deque()      # of the line to the board: level, clocks
        self._inputs = 0
        self._outputs = 1 << _TX
        self._listener = Listener(DIVISOR, self.received)

    @property
    def lights(self):
        """The lights link, activity, error as they are now."""
        return tuple(bool(self._outputs >> _LIGHTS + n & 1) for n in range(3))

    @property
    def quiet(self):
        """Nothing is on its way on the line, and the activity light is off."""
        return not self._levels and self._listener.idle and not self.lights[1]

    def send(self, data, *, divisor=DIVISOR):
        """Puts bytes on the line to the board."""
        for byte in data:
            self.drive((0, divisor), *((byte >> bit & 1, divisor) for bit in range(8)),
                       (1, divisor))

    def drive(self, *levels):
        """Puts levels on the line to the board, each for a number of clocks."""
        self._levels.extend(levels)

    def run(self, clocks):
        """Lets ``clocks`` clocks pass."""
        design, drive, levels = self._design.clock, self.port.clock, self._levels
        base, listener = self.port.generation << _GENERATION, self._listener
        inputs, outputs = self._inputs, self._outputs
        level, left = 1, 0
        for _ in range(clocks):
            if left == 0 and levels:
                level, left = levels.popleft()
            if left:
                left -= 1
            else:
                level = 1
            outputs = design(inputs | base | level << _RX)
            inputs = drive(outputs & _PHY)
            if not listener.idle or not outputs >> _TX & 1:
                listener.clock(outputs >> _TX & 1)
        if left:
            levels.appendleft((level, left))
        self._inputs, self._outputs = inputs, outputs
        self.clocks += clocks

    def serve(self, handle, while_):
        """Connects the line to the file ``handle`` as long as ``while_()`` holds."""
        while while_():
            self.run(2000)
            if self.received:
                os.write(handle, self.received)
                self.received.clear()
            if select.select([handle], [], [], 0.02 if self.quiet else 0)[0]:
                self.send(os.read(handle, 4096))

    def ask(self, line, limit=10_000_000):
        """Types ``line`` and returns what is answered, all lines of it, within ``limit`` clocks."""
        self.send(line.encode() + b"\r")
        end = self.clocks + limit
        while not self.received.endswith(b"ok\r\n") and b"error" not in self._last():
            if self.clocks >= end:
                raise TimeoutError(f"{line}: no answer but {bytes(self.received)}")
            self.run(1000)
        text = self.received.decode()
        self.received.clear()
        return text.splitlines()

    def _last(self):
        lines = self.received.split(b"\r\n")
        return lines[-2].split()[:1] if len(lines) > 1 else []

    def close(self):
        self._design.close()


def port():
    """A pseudo-terminal: the handle to serve, and the name of the port."""
    ours, theirs = os.openpty()
    tty.setraw(theirs)      # it stays open, so that others may come and go
    return ours, os.ttyname(theirs)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", metavar="COMMAND", help="run this, with {port} in it")
    parser.add_argument("--bad-sector", type=int, metavar="LBA", help="an error of the drive there")
    parser.add_argument("--commands", action="store_true",
                        help="a core with COMMAND, and a drive with SMART and TRIM")
    parser.add_argument("--written", type=float, default=0, metavar="GB",
                        help="what was written to that drive before")
    parser.add_argument("lines", nargs="*", metavar="LINE", help="a request, such as status")
    arguments = parser.parse_args()
    health = None
    if arguments.commands:
        health = Health(written_bytes=round(1e9 * arguments.written), amplification=1.4, hours=1200)
    drive = Drive(DiskImage(sectors=CAPACITY), health=health,
                  behaviour=Behaviour(fail_lba=arguments.bad_sector))
    board = SimulatedConsoleRecorder(DrivePort(drive), COMMANDS if arguments.commands else
                                     CONFIGURATION)
    if arguments.lines:
        board.run(6000)
        print(*board.received.decode().splitlines(), sep="\n")
        board.received.clear()
        for line in arguments.lines:
            print(f"> {line}", *board.ask(line), sep="\n")
        return 0
    handle, name = port()
    if arguments.run:
        order = arguments.run.replace("{port}", shlex.quote(name))
        with subprocess.Popen(order, shell=True) as command:
            board.serve(handle, lambda: command.poll() is None)
            return command.returncode
    print(f"the console recorder is at {name}; Ctrl-C ends it", flush=True)
    try:
        board.serve(handle, lambda: True)
    except KeyboardInterrupt:
        return 0


if __name__ == "__main__":
    sys.exit(main())
