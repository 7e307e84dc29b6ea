import base64
import unittest

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256

from appserver_sdk import AppAnswer, AppCall, AppClient, run_in_trace, serve_app

KEY = generate_private_key(65_537, 2_048)
TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


class AppClientTest(unittest.TestCase):
    def setUp(self) -> None:
        self.calls: list[AppCall] = []
        routes = {f"{method} /{{rest...}}": self.take for method in ("GET", "POST", "PUT")}
        app = serve_app(host="127.0.0.1", port=0, routes=routes)
        self.addCleanup(app.stop)
        self.client = AppClient(http_url=f"http://127.0.0.1:{app.port}", app_name="com.example.clock", private_key=KEY)

    def take(self, call: AppCall) -> AppAnswer:
        self.calls.append(call)
        return AppAnswer({"n": 1}, 307, {"location": "/elsewhere"}) if call.path == "/moved" else AppAnswer({"n": 1})

    def signed(self, method: str, target: str, body: bytes) -> AppCall:
        """Returns the last call. Fails if it is not signed so."""
        call = self.calls.pop()
        message = f"{method}{target}{call.headers['x-request-timestamp']}".encode() + body
        KEY.public_key().verify(base64.b64decode(call.headers["x-app-signature"]), message, PKCS1v15(), SHA256())
        self.assertEqual((call.headers["x-app-name"], call.body), ("com.example.clock", body))
        return call

    def test_signs_what_it_sends(self) -> None:
        self.assertEqual(self.client.fetch("/api/apps/a/b?c=%C3%A9&d").json(), {"n": 1})
        self.signed("GET", "/api/apps/a/b?c=%C3%A9&d", b"")
        self.client.fetch("/api", json={"a": "é"}, headers={"x-more": "1"})
        call = self.signed("POST", "/api", b'{"a": "\\u00e9"}')
        self.assertEqual((call.headers["content-type"], call.headers["x-more"]), ("application/json", "1"))
        self.client.fetch("/api", method="put", json=[])
        self.signed("PUT", "/api", b"[]")

    def test_continues_the_trace(self) -> None:
        with run_in_trace(TRACE):
            self.client.fetch("/a")
        self.assertEqual(self.calls.pop().headers["traceparent"], TRACE)
        self.client.fetch("/a")
        self.assertIsNone(self.calls.pop().headers["traceparent"])

    def test_does_not_follow_redirects(self) -> None:
        response = self.client.fetch("/moved")
        self.assertEqual((response.status, response.headers["location"]), (307, "/elsewhere"))
        self.assertEqual(len(self.calls), 1)

    def test_sends_nothing_to_another_host(self) -> None:
        for path in ("http://127.0.0.1:1/", "//example.com/a", "https://127.0.0.1/"):
            with self.subTest(path), self.assertRaisesRegex(ValueError, "must be a path on the platform"):
                self.client.fetch(path)
        self.assertEqual(self.calls, [])
