"""The ids of what the app is doing now, with which the platform connects its parts (docs/interface/traces.md#apps)."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CurrentTrace:
    # W3C Trace Context. None outside of requests, hooks and runs.
    traceparent: str | None = None
    # None outside of requests.
    request_id: str | None = None


_current: ContextVar[CurrentTrace] = ContextVar("appserver_trace", default=CurrentTrace())


def current_trace() -> CurrentTrace:
    """Returns the trace of the request, the hook or the run that the app handles now."""
    return _current.get()


@contextmanager
def run_in_trace(traceparent: str | None = None, request_id: str | None = None) -> Iterator[None]:
    """Makes the block a part of a trace: calls of the platform continue it, and log lines name it. Threads that the block starts
    are not part of it.
    """
    token = _current.set(CurrentTrace(traceparent, request_id))
    try:
        yield
    finally:
        _current.reset(token)
