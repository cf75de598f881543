"""The flash of a hybrid disk: blocks that were read often are copied to it while the disk is idle."""

from collections import OrderedDict


class LearnedBlocks:
    """Members: ``block`` bytes of a block; ``due`` the numbers of those that are to be copied, the oldest first.

    Only reads count. What is written is forgotten, and has to be learned again. The block that was not read for the
    longest time makes room.
    """

    def __init__(self, parameters):
        self.block = parameters.block_bytes
        self._most = max(1, parameters.bytes // self.block)
        self._largest = parameters.largest_bytes
        self._uses = parameters.uses
        self._reads = OrderedDict()     # block: how often it was read, of those not in the flash
        self._held = OrderedDict()      # block: what was copied, the one that was read least recently first
        self.due = OrderedDict()

    def _blocks(self, start, size):
        return range(start // self.block, (start + size - 1) // self.block + 1)

    def read(self, start: int, size: int) -> bool:
        """A command reads these bytes: whether all of it comes from the flash."""
        if size > self._largest:
            return False
        blocks = self._blocks(start, size)
        found = all(block in self._held for block in blocks)
        for block in blocks:
            if block in self._held:
                self._held.move_to_end(block)
                continue
            self._reads[block] = self._reads.pop(block, 0) + 1
            if self._reads[block] >= self._uses:
                self.due[block] = None
        while len(self._reads) > 4 * self._most:
            self.due.pop(self._reads.popitem(last=False)[0], None)
        return found

    def copied(self, block, content=None):
        """A block that was due is in the flash now."""
        self.due.pop(block)
        self._reads.pop(block, None)
        if len(self._held) >= self._most:
            self._held.popitem(last=False)
        self._held[block] = content

    def content(self, block):
        """What was copied."""
        return self._held[block]

    def written(self, start, size):
        """These bytes were written: what the flash has of them is old."""
        for block in self._blocks(start, size):
            self._held.pop(block, None)
            self.due.pop(block, None)
            self._reads.pop(block, None)
