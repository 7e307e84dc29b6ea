"""The runs of the app's own activities (docs/interface/activities.md)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import grpc

from .json_values import from_value, to_value
from .platform_client import PlatformClient
from .proto import activity_pb2

RunState = Literal["completed", "ended", "running", "waiting"]

_STATES: dict[int, RunState] = {
    activity_pb2.RunStatus.Value("RUN_STATUS_DELAYED"): "waiting",
    activity_pb2.RunStatus.Value("RUN_STATUS_QUEUED"): "waiting",
    activity_pb2.RunStatus.Value("RUN_STATUS_RUNNING"): "running",
    activity_pb2.RunStatus.Value("RUN_STATUS_COMPLETED"): "completed",
}


@dataclass(frozen=True, slots=True)
class RunReport:
    """Where a run of an activity is. As JSON (`dataclasses.asdict`), `followRun` of `@appserver/sdk/page` reads it in a page."""

    id: str
    state: RunState
    """`ended` is every end without a result: after the last attempt, a cancel, or a wait that was too long."""
    progress: float | None
    """From 0 to 1, as the handler has reported it. None before its first report."""
    stage: str | None
    output: Any
    """The result of a completed run."""
    error: str | None
    """Why the last attempt that ended had no result."""


class Runs:
    """The runs of the activities of the app as which the client calls."""

    def __init__(self, client: PlatformClient) -> None:
        self._client = client

    def start(self, activity: str, data: object = None, *, idempotency_key: str | None = None, run_at: datetime | None = None) -> str:
        """Starts a run with `data` as its input, and returns its id. A second start with the same key returns the same run. `run_at` has a
        time zone; default now. Raises `grpc.RpcError`: NOT_FOUND for an activity that no worker has registered, INVALID_ARGUMENT for a
        wrong input.
        """
        response = self._client.activities.TriggerActivity(
            activity=activity, input=to_value(data), idempotency_key=idempotency_key, run_at=run_at
        )
        return str(response.run.id)

    def get(self, run_id: str) -> RunReport | None:
        """Returns where a run is. None if the app has no such run, or none any more."""
        try:
            run = self._client.activities.GetRun(id=run_id).run
        except grpc.RpcError as error:
            if error.code() is grpc.StatusCode.NOT_FOUND:
                return None
            raise
        state = _STATES.get(run.status, "ended")
        return RunReport(
            id=run.id,
            state=state,
            progress=run.progress if run.HasField("progress") else None,
            stage=run.stage or None,
            output=from_value(run.output) if state == "completed" and run.HasField("output") else None,
            error=run.error.message if run.HasField("error") else None,
        )
