"""Drives as the answers to the requests of `read_smart`: IDENTIFY DEVICE, pages of SMART, logs. Their numbers
are those of reports in github.com/linuxhw/SMART where a test says so."""

import struct

from sata_recorder.pc.maintenance import read_smart, task

GOOD = 0xC24F00


class Answer:
    def __init__(self, error=None, data=b"", **fields):
        self.error, self._data, self._fields = error, data, fields

    def data(self):
        return self._data

    def fields(self):
        return self._fields


def summed(page):
    page = bytearray(bytes(page).ljust(512, b"\0"))
    page[511] = -sum(page[:511]) & 0xFF
    return bytes(page)


def text_words(text, count):
    raw = text.encode("ascii").ljust(2 * count)
    return [raw[n] << 8 | raw[n + 1] for n in range(0, 2 * count, 2)]


def row(number, raw=0, value=100, worst=None, threshold=0, prefail=False):
    return number, prefail, value, value if worst is None else worst, threshold, raw


def row64(number, count):
    """As drives with an Indilinx Barefoot have it: a count of 64 bits from the normalised value on."""
    return number, False, count & 0xFF, count >> 8 & 0xFF, 0, count >> 16


class RealDrive:
    """Answers requests as a drive with these attributes, a :func:`row` each, and with the Device Statistics
    ``statistics``: {(page, offset): value}, None: it has no such log. ``refused``: lines of `read-log` that
    end with this error. ``lines`` are those that came."""

    def __init__(self, model, firmware, *rows, rotation=1, statistics=None, sectors=1 << 29, security=0,
                 status=GOOD, refused=None, words=()):
        self.rows, self.statistics, self.status, self.refused = rows, statistics, status, refused
        self.lines = []
        self.words = [0] * 256
        self.words[23:27], self.words[27:47] = text_words(firmware, 4), text_words(model, 20)
        self.words[82] = self.words[85] = 1
        self.words[83] = 1 << 14 | 1 << 10
        self.words[84] = 1 << 14 | (statistics is not None) << 5
        self.words[100:104] = [sectors >> 16 * n & 0xFFFF for n in range(4)]
        self.words[128], self.words[217] = security, rotation
        for number, word in words:
            self.words[number] = word

    def answer(self, line):
        self.lines.append(line)
        if line == task("smart-read-data").line:
            return Answer(data=summed(b"\x10\0" + b"".join(
                struct.pack("<BHBB", number, 2 | prefail, value, worst) + raw.to_bytes(6, "little") + b"\0"
                for number, prefail, value, worst, _, raw in self.rows)))
        if line == task("smart-read-thresholds").line:
            return Answer(data=summed(b"\x10\0" + b"".join(
                struct.pack("<BB10x", number, threshold) for number, _, _, _, threshold, _ in self.rows)))
        if line == task("smart-return-status").line:
            return Answer(result_lba=self.status)
        if line == task("read-log", lba=0).line:
            return Answer(data=struct.pack("<256H", 1, *(8 if n == 4 else 0 for n in range(1, 256))))
        pages = sorted({page for page, _ in self.statistics})
        for page in (0, *pages):
            if line == task("read-log", lba=4 | page << 8).line:
                if self.refused and page:
                    return Answer(self.refused)
                return Answer(data=self._page(page, pages))
        raise AssertionError(line)

    def _page(self, number, pages):
        page = bytearray(512)
        struct.pack_into("<Q", page, 0, number << 16 | 1)
        if number == 0:
            page[8:9 + len(pages) + 1] = bytes([len(pages) + 1, 0, *pages])
        for (where, offset), value in self.statistics.items():
            if where == number:
                struct.pack_into("<Q", page, offset, value if value >> 56 else 0xC0 << 56 | value)
        return bytes(page)

    def read(self):
        """Its attributes and health."""
        procedure, answer = read_smart(self.words), None
        try:
            while True:
                answer = self.answer(procedure.send(answer).line)
        except StopIteration as end:
            return end.value

    @property
    def health(self):
        return self.read()[1]
