"""The check that the platform sent a request (docs/interface/proxy.md#forward-signature)."""

import base64
import binascii
import hashlib
import hmac
import re
import time
from collections.abc import Iterable

_HEADER = "x-appserver-signature"
_FORM = re.compile(r"t=(\d{1,12});v1=([A-Za-z0-9+/]{43}=)", re.ASCII)
_TOLERANCE_SECONDS = 60
_SECRET_BYTES = 32
_PUSH_PREFIX = "whsec_"


class ForwardSignatureError(Exception):
    """The request was not sent by the platform, or too long ago. The response to it is 401."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the request is not signed by the platform: {reason}")


def forward_key(secret: str) -> bytes:
    """Returns the key of a secret that an app shares with the platform: the base64 of the file `forward-secret`, or a push secret
    (`whsec_…`). Raises ValueError for other texts.
    """
    if secret.startswith(_PUSH_PREFIX):
        return push_key(secret)
    key = _decoded(secret.strip())
    if len(key) != _SECRET_BYTES:
        raise ValueError(f"a forward secret is base64 of {_SECRET_BYTES} bytes")
    return key


def push_key(secret: str) -> bytes:
    """Returns the key of a push secret. Raises ValueError if it is invalid."""
    key = _decoded(secret.removeprefix(_PUSH_PREFIX)) if secret.startswith(_PUSH_PREFIX) else b""
    if len(key) < 16:
        raise ValueError(f'a push secret is "{_PUSH_PREFIX}" and base64 of 16 bytes or more')
    return key


def verify_forwarded(
    key: bytes, method: str, target: str, headers: Iterable[tuple[str, str]], now: float | None = None
) -> None:
    """Checks that the platform sent the request at most 60 s ago, with this method and target, and with these headers of the
    caller.

    `key` is that of `forward_key`. `target` is path and query as received, `headers` are all of the request, with Latin-1 values,
    `now` is in seconds since the epoch. Raises ForwardSignatureError.
    """
    given = [(name.lower(), value) for name, value in headers]
    form = _FORM.fullmatch(_only(given, _HEADER))
    if not form:
        raise ForwardSignatureError(f"the header {_HEADER} is missing, or not of the form t=<seconds>;v1=<base64>")
    seconds, digest = form.groups()
    if abs((time.time() if now is None else now) - int(seconds)) > _TOLERANCE_SECONDS:
        raise ForwardSignatureError(f"its time differs from the clock by more than {_TOLERANCE_SECONDS} s")
    texts = [seconds, method, target, _only(given, "x-user-id"), _only(given, "x-app-name")]
    machine = _only(given, "x-machine-id")
    person = [_only(given, "x-user-name"), _only(given, "x-user-email")]
    if any(person):
        texts += [machine, *person]
    elif machine:
        texts.append(machine)
    message = "\n".join(texts)
    expected = base64.b64encode(hmac.new(key, message.encode("latin-1", "replace"), hashlib.sha256).digest()).decode()
    if not hmac.compare_digest(digest, expected):
        raise ForwardSignatureError("the signature does not match")


def _only(headers: list[tuple[str, str]], name: str) -> str:
    """Returns the value of a header, or an empty text if the request does not have it. An empty header would have the same signature
    as no header, and apps may treat them differently.
    """
    values = [value for key, value in headers if key == name]
    if len(values) > 1 or values == [""]:
        raise ForwardSignatureError(f"the header {name} is empty or repeated")
    return values[0] if values else ""


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""
