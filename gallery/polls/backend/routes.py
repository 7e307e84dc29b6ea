"""The API of the app. Paths are relative to `base_path` in app.yaml, where each has its permission."""

import re
from collections.abc import Mapping
from typing import Any

from appserver_sdk import AppAnswer, AppCall, AppHandler, HttpError

from .polls import Polls, VotedError

MAX_QUESTION = 200
MAX_CHOICE = 100
CHOICES = range(2, 9)
# May close the polls of others.
MANAGE = "com.example.polls:manage"


def poll_routes(polls: Polls) -> Mapping[str, AppHandler]:
    def show_all(call: AppCall) -> AppAnswer:
        return AppAnswer({"polls": [_json(poll) for poll in polls.all(_user(call))]})

    def add(call: AppCall) -> AppAnswer:
        body = _body(call)
        question = _text(body.get("question"), "question", MAX_QUESTION)
        given = body.get("choices")
        if not isinstance(given, list) or len(given) not in CHOICES:
            raise HttpError(400, "choices must have 2 to 8 texts")
        choices = [_text(each, f"choices[{index}]", MAX_CHOICE) for index, each in enumerate(given)]
        if len(set(choices)) < len(choices):
            raise HttpError(400, "choices must differ from each other")
        return _shown(call, polls.add(question, choices, _user(call)), 201)

    def show(call: AppCall) -> AppAnswer:
        return _shown(call, _id(call))

    def vote(call: AppCall) -> AppAnswer:
        poll_id = _id(call)
        poll = _found(poll_id, _user(call))
        choice = _body(call).get("choice")
        if type(choice) is not int or choice not in range(len(poll["choices"])):
            raise HttpError(400, f"choice must be a number of 0 to {len(poll['choices']) - 1}")
        try:
            if not polls.vote(poll_id, _user(call), choice):
                raise HttpError(409, "the poll is closed")
        except VotedError:
            raise HttpError(409, "you have voted already") from None
        return _shown(call, poll_id)

    def close(call: AppCall) -> AppAnswer:
        poll_id = _id(call)
        if not _may_close(call, _found(poll_id, _user(call))):
            raise HttpError(403, "only the person who asked may close the poll")
        if not polls.close(poll_id):
            raise HttpError(409, "the poll was closed before")
        return _shown(call, poll_id)

    def _found(poll_id: int, user_id: str) -> dict[str, Any]:
        poll = polls.find(poll_id, user_id)
        if poll is None:
            raise HttpError(404, "there is no such poll")
        return poll

    def _may_close(call: AppCall, poll: Mapping[str, Any]) -> bool:
        return not poll["closed"] and (poll["createdBy"] == _user(call) or call.can(MANAGE))

    def _shown(call: AppCall, poll_id: int, status: int = 200) -> AppAnswer:
        poll = _found(poll_id, _user(call))
        return AppAnswer(_json(poll) | {"mayClose": _may_close(call, poll)}, status)

    return {
        "GET /polls": show_all,
        "POST /polls": add,
        "GET /polls/{id}": show,
        "POST /polls/{id}/vote": vote,
        "POST /polls/{id}/close": close,
    }


def _json(poll: Mapping[str, Any]) -> dict[str, Any]:
    """The person who asked is not shown, and a choice only if there is one."""
    shown = {key: value for key, value in poll.items() if key != "createdBy" and value is not None}
    return shown | {"createdAt": poll["createdAt"].isoformat()}


def _body(call: AppCall) -> Mapping[str, Any]:
    body = call.json()
    if not isinstance(body, dict):
        raise HttpError(400, "the body must be an object")
    return body


def _text(value: object, name: str, longest: int) -> str:
    # PostgreSQL stores no NUL.
    if not isinstance(value, str) or not value.strip() or len(value) > longest or "\0" in value:
        raise HttpError(400, f"{name} must have 1 to {longest} characters")
    return value.strip()


def _id(call: AppCall) -> int:
    if not re.fullmatch(r"[1-9][0-9]{0,8}", call.params["id"]):
        raise HttpError(404, "there is no such poll")
    return int(call.params["id"])


def _user(call: AppCall) -> str:
    if call.caller.user_id is None:
        raise HttpError(403, "only people vote")
    return call.caller.user_id
