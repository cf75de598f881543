"""A drive in memory, written as those of `sata_recorder.pc.volume` are, that counts what is written."""

__all__ = ["MemoryDisk"]


class MemoryDisk:
    """``steps`` are (disk, byte, content) of what was written, or (disk, None, None) of a flush, of all disks that have
    the same list."""

    physical, logical = 4096, 512
    is_device = True        # no file in which there must be room

    def __init__(self, sectors, path="disk", steps=None):
        self.path, self.sectors, self.size = path, sectors, 512 * sectors
        self.content = bytearray(self.size)
        self.steps = [] if steps is None else steps

    def read(self, offset, size):
        if offset + size > self.size:
            raise OSError(22, "beyond its end")
        return bytes(self.content[offset:offset + size])

    def read_into(self, offset, *views):
        for view in views:
            view[:] = self.read(offset, len(view))
            offset += len(view)

    def write(self, lba, content):
        assert len(content) % 512 == 0 and 512 * lba + len(content) <= self.size
        self.content[512 * lba:512 * lba + len(content)] = content
        self.steps.append((self, 512 * lba, bytes(content)))

    def zero(self, lba, sectors):
        if sectors:
            self.write(lba, bytes(512 * sectors))

    def clear(self, needed=0):
        """A device stays as it is."""

    def wipe(self):
        """It stays, too."""

    def flush(self):
        self.steps.append((self, None, None))

    def close(self):
        """It stays in memory."""
