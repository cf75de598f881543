"""Who may look at the page: this machine alone, or a browser that has the token.

A page in the user's browser that came from elsewhere must not reach the panel either: without a token
the Host header must name this machine (against DNS rebinding), and a request that states where it comes
from must come from the panel's own page.
"""

import hmac
import ipaddress
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlencode, urlsplit

COOKIE = "sata_recorder_panel"
_REFUSED = b"This page needs its token: open the address that `sata-recorder panel` has printed.\n"
_ELSEWHERE = b"This request comes from elsewhere.\n"


def is_loopback(host):
    """Whether ``host`` is this machine, which no other machine can reach."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Gate:
    """ASGI middleware around ``app``. ``token`` None: none is needed, and ``Host`` must be this
    machine's own name."""

    def __init__(self, app, token=None):
        self._app, self._token = app, token

    async def __call__(self, scope, receive, send):
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1")
                   for name, value in scope["headers"]}
        if not self._ours(headers):
            await _refuse(scope, receive, send, 403, _ELSEWHERE)
        elif self._token is None or self._known(headers):
            await self._app(scope, receive, send)
        elif scope["type"] == "http" and self._offered(scope):
            await _welcome(scope, send, self._token)
        else:
            await _refuse(scope, receive, send, 401, _REFUSED)

    def _ours(self, headers):
        host = headers.get("host", "")
        try:
            name = urlsplit(f"//{host}").hostname or ""
            origin = urlsplit(headers["origin"]).netloc if "origin" in headers else host
        except ValueError:
            return False
        return origin == host and (self._token is not None or is_loopback(name))

    def _known(self, headers):
        try:
            cookies = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            return False
        return COOKIE in cookies and self._same(cookies[COOKIE].value)

    def _offered(self, scope):
        values = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
        return len(values) == 1 and self._same(values[0])

    def _same(self, text):
        return hmac.compare_digest(text.encode("utf-8", "replace"), self._token.encode())


async def _welcome(scope, send, token):
    """Moves the token from the address into a cookie that no script can read."""
    rest = [(name, value) for name, values in
            parse_qs(scope["query_string"].decode("latin-1")).items() if name != "token"
            for value in values]
    place = scope["path"] + (f"?{urlencode(rest)}" if rest else "")
    cookie = f"{COOKIE}={token}; Path=/; HttpOnly; SameSite=Strict"
    await _answer(send, 303, b"", [(b"location", place.encode("latin-1", "replace")),
                                   (b"set-cookie", cookie.encode())])


async def _refuse(scope, receive, send, status, text):
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008})
    else:
        await _answer(send, status, text, [(b"content-type", b"text/plain; charset=utf-8")])


async def _answer(send, status, body, headers):
    await send({"type": "http.response.start", "status": status,
                "headers": [*headers, (b"content-length", str(len(body)).encode()),
                            (b"cache-control", b"no-store")]})
    await send({"type": "http.response.body", "body": body})
