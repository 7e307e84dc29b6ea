import json
import unittest
from urllib.error import HTTPError
from urllib.request import urlopen

from appserver_sdk import serve_app

from backend.routes import routes


class RoutesTest(unittest.TestCase):
    def setUp(self) -> None:
        self.app = serve_app(host="127.0.0.1", port=0, routes=routes)
        self.addCleanup(self.app.stop)

    def get(self, path: str) -> object:
        with urlopen(f"http://127.0.0.1:{self.app.port}{path}") as response:
            return json.load(response)

    def test_greets_a_person_by_name(self) -> None:
        self.assertEqual(self.get("/hello/ada"), {"hello": "ada", "from": "an anonymous visitor"})

    def test_says_that_a_person_is_unknown(self) -> None:
        with self.assertRaises(HTTPError) as raised:
            self.get("/hello/unknown")
        self.assertEqual(raised.exception.code, 404)
        raised.exception.close()
