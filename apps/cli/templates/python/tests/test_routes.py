import json
import unittest
import uuid
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from appserver_sdk import serve_app

from backend.routes import task_routes
from backend.tasks import Task


class MemoryTasks:
    """Tasks in memory, so that the test needs no database."""

    def __init__(self) -> None:
        self._tasks: dict[str, Task] = {}

    def all(self) -> list[Task]:
        return list(reversed(self._tasks.values()))

    def find(self, task_id: str) -> Task | None:
        return self._tasks.get(task_id)

    def add(self, title: str, details: str, created_by: str) -> Task:
        task = Task(str(uuid.uuid4()), title, details, created_by, datetime.now(UTC))
        self._tasks[task.id] = task
        return task

    def set_done(self, task_id: str, done: bool) -> Task | None:
        task = self._tasks.get(task_id)
        if task is not None:
            task = self._tasks[task_id] = replace(task, done_at=datetime.now(UTC) if done else None)
        return task

    def remove(self, task_id: str) -> bool:
        return self._tasks.pop(task_id, None) is not None


class RoutesTest(unittest.TestCase):
    def setUp(self) -> None:
        self.added: list[Task] = []
        self.app = serve_app(host="127.0.0.1", port=0, routes=task_routes(MemoryTasks(), self.added.append))
        self.addCleanup(self.app.stop)

    def send(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        data = None if body is None else json.dumps(body).encode()
        # The platform sets the header, and removes it from requests of others.
        headers = {"x-user-id": "ada"}
        request = Request(f"http://127.0.0.1:{self.app.port}{path}", data, headers, method=method)
        try:
            with urlopen(request) as response:
                text = response.read()
                return response.status, json.loads(text) if text else None
        except HTTPError as error:
            with error:
                return error.code, json.load(error)

    def test_a_task_is_added_listed_done_and_removed(self) -> None:
        status, task = self.send("POST", "/tasks", {"title": " Call Bob ", "details": "About the offer"})
        self.assertEqual((status, task["title"], task["createdBy"]), (201, "Call Bob", "ada"))
        self.assertEqual([each.to_json() for each in self.added], [task])
        self.assertEqual(self.send("GET", "/tasks"), (200, {"tasks": [task]}))
        self.assertIn("doneAt", self.send("PATCH", f"/tasks/{task['id']}", {"done": True})[1])
        self.assertEqual(self.send("DELETE", f"/tasks/{task['id']}")[0], 204)
        self.assertEqual(self.send("GET", f"/tasks/{task['id']}")[0], 404)

    def test_a_wrong_body_is_refused_with_what_was_expected(self) -> None:
        for title in ("", " ", "a" * 101, 1):
            refused = (400, {"error": "title must have 1 to 100 characters"})
            self.assertEqual(self.send("POST", "/tasks", {"title": title}), refused)
        self.assertEqual(self.send("POST", "/tasks", [])[0], 400)
        self.assertEqual(self.send("GET", "/tasks/1")[0], 404)
