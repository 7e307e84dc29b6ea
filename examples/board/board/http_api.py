"""The HTTP API behind the platform's proxy. Paths are relative to `base_path` in app.yaml, which the platform removes."""

import json
import re
import sqlite3
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from .cards import COLUMNS, MAX_TEXT, BoardIsFull, Card, Cards
from .signatures import NotForwarded, verify_forwarded

_MAX_BODY = 16_384
# Shorter than `timeout_ms` in app.yaml.
_LONGEST_WAIT_SECONDS = 8.0
_CARD = re.compile(r"/cards/([0-9a-f-]{36})", re.ASCII)


class Refusal(Exception):
    """Ends a request with a status and a reason for the caller."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class BoardServer(ThreadingHTTPServer):
    """Each request has a thread, so that pages can wait for changes."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], cards: Cards, forward_secret: bytes | None) -> None:
        super().__init__(address, _Handler)
        self.cards = cards
        self.forward_secret = forward_secret


class _Handler(BaseHTTPRequestHandler):
    server: BoardServer
    protocol_version = "HTTP/1.1"
    # Of an idle connection. The platform's own is shorter.
    timeout = 75

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def do_PUT(self) -> None:
        self._answer()

    def do_DELETE(self) -> None:
        self._answer()

    def log_message(self, *_: object) -> None:
        """The platform logs each request."""

    def _answer(self) -> None:
        try:
            status, result = self._result()
        except Refusal as refusal:
            status, result = refusal.status, {"error": str(refusal)}
        except NotForwarded as error:
            status, result = 401, {"error": str(error)}
        except sqlite3.Error as error:
            print(f"{self.command} {self.path} failed: {error}", flush=True)
            status, result = 503, {"error": "the cards cannot be reached at the moment"}
        body = b"" if result is None else json.dumps(result).encode()
        self.send_response(status)
        if result is not None:
            self.send_header("content-type", "application/json; charset=utf-8")
        self.send_header("content-length", str(len(body)))
        if self.close_connection:
            self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def _result(self) -> tuple[int, object]:
        body = self._body()
        url = urlsplit(self.path)
        if url.path == "/health":
            self.server.cards.check()
            return 200, {"status": "ok"}
        self._verify()
        if url.path == "/cards" and self.command == "GET":
            return 200, self._cards(parse_qs(url.query))
        if url.path == "/cards" and self.command == "POST":
            text, _ = _fields(body)
            if text is None:
                raise Refusal(400, 'the body must have "text", like {"text": "Call Ada"}')
            card = self.server.cards.add(text, self._author())
            assert card is not None
            return 201, card.to_json()
        found = _CARD.fullmatch(url.path)
        if found and self.command == "PUT":
            return 200, self._changed(found[1], body).to_json()
        if found and self.command == "DELETE":
            if not self.server.cards.remove(found[1]):
                raise Refusal(404, f"there is no card {found[1]}")
            return 204, None
        raise Refusal(404, f"there is no {self.command} {url.path}")

    def _cards(self, query: dict[str, list[str]]) -> object:
        """With `?after=<revision>`, waits until the board has another one."""
        (after,) = query.get("after", [""])[:1]
        if after:
            if not after.isascii() or not after.isdigit() or len(after) > 18:
                raise Refusal(400, f"after must be the revision of an earlier response, got {after[:100]!r}")
            self.server.cards.wait(int(after), _LONGEST_WAIT_SECONDS)
        revision, cards = self.server.cards.all()
        return {"revision": revision, "cards": [card.to_json() for card in cards]}

    def _changed(self, card_id: str, body: bytes) -> Card:
        try:
            card = self.server.cards.change(card_id, *_fields(body))
        except BoardIsFull as error:
            raise Refusal(409, str(error)) from None
        if card is None:
            raise Refusal(404, f"there is no card {card_id}")
        return card

    def _body(self) -> bytes:
        if "transfer-encoding" in self.headers:
            self.close_connection = True
            raise Refusal(411, "a body needs a content-length")
        text = self.headers.get("content-length", "0")
        if not text.isascii() or not text.isdigit() or int(text) > _MAX_BODY:
            # The rest of the connection cannot be read.
            self.close_connection = True
            raise Refusal(413, f"a body must have at most {_MAX_BODY} bytes")
        return self.rfile.read(int(text))

    def _verify(self) -> None:
        """Refuses what the platform did not send, if the platform started this app."""
        secret = self.server.forward_secret
        if secret is None:
            return
        headers = [(name.lower(), value) for name, value in self.headers.items()]
        verify_forwarded(secret, self.command, self.path, headers, time.time())

    def _author(self) -> str:
        user = self.headers.get("x-user-id")
        return f"user:{user}" if user else f"app:{self.headers.get('x-app-name', 'unknown')}"


def _fields(body: bytes) -> tuple[str | None, str | None]:
    """Returns `text` and `column` of a body. Raises Refusal."""
    try:
        value = json.loads(body)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        raise Refusal(400, "the body must be JSON") from None
    if not isinstance(value, dict):
        raise Refusal(400, "the body must be an object")
    text, column = value.get("text"), value.get("column")
    if text is not None:
        text = text.strip() if isinstance(text, str) else ""
        if not 1 <= len(text) <= MAX_TEXT or "\0" in text:
            raise Refusal(400, f"text must have 1 to {MAX_TEXT} characters")
    if column is not None and column not in COLUMNS:
        raise Refusal(400, f"column must be one of {', '.join(COLUMNS)}")
    return text, column
