"""The accounts of the cycle ledger, and the states of an operation as the dword port shows them."""

ACCOUNTS = ("payload", "framing", "align", "phy_wait", "handshake", "device_hold", "host_hold",
            "activate_wait", "data_wait", "completion_wait", "command", "turnaround", "recovery",
            "flush")
(PAYLOAD, FRAMING, ALIGNS, PHY_WAIT, HANDSHAKE, DEVICE_HOLD, HOST_HOLD, ACTIVATE_WAIT, DATA_WAIT,
 COMPLETION_WAIT, COMMAND, TURNAROUND, RECOVERY, FLUSH) = range(14)

#: States of an operation, and the account of each one while nothing happens; in a frame each dword has
#: its own.
(OFF, COMMAND_WAIT, COMMAND_FRAME, COMMAND_ANSWER, RECOVER, ACTIVATE, WRITE_READY, WRITE_FRAME,
 WRITE_ANSWER, READ_WAIT, READ_OTHER, READ_READY, READ_FRAME, READ_END, COMPLETE, TURN,
 FAILED) = range(17)
ACCOUNT = (TURNAROUND, COMMAND, COMMAND, COMMAND, RECOVERY, ACTIVATE_WAIT, HANDSHAKE, None,
           HANDSHAKE, DATA_WAIT, DATA_WAIT, HANDSHAKE, None, HANDSHAKE, COMPLETION_WAIT,
           TURNAROUND, RECOVERY)
