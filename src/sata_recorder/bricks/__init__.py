"""Stages around the core: modes of a recording, files, frames, an imminent power failure."""
