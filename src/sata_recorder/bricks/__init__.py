"""Stages that stand round the core: modes of a recording, files, frames, power about to fail."""
