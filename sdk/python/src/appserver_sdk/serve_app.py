"""A small HTTP server for the backend of an app, behind the platform's proxy."""

import errno
import json
import re
import socket
import socketserver
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote

from .app_identity import read_forward_secret
from .current_trace import run_in_trace
from .log_line import LogLevel, log_line
from .people import CallerPermissions, caller_permissions
from .platform_client import PlatformClient
from .verify_forwarded import ForwardSignatureError, forward_key, verify_forwarded

_DOT_SEGMENTS = re.compile(r"(?:^|/|%2f)(?:\.|%2e){1,2}(?:/|%2f|$)", re.IGNORECASE)
_BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_PARAMETER = re.compile(r"\{(\w+)(\.\.\.)?\}", re.ASCII)


@dataclass(frozen=True, slots=True)
class AppCaller:
    """The caller, as set by the platform in request headers. The platform removes these headers from incoming requests."""

    user_id: str | None
    app_name: str | None
    machine_id: str | None = None
    """The id of a service account."""
    display_name: str | None = None
    """The name of the user. None for other callers, and unless the app holds the permission `people:read`."""
    email: str | None = None
    """The e-mail address of the user, as `display_name`. None if the platform has none. It may not be proven."""


@dataclass(frozen=True, slots=True)
class AppCall:
    method: str
    # The path without the query.
    path: str
    # As `urllib.parse.parse_qs` returns it.
    query: Mapping[str, list[str]]
    # Decoded values of `{name}` segments. The value of `{rest...}` contains slashes.
    params: Mapping[str, str]
    caller: AppCaller
    request_id: str | None
    headers: Message
    body: bytes
    permissions: CallerPermissions = field(repr=False, default=caller_permissions(None))

    def can(self, permission: str) -> bool:
        """Returns whether the caller holds a permission of this app, as its manifest names it: `notes:approve`. False for callers without an
        account, and for service accounts: what these may do depends on their token, and only `scopes` of a route decide about it. Raises
        `grpc.RpcError` if the platform cannot be asked.
        """
        return self.permissions(self.caller.user_id, self.caller.app_name, permission)

    def json(self) -> Any:
        """Returns the body. Raises HttpError 400 if it is not JSON."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            raise HttpError(400, "the body is not JSON") from None


@dataclass(frozen=True, slots=True)
class AppAnswer:
    """Response of a handler: a value that is sent as JSON, a status and headers. Without a value the body is empty."""

    json: object = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


# Each call has a thread, so a handler may wait.
AppHandler = Callable[[AppCall], AppAnswer]


class HttpError(Exception):
    """An error whose message is sent to the caller. Any other exception of a handler is printed and causes a 500 response."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers or {}


class RunningApp:
    """An app that listens."""

    def __init__(self, server: "_Server") -> None:
        self._server = server
        self.port: int = server.server_address[1]
        self._serving = threading.Thread(target=server.serve_forever, args=(0.05,), name="appserver-http", daemon=True)
        self._serving.start()

    def stop(self, grace: float = 9.0) -> None:
        """Accepts no more connections, and returns when all active requests have their responses, at most after `grace` seconds."""
        self._server.shutdown()
        self._serving.join()
        self._server.server_close()
        self._server.end_connections(grace)


def serve_app(
    *,
    host: str,
    port: int,
    routes: Mapping[str, AppHandler],
    health_path: str = "/health",
    health: Callable[[], None] | None = None,
    forward_secret: str | None = None,
    max_body_bytes: int = 1024 * 1024,
    log_requests: bool = False,
    platform: PlatformClient | None = None,
) -> RunningApp:
    """Starts an HTTP server in threads of its own. Raises OSError if the port is in use.

    `routes` are handlers by `METHOD /path`, with `{name}` for one segment and a final `{name...}` for the rest: `GET /notes/{id}`. The
    first match is used. GET routes also handle HEAD. `health` raises if the app is unhealthy: the health check then returns 503 with the
    message.

    `forward_secret` is the secret that the app shares with the platform: requests without the platform's signature are then refused with
    401, except GET requests for the health path. Default: that of the deployment; without one, nothing is checked. An app that the
    platform does not run passes its push secret (`whsec_…`).

    `log_requests` prints each request with its route, status, duration, request id and trace id, at its end. Health checks are not.

    `platform` is what `AppCall.can` asks. Default: the platform that runs the app.
    """
    secret = forward_secret or read_forward_secret()
    checking = _route(f"GET {health_path}", lambda _call: _health_answer(health))
    try:
        server = _Server(
            (host, port),
            health_route=checking,
            routes=[checking, *(_route(key, handler) for key, handler in routes.items())],
            key=None if secret is None else forward_key(secret),
            max_body_bytes=max_body_bytes,
            log_requests=log_requests,
            permissions=caller_permissions(platform),
        )
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise OSError(error.errno, f"port {port} on {host} is in use; set PORT to another") from error
        raise
    return RunningApp(server)


