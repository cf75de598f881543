"""A PC with a drive: volume and recordings, frames, care, console. No gateware, no simulation."""
