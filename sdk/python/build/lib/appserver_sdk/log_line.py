"""Log lines that the platform connects with the trace of a request (docs/interface/traces.md#apps)."""

import json
import traceback
from datetime import datetime, timezone
from typing import Literal

from .current_trace import current_trace

LogLevel = Literal["debug", "info", "warn", "error"]


def log_line(level: LogLevel, message: str, **fields: object) -> None:
    """Prints one line of JSON to standard output: level, time, message, fields, and the request id and trace id of what the app is
    doing. Exceptions are printed with their traces, other values that JSON does not have as text.
    """
    trace = current_trace()
    ids = {"requestId": trace.request_id, "traceId": _trace_id(trace.traceparent)}
    line = {"level": level, "time": timestamp(), "msg": message, **fields} | {key: id for key, id in ids.items() if id is not None}
    print(json.dumps(line, default=_printable), flush=True)


def timestamp(at: datetime | None = None) -> str:
    """Returns a time, by default now: ISO 8601, UTC, milliseconds."""
    utc = (at or datetime.now(timezone.utc)).astimezone(timezone.utc)
    return utc.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _trace_id(traceparent: str | None) -> str | None:
    parts = (traceparent or "").split("-")
    return parts[1] if len(parts) > 1 else None


def _printable(value: object) -> str:
    if isinstance(value, BaseException):
        return "".join(traceback.format_exception(value)).rstrip()
    return str(value)
