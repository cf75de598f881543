"""Reads the journal of a recorder, or of the component itself."""

from sata_recorder.core.recorder import ENTRIES, FIELDS

__all__ = ["read_journal"]


async def read_journal(bench, prefix="journal__"):
    """Its entries as tuples of :data:`FIELDS`, up to the first one that is none."""
    entries = []
    for entry in range(ENTRIES):
        fields = []
        for field in range(len(FIELDS)):
            bench.set(**{f"{prefix}address": len(FIELDS) * entry + field})
            await bench.tick(2)
            fields.append(bench.get(f"{prefix}data"))
        if not fields[0]:
            break
        entries.append(tuple(fields))
    return entries
