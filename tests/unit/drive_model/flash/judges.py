"""What is true of the map of a flash drive at any time."""

from sata_drive_model.flash.blocks import BAD, CACHE, FREE, OPEN


def faults(drive):
    """All that is wrong with the map of a `Translation`: a line each."""
    found, where = [], {}
    for unit in range(drive.rules.units):
        slot = drive.map.slot(unit)
        if slot < 0:
            continue
        if slot in where:
            found.append(f"units {where[slot]} and {unit} are both at slot {slot}")
        where[slot] = unit
    slots, blocks = drive.rules.slots, drive.blocks
    for slot in range(slots * len(blocks)):
        unit = drive.map.unit(slot)
        if unit >= 0 and where.get(slot) != unit:
            found.append(f"slot {slot} has unit {unit}, which is at {drive.map.slot(unit)}")
        if unit < 0 and slot in where:
            found.append(f"unit {where[slot]} is at slot {slot}, which does not have it")
    if drive.map.mapped != len(where):
        found.append(f"{drive.map.mapped} units are counted, {len(where)} are in the map")
    held = [0] * len(blocks)
    for slot in where:
        held[slot // slots] += 1
    for block, state in enumerate(blocks.state):
        if state in (FREE, BAD) and held[block]:
            found.append(f"block {block} is free or bad, and holds {held[block]} units")
        if block not in drive.open_blocks and held[block] != blocks.valid[block]:
            found.append(f"block {block} holds {held[block]} units and counts {blocks.valid[block]}")
        if state not in (BAD, CACHE) and (state == OPEN) != (block in drive.open_blocks):
            found.append(f"block {block} is in state {state}, open are {drive.open_blocks}")
    if blocks.free != blocks.state.count(FREE):
        found.append(f"{blocks.free} free blocks are counted, {blocks.state.count(FREE)} are")
    if blocks.good != len(blocks) - blocks.state.count(BAD) - blocks.state.count(CACHE):
        found.append(f"{blocks.good} good blocks are counted")
    return found
