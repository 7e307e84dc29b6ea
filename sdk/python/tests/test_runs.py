import unittest
from types import SimpleNamespace
from typing import Any

import grpc
from appserver_sdk import RunReport, Runs
from appserver_sdk.json_values import to_value
from appserver_sdk.proto import activity_pb2


class NotFound(grpc.RpcError):
    def code(self) -> grpc.StatusCode:
        return grpc.StatusCode.NOT_FOUND


class Activities:
    """The service, with a run for each status, whose id is its number."""

    def TriggerActivity(self, **fields: Any) -> Any:
        return activity_pb2.TriggerActivityResponse(run={"id": f"run of {fields['activity']}"})

    def GetRun(self, *, id: str) -> Any:
        if id == "none":
            raise NotFound()
        run = activity_pb2.ActivityRun(id=id, status=int(id), progress=0.5, stage="half", output=to_value({"rows": 3}))
        return activity_pb2.GetRunResponse(run=run)


class RunsTest(unittest.TestCase):
    def setUp(self) -> None:
        client: Any = SimpleNamespace(activities=Activities())
        self.runs = Runs(client)

    def test_a_run_is_started_and_has_a_report(self) -> None:
        self.assertEqual(self.runs.start("export", {"year": 2026}), "run of export")
        statuses = (activity_pb2.RunStatus.Value("RUN_STATUS_QUEUED"), activity_pb2.RunStatus.Value("RUN_STATUS_COMPLETED"), activity_pb2.RunStatus.Value("RUN_STATUS_FAILED"))
        reports = [self.runs.get(str(status)) for status in statuses]
        states = [(report.state, report.output) for report in reports if report]
        self.assertEqual(states, [("waiting", None), ("completed", {"rows": 3}), ("ended", None)])
        expected = RunReport(str(statuses[0]), "waiting", 0.5, "half", None, None)
        self.assertEqual(reports[0], expected)
        self.assertIsNone(self.runs.get("none"))
