"""A PC with a drive: its volume and recordings, the frames in them, its care, and the console. No gateware, no simulation."""
