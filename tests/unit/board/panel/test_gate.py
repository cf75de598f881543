"""Who may look at the page: own name, own origin, and the token."""

import pytest

from sata_recorder.board.panel.gate import Gate, is_loopback

TOKEN = "abcdefgh1234"


async def inner(scope, receive, send):
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"secret"})
    elif scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
    else:
        await send({"type": "lifespan.startup.complete"})


def ask(token=None, *, kind="http", host="127.0.0.1:8080", query="", **headers):
    """What the gate answers: the messages."""
    sent = []

    async def send(message):
        sent.append(message)

    async def receive():
        return {"type": "websocket.connect"}

    names = {"host": host} | dict(headers.items())
    scope = {"type": kind, "path": "/", "query_string": query.encode(),
             "headers": [(name.encode(), value.encode()) for name, value in names.items()]}
    with pytest.raises(StopIteration):      # nothing in it waits, so it needs no event loop
        Gate(inner, token)(scope, receive, send).send(None)
    return sent


def status(*arguments, **options):
    return ask(*arguments, **options)[0]["status"]


@pytest.mark.parametrize("host", ["localhost:8080", "127.0.0.1", "[::1]:8080", "127.1.2.3:1"])
def test_this_machine(host):
    assert status(host=host) == 200
    assert status(host=host, origin=f"http://{host}") == 200


@pytest.mark.parametrize("options", [
    {"host": "evil.example"}, {"host": "evil.example:8080"}, {"host": ""}, {"host": "[::1"},
    {"host": "localhost.evil.example"}, {"host": "127.evil.example"},
    {"origin": "http://evil.example"}, {"origin": "null"}, {"origin": "http://127.0.0.1:9999"},
    {"host": "192.168.1.5:8080"},
])
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_from_elsewhere(options, kind):
    """A name that was bent to this machine, and a page of another origin, get nothing."""
    sent = ask(kind=kind, **options)
    assert sent[0].get("status") == 403 if kind == "http" else \
        sent == [{"type": "websocket.close", "code": 1008}]
    assert not any(b"secret" in message.get("body", b"") for message in sent)


@pytest.mark.parametrize("options", [
    {}, {"query": "token=wrong"}, {"query": f"token={TOKEN}&token=x"}, {"query": "token="},
    {"cookie": "sata_recorder_panel=wrong"}, {"cookie": "other=1"}, {"cookie": "=;;,\x00"},
])
def test_without_the_token(options):
    assert status(TOKEN, host="board.lan:8080", **options) == 401
    assert ask(TOKEN, kind="websocket", host="board.lan", **options)[0]["type"] == \
        "websocket.close"


def test_token_becomes_a_cookie():
    sent = ask(TOKEN, host="board.lan:8080", query=f"a=1&token={TOKEN}")
    headers = dict(sent[0]["headers"])
    assert sent[0]["status"] == 303 and headers[b"location"] == b"/?a=1"
    assert headers[b"set-cookie"] == \
        f"sata_recorder_panel={TOKEN}; Path=/; HttpOnly; SameSite=Strict".encode()
    known = {"host": "board.lan:8080", "cookie": f"other=2; sata_recorder_panel={TOKEN}"}
    assert status(TOKEN, **known) == 200
    assert ask(TOKEN, kind="websocket", **known) == [{"type": "websocket.accept"}]
    # The cookie alone is not enough for a page of another origin.
    assert status(TOKEN, origin="http://evil.example", **known) == 403


def test_lifespan_passes():
    assert ask(TOKEN, kind="lifespan") == [{"type": "lifespan.startup.complete"}]


def test_loopback():
    assert all(map(is_loopback, ("localhost", "127.0.0.1", "::1", "127.9.9.9")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "192.168.0.1", "localhost.example", "")))
