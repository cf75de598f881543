"""States and limits of the device's link (Serial ATA Revision 3.x, link layer state diagrams).

A name here stands for the specification's state, or states, next to it.
"""

IDLE = 0            # L_IDLE
SEND_RDY = 1        # DL_SendChkRdy
SENDING = 2         # L_SendSOF, L_SendData, L_RcvrHold, L_SendHold, L_SendCRC, L_SendEOF
SEND_WAIT = 3       # L_Wait
RECEIVE_WAIT = 4    # L_RcvWaitFifo
RECEIVE_RDY = 5     # L_RcvChkRdy
RECEIVING = 6       # L_RcvData, L_RcvHold, L_Hold
RECEIVE_EOF = 7     # L_RcvEOF
RECEIVE_END = 8     # L_GoodCRC, L_GoodEnd, L_BadEnd
POWER = 9           # L_TPMPartial, L_TPMSlumber
DEAD = 10           # none: a drive that is broken sends SYNC forever
ESCAPE = 11         # L_SyncEscape
STATES = ("IDLE", "SEND_RDY", "SENDING", "SEND_WAIT", "RECEIVE_WAIT", "RECEIVE_RDY", "RECEIVING",
          "RECEIVE_EOF", "RECEIVE_END", "POWER", "DEAD", "ESCAPE")

#: What `DwordCoder._decode` gives besides primitives: nothing learned (ALIGN), a data dword.
NOTHING, DATA_DWORD = -1, -2
