"""The host's side of the console on a board: its line protocol, over a serial port.

docs/console.md describes the protocol. ``grammar`` is the table of its requests, which the gateware
uses, too; only ``client`` needs the serial port's package.
"""

#: The serial number of a drive that is simulated: so that a user of a station can see it.
SIMULATED_SERIAL = "SIMULATED"
