"""The end of a backend."""

import os
import signal
import threading
from collections.abc import Callable

# Less than the 10 s after which the platform kills a container (docs/interface/limits.md#container-limits).
_LONGEST_STOP_SECONDS = 9.0


def stop_on_signals(*steps: Callable[[], object]) -> None:
    """Waits for SIGTERM or SIGINT, then calls the steps in their order: `stop_on_signals(subscriber.stop, app.stop)`. Call it at the
    end of the main thread. If the steps take more than 9 s, the process exits with the code 0 nevertheless.
    """
    received = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: received.set())
    received.wait()
    late = threading.Timer(_LONGEST_STOP_SECONDS, os._exit, args=(0,))
    late.daemon = True
    late.start()
    for step in steps:
        step()
    late.cancel()
