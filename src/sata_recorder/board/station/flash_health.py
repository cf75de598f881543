"""A drive whose SMART is that of a flash drive's family, with the wear of a model of its flash."""

import struct

__all__ = ["flash_health"]

#: Offset of the first row in the page, bytes of a row, flags of an attribute.
_ROWS, _ROW, _OLD_AGE = 2, 12, 0x0032


def flash_health(base, reporting, **options):
    """A `Health` of the drive model, made of its class ``base`` with ``options``, that reports the attributes of
    ``reporting`` (:class:`...lab.wear.Reporting`), and takes no write after the end of that life."""

    class FlashHealth(base):
        @property
        def read_only(self):
            return reporting.read_only(self.written_bytes)

        def attributes(self):
            """As of any drive, but with no threshold: these families predict nothing by one."""
            return tuple((number, _OLD_AGE, value, 0, raw) for number, value, _, raw in self._rows())

        def data(self):
            page = bytearray(super().data())
            for n, (_, value, worst, _) in enumerate(self._rows()):
                # A family whose attributes are counts of 64 bits has their low bits here.
                struct.pack_into("<BB", page, _ROWS + _ROW * n + 3, value, worst)
            page[511] = -sum(page[:511]) & 0xFF
            return bytes(page)

        def log(self, address, page, count, blocks=1):
            """Without the Device Statistics, which would count another wear."""
            return None if address == 0x04 else super().log(address, page, count, blocks)

        def _rows(self):
            return reporting.attributes(self.written_bytes, self.hours)

    return FlashHealth(**options)
