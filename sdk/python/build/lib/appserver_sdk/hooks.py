"""Hooks: at-least-once messages between apps (docs/interface/hooks.md)."""

import hashlib
import hmac
import json
import re
import time
from base64 import b64encode
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from .json_values import from_value, to_value
from .platform_client import PlatformClient
from .verify_forwarded import push_key

_TOLERANCE_SECONDS = 300
_SECONDS = re.compile(r"\d{1,12}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Hook:
    """A hook as delivered to an app. It may be delivered more than once, always with the same `id`."""

    id: str
    name: str
    # None for hooks of the platform.
    source_app: str | None
    data: Any
    triggered_at: datetime
    # 1 for the first attempt.
    attempt: int
    ordering_key: str | None
    # W3C Trace Context of the trigger.
    traceparent: str | None


# Handles a hook. If it raises, the hook is delivered again, up to three times. DropHook prevents that.
HookHandler = Callable[[Hook], None]


class DropHook(Exception):
    """Raised by a handler to prevent further deliveries of the hook."""


class PushSignatureError(Exception):
    """A posted hook does not come from the platform, or its timestamp is too old or too new. The response to it is 401."""


@dataclass(frozen=True, slots=True)
class Triggered:
    event_id: str
    subscribers: int


def trigger_hook(
    client: PlatformClient, name: str, data: object = None, *, ordering_key: str | None = None, traceparent: str | None = None
) -> Triggered:
    """Triggers a hook of the app. `name` starts with the app's name. Returns when the platform has stored the hook for every
    subscriber. `data` is any JSON value up to 256 KiB. Hooks with the same `ordering_key` are delivered in order. `traceparent` is the
    trace of the trigger, where it is not the current one.
    """
    response = client.hooks.TriggerHook(traceparent=traceparent, name=name, data=to_value(data), ordering_key=ordering_key)
    return Triggered(response.event_id, response.subscribers)


def hook_of(event: Any) -> Hook:
    """Converts the message HookEvent of contracts/proto."""
    return Hook(
        id=event.id,
        name=event.hook_name,
        source_app=event.source_app or None,
        data=from_value(event.data),
        triggered_at=event.triggered_at.ToDatetime(timezone.utc),
        attempt=event.attempt,
        ordering_key=event.ordering_key if event.HasField("ordering_key") else None,
        traceparent=event.traceparent or None,
    )


def verify_push(secret: str, headers: Iterable[tuple[str, str]], body: bytes, now: float | None = None) -> Hook:
    """Checks the signature of a posted hook (Standard Webhooks) and parses it. `secret` is the app's own, from the call GetPushSecret.
    `body` are the received bytes, unchanged, `now` is in seconds since the epoch. Raises PushSignatureError.
    """
    given = {name.lower(): value for name, value in headers}
    id, timestamp, signatures = (_header(given, f"webhook-{name}") for name in ("id", "timestamp", "signature"))
    if not _SECONDS.fullmatch(timestamp):
        raise PushSignatureError("the timestamp is not a number of seconds")
    if abs((time.time() if now is None else now) - int(timestamp)) > _TOLERANCE_SECONDS:
        raise PushSignatureError(f"the timestamp differs from the clock by more than {_TOLERANCE_SECONDS} s")
    digest = hmac.new(push_key(secret), f"{id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    expected = b"v1," + b64encode(digest)
    if not any(hmac.compare_digest(each.encode("utf-8", "replace"), expected) for each in signatures.split(" ")):
        raise PushSignatureError("the signature does not match")
    # The signature proves that the platform wrote it.
    posted = json.loads(body)
    return Hook(
        id=id,
        name=posted["type"],
        source_app=posted["sourceApp"],
        data=posted["data"],
        triggered_at=datetime.fromisoformat(posted["timestamp"]),
        attempt=posted["attempt"],
        ordering_key=posted["orderingKey"],
        traceparent=given.get("traceparent"),
    )


def _header(given: dict[str, str], name: str) -> str:
    value = given.get(name)
    if not value:
        raise PushSignatureError(f"the header {name} is missing")
    return value
