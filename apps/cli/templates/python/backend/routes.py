"""The API of the app. Paths are relative to `base_path` in app.yaml, where each has its permission."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from appserver_sdk import AppAnswer, AppCall, AppCaller, AppHandler, HttpError

from .tasks import Task, Tasks

MAX_TITLE = 100
MAX_DETAILS = 2_000

_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def task_routes(tasks: Tasks, on_added: Callable[[Task], None]) -> Mapping[str, AppHandler]:
    """`on_added` gets each new task."""

    def show_all(_call: AppCall) -> AppAnswer:
        return AppAnswer({"tasks": [task.to_json() for task in tasks.all()]})

    def add(call: AppCall) -> AppAnswer:
        body = _body(call)
        title, details = body.get("title"), body.get("details", "")
        if not isinstance(title, str) or not title.strip() or len(title) > MAX_TITLE:
            raise HttpError(400, f"title must have 1 to {MAX_TITLE} characters")
        if not isinstance(details, str) or len(details) > MAX_DETAILS:
            raise HttpError(400, f"details must have at most {MAX_DETAILS} characters")
        task = tasks.add(title.strip(), details, _name(call.caller))
        on_added(task)
        return AppAnswer(task.to_json(), 201)

    def show(call: AppCall) -> AppAnswer:
        return _found(tasks.find(_id(call)))

    def change(call: AppCall) -> AppAnswer:
        done = _body(call).get("done")
        if not isinstance(done, bool):
            raise HttpError(400, "done must be true or false")
        return _found(tasks.set_done(_id(call), done))

    def remove(call: AppCall) -> AppAnswer:
        if not tasks.remove(_id(call)):
            raise _not_found()
        return AppAnswer(status=204)

    return {
        "GET /tasks": show_all,
        "POST /tasks": add,
        "GET /tasks/{id}": show,
        "PATCH /tasks/{id}": change,
        "DELETE /tasks/{id}": remove,
    }


def _body(call: AppCall) -> Mapping[str, Any]:
    body = call.json()
    if not isinstance(body, dict):
        raise HttpError(400, "the body must be an object")
    return body


def _id(call: AppCall) -> str:
    # The database refuses other texts.
    if not _ID.fullmatch(call.params["id"]):
        raise _not_found()
    return call.params["id"]


def _found(task: Task | None) -> AppAnswer:
    if task is None:
        raise _not_found()
    return AppAnswer(task.to_json())


def _not_found() -> HttpError:
    return HttpError(404, "there is no such task")


def _name(caller: AppCaller) -> str:
    """The platform has authenticated the caller: no other header says who it is."""
    return caller.user_id or caller.app_name or caller.machine_id or "an anonymous visitor"
