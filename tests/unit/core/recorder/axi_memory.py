"""A memory at an AXI4 port, as strict as AMBA AXI (IHI 0022) and as slow as it is told."""

import random
from collections import deque

__all__ = ["AxiMemory", "Pace"]

_OKAY, _SLVERR = 0, 2


class Pace:
    """How often each channel is ready or answers, from 0 to 1, how many clocks an answer takes at least, and which of
    the answers to writes and beats of reads, counted from 0, is an error. Addresses of reads are taken as often as
    those of writes if ``fetch`` is None."""

    def __init__(self, address=1.0, data=1.0, answer=1.0, read=1.0, latency=0, bad_write=None, bad_read=None):
        self.address, self.data, self.answer, self.read = address, data, answer, read
        self.fetch = None
        self.latency = latency
        self.bad_write, self.bad_read = bad_write, bad_read


class AxiMemory:
    """Serves the port ``m_axi`` of a bench: ``before`` sets its inputs of this clock, ``after`` takes its outputs.

    What has not been written is random, and so is what was written until its response has been taken: a manager that
    reads too early finds out.
    """

    def __init__(self, bench, *, width, size, base=0, prefix="bus", pace=None, seed=0):
        self.bench, self.prefix = bench, prefix
        self.bytes, self.base = width // 8, base
        self.rng = random.Random(seed)
        self.pace = pace or Pace()
        self.content = bytearray(self.rng.randbytes(base + size))
        self.addresses, self.beats = deque(), deque()       # of writes that are not complete
        self.answers, self.reads = deque(), deque()
        self.response = self.beat = None                    # what is shown until it is taken
        self.held = {}                                      # what the manager shows until it is taken
        self.clock = self.writes = self.read_beats = 0
        self.lengths = {"aw": [], "ar": []}

    def _get(self, name):
        return self.bench.get(f"{self.prefix}__{name}")

    def _set(self, **values):
        self.bench.set(**{f"{self.prefix}__{name}": value for name, value in values.items()})

    def before(self):
        rng, pace = self.rng, self.pace
        if self.response is None and self.answers and self.answers[0][0] <= self.clock and rng.random() < pace.answer:
            self.response = self.answers.popleft()
        if self.beat is None and self.reads and self.reads[0][0] <= self.clock and rng.random() < pace.read:
            self.beat = self._read_beat()
        self.ready = {name: rng.random() < share for name, share in (
            ("aw", pace.address), ("w", pace.data), ("ar", pace.address if pace.fetch is None else pace.fetch))}
        self._set(
            awready=self.ready["aw"], wready=self.ready["w"], arready=self.ready["ar"],
            bvalid=self.response is not None, bresp=self.response[2] if self.response else rng.randrange(4),
            rvalid=self.beat is not None, rdata=self.beat[0] if self.beat else rng.getrandbits(8 * self.bytes),
            rlast=self.beat[1] if self.beat else rng.randrange(2),
            rresp=self.beat[2] if self.beat else rng.randrange(4))

    def after(self):
        for channel, names in (("aw", ("awaddr", "awlen", "awsize", "awburst", "awcache", "awprot", "awid")),
                               ("w", ("wdata", "wstrb", "wlast")),
                               ("ar", ("araddr", "arlen", "arsize", "arburst", "arcache", "arprot", "arid"))):
            valid = self._get(f"{channel}valid")
            shown = tuple(self._get(name) for name in names) if valid else None
            if channel in self.held:
                before = self.held.pop(channel)
                if channel == "w" and shown:        # bytes that are not written may change
                    assert [self._written(before), before[1:]] == [self._written(shown), shown[1:]], "W has changed"
                else:
                    assert shown == before, f"{channel} has changed while it was valid"
            if valid and not self.ready[channel]:
                self.held[channel] = shown
            elif valid:
                getattr(self, f"_take_{channel}")(shown)
        if self.response is not None:
            assert self._get("bready")
            self._commit(*self.response[1:])
            self.response = None
        if self.beat is not None:
            assert self._get("rready")
            self.beat = None
        self.clock += 1

    @property
    def idle(self):
        return not (self.addresses or self.beats or self.answers or self.reads or self.response or self.beat)

    def _written(self, beat):
        data, strobes = beat[:2]
        return [data >> 8 * lane & 255 for lane in range(self.bytes) if strobes >> lane & 1]

    def _burst(self, channel, shown):
        address, length, size, burst, cache, prot, number = shown
        assert 1 << size == self.bytes and burst == 1 and (cache, prot, number) == (3, 0, 0)
        assert address % self.bytes == 0
        last = address + (length + 1) * self.bytes - 1
        assert address // 4096 == last // 4096, f"a burst crosses 4 KiB: {address:x} to {last:x}"
        assert self.base <= address and last < len(self.content), f"{address:x} to {last:x} is outside of the memory"
        self.lengths[channel].append(length + 1)
        return address, length + 1

    def _take_aw(self, shown):
        self.addresses.append(self._burst("aw", shown))
        self._match()

    def _take_w(self, shown):
        self.beats.append(shown)
        self._match()

    def _match(self):
        """A burst whose address and beats are there is written when it is answered."""
        while self.addresses and len(self.beats) >= self.addresses[0][1]:
            address, length = self.addresses.popleft()
            beats = [self.beats.popleft() for _ in range(length)]
            assert [last for _, _, last in beats] == [0] * (length - 1) + [1]
            assert all(strobes for _, strobes, _ in beats)
            wrong = self.writes == self.pace.bad_write
            self.writes += 1
            for place, (_, strobes, _) in enumerate(beats):
                for lane in range(self.bytes):
                    if strobes >> lane & 1:
                        self.content[address + place * self.bytes + lane] = self.rng.randrange(256)
            self.answers.append((self.clock + 1 + self.pace.latency, (address, beats), _SLVERR if wrong else _OKAY))

    def _commit(self, burst, response):
        address, beats = burst
        if response == _OKAY:
            for place, (data, strobes, _) in enumerate(beats):
                for lane in range(self.bytes):
                    if strobes >> lane & 1:
                        self.content[address + place * self.bytes + lane] = data >> 8 * lane & 255

    def _take_ar(self, shown):
        address, length = self._burst("ar", shown)
        self.reads.append((self.clock + 1 + self.pace.latency, address, length))

    def _read_beat(self):
        due, address, length = self.reads.popleft()
        if length > 1:
            self.reads.appendleft((due, address + self.bytes, length - 1))
        wrong = self.read_beats == self.pace.bad_read
        self.read_beats += 1
        data = self.rng.randbytes(self.bytes) if wrong else self.content[address:address + self.bytes]
        return int.from_bytes(data, "little"), length == 1, _SLVERR if wrong else _OKAY
