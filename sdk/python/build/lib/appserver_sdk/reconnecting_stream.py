"""Streams of the platform that are opened again when they end."""

import random
import threading
import time
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

import grpc

Request = TypeVar("Request")


class Outgoing(Generic[Request]):
    """Messages for a stream. Any thread may send at any time. The writer of the stream reads them once."""

    def __init__(self) -> None:
        self._messages: SimpleQueue[Request | None] = SimpleQueue()

    def send(self, message: Request) -> None:
        """What is sent after the end is dropped."""
        self._messages.put(message)

    def end(self) -> None:
        """Ends the stream. Messages sent before are still delivered."""
        self._messages.put(None)

    def __iter__(self) -> Iterator[Request]:
        return iter(self._messages.get, None)


class ReconnectingStream(Generic[Request]):
    """Keeps a stream open in a thread of its own between `start` and `stop`. Waits longer after each failure."""

    def __init__(
        self,
        *,
        open: Callable[[Outgoing[Request]], Any],
        take: Callable[[Any], None],
        lost: Callable[[Exception, bool], None],
        first_pause: float,
        longest_pause: float,
    ) -> None:
        """`open` opens the stream, `take` gets each response, both in the thread. `lost` gets each error, and whether it is the first
        one of an outage. Pauses are in seconds.
        """
        self._open = open
        self._take = take
        self._lost = lost
        self._first_pause = first_pause
        self._longest_pause = longest_pause
        self._ending = threading.Event()
        self._outgoing: Outgoing[Request] = Outgoing()
        self._call: grpc.Call | None = None
        self._thread = threading.Thread(target=self._run, name="appserver-stream", daemon=True)

    @property
    def outgoing(self) -> Outgoing[Request]:
        """Of the stream that is open now, or of the last one."""
        return self._outgoing

    def start(self) -> None:
        """Does nothing if it was started before."""
        if self._thread.ident is None:
            self._thread.start()

    def stop(self, patience: float = 0.0) -> None:
        """Opens no more streams. Waits for the end of the open one, at most `patience` seconds, then cancels it."""
        self._ending.set()
        if self._thread.ident is None:
            return
        self._thread.join(patience)
        if self._call is not None:
            self._call.cancel()
        # A call before the stream may wait for the platform.
        self._thread.join(2.0)

    def _run(self) -> None:
        failures = 0
        while not self._ending.is_set():
            started_at = time.monotonic()
            try:
                self._connect()
            except Exception as error:
                if not self._ending.is_set():
                    self._lost(error, failures == 0)
            failures = 0 if time.monotonic() - started_at > self._longest_pause else failures + 1
            pause = min(self._first_pause * 2**failures, self._longest_pause)
            self._ending.wait(pause * random.uniform(0.5, 1))

    def _connect(self) -> None:
        self._outgoing = outgoing = Outgoing[Request]()
        try:
            self._call = call = self._open(outgoing)
            # It may have been stopped before there was a call to cancel.
            if self._ending.is_set():
                call.cancel()
            for response in call:
                self._take(response)
        finally:
            outgoing.end()


def reason_of(error: Exception) -> str:
    """Returns the code and the message of an error, in one line."""
    return f"{error.code().name}: {error.details()}" if isinstance(error, grpc.Call) else str(error)
