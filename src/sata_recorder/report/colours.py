"""The colours of pictures. They show whose an account is: blue payload, teal protocol, violet
drive, orange host.
"""

#: The colour of each party that takes time.
WHO = {"payload": "#6f9fd8", "protocol": "#1f9a8d", "drive": "#a05fc0", "host": "#e8832a",
       "recovery": "#d64545", "total": "#7d8794"}
#: The colour of every account, in the order in which they are stacked.
COLOURS = {
    "payload": "#6f9fd8",
    "framing": "#0f7268", "align": "#1f9a8d", "phy_wait": "#4fb9a6", "handshake": "#82cfbd",
    "command": "#b3e0d4",
    "device_hold": "#74398f", "activate_wait": "#9a55ba", "data_wait": "#b57fd0",
    "completion_wait": "#cda6e0", "flush": "#e2cbee",
    "host_hold": "#d96b0b", "turnaround": "#f5b26b",
    "recovery": "#d64545",
}
#: That of LANE_PAYLOAD, which only the ledger of an array as a whole has.
LANE_PAYLOAD = "#b5cfee"
#: Colours of curves, distinct also to those who cannot distinguish red and green.
SERIES = ("#2f78c4", "#e8832a", "#1f9a8d", "#a05fc0", "#d64545", "#8a6d3b", "#d977b0", "#7d8794",
          "#a3b32c", "#35b3cf")
