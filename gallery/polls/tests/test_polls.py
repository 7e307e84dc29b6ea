import json
import os
import unittest
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from appserver_sdk import database, serve_app

from backend.polls import Polls
from backend.routes import MANAGE, poll_routes

LUNCH = {"question": "Where do we eat?", "choices": ["Thai", "Pizza", "Salad"]}


def check_permissions(*, user_id: str, app_name: str, permissions: list[str]) -> SimpleNamespace:
    return SimpleNamespace(held=permissions if (user_id, permissions) == ("eve", [MANAGE]) else [])


class PollsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.pool = database(env={"DATABASE_URL": os.environ["DATABASE_URL"]}, migrations="migrations")
        cls.addClassCleanup(cls.pool.close)
        platform = SimpleNamespace(access=SimpleNamespace(CheckPermissions=check_permissions))
        cls.app = serve_app(host="127.0.0.1", port=0, routes=poll_routes(Polls(cls.pool)), platform=platform)
        cls.addClassCleanup(cls.app.stop)

    def send(self, user: str, method: str, path: str, body: object = None) -> tuple[int, Any]:
        data = None if body is None else json.dumps(body).encode()
        # The platform sets the header, and removes it from requests of others.
        request = Request(f"http://127.0.0.1:{self.app.port}{path}", data, {"x-user-id": user}, method=method)
        try:
            with urlopen(request) as response:
                return response.status, json.load(response)
        except HTTPError as error:
            with error:
                return error.code, json.load(error)["error"]

    def asked(self) -> str:
        status, poll = self.send("ada", "POST", "/polls", LUNCH)
        self.assertEqual(status, 201)
        return f"/polls/{poll['id']}"

    def test_a_poll_shows_its_votes_to_people_who_have_voted(self) -> None:
        path = self.asked()
        hidden = [{"text": "Thai"}, {"text": "Pizza"}, {"text": "Salad"}]
        self.assertEqual(self.send("bob", "GET", path)[1]["choices"], hidden)
        self.send("ada", "POST", f"{path}/vote", {"choice": 1})
        status, poll = self.send("bob", "POST", f"{path}/vote", {"choice": 1})
        self.assertEqual((status, poll["votes"], poll["ownChoice"]), (200, 2, 1))
        self.assertEqual(poll["choices"], [{"text": "Thai", "votes": 0}, {"text": "Pizza", "votes": 2}, {"text": "Salad", "votes": 0}])
        self.assertEqual(self.send("cleo", "GET", path)[1]["choices"], hidden)
        self.assertIn(path.rpartition("/")[2], [str(each["id"]) for each in self.send("cleo", "GET", "/polls")[1]["polls"]])

    def test_a_person_votes_once_also_with_requests_at_once(self) -> None:
        path = self.asked()
        with ThreadPoolExecutor() as threads:
            both = list(threads.map(lambda choice: self.send("bob", "POST", f"{path}/vote", {"choice": choice}), [0, 1]))
        self.assertEqual(sorted(status for status, _ in both), [200, 409])
        self.assertIn((409, "you have voted already"), both)
        self.assertEqual(self.send("bob", "GET", path)[1]["votes"], 1)

    def test_the_person_who_asked_closes_the_poll_and_then_all_see_the_votes(self) -> None:
        path = self.asked()
        refused = (403, "only the person who asked may close the poll")
        self.assertEqual(self.send("bob", "POST", f"{path}/close"), refused)
        self.assertEqual(self.send("ada", "GET", path)[1]["mayClose"], True)
        self.assertEqual(self.send("eve", "GET", path)[1]["mayClose"], True)
        status, poll = self.send("ada", "POST", f"{path}/close")
        self.assertEqual((status, poll["closed"], poll["mayClose"]), (200, True, False))
        self.assertEqual(self.send("bob", "POST", f"{path}/vote", {"choice": 0}), (409, "the poll is closed"))
        self.assertEqual(self.send("bob", "GET", path)[1]["choices"][0], {"text": "Thai", "votes": 0})

    def test_wrong_polls_and_votes_are_refused_with_what_was_expected(self) -> None:
        for changed, error in (
            ({"question": " "}, "question must have 1 to 200 characters"),
            ({"choices": ["Thai"]}, "choices must have 2 to 8 texts"),
            ({"choices": ["Thai", ""]}, "choices[1] must have 1 to 100 characters"),
            ({"choices": ["Thai", " Thai"]}, "choices must differ from each other"),
        ):
            self.assertEqual(self.send("ada", "POST", "/polls", LUNCH | changed), (400, error))
        path = self.asked()
        for choice in (3, -1, True, "1"):
            expected = (400, "choice must be a number of 0 to 2")
            self.assertEqual(self.send("bob", "POST", f"{path}/vote", {"choice": choice}), expected)
        self.assertEqual(self.send("bob", "GET", "/polls/0")[0], 404)
        self.assertEqual(self.send("bob", "GET", "/polls/999999999")[0], 404)
