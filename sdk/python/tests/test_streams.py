"""What a platform does rarely: a gRPC server of its own breaks streams, and sends what a test says."""

import base64
import contextlib
import hashlib
import hmac
import http.client
import io
import json
import threading
import time
import unittest
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import Queue
from typing import Any

import grpc
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from google.protobuf.message_factory import GetMessageClass

from appserver_sdk import (
    ActivityError,
    ActivityOptions,
    ActivityRun,
    ActivitySchedule,
    ActivityWorker,
    AppSettings,
    DropHook,
    Hook,
    HookSubscriber,
    PlatformClient,
    app_environment,
    pushed_hooks,
    run_in_trace,
    serve_app,
    trigger_hook,
)
from appserver_sdk.json_values import from_value, to_struct, to_value
from appserver_sdk.proto.activity_pb2 import ActivityService, RegisterActivitiesResponse, WorkResponse
from appserver_sdk.proto.hooks_pb2 import AckResult, GetPushSecretResponse, HooksService, SubscribeResponse, TriggerHookResponse
from appserver_sdk.proto.settings_pb2 import SettingsService, UpdateSettingsResponse, WatchSettingsResponse

KEY = generate_private_key(65_537, 2_048)
APP: dict[str, Any] = {"app_name": "com.example.board", "private_key": KEY}
TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
PUSH_KEY = bytes(range(32))
WAIT = 30


class Stream:
    """A stream that the app opened: what it sends, and what it gets until `end`."""

    def __init__(self) -> None:
        self._responses: Queue[Any] = Queue()
        self._received: Queue[Any] = Queue()

    def next(self) -> Any:
        return self._received.get(timeout=WAIT)

    def send(self, response: Any) -> None:
        self._responses.put(response)

    def end(self) -> None:
        self._responses.put(None)

    def responses(self) -> Iterator[Any]:
        return iter(self._responses.get, None)

    def received(self, request: Any) -> None:
        self._received.put(request)

    def read(self, requests: Iterator[Any]) -> None:
        """Ends when the app ends its part."""
        try:
            for request in requests:
                self.received(request)
        except Exception:
            # The app has canceled it.
            pass
        self.end()


class StreamsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.streams: Queue[Stream] = Queue()
        self.calls: Queue[tuple[Any, dict[str, Any]]] = Queue()
        self.server = grpc.server(ThreadPoolExecutor(8))
        hooks = {
            "Subscribe": self.stream,
            "TriggerHook": self.unary(TriggerHookResponse(event_id="e1", subscribers=2)),
            "GetPushSecret": self.unary(GetPushSecretResponse(secret="whsec_" + base64.b64encode(PUSH_KEY).decode())),
        }
        activities = {"Work": self.stream, "RegisterActivities": self.unary(RegisterActivitiesResponse())}
        settings = {"WatchSettings": self.stream, "UpdateSettings": self.unary(UpdateSettingsResponse(settings=values({"a": 2})))}
        for service, handlers in ((HooksService, hooks), (ActivityService, activities), (SettingsService, settings)):
            self.add(service, handlers)
        self.port = self.server.add_insecure_port("127.0.0.1:0")
        self.server.start()
        self.addCleanup(lambda: self.server.stop(0).wait())
        self.grpc_url = f"http://127.0.0.1:{self.port}"

    def add(self, service: Any, handlers: dict[str, Callable[..., Any]]) -> None:
        methods = {}
        for name, handle in handlers.items():
            method = service.methods_by_name[name]
            kind = grpc.unary_unary_rpc_method_handler
            if method.server_streaming:
                kind = grpc.stream_stream_rpc_method_handler if method.client_streaming else grpc.unary_stream_rpc_method_handler
            request, response = GetMessageClass(method.input_type), GetMessageClass(method.output_type)
            methods[name] = kind(handle, request.FromString, response.SerializeToString)
        self.server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service.full_name, methods),))

    def stream(self, requests: Any, context: grpc.ServicerContext) -> Iterator[Any]:
        stream = Stream()
        # Else a thread of the server would wait for responses after the end of the call.
        if not context.add_callback(stream.end):
            stream.end()
        if isinstance(requests, Iterator):
            threading.Thread(target=stream.read, args=(requests,), daemon=True).start()
        else:
            stream.received(requests)
        self.streams.put(stream)
        return stream.responses()

    def unary(self, response: Any) -> Callable[..., Any]:
        def handle(request: Any, context: Any) -> Any:
            self.calls.put((request, dict(context.invocation_metadata())))
            return response

        return handle

    def opened(self) -> Stream:
        return self.streams.get(timeout=WAIT)

    def subscriber(self, handler: Callable[[Hook], None], **options: Any) -> HookSubscriber:
        subscriber = HookSubscriber(grpc_url=self.grpc_url, **APP, **options).on_hook("a.made", handler)
        subscriber.start()
        self.addCleanup(subscriber.stop, 0)
        return subscriber

    def worker(self, handler: Callable[[ActivityRun], object], options: ActivityOptions | None = None) -> ActivityWorker:
        worker = ActivityWorker(grpc_url=self.grpc_url, **APP, capacity=2).activity("count", handler, options)
        worker.start()
        self.addCleanup(worker.stop, 0)
        return worker

    def test_a_call_is_signed_with_its_bytes_and_continues_the_trace(self) -> None:
        with PlatformClient(grpc_url=self.grpc_url, **APP) as client, run_in_trace(TRACE):
            triggered = trigger_hook(client, "a.made", {"b": 1}, ordering_key="k")
        self.assertEqual((triggered.event_id, triggered.subscribers), ("e1", 2))
        request, metadata = self.calls.get(timeout=WAIT)
        self.assertEqual((from_value(request.data), request.ordering_key, metadata["traceparent"]), ({"b": 1}, "k", TRACE))
        path = f"POST/appserver.v2.HooksService/TriggerHook{metadata['x-request-timestamp']}".encode()
        signature = base64.b64decode(metadata["x-app-signature"])
        KEY.public_key().verify(signature, path + request.SerializeToString(), PKCS1v15(), SHA256())

    def test_a_client_names_calls_that_do_not_exist(self) -> None:
        with PlatformClient(grpc_url=self.grpc_url) as client, self.assertRaisesRegex(AttributeError, "no call Trigger$"):
            client.hooks.Trigger()
        with self.assertRaisesRegex(ValueError, "an address like http"):
            PlatformClient(grpc_url="127.0.0.1:9090")

    def test_a_posted_hook_has_a_response_for_each_end_of_its_handler(self) -> None:
        def handle(hook: Hook) -> None:
            if hook.data == "drop":
                raise DropHook
            if hook.data == "fail":
                raise RuntimeError("not yet")

        platform = PlatformClient(grpc_url=self.grpc_url, **APP)
        self.addCleanup(platform.close)
        app = serve_app(host="127.0.0.1", port=0, routes={"POST /hooks": pushed_hooks(platform, handle)})
        self.addCleanup(app.stop)

        def post(data: str, key: bytes) -> int:
            fields = {"type": "a.made", "timestamp": "2026-01-31T12:00:00.000Z", "data": data, "attempt": 1}
            body = json.dumps(fields | {"sourceApp": None, "orderingKey": None}).encode()
            seconds = str(int(time.time()))
            digest = hmac.new(key, f"e1.{seconds}.".encode() + body, hashlib.sha256).digest()
            signature = f"v1,{base64.b64encode(digest).decode()}"
            headers = {"webhook-id": "e1", "webhook-timestamp": seconds, "webhook-signature": signature}
            connection = http.client.HTTPConnection("127.0.0.1", app.port, timeout=WAIT)
            try:
                connection.request("POST", "/hooks", body, headers)
                return connection.getresponse().status
            finally:
                connection.close()

        with contextlib.redirect_stderr(io.StringIO()):
            statuses = [post(*each) for each in (("fine", PUSH_KEY), ("drop", PUSH_KEY), ("fail", PUSH_KEY), ("fine", bytes(32)))]
        self.assertEqual(statuses, [200, 200, 500, 401])
        # Forged hooks do not cause calls to the platform.
        self.assertEqual(self.calls.qsize(), 1)

    def test_each_end_of_a_handler_has_its_acknowledgement(self) -> None:
        errors: Queue[tuple[Exception, str]] = Queue()

        def handle(hook: Hook) -> None:
            if hook.data == "drop":
                raise DropHook
            if hook.data == "fail":
                raise RuntimeError("not yet")

        self.subscriber(handle, max_in_flight=3, on_error=lambda *error: errors.put(error))
        stream = self.opened()
        start = stream.next().start
        self.assertEqual((list(start.hook_names), start.max_in_flight), (["a.made"], 3))
        for data, result in (
            ("fine", AckResult.Value("ACK_RESULT_SUCCESS")),
            ("drop", AckResult.Value("ACK_RESULT_DROP")),
            ("fail", AckResult.Value("ACK_RESULT_RETRY")),
        ):
            stream.send(SubscribeResponse(event={"id": data, "hook_name": "a.made", "data": to_value(data)}))
            ack = stream.next().ack
            self.assertEqual((ack.event_id, ack.result), (data, result))
        error, name = errors.get(timeout=WAIT)
        self.assertEqual((str(error), name), ("not yet", "a.made"))

    def test_a_subscriber_connects_again_and_finishes_its_handlers_before_it_stops(self) -> None:
        entered, leave = threading.Event(), threading.Event()

        def handle(_hook: Hook) -> None:
            entered.set()
            leave.wait(WAIT)

        subscriber = self.subscriber(handle)
        self.opened().end()
        stream = self.opened()
        self.assertTrue(stream.next().HasField("start"))
        stream.send(SubscribeResponse(event={"id": "e1", "hook_name": "a.made"}))
        entered.wait(WAIT)
        stopping = threading.Thread(target=subscriber.stop, args=(WAIT,))
        stopping.start()
        leave.set()
        self.assertEqual(stream.next().ack.event_id, "e1")
        stopping.join()

    def test_an_unreachable_platform_is_tried_again_and_again(self) -> None:
        self.server.stop(0).wait()
        errors: Queue[Exception] = Queue()
        self.subscriber(print, on_disconnect=errors.put)
        for _ in range(3):
            error = errors.get(timeout=WAIT)
            assert isinstance(error, grpc.RpcError)
            self.assertEqual(error.code(), grpc.StatusCode.UNAVAILABLE)

    def test_an_activity_is_declared_and_its_result_is_sent_again_after_a_break(self) -> None:
        schedule = ActivitySchedule(every_seconds=60, input={"a": 1})
        options = ActivityOptions(input_schema={"type": "object"}, timeout=1.5, max_retries=0, schedule=schedule)
        self.worker(lambda run: {"twice": run.input["n"] * 2}, options)
        stream = self.opened()
        request, _ = self.calls.get(timeout=WAIT)
        (definition,) = request.activities
        self.assertEqual((definition.name, definition.timeout_ms, definition.max_retries), ("count", 1_500, 0))
        self.assertEqual((definition.schedule.interval_seconds, definition.schedule.input), (60, '{"a": 1}'))
        ready = stream.next().ready
        self.assertEqual((list(ready.activities), ready.capacity), (["count"], 2))
        assign = {"id": "r1", "activity": "count", "attempt": 2, "input": to_value({"n": 21})}
        stream.send(WorkResponse(assign=assign))
        self.assertEqual(stream.next().heartbeat.attempt, 2)
        result = stream.next().result
        self.assertEqual((result.run_id, result.attempt, from_value(result.output)), ("r1", 2, {"twice": 42}))
        stream.end()
        again = self.opened()
        self.assertEqual(again.next().result, result)
        self.assertTrue(again.next().HasField("ready"))
        again.send(WorkResponse(settled={"run_id": "r1", "accepted": True}))
        again.send(WorkResponse(assign=assign | {"attempt": 3}))
        self.assertEqual(again.next().heartbeat.attempt, 3)

    def test_a_run_reports_its_progress_and_ends_as_its_handler_does(self) -> None:
        def work(run: ActivityRun) -> object:
            match run.input:
                case "progress":
                    run.progress(0.1, "first")
                    run.progress(0.5, "half")
                    run.canceled.wait(WAIT)
                    raise RuntimeError("interrupted")
                case "final":
                    raise ActivityError("no such file", code="NO_FILE", retry=False)
                case _:
                    raise RuntimeError("broken")

        worker = self.worker(work)
        stream = self.opened()
        stream.next()

        def assign(input: str, activity: str = "count") -> None:
            stream.send(WorkResponse(assign={"id": input, "activity": activity, "attempt": 1, "input": to_value(input)}))
            self.assertEqual(stream.next().heartbeat.run_id, input)

        assign("progress")
        # Both reports are one message.
        progress = stream.next().progress
        self.assertEqual((progress.progress, progress.stage), (0.5, "half"))
        stream.send(WorkResponse(cancel={"run_id": "progress"}))
        self.assertTrue(stream.next().result.canceled)
        assign("final")
        error = stream.next().result.error
        self.assertEqual((error.code, error.message), ("NO_FILE", "no such file"))
        self.assertFalse(error.details["retry"])
        assign("other")
        error = stream.next().result.error
        self.assertEqual((error.code, error.message, error.HasField("details")), ("FAILED", "broken", False))
        assign("unknown", "sum")
        self.assertIn("this worker has no activity sum", stream.next().result.error.message)
        stopping = threading.Thread(target=worker.stop, args=(WAIT,))
        stopping.start()
        self.assertEqual(stream.next().ready.capacity, 0)
        for run in ("progress", "final", "other", "unknown"):
            stream.send(WorkResponse(settled={"run_id": run, "accepted": True}))
        stopping.join()

    def test_settings_follow_the_platform(self) -> None:
        seen: Queue[Any] = Queue()
        environment = app_environment({"APP_ID": "a1", "APPSERVER_GRPC_ADDRESS": f"127.0.0.1:{self.port}"})
        settings = AppSettings(environment=environment, on_change=seen.put, **APP)
        self.addCleanup(settings.close)
        stream = self.opened()
        self.assertEqual(stream.next().app_id, "a1")
        self.assertEqual((settings.number("a", 7), settings.text("b"), settings.ready.is_set()), (7, None, False))
        stream.send(WatchSettingsResponse(settings=values({"a": 1, "b": "text", "c": True})))
        self.assertEqual(seen.get(timeout=WAIT), {"a": 1, "b": "text", "c": True})
        self.assertTrue(settings.ready.is_set())
        self.assertEqual((settings.number("a", 7), settings.text("b"), settings.text("b", "x")), (1, "text", "text"))
        # A value of another type is not used.
        self.assertEqual((settings.number("c", 7), settings.text("a", "x")), (7, "x"))
        settings.update({"a": 2, "b": None})
        self.assertEqual(seen.get(timeout=WAIT), {"a": 2})
        request, _ = self.calls.get(timeout=WAIT)
        self.assertEqual(request.values["b"], None)
        stream.end()
        self.opened().send(WatchSettingsResponse(settings=values({"a": 3})))
        self.assertEqual(seen.get(timeout=WAIT), {"a": 3})

    def test_without_a_platform_settings_are_empty(self) -> None:
        with contextlib.redirect_stderr(io.StringIO()) as printed:
            settings = AppSettings(environment=app_environment({}), **APP)
        self.assertIn("settings of com.example.board are empty", printed.getvalue())
        self.assertEqual((settings.values, settings.number("a", 1)), ({}, 1))
        with self.assertRaises(RuntimeError):
            settings.update({"a": 2})
        settings.close()


def values(fields: dict[str, Any]) -> dict[str, Any]:
    return {"values": to_struct(fields)}
