"""The transport layer as a whole: what it passes on to the layers above and below."""

import pytest

from sata_recorder.core.transport import Transport
from unit.bench import Bench

BENCH = Bench(Transport())

#: What the sender and the parser tell the command layer and the ledger while a frame continues or
#: ends.
REPORTS = {
    "registers_done": "user__registers__done", "registers_failed": "user__registers__failed",
    "data_done": "user__data__done", "data_failed": "user__data__failed",
    "data_moved": "user__data__moved", "starved": "user__data__starved",
    **{name: f"activity__{name}" for name in ("registers_again", "pending", "is_data")},
}


async def begin_data(bench, words):
    """A Data FIS of ``words`` dwords is asked for and may be sent."""
    bench.set(user__data__send=1, user__data__words=words)
    await bench.tick()
    bench.set(user__data__send=0, send__ready=1)
    while not bench.get("send__valid"):
        await bench.tick()
    assert bench.get("send__payload__word") == 0x46
    await bench.tick()


def reports(bench):
    return {name for name, member in REPORTS.items() if bench.get(member)}


def test_starved():
    """The payload is waited for, which the command layer must not take for silence of the drive."""
    async def script(bench):
        await begin_data(bench, 2)
        for _ in range(3):
            assert reports(bench) == {"starved"} and bench.get("user__data__payload__ready")
            await bench.tick()
        bench.set(user__data__payload__valid=1, user__data__payload__payload=0x12345678)
        assert not reports(bench)
        await bench.tick()
        bench.set(user__data__payload__valid=0)
        assert not reports(bench) and bench.get("send__payload__word") == 0x12345678
        await bench.tick()
        assert reports(bench) == {"data_moved", "starved"}
        await bench.tick()
        assert reports(bench) == {"starved"}
        return True
    assert BENCH.run(script)


@pytest.mark.parametrize("ok", [0, 1])
def test_end_of_a_data_fis(ok):
    async def script(bench):
        bench.set(user__data__payload__valid=1)
        await begin_data(bench, 1)
        while not (bench.get("send__valid") and bench.get("send__payload__last")):
            await bench.tick()
        await bench.tick()
        bench.set(send__ready=0)
        await bench.tick()      # EOF
        bench.set(send__done=1, send__ok=ok)
        return reports(bench)
    assert BENCH.run(script) == ({"data_done"} if ok else {"data_done", "data_failed"})


@pytest.mark.parametrize("ok, report", [(1, "registers_done"), (0, "registers_again")])
def test_end_of_a_register_fis(ok, report):
    async def script(bench):
        bench.set(user__registers__send=1)
        await bench.tick()
        bench.set(user__registers__send=0, send__ready=1)
        while not (bench.get("send__valid") and bench.get("send__payload__last")):
            assert not reports(bench)
            await bench.tick()
        await bench.tick()
        bench.set(send__ready=0, send__done=1, send__ok=ok)
        return reports(bench)
    assert BENCH.run(script) == {report}


def test_withdrawn():
    async def script(bench):
        bench.set(user__data__send=1, user__data__words=4)
        await bench.tick()
        bench.set(user__data__send=0)
        await bench.tick()
        assert bench.get("send__valid")
        bench.set(user__data__cancel=1)
        await bench.tick()
        bench.set(user__data__cancel=0)
        await bench.tick()
        return bench.get("send__valid")
    assert BENCH.run(script) == 0


@pytest.mark.parametrize("expected", [0, 1])
def test_data_of_the_drive(expected):
    """Accepted only where it is expected; hold is passed on."""
    async def script(bench):
        bench.set(user__received__expect_data=expected, user__received__hold=1, receive__start=1)
        await bench.tick()
        held = bench.get("receive__hold")
        bench.set(receive__start=0)
        words, seen, said = [0x46, 1, 2, 0xC0FFEE], [], []
        for count, word in enumerate(words):
            bench.set(receive__arrives=1, receive__valid=0, receive__count=count)
            await bench.tick()
            bench.set(receive__arrives=0, receive__valid=1, receive__word=word,
                      receive__count=count + 1)
            said.append(reports(bench))
            if bench.get("user__received__payload__valid"):
                seen.append(bench.get("user__received__payload__payload"))
            await bench.tick()
        bench.set(receive__valid=0)
        await bench.tick()
        accepted = bench.get("receive__accept")
        bench.set(receive__done=1, receive__ok=accepted)
        ended = bench.get("user__received__fis__data"), bench.get("user__received__fis__data_bad")
        return held, ended, seen, said
    assert BENCH.run(script) == (1, (1, 0) if expected else (0, 1), [1, 2] if expected else [],
                                 [{"is_data"}, set(), {"pending"}, {"pending"}])


@pytest.mark.parametrize("count, escapes", [(2050, 0), (2051, 1)])
def test_overlong_frame(count, escapes):
    async def script(bench):
        bench.set(receive__count=count)
        await bench.tick()
        return bench.get("receive__escape")
    assert BENCH.run(script) == escapes


def test_clear():
    """A Data FIS that is being sent is forgotten."""
    async def script(bench):
        await begin_data(bench, 8)
        bench.set(user__clear=1)
        await bench.tick()
        bench.set(user__clear=0)
        assert not bench.get("send__valid") and not reports(bench)
        await bench.tick()
        return bench.get("send__valid")
    assert BENCH.run(script) == 0
