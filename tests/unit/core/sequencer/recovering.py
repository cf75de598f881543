"""Recoveries in the sequencer's world: short pauses, a drive that comes back, the journal."""

from unit.core.sequencer.world import page

__all__ = ["PATIENCE", "PAUSE", "RETRY", "SERIAL", "extents", "replug"]

#: Clocks are microseconds: the first pause, and the longest recovery.
PAUSE, PATIENCE = 200, 2000
RETRY = {"retries": 3, "retry_delay": PAUSE / 1e6, "recovery_timeout": PATIENCE / 1e6,
         "max_command_sectors": 16}
SERIAL = {f"w{word}": 0x4100 + word for word in range(10, 20)}


def extents(world):
    return [(lba, words // 128) for _, words, _, lba, *_ in world.commands]


async def replug(world, away=0, **words):
    """The link falls for ``away`` clocks, if it is not down already, and comes back with a drive
    that reports this of itself."""
    world.link(0)
    await world.tick(away)
    world.link(1)
    await world.tick(2)
    await world.tick(command__signature_received=1, command__is_ata=1)
    await world.identify(page(**words))
