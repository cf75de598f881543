"""A small host made of generators, to exercise the drive model through its dword port.

A script yields one 33-bit word a dword and gets the list of symbols (CONT expanded, ALIGN dropped)
that have arrived since. It is not the core: it only knows enough to make the drive work.
"""

import random

import pytest
from sata_drive_model import DiskImage, Drive, DrivePort
from sata_drive_model.protocol import fis
from sata_drive_model.protocol.frame import decode, encode
from sata_drive_model.protocol.primitives import (ALIGN, CONT, EOF, HOLD, HOLDA, K, PMNAK, PMREQ_P,
                                                  PMREQ_S, R_ERR, R_IP, R_OK, R_RDY, SOF, SYNC,
                                                  WTRM, X_RDY)

from sata_recorder.simulation.analyser import PortAnalyser

VALID, READY, LINK_UP = 1 << 36, 1 << 37, 1 << 38
#: Of the drives that `connect` makes.
SECTORS = 70000


class Escape(Exception):
    """The drive left a frame with SYNC."""


class ScriptedHost:
    """Runs scripts against a port.

    ``cont``: repeated primitives are continued by CONT; ``hold``: chance of a HOLD in each dword of
    a frame, sent or received; ``align``: dwords between ALIGN pairs.
    """

    def __init__(self, port, *, cont=True, hold=0.0, align=254, seed=0):
        self.port = port
        self.cont = cont
        self.hold = hold
        self.align = align
        self.rng = random.Random(seed)
        self.inputs = 0
        self.core = SYNC
        self.heard = []
        self.last = SYNC
        self.in_cont = False
        self.since = 0
        self.sent = (0, 0)
        self.stream = []        # every word given to the port

    # Words ----------------------------------------------------------------------------------------

    def _listen(self, inputs):
        word = inputs & (K | 0xFFFFFFFF)
        if not inputs & VALID or word == ALIGN:
            return
        if word == CONT:
            self.in_cont = True
        elif word >= K:
            self.in_cont = False
            self.last = word
        elif not self.in_cont:
            self.last = word
        self.heard.append(self.last)

    def _encode(self, word):
        """CONT for the third of a run, junk after it; (word, True) sends the primitive itself."""
        if isinstance(word, tuple):
            self.sent = (word[0], 1)
            return word[0]
        if not self.cont or word < K or word in (SOF, EOF, PMNAK):
            self.sent = (0, 0)
            return word
        run = self.sent[1] + 1 if self.sent[0] == word else 1
        self.sent = (word, run)
        return word if run < 3 else CONT if run == 3 else 0xDEAD0000 | run & 0xFFFF

    def cycle(self):
        """One clock with the present output; the answer counts from the next clock on."""
        self.stream.append(self.core)
        now = self.port.clock(self.core)
        taken = self.inputs & READY
        self._listen(self.inputs)
        self.inputs = now
        return taken

    limit = 2_000_000

    def run(self, script):
        """Let ``script`` speak until it returns; its value."""
        heard = None
        aligns = 0
        limit = self.limit
        for _ in range(limit):
            if aligns:
                aligns -= 1
                self.core = ALIGN
            else:
                try:
                    word = script.send(heard)
                except StopIteration as stop:
                    return stop.value
                heard = []
                self.core = self._encode(word)
                self.since += 1
                if self.since == self.align:
                    self.since = 0
                    aligns = 2
            while not self.cycle():
                limit -= 1
                assert limit > 0, "the port takes nothing"
            heard, self.heard = heard + self.heard, []
        raise AssertionError(f"no end after {limit} dwords; the drive says {self.last:X}")

    # Frames ---------------------------------------------------------------------------------------

    def send(self, data, words=None):
        """Send a FIS; True for R_OK, False for R_ERR. Frames of the drive that come first go to
        ``inbox``."""
        heard = yield SYNC
        while R_RDY not in heard:
            if X_RDY in heard:
                yield from self.receive(started=True)
                heard = yield SYNC
                continue
            elif PMREQ_P in heard or PMREQ_S in heard:
                yield from self._refuse_power()
            heard = yield X_RDY
        words = words or encode(data)
        answer = 0
        for index, word in enumerate(words):
            while 1 < index < len(words) - 1:
                if answer == SYNC:
                    raise Escape
                if self.rng.random() < self.hold:
                    heard = yield HOLD
                elif answer == HOLD and index < len(words) - 2:
                    heard = yield HOLDA
                else:
                    break
                answer = heard[-1] if heard else answer
            if word < K and self.sent[1] > 2:
                yield self.sent[0], True    # a primitive ends the junk before data
            heard = yield word
            answer = heard[-1] if heard else answer
            if answer == SYNC:
                raise Escape
        while True:
            heard = yield WTRM
            for symbol in heard:
                if symbol in (R_OK, R_ERR, SYNC):
                    if symbol == SYNC:
                        raise Escape
                    return symbol == R_OK

    def _refuse_power(self):
        heard = []
        while SYNC not in heard and X_RDY not in heard:
            heard = yield PMNAK
        return heard

    def receive(self, started=False, accept=True):
        """Receive one FIS with R_OK (or R_ERR unless ``accept``); its bytes, None for a bad one."""
        heard = yield SYNC
        while not started and X_RDY not in heard:
            if PMREQ_P in heard or PMREQ_S in heard:
                heard = yield from self._refuse_power()
            else:
                heard = yield SYNC
        while SOF not in heard:
            heard = yield R_RDY
        heard = heard[heard.index(SOF) + 1:]
        words, hold, symbol = [], 0, 0
        while True:
            for symbol in heard:
                if symbol < K:
                    words.append(symbol)
                elif symbol == EOF:
                    break
                elif symbol == SYNC:
                    raise Escape
            if symbol == EOF:
                break
            if hold == 0 and self.rng.random() < self.hold:
                hold = self.rng.randint(1, 40)
            if hold:
                hold -= 1
                heard = yield HOLD
            else:
                heard = yield HOLDA if symbol == HOLD else R_IP
        data, good = decode(words)
        good = good and accept and data[0] in fis.LENGTHS and (
            data[0] == fis.DATA or len(data) == 4 * fis.LENGTHS[data[0]])
        heard = []
        while SYNC not in heard:
            heard = yield R_OK if good else R_ERR
        if good:
            self.inbox.append(data)
        return data if good else None

    inbox = ()

    # Commands -------------------------------------------------------------------------------------

    def bring_up(self):
        """Wait for the link, then for the signature FIS, which ``signature`` keeps."""
        self.inbox = []
        while not self.inputs & LINK_UP:
            self.cycle()
        self.signature = self.run(self.next_fis())
        return self.signature[2], self.signature[3]

    def next_fis(self):
        """The next FIS that is not about something else."""
        while True:
            while self.inbox:
                data = self.inbox.pop(0)
                if data[0] in (fis.SET_DEVICE_BITS, fis.DMA_SETUP, fis.BIST_ACTIVATE):
                    continue
                if data[0] == fis.REGISTER_D2H and data[2] & 0x88:
                    continue
                return data
            try:
                yield from self.receive()
            except Escape:
                pass

    def ending(self):
        data = yield from self.next_fis()
        assert data[0] == fis.REGISTER_D2H, data.hex()
        return data[2], data[3]

    def issue(self, *register):
        while True:
            try:
                accepted = yield from self.send(fis.register_h2d(*register))
            except Escape:
                continue
            if accepted:
                self.inbox = []     # whatever came before belongs to the last command
                return

    def command(self, *register):
        """A command without data: (status, error)."""
        def script():
            yield from self.issue(*register)
            return (yield from self.ending())
        return self.run(script())

    def registers(self, *register):
        """The Register D2H FIS that ends a command without data."""
        def script():
            yield from self.issue(*register)
            return (yield from self.next_fis())
        return self.run(script())

    def identify(self):
        """512 bytes, or (status, error) when aborted."""
        def script():
            yield from self.issue(0xEC)
            page = b""
            while len(page) < 512:
                data = yield from self.next_fis()
                if data[0] == fis.REGISTER_D2H:
                    return data[2], data[3]
                assert data[0] == fis.PIO_SETUP
                size = int.from_bytes(data[16:18], "little")
                data = yield from self.next_fis()
                assert data[0] == fis.DATA and len(data) == size + 4
                page += data[4:]
            return page
        return self.run(script())

    def read(self, lba, sectors, opcode=0x25):
        """(status, error, data) of a read."""
        def script():
            yield from self.issue(opcode, *self._address(opcode, lba, sectors))
            got, blocks = b"", []
            while True:
                data = yield from self.next_fis()
                if data[0] == fis.REGISTER_D2H:
                    return data[2], data[3], got
                if data[0] == fis.PIO_SETUP:
                    blocks.append(data)
                    continue
                assert data[0] == fis.DATA
                got += data[4:]
                if blocks:
                    assert len(data) - 4 == int.from_bytes(blocks[-1][16:18], "little")
                    assert blocks[-1][1] == 0x60 and blocks[-1][2] == 0x58
                    if not blocks[-1][15] & 0x88:
                        return blocks[-1][15], blocks[-1][3], got
        return self.run(script())

    def write(self, lba, data, opcode=0x35, fis_bytes=8192, sector=512):
        """(status, error) of a write in sectors of this many bytes."""
        def script():
            yield from self.issue(opcode, *self._address(opcode, lba, len(data) // sector))
            done = 0
            while True:
                answer = yield from self.next_fis()
                if answer[0] == fis.REGISTER_D2H:
                    return answer[2], answer[3]
                size = fis_bytes
                if answer[0] == fis.PIO_SETUP:
                    assert answer[1] == (0x40 if done else 0) and answer[2] == 0x58
                    size = int.from_bytes(answer[16:18], "little")
                else:
                    assert answer[0] == fis.DMA_ACTIVATE
                try:
                    yield from self.send(fis.data(data[done:done + size]))
                except Escape:
                    pass
                done += size
        return self.run(script())

    @staticmethod
    def _address(opcode, lba, sectors):
        if opcode in (0xC8, 0xCA, 0x20, 0x30, 0x40, 0xC4, 0xC5):
            return lba & 0xFFFFFF, sectors & 0xFF, 0x40 | lba >> 24
        return lba, sectors & 0xFFFF


def connect(behaviour=None, port=None, host=None, **drive):
    """A host that has brought up a drive; keywords of the drive, ``port`` and ``host`` of those."""
    sectors = drive.pop("sectors", SECTORS)
    drive = Drive(DiskImage(None, sectors=sectors), behaviour=behaviour, **drive)
    host = ScriptedHost(DrivePort(drive, observer=PortAnalyser(True), **(port or {})), **(host or {}))
    host.drive = drive
    host.bring_up()
    return host


def content(size, seed=1):
    """``size`` random sectors."""
    return random.Random(seed).randbytes(512 * size)


def sent_by_drive(host, action):
    """Words the drive delivers during ``action``."""
    words = []
    clock = host.port.clock

    class Tap:
        link, observer = host.port.link, host.port.observer

        @staticmethod
        def clock(core):
            inputs = clock(core)
            if inputs & VALID:
                words.append(inputs & (K | 0xFFFFFFFF))
            return inputs

    port, host.port = host.port, Tap
    try:
        action()
    finally:
        host.port = port
    return words


def never_ends(action):
    """``action`` of a host reaches its limit."""
    with pytest.raises(AssertionError, match="no end"):
        action()
