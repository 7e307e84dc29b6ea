import base64
import contextlib
import hashlib
import hmac
import http.client
import io
import json
import socket
import threading
import time
import unittest
from collections.abc import Mapping
from typing import Any

from appserver_sdk import AppAnswer, AppCall, AppHandler, HttpError, current_trace, serve_app

Answer = tuple[int, Any]


def fail(_call: AppCall) -> AppAnswer:
    raise RuntimeError("a secret")


def refuse(_call: AppCall) -> AppAnswer:
    raise HttpError(418, "a teapot")


class ServeAppTest(unittest.TestCase):
    def serve(self, routes: Mapping[str, AppHandler], **options: Any) -> None:
        self.app = serve_app(host="127.0.0.1", port=0, routes=routes, **options)
        self.addCleanup(self.app.stop)

    def send(self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.app.port, timeout=30)
        try:
            connection.request(method, path, body, dict(headers or {}))
            self.response = connection.getresponse()
            text = self.response.read()
            return self.response.status, json.loads(text) if text else None
        finally:
            connection.close()

    def test_a_route_gets_its_parameters_and_the_caller(self) -> None:
        calls: list[tuple[AppCall, str | None]] = []

        def keep(call: AppCall) -> AppAnswer:
            calls.append((call, current_trace().request_id))
            return AppAnswer(call.json(), 201, {"X-Made": "1"})

        self.serve({"POST /notes/{id}/{rest...}": keep})
        headers = {"x-user-id": "ada", "x-request-id": "r1"}
        self.assertEqual(self.send("POST", "/notes/a%2Fb/c/d?x=1&x=&y=2", b'{"n": 1}', headers), (201, {"n": 1}))
        self.assertEqual(self.response.getheader("x-made"), "1")
        call, request_id = calls[0]
        self.assertEqual((call.params, call.query), ({"id": "a/b", "rest": "c/d"}, {"x": ["1", ""], "y": ["2"]}))
        self.assertEqual((call.path, call.method, request_id), ("/notes/a%2Fb/c/d", "POST", "r1"))
        self.assertEqual((call.caller.user_id, call.caller.app_name), ("ada", None))
        self.assertEqual((call.caller.display_name, call.caller.email), (None, None))
        self.send("POST", "/notes/a/b", b"1", headers | {"x-user-name": "Ada%20%C5%81", "x-user-email": "ada%40x.org"})
        named = calls[1][0].caller
        self.assertEqual((named.display_name, named.email), ("Ada Ł", "ada@x.org"))
        self.assertEqual(self.send("POST", "/notes/a/b", b"1", headers | {"x-user-name": "%C5"})[0], 400)

    def test_errors_have_a_status_and_no_secret(self) -> None:
        routes = {"GET /fail": fail, "GET /refuse": refuse, "POST /json": lambda call: AppAnswer(call.json())}
        self.serve(routes | {"GET /object": lambda _: AppAnswer(object()), "GET /{name}": fail}, max_body_bytes=100)
        with contextlib.redirect_stderr(io.StringIO()) as printed:
            for path in ("/fail", "/object"):
                self.assertEqual(self.send("GET", path), (500, {"error": "an unexpected error"}))
        self.assertIn("RuntimeError: a secret", printed.getvalue())
        self.assertIn("TypeError", printed.getvalue())
        for method, path, body, status in (
            ("GET", "/refuse", None, 418),
            ("DELETE", "/refuse", None, 405),
            ("GET", "/no/where", None, 404),
            ("POST", "/json", b"{", 400),
            ("POST", "/json", b"[" * 99, 400),
            ("POST", "/json", b"\xff", 400),
            ("POST", "/json", b"x" * 101, 413),
            ("GET", "/a/../refuse", None, 400),
            ("GET", "/%2e%2E/refuse", None, 400),
            ("GET", "/%zz", None, 400),
            ("GET", "/%ff", None, 400),
        ):
            with self.subTest(method=method, path=path, body=body):
                found, answer = self.send(method, path, body)
                self.assertEqual(found, status)
                self.assertTrue(answer["error"])
        self.send("DELETE", "/json")
        self.assertEqual(self.response.getheader("allow"), "POST, GET")
        self.assertEqual(self.send("POST", "/json", b"", {"transfer-encoding": "chunked"})[0], 411)

    def test_a_response_can_be_empty_and_get_includes_head(self) -> None:
        self.serve({"GET /x": lambda _: AppAnswer([1]), "DELETE /x": lambda _: AppAnswer(status=204)})
        self.assertEqual(self.send("HEAD", "/x"), (200, None))
        self.assertEqual(self.response.getheader("content-length"), "3")
        self.assertEqual(self.send("DELETE", "/x"), (204, None))

    def test_a_connection_serves_several_requests(self) -> None:
        self.serve({"POST /x": lambda call: AppAnswer(call.json())})
        connection = http.client.HTTPConnection("127.0.0.1", self.app.port, timeout=30)
        self.addCleanup(connection.close)
        for number in range(3):
            connection.request("POST", "/x", str(number))
            self.assertEqual(json.load(connection.getresponse()), number)

    def test_only_the_platform_may_call_if_there_is_a_secret(self) -> None:
        key = bytes(range(32))
        self.serve({"GET /{name}": lambda call: AppAnswer(call.params)}, forward_secret=base64.b64encode(key).decode())

        def signed(target: str) -> dict[str, str]:
            seconds = int(time.time())
            digest = hmac.new(key, f"{seconds}\nGET\n{target}\nada\n".encode(), hashlib.sha256).digest()
            return {"x-user-id": "ada", "x-appserver-signature": f"t={seconds};v1={base64.b64encode(digest).decode()}"}

        self.assertEqual(self.send("GET", "/a")[0], 401)
        self.assertEqual(self.send("GET", "/a", headers=signed("/b"))[0], 401)
        self.assertEqual(self.send("GET", "/a", headers=signed("/a")), (200, {"name": "a"}))
        # The standard library would check another path than the platform has signed.
        self.assertEqual(self.send("GET", "//a", headers=signed("//a"))[0], 404)
        self.assertEqual(self.send("GET", "/health"), (200, {"status": "ok"}))
        self.assertEqual(self.send("HEAD", "/health")[0], 401)

    def test_the_health_check_says_why_the_app_is_unhealthy(self) -> None:
        def health() -> None:
            raise OSError("no disk")

        self.serve({}, health=health)
        self.assertEqual(self.send("GET", "/health"), (503, {"status": "unhealthy", "error": "no disk"}))

    def test_a_stop_waits_for_active_requests_only(self) -> None:
        entered, leave = threading.Event(), threading.Event()

        def wait(_call: AppCall) -> AppAnswer:
            entered.set()
            leave.wait(30)
            return AppAnswer("done")

        self.serve({"GET /wait": wait})
        idle = socket.create_connection(("127.0.0.1", self.app.port))
        self.addCleanup(idle.close)
        answers: list[Answer] = []
        asking = threading.Thread(target=lambda: answers.append(self.send("GET", "/wait")))
        asking.start()
        entered.wait(30)
        stopping = threading.Thread(target=self.app.stop, args=(60,))
        stopping.start()
        # The idle connection ends before the active one.
        self.assertEqual(idle.recv(1), b"")
        self.assertTrue(stopping.is_alive())
        leave.set()
        stopping.join()
        asking.join()
        self.assertEqual(answers, [(200, "done")])
        self.assertEqual(self.response.getheader("connection"), "close")
        with self.assertRaises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", self.app.port))

    def test_requests_are_printed_with_their_route_if_wanted(self) -> None:
        with contextlib.redirect_stdout(io.StringIO()) as output:
            self.serve({"GET /notes/{id}": lambda _: AppAnswer(1)}, log_requests=True)
            for path in ("/health", "/notes/secret"):
                self.send("GET", path, headers={"x-request-id": "r1"})
            self.app.stop()
        (line,) = map(json.loads, output.getvalue().splitlines())
        self.assertEqual((line["route"], line["status"], line["requestId"]), ("GET /notes/{id}", 200, "r1"))

    def test_wrong_routes_and_used_ports_are_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "'GET' is not a route"):
            self.serve({"GET": fail})
        self.serve({})
        with self.assertRaisesRegex(OSError, rf"port {self.app.port} on 127.0.0.1 is in use; set PORT to another"):
            serve_app(host="127.0.0.1", port=self.app.port, routes={})
