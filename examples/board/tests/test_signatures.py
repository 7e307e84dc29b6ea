import base64
import hashlib
import hmac
import unittest

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256

from board.signatures import NotForwarded, signed_headers, verify_forwarded

SECRET = bytes(range(32))
NOW = 1_700_000_000


def forwarded(target: str = "/cards?after=1", user: str = "ada", seconds: int = NOW) -> list[tuple[str, str]]:
    message = f"{seconds}\nGET\n{target}\n{user}\n".encode("latin-1")
    digest = base64.b64encode(hmac.new(SECRET, message, hashlib.sha256).digest()).decode()
    return [("x-user-id", user), ("x-appserver-signature", f"t={seconds};v1={digest}")]


class SignaturesTest(unittest.TestCase):
    def test_signs_method_url_time_and_body(self) -> None:
        key = generate_private_key(65_537, 2_048)
        headers = signed_headers("com.example.board", key, "POST", "/path?x=1", b"body")
        message = f"POST/path?x=1{headers['x-request-timestamp']}body".encode()
        key.public_key().verify(base64.b64decode(headers["x-app-signature"]), message, PKCS1v15(), SHA256())
        self.assertEqual(headers["x-app-name"], "com.example.board")

    def test_accepts_what_the_platform_signed(self) -> None:
        for seconds in (NOW - 60, NOW, NOW + 60):
            verify_forwarded(SECRET, "GET", "/cards?after=1", forwarded(seconds=seconds), NOW)

    def test_refuses_everything_else(self) -> None:
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
            ("an empty header", "GET", "/cards?after=1", [("x-app-name", ""), *good]),
            ("too old", "GET", "/cards?after=1", forwarded(seconds=NOW - 61)),
            ("from the future", "GET", "/cards?after=1", forwarded(seconds=NOW + 61)),
        ):
            with self.subTest(what), self.assertRaises(NotForwarded):
                verify_forwarded(SECRET, method, target, headers, NOW)


if __name__ == "__main__":
    unittest.main()
