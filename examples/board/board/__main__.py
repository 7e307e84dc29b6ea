"""Runs the backend until SIGTERM: `python3 -m board`."""

import os
import sys
from collections.abc import Callable

from appserver_sdk import (
    AppClient,
    HookSubscriber,
    People,
    PlatformClient,
    app_environment,
    read_app_identity,
    serve_app,
    stop_on_signals,
    storage_path,
)

from .cards import Cards
from .http_api import board_routes
from .notes import HOOK, NoteCards


def main() -> None:
    environment = app_environment()
    app_name = environment.app_name
    private_key = read_app_identity().private_key
    cards = Cards(storage_path("data"), _limit())
    grpc_url = f"http://{environment.grpc_address}" if environment.grpc_address else None
    platform = PlatformClient(grpc_url=grpc_url, app_name=app_name, private_key=private_key, timeout=5) if grpc_url else None
    app = serve_app(
        host=environment.host,
        port=environment.port,
        routes=board_routes(cards, People(platform) if platform else None),
        health=cards.check,
        max_body_bytes=16_384,
    )
    steps: list[Callable[[], object]] = [cards.release, app.stop, cards.close]
    if grpc_url:
        client = AppClient(http_url=environment.http_url, app_name=app_name, private_key=private_key, timeout=5)
        # One after another: cards have the order of their notes.
        notes = HookSubscriber(grpc_url=grpc_url, app_name=app_name, private_key=private_key, max_in_flight=1)
        notes.on_hook(HOOK, NoteCards(client, cards).add).start()
        steps.insert(0, notes.stop)
    print(f"{app_name} listens on port {app.port}", flush=True)
    stop_on_signals(*steps)


def _limit() -> int:
    """Maximum number of cards in progress: a setting that the platform passes as a variable."""
    text = os.environ.get("BOARD_LIMIT", "5")
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 100:
        raise ValueError(f"BOARD_LIMIT must be a number from 1 to 100, got {text!r}")
    return int(text)


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError) as error:
        sys.exit(f"the board cannot start: {error}")
