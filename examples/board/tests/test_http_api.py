import contextlib
import http.client
import io
import json
import tempfile
import threading
import unittest
from pathlib import Path
from typing import cast

import grpc
from appserver_sdk import People, Person, serve_app

from board.cards import Cards
from board.http_api import board_routes


class Refused(grpc.RpcError):
    def code(self) -> grpc.StatusCode:
        return grpc.StatusCode.PERMISSION_DENIED


class HttpApiTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.cards = Cards(Path(folder.name), limit=1)
        self.app = serve_app(host="127.0.0.1", port=0, routes=board_routes(self.cards), health=self.cards.check)
        self.addCleanup(self.app.stop)

    def send(self, method: str, path: str, body: object = None, headers: dict[str, str] | None = None) -> tuple[int, object]:
        connection = http.client.HTTPConnection("127.0.0.1", self.app.port, timeout=30)
        try:
            data = body if isinstance(body, (bytes, type(None))) else json.dumps(body)
            connection.request(method, path, data, headers or {})
            response = connection.getresponse()
            text = response.read()
            return response.status, json.loads(text) if text else None
        finally:
            connection.close()

    def test_cards_are_added_changed_and_removed(self) -> None:
        status, card = self.send("POST", "/cards", {"text": " Call Ada "}, {"x-user-id": "ada"})
        assert isinstance(card, dict)
        self.assertEqual((status, card["text"], card["column"], card["createdBy"]), (201, "Call Ada", "todo", "user:ada"))
        path = f"/cards/{card['id']}"
        self.assertEqual(self.send("PUT", path, {"column": "doing"})[0], 200)
        other = self.send("POST", "/cards", {"text": "b"})[1]
        assert isinstance(other, dict)
        status, refused = self.send("PUT", f"/cards/{other['id']}", {"column": "doing"})
        self.assertEqual((status, refused), (409, {"error": "at most 1 cards may be in progress"}))
        self.assertEqual(self.send("DELETE", path), (204, None))
        self.assertEqual(self.send("DELETE", path)[0], 404)

    def test_cards_have_the_names_of_people(self) -> None:
        class Names:
            fails = False

            def get_each(self, ids: set[str]) -> dict[str, Person]:
                if self.fails:
                    raise Refused()
                return {each: Person(each, f"Name of {each}", None, True) for each in ids}

        names = Names()
        named = serve_app(host="127.0.0.1", port=0, routes=board_routes(self.cards, cast(People, names)))
        self.addCleanup(named.stop)
        self.cards.add("a", "user:ada")
        self.cards.add("b", "app:com.example.clock")
        self.app = named

        def shown() -> list[object]:
            board = self.send("GET", "/cards")[1]
            assert isinstance(board, dict)
            return [card["createdByName"] for card in board["cards"]]

        self.assertEqual(shown(), ["Name of ada", None])
        names.fails = True
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            self.assertEqual(shown(), [None, None])
        self.assertEqual(printed.getvalue(), "the names of people could not be read: PERMISSION_DENIED\n")

    def test_waits_for_another_revision(self) -> None:
        board = self.send("GET", "/cards")[1]
        assert isinstance(board, dict)
        answers: list[tuple[int, object]] = []
        waiting = threading.Thread(target=lambda: answers.append(self.send("GET", f"/cards?after={board['revision']}")))
        waiting.start()
        self.send("POST", "/cards", {"text": "a"})
        waiting.join()
        ((status, later),) = answers
        assert isinstance(later, dict)
        self.assertEqual((status, [card["text"] for card in later["cards"]]), (200, ["a"]))

    def test_says_what_is_wrong(self) -> None:
        for method, path, body, status in (
            ("POST", "/cards", b"{", 400),
            ("POST", "/cards", b"[" * 10_000, 400),
            ("POST", "/cards", b"\xff", 400),
            ("POST", "/cards", [], 400),
            ("POST", "/cards", {}, 400),
            ("POST", "/cards", {"text": " "}, 400),
            ("POST", "/cards", {"text": 1}, 400),
            ("POST", "/cards", {"text": "x" * 501}, 400),
            ("PUT", "/cards/00000000-0000-4000-8000-000000000000", {"column": "later"}, 400),
            ("PUT", "/cards/00000000-0000-4000-8000-000000000000", {"column": "done"}, 404),
            ("GET", "/cards?after=x", None, 400),
            ("PUT", "/cards", {}, 405),
        ):
            with self.subTest(method=method, path=path, body=body):
                found, answer = self.send(method, path, body)
                self.assertEqual(found, status)
                assert isinstance(answer, dict)
                self.assertTrue(answer["error"])

    def test_is_not_healthy_without_its_database(self) -> None:
        self.cards.close()
        self.assertEqual(self.send("GET", "/health")[0], 503)
        self.assertEqual(self.send("GET", "/cards")[0], 503)


if __name__ == "__main__":
    unittest.main()
