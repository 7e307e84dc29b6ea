"""Activities: background runs of an app (docs/interface/activities.md)."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Event
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ActivitySchedule:
    """When the platform starts runs. Exactly one of `cron` and `every_seconds` is set."""

    cron: str | None = None
    every_seconds: int | None = None
    # IANA name. Default UTC.
    timezone: str | None = None
    # JSON
    input: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ActivityOptions:
    """Options of an activity. Omitted options have the platform's defaults."""

    # JSON Schema of the input. The platform refuses invalid input.
    input_schema: Mapping[str, Any] | None = None
    # Seconds. Default 15 minutes.
    timeout: float | None = None
    # Maximum number of attempts after the first. Default 3.
    max_retries: int | None = None
    # Maximum number of concurrent runs over all workers of the app. Default unlimited.
    concurrency: int | None = None
    # Runs with the same key never overlap.
    singleton_key: str | None = None
    schedule: ActivitySchedule | None = None


@dataclass(frozen=True, slots=True)
class ActivityRun:
    """One attempt of a run, as passed to its handler."""

    run_id: str
    # 1 for the first attempt. A finished run may be started again, so the handler must be safe to repeat.
    attempt: int
    # JSON. None if the run has no input.
    input: Any
    # W3C Trace Context of the trigger.
    traceparent: str | None
    # Set when the run must stop: it was canceled, or it was assigned to another worker.
    canceled: Event = field(repr=False)
    report: Callable[[float, str], None] = field(repr=False)

    def progress(self, fraction: float, stage: str = "") -> None:
        """Reports the progress, from 0 to 1, and the current stage. Returns at once. Reports in quick succession are merged."""
        self.report(fraction, stage)


# Runs one attempt. The returned value, as `json.dumps` writes it, is the output. An exception fails the attempt.
ActivityHandler = Callable[[ActivityRun], object]


class ActivityError(Exception):
    """A failure with a code that the app chooses, or one that must not be retried."""

    def __init__(self, message: str, *, code: str = "FAILED", retry: bool = True) -> None:
        super().__init__(message)
        self.code = code
        self.retry = retry


def definition_of(name: str, options: ActivityOptions) -> dict[str, Any]:
    """Returns the fields of the message ActivityDefinition."""
    fields = {
        "name": name,
        "input_schema": None if options.input_schema is None else json.dumps(options.input_schema),
        "timeout_ms": None if options.timeout is None else round(options.timeout * 1_000),
        "max_retries": options.max_retries,
        "concurrency": options.concurrency,
        "singleton_key": options.singleton_key,
        "schedule": None if options.schedule is None else _schedule_of(options.schedule),
    }
    return {key: value for key, value in fields.items() if value is not None}


def _schedule_of(schedule: ActivitySchedule) -> dict[str, Any]:
    fields = {
        "cron": schedule.cron,
        "interval_seconds": schedule.every_seconds,
        "timezone": schedule.timezone,
        "input": None if schedule.input is None else json.dumps(schedule.input),
    }
    return {key: value for key, value in fields.items() if value is not None}
