"""Runs an app's activities."""

import sys
import threading
from collections.abc import Callable
from typing import Any, Self

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

from .activities import ActivityHandler, ActivityOptions, ActivityRun, definition_of
from .held_run import HeldRun
from .platform_client import PlatformClient
from .proto.activity_pb2 import WorkRequest
from .reconnecting_stream import Outgoing, ReconnectingStream, reason_of

_HEARTBEAT_SECONDS = 30.0


class ActivityWorker:
    """Runs an app's activities between `start` and `stop`. Connects again after the platform was unreachable."""

    def __init__(
        self,
        *,
        grpc_url: str,
        app_name: str,
        private_key: RSAPrivateKey,
        capacity: int = 10,
        on_disconnect: Callable[[Exception], None] | None = None,
    ) -> None:
        """`grpc_url` is `http://127.0.0.1:9090` (APPSERVER_GRPC_ADDRESS with its scheme). `capacity` is the maximum number of
        concurrent runs in this process, each in a thread. `on_disconnect` gets the error when a connection cannot be opened or breaks; by
        default the first error of an outage is printed.
        """
        self._app_name = app_name
        self._capacity = capacity
        self._on_disconnect = on_disconnect
        self._activities: dict[str, tuple[ActivityHandler, ActivityOptions | None]] = {}
        self._held: dict[str, HeldRun] = {}
        self._changed = threading.Condition()
        self._is_draining = False
        self._stopped = threading.Event()
        self._client = PlatformClient(
            grpc_url=grpc_url, app_name=app_name, private_key=private_key, keep_alive=_HEARTBEAT_SECONDS / 2
        )
        self._stream = ReconnectingStream[Any](
            open=self._open, take=self._take, lost=self._lost, first_pause=0.25, longest_pause=10
        )
        self._heartbeats = threading.Thread(target=self._send_heartbeats, name="appserver-heartbeats", daemon=True)

    def activity(self, name: str, handler: ActivityHandler, options: ActivityOptions | None = None) -> Self:
        """Sets the handler of an activity, before `start`. With options it declares the activity; without, the manifest does."""
        self._activities[name] = (handler, options)
        return self

    def start(self) -> None:
        """Does nothing if it was started before."""
        if self._heartbeats.ident is None:
            self._heartbeats.start()
        self._stream.start()

    def stop(self, grace: float = 5.0) -> None:
        """Takes no new runs, waits at most `grace` seconds for active runs, then stops them. The platform starts those again."""
        self._is_draining = True
        self._stream.outgoing.send(self._ready())
        with self._changed:
            self._changed.wait_for(lambda: not self._held, timeout=grace)
            remaining = list(self._held.values())
        self._stopped.set()
        for run in remaining:
            run.cancel()
        self._stream.outgoing.end()
        self._stream.stop()
        self._client.close()

    def _open(self, outgoing: Outgoing[Any]) -> Any:
        declared = [(name, options) for name, (_, options) in self._activities.items() if options is not None]
        if declared:
            self._client.activities.RegisterActivities(activities=[definition_of(*each) for each in declared])
        # First the runs that are held from an earlier stream.
        for run in self._runs():
            outgoing.send(run.state())
        outgoing.send(self._ready())
        return self._client.activities.Work(iter(outgoing))

    def _ready(self) -> Any:
        capacity = 0 if self._is_draining else self._capacity
        return WorkRequest(ready={"activities": list(self._activities), "slots": capacity, "capacity": capacity})

    def _take(self, response: Any) -> None:
        match response.WhichOneof("message"):
            case "assign":
                self._begin(response.assign)
            case "cancel":
                with self._changed:
                    run = self._held.get(response.cancel.run_id)
                if run is not None:
                    run.cancel()
            case "settled":
                with self._changed:
                    self._held.pop(response.settled.run_id, None)
                    self._changed.notify_all()

    def _begin(self, message: Any) -> None:
        run = HeldRun(message, self._send)
        with self._changed:
            earlier = self._held.get(message.id)
            self._held[message.id] = run
        # The platform assigned the run again because it considered this worker lost. The earlier attempt no longer counts.
        if earlier is not None:
            earlier.cancel()
        # At once: the timeout counts from the first heartbeat, and without it the platform assigns the run again.
        self._send(run, run.state())
        handler, _ = self._activities.get(message.activity, (_unknown(message.activity), None))
        threading.Thread(target=run.work, args=(handler,), name="appserver-run", daemon=True).start()

    def _send(self, run: HeldRun, request: Any) -> None:
        """Sends a message of a run, unless another attempt has replaced it."""
        with self._changed:
            is_held = self._held.get(run.run.run_id) is run
        if is_held:
            self._stream.outgoing.send(request)

    def _send_heartbeats(self) -> None:
        while not self._stopped.wait(_HEARTBEAT_SECONDS):
            for run in self._runs():
                self._send(run, run.state())

    def _runs(self) -> list[HeldRun]:
        with self._changed:
            return list(self._held.values())

    def _lost(self, error: Exception, is_first: bool) -> None:
        if self._on_disconnect:
            self._on_disconnect(error)
        elif is_first:
            text = f"activities of {self._app_name}: could not connect to the platform; retrying: {reason_of(error)}"
            print(text, file=sys.stderr, flush=True)


def _unknown(activity: str) -> ActivityHandler:
    def fail(_run: ActivityRun) -> object:
        raise LookupError(f"this worker has no activity {activity}")

    return fail
