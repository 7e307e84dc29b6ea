"""Receives an app's hooks over a stream."""

import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any, Self

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

from .current_trace import run_in_trace
from .hooks import DropHook, HookHandler, hook_of
from .platform_client import PlatformClient
from .proto.hooks_pb2 import SubscribeRequest
from .reconnecting_stream import Outgoing, ReconnectingStream, reason_of


class HookSubscriber:
    """Receives an app's hooks between `start` and `stop`. Connects again after the platform was unreachable."""

    def __init__(
        self,
        *,
        grpc_url: str,
        app_name: str,
        private_key: RSAPrivateKey,
        max_in_flight: int | None = None,
        on_disconnect: Callable[[Exception], None] | None = None,
        on_error: Callable[[Exception, str], None] | None = None,
    ) -> None:
        """`grpc_url` is `http://127.0.0.1:9090` (APPSERVER_GRPC_ADDRESS with its scheme). `max_in_flight` is the maximum number of
        hooks handled concurrently, each in a thread, by default 10. `on_disconnect` gets the error when a connection cannot be opened or
        breaks; by default the first error of an outage is printed. `on_error` gets the exception of a handler and the name of the hook,
        which is delivered again; by default it is printed.
        """
        self._app_name = app_name
        self._max_in_flight = max_in_flight
        self._on_disconnect = on_disconnect
        self._on_error = on_error
        self._handlers: dict[str, HookHandler] = {}
        self._active = 0
        self._is_draining = False
        self._changed = threading.Condition()
        self._client = PlatformClient(grpc_url=grpc_url, app_name=app_name, private_key=private_key, keep_alive=15)
        self._stream = ReconnectingStream[Any](
            open=self._open, take=self._take, lost=self._lost, first_pause=0.2, longest_pause=5
        )

    def on_hook(self, name: str, handler: HookHandler) -> Self:
        """Subscribes to a hook of any app or of the platform, before `start`. The last handler of a name is used."""
        self._handlers[name] = handler
        return self

    def start(self) -> None:
        if not self._handlers:
            raise ValueError("no handler is registered: call on_hook before start")
        self._stream.start()

    def stop(self, grace: float = 5.0) -> None:
        """Takes no new hooks and waits at most `grace` seconds for active handlers. Unfinished hooks are delivered again."""
        with self._changed:
            self._is_draining = True
            self._changed.wait_for(lambda: self._active == 0, timeout=grace)
        # Queued acknowledgements are sent first. Then the platform ends the stream.
        self._stream.outgoing.end()
        self._stream.stop(patience=1)
        self._client.close()

    def _open(self, outgoing: Outgoing[Any]) -> Any:
        start = {"hook_names": list(self._handlers), "max_in_flight": self._max_in_flight}
        outgoing.send(SubscribeRequest(start=start))
        return self._client.hooks.Subscribe(iter(outgoing))

    def _take(self, response: Any) -> None:
        outgoing = self._stream.outgoing
        with self._changed:
            if self._is_draining:
                return
            self._active += 1
        threading.Thread(target=self._work, args=(response.event, outgoing), name="appserver-hook", daemon=True).start()

    def _work(self, event: Any, outgoing: Outgoing[Any]) -> None:
        outgoing.send(SubscribeRequest(ack={"event_id": event.id, "result": self._handle(event)}))
        with self._changed:
            self._active -= 1
            self._changed.notify_all()

    def _handle(self, event: Any) -> str:
        """Runs the handler. Returns the result of the acknowledgement: an AckResult of contracts/proto."""
        try:
            hook = hook_of(event)
            with run_in_trace(traceparent=hook.traceparent):
                self._handlers[hook.name](hook)
            return "ACK_RESULT_SUCCESS"
        except DropHook:
            return "ACK_RESULT_DROP"
        except Exception as error:
            if self._on_error:
                self._on_error(error, event.hook_name)
            else:
                print(f"{event.hook_name} {event.id} failed, attempt {event.attempt}:", file=sys.stderr)
                traceback.print_exc()
            return "ACK_RESULT_RETRY"

    def _lost(self, error: Exception, is_first: bool) -> None:
        if self._on_disconnect:
            self._on_disconnect(error)
        elif is_first:
            text = f"hooks of {self._app_name}: could not connect to the platform; retrying: {reason_of(error)}"
            print(text, file=sys.stderr, flush=True)
