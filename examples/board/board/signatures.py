"""Signatures between the app and the platform (docs/interface/signatures.md)."""

import base64
import hashlib
import hmac
import re
from collections.abc import Sequence
from datetime import datetime, timezone

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA256

_FORWARD_FORM = re.compile(r"t=(\d{1,12});v1=([A-Za-z0-9+/]{43}=)", re.ASCII)
_FORWARD_TOLERANCE_SECONDS = 60


def signed_headers(app_name: str, key: RSAPrivateKey, method: str, url: str, body: bytes = b"") -> dict[str, str]:
    """Returns the headers of a signed request, or the metadata of a signed call. `url` is path and query as sent."""
    timestamp = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    signature = key.sign(f"{method}{url}{timestamp}".encode() + body, PKCS1v15(), SHA256())
    return {
        "x-app-name": app_name,
        "x-request-timestamp": timestamp,
        "x-app-signature": base64.b64encode(signature).decode(),
    }


class NotForwarded(Exception):
    """The request was not sent by the platform, or too long ago. The response to it is 401."""


def verify_forwarded(secret: bytes, method: str, target: str, headers: Sequence[tuple[str, str]], now: float) -> None:
    """Checks that the platform sent a request (docs/interface/proxy.md#forward-signature).

    `headers` has lower-case names and Latin-1 values; `now` is in seconds since the epoch. Raises NotForwarded.
    """
    found = _FORWARD_FORM.fullmatch(_only(headers, "x-appserver-signature"))
    if not found:
        raise NotForwarded("the signature of the platform is missing or malformed")
    seconds, digest = found.groups()
    if abs(now - int(seconds)) > _FORWARD_TOLERANCE_SECONDS:
        raise NotForwarded("the time of the signature differs from the clock by more than a minute")
    message = "\n".join([seconds, method, target, _only(headers, "x-user-id"), _only(headers, "x-app-name")])
    expected = base64.b64encode(hmac.new(secret, message.encode("latin-1"), hashlib.sha256).digest()).decode()
    if not hmac.compare_digest(digest, expected):
        raise NotForwarded("the signature does not match")


def _only(headers: Sequence[tuple[str, str]], name: str) -> str:
    """Returns the value of a header, or an empty text if the request does not have it."""
    values = [value for key, value in headers if key == name]
    if len(values) > 1 or values == [""]:
        raise NotForwarded(f"the header {name} is empty or repeated")
    return values[0] if values else ""
