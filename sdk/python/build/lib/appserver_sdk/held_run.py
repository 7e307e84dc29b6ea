"""An attempt that this worker holds."""

import threading
from collections.abc import Callable
from typing import Any

from google.protobuf.struct_pb2 import Struct

from .activities import ActivityError, ActivityHandler, ActivityRun
from .current_trace import run_in_trace
from .json_values import from_value, to_struct, to_value
from .proto.activity_pb2 import WorkRequest

_PROGRESS_EVERY_SECONDS = 0.1


class HeldRun:
    """An attempt assigned to this worker, held until the platform has received its result."""

    def __init__(self, message: Any, send: Callable[["HeldRun", Any], None]) -> None:
        """`message` is the message ActivityRun. `send` sends a WorkRequest of this run."""
        self._ids = {"run_id": message.id, "attempt": message.attempt}
        self._send = send
        self._lock = threading.Lock()
        self._reported: tuple[float, str] | None = None
        self._canceled = threading.Event()
        # Set when the handler has ended. Kept until the platform responds to it.
        self.result: Any = None
        self.run = ActivityRun(
            run_id=message.id,
            attempt=message.attempt,
            input=from_value(message.input) if message.HasField("input") else None,
            traceparent=message.traceparent or None,
            canceled=self._canceled,
            report=self._report,
        )

    def work(self, handler: ActivityHandler) -> None:
        """Runs the handler and sends the result. Never raises."""
        outcome = self._outcome(handler)
        with self._lock:
            self._reported = None
            self.result = WorkRequest(result={**self._ids, **outcome})
        self._send(self, self.result)

    def cancel(self) -> None:
        self._canceled.set()

    def state(self) -> Any:
        """Returns the result, or a heartbeat until there is one."""
        return self.result or WorkRequest(heartbeat=self._ids)

    def _outcome(self, handler: ActivityHandler) -> dict[str, Any]:
        try:
            with run_in_trace(traceparent=self.run.traceparent):
                return {"output": to_value(handler(self.run))}
        except Exception as error:
            return {"canceled": True} if self._canceled.is_set() else {"error": _problem(error)}

    def _report(self, fraction: float, stage: str) -> None:
        with self._lock:
            is_first = self._reported is None
            self._reported = (fraction, stage)
        if is_first:
            timer = threading.Timer(_PROGRESS_EVERY_SECONDS, self._send_report)
            timer.daemon = True
            timer.start()

    def _send_report(self) -> None:
        with self._lock:
            if self._reported is None:
                return
            fraction, stage = self._reported
            self._reported = None
        self._send(self, WorkRequest(progress={**self._ids, "progress": fraction, "stage": stage}))


def _problem(error: Exception) -> dict[str, str | Struct]:
    if not isinstance(error, ActivityError):
        return {"code": "FAILED", "message": str(error) or type(error).__name__}
    problem: dict[str, str | Struct] = {"code": error.code, "message": str(error)}
    return problem if error.retry else {**problem, "details": to_struct({"retry": False})}
