"""The HTTP API behind the platform's proxy. Paths are relative to `base_path` in app.yaml, which the platform removes."""

import sqlite3
from collections.abc import Iterable, Mapping

import grpc
from appserver_sdk import AppAnswer, AppCall, AppCaller, AppHandler, HttpError, People

from .cards import COLUMNS, MAX_TEXT, BoardIsFull, Card, Cards

# Shorter than `timeout_ms` in app.yaml.
_LONGEST_WAIT_SECONDS = 8.0


def board_routes(cards: Cards, people: People | None = None) -> Mapping[str, AppHandler]:
    """Returns the routes of the API. Each request has a thread, so that pages can wait for changes. `people` has the names of users."""
    api = _CardsApi(cards, people)
    routes = {
        "GET /cards": api.list,
        "POST /cards": api.add,
        "PUT /cards/{id}": api.change,
        "DELETE /cards/{id}": api.remove,
    }
    return {route: _with_cards(handler) for route, handler in routes.items()}


def _with_cards(handler: AppHandler) -> AppHandler:
    def handle(call: AppCall) -> AppAnswer:
        try:
            return handler(call)
        except sqlite3.Error as error:
            print(f"{call.method} {call.path} failed: {error}", flush=True)
            raise HttpError(503, "the cards cannot be reached at the moment") from None

    return handle


class _CardsApi:
    def __init__(self, cards: Cards, people: People | None) -> None:
        self._cards = cards
        self._people = people

    def list(self, call: AppCall) -> AppAnswer:
        """With `?after=<revision>`, waits until the board has another one."""
        after = call.query.get("after", [""])[0]
        if after:
            if not after.isascii() or not after.isdigit() or len(after) > 18:
                raise HttpError(400, f"after must be the revision of an earlier response, got {after[:100]!r}")
            self._cards.wait(int(after), _LONGEST_WAIT_SECONDS)
        revision, cards = self._cards.all()
        names = self._names(cards)
        shown = [card.to_json() | {"createdByName": names.get(card.created_by)} for card in cards]
        return AppAnswer({"revision": revision, "cards": shown})

    def _names(self, cards: Iterable[Card]) -> Mapping[str, str]:
        """Returns the names of users by `user:<id>`. The board works without names, also while `people:read` is not approved."""
        ids = {card.created_by.removeprefix("user:") for card in cards if card.created_by.startswith("user:")}
        if self._people is None:
            return {}
        try:
            found = self._people.get_each(ids)
        except grpc.RpcError as error:
            print(f"the names of people could not be read: {error.code().name}", flush=True)
            return {}
        return {f"user:{user_id}": person.display_name for user_id, person in found.items()}

    def add(self, call: AppCall) -> AppAnswer:
        text, _ = _fields(call)
        if text is None:
            raise HttpError(400, 'the body must have "text", like {"text": "Call Ada"}')
        card = self._cards.add(text, _author(call.caller))
        assert card is not None
        return AppAnswer(card.to_json(), 201)

    def change(self, call: AppCall) -> AppAnswer:
        try:
            card = self._cards.change(call.params["id"], *_fields(call))
        except BoardIsFull as error:
            raise HttpError(409, str(error)) from None
        if card is None:
            raise _no_card(call)
        return AppAnswer(card.to_json())

    def remove(self, call: AppCall) -> AppAnswer:
        if not self._cards.remove(call.params["id"]):
            raise _no_card(call)
        return AppAnswer(status=204)


def _no_card(call: AppCall) -> HttpError:
    return HttpError(404, f"there is no card {call.params['id'][:100]}")


def _author(caller: AppCaller) -> str:
    return f"user:{caller.user_id}" if caller.user_id else f"app:{caller.app_name or 'unknown'}"


def _fields(call: AppCall) -> tuple[str | None, str | None]:
    """Returns `text` and `column` of a body. Raises HttpError."""
    value = call.json()
    if not isinstance(value, dict):
        raise HttpError(400, "the body must be an object")
    text, column = value.get("text"), value.get("column")
    if text is not None:
        text = text.strip() if isinstance(text, str) else ""
        if not 1 <= len(text) <= MAX_TEXT or "\0" in text:
            raise HttpError(400, f"text must have 1 to {MAX_TEXT} characters")
    if column is not None and column not in COLUMNS:
        raise HttpError(400, f"column must be one of {', '.join(COLUMNS)}")
    return text, column
