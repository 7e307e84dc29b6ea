import base64
import hashlib
import hmac
import json
import unittest
from datetime import datetime, timezone

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256

from appserver_sdk import (
    ForwardSignatureError,
    PushSignatureError,
    forward_key,
    sign_request,
    verify_forwarded,
    verify_push,
)

KEY = bytes(range(32))
PUSH_SECRET = "whsec_" + base64.b64encode(KEY).decode()
NOW = 1_700_000_000


def forwarded(target: str = "/cards?after=1", user: str = "ada", seconds: int = NOW) -> list[tuple[str, str]]:
    message = f"{seconds}\nGET\n{target}\n{user}\n".encode("latin-1")
    digest = base64.b64encode(hmac.new(KEY, message, hashlib.sha256).digest()).decode()
    return [("X-User-ID", user), ("x-appserver-signature", f"t={seconds};v1={digest}")]


def named() -> list[tuple[str, str]]:
    digest = hmac.new(KEY, f"{NOW}\nGET\n/cards\nada\n\n\nAda%20L\nada%40x.org".encode(), hashlib.sha256).digest()
    person = [("x-user-id", "ada"), ("X-User-Name", "Ada%20L"), ("x-user-email", "ada%40x.org")]
    return [*person, ("x-appserver-signature", f"t={NOW};v1={base64.b64encode(digest).decode()}")]


def pushed(body: bytes, seconds: int = NOW, key: bytes = KEY) -> dict[str, str]:
    digest = base64.b64encode(hmac.new(key, f"e1.{seconds}.".encode() + body, hashlib.sha256).digest()).decode()
    return {"Webhook-Id": "e1", "webhook-timestamp": str(seconds), "webhook-signature": f"v1,other v1,{digest}"}


class SignaturesTest(unittest.TestCase):
    def test_a_request_is_signed_with_method_url_time_and_body(self) -> None:
        key = generate_private_key(65_537, 2_048)
        at = datetime.fromtimestamp(NOW, timezone.utc)
        headers = sign_request(app_name="com.example.board", private_key=key, method="post", url="/p?x=1", body=b"b", at=at)
        self.assertEqual(headers["x-request-timestamp"], "2023-11-14T22:13:20.000Z")
        message = b"POST/p?x=12023-11-14T22:13:20.000Zb"
        key.public_key().verify(base64.b64decode(headers["x-app-signature"]), message, PKCS1v15(), SHA256())
        self.assertEqual(headers["x-app-name"], "com.example.board")

    def test_what_the_platform_forwards_is_accepted(self) -> None:
        for seconds in (NOW - 60, NOW, NOW + 60):
            verify_forwarded(KEY, "GET", "/cards?after=1", forwarded(seconds=seconds), NOW)
        verify_forwarded(KEY, "GET", "/cards?after=1", forwarded(user="\xe9"), NOW)
        digest = hmac.new(KEY, f"{NOW}\nGET\n/cards\n\n\nm-1".encode(), hashlib.sha256).digest()
        machine = [("x-machine-id", "m-1"), ("x-appserver-signature", f"t={NOW};v1={base64.b64encode(digest).decode()}")]
        verify_forwarded(KEY, "GET", "/cards", machine, NOW)
        verify_forwarded(KEY, "GET", "/cards", named(), NOW)

    def test_every_other_request_is_refused(self) -> None:
        good = forwarded()
        signature = good[1]
        for what, method, target, headers in (
            ("no signature", "GET", "/cards?after=1", good[:1]),
            ("malformed", "GET", "/cards?after=1", [("x-appserver-signature", "v1=x")]),
            ("another method", "PUT", "/cards?after=1", good),
            ("another target", "GET", "/cards?after=2", good),
            ("another user", "GET", "/cards?after=1", [("x-user-id", "eve"), signature]),
            ("no user", "GET", "/cards?after=1", [signature]),
            ("two users", "GET", "/cards?after=1", [("x-user-id", "eve"), *good]),
            ("an app as well", "GET", "/cards?after=1", [("x-app-name", "evil"), *good]),
            ("a service account as well", "GET", "/cards?after=1", [("x-machine-id", "m-1"), *good]),
            ("a name as well", "GET", "/cards?after=1", [("x-user-name", "Eve"), *good]),
            ("another name", "GET", "/cards", [("x-user-name", "Eve"), named()[0], *named()[2:]]),
            ("no address", "GET", "/cards", [*named()[:2], named()[3]]),
            ("an empty header", "GET", "/cards?after=1", [("x-app-name", ""), *good]),
            ("too old", "GET", "/cards?after=1", forwarded(seconds=NOW - 61)),
            ("from the future", "GET", "/cards?after=1", forwarded(seconds=NOW + 61)),
        ):
            with self.subTest(what), self.assertRaises(ForwardSignatureError):
                verify_forwarded(KEY, method, target, headers, NOW)

    def test_a_secret_is_that_of_a_deployment_or_of_pushed_hooks(self) -> None:
        self.assertEqual(forward_key(base64.b64encode(KEY).decode() + "\n"), KEY)
        self.assertEqual(forward_key(PUSH_SECRET), KEY)
        for secret in ("", "x", base64.b64encode(KEY[:31]).decode(), "whsec_", "whsec_AAAA", "whsec_é"):
            with self.subTest(secret), self.assertRaises(ValueError):
                forward_key(secret)

    def test_a_pushed_hook_is_checked_and_parsed(self) -> None:
        posted = {"type": "a.made", "timestamp": "2026-01-31T12:00:00.000Z", "data": {"n": 1}, "id": "e1", "attempt": 2}
        body = json.dumps(posted | {"sourceApp": "a", "orderingKey": None}).encode()
        hook = verify_push(PUSH_SECRET, pushed(body).items(), body, NOW + 300)
        self.assertEqual((hook.id, hook.name, hook.source_app, hook.data), ("e1", "a.made", "a", {"n": 1}))
        self.assertEqual((hook.attempt, hook.ordering_key, hook.triggered_at.year), (2, None, 2026))
        for what, headers in (
            ("no id", {name: value for name, value in pushed(body).items() if name != "Webhook-Id"}),
            ("too old", pushed(body, NOW - 1)),
            ("no time", pushed(body) | {"webhook-timestamp": "now"}),
            ("another key", pushed(body, key=bytes(32))),
            ("another id", pushed(body) | {"Webhook-Id": "e2"}),
        ):
            with self.subTest(what), self.assertRaises(PushSignatureError):
                verify_push(PUSH_SECRET, headers.items(), body, NOW + 300)
