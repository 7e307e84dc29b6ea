import contextlib
import io
import json
import unittest
from typing import Any

from appserver_sdk import LogLevel, current_trace, log_line, run_in_trace
from appserver_sdk.json_values import from_struct, from_value, to_struct, to_value

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


class JsonValuesTest(unittest.TestCase):
    def test_values_come_back_as_they_were(self) -> None:
        for data in (None, True, 0, 1.5, -7, "é", [], {}, [1, [None]], {"a": {"b": [False, "c"]}}):
            with self.subTest(repr(data)):
                self.assertEqual(from_value(to_value(data)), data)
        self.assertIs(type(from_value(to_value(5))), int)
        self.assertIs(type(from_value(to_value(True))), bool)
        self.assertEqual(from_struct(to_struct({"a": None})), {"a": None})

    def test_what_is_not_json_is_refused(self) -> None:
        for data in (object(), {1, 2}, float("nan")):
            with self.subTest(repr(data)), self.assertRaises((TypeError, ValueError)):
                to_value(data)


class LogLineTest(unittest.TestCase):
    def line(self, level: LogLevel, message: str, **fields: Any) -> dict[str, Any]:
        with contextlib.redirect_stdout(io.StringIO()) as output:
            log_line(level, message, **fields)
        (line,) = output.getvalue().splitlines()
        return dict(json.loads(line))

    def test_has_the_ids_of_the_trace(self) -> None:
        with run_in_trace(TRACE, "r1"):
            line = self.line("info", "done", count=1)
            with run_in_trace():
                self.assertIsNone(current_trace().traceparent)
            self.assertEqual(current_trace().request_id, "r1")
        self.assertRegex(line.pop("time"), r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        ids = {"requestId": "r1", "traceId": "0af7651916cd43dd8448eb211c80319c"}
        self.assertEqual(line, {"level": "info", "msg": "done", "count": 1} | ids)

    def test_prints_exceptions_with_their_trace(self) -> None:
        try:
            raise ValueError("wrong")
        except ValueError as error:
            line = self.line("error", "failed", error=error)
        self.assertRegex(line["error"], r"(?s)^Traceback .*test_json_values\.py.*ValueError: wrong$")
        self.assertNotIn("traceId", line)
