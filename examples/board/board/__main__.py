"""Runs the backend until SIGTERM: `python3 -m board`."""

import signal
import sys
import threading

from .cards import Cards
from .environment import read_environment
from .http_api import BoardServer
from .notes import NoteCards


def main() -> None:
    environment = read_environment()
    cards = Cards(environment.storage, environment.limit)
    server = BoardServer((environment.host, environment.port), cards, environment.forward_secret)
    notes = NoteCards(environment, cards) if environment.grpc_address else None
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    serving = threading.Thread(target=server.serve_forever, name="http")
    serving.start()
    if notes:
        notes.start()
    print(f"{environment.app_name} listens on port {server.server_port}", flush=True)
    stopping.wait()
    if notes:
        notes.stop()
    cards.release()
    server.shutdown()
    server.server_close()
    cards.close()
    serving.join()


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError) as error:
        sys.exit(f"the board cannot start: {error}")
