"""Calls of other apps, through the platform."""

import http.client
import json as json_module
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

from .current_trace import current_trace
from .sign_request import sign_request


@dataclass(frozen=True, slots=True)
class AppResponse:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    def json(self) -> Any:
        """Raises ValueError if the body is not JSON."""
        return json_module.loads(self.body)


class AppClient:
    """Calls other apps through the platform. Signs each request as this app, and continues the current trace. Any thread may use it."""

    def __init__(self, *, http_url: str, app_name: str, private_key: RSAPrivateKey, timeout: float = 10.0) -> None:
        """`http_url` is the base address of the platform: `http://127.0.0.1:8080` (APPSERVER_HTTP_URL). `timeout` is in seconds, for
        each step: connecting, and each read.
        """
        self._http_url = http_url
        self._origin = _origin(http_url)
        self._app_name = app_name
        self._private_key = private_key
        self._timeout = timeout

    def fetch(
        self, path: str, *, method: str | None = None, json: object = None, headers: Mapping[str, str] | None = None
    ) -> AppResponse:
        """Sends a request, with `json` as its body unless it is None. `path` is path and query on the platform:
        `/api/apps/com.example.notes/notes`. Returns every response, also errors, and redirects without following them. Raises OSError
        or `http.client.HTTPException` if there is none.
        """
        url = urlsplit(urljoin(self._http_url, path))
        # Another host could send the signed request to the platform.
        if _origin(url.geturl()) != self._origin:
            raise ValueError(f"{path} must be a path on the platform")
        body = b"" if json is None else json_module.dumps(json).encode()
        verb = (method or ("GET" if json is None else "POST")).upper()
        target = (url.path or "/") + (f"?{url.query}" if url.query else "")
        trace = current_trace().traceparent
        sent = {
            **({} if json is None else {"content-type": "application/json"}),
            **({} if trace is None else {"traceparent": trace}),
            **(headers or {}),
            **sign_request(app_name=self._app_name, private_key=self._private_key, method=verb, url=target, body=body),
        }
        connection = self._connect()
        try:
            connection.request(verb, target, None if json is None else body, sent)
            response = connection.getresponse()
            return AppResponse(response.status, response.msg, response.read())
        finally:
            connection.close()

    def _connect(self) -> http.client.HTTPConnection:
        scheme, host, port = self._origin
        kind = http.client.HTTPSConnection if scheme == "https" else http.client.HTTPConnection
        return kind(host, port, timeout=self._timeout)


def _origin(url: str) -> tuple[str, str, int]:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"expected an address like http://127.0.0.1:8080, got {url!r}")
    return parts.scheme, parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)
