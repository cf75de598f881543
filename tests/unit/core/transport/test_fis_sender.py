"""The sender: FISes as frames, whatever link layer and payload do."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sata_recorder.core.transport.fis_sender import TRIES, FisSender
from unit.bench import Bench, World

BENCH = Bench(FisSender())

#: A Register H2D FIS, field by field (Serial ATA specification, Register - Host to Device FIS).
FIELDS = {"command": 0x35, "features": 0xFEDC, "lba": 0x665544332211, "device": 0x40,
          "count": 0x1234}
REGISTER = [0xDC358027, 0x40332211, 0xFE665544, 0x00001234, 0x00000000]

#: Ends of a frame, and whether the link layer reports ``ok`` then.
R_OK, R_ERR, SYNC = "R_OK", "R_ERR", "SYNC"


class SenderWorld(World):
    """Stands for the link layer and for the source of the payload; ``rate`` of their clocks."""

    def __init__(self, bench, *, seed=0, rate=1.0, source=10_000):
        super().__init__(bench)
        self._rng, self.rate = random.Random(seed), rate
        self.source = [*range(1, source + 1)]
        self.moved = 0          # dwords of payload that were reported as sent
        self.starved = 0        # clocks
        self.failed = 0         # Register FISes that were given up
        bench.set(**{f"registers__task_file__{name}": value for name, value in FIELDS.items()})

    def chance(self):
        return self._rng.random() < self.rate

    async def tick(self, **inputs):
        """One clock; returns (valid, word, last) and the reports of it."""
        bench = self.bench
        offered = bool(self.source) and self.chance()
        bench.set(**{"frame__ready": 0, "frame__done": 0, "data__send": 0, "registers__send": 0,
                     "data__cancel": 0}
                  | inputs, data__payload__valid=offered,
                  data__payload__payload=self.source[0] if offered else 0)
        frame = tuple(bench.get(f"frame__{name}") for name in
                      ("valid", "payload__word", "payload__last"))
        reports = tuple(bench.get(name) for name in
                        ("registers__done", "registers_again", "data__done", "data__failed"))
        if offered and bench.get("data__payload__ready"):
            self.source.pop(0)
        self.moved += bench.get("data__moved")
        self.starved += bench.get("data__starved")
        self.failed += bench.get("registers__failed")
        await bench.tick()
        return frame, reports

    async def frame(self, end, after=None):
        """Takes a frame: up to its last dword, or up to ``after`` dwords, then ``end`` comes.

        Returns the dwords, whether the last one was marked, and the reports at the end.
        """
        (valid, *_), reports = await self.tick()
        assert valid, "the frame does not ask for X_RDY"
        for _ in range(3 + self._rng.randrange(8)):
            (valid, *_), reports = await self.tick()
            assert valid and not any(reports)
        words, last, shown = [], 0, None
        while not last and len(words) != after:
            ready = self.chance()
            (valid, *payload), reports = await self.tick(frame__ready=ready)
            assert not any(reports)
            assert shown is None or (valid and payload == shown), "what was offered has changed"
            shown = payload if valid and not ready else None
            if valid and ready:
                words.append(payload[0])
                last = payload[1]
        for _ in range(self._rng.randrange(4)):
            _, reports = await self.tick()
            assert not any(reports)
        _, reports = await self.tick(frame__done=1, frame__ok=end == R_OK)
        return words, last, reports


def run(script, **options):
    async def with_line(bench):
        return await script(SenderWorld(bench, **options))
    return BENCH.run(with_line)


DONE, AGAIN, OVER, FAILED = (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 1, 1)


def test_register_fis():
    async def script(line):
        await line.tick(registers__send=1)
        assert await line.frame(R_OK) == (REGISTER, 1, DONE)
        assert not (await line.tick())[0][0]
        assert line.moved == line.starved == 0 and len(line.source) == 10_000
    run(script)


@given(st.lists(st.tuples(st.sampled_from([R_ERR, SYNC]), st.sampled_from([None, *range(5)])),
                max_size=4),
       st.integers(0, 99), st.sampled_from([1, 0.5, 0.2]))
def test_register_fis_until_acknowledged(ends, seed, rate):
    """Refused or cut short anywhere, it is sent again as a whole, at once."""
    async def script(line):
        await line.tick(registers__send=1)
        for end, after in ends:
            words, _, reports = await line.frame(end, after)
            assert words == REGISTER[:after] and reports == AGAIN
        assert await line.frame(R_OK) == (REGISTER, 1, DONE)
        assert not (await line.tick())[0][0]
    run(script, seed=seed, rate=rate)


@pytest.mark.parametrize("end, after", [(R_ERR, None), *((SYNC, n) for n in range(5))])
def test_register_fis_given_up(end, after):
    """After this many tries it is not offered any more, wherever the last one ended."""
    async def script(line):
        await line.tick(registers__send=1)
        for _ in range(TRIES - 1):
            assert (await line.frame(end, after))[2] == AGAIN
        *_, reports = await line.frame(end, after)
        assert not any(reports) and line.failed == 1
        for _ in range(5):
            (valid, *_), reports = await line.tick()
            assert not valid and not any(reports)
        assert line.failed == 1
        await line.tick(registers__send=1)
        assert await line.frame(R_OK) == (REGISTER, 1, DONE)
    run(script)


@pytest.mark.parametrize("after", [2, 3, 4])
def test_register_fis_that_is_acknowledged_in_part(after):
    """DMAT has ended it, and the drive has a command that nobody sent: it is given up, and not sent again."""
    async def script(line):
        await line.tick(registers__send=1)
        assert await line.frame(R_OK, after) == (REGISTER[:after], 0, (0, 0, 0, 0))
        assert line.failed == 1
        assert not (await line.tick())[0][0]
    run(script)


def test_requests_take_effect_after_one_clock():
    async def script(line, request):
        assert not (await line.tick(**request))[0][0]
        return (await line.tick())[0][0]
    assert run(lambda line: script(line, {"registers__send": 1}))
    assert run(lambda line: script(line, {"data__send": 1, "data__words": 5}))


@pytest.mark.parametrize("words", [1, 2, 3, 100, 2048])
def test_data_fis(words):
    async def script(line):
        await line.tick(data__send=1, data__words=words)
        payload, last, reports = await line.frame(R_OK)
        assert payload == [0x46, *range(1, words + 1)] and last and reports == OVER
        assert line.moved == words
        assert len(line.source) == 10_000 - words, "more payload was taken than was asked for"
        assert not (await line.tick())[0][0]
    run(script)


def test_data_fis_at_full_rate():
    """A dword in every clock in which the link layer takes one."""
    async def script(line):
        await line.tick(data__send=1, data__words=200)
        await line.tick()
        await line.tick()
        taken = [(await line.tick(frame__ready=1))[0] for _ in range(201)]
        assert taken == [(1, 0x46, 0), *((1, n, n == 200) for n in range(1, 201))]
    run(script)


@pytest.mark.parametrize("end", [R_ERR, SYNC])
@pytest.mark.parametrize("after", [None, 0, 3])
def test_data_not_acknowledged(end, after):
    async def script(line):
        await line.tick(data__send=1, data__words=5)
        _, _, reports = await line.frame(end, after)
        assert reports == FAILED
    run(script)


@given(st.lists(st.tuples(st.integers(1, 12), st.sampled_from([R_OK, R_ERR, SYNC]),
                          st.sampled_from([None, *range(10)])), min_size=1, max_size=6),
       st.integers(0, 999), st.sampled_from([1, 0.7, 0.2]))
def test_payload_goes_on_where_the_fis_before_ended(fises, seed, rate):
    """The drive may end a FIS anywhere; no dword of payload is lost or sent twice.

    What was sent in a FIS is for the layer above to judge: ``data_moved`` counts it.
    """
    async def script(line):
        sent = []
        for size, end, after in fises:
            # What was taken belongs to the command: no FIS of it is shorter.
            size = max(size, 10_000 - len(line.source) - len(sent))
            await line.tick(data__send=1, data__words=size)
            words, last, reports = await line.frame(end, after)
            assert reports == (OVER if end == R_OK else FAILED)
            assert words[:1] in ([], [0x46])
            assert last == (len(words) == size + 1)
            sent += words[1:]
            assert line.moved == len(sent)
        assert sent == [*range(1, len(sent) + 1)]
        held = 10_000 - len(line.source) - len(sent)
        assert 0 <= held <= 2
    run(script, seed=seed, rate=rate)


@given(st.integers(2, 30), st.lists(st.integers(0, 9), max_size=4), st.integers(0, 99),
       st.sampled_from([1, 0.5]))
def test_no_dword_beyond_the_command_is_taken(size, cuts, seed, rate):
    """However often its Data FIS is cut short: the next dword belongs to the next command."""
    async def script(line):
        left = size
        for cut in [*cuts, left]:
            await line.tick(data__send=1, data__words=left)
            words, *_ = await line.frame(SYNC, min(cut, left) + 1)
            left -= len(words) - 1
            if not left:
                break
        if left:
            await line.tick(data__send=1, data__words=left)
            await line.frame(R_OK)
        assert line.moved == size and line.source[0] == size + 1
    run(script, seed=seed, rate=rate)


@given(st.integers(2, 8), st.integers(0, 8), st.sampled_from([R_OK, R_ERR]))
def test_command_forgets_payload(size, after, end):
    """What a Data FIS left is neither in the Register FIS nor in the next Data FIS."""
    async def script(line):
        await line.tick(data__send=1, data__words=size)
        await line.frame(SYNC, min(after, size))
        await line.tick(registers__send=1)
        if end == R_ERR:
            assert await line.frame(R_ERR) == (REGISTER, 1, AGAIN)
        assert await line.frame(R_OK) == (REGISTER, 1, DONE)
        first = line.source[0]
        await line.tick(data__send=1, data__words=3)
        assert await line.frame(R_OK) == ([0x46, first, first + 1, first + 2], 1, OVER)
    run(script)


@pytest.mark.parametrize("clocks", [0, 1, 2, 9])
def test_withdrawn(clocks):
    """A Data FIS that has not been begun vanishes; its payload begins the next one."""
    async def script(line):
        await line.tick(data__send=1, data__words=5)
        for _ in range(clocks):
            (valid, *_), _ = await line.tick()
            assert valid
        _, reports = await line.tick(data__cancel=1)
        assert not any(reports)
        for _ in range(3):
            (valid, *_), reports = await line.tick()
            assert not valid and not any(reports)
        assert line.moved == 0
        await line.tick(data__send=1, data__words=3)
        assert await line.frame(R_OK) == ([0x46, 1, 2, 3], 1, OVER)
    run(script)


@pytest.mark.parametrize("clocks", [0, 1, 2, 9])
@pytest.mark.parametrize("cancel", [0, 1])
def test_command_in_the_place_of_a_data_fis(clocks, cancel):
    """The status came instead of the wait for data, and the next command follows at once."""
    async def script(line):
        await line.tick(data__send=1, data__words=5)
        for _ in range(clocks):
            await line.tick()
        await line.tick(data__cancel=cancel, registers__send=1)
        assert await line.frame(R_OK) == (REGISTER, 1, DONE)
    run(script)


def test_starved():
    """While a Data FIS has no dword to send and none is offered."""
    async def script(line):
        assert line.starved == 0
        line.rate = 0
        await line.tick(data__send=1, data__words=4)
        await line.tick()
        await line.tick(frame__ready=1)
        before = line.starved
        for _ in range(5):
            (valid, *_), _ = await line.tick(frame__ready=1)
            assert not valid
        assert line.starved - before == 5
        line.rate = 1
        await line.tick()
        await line.tick()
        before = line.starved
        await line.tick()
        assert line.starved == before
    run(script)
