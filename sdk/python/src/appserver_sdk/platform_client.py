"""The platform's gRPC services, with signed calls (docs/interface/signatures.md#signed-calls)."""

from collections.abc import Callable, Iterator
from typing import Any, Self
from urllib.parse import urlsplit

import grpc
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from .current_trace import current_trace
from .proto import access_pb2, activity_pb2, hooks_pb2, settings_pb2
from .sign_request import sign_request

_OPTIONS = (
    ("grpc.enable_http_proxy", 0),
    ("grpc.initial_reconnect_backoff_ms", 200),
    # Streams connect again after at most this time. The default is two minutes.
    ("grpc.max_reconnect_backoff_ms", 5_000),
    ("grpc.max_receive_message_length", -1),
)


class PlatformService:
    """The calls of one gRPC service, as methods with the names and the fields of contracts/proto: `TriggerHook(name=…)`.

    A unary call returns the message of the response, and raises `grpc.RpcError`. It ends after the timeout of the client.
    """

    def __init__(self, descriptor: ServiceDescriptor, call: Callable[..., Any]) -> None:
        self._descriptor = descriptor
        self._call = call

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = self._descriptor.methods_by_name.get(name)
        if method is None:
            raise AttributeError(f"{self._descriptor.full_name} has no call {name}")
        return lambda *args, **fields: self._call(method, *args, **fields)


class PlatformClient:
    """Calls the platform, signed as an app, or with a user's token. Any thread may use it."""

    def __init__(
        self,
        *,
        grpc_url: str,
        app_name: str | None = None,
        private_key: RSAPrivateKey | None = None,
        token: str | None = None,
        ca: str | None = None,
        timeout: float = 30.0,
        keep_alive: float | None = None,
    ) -> None:
        """`grpc_url` is `http://127.0.0.1:9090` (APPSERVER_GRPC_ADDRESS with its scheme). With `app_name` and `private_key`, calls are
        signed as this app. `token` is a user's session token. `ca` are the certificates (PEM) to trust if the address is `https:`;
        default: those that gRPC trusts. `timeout` is that of a call, `keep_alive` the interval of pings on open streams, in seconds.
        """
        if (app_name is None) != (private_key is None):
            raise ValueError("app_name and private_key belong together")
        self._app_name = app_name
        self._private_key = private_key
        self._token = token
        self._timeout = timeout
        self._channel = _channel(grpc_url, ca, keep_alive)
        self.hooks = PlatformService(hooks_pb2.HooksService, self._open)
        self.activities = PlatformService(activity_pb2.ActivityService, self._open)
        self.settings = PlatformService(settings_pb2.SettingsService, self._open)
        self.access = PlatformService(access_pb2.AccessService, self._open)

    def close(self) -> None:
        """Ends all calls."""
        self._channel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(
        self, method: MethodDescriptor, requests: Iterator[Message] | None = None, traceparent: str | None = None, **fields: Any
    ) -> Any:
        """Sends a call. Streams return an iterable call, and take the `requests` if their requests are a stream as well."""
        path = f"/{method.containing_service.full_name}/{method.name}"
        answer = GetMessageClass(method.output_type).FromString
        request = b"" if requests is not None else GetMessageClass(method.input_type)(**fields).SerializeToString()
        channel: Any = self._channel
        if not method.server_streaming:
            trace = traceparent or current_trace().traceparent
            # The bytes of the message as they are signed.
            call = channel.unary_unary(path, response_deserializer=answer)
            return call(request, timeout=self._timeout, metadata=self._metadata(path, request, trace))
        # A stream outlives what the app did when it was opened, so it continues no trace.
        metadata = self._metadata(path, b"", None)
        if not method.client_streaming:
            return channel.unary_stream(path, response_deserializer=answer)(request, metadata=metadata)
        serializer = GetMessageClass(method.input_type).SerializeToString
        call = channel.stream_stream(path, request_serializer=serializer, response_deserializer=answer)
        return call(requests, metadata=metadata)

    def _metadata(self, path: str, body: bytes, traceparent: str | None) -> tuple[tuple[str, str], ...]:
        headers = {} if traceparent is None else {"traceparent": traceparent}
        if self._token is not None:
            headers["authorization"] = f"Bearer {self._token}"
        if self._app_name is not None and self._private_key is not None:
            headers |= sign_request(
                app_name=self._app_name, private_key=self._private_key, method="POST", url=path, body=body
            )
        return tuple(headers.items())


def _channel(grpc_url: str, ca: str | None, keep_alive: float | None) -> grpc.Channel:
    url = urlsplit(grpc_url)
    if url.scheme not in ("http", "https") or not url.netloc:
        raise ValueError(f"grpc_url must be an address like http://127.0.0.1:9090, got {grpc_url!r}")
    pings = () if keep_alive is None else (("grpc.keepalive_time_ms", round(keep_alive * 1_000)),)
    options = [*_OPTIONS, *pings]
    if url.scheme == "http":
        return grpc.insecure_channel(url.netloc, options=options)
    credentials = grpc.ssl_channel_credentials(None if ca is None else ca.encode())
    target = url.netloc if url.port is not None else f"{url.netloc}:443"
    return grpc.secure_channel(target, credentials, options=options)