@dataclass(frozen=True, slots=True)
class _Route:
    # `GET /notes/{id}`
    key: str
    method: str
    pattern: re.Pattern[str]
    handler: AppHandler


def _route(key: str, handler: AppHandler) -> _Route:
    method, _, path = key.partition(" ")
    if not path.startswith("/"):
        raise ValueError(f'{key!r} is not a route: expected "METHOD /path"')
    return _Route(key, method.upper(), re.compile("/".join(_segment(each) for each in path.split("/"))), handler)


def _segment(text: str) -> str:
    found = _PARAMETER.fullmatch(text)
    if not found:
        return re.escape(text)
    return f"(?P<{found[1]}>{'.*' if found[2] else '[^/]+'})"


def _health_answer(health: Callable[[], None] | None) -> AppAnswer:
    try:
        if health:
            health()
    except Exception as error:
        return AppAnswer({"status": "unhealthy", "error": str(error)}, 503)
    return AppAnswer({"status": "ok"})


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(
        self,
        address: tuple[str, int],
        *,
        health_route: _Route,
        routes: list[_Route],
        key: bytes | None,
        max_body_bytes: int,
        log_requests: bool,
        permissions: CallerPermissions,
    ) -> None:
        self.health_route = health_route
        self.routes = routes
        self.key = key
        self.max_body_bytes = max_body_bytes
        self.log_requests = log_requests
        self.permissions = permissions
        self.is_stopping = False
        self.connections: set[_Handler] = set()
        self.changed = threading.Condition()
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        super().__init__(address, _Handler)

    def server_bind(self) -> None:
        # HTTPServer would look up the name of the host, which may take seconds.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), self.server_address[1]

    def handle_error(self, request: Any, client_address: Any) -> None:
        # A caller that leaves is not an error of the app.
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    def end_connections(self, grace: float) -> None:
        with self.changed:
            self.is_stopping = True
            for each in self.connections:
                if each.is_idle:
                    each.stop_reading()
            self.changed.wait_for(lambda: not self.connections, timeout=grace)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    # Seconds, of an idle connection. That of the platform's proxy is shorter.
    timeout = 75
    # A response in one packet: the second one would wait for the acknowledgement of the first.
    wbufsize = -1
    is_idle = True

    def setup(self) -> None:
        super().setup()
        with self.server.changed:
            self.server.connections.add(self)

    def finish(self) -> None:
        try:
            super().finish()
        finally:
            with self.server.changed:
                self.server.connections.discard(self)
                self.server.changed.notify_all()

    def handle_one_request(self) -> None:
        with self.server.changed:
            self.is_idle = True
            if self.server.is_stopping:
                self.close_connection = True
                return
        super().handle_one_request()

    def parse_request(self) -> bool:
        self.is_idle = False
        return super().parse_request()

    def stop_reading(self) -> None:
        try:
            self.connection.shutdown(socket.SHUT_RD)
        except OSError:
            # The caller has left.
            pass

    def log_message(self, *_: object) -> None:
        """The platform logs each request."""

    def _answer(self) -> None:
        started_at = time.monotonic()
        with run_in_trace(self.headers.get("traceparent"), self.headers.get("x-request-id")):
            route, answer, body = self._outcome()
            self._send(answer, body)
            if self.server.log_requests and route is not self.server.health_route:
                # The route, never the path, which may contain personal data.
                duration = round((time.monotonic() - started_at) * 1_000, 1)
                key = None if route is None else route.key
                level: LogLevel = "error" if answer.status >= 500 else "info"
                log_line(level, "request", route=key, status=answer.status, durationMs=duration)

    def _outcome(self) -> tuple[_Route | None, AppAnswer, bytes]:
        """Returns the route of the request, its response and the body of it. Never raises."""
        route: _Route | None = None
        try:
            route, call = self._call(self._body())
            answer = route.handler(call)
            return route, answer, _encoded(answer)
        except HttpError as error:
            answer = AppAnswer({"error": str(error)}, error.status, error.headers)
        except Exception:
            traceback.print_exc()
            answer = AppAnswer({"error": "an unexpected error"}, 500)
        return route, answer, _encoded(answer)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = _answer

    def _body(self) -> bytes:
        if "transfer-encoding" in self.headers:
            # The rest of the connection cannot be read.
            self.close_connection = True
            raise HttpError(411, "a body needs a content-length")
        text = self.headers.get("content-length", "0")
        if not text.isascii() or not text.isdigit() or int(text) > self.server.max_body_bytes:
            self.close_connection = True
            raise HttpError(413, f"the body has more than {self.server.max_body_bytes} bytes")
        return self.rfile.read(int(text))

    def _call(self, body: bytes) -> tuple[_Route, AppCall]:
        # `self.path` has fewer slashes at its begin than the request.
        target = self.requestline.split()[1]
        path, _, query = target.partition("?")
        # A handler may use the path as a file path, which must not lead out of its folder.
        if _DOT_SEGMENTS.search(path):
            raise HttpError(400, "the path has dot segments")
        server = self.server
        if server.key is not None and not (self.command == "GET" and server.health_route.pattern.fullmatch(path)):
            try:
                verify_forwarded(server.key, self.command, target, self.headers.items())
            except ForwardSignatureError as error:
                raise HttpError(401, str(error)) from None
        route, params = self._match(path)
        return route, AppCall(
            method=self.command,
            path=path,
            query=parse_qs(query, keep_blank_values=True),
            params=params,
            caller=AppCaller(
                user_id=self.headers.get("x-user-id"),
                app_name=self.headers.get("x-app-name"),
                machine_id=self.headers.get("x-machine-id"),
                display_name=self._decoded_header("x-user-name"),
                email=self._decoded_header("x-user-email"),
            ),
            request_id=self.headers.get("x-request-id"),
            headers=self.headers,
            body=body,
            permissions=server.permissions,
        )

    def _decoded_header(self, name: str) -> str | None:
        value = self.headers.get(name)
        return None if value is None else _decoded(value, f"the header {name}")

    def _match(self, path: str) -> tuple[_Route, dict[str, str]]:
        matching = [(route, found) for route in self.server.routes if (found := route.pattern.fullmatch(path))]
        method = "GET" if self.command == "HEAD" else self.command
        for route, found in matching:
            if route.method in (method, self.command):
                return route, {name: _decoded(value, "the path") for name, value in found.groupdict().items()}
        if matching:
            allowed = ", ".join(route.method for route, _ in matching)
            raise HttpError(405, f"{self.command} is not allowed at {path}", {"allow": allowed})
        raise HttpError(404, f"no route matches {path}")

    def _send(self, answer: AppAnswer, body: bytes) -> None:
        headers: dict[str, str] = {} if answer.json is None else {"content-type": "application/json"}
        headers |= {name.lower(): value for name, value in answer.headers.items()}
        if answer.status not in (204, 304):
            headers["content-length"] = str(len(body))
        if self.close_connection or self.server.is_stopping:
            self.close_connection = True
            headers["connection"] = "close"
        self.send_response_only(answer.status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD" and answer.status not in (204, 304):
            self.wfile.write(body)


def _encoded(answer: AppAnswer) -> bytes:
    return b"" if answer.json is None else json.dumps(answer.json, allow_nan=False).encode()


def _decoded(text: str, what: str) -> str:
    try:
        if not _BROKEN_ESCAPE.search(text):
            return unquote(text, errors="strict")
    except UnicodeDecodeError:
        pass
    raise HttpError(400, f"{what} is not valid percent-encoding")
