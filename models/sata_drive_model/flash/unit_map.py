"""Where each unit of the host is in the flash, and which unit each slot holds.

A chunk is as many units as a block has slots. One that fills a block in order, however it was written, is a single
number, that block, so that terabytes take little memory; any other one is an array of slots.
"""

from array import array

NOWHERE = -1


class UnitMap:
    """The map of ``chunks`` chunks onto ``blocks``; ``victims`` hear of blocks with few valid slots.

    Members: ``chunks``, each None, a block, or an array of slots; ``owners`` of the slots of each block: None, it holds
    nothing, a whole chunk, or an array of units; ``mapped`` units that are somewhere.
    """

    def __init__(self, chunks, blocks, victims):
        self._blocks, self._victims = blocks, victims
        self._slots = slots = blocks.slots
        self._code = "i" if len(blocks) * slots < 1 << 31 else "q"
        self._blank = array(self._code, [NOWHERE]) * slots
        self.chunks = [None] * chunks
        self.owners = [None] * len(blocks)
        self.mapped = 0

    def slot(self, unit: int) -> int:
        """Where a unit is; -1: nowhere."""
        chunk, within = divmod(unit, self._slots)
        table = self.chunks[chunk]
        if table is None:
            return NOWHERE
        return table[within] if table.__class__ is array else table * self._slots + within

    def unit(self, slot: int) -> int:
        """The unit whose current data are in a slot; -1: none."""
        block, within = divmod(slot, self._slots)
        owner = self.owners[block]
        if owner is None:
            return NOWHERE
        return owner[within] if owner.__class__ is array else owner * self._slots + within

    def table(self, chunk: int) -> array:
        """The slots of a chunk; those of a chunk in one block become an array, and so do the block's units."""
        table = self.chunks[chunk]
        if table.__class__ is array:
            return table
        if table is None:
            new = self._blank[:]
        else:
            slots, block = self._slots, table
            new = array(self._code, range(block * slots, (block + 1) * slots))
            self.owners[block] = array(self._code, range(chunk * slots, (chunk + 1) * slots))
        self.chunks[chunk] = new
        return new

    def begin(self, block):
        """A block is begun: none of its slots has a unit."""
        self.owners[block] = self._blank[:]

    def held(self, block: int) -> int:
        """How many slots of a block have current data."""
        owner = self.owners[block]
        if owner is None:
            return 0
        return self._slots - owner.count(NOWHERE) if owner.__class__ is array else self._slots

    def units(self, block: int) -> array:
        """The units whose current data are in a block, each from now on of an array of the map."""
        owner = self.owners[block]
        if owner is None:
            return array(self._code)
        if owner.__class__ is not array:
            self.table(owner)
            owner = self.owners[block]
        return array(self._code, [unit for unit in owner if unit >= 0])

    def place_chunk(self, chunk, block):
        """A whole chunk is in this block, and was nowhere."""
        self.chunks[chunk], self.owners[block] = block, chunk
        self.mapped += self._slots

    def place_run(self, start, count, block, place):
        """``count`` units of one chunk, from ``start`` on, are in an open block from the slot ``place`` on."""
        chunk, within = divmod(start, self._slots)
        table, end = self.table(chunk), within + count
        units = array(self._code, range(start, start + count))
        self._leave(units, table[within:end])
        slot = block * self._slots + place
        table[within:end] = array(self._code, range(slot, slot + count))
        self.owners[block][place:place + count] = units
        self.mapped += count
        if place + count == end == self._slots and table[0] == slot - place:
            self._join(chunk, block)

    def _leave(self, units, before):
        """The data of these units in these slots, some of which may be none, are needed no more."""
        count = len(units)
        if before == self._blank[:count]:
            return
        block, place = divmod(before[0], self._slots)
        if before[0] >= 0 and self.owners[block][place:place + count] == units:
            self.owners[block][place:place + count] = self._blank[:count]
            self.mapped -= count
            self._fewer(block, count)
            if not self._blocks.valid[block]:   # an open block has none or fewer, by this count
                self.owners[block] = None
            return
        for slot in before:
            if slot >= 0:
                self._invalidate(slot)
                self.mapped -= 1

    def _join(self, chunk, block):
        """The chunk is one number if it fills the block in order."""
        slot = block * self._slots
        if self.chunks[chunk] == array(self._code, range(slot, slot + self._slots)):
            self.chunks[chunk], self.owners[block] = block, chunk

    def move_chunk(self, chunk, block):
        """A whole chunk is in this block instead of the one that is erased next."""
        self.chunks[chunk], self.owners[block] = block, chunk

    def move(self, units, block, place):
        """These units are in a block from the slot ``place`` on; where they were is erased next."""
        self.owners[block][place:place + len(units)] = units
        slots, chunks, slot = self._slots, self.chunks, block * self._slots + place
        for unit in units:
            chunk = unit // slots
            chunks[chunk][unit - chunk * slots] = slot
            slot += 1

    def put(self, unit, slot):
        """A unit that was nowhere is at this slot."""
        self.table(unit // self._slots)[unit % self._slots] = slot
        self.owners[slot // self._slots][slot % self._slots] = unit
        self._blocks.valid[slot // self._slots] += 1
        self.mapped += 1

    def drop(self, unit: int) -> int:
        """A unit is nowhere any more; returns the slot where it was, -1: it was nowhere."""
        slot = self.slot(unit)
        if slot >= 0:
            self.table(unit // self._slots)[unit % self._slots] = NOWHERE
            self._invalidate(slot)
            self.mapped -= 1
        return slot

    def drop_chunk(self, chunk: int) -> int:
        """A chunk is nowhere any more; returns how many units of it were somewhere."""
        table, self.chunks[chunk] = self.chunks[chunk], None
        if table is None:
            return 0
        if table.__class__ is array:
            dropped = 0
            for slot in table:
                if slot >= 0:
                    self._invalidate(slot)
                    dropped += 1
        else:
            dropped = self._slots
            self.owners[table] = None
            self._fewer(table, dropped)
        self.mapped -= dropped
        return dropped

    def forget(self, block):
        """A block was erased."""
        self.owners[block] = None

    def drop_copies(self, block):
        """Of what was copied from a block before that ended early, the copies count."""
        owner = self.owners[block]
        for within, unit in enumerate(owner):
            if unit >= 0 and self.slot(unit) != block * self._slots + within:
                owner[within] = NOWHERE
                self._blocks.valid[block] -= 1

    def _invalidate(self, slot):
        block, within = divmod(slot, self._slots)
        self.owners[block][within] = NOWHERE
        self._fewer(block, 1)

    def _fewer(self, block, count):
        held = self._blocks.valid[block] = self._blocks.valid[block] - count
        if held <= self._victims.limit:
            self._victims.fewer(block, held)
